"""The command `gpuledger whatif`, as a user types it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from desktop import Desktop, filled

pytestmark = pytest.mark.books

OCTOBER = ("--month", "2026-10")
DEARER = "prices:\n- {model: H100, rate: 3, currency: USD, from: 2026-01-01T00:00Z}\n"
FEE = "{lot: rack, kind: fee, every: month, amount: 31, currency: USD, from: 2026-01-01, account: shared}"


@pytest.fixture
def booked(desktop: Desktop) -> Desktop:
    """A home with books of October at two dollars, and a folder in which it is three."""
    filled(desktop, through="2026-11-01T00:00Z")
    assert desktop.type("run", *OCTOBER)[0] == 0
    (desktop.folder / "other").mkdir()
    desktop.write("other/prices.yaml", DEARER)
    return desktop


def asked(desktop: Desktop, *more: str) -> dict[str, Any]:
    code, out, err = desktop.type("whatif", "other", "--format", "json", *more)
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def amounts(desktop: Desktop, by: str) -> dict[str, int]:
    _, out, _ = desktop.type("statement", *OCTOBER, "--by", by, "--format", "json")
    return {line["key"]: line["amount"] for line in json.loads(out)["lines"]}


@pytest.mark.parametrize("by", ["team", "model"])
def test_it_says_what_applying_and_running_would_come_to(booked: Desktop, by: str) -> None:
    before = amounts(booked, by)
    (month,) = asked(booked, *OCTOBER, "--by", by)["months"]
    assert {line["key"]: line["before"] for line in month["lines"]} == before
    assert amounts(booked, by) == before, "nothing is kept"
    for words in (("apply", "-f", "other", "--no-money"), ("run", *OCTOBER)):
        assert booked.type(*words)[0] == 0
    assert {line["key"]: line["after"] for line in month["lines"]} == amounts(booked, by)
    assert month["total"] == {"before": sum(before.values()), "after": sum(before.values()) * 3 // 2}


def test_the_table_says_what_differs_and_who_would_pay(booked: Desktop) -> None:
    code, out, _ = booked.type("whatif", "other", *OCTOBER, "--by", "owner")
    assert code == 0 and "rate 2 → 3" in out and "2026-10 would change, in USD" in out and "nlp" in out


def test_another_lot_is_paid_for_by_nobody_before_it_is_there(booked: Desktop) -> None:
    (booked.folder / "other" / "prices.yaml").unlink()
    booked.write("other/lots.yaml", f"lots: [{FEE}]\nassets: []\nenergy: []\n")
    (month,) = asked(booked, *OCTOBER)["months"]
    assert month["lines"] == [{"key": "__shared__", "before": None, "after": 3100, "difference": 3100}]


def test_terms_that_are_in_force_change_nothing(booked: Desktop) -> None:
    booked.write("other/prices.yaml", "prices: []\n")
    code, out, _ = booked.type("whatif", "other")
    assert code == 0 and "the terms are those in force" in out
    code, _, err = booked.type("whatif", "nowhere")
    assert code == 3 and "the folder cannot be read" in err
    code, _, err = booked.type("whatif", "other", "--month", "October")
    assert code == 3 and "is not a month" in err
