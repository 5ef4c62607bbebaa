"""Whose time it is, against a truth that looks at every second by itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from chargeback.owners import OwnerSpan, Who, outcomes, owner_spans
from gpuledger.versions import OwnerFact, RuleFact

START_S, END_S = 10, 34

Owner = tuple[str, str, str]
Stretch = tuple[int, int | None]


class Agreed(NamedTuple):
    """Kinds of holders, and the terms about them."""

    whos: list[Who]
    rules: list[RuleFact]
    owners: list[OwnerFact]
    unmatched: str


_KEYS = ("", "a", "ab", "b*", "B")
_NAMESPACES = ("", "a", "ml", "ml-x")
_LABELS = ("", '{"app":"a"}', '{"app":"ab","x":"a"}', '{"x":""}')
_PATTERNS = ("a", "a*", "*", "?", "ml", "ml-*", "[bB]", "[*]", "B")
_TEAMS = ("a", "t1", "t2")
_CENTRES = (None, "cc")

_whos = st.builds(
    Who,
    cluster=st.sampled_from(("a", "c1")),
    namespace=st.sampled_from(_NAMESPACES),
    account=st.sampled_from(("", "ml")),
    owner_key=st.sampled_from(_KEYS),
    labels=st.sampled_from(_LABELS),
)
_patterns = st.lists(st.sampled_from(_PATTERNS), min_size=1, max_size=2)
_matching = st.fixed_dictionaries(
    {},
    optional={
        "cluster": _patterns,
        "namespace": _patterns,
        "account": _patterns,
        "owner_key": _patterns,
        "labels": st.dictionaries(st.sampled_from(("app", "x")), _patterns, max_size=2),
    },
).filter(bool)
_team = st.tuples(st.sampled_from(_TEAMS), st.sampled_from(_CENTRES))
_at = st.integers(START_S - 3, END_S + 3)
_stretch = st.tuples(_at, st.none() | _at)


@st.composite
def agreed(draw: st.DrawFn) -> Agreed:
    """Rules of any position and stretch, and rows of keys that do not overlap."""
    rules = [
        RuleFact(
            f"r{number}", *draw(_stretch), draw(st.integers(0, 2)), json.dumps(draw(_matching)), *draw(_team)
        )
        for number in range(draw(st.integers(0, 4)))
    ]
    owners = [
        OwnerFact(
            f"{key}@{low}",
            low,
            draw(st.sampled_from((high, high, None))) if last else high,
            key,
            *draw(_team),
        )
        for key in _KEYS[1:4]
        for low, high, last in _row_stretches(draw(st.lists(_at, unique=True, max_size=4)))
    ]
    return Agreed(
        draw(st.lists(_whos, unique=True, min_size=1, max_size=4).map(sorted)),
        draw(st.permutations(rules)),
        draw(st.permutations(owners)),
        draw(st.sampled_from(("own_team/1", "unknown/1"))),
    )


def _row_stretches(edges: Sequence[int]) -> list[tuple[int, int, bool]]:
    cuts = list(pairwise(sorted(edges)))
    return [(low, high, number == len(cuts) - 1) for number, (low, high) in enumerate(cuts)]


@given(agreed())
def test_at_every_second_the_first_rule_counts_then_the_row_then_the_policy(terms: Agreed) -> None:
    spans = spans_of(terms)
    for number, who in enumerate(terms.whos, 1):
        for at_s in range(START_S, END_S):
            (span,) = (one for one in spans if one.who_no == number and one.from_s <= at_s < one.to_s)
            assert (owner(span), span.term) == owner_at(terms, who, at_s)


@given(agreed())
def test_spans_tile_the_month_and_none_goes_on_in_the_next(terms: Agreed) -> None:
    spans = spans_of(terms)
    assert {span.who_no for span in spans} == set(range(len(terms.whos) + 1))
    for number in range(len(terms.whos) + 1):
        mine = [span for span in spans if span.who_no == number]
        assert (mine[0].from_s, mine[-1].to_s) == (START_S, END_S)
        assert all(span.from_s < span.to_s for span in mine)
        for one, following in pairwise(mine):
            assert one.to_s == following.from_s
            assert (owner(one), one.term) != (owner(following), following.term)
    assert [owner(span) for span in spans if not span.who_no] == [("__conflict__", "__conflict__", "")]


@given(agreed(), st.integers(START_S, END_S - 1), _stretch)
def test_two_kinds_of_holders_have_one_outcome_where_they_have_one_owner_at_every_second(
    terms: Agreed, at_s: int, stretch: Stretch
) -> None:
    terms = with_a_twin(terms, at_s, stretch)
    found = outcomes(spans_of(terms))
    truth = [[owner_at(terms, who, at_s)[0] for at_s in range(START_S, END_S)] for who in terms.whos]
    for one, owned in enumerate(truth, 1):
        assert found[one] == 1 + truth.index(owned)
    assert found[0] == 0


def with_a_twin(terms: Agreed, at_s: int, stretch: Stretch) -> Agreed:
    """With two more that differ in their account: a rule gives one what the other has at an instant."""
    one = replace(terms.whos[0], account="")
    twin = replace(one, account="twin")
    (_, team, centre), _ = owner_at(terms, one, at_s)
    rule = RuleFact("twin", *stretch, -1, json.dumps({"account": ["twin"]}), team, centre or None)
    return terms._replace(whos=sorted({*terms.whos, one, twin}), rules=[*terms.rules, rule])


@given(agreed())
def test_order_of_terms_changes_nothing(terms: Agreed) -> None:
    assert spans_of(terms._replace(rules=terms.rules[::-1], owners=terms.owners[::-1])) == spans_of(terms)


def spans_of(terms: Agreed) -> list[OwnerSpan]:
    return owner_spans(terms.whos, terms.rules, terms.owners, terms.unmatched, START_S, END_S)


def owner(span: OwnerSpan) -> Owner:
    return span.owner, span.team, span.cost_centre


def owner_at(terms: Agreed, who: Who, at_s: int) -> tuple[Owner, str]:
    """The owner of a kind of holder in one second, and what term gave it."""
    key = who.owner_key
    for rule in sorted(terms.rules, key=lambda rule: (rule.position, rule.identity)):
        if holds(rule, at_s) and asks_for(json.loads(rule.matching), who):
            return (key or rule.team, rule.team, rule.cost_centre or ""), rule.identity
    for row in terms.owners:
        if row.owner_key == key and holds(row, at_s):
            return (key, row.team, row.cost_centre or ""), row.identity
    own = key if terms.unmatched == "own_team/1" else ""
    return (key or "__unknown_owner__", own or "__unknown_owner__", ""), ""


def holds(term: RuleFact | OwnerFact, at_s: int) -> bool:
    return at_s in range(term.start_s, END_S + 9 if term.end_s is None else term.end_s)


def asks_for(matching: dict[str, Any], who: Who) -> bool:
    """Whether a holder says all of it, by a table of which text each pattern fits."""
    said = {"cluster": who.cluster, "namespace": who.namespace, "account": who.account}
    said["owner_key"] = who.owner_key
    labels = json.loads(who.labels or "{}")
    asked = [(said[name], patterns) for name, patterns in matching.items() if name != "labels"]
    asked += [(labels.get(name, ""), patterns) for name, patterns in matching.get("labels", {}).items()]
    return all(any(text in FITTING[pattern] for pattern in patterns) for text, patterns in asked)


TEXTS = {"twin", "a", "ab", "b*", "B", "ml", "ml-x", "c1"}
FITTING = {
    "a": {"a"},
    "a*": {"a", "ab"},
    "*": TEXTS,
    "?": {"a", "B"},
    "ml": {"ml"},
    "ml-*": {"ml-x"},
    "[bB]": {"B"},
    "[*]": set[str](),
    "B": {"B"},
    "twin": {"twin"},
}
"""What each pattern fits of all texts that holders say here; '' is nothing that is said."""
