"""The command `gpuledger commitments`, as a user types it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from desktop import Desktop, filled

pytestmark = pytest.mark.books

TERMS = """\
commitments:
- {commitment: nodes, kind: gcp_resource_cud, covers: {model: "*"}, quantity: 1, each_hour: 1.20,
   currency: USD, from: 2026-10-01, to: 2026-11-01}
- {commitment: spare, kind: gcp_resource_cud, covers: {model: none-of-it}, quantity: 2, each_month: 31,
   currency: USD, from: 2026-10-01, to: 2027-10-01}
"""
OCTOBER = ("--month", "2026-10")


@pytest.fixture
def booked(desktop: Desktop) -> Desktop:
    """A home with books of which a commitment for a device and one for nothing are a part."""
    filled(desktop, through="2026-11-01T00:00Z")
    (desktop.folder / "terms").mkdir()
    desktop.write("terms/commitments.yaml", TERMS)
    for words in (("apply", "--no-money"), ("run", *OCTOBER)):
        code, _, err = desktop.type(*words)
        assert code == 0, err
    return desktop


def listed(desktop: Desktop, *more: str) -> dict[str, dict[str, Any]]:
    code, out, err = desktop.type("commitments", *OCTOBER, "--format", "json", *more)
    assert code == 0, err
    document = json.loads(out)
    assert document["known_to"] is None
    return {one["commitment"].removeprefix("commitment:"): one for one in document["commitments"]}


def test_what_is_committed_is_used_or_lost(booked: Desktop) -> None:
    found = listed(booked)
    nodes, spare = found["nodes"], found["spare"]
    assert nodes["committed"] == "744.000000" and nodes["recognised"] == "892.800000000"
    used, lost = float(nodes["used"]), float(nodes["lost"])
    assert 0 < used < 744 and abs(lost - (744 - used) * 1.2) < 1e-6
    assert nodes["covered_gpu_hours"] == nodes["used"]
    assert abs(sum(map(float, nodes["teams"].values())) - used) < 1e-5
    assert (spare["used"], spare["utilisation"], spare["coverage"]) == ("0.000000", "0.0000", None)
    assert spare["lost"] == spare["recognised"] == "31.000000000"
    assert (spare["per_covered_gpu_hour"], spare["teams"]) == (None, {})


def test_of_a_month_that_is_not_over_what_comes_is_not_yet_known(desktop: Desktop) -> None:
    filled(desktop, through="2026-10-05T08:00Z")
    (desktop.folder / "terms").mkdir()
    desktop.write("terms/commitments.yaml", TERMS)
    assert desktop.type("apply", "--no-money")[0] == desktop.type("run", *OCTOBER)[0] == 0
    _, out, _ = desktop.type("commitments", *OCTOBER, "--format", "json")
    document = json.loads(out)
    assert document["known_to"] == "2026-10-05T08:00:00Z"
    assert document["commitments"][0]["committed"] == f"{4 * 24 + 8}.000000"
    _, out, _ = desktop.type("commitments", *OCTOBER)
    assert "known to 2026-10-05T08:00:00Z: what is used or lost after that is not yet known" in out


def test_it_is_what_the_books_say(booked: Desktop) -> None:
    code, out, _ = booked.type("statement", *OCTOBER, "--format", "json")
    lines = {line["key"]: line for line in json.loads(out)["lines"]}
    lost = sum(float(one["lost"]) for one in listed(booked).values())
    assert code == 0 and abs(lines["__commitment_unused__"]["amount"] / 100 - lost) < 0.02


def test_hours_of_one_add_up_to_it(booked: Desktop) -> None:
    (one,) = listed(booked, "--hours", "nodes").values()
    assert len(one["hours"]) == 744
    assert sum(round(float(hour["used"]) * 10**6) for hour in one["hours"]) == round(
        float(one["used"]) * 10**6
    )
    code, out, _ = booked.type("commitments", *OCTOBER, "--hours", "nodes")
    assert code == 0 and "2026-10-31T23:00:00Z" in out and "spare" not in out


def test_the_table_has_each_commitment_and_the_teams_that_used_it(booked: Desktop) -> None:
    code, out, _ = booked.type("commitments", *OCTOBER)
    assert code == 0 and "892.80" in out and "31.00" in out
    for team in listed(booked)["nodes"]["teams"]:
        assert team in out


def test_a_month_without_any_says_so_and_a_name_that_is_none_is_an_error(booked: Desktop) -> None:
    code, _, err = booked.type("commitments", *OCTOBER, "--hours", "other")
    assert code == 3 and "2026-10 has no commitment other" in err
    booked.write("terms/commitments.yaml", "commitments: []\n")
    for words in (("apply", "--no-money"), ("run", *OCTOBER)):
        assert booked.type(*words)[0] == 0
    code, out, _ = booked.type("commitments", *OCTOBER)
    assert code == 0 and "2026-10 has no commitments" in out
