"""The books of a month of a random fleet: made in a home of their own, and read back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar
from unittest.mock import patch

from deliveries import deliver
from fleets import MONTH_ENDS, Fleet, fleets
from house import House, make_house
from hypothesis import seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

import chargeback.causes
import chargeback.frozen_facts
import chargeback.period_terms
import chargeback.runs
from chargeback.ledger import Result
from chargeback.printing import as_csv, as_json
from chargeback.statement import By, Statement, state_statement
from gpuledger.calendars import month_bounds
from gpuledger.versions import Book, Database

__all__ = [
    "ZONES",
    "Books",
    "Month",
    "Row",
    "books_of",
    "few",
    "fewest",
    "home_of",
    "make",
    "months",
    "of_the_same_months",
    "printed",
    "random_of",
    "several",
    "statement_of",
    "total",
]

Test = Callable[..., None]
K = TypeVar("K", bound=Hashable)
Row = dict[str, Any]

ZONES = [end.zone for end in MONTH_ENDS]
SIDES = st.sampled_from(("before", "after"))

several = settings(max_examples=settings().max_examples // 20)
few = settings(max_examples=settings().max_examples // 40)
fewest = settings(max_examples=settings().max_examples // 80)
"""One example where other properties have so many: each makes books, once or more, of up to six clusters."""


def of_the_same_months(test: Test) -> Test:
    """Where examples are not random, all these tests have the same, and their books are made once."""
    return seed(20261101)(test) if settings().derandomize else test


class Month(NamedTuple):
    """A month of a fleet, [start, end) cut to the fleet's window, and the layer that is charged."""

    fleet: Fleet
    charged: str
    name: str
    start_s: int
    end_s: int


@st.composite
def months(draw: DrawFn, zones: Collection[str] = ZONES, sides: SearchStrategy[str] = SIDES) -> Month:
    """The end of one month, or the beginning of the next."""
    ends = [end for end in MONTH_ENDS if end.zone in zones]
    fleet = draw(fleets(ends).filter(lambda fleet: bool(fleet.holdings)))
    charged = draw(st.sampled_from(("recognised", "pooled")))
    end = fleet.month_end
    if draw(sides) == "after":
        return Month(fleet, charged, end.after, end.at_s, fleet.end_s)
    return Month(fleet, charged, end.before, fleet.start_s, end.at_s)


def random_of(month: Month) -> Random:
    """Random choices that are the same whenever the month is."""
    return Random(repr(month))


@dataclass(frozen=True)
class Books:
    """A month's books: what the database keeps, and the rows of their files."""

    result: Result
    entries: list[Row]
    times: list[Row]

    @property
    def rows(self) -> list[Any]:
        """All rows in order, with each partition's number and sum of entries."""
        partitions = [(one.day, one.shard, one.rows, one.sum_amount) for one in self.result.partitions]
        return [*self.entries, *self.times, *partitions]


@contextmanager
def home_of(month: Month, zone: str = "", shards: int = 1) -> Iterator[House]:
    """A home, with months cut to the fleet's window: weeks of idle days take time and show nothing."""
    fleet = month.fleet

    def bounds(zone: str, name: str) -> tuple[int, int]:
        start_s, end_s = month_bounds(zone, name)
        return max(start_s, fleet.start_s), min(end_s, fleet.end_s)

    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        modules = (chargeback.causes, chargeback.frozen_facts, chargeback.period_terms, chargeback.runs)
        for module in modules:
            stack.enter_context(patch.object(module, "month_bounds", bounds))
        Path(folder, "gpuledger.db").write_bytes(_empty_database())
        house = make_house(Path(folder), zone or fleet.month_end.zone, month.charged, shards)
        try:
            yield house
        finally:
            house.desk.database.close()


@lru_cache(maxsize=1)
def _empty_database() -> bytes:
    """The file of a new database: to copy it is quicker than to migrate each one."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "gpuledger.db")
        Database.open(f"sqlite:///{path}").close()
        return path.read_bytes()


def make(house: House, month: Month, seq: int | None = None, workers: int = 1) -> Books:
    """Make a month's books as known at a seq, by default now."""
    result = house.books(month.name, seq, workers)
    entries = house.rows_of("recognised_entry", month.name) + house.rows_of("entry", month.name)
    return Books(result, entries, house.rows_of("time_row", month.name))


@lru_cache(maxsize=16)
def books_of(month: Month) -> Books:
    """The books of a month whose facts all came at once."""
    with home_of(month) as house:
        deliver(house, month.fleet)
        return make(house, month)


def statement_of(month: Month, result: Result, by: By) -> Statement:
    """The statement of a month's books."""
    return state_statement(Book("main", month.fleet.month_end.zone, "USD", 1, month.charged), result, by)


def printed(month: Month, result: Result, seq: int | None = None) -> str:
    """The statement's bytes, if asked as of another seq."""
    made = statement_of(month, result if seq is None else replace(result, seq=seq), By.owner)
    return as_json(made) + as_csv(made)


def total(pairs: Iterable[tuple[K, Any]]) -> dict[K, Any]:
    """Sums by key, without those that are 0."""
    sums: dict[K, Any] = defaultdict(int)
    for key, amount in pairs:
        sums[key] += amount
    return {key: amount for key, amount in sums.items() if amount}
