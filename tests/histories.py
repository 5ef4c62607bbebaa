"""What becomes known of the closed months of a random fleet, and what restating them comes to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from deliveries import corrected, dealt, deliver
from fleets import MONTH_ENDS, RATES, Fleet, fleets
from house import House, at
from hypothesis import seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from months import Month as MonthOfFleet
from months import Row, home_of, random_of

from chargeback.bridge import Bridge
from chargeback.causes import CAUSES
from chargeback.checks import FAILED
from chargeback.closing import Asked, close_period
from chargeback.differences import Step
from chargeback.frozen_statement import thaw_statement
from chargeback.ledger import Result, load_run, run_in_force
from chargeback.obstacles import Signable
from chargeback.policies import CHOICES, DISTRIBUTABLE, FALLBACK, distributing
from chargeback.printing import as_csv, as_json
from chargeback.restated import as_restated, bridges_of, collecting
from chargeback.restatements import Restatement, load_steps
from chargeback.restating import AskedAgain, Ground, ground_of, restate
from chargeback.statement import By, Statement, state_statement
from chargeback.verify import verify_database, verify_period
from gpuledger.calendars import next_month
from gpuledger.lake.arrow import pq
from gpuledger.versions import (
    entitlements_in_force,
    withdraw_entitlements,
    withdraw_owners,
    withdraw_policies,
    withdraw_prices,
    withdraw_rules,
)

__all__ = ["History", "Outcome", "Restated", "histories", "of_the_same_histories", "outcome_of"]

Test = Callable[..., None]

NOW = at("2027-02-01T00:00Z")
KINDS = ("late", "usage", "withdrawn", "owner", "rule", "price", "policy", "back")
"""What may become known: what was kept back, corrections, terms, and that all is as it was."""
MATCHES = ({"owner_key": ["u*"]}, {"owner_key": ["u1", "u3"]}, {"cluster": ["c0"]}, {"cluster": ["*"]})
TEAMS = ("t1", "t4", "u2")
POLICIES = ("unmatched_owner", FALLBACK, *map(distributing, DISTRIBUTABLE))


class News(NamedTuple):
    """What becomes known in a commit each, then a restatement with its order, then perhaps a close."""

    kinds: tuple[str, ...]
    order: tuple[str, ...]
    closes: bool


class History(NamedTuple):
    """A fleet's month that is closed (`month`), and what becomes known of it and of the month after it."""

    month: MonthOfFleet
    shards: int
    news: tuple[News, ...]
    another_order: tuple[str, ...]


def of_the_same_histories(test: Test) -> Test:
    """Where examples are not random, all these tests have the same two, and their books are made once.

    There each cause changes something, two months are restated, and one of them twice; a layer each.
    """
    return seed(296)(test) if settings().derandomize else test


_ORDERS = st.permutations(CAUSES).map(tuple)
_HEARD = st.lists(st.sampled_from(KINDS), min_size=1, max_size=4, unique=True).map(tuple)
_NEWS = st.builds(News, _HEARD, _ORDERS, st.booleans())


@st.composite
def histories(draw: DrawFn) -> History:
    """One or two restatements of a fleet's month, and of the next where that is closed between them."""
    fleet = draw(fleets(MONTH_ENDS, 2).filter(lambda fleet: len(fleet.holdings) > 2))
    end = fleet.month_end
    charged = draw(st.sampled_from(("recognised", "pooled")))
    return History(
        MonthOfFleet(fleet, charged, end.before, fleet.start_s, end.at_s),
        draw(st.sampled_from((1, 1, 2))),
        tuple(draw(st.lists(_NEWS, min_size=1, max_size=2))),
        draw(_ORDERS),
    )


@dataclass(frozen=True)
class Restated:
    """A closed month: as it was closed, all its restatements, and a fresh computation of what is known.

    `printed` are the bytes of its closed statement in every view, just after the close and at the end;
    `entries` the rows of the files of the closed books, of the restatements and of the fresh computation.
    """

    closed: Result
    restatements: tuple[tuple[Restatement, tuple[Step, ...]], ...]
    fresh: Result
    before: dict[By, Statement]
    after: dict[By, Statement]
    after_in_another_order: dict[By, Statement]
    bridges: dict[By, list[Bridge]]
    printed: tuple[str, str]
    entries: tuple[list[Row], list[Row], list[Row]]


