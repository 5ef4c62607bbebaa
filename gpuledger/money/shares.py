"""Exact shares of an amount: by weight, by running differences, by largest remainder, by time."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from gpuledger.errors import InputError, InvariantError
from gpuledger.money.currencies import Currency

__all__ = [
    "Sortable",
    "half_up",
    "largest_remainder",
    "meter_amount",
    "rate_per_second",
    "recognised_to",
    "running_split",
    "share",
    "split_phase",
]


class Sortable(Protocol):
    """A key that has an order: text by code point, integers, tuples of these."""

    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=Sortable)


def half_up(value: Fraction) -> int:
    """Round to the nearest whole number, halves away from zero."""
    rounded = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return -rounded if value < 0 else rounded


def share(amount: int, weight: int, total: int) -> int:
    """The share of `amount` that `weight` of `total` takes: its absolute value floored, the sign restored.

    Written so that no product exceeds `total`^2: 64-bit SQL yields the same integer while `total`^2 < 2^63.
    """
    if total <= 0 or weight < 0:
        raise InvariantError(
            f"weight {weight} of {total} is no share",
            mend="weights are 0 or more, and their total is above 0",
        )
    whole, rest = divmod(abs(amount), total)
    part = whole * weight + rest * weight // total
    return -part if amount < 0 else part


def split_phase(hour: int, slot_no: int, total: int) -> int:
    """The offset of a running split, (hour + 7919 slot_no) 2654435761 mod total: no key is always first."""
    return (hour + 7919 * slot_no) * 2654435761 % total


def running_split(amount: int, weights: Mapping[K, int], phase: int = 0) -> dict[K, int]:
    """Split `amount` by `weights` as differences of one running sum, in the order of the keys.

    With C the running weight and W its total, key k takes (a C_k + phase) // W - (a C_k-1 + phase) // W of
    the absolute amount, sign restored: each within one quantum of its exact share, together the amount.
    """
    total = _weight_total(amount, weights)
    sign = -1 if amount < 0 else 1
    offset = phase % total
    parts: dict[K, int] = {}
    running = before = 0
    for key in sorted(weights):
        running += weights[key]
        reached = (abs(amount) * running + offset) // total
        parts[key] = sign * (reached - before)
        before = reached
    return parts


def largest_remainder(amount: int, weights: Mapping[K, int]) -> dict[K, int]:
    """Split `amount` by `weights`; odd quanta go to the largest remainders, ties by key.

    A negative amount is split by its absolute value, the sign restored.
    """
    total = _weight_total(amount, weights)
    sign = -1 if amount < 0 else 1
    products = {key: abs(amount) * weights[key] for key in sorted(weights)}
    parts = {key: product // total for key, product in products.items()}
    ranked = sorted(products, key=lambda key: -(products[key] % total))
    for key in ranked[: abs(amount) - sum(parts.values())]:
        parts[key] += 1
    return {key: sign * part for key, part in parts.items()}


def _weight_total(amount: int, weights: Mapping[K, int]) -> int:
    """The sum of the weights, and 1 where it is 0 and there is nothing to split."""
    if any(weight < 0 for weight in weights.values()):
        raise InvariantError(
            "a weight below 0 cannot split an amount", mend="split a credit by the weights of what it credits"
        )
    total = sum(weights.values())
    if amount and not total:
        raise InvariantError(
            f"{amount} quanta have no weight to be split by", mend="name a fallback for the split"
        )
    return total or 1


def rate_per_second(rate: Decimal, cur: Currency, per_seconds: int = 3600) -> Fraction:
    """A rate per `per_seconds` seconds (an hour by default) as exact quanta per second."""
    if per_seconds <= 0:
        raise InputError(
            f"a rate per {per_seconds} seconds means nothing", mend="give a length above 0 seconds"
        )
    return Fraction(rate) * cur.quantum / per_seconds


def meter_amount(rate: Fraction, start_s: int, end_s: int) -> int:
    """What a meter at `rate` quanta per second takes over [start, end): floor(r end) - floor(r start).

    The instants are Unix seconds, so the parts of any cut add up to the whole, in every run, zone and shard.
    """
    return rate.numerator * end_s // rate.denominator - rate.numerator * start_s // rate.denominator


def recognised_to(amount: int, start_s: int, end_s: int, at_s: int) -> int:
    """What of a fixed lot over [start, end) is recognised by `at_s`: nothing before, linear, all of it after.

    A piece recognises the difference of its two ends, so the pieces of a lot's life add up to its amount.
    """
    if end_s < start_s:
        raise InvariantError(f"a lot cannot end at {end_s}, before it starts at {start_s}")
    if at_s >= end_s:
        return amount
    return 0 if at_s <= start_s else share(amount, at_s - start_s, end_s - start_s)
