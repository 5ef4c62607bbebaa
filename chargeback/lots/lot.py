"""A lot as the price pass takes it: exact amounts over stretches of time, in the book's currency."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Literal

__all__ = ["Invoiced", "Lot", "Segment", "Target", "truncated"]

LotClass = Literal["estimate", "billed", "internal"]


@dataclass(frozen=True, slots=True)
class Segment:
    """An amount recognised evenly over `[from_s, to_s)`, UTC seconds; exact, in quanta of the book."""

    from_s: int
    to_s: int
    amount: Fraction


@dataclass(frozen=True)
class Invoiced:
    """What is invoiced at an instant, UTC seconds: exact, in quanta of the book; `number` '' is not known.

    `fx` is what of the amount is the difference between the rate of the invoice's day and the rates at which
    what it settles is recognised: 0 in the book's own currency.
    """

    at_s: int
    amount: Fraction
    number: str = ""
    fx: Fraction = Fraction(0)

    @property
    def settles(self) -> Fraction:
        """What it settles of what is recognised."""
        return self.amount - self.fx


@dataclass(frozen=True)
class Target:
    """What a lot pays for.

    `slots`: patterns by what a slot and its node say of themselves (see `chargeback.places.MATCHED_BY`), all
    of which must fit; `lots`: patterns of the names of other lots and meters, whose money it follows. Both
    empty: nothing physical, and all of it goes to `account`.
    """

    slots: Mapping[str, Sequence[str]] | None = None
    lots: Sequence[str] = ()
    account: str = "shared"


@dataclass(frozen=True)
class Lot:
    """A lot: what is recognised when, what it pays for, and what was invoiced.

    `segments` are in order, and may leave gaps but not overlap. `kind` is that of a `LotFact`, or `invoice`
    for a line of a bill. Where no slot of its target is there, its money goes to `absent`. With `covers` it
    is the price of its slots, so that no meter is in force on them. With `supersedes` it takes the place of
    what meters make of its slots, and is split by their weights. `said` is what a reader is told of it.
    """

    name: str
    kind: str
    lot_class: LotClass
    rounding_pool: str
    segments: tuple[Segment, ...]
    target: Target
    invoices: tuple[Invoiced, ...] = ()
    absent: str = "overhead"
    covers: bool = False
    supersedes: bool = False
    currency: str = ""
    said: str = ""

    @property
    def from_s(self) -> int:
        """The first instant at which anything of it is recognised."""
        return self.segments[0].from_s

    @property
    def to_s(self) -> int:
        """The instant from which on all of it is recognised."""
        return self.segments[-1].to_s

    @cached_property
    def amount(self) -> Fraction:
        """All that is ever recognised of it."""
        return self._reached[-1]

    @cached_property
    def _reached(self) -> tuple[Fraction, ...]:
        """What is recognised of it before each of its segments."""
        return tuple(accumulate((one.amount for one in self.segments), initial=Fraction(0)))

    def recognised_to(self, at_s: int) -> Fraction:
        """What is recognised of it before an instant, exact."""
        place = bisect_right(self.segments, at_s, key=lambda one: one.from_s) - 1
        if place < 0:
            return Fraction(0)
        one = self.segments[place]
        if at_s >= one.to_s:
            return self._reached[place + 1]
        return self._reached[place] + one.amount * (at_s - one.from_s) / (one.to_s - one.from_s)

    def recognised(self, from_s: int, to_s: int) -> int:
        """What is recognised over a stretch, in whole quanta: the parts of any cut add up to the whole."""
        return truncated(self.recognised_to(to_s)) - truncated(self.recognised_to(from_s))

    def invoiced_to(self, at_s: int) -> Fraction:
        """What the invoices up to an instant, itself included, settle, exact."""
        return sum((one.settles for one in self.invoices if one.at_s <= at_s), Fraction(0))


def truncated(value: Fraction) -> int:
    """The whole quanta of an exact amount, towards zero."""
    return -(-value.numerator // value.denominator) if value < 0 else value.numerator // value.denominator
