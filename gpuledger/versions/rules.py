"""Which holdings belong to which team, by rules that match what a holding says of itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import owner_rule_version

__all__ = ["RuleFact", "put_rules", "rules_in_force", "withdraw_rules"]


@dataclass(frozen=True)
class RuleFact:
    """Holdings that match belong to a team over `[start_s, end_s)`, Unix seconds; `end_s` None is open.

    `matching` is canonical JSON: lists of patterns by attribute. Of several rules that match a holding the
    one with the least `position` counts.
    """

    identity: str
    start_s: int
    end_s: int | None
    position: int
    matching: str
    team: str
    cost_centre: str | None = None


def put_rules(commit: Commit, facts: Iterable[RuleFact]) -> PutCount:
    """Make versions of the rules that are new or differ from what is in force.

    Raises OverlapError, naming both, where the same match would give two teams at once; nothing is written
    then.
    """
    known = rules_in_force(commit.connection, commit.seq)
    return put(commit, owner_rule_version, known, facts, claim=lambda fact: (fact.matching,), what="rule")


def withdraw_rules(commit: Commit, identities: Iterable[str]) -> int:
    """Take rules back; give how many of the identities were in force."""
    known = rules_in_force(commit.connection, commit.seq)
    return withdraw(commit, owner_rule_version, known, identities)


def rules_in_force(connection: Connection, seq: int) -> list[RuleFact]:
    """What was known at this seq, by identity."""
    return [
        RuleFact(row.identity, row.start_s, row.end_s, row.position, row.matching, row.team, row.cost_centre)
        for row in rows_in_force(connection, owner_rule_version, seq)
    ]
