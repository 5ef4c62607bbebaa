"""Money as a flow: what one thing that is paid for costs over which stretch, and when it is invoiced."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction

__all__ = ["HOUR_S", "QUANTA", "Flow", "Invoice", "Part"]

QUANTA = 10**9
"""Quanta in a dollar, the book's currency."""
HOUR_S = 3600


@dataclass(frozen=True)
class Part:
    """An amount over [start, end), evenly."""

    start_s: int
    end_s: int
    amount: Fraction


@dataclass(frozen=True)
class Invoice:
    """What is invoiced at an instant, and what of it is only the exchange rate of that day."""

    at_s: int
    amount: Fraction
    fx: Fraction


@dataclass(frozen=True)
class Flow:
    """What one thing costs. It goes to `nodes`, after the money of `follows`, or to `account`.

    While none of its nodes is there it goes to `absent`. A `meter` costs nothing while its node is not there.
    What is `late` is never prepaid.
    """

    name: str
    parts: tuple[Part, ...]
    invoices: tuple[Invoice, ...] = ()
    nodes: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    account: str = ""
    absent: str = "overhead"
    is_meter: bool = False
    is_late: bool = False
    is_recoverable: bool = False
    starts: tuple[int, ...] = field(default=(), compare=False)

    def between(self, start_s: int, end_s: int) -> Fraction:
        """What it costs over [start, end)."""
        total, place = Fraction(0), max(0, bisect_right(self.starts, start_s) - 1)
        for part in self.parts[place:]:
            if part.start_s >= end_s:
                break
            overlap = min(end_s, part.end_s) - max(start_s, part.start_s)
            if overlap > 0:
                total += part.amount * overlap / (part.end_s - part.start_s)
        return total

    @property
    def amount(self) -> Fraction:
        """All that it costs."""
        return sum((part.amount for part in self.parts), Fraction(0))
