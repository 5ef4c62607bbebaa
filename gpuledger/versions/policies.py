"""Which alternative of each policy is chosen, and since when that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import policy_version

__all__ = ["PolicyFact", "policies_in_force", "put_policies", "withdraw_policies"]


@dataclass(frozen=True)
class PolicyFact:
    """A policy's choice over `[start_s, end_s)`, Unix seconds; `end_s` None is open."""

    identity: str
    start_s: int
    end_s: int | None
    policy: str
    choice: str


def put_policies(commit: Commit, facts: Iterable[PolicyFact]) -> PutCount:
    """Make versions of the choices that are new or differ from what is in force.

    Raises OverlapError, naming both, where one policy would have two choices at once; nothing is written
    then.
    """
    known = policies_in_force(commit.connection, commit.seq)
    return put(commit, policy_version, known, facts, claim=lambda fact: (fact.policy,), what="policy")


def withdraw_policies(commit: Commit, identities: Iterable[str]) -> int:
    """Take choices back; give how many of the identities were in force."""
    known = policies_in_force(commit.connection, commit.seq)
    return withdraw(commit, policy_version, known, identities)


def policies_in_force(connection: Connection, seq: int) -> list[PolicyFact]:
    """What was known at this seq, by identity."""
    return [
        PolicyFact(row.identity, row.start_s, row.end_s, row.policy, row.choice)
        for row in rows_in_force(connection, policy_version, seq)
    ]
