"""Facts along one track of time: overlaps, joins, and putting a window in place of what was known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from collectors.imports.facts import Fact

__all__ = ["FOREVER", "end_of", "joined", "overlap", "replaced", "starting"]

FOREVER = 2**62
"""Stands for an end that is open, where ends are compared."""


def end_of(end_s: int | None) -> int:
    """The end, or what stands for an open one."""
    return FOREVER if end_s is None else end_s


def overlap(a_start_s: int, a_end_s: int | None, b_start_s: int, b_end_s: int | None) -> bool:
    """Whether two intervals share a second."""
    return max(a_start_s, b_start_s) < min(end_of(a_end_s), end_of(b_end_s))


def starting(fact: Fact, start_s: int) -> Fact:
    """The fact with another start, which is the last part of its identity."""
    prefix = fact.identity.rpartition("/")[0]
    return fact._replace(identity=f"{prefix}/{start_s}", start_s=start_s)


def joined(facts: Iterable[Fact]) -> list[Fact]:
    """The facts of one track in order, with touching ones of equal attributes made one."""
    track: list[Fact] = []
    for fact in sorted(facts, key=lambda one: one.start_s):
        last = track[-1] if track else None
        if last is not None and last.end_s == fact.start_s and _same(last, fact):
            track[-1] = last._replace(end_s=fact.end_s)
        else:
            track.append(fact)
    return track


def replaced(known: Iterable[Fact], facts: Sequence[Fact], start_s: int, end_s: int) -> list[Fact]:
    """One track with `facts` in place of all that was known inside [start, end)."""
    outside: list[Fact] = []
    for fact in known:
        if fact.start_s < start_s:
            outside.append(fact._replace(end_s=min(end_of(fact.end_s), start_s)))
        if end_of(fact.end_s) > end_s:
            outside.append(fact if fact.start_s >= end_s else starting(fact, end_s))
    return joined(outside + list(facts))


def _same(one: Fact, other: Fact) -> bool:
    return one._replace(identity="", start_s=0, end_s=0) == other._replace(identity="", start_s=0, end_s=0)
