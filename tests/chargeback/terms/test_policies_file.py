"""The file of policies: a choice from a month on, until the next one."""

from __future__ import annotations

import pytest

from chargeback.policies import policies_at
from chargeback.terms.entries import Faults
from chargeback.terms.policies_file import read_policies
from gpuledger.calendars import month_bounds
from gpuledger.errors import InputError
from gpuledger.versions import PolicyFact
from gpuledger.yaml_files import read_yaml

ZONE = "Asia/Tokyo"


def read(entries: str) -> tuple[list[PolicyFact], list[InputError]]:
    faults, facts = Faults(), []
    with faults.noted():
        document = read_yaml(f"policies:\n{entries}", "policies.yaml", noun="policies file")
        facts = read_policies(document, ZONE, faults)
    return facts, faults.found


def test_choice_holds_from_its_month_until_the_next_one() -> None:
    facts, _ = read(
        "- {policy: unmatched_owner, choice: unknown/1, from: 2026-10}\n"
        "- {policy: unmatched_owner, choice: own_team/1}\n"
    )
    october = month_bounds(ZONE, "2026-10")[0]
    assert [(fact.choice, fact.start_s, fact.end_s) for fact in facts] == [
        ("own_team/1", 0, october),
        ("unknown/1", october, None),
    ]
    chosen = [
        policies_at(facts, "pooled", month_bounds(ZONE, month)[0])["unmatched_owner"]
        for month in ("2026-09", "2026-10")
    ]
    assert chosen == ["own_team/1", "unknown/1"]


@pytest.mark.parametrize(
    ("entry", "message", "mend"),
    [
        ("policy: unmatched, choice: unknown/1", "unmatched is no policy", "write unmatched_owner"),
        (
            "policy: unmatched_owner, choice: unknown/2",
            "unknown/2 is no choice of unmatched_owner",
            "write unknown/1; known: own_team/1, unknown/1",
        ),
        (
            "policy: unmatched_owner, choice: unknown/1, from: 2026-10-01",
            "from: '2026-10-01' is not a month",
            "write year and month, like 2026-10",
        ),
        ("policy: unmatched_owner", "choice is missing", "docs/terms.md"),
        ("policy: unmatched_owner, choice: unknown/1, form: x", "form is not a key", "write from"),
    ],
)
def test_mistake_is_named_with_its_line_and_what_is_known(entry: str, message: str, mend: str) -> None:
    _, (error,) = read(f"- {{{entry}}}\n")
    assert message in error.message
    assert mend in error.mend
    assert str(error.place) == "policies.yaml, line 2"


def test_policy_chosen_twice_from_one_month_names_both_lines() -> None:
    entry = "- {policy: unmatched_owner, choice: %s, from: 2026-10}\n"
    _, (error,) = read(entry % "unknown/1" + entry % "own_team/1")
    assert error.message == "lines 2 and 3 choose unmatched_owner from the same month"
    assert str(error.place) == "policies.yaml, line 3"
