"""The waterfall: in one window, how much of each commitment is used, and by what.

Commitments are asked in their turn. Each takes of what the ones before it left: usage of one rank in equal
parts of its time, ranks one after the other. A rank is the saving where money is committed, greatest first,
then the lowest rate; where nodes of several sizes count, the smallest first. What is left of a commitment at
the end of the window is lost, whatever was used before or after.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby

from chargeback.lots.calendar import cut

__all__ = ["Asked", "Option", "Outcome", "Usage", "waterfall"]


@dataclass(frozen=True)
class Option:
    """That a commitment may cover some usage: units of it that a second of a slot takes, and its rank.

    The lowest rank is covered first.
    """

    commitment: str
    units: Fraction
    rank: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class Usage:
    """Slots over [from, to), UTC seconds, with the commitments that may cover them."""

    from_s: int
    to_s: int
    slots: int
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Asked:
    """What a commitment has over a window: stretches of it, each with its units a second.

    Where `is_instant`, what is not used in an instant is lost, else at the window's end. What it covers is
    left to be covered by others where it `adds`.
    """

    name: str
    levels: tuple[tuple[int, int, Fraction], ...]
    is_instant: bool = False
    adds: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of a window.

    `covered` has by commitment the seconds of slots that it covers of each usage, by the usage's place, and
    `used` the units times seconds that these take of its `capacity`. `left` has for each usage the seconds
    of its slots that no commitment covers.
    """

    covered: dict[str, dict[int, Fraction]]
    used: dict[str, dict[int, Fraction]]
    capacity: dict[str, Fraction]
    left: tuple[Fraction, ...]


@dataclass
class _Part:
    """A stretch of a usage, with the seconds of slots in it that are not covered yet."""

    place: int
    from_s: int
    to_s: int
    left: Fraction


def waterfall(usages: Sequence[Usage], asked: Sequence[Asked]) -> Outcome:
    """Let commitments, in their order, cover usages."""
    parts = _parts(usages, asked)
    outcome = Outcome({}, {}, {}, ())
    for one in asked:
        covered: dict[int, Fraction] = defaultdict(Fraction)
        used: dict[int, Fraction] = defaultdict(Fraction)
        options = {
            place: option
            for place, usage in enumerate(usages)
            for option in usage.options
            if option.commitment == one.name
        }
        for budget, some in _windows(one, [part for part in parts if part.place in options]):
            for part, seconds in _covered(budget, some, options):
                covered[part.place] += seconds
                used[part.place] += seconds * options[part.place].units
                part.left -= 0 if one.adds else seconds
        outcome.covered[one.name], outcome.used[one.name] = dict(covered), dict(used)
        outcome.capacity[one.name] = _capacity(one)
    left: dict[int, Fraction] = defaultdict(Fraction)
    for part in parts:
        left[part.place] += part.left
    return replace(outcome, left=tuple(left[place] for place in range(len(usages))))


def _capacity(one: Asked) -> Fraction:
    return sum((units * (high - low) for low, high, units in one.levels), Fraction(0))


def _parts(usages: Sequence[Usage], asked: Sequence[Asked]) -> list[_Part]:
    """The usages, cut where anything begins or ends if an instant makes a difference."""
    edges: set[int] = set()
    if any(one.is_instant for one in asked):
        edges = {at_s for usage in usages for at_s in (usage.from_s, usage.to_s)}
        edges |= {at_s for one in asked for low, high, _ in one.levels for at_s in (low, high)}
    return [
        _Part(place, low, high, Fraction(usage.slots * (high - low)))
        for place, usage in enumerate(usages)
        for low, high in cut(usage.from_s, usage.to_s, edges)
    ]


def _windows(one: Asked, parts: Sequence[_Part]) -> Iterator[tuple[Fraction, list[_Part]]]:
    """What a commitment has for which parts: for all of the window, or for each instant of it."""
    if not one.is_instant:
        yield _capacity(one), list(parts)
        return
    alike: dict[tuple[int, int], list[_Part]] = defaultdict(list)
    for part in parts:
        alike[part.from_s, part.to_s].append(part)
    for (low, high), some in sorted(alike.items()):
        units = sum((units for begin, end, units in one.levels if begin <= low < end), Fraction(0))
        yield units * (high - low), some


def _covered(
    budget: Fraction, parts: Iterable[_Part], options: Mapping[int, Option]
) -> Iterator[tuple[_Part, Fraction]]:
    """What of parts a budget covers, rank by rank; of a rank that it does not cover whole an equal part."""

    def rank(part: _Part) -> tuple[Fraction, ...]:
        return options[part.place].rank

    for _, some in groupby(sorted(parts, key=rank), rank):
        ranked = list(some)
        wanted = sum((part.left * options[part.place].units for part in ranked), Fraction(0))
        if not wanted or not budget:
            continue
        share = min(Fraction(1), budget / wanted)
        budget -= wanted * share
        yield from ((part, part.left * share) for part in ranked if part.left)
