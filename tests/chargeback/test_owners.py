"""Whose time it is: rules in their order, rows of owner keys, and what is left where none is about it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from house import House, at

from chargeback.owners import OwnerSpan, Who, matches, outcomes, owner_spans
from chargeback.statement import By
from gpuledger.versions import OwnerFact, RuleFact

Stretch = tuple[str, str, str, int, int]


def who(owner_key: str = "", **said: str) -> Who:
    given = {"cluster": "c", "namespace": "", "account": "", "labels": ""} | said
    return Who(owner_key=owner_key, **given)


def row(key: str, team: str, start: int = 0, end: int | None = None) -> OwnerFact:
    return OwnerFact(f"{key}@{start}", start, end, key, team, "CC")


def rule(position: int, team: str, start: int = 0, end: int | None = None, **matching: Any) -> RuleFact:
    return RuleFact(f"{position}@{start}", start, end, position, json.dumps(matching), team)


def owned(
    whom: Who, *rules: RuleFact, rows: tuple[OwnerFact, ...] = (), unmatched: str = "own_team/1"
) -> list[Stretch]:
    spans = owner_spans([whom], rules, rows, unmatched, 0, 300)
    return [(s.owner, s.team, s.cost_centre, s.from_s, s.to_s) for s in spans if s.who_no == 1]


def test_a_key_is_its_own_team_where_nothing_says_another() -> None:
    assert owned(who("ns"), rows=(row("ns", "search", 100, 200),)) == [
        ("ns", "ns", "", 0, 100),
        ("ns", "search", "CC", 100, 200),
        ("ns", "ns", "", 200, 300),
    ]
    assert owned(who("ns"), rows=(row("ns", "search", 900),)) == [("ns", "ns", "", 0, 300)]


def test_unmatched_key_is_everybodys_to_see_where_the_policy_says_so() -> None:
    assert owned(who("ns"), unmatched="unknown/1") == [("ns", "__unknown_owner__", "", 0, 300)]
    nameless = [("__unknown_owner__", "__unknown_owner__", "", 0, 300)]
    assert owned(who(), unmatched="unknown/1") == owned(who()) == nameless


def test_first_rule_that_matches_counts_and_goes_before_rows_of_the_key() -> None:
    rules = (rule(2, "second", cluster=["c"]), rule(1, "first", owner_key=["n*"], end=100))
    assert owned(who("ns"), *rules, rows=(row("ns", "row"),)) == [
        ("ns", "first", "", 0, 100),
        ("ns", "second", "", 100, 300),
    ]
    assert owned(who("other"), *rules) == [("other", "second", "", 0, 300)]


def test_holding_without_a_key_belongs_to_the_team_that_a_rule_gives() -> None:
    assert owned(who(namespace="ml"), rule(1, "vision", namespace=["ml"])) == [
        ("vision", "vision", "", 0, 300)
    ]


@pytest.mark.parametrize(
    ("matching", "fits"),
    [
        ({"namespace": ["ml-*"]}, True),
        ({"namespace": ["x", "ml-train"]}, True),
        ({"namespace": ["ML-*"]}, False),
        ({"account": ["*"]}, False),
        ({"labels": {"team": ["vision"]}}, True),
        ({"labels": {"team": ["vision"], "tier": ["*"]}}, False),
        ({"namespace": ["ml-*"], "cluster": ["other"]}, False),
    ],
)
def test_rule_matches_what_has_all_that_it_asks_for(matching: dict[str, Any], fits: bool) -> None:
    assert matches(matching, who(namespace="ml-train", labels='{"team":"vision"}')) is fits


def test_touching_spans_of_one_term_are_one() -> None:
    cut = rule(1, "other", owner_key=["nobody"], start=100, end=200)
    assert owned(who("ns"), cut, rows=(row("ns", "search"),)) == [("ns", "search", "CC", 0, 300)]


def test_kinds_of_holders_with_the_same_owners_have_one_outcome() -> None:
    whos = [who("a", labels='{"job":"1"}'), who("a", labels='{"job":"2"}'), who("b")]
    spans = owner_spans(whos, [], [], "own_team/1", 0, 300)
    assert outcomes(spans) == {0: 0, 1: 1, 2: 1, 3: 3}
    assert spans[0] == OwnerSpan(0, "__conflict__", "__conflict__", "", "", 0, 300)


DAY, HOUR = at("2026-10-05T00:00Z"), 3600


def priced(house: House) -> None:
    house.price("3", 0)
    house.slot("n1", 0, DAY, DAY + 4 * HOUR)
    house.through(DAY + 24 * HOUR)


def test_rules_give_the_books_their_owners_each_since_when_it_holds(house: House) -> None:
    priced(house)
    house.holding("j", DAY, DAY + 4 * HOUR, node="n1", slot="n1/0", namespace="ml", labels='{"app":"chat"}')
    house.rule(1, "vision", end=DAY + HOUR, labels={"app": ["chat"]})
    house.rule(2, "search", namespace=["m?"])
    house.keep()
    assert house.amounts() == {"vision": 300, "search": 900}
    assert house.amounts(by=By.team) == {"vision": 300, "search": 900}


def test_policy_unmatched_owner_is_named_by_every_entry_and_moves_no_total(house: House) -> None:
    priced(house)
    house.holding("j", DAY, DAY + 4 * HOUR, "ns-a", node="n1", slot="n1/0")
    house.policy("unmatched_owner", "unknown/1", at("2026-10-01T00:00Z"))
    house.keep()
    assert house.amounts(by=By.team) == {"__unknown_owner__": 1200}
    assert house.amounts() == {"ns-a": 1200}
    assert {"unmatched_owner=unknown/1" in row["policy"] for row in house.rows_of("entry")} == {True}


def test_facts_of_one_run_that_differ_in_what_no_rule_asks_for_are_not_contested(house: House) -> None:
    house.price("3", 0)
    house.through(DAY + 24 * HOUR)
    for number, team in enumerate(("blue", "green")):
        house.holding(
            "j", DAY, DAY + HOUR, "ml", identity=f"j{number}", labels=f'{{"side":"{team}"}}', namespace="ml"
        )
    house.keep()
    assert house.amounts() == {"ml": 600}
    house.rule(1, "blue", labels={"side": ["blue"]})
    house.keep()
    assert house.amounts() == {"__conflict__": 600}


def test_facts_of_one_run_that_other_rules_give_the_same_team_are_not_contested(house: House) -> None:
    """The first is matched by its label for an hour, and both are always matched by another rule."""
    house.price("3", 0)
    house.through(DAY + 24 * HOUR)
    for number, side in enumerate(("blue", "green")):
        given = {"identity": f"j{number}", "labels": f'{{"side":"{side}"}}', "namespace": "ml"}
        house.holding("j", DAY, DAY + 4 * HOUR, **given)
    house.rule(1, "vision", DAY, DAY + HOUR, labels={"side": ["blue"]})
    house.rule(2, "vision", namespace=["ml"])
    house.keep()
    assert house.amounts() == {"vision": 2400}
