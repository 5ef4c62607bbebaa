"""Cents: how the total of a rounding pool, rounded once, goes out to its keys in minor units."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeVar

from gpuledger.errors import InvariantError
from gpuledger.money.currencies import Currency
from gpuledger.money.shares import Sortable, half_up, largest_remainder

__all__ = ["nested_cents", "round_cents"]

K = TypeVar("K", bound=Sortable)
KeyTuple = TypeVar("KeyTuple", bound=tuple[Any, ...])

_STEPS = (
    10**5
)  # remainders are told apart to this part of a minor unit: noise of a few quanta decides nothing


def round_cents(amounts: Mapping[K, int], cur: Currency, total: int | None = None) -> dict[K, int]:
    """Give out a pool's minor units to its keys; they add up to `total`.

    `amounts` are quanta; `total` is in minor units, by default the half-up of their sum. Remainders are
    compared to 10^-5 of a minor unit, ties by key. Of mixed signs the negatives come first, to their own
    total rounded half down. While `total` is less than one minor unit from the sum, each key gets the floor
    or the ceiling of its amount, so a whole amount never moves; what a more distant `total` leaves over goes
    by size. Raises `InvariantError` when there is a total and no key to take it.

    >>> round_cents({"a": 3_333_333_333, "b": 3_333_333_333, "c": 3_333_333_334}, currency("USD"))
    {'a': 334, 'b': 333, 'c': 333}
    """
    unit = cur.quanta_per_minor
    target = half_up(Fraction(sum(amounts.values()), unit)) if total is None else total
    if target and not amounts:
        raise InvariantError(f"{target} minor units of {cur.code} have nobody to go to")
    positives = {key: amount for key, amount in amounts.items() if amount > 0}
    negatives = {key: -amount for key, amount in amounts.items() if amount < 0}
    given = dict.fromkeys(sorted(amounts), 0)
    if not positives and not negatives:
        return given | _give(amounts, unit, target)
    credited = _credited(sum(positives.values()), sum(negatives.values()), unit, target)
    given |= {key: -cents for key, cents in _give(negatives, unit, credited).items()}
    return given | _give(positives, unit, target + credited)


def _credited(positive: int, negative: int, unit: int, target: int) -> int:
    """The negatives' minor units: half down, held where the positives keep to their floor or ceiling."""
    if not positive:
        return -target
    half_down = -((unit - 2 * negative) // (2 * unit))
    held = min(max(half_down, positive // unit - target), -(-positive // unit) - target)
    return min(max(held, negative // unit), -(-negative // unit))


def _give(amounts: Mapping[K, int], unit: int, target: int) -> dict[K, int]:
    """Largest remainder over amounts of 0 or more; what no remainder takes goes, or comes, by size."""
    cents = {key: amount // unit for key, amount in amounts.items()}
    left = target - sum(cents.values())
    ranked = sorted((_rank(key, amount % unit, unit) for key, amount in amounts.items() if amount % unit))
    fitting = min(max(left, 0), len(ranked))
    for _, key in ranked[:fitting]:
        cents[key] += 1
    if left != fitting:
        sizes = amounts if any(amounts.values()) else dict.fromkeys(amounts, 1)
        for key, part in largest_remainder(left - fitting, sizes).items():
            cents[key] += part
    return cents


def _rank(key: K, remainder: int, unit: int) -> tuple[int, K]:
    step = max(unit // _STEPS, 1)
    return -((remainder + step // 2) // step), key


def nested_cents(
    amounts: Mapping[KeyTuple, int], cur: Currency, total: int | None = None
) -> dict[KeyTuple, int]:
    """Give out minor units level by level: to the owners `key[0]`, inside each by `key[1]`, and so on.

    Each level is `round_cents`, so an owner's cents are the same whatever they are split by below. The
    result is per full key, in the order of the keys.
    """
    given: dict[KeyTuple, int] = {}
    _give_below(amounts, cur, total, 0, given)
    return {key: given[key] for key in sorted(given)}


def _give_below(
    amounts: Mapping[KeyTuple, int], cur: Currency, total: int | None, depth: int, given: dict[KeyTuple, int]
) -> None:
    groups: dict[tuple[Any, ...], dict[KeyTuple, int]] = {}
    for key, amount in amounts.items():
        groups.setdefault(key[depth : depth + 1], {})[key] = amount
    sums = {head: sum(group.values()) for head, group in groups.items()}
    for head, cents in round_cents(sums, cur, total).items():
        if len(groups[head]) == 1:
            given[next(iter(groups[head]))] = cents
        else:
            _give_below(groups[head], cur, cents, depth + 1, given)