@dataclass(frozen=True)
class Outcome:
    """All closed months of a history, what all months charge, and which checks fail.

    `charged` and `restated` are in minor units: Σ of what statements charge, Σ of what months are known as.
    """

    months: tuple[Restated, ...]
    charged: dict[By, int]
    restated: dict[By, int]
    failed: tuple[str, ...]


@lru_cache(maxsize=16)
def outcome_of(history: History) -> Outcome:
    """What comes of a history."""
    month = history.month
    with home_of(month, shards=history.shards) as house:
        return _Teller(house, history).tell()


class _Teller:
    """Lets a history happen in a home."""

    def __init__(self, house: House, history: History) -> None:
        self.house, self.history = house, history
        self.fleet, self.first = history.month.fleet, history.month.name
        self.random = random_of(history.month)
        self.closed: list[str] = []
        self.printed: dict[str, str] = {}

    @property
    def following(self) -> str:
        return next_month(self.first)

    def tell(self) -> Outcome:
        early, late = _early_and_late(self.fleet, self.random)
        deliver(self.house, early)
        if self.random.random() < 0.5:
            self.choose("policy")
        self.close(self.first)
        for news in self.history.news:
            for kind in news.kinds:
                self.hear(kind, early, late)
            for period in self.closed:
                self.restate(period, news.order)
            if news.closes and self.following not in self.closed:
                self.close(self.following)
        return self.outcome()

    def close(self, period: str) -> None:
        self.house.books(period)
        asked = Asked("ann", NOW, signed=frozenset(Signable), reason="as it is")
        close_period(self.house.desk, period, asked, f"close-{period}")
        self.closed.append(period)
        self.printed[period] = self.bytes_of(period)

    def hear(self, kind: str, early: Fleet, late: Fleet) -> None:
        """Commit what becomes known."""
        known = corrected(self.fleet, self.random)
        nothing = Fleet(self.fleet.month_end)
        if kind in ("late", "back"):
            deliver(self.house, late if kind == "late" else early)
        elif kind == "usage":
            deliver(self.house, replace(known.versions, owners=(), prices=()))
        elif kind == "withdrawn":
            deliver(self.house, known.withdrawn, withdrawn=True)
        elif kind == "owner":
            owners = [replace(fact, team=self.random.choice(TEAMS)) for fact in self.fleet.owners]
            deliver(self.house, replace(nothing, owners=tuple(owners)))
        elif kind == "price":
            prices = [replace(fact, rate=self.random.choice(RATES)) for fact in self.fleet.prices]
            deliver(self.house, replace(nothing, prices=tuple(prices)))
        else:
            self.choose(kind)
        if kind in ("withdrawn", "back"):
            self.withdraw(everything=kind == "back")

    def choose(self, kind: str) -> None:
        random, fleet = self.random, self.fleet
        if kind == "rule":
            end_s = random.choice((None, random.randint(fleet.start_s, fleet.end_s)))
            self.house.rule(random.randrange(3), random.choice(TEAMS), end=end_s, **random.choice(MATCHES))
        else:
            policy = random.choice(POLICIES)
            self.house.policy(policy, random.choice(CHOICES[policy]))
            start_s = random.choice((0, random.randint(fleet.start_s, fleet.end_s)))
            self.entitle(random.choice(TEAMS), random.randint(1, 5), start_s)
        self.house.keep()

    def entitle(self, team: str, units: int, start_s: int) -> None:
        """Say what a team may use, in place of all that was said of it."""
        with self.house.desk.database.commit("test", at_s=0) as commit:
            known = entitlements_in_force(commit.connection, commit.seq)
            withdraw_entitlements(commit, [fact.identity for fact in known if fact.team == team])
        self.house.entitlement(team, units, start_s)

    def withdraw(self, *, everything: bool) -> None:
        """Take terms back: those that came after the first delivery, or some of all."""
        rules = [f"{json.dumps(one, separators=(',', ':'))}@0" for one in MATCHES]
        with self.house.desk.database.commit("test", at_s=0) as commit:
            if everything:
                withdraw_rules(commit, rules)
                withdraw_policies(commit, [f"{policy}@0" for policy in POLICIES])
                known = entitlements_in_force(commit.connection, commit.seq)
                withdraw_entitlements(commit, [fact.identity for fact in known])
            else:
                withdraw_rules(commit, self.some(rules))
                withdraw_owners(commit, self.some([fact.identity for fact in self.fleet.owners]))
                withdraw_prices(commit, self.some([fact.identity for fact in self.fleet.prices]))

    def some(self, names: list[str]) -> list[str]:
        return [name for name in names if self.random.random() < 0.3]

    def restate(self, period: str, order: tuple[str, ...]) -> None:
        self.house.runs += 1
        asked = AskedAgain("ann", NOW, order)
        restate(self.house.desk, ground_of(self.house.desk, period), asked, f"r{self.house.runs}")

    def outcome(self) -> Outcome:
        months = tuple(self.restated(period) for period in self.closed)
        charged = {by: self.charged(by) for by in By}
        known = {by: self.known(by) for by in By}
        return Outcome(months, charged, known, tuple(self.failed()))

    def failed(self) -> Iterator[str]:
        for period in self.closed:
            with self.house.desk.database.read() as connection:
                result = load_run(connection, ground_of(self.house.desk, period).close.run_id)
            for check in verify_period(self.house.desk, period, result):
                if check.status == FAILED:
                    yield f"{period}: {check.says} ({check.figures})"
        yield from (one.says for one in verify_database(self.house.desk.database) if one.status == FAILED)

    def charged(self, by: By) -> int:
        """What three months' statements charge; nothing happens in the third but what it collects."""
        return sum(self.statement(period, by).collected for period in self.periods)

    def known(self, by: By) -> int:
        """What three months are known as: as restated, or as they are where they are open."""
        return sum(
            self.as_restated(period, by).total if period in self.closed else self.statement(period, by).total
            for period in self.periods
        )

    @property
    def periods(self) -> tuple[str, str, str]:
        return self.first, self.following, next_month(self.following)

    def statement(self, period: str, by: By) -> Statement:
        if period in self.closed:
            return thaw_statement(ground_of(self.house.desk, period).close.statement, by)
        with self.house.desk.database.read() as connection:
            return collecting(connection, self.open_statement(period, by))

    def open_statement(self, period: str, by: By) -> Statement:
        if period != self.following:
            closed = self.statement(self.first, by)
            return replace(closed, period=period, total=0, lines=[], restated=(), state="open")
        with self.house.desk.database.read() as connection:
            run_id = run_in_force(connection, "main", period)
        result = self.house.books(period) if run_id is None else self.load(run_id)
        return state_statement(self.house.desk.book, result, by)

    def load(self, run_id: str) -> Result:
        with self.house.desk.database.read() as connection:
            return load_run(connection, run_id)

    def as_restated(self, period: str, by: By) -> Statement:
        with self.house.desk.database.read() as connection:
            return as_restated(connection, ground_of(self.house.desk, period), by)

    def bytes_of(self, period: str) -> str:
        views = [self.statement(period, by) for by in By]
        return "".join(as_json(made) + as_csv(made) for made in views)

    def restated(self, period: str) -> Restated:
        fresh = self.house.books_aside(period)
        ground = ground_of(self.house.desk, period)
        with self.house.desk.database.read() as connection:
            steps = [tuple(load_steps(connection, one)) for one in ground.counted]
            bridges = {by: bridges_of(connection, ground, by) for by in By}
        after = {by: self.as_restated(period, by) for by in By}
        entries = self.files_of(ground, fresh)
        self.restate(period, self.history.another_order)
        return Restated(
            closed=self.load(ground.close.run_id),
            restatements=tuple(zip(ground.counted, steps, strict=True)),
            fresh=fresh,
            before={by: self.statement(period, by) for by in By},
            after=after,
            after_in_another_order={by: self.as_restated(period, by) for by in By},
            bridges=bridges,
            printed=(self.printed[period], self.bytes_of(period)),
            entries=entries,
        )

    def files_of(self, ground: Ground, fresh: Result) -> tuple[list[Row], list[Row], list[Row]]:
        names = [f"restatement={one.id}" for one in ground.counted]
        root = self.house.desk.books / "main" / ground.close.period
        return (
            _rows(root, f"*/*/run={ground.close.run_id}/*entry.parquet"),
            [row for name in names for row in _rows(root, f"restated/*/*/{name}/*.parquet")],
            _rows(root, f"*/*/run={fresh.run_id}/*entry.parquet"),
        )


def _early_and_late(fleet: Fleet, random: Random) -> tuple[Fleet, Fleet]:
    """What is known at the close, some holding at the least, and what is kept back."""
    early, late = dealt(fleet, 2, random) if random.random() < 0.5 else (fleet, fleet)
    return replace(early, holdings=early.holdings or fleet.holdings[:1]), late


def _rows(root: Path, pattern: str) -> list[Row]:
    paths = sorted(root.glob(pattern))
    return [row for path in paths for row in pq.read_table(path, partitioning=None).to_pylist()]
