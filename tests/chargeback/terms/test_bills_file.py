"""The file of bills: rules for what their lines are for."""

from __future__ import annotations

import json

import pytest

from chargeback.terms.bills_file import read_bill_rules
from chargeback.terms.entries import Faults
from chargeback.terms.validity import Clock
from gpuledger.calendars import month_bounds
from gpuledger.errors import InputError
from gpuledger.versions import BillRuleFact, Database, bill_rules_in_force, put_bill_rules
from gpuledger.yaml_files import read_yaml

ZONE = "Asia/Tokyo"


def read(text: str) -> tuple[list[BillRuleFact], list[InputError]]:
    faults = Faults()
    document = read_yaml(text, "bills.yaml", noun="bills file")
    with faults.noted():
        return read_bill_rules(document, Clock(lambda: ZONE), faults), faults.found
    return [], faults.found


RULES = """\
rules:
- match: {provider: AWS, service: [EKS, ECS], tags: {team: [b, a, a]}}
  pays_for: {cluster: train, node: ["gpu-*"]}
- match: {service_category: Storage}
  pays_for: {cluster: train}
  beside: true
- match: {category: Tax}
  account: tax_recoverable
  from: 2026-10-01
- match: {description: "*support*"}
  follows: ["lot:*", "bill:*"]
- match: {sub_account: "99"}
  leave_out: the web shop's
"""


def test_each_rule_says_what_it_matches_and_what_such_lines_are_for() -> None:
    facts, faults = read(RULES)
    assert faults == []
    assert [one.position for one in facts] == [1, 2, 3, 4, 5]
    assert [json.loads(one.matching) for one in facts] == [
        {"provider": ["AWS"], "service": ["ECS", "EKS"], "tags": {"team": ["a", "b"]}},
        {"service_category": ["Storage"]},
        {"category": ["Tax"]},
        {"description": ["*support*"]},
        {"sub_account": ["99"]},
    ]
    assert [json.loads(one.action) for one in facts] == [
        {"pays_for": {"cluster": ["train"], "node": ["gpu-*"]}},
        {"pays_for": {"cluster": ["train"]}, "beside": True},
        {"account": "tax_recoverable"},
        {"follows": ["lot:*", "bill:*"]},
        {"leave_out": "the web shop's"},
    ]
    assert [one.start_s for one in facts] == [0, 0, month_bounds(ZONE, "2026-10")[0], 0, 0]


def test_rules_are_versions_that_are_put_and_withdrawn(tmp_path: object) -> None:
    database = Database.open(f"sqlite:///{tmp_path}/home.db")
    facts, _ = read(RULES)
    with database.commit("apply", at_s=1) as commit:
        assert put_bill_rules(commit, facts).new == 5
    with database.read() as connection:
        assert sorted(bill_rules_in_force(connection, 1), key=lambda one: one.position) == facts
        assert bill_rules_in_force(connection, 0) == []
    database.close()


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{match: {}, account: shared}", "match says nothing to match by"),
        ("{match: {category: Tax}}", "the rule says nothing of what its lines are for"),
        ("{match: {category: Tax}, account: shared, leave_out: x}", "the rule says account and leave_out"),
        ("{match: {category: Tax}, account: used}", "used is no account that lines of a bill may go to"),
        ("{match: {category: Tax}, pays_for: {}}", "pays_for names no slots"),
        ("{match: {category: Tax}, pays_for: {rack: a}}", "rules.0.pays_for.rack is not a key"),
        ("{match: {colour: red}, account: shared}", "rules.0.match.colour is not a key"),
        ("{match: {tags: {}}, account: shared}", "rules.0.match.tags: Dictionary should have at least 1"),
        ("{match: {category: []}, account: shared}", "rules.0.match.category: List should have at least 1"),
        (
            "{match: {category: Tax}, account: shared, beside: true}",
            "beside is true, in a rule that says acc",
        ),
        ("{match: {category: Tax}, pays_for: {node: a}, beside: yes}", "beside is yes, in a rule that says"),
        ("{match: {category: Tax}, leave_out: ''}", "rules.0.leave_out: it is empty"),
        ("{match: {category: Tax}, account: shared, from: later}", "'later' is not an instant"),
    ],
)
def test_a_rule_that_is_wrong_is_told_with_its_line(rule: str, message: str) -> None:
    facts, faults = read(f"rules:\n- {rule}\n")
    assert not facts
    assert [one.message[: len(message)] for one in faults] == [message]
    assert [one.place and one.place.line for one in faults] == [2]
    assert all(one.mend for one in faults)


def test_a_rule_that_can_never_count_is_a_mistake() -> None:
    _, faults = read(
        "rules:\n- {match: {category: '*'}, account: shared}\n- {match: {category: Tax}, account: overhead}\n"
    )
    assert [one.message for one in faults] == ["line 3 can never count: line 2 matches all of it"]


def test_two_rules_may_match_the_same_one_after_the_other() -> None:
    facts, faults = read(
        "rules:\n- {match: {category: Tax}, account: shared, to: 2026-10-01}\n"
        "- {match: {category: Tax}, account: overhead, from: 2026-10-01}\n"
    )
    assert faults == []
    assert facts[0].end_s == facts[1].start_s
    assert facts[0].identity != facts[1].identity
