"""What the lines of bills are for, by rules that match what a line says of itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import bill_rule_version

__all__ = ["BillRuleFact", "bill_rules_in_force", "put_bill_rules", "withdraw_bill_rules"]


@dataclass(frozen=True)
class BillRuleFact:
    """Lines that match are for what the action says; `[start_s, end_s)` is when their charge period begins.

    `matching` is canonical JSON: lists of patterns by attribute, those of tags by the tag's name. `action` is
    canonical JSON with one of `pays_for` (patterns of slots), `account`, `follows` (patterns of lots' names)
    and `leave_out` (why). Of several rules that match a line the one with the least `position` counts.
    """

    identity: str
    start_s: int
    end_s: int | None
    position: int
    matching: str
    action: str


def put_bill_rules(commit: Commit, facts: Iterable[BillRuleFact]) -> PutCount:
    """Make versions of the rules that are new or differ from what is in force.

    Raises OverlapError, naming both, where the same match would have two actions at once; nothing is written
    then.
    """
    known = bill_rules_in_force(commit.connection, commit.seq)
    return put(commit, bill_rule_version, known, facts, claim=lambda fact: (fact.matching,), what="bill rule")


def withdraw_bill_rules(commit: Commit, identities: Iterable[str]) -> int:
    """Take rules back; give how many of the identities were in force."""
    known = bill_rules_in_force(commit.connection, commit.seq)
    return withdraw(commit, bill_rule_version, known, identities)


def bill_rules_in_force(connection: Connection, seq: int) -> list[BillRuleFact]:
    """What was known at this seq, by identity."""
    return [
        BillRuleFact(row.identity, row.start_s, row.end_s, row.position, row.matching, row.action)
        for row in rows_in_force(connection, bill_rule_version, seq)
    ]
