"""Worked examples about ownership, from ordinary inputs through the command line to the statement."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from desktop import Desktop

pytestmark = pytest.mark.books

EXAMPLES = Path(__file__).with_name("examples.json")
MAP = """\
kind: holdings
source: jobs
identity: job
columns: {owner_key: owner, account: account, start: start, end: end, units: gpus}
constants: {cluster: c, model: H100}
capacity: assumed
"""
TEAMS = """\
teams: [{{team: {owner}}}]
rules: [{{match: {{account: {account}}}, team: {owner}}}]
"""


@cache
def example(name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(EXAMPLES.read_text("utf-8"))["examples"]
    return next(one for one in found if one["id"] == name)


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    monkeypatch.chdir(tmp_path)
    made = Desktop(tmp_path)
    made.clock = 1_796_256_000.0  # December 2026: October and November are over
    return made


def done(desktop: Desktop, *words: str) -> str:
    code, out, err = desktop.type(*words)
    assert code == 0, err
    return out


def close_first_run(desktop: Desktop, inputs: dict[str, Any]) -> None:
    """Each allocation is a job of its own in October, whose account names it; the month is closed."""
    rows = ["job,account,owner,start,end,gpus"]
    for number, alloc in enumerate(inputs["alloc"], 1):
        times = f"2026-10-05T00:00Z,2026-10-05T{alloc['hours']:02}:00Z"
        rows.append(f"{number},job-{number},{alloc['owner'] or ''},{times},{alloc['gpus']}")
    desktop.write("jobs.csv", "\n".join(rows) + "\n")
    desktop.write("map.yaml", MAP)
    desktop.write(
        "prices.csv", f"model,rate,currency,from,to\nH100,{inputs['gpu_hour_usd']},USD,2026-01-01,\n"
    )
    through = ("--through", "2026-12-01T00:00Z")
    done(desktop, "import", "holdings", "jobs.csv", "--map", "map.yaml", *through)
    done(desktop, "import", "prices", "prices.csv")
    done(desktop, "run")
    done(desktop, "close", "--month", "2026-10")


def lines_of(text: str, period: str) -> dict[str, Decimal]:
    """The lines of a statement in CSV that are of one period."""
    rows = csv.DictReader(io.StringIO(text))
    return {row["owner"]: Decimal(row["amount"]) for row in rows if row["period"] == period}


def expected(variant: dict[str, Any]) -> dict[str, Decimal]:
    return {key: Decimal(amount) for key, amount in variant["lines"].items()}


def test_e26_owner_that_is_known_after_the_close_is_an_adjustment(desktop: Desktop) -> None:
    case = example("E26")
    first, adjustment = case["expected"]["variants"]
    close_first_run(desktop, case["inputs"])
    closed = done(desktop, "statement", "--month", "2026-10", "--format", "csv")
    assert lines_of(closed, "2026-10") == expected(first)
    unrounded = {row["owner"]: row["unrounded"] for row in csv.DictReader(io.StringIO(closed))}
    assert {key: Decimal(text) for key, text in unrounded.items()} == {
        key: Decimal(text) for key, text in first["exact"].items()
    }

    late = case["inputs"]["late_mapping"]
    desktop.folder.joinpath("terms").mkdir()
    desktop.write("terms/teams.yaml", TEAMS.format(owner=late["owner"], account=f"job-{late['job']}"))
    said = done(desktop, "apply", "-f", "terms")
    assert f"2026-10 would move 12.00 USD from __unknown_owner__ to {late['owner']}" in said
    done(desktop, "restate", "--month", "2026-10")
    done(desktop, "run", "--month", "2026-11")
    charged = done(desktop, "statement", "--month", "2026-11", "--format", "csv")
    assert lines_of(charged, "2026-10") == expected(adjustment)
    assert lines_of(charged, "2026-11") == {}
    assert sum(lines_of(charged, "2026-10").values()) == Decimal(adjustment["total"])
    assert done(desktop, "statement", "--month", "2026-10", "--format", "csv") == closed
    document = json.loads(done(desktop, "statement", "--month", "2026-11", "--format", "json"))
    assert {tuple(line["causes"]) for line in document["restated"][0]["lines"]} == {("owner",)}
