"""What one currency is worth in another, day by day, and since when that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import fx_version

__all__ = ["FxFact", "fx_in_force", "put_fx", "withdraw_fx"]


@dataclass(frozen=True)
class FxFact:
    """`rate` units of `quote` for one of `base`, as decimal text, on a day (YYYY-MM-DD).

    `[start_s, end_s)` is the day in UTC, Unix seconds. Which rate counts on a day without one is up to who
    converts.
    """

    identity: str
    start_s: int
    end_s: int | None
    base: str
    quote: str
    day: str
    rate: str
    source: str


def put_fx(commit: Commit, facts: Iterable[FxFact]) -> PutCount:
    """Make versions of the rates that are new or differ from what is in force.

    Raises OverlapError, naming both, where one pair would have two rates on a day; nothing is written then.
    """
    known = fx_in_force(commit.connection, commit.seq)
    return put(commit, fx_version, known, facts, claim=_pair, what="exchange rate")


def withdraw_fx(commit: Commit, identities: Iterable[str]) -> int:
    """Take rates back; give how many of the identities were in force."""
    return withdraw(commit, fx_version, fx_in_force(commit.connection, commit.seq), identities)


def fx_in_force(connection: Connection, seq: int) -> list[FxFact]:
    """What was known at this seq, by identity."""
    return [
        FxFact(
            identity=row.identity,
            start_s=row.start_s,
            end_s=row.end_s,
            base=row.base,
            quote=row.quote,
            day=row.day,
            rate=row.rate,
            source=row.source,
        )
        for row in rows_in_force(connection, fx_version, seq)
    ]


def _pair(fact: FxFact) -> tuple[str, ...]:
    return (fact.base, fact.quote)
