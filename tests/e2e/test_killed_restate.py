"""Restatements killed at random instants, two at once, and on a disk that fills: there whole, or not at all.

GPULEDGER_KILLS says how many are killed; `make soak` kills 50.
"""

from __future__ import annotations

import errno
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from house import House, at, make_house
from ledgers import Ledger, kill
from sqlalchemy import Connection, event
from sqlalchemy.pool import Pool

import chargeback.restating
from chargeback.restatements import keep_restatement
from chargeback.workbench import Workbench

pytestmark = pytest.mark.e2e

KILLS = max(6, int(os.environ.get("GPULEDGER_KILLS", "6")))
OCTOBER, NOVEMBER, NOW, LATER = "2026-10", "2026-11", "2026-12-03T09:00:00Z", "2090-01-01T00:00:00Z"
RESTATE = ("restate", "--month", OCTOBER, "--actor")
NODES, GPUS, JOBS = 4, 8, 96
START, END = at("2026-10-26T00:00Z"), at("2026-11-03T00:00Z")

Events = dict[str, Callable[[], bool]]
"""How one sees from outside that a restatement has come so far."""


def events(ledger: Ledger) -> Events:
    written = ledger.home / "books" / "main" / OCTOBER / "restated"
    return {"started": lambda: True, "writing": written.exists}


def wait_for(child: subprocess.Popen[str], holds: Callable[[], bool]) -> float:
    """Wait until a condition holds or the command is done, and give that instant."""
    deadline_s = time.monotonic() + 120
    while not holds() and child.poll() is None:
        assert time.monotonic() < deadline_s
        time.sleep(0.001)
    return time.monotonic()


@dataclass(frozen=True)
class Due:
    """A home whose October is closed and lacks facts, and what a restatement that is left alone makes of it.

    `closed` is the statement of October, `before` and `after` are those of November, `bridge` is what it
    prints, and `pace_s` how long it takes from each event to its end.
    """

    ledger: Ledger
    closed: dict[str, Any]
    before: dict[str, Any]
    after: dict[str, Any]
    bridge: dict[str, Any]
    pace_s: dict[str, float]

    @property
    def difference(self) -> int:
        total: int = self.after["restated"][0]["total"]
        return total

    def check(self, ledger: Ledger) -> bool:
        """Whether the restatement is there: whole, or else without a trace on a statement."""
        ledger.call("verify")
        assert ledger.statement(OCTOBER) == self.closed
        collecting = ledger.statement(NOVEMBER)
        assert collecting in (self.before, self.after)
        return collecting == self.after

    def check_and_go_on(self, ledger: Ledger, *, done: bool | None) -> None:
        """Restate again, which must come to the same, and sweep what was left behind.

        `done` says whether the restatement must be there before; None where it may be.
        """
        assert self.check(ledger) == done or done is None
        assert ledger.read(*RESTATE, "ann") == self.bridge
        ledger.call("run", now=LATER)
        # The runs in force of both months, and the one that the restatement reached.
        assert (len(names_left(ledger, "run")), len(names_left(ledger, "restatement"))) == (3, 1)
        assert list((ledger.home / "scratch").iterdir()) == []
        assert self.check(ledger)


def names_left(ledger: Ledger, kind: str) -> set[str]:
    """The names of runs or restatements under which files lie."""
    return {path.name for path in (ledger.home / "books").rglob(f"{kind}=*")}


def hold(house: House, job: int, hours: int) -> None:
    """A job of so long on two GPUs of a node, some of them across the month's end."""
    start = START + 7_000 * job
    house.holding(f"{job}", start, start + hours * 3600, f"team-{job % 5}", node=f"n{job % NODES}", units=2)


def keep(house: House, home: Path) -> Ledger:
    house.keep()
    house.desk.database.close()
    (home / "scratch").rmdir()
    return Ledger(home, NOW)


