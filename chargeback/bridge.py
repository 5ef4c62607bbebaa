"""The bridge from a month as it was closed to the same month as it is known now: cause by cause, to the cent.

A restatement is a rounding pool of its own: its exact total is rounded once and its cents go to teams, keys,
accounts and so on down to causes. So whoever has no difference keeps their cents, and the causes of a line
add up to its difference. What a fresh computation rounds otherwise is the last column, and is booked nowhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from chargeback.differences import Step
from chargeback.layers import is_charged
from chargeback.statement import By, Line, RestatedLine, Statement, is_distributed, key_of
from gpuledger.money import Currency, half_up, nested_cents

__all__ = ["Bridge", "BridgeLine", "RestatedCell", "bridge_between", "restated_cells", "restated_lines"]

_Key = tuple[tuple[str, str], str, str, tuple[str, str, str], str]


@dataclass(frozen=True, order=True)
class RestatedCell:
    """The finest difference that has cents of its own: `quanta` as booked, `minor` in minor units."""

    team: str
    cost_centre: str
    owner: str
    account: str
    state: str
    model: str
    cluster: str
    cause: str
    quanta: int
    minor: int


def restated_cells(steps: Iterable[Step], exact: Fraction, currency: Currency) -> list[RestatedCell]:
    """The differences of what is charged and distributed, with their cents.

    The cents come to `exact`, which is in quanta, rounded once.
    """
    amounts: dict[_Key, int] = defaultdict(int)
    for step in steps:
        for row in step.entries:
            if is_charged(row):
                place = (row.state, row.model, row.cluster)
                amounts[(row.team, row.cost_centre), row.owner, row.account, place, step.cause] += row.amount
    total = half_up(exact / currency.quanta_per_minor)
    cents = nested_cents(amounts, currency, total) if amounts else {}
    return [
        RestatedCell(*team, owner, account, *place, cause, amounts[team, owner, account, place, cause], minor)
        for (team, owner, account, place, cause), minor in cents.items()
    ]


def restated_lines(cells: Iterable[RestatedCell], steps: Iterable[Step], by: By) -> list[RestatedLine]:
    """A restatement's lines, keyed as a statement's, in code-point order; none that does not change."""
    key: Callable[[Any], str] = key_of(by)
    minor: dict[str, Counter[str]] = defaultdict(Counter)
    quanta: Counter[str] = Counter()
    ticks: Counter[str] = Counter()
    distributed: Counter[str] = Counter()
    for cell in cells:
        minor[key(cell)][cell.cause] += cell.minor
        quanta[key(cell)] += cell.quanta
        distributed[key(cell)] += cell.minor if is_distributed(cell) else 0
    for step in steps:
        for row in step.times:
            ticks[key(row)] += row.ticks
    lines = [
        RestatedLine(
            name,
            ticks[name],
            quanta[name],
            {cause: n for cause, n in minor[name].items() if n},
            distributed[name],
        )
        for name in sorted({*minor, *ticks})
    ]
    return [line for line in lines if line.ticks or line.quanta or line.causes]


@dataclass(frozen=True)
class BridgeLine:
    """A line of a bridge: `before` and `fresh` in minor units, None where nothing of it has a price.

    `causes` gives what each changed, in minor units; `ticks` is GPU time before and after.
    """

    key: str
    ticks: tuple[int, int]
    before: int | None
    causes: dict[str, int]
    fresh: int | None

    @property
    def after(self) -> int:
        """The line as restated: what it was, and what each cause changed."""
        return (self.before or 0) + sum(self.causes.values())

    @property
    def rounding(self) -> int:
        """What a fresh computation rounds otherwise; it is booked nowhere."""
        return (self.fresh or 0) - self.after


@dataclass(frozen=True)
class Bridge:
    """A bridge by some view: every line that either side has, the causes in the order they were taken."""

    period: str
    by: By
    currency: Currency
    seqs: tuple[int, int]
    causes: tuple[str, ...]
    lines: tuple[BridgeLine, ...]

    @property
    def totals(self) -> BridgeLine:
        """The sums of all lines."""
        return BridgeLine(
            key="total",
            ticks=(sum(line.ticks[0] for line in self.lines), sum(line.ticks[1] for line in self.lines)),
            before=sum(line.before or 0 for line in self.lines),
            causes={name: sum(line.causes.get(name, 0) for line in self.lines) for name in self.causes},
            fresh=sum(line.fresh or 0 for line in self.lines),
        )


def bridge_between(
    before: Statement, changes: Sequence[RestatedLine], causes: Sequence[str], fresh: Statement
) -> Bridge:
    """The bridge from a statement over what causes changed to a fresh one, all in one view."""
    old, new = ({line.key: line for line in made.lines} for made in (before, fresh))
    changed = {line.key: line for line in changes}
    return Bridge(
        period=before.period,
        by=before.by,
        currency=before.currency,
        seqs=(before.seq, fresh.seq),
        causes=tuple(causes),
        lines=tuple(
            _line(key, old.get(key), changed.get(key), new.get(key)) for key in sorted({*old, *changed, *new})
        ),
    )


def _line(key: str, old: Line | None, changed: RestatedLine | None, new: Line | None) -> BridgeLine:
    return BridgeLine(
        key=key,
        ticks=(old.ticks if old else 0, new.ticks if new else 0),
        before=old.minor if old else 0,
        causes=dict(changed.causes) if changed else {},
        fresh=new.minor if new else 0,
    )
