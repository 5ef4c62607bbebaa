"""Statements: a run of a period as lines that add up, with what one must know to read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any, Protocol

from chargeback.cents import UNOWNED, Cell, cells_of
from chargeback.layers import DISTRIBUTED
from chargeback.ledger import Result
from chargeback.money_parts import NO_DEVICE, TICKS
from gpuledger.calendars import month_bounds
from gpuledger.instants import format_utc
from gpuledger.money import Currency, currency, half_up
from gpuledger.versions import Book

__all__ = [
    "HELD",
    "NO_DEVICE",
    "By",
    "Figures",
    "Line",
    "Restated",
    "RestatedLine",
    "Statement",
    "gpu_hours",
    "is_distributed",
    "key_of",
    "part_of",
    "places",
    "state_statement",
]

_CONTESTED = "__conflict__"

HELD = ("used", "idle_held", "held_unobserved")
"""The accounts of held time."""


class By(StrEnum):
    """What the lines of a statement are keyed by."""

    owner = "owner"
    team = "team"
    cost_centre = "cost_centre"
    model = "model"
    cluster = "cluster"


class _Keyed(Protocol):
    """What can be put on a line: a cell of money or a day of time."""

    @property
    def owner(self) -> str: ...
    @property
    def team(self) -> str: ...
    @property
    def cost_centre(self) -> str: ...
    @property
    def account(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def cluster(self) -> str: ...


@dataclass(frozen=True)
class Line:
    """A line: GPU time in ticks; `minor` and `quanta` are None where no price covers any of its time.

    `distributed` is how much of `minor` is for devices that nobody held; None where nothing is distributed.
    """

    key: str
    ticks: int
    minor: int | None
    quanta: int | None
    distributed: int | None = None


@dataclass(frozen=True)
class RestatedLine:
    """By how much a line of an earlier month changed: GPU time in ticks, quanta, minor units by cause.

    `distributed` is how much of the minor units is for devices that nobody held.
    """

    key: str
    ticks: int
    quanta: int
    causes: dict[str, int]
    distributed: int = 0

    @property
    def minor(self) -> int:
        """The difference in minor units."""
        return sum(self.causes.values())


@dataclass(frozen=True)
class Restated:
    """What a statement collects of an earlier month: its restatement of this name, known at `seq`."""

    name: str
    period: str
    number: int
    seq: int
    lines: tuple[RestatedLine, ...]

    @property
    def total(self) -> int:
        """The difference of the month in minor units."""
        return sum(line.minor for line in self.lines)

    @property
    def ticks(self) -> int:
        """The difference of the month's GPU time."""
        return sum(line.ticks for line in self.lines)


@dataclass(frozen=True)
class Figures:
    """GPU time in ticks that a reader must know of; `idle_free` is None where capacity is only assumed."""

    held: int
    observed: int
    unpriced: int
    contested: int
    orphaned: int
    idle_free: int | None


@dataclass(frozen=True)
class Statement:
    """What people get for a period: lines, their totals, and where they come from.

    `lines` and `total` are of the period itself; `restated` is what it collects of earlier, closed ones.
    """

    book: Book
    period: str
    state: str
    by: By
    seq: int
    currency: Currency
    total: int
    lines: list[Line]
    figures: Figures
    summary: dict[str, Any]
    pools: dict[str, tuple[Fraction, int]] = field(default_factory=dict)
    restated: tuple[Restated, ...] = ()

    @property
    def collected(self) -> int:
        """All that is charged with this statement, in minor units."""
        return self.total + sum(one.total for one in self.restated)

    @property
    def distributed(self) -> int | None:
        """How much of `total` is for devices that nobody held; None where nothing is distributed."""
        parts = [line.distributed for line in self.lines if line.distributed is not None]
        return sum(parts) if parts else None

    @property
    def ticks(self) -> int:
        """The GPU time of all lines."""
        return sum(line.ticks for line in self.lines)

    @property
    def collected_ticks(self) -> int:
        """The GPU time of all lines, with what is collected of earlier periods."""
        return self.ticks + sum(one.ticks for one in self.restated)

    @property
    def coverage(self) -> Decimal | None:
        """The part of held time for which activity is known, to four places; None where nothing is held."""
        return part_of(self.figures.observed, self.figures.held)

    @property
    def window(self) -> tuple[str, str]:
        """The half-open window of the period in UTC."""
        start_s, end_s = month_bounds(self.book.zone, self.period)
        return format_utc(start_s), format_utc(end_s)


