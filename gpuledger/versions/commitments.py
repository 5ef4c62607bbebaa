"""Commitments: capacity or spend that is paid for whether it is used or not, and since when that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import commitment_version

__all__ = ["CommitmentFact", "commitments_in_force", "put_commitments", "withdraw_commitments"]


@dataclass(frozen=True)
class CommitmentFact:
    """A commitment over `[start_s, end_s)`, Unix seconds.

    `kind` is what its provider calls it, such as `aws_savings_plan`. `details` is canonical JSON: what is
    committed and paid, what it covers, in which turn, how it is invoiced and rounded.
    """

    identity: str
    start_s: int
    end_s: int
    commitment: str
    kind: str
    currency: str
    details: str
    source: str


def put_commitments(commit: Commit, facts: Iterable[CommitmentFact]) -> PutCount:
    """Make versions of the commitments that are new or differ from what is in force.

    Raises OverlapError, naming both, where two of one name hold at the same time; nothing is written then.
    """
    known = commitments_in_force(commit.connection, commit.seq)
    return put(
        commit, commitment_version, known, facts, claim=lambda fact: (fact.commitment,), what="commitment"
    )


def withdraw_commitments(commit: Commit, identities: Iterable[str]) -> int:
    """Take commitments back; give how many of the identities were in force."""
    known = commitments_in_force(commit.connection, commit.seq)
    return withdraw(commit, commitment_version, known, identities)


def commitments_in_force(connection: Connection, seq: int) -> list[CommitmentFact]:
    """What was known at this seq, by identity."""
    return [
        CommitmentFact(
            identity=row.identity,
            start_s=row.start_s,
            end_s=row.end_s,
            commitment=row.commitment,
            kind=row.kind,
            currency=row.currency,
            details=row.details,
            source=row.source,
        )
        for row in rows_in_force(connection, commitment_version, seq)
    ]
