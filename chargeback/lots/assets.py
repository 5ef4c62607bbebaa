"""Straight-line depreciation by calendar days: exact amounts, the last of which is the remainder.

A month's charge is what is left to write off by the units that are left: months, or days of the whole life.
A change acts from its day on; what was charged before it stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

from chargeback.lots.calendar import add_months, next_month_start
from chargeback.lots.conversion import exact
from chargeback.lots.details import Asset, Change
from gpuledger.errors import InputError

__all__ = ["Charge", "Schedule", "schedule"]


@dataclass(frozen=True)
class Charge:
    """An amount in major units, charged evenly over the days `[begins, ends)`, which lie in one month."""

    begins: date
    ends: date
    amount: Fraction


@dataclass(frozen=True)
class Schedule:
    """What an asset costs: its charges, impairments in the months they are booked in, and what is left.

    `ends` is the day from which on nothing is charged; `left` the book value then, which a disposal takes.
    """

    charges: tuple[Charge, ...]
    impairments: tuple[Charge, ...]
    ends: date
    left: Fraction


@dataclass
class _Life:
    """What is left of an asset at the day that its charges have reached."""

    asset: Asset
    day: date
    ends: date
    units: Fraction
    book: Fraction
    residual: Fraction


def schedule(asset: Asset, cost: str) -> Schedule:
    """What an asset of this cost is charged at, over its life or until its disposal.

    Raises `InputError`, without a place, for a change outside of the life or a residual above what is left.
    """
    life = _begun(asset, cost)
    disposed = date.fromisoformat(asset.disposal.day) if asset.disposal else date.max
    if disposed < life.day:
        raise InputError(
            f"it is disposed of on {disposed}, before it is in service", mend="write a later day"
        )
    charges: list[Charge] = []
    impairments: list[Charge] = []
    for change in asset.changes:
        day = date.fromisoformat(change.day)
        _refuse_outside(life, day, disposed)
        charges += _charges(life, day)
        impairments += _changed(life, change)
    charges += _charges(life, min(life.ends, disposed))
    return Schedule(tuple(charges), tuple(impairments), min(life.ends, disposed), life.book)


def _begun(asset: Asset, cost: str) -> _Life:
    first = date.fromisoformat(asset.in_service)
    ends = add_months(first, asset.life_months)
    if asset.convention == "full_month":
        ends = ends.replace(day=1)
    elif asset.convention == "half_month" and first.day == 1:
        ends = next_month_start(ends)
    life = _Life(asset, first, ends, Fraction(0), exact(cost), exact(asset.residual))
    life.units = _life_units(life, asset.life_months)
    _refuse_residual(life, "cost")
    return life


def _life_units(life: _Life, months: int) -> Fraction:
    by_days = life.asset.convention == "whole_life_days"
    return Fraction((life.ends - life.day).days if by_days else months)


def _charges(life: _Life, until: date) -> Iterator[Charge]:
    """The charges up to a day, month by month; `life` goes along."""
    while life.day < until:
        stop = min(until, next_month_start(life.day))
        units = _units(life, stop)
        left = life.book - life.residual
        amount = left if stop == life.ends else left * units / life.units
        yield Charge(life.day, stop, amount)
        life.book -= amount
        life.units -= units
        life.day = stop


def _units(life: _Life, stop: date) -> Fraction:
    """How many of the units left lie in [day, stop), which is in one month."""
    length, following = (stop - life.day).days, next_month_start(life.day)
    if life.ends <= following:  # the last month has what is left, evenly
        return life.units * length / (life.ends - life.day).days
    if life.asset.convention == "whole_life_days":
        return Fraction(length)
    begun = max(life.day.replace(day=1), date.fromisoformat(life.asset.in_service))
    return _month_units(life.asset, begun) * length / (following - begun).days


def _month_units(asset: Asset, begun: date) -> Fraction:
    """How many months the rest of one counts as, in which an asset is in service from a day on."""
    first = begun.replace(day=1)
    if asset.convention == "actual_days":
        following = next_month_start(first)
        return Fraction((following - begun).days, (following - first).days)
    if asset.convention == "30_360":
        return Fraction(31 - min(begun.day, 30), 30)
    is_first = date.fromisoformat(asset.in_service) >= first
    return Fraction(1, 2) if is_first and asset.convention == "half_month" else Fraction(1)


def _changed(life: _Life, change: Change) -> Iterator[Charge]:
    """Let a change act on what is left; give its impairment."""
    if change.impairment:
        amount = exact(change.impairment)
        life.book -= amount
        yield Charge(life.day, next_month_start(life.day), amount)
    if change.residual:
        life.residual = exact(change.residual)
    if change.remaining_months:
        life.ends = add_months(life.day, change.remaining_months)
        life.units = _life_units(life, change.remaining_months)
    _refuse_residual(life, f"book value on {life.day}")


def _refuse_outside(life: _Life, day: date, disposed: date) -> None:
    if not life.day < day < min(life.ends, disposed):
        raise InputError(
            f"a change from {day} on is not inside its life, after {life.day} and before "
            f"{min(life.ends, disposed)}",
            mend="write changes in the order of their days, each while something is left to write off",
        )


def _refuse_residual(life: _Life, what: str) -> None:
    if life.residual > life.book:
        raise InputError(
            f"the residual {_text(life.residual)} is above the {what}, {_text(life.book)}",
            mend="write a residual that is not above what is left",
        )


def _text(value: Fraction) -> str:
    return f"{Decimal(value.numerator) / value.denominator:.2f}"
