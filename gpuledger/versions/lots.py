"""Money that is no metered price, and since when that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import lot_version

__all__ = ["LOT_KINDS", "LotFact", "lots_in_force", "put_lots", "withdraw_lots"]

LOT_KINDS = ("purchase", "fee", "minimum", "depreciation", "energy", "credit", "tax", "true_up")


@dataclass(frozen=True)
class LotFact:
    """A lot as the terms say it, recognised over `[start_s, end_s)`, Unix seconds; `end_s` None is open.

    `amount` is exact decimal text in major units of the currency: of a purchase, a credit, a tax or a true-up
    the whole amount, of a fee what each period costs, of a minimum the least of it, of an asset its cost; ""
    where `details` say it. `details` is canonical JSON: what it pays for, how it is recognised, invoiced and
    rounded.
    """

    identity: str
    start_s: int
    end_s: int | None
    lot: str
    kind: str
    amount: str
    currency: str
    details: str
    source: str


def put_lots(commit: Commit, facts: Iterable[LotFact]) -> PutCount:
    """Make versions of the lots that are new or differ from what is in force.

    Raises OverlapError, naming both, where two lots of one name hold at the same time; nothing is written
    then.
    """
    known = lots_in_force(commit.connection, commit.seq)
    return put(commit, lot_version, known, facts, claim=lambda fact: (fact.lot,), what="lot")


def withdraw_lots(commit: Commit, identities: Iterable[str]) -> int:
    """Take lots back; give how many of the identities were in force."""
    return withdraw(commit, lot_version, lots_in_force(commit.connection, commit.seq), identities)


def lots_in_force(connection: Connection, seq: int) -> list[LotFact]:
    """What was known at this seq, by identity."""
    return [
        LotFact(
            identity=row.identity,
            start_s=row.start_s,
            end_s=row.end_s,
            lot=row.lot,
            kind=row.kind,
            amount=row.amount,
            currency=row.currency,
            details=row.details,
            source=row.source,
        )
        for row in rows_in_force(connection, lot_version, seq)
    ]