@pytest.fixture(scope="module")
def due(tmp_path_factory: pytest.TempPathFactory) -> Due:
    folder = tmp_path_factory.mktemp("due")
    (folder / "home").mkdir()
    house = make_house(folder / "home")
    for slot in range(NODES * GPUS):
        house.slot(f"n{slot % NODES}", slot // NODES, START, END)
    for job in range(JOBS):
        hold(house, job, 2)
    house.price("2.744705", START)
    house.through(at("2026-12-01T00:00Z"))
    ledger = keep(house, folder / "home")
    ledger.call("run")
    ledger.call("close", "--month", OCTOBER, "--actor", "ann")
    (ledger.home / "scratch").rmdir()

    house = make_house(ledger.home)
    for job in range(0, JOBS, 3):
        hold(house, job, 3)
    house.price("2.5", START)
    ledger = keep(house, ledger.home)
    ledger.call("run")
    closed, before = ledger.statement(OCTOBER), ledger.statement(NOVEMBER)

    left_alone = ledger.copy(folder / "left-alone")
    with left_alone.start(*RESTATE, "ann") as child:
        begun_s = {name: wait_for(child, holds) for name, holds in events(left_alone).items()}
        _, complaints = child.communicate()
    assert child.returncode == 0, complaints
    pace_s = {name: time.monotonic() - start_s for name, start_s in begun_s.items()}
    bridge, after = left_alone.read(*RESTATE, "ann"), left_alone.statement(NOVEMBER)
    assert bridge["causes"] == ["usage", "price"] and after["total"] < before["total"]
    return Due(ledger, closed, before, after, bridge, pace_s)


@pytest.mark.parametrize("number", range(KILLS))
def test_killed_restatement_is_there_whole_or_not_at_all(tmp_path: Path, due: Due, number: int) -> None:
    ledger, chance = due.ledger.copy(tmp_path / "home"), random.Random(number)
    # Half of them while entries are written and the database commits.
    aim = ("writing", "started")[number % 2]
    with ledger.start(*RESTATE, "ann") as child:
        wait_for(child, events(ledger)[aim])
        ended = kill(child, chance.random() * due.pace_s[aim])
    due.check_and_go_on(ledger, done=ended.done or None)


def test_of_two_restatements_at_once_one_counts(tmp_path: Path, due: Due) -> None:
    ledger = due.ledger.copy(tmp_path / "home")
    with ledger.start(*RESTATE, "ann") as one, ledger.start(*RESTATE, "bob") as other:
        ends = [(child.communicate()[1], child.returncode) for child in (one, other)]
    for notices, code in ends:
        said = {0: f"{OCTOBER} is restated", 6: "changed meanwhile"}[code]
        assert said in notices
    assert 0 in [code for _, code in ends]
    due.check_and_go_on(ledger, done=True)

    ledger.call("close", "--month", NOVEMBER, "--actor", "ann")
    closed = ledger.statement(NOVEMBER)
    assert closed.pop("close")["by"] == "ann"
    assert closed == due.after | {"state": "closed"}
    assert ledger.read(*RESTATE, "ann") == due.bridge, "nothing is left to restate"
    assert [month["restated"] for month in ledger.read("books")] == [{NOVEMBER: due.difference}, {}]
    ledger.call("verify")


def refused_for_the_disk(ledger: Ledger) -> None:
    code, complaints = ledger.refused(*RESTATE, "ann")
    assert code == 5 and "do: look at the disk, then try again" in complaints, complaints


@pytest.mark.parametrize("place", ["time_part", "10/2026-10-30", "restated/2026-10-30"])
def test_disk_that_is_full_for_a_file_leaves_nothing_restated(
    tmp_path: Path, due: Due, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    ledger, write = due.ledger.copy(tmp_path / "home"), Workbench.write

    def filling(bench: Workbench, query: str, path: Path) -> int:
        if place in str(path):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write(bench, query, path)

    with monkeypatch.context() as patch:
        patch.setattr(Workbench, "write", filling)
        refused_for_the_disk(ledger)
    due.check_and_go_on(ledger, done=False)


def test_disk_that_is_full_for_scratch_leaves_nothing_restated(
    tmp_path: Path, due: Due, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, mkdir = due.ledger.copy(tmp_path / "home"), Path.mkdir

    def full(folder: Path, *given: Any, **named: Any) -> None:
        if folder.name.endswith("-steps"):
            raise OSError(errno.ENOSPC, "No space left on device", str(folder))
        mkdir(folder, *given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", full)
        refused_for_the_disk(ledger)
    due.check_and_go_on(ledger, done=False)


@contextmanager
def no_more_pages() -> Iterator[None]:
    """Let each database of SQLite that is opened be as great as it may be."""
    event.listen(Pool, "connect", limit_pages)
    try:
        yield
    finally:
        event.remove(Pool, "connect", limit_pages)


def limit_pages(connection: Any, _record: Any = None) -> None:
    (pages,) = connection.execute("pragma page_count").fetchone()
    connection.execute(f"pragma max_page_count = {pages}")


def test_disk_that_is_full_for_the_database_leaves_nothing_restated(tmp_path: Path, due: Due) -> None:
    ledger = due.ledger.copy(tmp_path / "home")
    with no_more_pages():
        refused_for_the_disk(ledger)
    due.check_and_go_on(ledger, done=False)


def test_disk_that_is_full_at_the_last_commit_leaves_nothing_restated(
    tmp_path: Path, due: Due, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, keep = due.ledger.copy(tmp_path / "home"), keep_restatement

    def full(connection: Connection, *given: Any) -> None:
        limit_pages(connection.connection.dbapi_connection)
        keep(connection, *given)

    with monkeypatch.context() as patch:
        patch.setattr(chargeback.restating, "keep_restatement", full)
        refused_for_the_disk(ledger)
    due.check_and_go_on(ledger, done=False)
