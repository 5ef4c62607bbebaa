"""Who may use how much of a pool, what of it is lent, whose the pool is, and since when that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection

from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import entitlement_version

__all__ = ["EntitlementFact", "entitlements_in_force", "put_entitlements", "withdraw_entitlements"]

Kind = Literal["entitled", "lent", "pool"]


@dataclass(frozen=True)
class EntitlementFact:
    """A team's claim on the devices of a model in a region over `[start_s, end_s)`, Unix seconds.

    `end_s` None is open. Of kind `entitled` the team may use `units` devices; of kind `lent` it leaves
    `units` of those to `borrower`; of kind `pool` the pool is its own, and `units` is 0. `cost_centre` is
    the team's, None where the terms say nothing of the team itself.
    """

    identity: str
    start_s: int
    end_s: int | None
    kind: Kind
    team: str
    model: str
    region: str
    units: int = 0
    borrower: str = ""
    cost_centre: str | None = None

    @property
    def claim(self) -> tuple[str, ...]:
        """What it speaks about; two that hold at the same time may not speak about the same."""
        whose = () if self.kind == "pool" else (self.team, self.borrower)
        return (self.kind, *whose, self.model, self.region)


def put_entitlements(commit: Commit, facts: Iterable[EntitlementFact]) -> PutCount:
    """Make versions of the entitlements that are new or differ from what is in force.

    Raises OverlapError, naming both, where two of the same claim hold at the same time; nothing is written
    then.
    """
    known = entitlements_in_force(commit.connection, commit.seq)
    return put(commit, entitlement_version, known, facts, claim=lambda fact: fact.claim, what="entitlement")


def withdraw_entitlements(commit: Commit, identities: Iterable[str]) -> int:
    """Take entitlements back; give how many of the identities were in force."""
    known = entitlements_in_force(commit.connection, commit.seq)
    return withdraw(commit, entitlement_version, known, identities)


def entitlements_in_force(connection: Connection, seq: int) -> list[EntitlementFact]:
    """What was known at this seq, by identity."""
    return [
        EntitlementFact(
            identity=row.identity,
            start_s=row.start_s,
            end_s=row.end_s,
            kind=row.kind,
            team=row.team,
            model=row.model,
            region=row.region,
            units=row.units,
            borrower=row.borrower,
            cost_centre=row.cost_centre,
        )
        for row in rows_in_force(connection, entitlement_version, seq)
    ]
