"""The file of teams: rules in their order, cut by cost centres, and every mistake with its line."""

from __future__ import annotations

import pytest

from chargeback.terms.entries import Faults
from chargeback.terms.teams_file import read_rules
from chargeback.terms.validity import Clock
from gpuledger.errors import InputError, OverlapError
from gpuledger.instants import format_utc
from gpuledger.versions import RuleFact
from gpuledger.yaml_files import read_yaml

TEAMS = "teams: [{team: language}, {team: vision}]\nrules:\n"
MATCH_A = "- {match: {namespace: a}, team: language"


def read(text: str) -> list[RuleFact]:
    faults = Faults()
    rules = read_rules(
        read_yaml(text, "teams.yaml", noun="teams file"), Clock(lambda: "Europe/Berlin"), faults
    )
    assert not faults.found, faults.found
    return rules


def refused(text: str) -> InputError:
    """The one error that the file has; a mend belongs to each."""
    faults = Faults()
    with faults.noted():
        read_rules(read_yaml(text, "teams.yaml", noun="teams file"), Clock(lambda: "UTC"), faults)
    (error,) = faults.found
    assert error.mend
    return error


def test_rules_keep_the_order_of_the_file() -> None:
    rules = read(
        TEAMS + "- {match: {namespace: z}, team: vision}\n- {match: {namespace: a}, team: language}\n"
    )
    assert [(rule.position, rule.matching, rule.team) for rule in rules] == [
        (1, '{"namespace":["z"]}', "vision"),
        (2, '{"namespace":["a"]}', "language"),
    ]


def test_rule_without_from_and_to_holds_always_and_a_date_is_of_the_books_zone() -> None:
    always, dated = read(
        TEAMS + "- {match: {account: a}, team: vision}\n"
        "- {match: {account: b}, team: vision, from: 2026-10-01, to: 2026-11-01T00:00Z}\n"
    )
    assert (always.start_s, always.end_s) == (0, None)
    assert format_utc(dated.start_s) == "2026-09-30T22:00:00Z"
    assert dated.end_s and format_utc(dated.end_s) == "2026-11-01T00:00:00Z"


def test_patterns_are_one_or_many_and_their_order_says_nothing() -> None:
    (rule,) = read(
        TEAMS + "- {match: {namespace: [nlp, ml-*, nlp], labels: {team: x}, cluster: c}, team: vision}\n"
    )
    (again,) = read(
        TEAMS + "- {match: {cluster: [c], labels: {team: [x]}, namespace: [ml-*, nlp]}, team: vision}\n"
    )
    assert rule == again
    assert rule.matching == '{"cluster":["c"],"labels":{"team":["x"]},"namespace":["ml-*","nlp"]}'
    assert rule.identity == f"{rule.matching}/1970-01-01T00:00:00Z"


def test_rule_is_cut_where_the_cost_centre_of_its_team_changes() -> None:
    rules = read("""
teams:
  - {team: language, cost_centre: CC-1, from: 2026-10-01T00:00Z, to: 2026-10-10T00:00Z}
  - {team: language, cost_centre: CC-2, from: 2026-10-10T00:00Z, to: 2026-10-20T00:00Z}
  - {team: language, cost_centre: CC-2, from: 2026-10-20T00:00Z, to: 2026-10-25T00:00Z}
  - {team: vision, cost_centre: CC-9}
rules:
  - {match: {namespace: a}, team: language, from: 2026-10-05T00:00Z}
""")
    assert [(rule.cost_centre, format_utc(rule.start_s)[:10], rule.end_s is None) for rule in rules] == [
        ("CC-1", "2026-10-05", False),
        ("CC-2", "2026-10-10", False),
        (None, "2026-10-25", True),
    ]
    assert {rule.position for rule in rules} == {1}
    assert [rule.end_s for rule in rules[:2]] == [rule.start_s for rule in rules[1:]]


def test_team_may_be_named_like_a_formula() -> None:
    (rule,) = read('teams: [{team: "=cmd()"}]\nrules: [{match: {account: a}, team: "=cmd()"}]\n')
    assert rule.team == "=cmd()"


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (TEAMS + "- {match: {namespace: a}, team: langauge}\n", "langauge is not among the teams", 3),
        (TEAMS + "- {match: {}, team: vision}\n", "match says nothing to match by", 3),
        (TEAMS + "- match:\n    labels: {}\n  team: vision\n", "labels", 4),
        (TEAMS + "- match:\n    namespace: []\n  team: vision\n", "namespace", 4),
        (TEAMS + "- match:\n    namespace: ''\n  team: vision\n", "it is empty", 4),
        (TEAMS + "- match: {namespac: a}\n  team: vision\n", "namespac is not a key", 3),
        (TEAMS + "- match: {namespace: a}\n", "team is missing", 3),
        (TEAMS + MATCH_A + ",\n   from: 2026-10-02, to: 2026-10-02}\n", "is not after from", 4),
        (TEAMS + MATCH_A + ",\n   from: soon}\n", "'soon' is not an instant", 4),
        ("teams:\n- {team: __conflict__}\nrules: []\n", "a name that gpuledger keeps", 2),
        ("teams:\n- team: a\n  cost_centre: __x\nrules: []\n", "a name that gpuledger keeps", 3),
        ("teams:\n- {team: ''}\nrules: []\n", "it is empty", 2),
        ('teams:\n- {team: "a\\nb"}\nrules: []\n', "characters that do not print", 2),
        ("teams: []\n", "rules is missing", None),
        ("# nothing\n", "the file is empty", None),
        ("teams: []\nrules:\n", "rules: ", 2),
        ("teams: []\nrules: []\nteams: []\n", "given twice", 3),
        ("teams:\n\t- {team: a}\n", "a tab", 2),
    ],
)
def test_mistake_is_named_with_its_line(text: str, message: str, line: int | None) -> None:
    with pytest.raises(InputError) as caught:
        raise refused(text)
    assert message in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.line == line


def test_mend_names_the_nearest_team_or_all() -> None:
    assert (
        refused(TEAMS + "- {match: {namespace: a}, team: langauge}\n").mend
        == "write language, or add it to teams"
    )
    assert "write language or vision" in refused(TEAMS + "- {match: {namespace: a}, team: q}\n").mend
    assert refused("teams: []\nrules: [{match: {account: a}, team: q}]\n").mend == "add it to teams"


def test_team_with_two_cost_centres_at_once_is_an_error_that_names_both_lines() -> None:
    error = refused(
        "teams:\n- {team: a, cost_centre: CC-1}\n- {team: b}\n"
        "- {team: a, cost_centre: CC-2, from: 2026-10-01T00:00Z}\nrules: []\n"
    )
    assert isinstance(error, OverlapError)
    assert error.message == "lines 2 and 4 both give the cost centre of a at the same time"


def test_every_mistake_of_a_file_is_found_at_once() -> None:
    faults = Faults()
    text = (
        "teams:\n- {team: __x}\nrules:\n- {match: {}, team: a}\n- {match: {account: a}, team: a, from: x}\n"
    )
    read_rules(read_yaml(text.replace("rules:", "- {team: a}\nrules:"), "t"), Clock(lambda: "UTC"), faults)
    assert [error.place and error.place.line for error in faults.found] == [2, 5, 6]
