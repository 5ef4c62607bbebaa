"""Which team and cost centre an owner key belongs to, and since when that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import owner_version

__all__ = ["OwnerFact", "owners_in_force", "put_owners", "withdraw_owners"]


@dataclass(frozen=True)
class OwnerFact:
    """An owner key belongs to a team over `[start_s, end_s)`, Unix seconds; `end_s` None is open."""

    identity: str
    start_s: int
    end_s: int | None
    owner_key: str
    team: str
    cost_centre: str | None = None


def put_owners(commit: Commit, facts: Iterable[OwnerFact]) -> PutCount:
    """Make versions of the owners that are new or differ from what is in force.

    Raises OverlapError, naming both, where one owner key would belong to two teams at once; nothing is
    written then.
    """
    known = owners_in_force(commit.connection, commit.seq)
    return put(commit, owner_version, known, facts, claim=lambda fact: (fact.owner_key,), what="owner")


def withdraw_owners(commit: Commit, identities: Iterable[str]) -> int:
    """Take owners back; give how many of the identities were in force."""
    known = owners_in_force(commit.connection, commit.seq)
    return withdraw(commit, owner_version, known, identities)


def owners_in_force(connection: Connection, seq: int) -> list[OwnerFact]:
    """What was known at this seq, by identity."""
    return [
        OwnerFact(row.identity, row.start_s, row.end_s, row.owner_key, row.team, row.cost_centre)
        for row in rows_in_force(connection, owner_version, seq)
    ]
