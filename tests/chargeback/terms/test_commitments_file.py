"""The file of commitments: read whole, or refused with the line and the mend of each thing that is wrong."""

from __future__ import annotations

import json

import pytest

from chargeback.commitments.details import read_details, written_details
from chargeback.commitments.kinds import KINDS
from chargeback.terms.commitments_file import read_commitments
from chargeback.terms.entries import Faults
from chargeback.terms.validity import Clock
from gpuledger.errors import BooksError, InputError
from gpuledger.instants import format_utc
from gpuledger.versions import CommitmentFact
from gpuledger.yaml_files import read_yaml

TERM = "commitment: a, currency: USD, from: 2026-01-01, to: 2027-01-01"
NODES = f"{TERM}, kind: reserved_nodes, covers: {{node: r-*}}, quantity: 4, each_hour: 2"
PLAN = f"{TERM}, kind: aws_compute_savings_plan, covers: {{sku: g5.*, discount: 0.3}}, spend_per_hour: 10"
BLOCK = (
    "commitment: b, currency: USD, kind: aws_capacity_block, covers: {reservation: cr-1}, quantity: 1, "
    "upfront: 99, from: 2026-05-01T11:30Z, to: 2026-05-03T11:30Z"
)


def read(*entries: str, zone: str = "UTC") -> tuple[list[CommitmentFact], list[InputError]]:
    """The facts of a file with these entries, the first in line 2, and all that is wrong in it."""
    faults, facts = Faults(), list[CommitmentFact]()
    text = "commitments:" + "".join(f"\n- {{{entry}}}" for entry in entries) + "\n"
    with faults.noted():
        document = read_yaml(text, "commitments.yaml", noun="commitments file")
        facts = read_commitments(document, Clock(lambda: zone), faults)
    return facts, faults.found


def fact(entry: str, zone: str = "UTC") -> CommitmentFact:
    (found,), faults = read(entry, zone=zone)
    assert not faults
    return found


def test_an_entry_is_a_fact_with_the_rules_of_its_kind() -> None:
    found = fact(f"{NODES}, upfront: 100.50, invoiced: {{on: 2025-12-20, number: I-1}}, monthly: in_advance")
    assert (found.commitment, found.kind, format_utc(found.end_s)) == (
        "a",
        "reserved_nodes",
        "2027-01-01T00:00:00Z",
    )
    details = read_details(found.details, "a")
    kind = KINDS["reserved_nodes"]
    assert (details.measure, details.window, details.turn) == (kind.measure, kind.window, kind.turn)
    assert [(step.from_s, step.value) for step in details.committed] == [(found.start_s, "4")]
    assert details.covers[0].slots == {"node": ("r-*",)}
    assert [(one.amount, one.number) for one in details.invoices] == [("100.5", "I-1")]
    assert (details.rounding_pool, details.monthly) == ("commitment:a:USD", "in_advance")
    assert written_details(details) == found.details


def test_days_are_those_of_the_books_zone() -> None:
    assert format_utc(fact(NODES, zone="Asia/Kolkata").start_s) == "2025-12-31T18:30:00Z"


def test_what_is_committed_may_change_in_its_time() -> None:
    steps = "[{value: 4}, {from: 2026-07-01, value: 6.5}]"
    details = read_details(fact(NODES.replace("quantity: 4", f"quantity: {steps}")).details, "a")
    assert [(format_utc(one.from_s)[:10], one.value) for one in details.committed] == [
        ("2026-01-01", "4"),
        ("2026-07-01", "6.5"),
    ]


def test_a_block_that_is_extended_has_no_half_hour_that_cannot_be_used() -> None:
    assert read_details(fact(BLOCK).details, "b").tail_s == 1800
    assert read_details(fact(f"{BLOCK}, extended: true").details, "b").tail_s == 0


@pytest.mark.parametrize(
    ("entry", "message", "mend"),
    [
        (
            NODES.replace("reserved_nodes", "reserved_node"),
            "is no kind of commitment; they are aws_",
            "terms",
        ),
        (NODES.replace(", to: 2027-01-01", ""), "a: to is missing", "the first instant at which it is over"),
        (NODES.replace("quantity: 4", "spend_per_hour: 4"), "a reserved_nodes needs quantity", "how many"),
        (f"{NODES}, spend_per_hour: 4", "a reserved_nodes needs quantity alone", "write quantity"),
        (PLAN.replace("spend_per_hour", "quantity"), "needs spend_per_hour alone", "committed an hour"),
        (f"{PLAN}, each_hour: 2", "what is committed is what it costs", "leave each_hour"),
        (NODES.replace(", each_hour: 2", ""), "nothing says what it costs", "write upfront, each_hour"),
        (PLAN.replace(", discount: 0.3", ""), "each entry needs its rate or its discount", "rate: 2.10"),
        (PLAN.replace("discount: 0.3", "discount: 0.3, rate: 2"), "each entry needs its rate", "rate: 2.10"),
        (PLAN.replace("discount: 0.3", "discount: 30"), "30 is no part", "docs"),
        (NODES.replace("node: r-*", "node: r-*, rate: 1"), "it has no rates", "leave them out"),
        (NODES.replace("node: r-*", "counts_for: 2"), "entry 1 names no slots", "name what it covers"),
        (NODES.replace("node: r-*", "node: r-*, counts_for: 0"), "0 is not above 0", "docs"),
        (f"{NODES}, invoiced: {{on: 2026-01-01, amount: 5}}", "its invoices come to 5", "invoiced monthly"),
        (
            BLOCK.replace("03T11:30Z", "03T12:00Z"),
            "a capacity block ends at 11:30 UTC",
            "that the offer says",
        ),
        (
            NODES.replace("quantity: 4", "quantity: [{value: 4}, {from: 2028-01-01, value: 6}]"),
            "its steps do not follow one another",
            "leave out the from of the first",
        ),
        (NODES.replace("each_hour: 2", "each_hour: 2, colour: red"), "colour is not a key", ""),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_its_mend(entry: str, message: str, mend: str) -> None:
    _, faults = read(entry)
    (found,) = faults
    assert message in found.message and mend in (found.mend or "")
    assert found.place is not None and found.place.line == 2


def test_a_name_that_comes_twice_is_refused_with_both_lines() -> None:
    _, (found,) = read(NODES, NODES.replace("2027", "2028").replace("2026", "2027"))
    assert "another commitment, at line 2" in found.message
    assert found.place is not None and found.place.line == 3


def test_all_that_is_wrong_is_found_at_once() -> None:
    facts, faults = read(f"{NODES}, spend_per_hour: 4", BLOCK, PLAN.replace(", discount: 0.3", ""))
    assert len(faults) == 2 and [one.commitment for one in facts] == ["b"]


def test_details_of_another_version_are_refused_by_name() -> None:
    said = json.loads(fact(NODES).details)
    with pytest.raises(BooksError, match="commitment a: its details are of version 2"):
        read_details(json.dumps(said | {"version": 2}), "a")
    with pytest.raises(BooksError, match="commitment a: its details are damaged"):
        read_details(json.dumps(said | {"turn": "soon"}), "a")
