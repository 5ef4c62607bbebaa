"""Closes killed at random instants, and two at once in processes of their own: one close or none, never half.

GPULEDGER_KILLS says how many are killed; `make soak` kills 50.
"""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from house import at, make_house
from ledgers import Ledger, kill

pytestmark = pytest.mark.e2e

KILLS = max(5, int(os.environ.get("GPULEDGER_KILLS", "5")))
MONTH, NOW, LATER = "2026-10", "2026-11-03T09:00:00Z", "2090-01-01T00:00:00Z"
CLOSE = ("close", "--month", MONTH, "--actor")


def october(ledger: Ledger) -> dict[str, Any]:
    (found,) = ledger.read("books")
    assert isinstance(found, dict)
    return found


@dataclass(frozen=True)
class Settled:
    """A home whose October can be closed, its open statement, and how long a close of it takes."""

    ledger: Ledger
    statement: dict[str, Any]
    pace_s: float


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Settled:
    folder = tmp_path_factory.mktemp("settled")
    (folder / "home").mkdir()
    house = make_house(folder / "home")
    for node in range(4):
        for index in range(8):
            house.slot(f"n{node}", index, at("2026-10-01T00:00Z"), None)
        for job in range(50):
            start = at("2026-10-01T00:00Z") + 7_000 * job
            house.holding(f"{node}-{job}", start, start + 6_500, f"team-{job % 5}", node=f"n{node}", units=2)
    house.price("2.744705", at("2026-10-01T00:00Z"))
    house.through(at("2026-11-01T00:00Z"))
    house.keep()
    house.desk.database.close()
    ledger = Ledger(folder / "home", NOW)
    ledger.call("run", "--month", MONTH)
    with ledger.copy(folder / "undisturbed").start(*CLOSE, "ann") as child:
        begun_s = time.monotonic()
        _, complaints = child.communicate()
    assert child.returncode == 0, complaints
    return Settled(ledger, ledger.statement(MONTH), time.monotonic() - begun_s)


@pytest.mark.parametrize("number", range(KILLS))
def test_killed_close_has_happened_or_not(tmp_path: Path, settled: Settled, number: int) -> None:
    ledger, chance = settled.ledger.copy(tmp_path / "home"), random.Random(number)
    # Half of them in the last quarter, where facts are written and the database commits.
    share = chance.random() if number % 2 else 0.7 + 0.3 * chance.random()
    with ledger.start(*CLOSE, "ann") as child:
        ended = kill(child, share * settled.pace_s)

    ledger.call("verify")
    state = october(ledger)["state"]
    assert state == "closed" or (state == "open" and "is closed" not in ended.printed)
    if state == "open":
        assert ledger.statement(MONTH) == settled.statement
        ledger.call(*CLOSE, "ann")
    closed = ledger.statement(MONTH)
    assert closed.pop("close")["by"] == "ann"
    assert closed == settled.statement | {"state": "closed"}
    ledger.call("verify")
    ledger.call("run", now=LATER)
    kept = list((ledger.home / "books").rglob("close=*"))
    assert len(kept) == 1
    ledger.call("verify")


def test_of_two_closes_at_once_one_closes_and_the_other_is_told(tmp_path: Path, settled: Settled) -> None:
    ledger = settled.ledger.copy(tmp_path / "home")
    with ledger.start(*CLOSE, "ann") as one, ledger.start(*CLOSE, "bob") as other:
        ends = {"ann": one.communicate(), "bob": other.communicate()}
    codes = {"ann": one.returncode, "bob": other.returncode}
    closed_by = october(ledger)["by"]
    (refused,) = (name for name in ends if name != closed_by)
    assert (codes[closed_by], codes[refused]) == (0, 6)
    assert f"2026-10 is closed, at seq {settled.statement['seq']} by {closed_by}" in ends[refused][1]
    ledger.call("verify")
