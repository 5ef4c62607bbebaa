"""Whose time it is: each kind of holder, by what it says of itself, as spans of one team and cost centre.

Rules go first, in their order; then rows that name the owner key itself; then the policy `unmatched_owner`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise

from gpuledger.intervals import holds_at
from gpuledger.versions import OwnerFact, RuleFact

__all__ = ["CONFLICT", "MATCHED_BY", "UNKNOWN", "OwnerSpan", "Who", "matches", "outcomes", "owner_spans"]

UNKNOWN, CONFLICT = "__unknown_owner__", "__conflict__"

MATCHED_BY = ("cluster", "namespace", "account", "owner_key", "labels")
"""What a rule may match a holding by."""


@dataclass(frozen=True, order=True)
class Who:
    """What a holding says of its owner; '' is what it does not say, `labels` canonical JSON."""

    cluster: str
    namespace: str
    account: str
    owner_key: str
    labels: str


@dataclass(frozen=True, order=True)
class OwnerSpan:
    """A stretch [from, to) in UTC seconds of one kind of holder: its owner, team and cost centre ('' = none).

    `term` is the identity of the rule or row that gave the team; '' where none did.
    """

    who_no: int
    owner: str
    team: str
    cost_centre: str
    term: str
    from_s: int
    to_s: int


def owner_spans(
    whos: Sequence[Who],
    rules: Iterable[RuleFact],
    owners: Iterable[OwnerFact],
    unmatched: str,
    start_s: int,
    end_s: int,
) -> list[OwnerSpan]:
    """Every kind of holder over all of [start, end), numbered from 1 in its place; 0 is whom several claim.

    `unmatched` is the choice of the policy: `own_team/1` makes the owner key its own team where no rule and
    no row is about it, `unknown/1` leaves it to `__unknown_owner__`.
    """
    ordered = sorted(rules, key=lambda rule: (rule.position, rule.identity))
    wanted = {rule.identity: json.loads(rule.matching) for rule in ordered}
    rows: dict[str, list[OwnerFact]] = {}
    for row in owners:
        rows.setdefault(row.owner_key, []).append(row)
    spans = [OwnerSpan(0, CONFLICT, CONFLICT, "", "", start_s, end_s)]
    for number, who in enumerate(whos, 1):
        fitting = [rule for rule in ordered if matches(wanted[rule.identity], who)]
        terms: list[RuleFact | OwnerFact] = [*fitting, *rows.get(who.owner_key, [])]
        spans += _touching(_spans_of(number, who, terms, unmatched, start_s, end_s))
    return spans


def outcomes(spans: Iterable[OwnerSpan]) -> dict[int, int]:
    """By kind of holder the least number of those that have the same owners, teams and cost centres.

    Which rule or row gave them, and where another goes on to give the same, makes no difference. The spans
    of a holder are in order and leave no gap, so that their ends tell them.
    """
    found: dict[int, list[tuple[str, str, str, int]]] = {}
    for span in spans:
        stretches = found.setdefault(span.who_no, [])
        owned = (span.owner, span.team, span.cost_centre)
        if stretches and stretches[-1][:-1] == owned:
            stretches.pop()
        stretches.append((*owned, span.to_s))
    first: dict[tuple[tuple[str, str, str, int], ...], int] = {}
    return {number: first.setdefault(tuple(owned), number) for number, owned in sorted(found.items())}


def matches(matching: Mapping[str, object], who: Who) -> bool:
    """Whether a holder has all that a rule asks for: each attribute fits one of its patterns."""
    labels: dict[str, str] = json.loads(who.labels) if who.labels else {}
    for attribute, patterns in matching.items():
        if isinstance(patterns, dict):
            if not all(_fits(labels.get(name, ""), kept) for name, kept in patterns.items()):
                return False
        elif not _fits(getattr(who, attribute), patterns):
            return False
    return True


def _fits(text: str, patterns: object) -> bool:
    """Whether a text that is there fits a pattern: what a holding does not say fits none."""
    assert isinstance(patterns, list)
    return bool(text) and any(fnmatchcase(text, pattern) for pattern in patterns)


def _spans_of(
    number: int, who: Who, terms: Sequence[RuleFact | OwnerFact], unmatched: str, start_s: int, end_s: int
) -> Iterator[OwnerSpan]:
    edges = {at_s for term in terms for at_s in (term.start_s, term.end_s) if at_s is not None}
    for low, high in pairwise(sorted({start_s, end_s, *(at_s for at_s in edges if start_s < at_s < end_s)})):
        term = next((one for one in terms if holds_at(one, low)), None)
        if term is not None:
            owner = who.owner_key or term.team
            yield OwnerSpan(number, owner, term.team, term.cost_centre or "", term.identity, low, high)
        else:
            team = who.owner_key if unmatched == "own_team/1" else ""
            yield OwnerSpan(number, who.owner_key or UNKNOWN, team or UNKNOWN, "", "", low, high)


def _touching(spans: Iterable[OwnerSpan]) -> list[OwnerSpan]:
    """The spans with those that go on in one."""
    kept: list[OwnerSpan] = []
    for span in spans:
        last = kept[-1] if kept else None
        if last and last.to_s == span.from_s and replace(span, from_s=last.from_s, to_s=last.to_s) == last:
            kept[-1] = replace(last, to_s=span.to_s)
        else:
            kept.append(span)
    return kept
