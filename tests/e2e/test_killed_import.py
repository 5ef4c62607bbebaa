"""Imports, and runs of the books, killed at random instants: nothing is lost, nothing twice, nothing half.

GPULEDGER_KILLS says how many imports are killed; `make soak` kills 50.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from gpuledger.cli import invoke
from gpuledger.instants import format_utc, parse_instant
from gpuledger.lake import table_schema
from gpuledger.lake.reading import read_known
from gpuledger.session import Edge, Session
from gpuledger.versions.tables import book_head, knowledge, lake_file

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("GPULEDGER_KILLS", "6"))
KILLS_PER_HOME = 10
RUN_KILLS = max(4, KILLS // 2)

START_S = parse_instant("2026-10-31T00:00Z", zone=None, epoch_s=None)
NOW, LATER = "2026-12-01T00:00:00Z", "2090-01-01T00:00:00Z"
MONTHS = ("2026-10", "2026-11")
WINDOW_S, NODES, GPUS_PER_NODE, MOST_WINDOWS = 8 * 3600, 8, 8, 2 * KILLS_PER_HOME

# Kinds of instants, in turn: while the home is made, from staging to commit, anywhere, from commit to end.
AIMS = ("creating", "staging", "started", "committing", "staging", "started")

JOBS_MAP = """
kind: holdings
source: jobs
identity: [job]
columns: {owner_key: user, node: node, start: start, end: {column: end, missing: open}}
"""
INVENTORY_MAP = """
kind: inventory
source: assets
columns: {node: node, units: gpus, start: from}
constants: {model: H200}
"""
PRICES = "model,rate,currency,from,to\nH200,2.744705,USD,2026-10-01,2026-11-01\nH200,2.5,USD,2026-11-01,\n"
OWNERS = (
    "owner_key,team,cost_centre,from,to\nuser-0,search,cc-1,2026-10-01,\nuser-1,search,cc-1,2026-10-01,\n"
)

Condition = Callable[[], bool]
Said = tuple[str, int, int | None]
"""What one row says of a job: its name, start and end."""


@dataclass(frozen=True)
class Job:
    name: str
    user: str
    node: str
    start_s: int
    end_s: int


@cache
def jobs() -> list[Job]:
    """What each GPU did: one job after the other, some minutes each."""
    chance = random.Random(5)
    found: list[Job] = []
    for gpu in range(NODES * GPUS_PER_NODE):
        end_s = START_S
        while end_s < START_S + MOST_WINDOWS * WINDOW_S:
            start_s, end_s = end_s, end_s + chance.randrange(300, 900)
            user, node = f"user-{chance.randrange(5)}", f"node-{gpu % NODES}"
            found.append(Job(f"job-{gpu}-{len(found)}", user, node, start_s, end_s))
    return found


@dataclass(frozen=True)
class Delivery:
    """An export: the jobs of a window, those before it that were open or just over, and a wrong row."""

    file: Path
    said: frozenset[Said]

    @classmethod
    def write(cls, folder: Path, number: int) -> Delivery:
        from_s, at_s = START_S + number * WINDOW_S, START_S + (number + 1) * WINDOW_S
        there = [job for job in jobs() if from_s - 900 < job.end_s and job.start_s < at_s]
        said = {(job.name, job.start_s, job.end_s if job.end_s <= at_s else None): job for job in there}
        rows = [
            (name, job.user, job.node, format_utc(start_s), "" if end_s is None else format_utc(end_s))
            for (name, start_s, end_s), job in said.items()
        ]
        rows.append((f"wrong-{number}", "user-0", "node-0", format_utc(at_s), format_utc(from_s)))
        (folder / "jobs.map.yaml").write_text(JOBS_MAP)
        with (folder / f"jobs-{number:02d}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("job", "user", "node", "start", "end"), *rows])
        return cls(folder / f"jobs-{number:02d}.csv", frozenset(said))

    @property
    def words(self) -> tuple[str, ...]:
        number = int(self.file.stem.rpartition("-")[2])
        through = format_utc(START_S + (number + 1) * WINDOW_S)
        column_map = str(self.file.with_name("jobs.map.yaml"))
        options = ("--map", column_map, "--through", through, "--format", "json")
        return ("import", "holdings", str(self.file), *options)


@dataclass(frozen=True)
class Ledger:
    """A home, and the commands that are run on it: in this process, or in one that can be killed."""

    home: Path

    def call(self, *words: str, now: str = NOW) -> str:
        """Run a command to its end and give what it printed."""
        with redirect_stdout(io.StringIO()) as printed:
            assert invoke(words, edge=self._edge(now)) == 0, words
        return printed.getvalue()

    @contextmanager
    def start(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """Begin a command in a process of its own."""
        command = [sys.executable, "-m", "gpuledger", "--home", str(self.home), "--now", NOW, *words]
        environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env=environ, cwd=self.home.parent, **pipes) as child:
            yield child

    @contextmanager
    def session(self) -> Iterator[Session]:
        session = Session(self._edge(NOW))
        try:
            yield session
        finally:
            session.close()

    def _edge(self, now: str) -> Edge:
        flags = {"home": str(self.home), "now": now}
        return Edge(environ={}, cwd=self.home.parent, flags=flags, announced={self.home})

    def known(self, table: str) -> list[dict[str, Any]]:
        """Every row that the lake knows of a table, with the seq at which it became known."""
        with self.session() as session:
            lake, seq = session.lake, session.database.latest_seq()
            files = lake.named(lake.files(table, seq))
            with lake.engine() as connection:
                rows: list[dict[str, Any]] = read_known(
                    connection, table_schema(table), files, seq
                ).to_pylist()
        return rows

    def versions(self) -> dict[Said, int]:
        """What rows said of jobs, each with its seq; nothing is there twice."""
        rows = self.known("holding")
        found = {(row["run"], row["start_s"], row["end_s"]): row["seq"] for row in rows}
        assert len(found) == len(rows)
        return found

    def commits(self, kind: str) -> int:
        with self.session() as session, session.database.read() as connection:
            return len(connection.execute(select(knowledge.c.seq).where(knowledge.c.kind == kind)).all())

    def make_books(self) -> None:
        """Bring in what is there, what it costs and whose it is, and run the books."""
        folder = self.home.parent
        nodes = "".join(f"node-{n},{GPUS_PER_NODE},{format_utc(START_S)}\n" for n in range(NODES))
        (folder / "nodes.csv").write_text(f"node,gpus,from\n{nodes}")
        (folder / "nodes.map.yaml").write_text(INVENTORY_MAP)
        (folder / "prices.csv").write_text(PRICES)
        (folder / "owners.csv").write_text(OWNERS)
        self.call("import", "inventory", str(folder / "nodes.csv"), "--map", str(folder / "nodes.map.yaml"))
        self.call("import", "prices", str(folder / "prices.csv"))
        self.call("import", "owners", str(folder / "owners.csv"))
        self.call("run")

    def statements(self) -> tuple[str, ...]:
        """The statement in force of each month."""
        words = ("statement", "--by", "owner", "--format", "json", "--month")
        return tuple(self.call(*words, month) for month in MONTHS)

    def copy(self, home: Path) -> Ledger:
        shutil.copytree(self.home, home)
        return Ledger(home)

    def import_events(self) -> dict[str, Condition]:
        """How one sees from outside, from now on, that an import has come so far."""
        staged, log = self._files("lake/holding"), self.home / "gpuledger.db-wal"
        return {
            "started": lambda: True,
            "creating": lambda: any(self.home.glob(".new-*")) or (self.home / "gpuledger.db").exists(),
            "staging": lambda: self._files("lake/holding") != staged,
            "committing": lambda: log.exists() and log.stat().st_size > 0,
        }

    def run_events(self, partitions: int) -> dict[str, Condition]:
        """The same of a run of the books that writes so many partitions of the first month."""
        first, before = f"books/main/{MONTHS[0]}", self._files(f"books/main/{MONTHS[0]}")
        return {
            "started": lambda: True,
            "writing": lambda: self._files(first) != before,
            "written": lambda: len(self._files(first) - before) >= partitions,
        }

    def _files(self, place: str) -> set[Path]:
        return {path for path in (self.home / place).rglob("*") if path.suffix in (".parquet", ".part")}


def wait_for(child: subprocess.Popen[str], holds: Condition) -> float:
    """Wait until a condition holds or the child is done, and give that instant."""
    deadline_s = time.monotonic() + 120
    while not holds() and child.poll() is None:
        assert time.monotonic() < deadline_s
        with suppress(subprocess.TimeoutExpired):
            child.wait(0.001)
    return time.monotonic()


def pace_of(child: subprocess.Popen[str], events: dict[str, Condition]) -> dict[str, float]:
    """How long a child that is left alone takes from each event to the next; from its start, to its end."""
    begun_s = time.monotonic()
    reached = [wait_for(child, holds) for holds in events.values()]
    _, complaints = child.communicate()
    assert child.returncode == 0, complaints
    ends = [*reached[1:], time.monotonic()]
    spans = dict(zip(events, (end - start for start, end in zip(reached, ends, strict=True)), strict=True))
    return spans | {"started": ends[-1] - begun_s}


@dataclass(frozen=True)
class End:
    """How a child ended: whether it was killed, and what it had printed by then."""

    killed: bool
    printed: str
    notices: str


def kill(child: subprocess.Popen[str], event: Condition, later_s: float) -> End:
    """Kill a child so long after an event, if it still lives then."""
    wait_for(child, event)
    with suppress(subprocess.TimeoutExpired):
        child.wait(later_s)
    child.kill()
    # The pipes end with the last process that has them: none of the child's own outlives it.
    printed, notices = child.communicate(timeout=60)
    assert child.returncode in (0, -signal.SIGKILL), notices
    return End(child.returncode != 0, printed, notices)


@dataclass
class Story:
    """One home over its killed imports: what was said so far, each with its seq, and what must hold of it."""

    ledger: Ledger
    deliveries: list[Delivery] = field(default_factory=list)
    versions: dict[Said, int] = field(default_factory=dict)

    def check_and_go_on(self, delivery: Delivery, printed: str) -> None:
        """Hold the home against what the killed import acknowledged, then import the same again."""
        assert self.ledger.call("lake", "verify") == "the lake is what its rows say\n"
        found = self.ledger.versions()
        assert self.versions.items() <= found.items()
        fresh, arrived = delivery.said - self.versions.keys(), found.keys() - self.versions.keys()
        assert arrived in (set(), fresh)
        if acknowledged := _summary(printed):
            assert arrived == fresh
            assert {found[said] for said in fresh} == {acknowledged["seq"]}

        summary = json.loads(self.ledger.call(*delivery.words))
        counts = summary["facts"]["holding"]
        assert counts["new"] + counts["changed"] == len(fresh - arrived)
        self.deliveries.append(delivery)
        self.versions = self.ledger.versions()
        assert self.versions.keys() == frozenset[Said]().union(*(one.said for one in self.deliveries))
        assert self.ledger.commits("import holdings") == len(self.deliveries)
        wrong = [row["file"] for row in self.ledger.known("quarantine")]
        assert sorted(wrong) == [str(one.file) for one in self.deliveries]

    def check_books(self, undisturbed: Ledger) -> None:
        """The books are those of a home that was left alone; what no row names is gone after a day."""
        for ledger in (self.ledger, undisturbed):
            ledger.make_books()
        for mine, theirs in zip(self.ledger.statements(), undisturbed.statements(), strict=True):
            assert json.loads(mine) | {"seq": 0} == json.loads(theirs) | {"seq": 0}
        for month in MONTHS:
            self.ledger.call("verify", "--month", month)
        self.ledger.call("lake", "sweep", now=LATER)
        with self.ledger.session() as session, session.database.read() as connection:
            paths = set(connection.scalars(select(lake_file.c.path)))
        lake = self.ledger.home / "lake"
        left = {path.relative_to(lake).as_posix() for path in lake.rglob("*") if path.is_file()}
        assert left == paths | {"manifest.json"}


def _summary(printed: str) -> dict[str, Any] | None:
    """The summary, if it was printed whole."""
    try:
        summary: dict[str, Any] = json.loads(printed)
    except ValueError:
        return None
    return summary


@pytest.fixture(scope="module")
def import_pace(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    folder = tmp_path_factory.mktemp("pace")
    ledger = Ledger(folder / "home")
    events = ledger.import_events()
    with ledger.start(*Delivery.write(folder, 0).words) as child:
        return pace_of(child, events)


@pytest.mark.parametrize("home_no", range(-(-KILLS // KILLS_PER_HOME)))
def test_killed_import_loses_nothing_it_acknowledged_and_leaves_nothing_twice_or_half(
    tmp_path: Path, home_no: int, import_pace: dict[str, float]
) -> None:
    chance = random.Random(home_no)
    story, kills = Story(Ledger(tmp_path / "home")), 0
    while kills < min(KILLS_PER_HOME, KILLS - home_no * KILLS_PER_HOME):
        number = len(story.deliveries)
        assert number < MOST_WINDOWS, "nearly every import was done before its instant came"
        delivery, aim = Delivery.write(tmp_path, number), AIMS[number % len(AIMS)]
        event = story.ledger.import_events()[aim]
        with story.ledger.start(*delivery.words) as child:
            end = kill(child, event, chance.random() * import_pace[aim])
        kills += end.killed
        story.check_and_go_on(delivery, end.printed)

    undisturbed = Ledger(tmp_path / "undisturbed")
    for delivery in story.deliveries:
        undisturbed.call(*delivery.words)
    story.check_books(undisturbed)


@dataclass(frozen=True)
class Turn:
    """A ledger with books and with facts that are not in them yet, and what a run makes of it."""

    ledger: Ledger
    before: tuple[str, ...]
    after: tuple[str, ...]
    partitions: int
    pace: dict[str, float]


@pytest.fixture(scope="module")
def turn(tmp_path_factory: pytest.TempPathFactory) -> Turn:
    folder = tmp_path_factory.mktemp("turn")
    ledger = Ledger(folder / "home")
    deliveries = [Delivery.write(folder, number) for number in range(6)]
    for delivery in deliveries[:4]:
        ledger.call(*delivery.words)
    ledger.make_books()
    for delivery in deliveries[4:]:
        ledger.call(*delivery.words)
    before, partitions = ledger.statements(), len(ledger._files(f"books/main/{MONTHS[0]}"))

    left_alone = ledger.copy(folder / "left-alone")
    events = left_alone.run_events(partitions)
    with left_alone.start("run") as child:
        pace = pace_of(child, events)
    return Turn(ledger, before, left_alone.statements(), partitions, pace)


@pytest.mark.parametrize("number", range(RUN_KILLS))
def test_killed_run_leaves_the_books_before_it_or_the_new_ones(
    tmp_path: Path, number: int, turn: Turn
) -> None:
    ledger, chance = turn.ledger.copy(tmp_path / "home"), random.Random(number)
    aim = ("written", "started", "started", "writing")[number % 4]
    event = ledger.run_events(turn.partitions)[aim]
    with ledger.start("--workers", "2" if number % 4 == 3 else "1", "run") as child:
        end = kill(child, event, chance.random() * turn.pace[aim])

    for month, found, before, after in zip(MONTHS, ledger.statements(), turn.before, turn.after, strict=True):
        assert found == after or (found == before and f"{month}: seq" not in end.notices)
        ledger.call("verify", "--month", month)
    with ledger.session() as session, session.database.read() as connection:
        heads = connection.execute(select(book_head.c.period, book_head.c.run_id).distinct()).all()
    assert sorted(period for period, _ in heads) == list(MONTHS)

    as_of = ("--as-of", str(json.loads(turn.after[0])["seq"]))
    assert ledger.call("statement", "--month", MONTHS[0], "--format", "json", *as_of) == turn.after[0]
    ledger.call("run")
    assert ledger.statements() == turn.after
    assert ledger.call("lake", "verify") == "the lake is what its rows say\n"
