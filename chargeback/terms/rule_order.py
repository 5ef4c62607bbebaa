"""Rules in their order: the first that matches counts, so one that never comes to count is a mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from chargeback.terms.entries import Faults
from chargeback.terms.validity import where
from gpuledger.errors import OverlapError, Place

__all__ = ["FOREVER", "Matching", "Rule", "Span", "covers", "note_ambiguous", "until"]

FOREVER = 2**62
"""An instant after all others, in Unix seconds: where an open end is."""

Matching = Mapping[str, list[str] | dict[str, list[str]]]
"""Patterns by what they match; those of labels by the label's name."""

Patterns = Mapping[tuple[str, str], list[str]]
"""Patterns by attribute and, for labels, the name of the label."""

_WILD = re.compile(r"\[!?\]?[^\]]*\]|[*?]")


@dataclass(frozen=True)
class Span:
    """Where something is written, and over which [start, end) it holds, Unix seconds; None is open."""

    place: Place
    start_s: int
    end_s: int | None


@dataclass(frozen=True)
class Rule(Span):
    """A rule as the file has it; `position` is its place among the rules, from 1."""

    position: int
    matching: Matching
    team: str

    @cached_property
    def patterns(self) -> Patterns:
        """What it matches by: patterns by attribute and, for labels, the label's name."""
        flat: dict[tuple[str, str], list[str]] = {}
        for attribute, patterns in self.matching.items():
            named = patterns if isinstance(patterns, dict) else {"": patterns}
            flat |= {(attribute, name): kept for name, kept in named.items()}
        return flat


def until(span: Span) -> int:
    """The end of a span as a number."""
    return FOREVER if span.end_s is None else span.end_s


def note_ambiguous(rules: Sequence[Rule], faults: Faults) -> None:
    """Note an `OverlapError` for each rule that can never count, or says again what an earlier one says."""
    for number, rule in enumerate(rules):
        with faults.noted():
            _refuse_ambiguous(rule, rules[:number])


def covers(wide: Patterns, narrow: Patterns) -> bool:
    """Whether all that the second can match is matched by the first, as far as their patterns tell.

    Two patterns that can only be compared by trying every text count as different.
    """
    return wide.keys() <= narrow.keys() and all(
        any(_within(one, other) for other in patterns)
        for key, patterns in wide.items()
        for one in narrow[key]
    )


def _refuse_ambiguous(rule: Rule, earlier: Sequence[Rule]) -> None:
    if before := _instead_of(rule, [one for one in earlier if covers(one.patterns, rule.patterns)]):
        lines = " and ".join(str(one.place.line) for one in before)
        verb = "lines {} match" if len(before) > 1 else "line {} matches"
        raise OverlapError(
            f"{where(rule.place)} can never count: {verb.format(lines)} all of it",
            place=rule.place,
            mend="the first rule that matches counts: move this one up before it, or remove it",
        )
    for one in earlier:
        if one.matching == rule.matching and one.start_s < until(rule) and rule.start_s < until(one):
            raise OverlapError(
                f"lines {one.place.line} and {rule.place.line} match the same and hold at the same time",
                place=rule.place,
                mend="end the earlier one where the later one begins",
            )


def _instead_of(rule: Rule, rivals: Iterable[Rule]) -> list[Rule]:
    """Those of the rivals that together hold for as long as the rule does; none where some time is left."""
    at_s, used = rule.start_s, []
    for one in sorted(rivals, key=lambda one: one.start_s):
        if one.start_s <= at_s < min(until(one), until(rule)):
            at_s = until(one)
            used.append(one)
    return used if at_s >= until(rule) else []


def _within(pattern: str, wide: str) -> bool:
    """Whether each text that fits a pattern fits another: sure where it says yes.

    A wild part of the first must fall into a star of the second, so it stands as a sign that nothing else
    matches; a second one with other wild parts is only compared with plain text.
    """
    if pattern == wide:
        return True
    plain = _WILD.sub("\0", pattern)
    return (plain == pattern or not re.search(r"[?\[]", wide)) and fnmatchcase(plain, wide)
