"""The file of teams: which teams there are, what their cost centres are, and which holdings are theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby, pairwise
from typing import Annotated

from pydantic import BeforeValidator, Field

from chargeback.terms.entries import Dated, Entry, Faults, Name, Text, checked, place_of, record_of
from chargeback.terms.records import join_identity
from chargeback.terms.rule_order import FOREVER, Matching, Rule, Span, note_ambiguous, until
from chargeback.terms.validity import Clock
from gpuledger.canonical import canonical_json
from gpuledger.errors import OverlapError, Place
from gpuledger.instants import format_utc
from gpuledger.versions import RuleFact
from gpuledger.yaml_files import Document

__all__ = ["Tenure", "cost_centres", "read_rules", "read_tenures"]


def _listed(value: object) -> object:
    """One pattern as a list of it."""
    return [value] if isinstance(value, str) else value


Patterns = Annotated[list[Name], Field(min_length=1), BeforeValidator(_listed)]


class _TeamEntry(Dated):
    team: Name
    cost_centre: Text = ""


class _Match(Entry):
    cluster: Patterns | None = None
    namespace: Patterns | None = None
    account: Patterns | None = None
    owner_key: Patterns | None = None
    labels: Annotated[dict[Name, Patterns], Field(min_length=1)] | None = None


class _RuleEntry(Dated):
    match: _Match
    team: Name


class _Teams(Entry):
    teams: list[_TeamEntry]
    rules: list[_RuleEntry]


@dataclass(frozen=True)
class Tenure(Span):
    """A team's cost centre over an interval; '' is none."""

    team: str
    cost_centre: str


def read_rules(document: Document, clock: Clock, faults: Faults) -> list[RuleFact]:
    """The rules of a file, in their order, each cut where its team's cost centre changes.

    What is wrong in the file is noted in `faults`; the rules are then not to be used.
    """
    file = checked(document, _Teams)
    tenures = _tenures(document, file, clock, faults)
    _note_two_at_once(tenures, faults)
    rules: list[Rule] = []
    names = sorted({team.team for team in file.teams})
    for number, rule in enumerate(file.rules):
        with faults.noted():
            rules.append(_rule(document, number, rule, names, clock))
    note_ambiguous(rules, faults)
    return [fact for rule in rules for fact in _facts(rule, tenures)]


def read_tenures(document: Document, clock: Clock) -> list[Tenure]:
    """The teams of a file with their cost centres; what is wrong with them is for `read_rules` to say."""
    return _tenures(document, checked(document, _Teams), clock, Faults())


def _tenures(document: Document, file: _Teams, clock: Clock, faults: Faults) -> list[Tenure]:
    found: list[Tenure] = []
    for number, team in enumerate(file.teams):
        with faults.noted():
            found.append(_tenure(document, number, team, clock))
    return found


def _tenure(document: Document, number: int, entry: _TeamEntry, clock: Clock) -> Tenure:
    loc = ("teams", number)
    for key, name in (("team", entry.team), ("cost_centre", entry.cost_centre)):
        if name.startswith("__"):
            raise document.wrong(
                f"{name} is a name that gpuledger keeps for itself",
                (*loc, key),
                mend="write a name that does not begin with two underscores",
            )
    start_s, end_s = clock.interval(record_of(document, loc, entry), always=True)
    return Tenure(place_of(document, loc), start_s, end_s, entry.team, entry.cost_centre)


def _note_two_at_once(tenures: Iterable[Tenure], faults: Faults) -> None:
    """Note an `OverlapError` where a team would have two cost centres at once."""
    ordered = sorted(tenures, key=lambda one: (one.team, one.start_s))
    for one, other in pairwise(ordered):
        if one.team == other.team and until(one) > other.start_s:
            first, second = sorted((one.place.line or 0, other.place.line or 0))
            faults.note(
                OverlapError(
                    f"lines {first} and {second} both give the cost centre of {one.team} at the same time",
                    place=Place(one.place.file, line=second),
                    mend="end the earlier one, with to, where the later one begins, with from",
                )
            )


def _rule(document: Document, number: int, entry: _RuleEntry, names: Sequence[str], clock: Clock) -> Rule:
    loc = ("rules", number)
    if entry.team not in names:
        close = get_close_matches(entry.team, names, n=1) or names
        mend = f"write {' or '.join(close)}, or add it to teams" if close else "add it to teams"
        raise document.wrong(f"{entry.team} is not among the teams", (*loc, "team"), mend=mend)
    matching = _matching(entry.match)
    if not matching:
        raise document.wrong(
            "match says nothing to match by",
            (*loc, "match"),
            mend=f"give one or more of {', '.join(_Match.model_fields)}; cluster '*' matches every holding",
        )
    start_s, end_s = clock.interval(record_of(document, loc, entry), always=True)
    return Rule(place_of(document, loc), start_s, end_s, number + 1, matching, entry.team)


def _matching(match: _Match) -> Matching:
    """The patterns that are given, each list in order and without what comes twice."""
    given = match.model_dump(exclude_none=True)
    labels = given.pop("labels", {})
    kept = {name: sorted(set(patterns)) for name, patterns in given.items()}
    by_label = {name: sorted(set(patterns)) for name, patterns in labels.items()}
    return kept | ({"labels": by_label} if by_label else {})


def cost_centres(span: Span, team: str, tenures: Iterable[Tenure]) -> Iterator[tuple[int, int | None, str]]:
    """Each stretch of a span in which its team has one cost centre, or none: start, end, and the centre."""
    mine = [one for one in tenures if one.team == team]
    inside = {at_s for one in mine for at_s in (one.start_s, until(one)) if span.start_s < at_s < until(span)}
    edges = sorted({span.start_s, until(span), *inside})

    def cost_centre(stretch: tuple[int, int]) -> str:
        holding = (one.cost_centre for one in mine if one.start_s <= stretch[0] < until(one))
        return next(holding, "")

    for found, stretches in groupby(pairwise(edges), cost_centre):
        (start_s, end_s), *others = stretches
        end_s = others[-1][1] if others else end_s
        yield start_s, None if end_s == FOREVER else end_s, found


def _facts(rule: Rule, tenures: Iterable[Tenure]) -> Iterator[RuleFact]:
    """The rule over each stretch in which its team has one cost centre, or none."""
    matching = canonical_json(rule.matching)
    for start_s, end_s, found in cost_centres(rule, rule.team, tenures):
        yield RuleFact(
            identity=join_identity([matching, format_utc(start_s)]),
            start_s=start_s,
            end_s=end_s,
            position=rule.position,
            matching=matching,
            team=rule.team,
            cost_centre=found or None,
        )