def state_statement(book: Book, result: Result, by: By) -> Statement:
    """The statement of a run, its lines keyed by `by` in code-point order."""
    money = currency(book.currency)
    cells = cells_of(result, money)
    pools = {
        name: (exact / money.quantum, result.cents[name]) for name, exact in sorted(result.exact.items())
    }
    return Statement(
        book=book,
        period=result.period,
        state="open",
        by=by,
        seq=result.seq,
        currency=money,
        total=sum(cell.minor for cell in cells),
        lines=_lines(cells, result, key_of(by)),
        figures=_figures(result),
        summary=result.summary,
        pools=pools,
    )


def is_distributed(row: _Keyed) -> bool:
    """Whether money of an owner is for a device that nobody held."""
    return row.owner != UNOWNED and row.account not in HELD


def gpu_hours(ticks: int) -> Decimal:
    """Ticks as GPU-hours, six places, half up."""
    return places(Fraction(ticks, TICKS * 3600), 6)


def gpu_microseconds(ticks: int) -> int:
    """Ticks as whole microseconds of a GPU, half up."""
    return half_up(Fraction(ticks * 1_000_000, TICKS))


def part_of(part: int, whole: int) -> Decimal | None:
    """A part of a whole to four places, half up; None where there is no whole."""
    return places(Fraction(part, whole), 4) if whole else None


def places(value: Fraction, digits: int) -> Decimal:
    """A figure to so many places, half up."""
    return Decimal(half_up(value * 10**digits)).scaleb(-digits)


def key_of(by: By) -> Callable[[_Keyed], str]:
    """What gives a row its line: a cell of money, or a day of time."""
    if by in (By.model, By.cluster):
        return lambda row: getattr(row, by.value) or (f"__unknown_{by.value}__" if row.cluster else NO_DEVICE)
    if by is By.cost_centre:
        return lambda row: _account_key(row) or row.cost_centre or "__no_cost_centre__"
    return lambda row: _account_key(row) or getattr(row, by.value)


def _account_key(row: _Keyed) -> str:
    return f"__{row.account}__" if row.owner == UNOWNED else ""


def _lines(cells: Iterable[Cell], result: Result, key_of: Callable[[Any], str]) -> list[Line]:
    ticks: dict[str, int] = defaultdict(int)
    priced: set[str] = set()
    for row in result.times:
        ticks[key_of(row)] += row.ticks
        if row.unpriced_ticks < row.ticks:
            priced.add(key_of(row))
    minor: dict[str, int] = defaultdict(int)
    quanta: dict[str, int] = defaultdict(int)
    distributed: dict[str, int] = defaultdict(int)
    for cell in cells:
        minor[key_of(cell)] += cell.minor
        quanta[key_of(cell)] += cell.quanta
        if is_distributed(cell):
            distributed[key_of(cell)] += cell.minor
    anything = any(row.layer == DISTRIBUTED for row in result.entries)
    return [
        Line(key, ticks.get(key, 0), minor[key], quanta[key], distributed[key] if anything else None)
        if key in priced or key in minor
        else Line(key, ticks[key], None, None)
        for key in sorted(set(ticks) | set(minor))
        if ticks.get(key) or minor.get(key) or quanta.get(key)
    ]


def _figures(result: Result) -> Figures:
    held = [row for row in result.times if row.owner != UNOWNED]
    assumed = any(row.is_assumed for row in result.times)
    counted = any(not row.is_assumed for row in result.times)
    idle = sum(row.ticks for row in result.times if row.account == "idle_free")
    return Figures(
        held=sum(row.ticks for row in held),
        observed=sum(row.observed_ticks for row in held),
        unpriced=sum(row.unpriced_ticks for row in result.times) + result.summary.get("uncovered_ticks", 0),
        contested=sum(row.ticks for row in held if row.owner == _CONTESTED),
        orphaned=sum(result.summary["orphaned_ticks"].values()),
        idle_free=None if assumed and not counted else idle,
    )
