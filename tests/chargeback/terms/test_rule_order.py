"""A rule that can never come to count is a mistake; one that may is none."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.terms.entries import Faults
from chargeback.terms.rule_order import Rule, covers, note_ambiguous
from gpuledger.errors import Place


def rule(line: int, start: int = 0, end: int | None = None, **matching: Any) -> Rule:
    return Rule(Place("teams.yaml", line=line), start, end, line, matching, "team")


def said(*rules: Rule) -> list[str]:
    faults = Faults()
    note_ambiguous(rules, faults)
    return [error.message for error in faults.found]


def test_rule_behind_a_wider_one_can_never_count() -> None:
    wide, narrow = rule(9, namespace=["ml-*"]), rule(14, namespace=["ml-a", "ml-b*"], account=["x"])
    assert said(wide, narrow) == ["line 14 can never count: line 9 matches all of it"]
    assert said(narrow, wide) == []


def test_rules_that_only_together_hold_for_as_long_are_both_named() -> None:
    before, after = rule(3, end=100, account=["*"]), rule(4, 100, account=["a*"])
    assert said(before, after, rule(5, 50, account=["ab"])) == [
        "line 5 can never count: lines 3 and 4 match all of it"
    ]
    assert said(before, rule(4, 101, account=["a*"]), rule(5, 50, account=["ab"])) == []


def test_rule_that_holds_longer_than_the_wider_one_may_count() -> None:
    assert said(rule(1, 0, 100, account=["*"]), rule(2, 0, 101, account=["ab"])) == []
    assert said(rule(1, 0, 100, account=["*"]), rule(2, 0, 100, account=["ab"])) != []


def test_same_match_twice_over_some_of_the_time_is_an_error() -> None:
    message = "lines 1 and 2 match the same and hold at the same time"
    assert said(rule(1, 50, account=["a"]), rule(2, 0, 100, account=["a"])) == [message]
    assert said(rule(1, 50, account=["a"]), rule(2, 0, 50, account=["a"])) == []


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ({"cluster": ["*"]}, {"namespace": ["a"]}),
        ({"namespace": ["a"], "account": ["*"]}, {"namespace": ["a"]}),
        ({"namespace": ["a*"]}, {"namespace": ["a", "b"]}),
        ({"labels": {"app": ["*"]}}, {"labels": {"team": ["x"]}}),
        ({"labels": {"app": ["x"]}}, {"labels": {"app": ["*"]}}),
    ],
)
def test_rule_that_asks_for_more_or_other_things_covers_nothing(
    wide: dict[str, Any], narrow: dict[str, Any]
) -> None:
    assert not covers(rule(1, **wide).patterns, rule(2, **narrow).patterns)


def test_label_is_covered_by_a_pattern_of_the_same_label() -> None:
    wide, narrow = {"app": ["w*", "x"]}, {"app": ["web", "x"], "team": ["a"]}
    assert covers(rule(1, labels=wide).patterns, rule(2, labels=narrow, account=["b"]).patterns)


TEXTS = st.text("ab-]", max_size=5)
PATTERNS = st.text("ab-*?[]!", min_size=1, max_size=5)


@given(PATTERNS, PATTERNS, st.lists(TEXTS, min_size=20, max_size=20))
def test_pattern_that_is_called_wider_fits_whatever_the_narrower_fits(
    wide: str, narrow: str, texts: list[str]
) -> None:
    if covers(rule(1, account=[wide]).patterns, rule(2, account=[narrow]).patterns):
        assert not [text for text in texts if fnmatchcase(text, narrow) and not fnmatchcase(text, wide)]
