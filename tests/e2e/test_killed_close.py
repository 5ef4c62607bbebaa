"""Closes killed at random instants, and two at once in processes of their own: one close or none, never half.

GPULEDGER_KILLS says how many are killed; `make soak` kills 50.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from house import at, make_house

from gpuledger.cli import invoke
from gpuledger.session import Edge

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]
KILLS = max(5, int(os.environ.get("GPULEDGER_KILLS", "5")))
MONTH, NOW, LATER = "2026-10", "2026-11-03T09:00:00Z", "2090-01-01T00:00:00Z"


@dataclass(frozen=True)
class Ledger:
    """A home, and the commands that are run on it: in this process, or in one that can be killed."""

    home: Path

    def call(self, *words: str, now: str = NOW) -> str:
        """Run a command to its end and give what it printed."""
        edge = Edge(environ={}, cwd=self.home.parent, flags={"home": str(self.home), "now": now})
        with redirect_stdout(io.StringIO()) as printed:
            assert invoke(words, edge=edge) == 0, words
        return printed.getvalue()

    def start_close(self, actor: str) -> subprocess.Popen[str]:
        """Begin a close in a process of its own."""
        flags = ("--home", str(self.home), "--now", NOW)
        words = [sys.executable, "-m", "gpuledger", *flags, "close", "--month", MONTH, "--actor", actor]
        environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(words, env=environ, cwd=self.home.parent, **pipes)

    def october(self) -> dict[str, Any]:
        (found,) = json.loads(self.call("books", "--format", "json"))
        assert isinstance(found, dict)
        return found

    def statement(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.call("statement", "--month", MONTH, "--format", "json"))
        return found

    def copy(self, home: Path) -> Ledger:
        shutil.copytree(self.home, home)
        return Ledger(home)


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
    ledger = Ledger(folder / "home")
    ledger.call("run", "--month", MONTH)
    with ledger.copy(folder / "undisturbed").start_close("ann") as child:
        begun_s = time.monotonic()
        _, complaints = child.communicate()
    assert child.returncode == 0, complaints
    return Settled(ledger, ledger.statement(), time.monotonic() - begun_s)


@pytest.mark.parametrize("number", range(KILLS))
def test_killed_close_has_happened_or_not(tmp_path: Path, settled: Settled, number: int) -> None:
    ledger, chance = settled.ledger.copy(tmp_path / "home"), random.Random(number)
    # Half of them in the last quarter, where facts are written and the database commits.
    share = chance.random() if number % 2 else 0.7 + 0.3 * chance.random()
    with ledger.start_close("ann") as child:
        with suppress(subprocess.TimeoutExpired):
            child.wait(share * settled.pace_s)
        child.kill()
        printed, notices = child.communicate(timeout=60)
    assert child.returncode in (0, -signal.SIGKILL), notices

    ledger.call("verify")
    state = ledger.october()["state"]
    assert state == "closed" or (state == "open" and "is closed" not in printed)
    if state == "open":
        assert ledger.statement() == settled.statement
        ledger.call("close", "--month", MONTH, "--actor", "ann")
    closed = ledger.statement()
    assert closed.pop("close")["by"] == "ann"
    assert closed == settled.statement | {"state": "closed"}
    ledger.call("verify")
    ledger.call("run", now=LATER)
    kept = list((ledger.home / "books").rglob("close=*"))
    assert len(kept) == 1
    ledger.call("verify")


def test_of_two_closes_at_once_one_closes_and_the_other_is_told(tmp_path: Path, settled: Settled) -> None:
    ledger = settled.ledger.copy(tmp_path / "home")
    with ledger.start_close("ann") as one, ledger.start_close("bob") as other:
        ends = {"ann": one.communicate(), "bob": other.communicate()}
    codes = {"ann": one.returncode, "bob": other.returncode}
    closed_by = ledger.october()["by"]
    (refused,) = (name for name in ends if name != closed_by)
    assert (codes[closed_by], codes[refused]) == (0, 6)
    assert f"2026-10 is closed, at seq {settled.statement['seq']} by {closed_by}" in ends[refused][1]
    ledger.call("verify")
