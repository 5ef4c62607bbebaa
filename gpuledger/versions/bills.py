"""Bills as they were brought in, and since when each is known; their lines lie in the lake."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import bill_version

__all__ = ["BillFact", "bills_in_force", "put_bills", "withdraw_bills"]


@dataclass(frozen=True)
class BillFact:
    """A bill over its billing period `[start_s, end_s)`, Unix seconds.

    `rows` and `total` (decimal text) are what its lines come to, `stated_rows` and `stated_total` what they
    should come to, None and "" where nobody said. `digest` is over its lines as they were read.
    """

    identity: str
    start_s: int
    end_s: int | None
    provider: str
    billing_account: str
    invoice: str
    currency: str
    rows: int
    total: str
    stated_rows: int | None
    stated_total: str
    invoiced_s: int | None
    format: str
    digest: str
    source: str

    @property
    def billed_s(self) -> int:
        """When it counts as invoiced: where no instant is known, in the last second of its billing period."""
        if self.invoiced_s is not None:
            return self.invoiced_s
        return self.start_s if self.end_s is None else self.end_s - 1

    @property
    def claim(self) -> tuple[str, ...]:
        """What it bills: two bills of one account over one time are of different invoices."""
        return (self.provider, self.billing_account, self.invoice, self.currency)


def put_bills(commit: Commit, facts: Iterable[BillFact]) -> PutCount:
    """Make versions of the bills that are new or differ from what is in force.

    Raises OverlapError, naming both, where two bills claim the same at the same time; nothing is written
    then.
    """
    known = bills_in_force(commit.connection, commit.seq)
    return put(commit, bill_version, known, facts, claim=lambda fact: fact.claim, what="bill")


def withdraw_bills(commit: Commit, identities: Iterable[str]) -> int:
    """Take bills back; give how many of the identities were in force."""
    return withdraw(commit, bill_version, bills_in_force(commit.connection, commit.seq), identities)


def bills_in_force(connection: Connection, seq: int) -> list[BillFact]:
    """What was known at this seq, by identity."""
    return [
        BillFact(
            identity=row.identity,
            start_s=row.start_s,
            end_s=row.end_s,
            provider=row.provider,
            billing_account=row.billing_account,
            invoice=row.invoice,
            currency=row.currency,
            rows=row.rows,
            total=row.total,
            stated_rows=row.stated_rows,
            stated_total=row.stated_total,
            invoiced_s=row.invoiced_s,
            format=row.format,
            digest=row.digest,
            source=row.source,
        )
        for row in rows_in_force(connection, bill_version, seq)
    ]
