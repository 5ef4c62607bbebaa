"""What the database keeps of the books: runs, heads, daily totals and rounding pools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from chargeback.closes import open_again
from chargeback.units import EntryDay, Partition, TimeDay
from gpuledger.errors import BooksError
from gpuledger.versions import Book, Database
from gpuledger.versions.tables import (
    book_head,
    entry_day,
    period_close,
    pool_total,
    restatement,
    run,
    time_day,
)

__all__ = [
    "Result",
    "begun_run",
    "engine_of",
    "find_run",
    "heads",
    "latest_head_seq",
    "load_run",
    "periods_with_books",
    "run_in_force",
    "runs_to_keep",
    "save_run",
]


_SUMMARY = {"charged", "data_through", "orphaned_ticks", "policies", "prices"}
"""What a run's summary says, at the least."""


@dataclass(frozen=True)
class Result:
    """One run of a period: what it wrote, its daily totals, and its rounding pools.

    Of each rounding pool `exact` is the total in quanta and `cents` in minor units. `pools` names the
    rounding pool of each lot whose money is not in that of a device class.
    """

    run_id: str
    period: str
    seq: int
    through_s: int
    partitions: list[Partition]
    entries: list[EntryDay]
    times: list[TimeDay]
    exact: dict[str, Fraction]
    cents: dict[str, int]
    pools: dict[str, str]
    summary: dict[str, Any]


@contextmanager
def begun_run(
    database: Database, book: Book, run_id: str, period: str, seq: int, engine_version: str, at_s: int
) -> Iterator[None]:
    """Say that a run is under way, so that no file it reads is swept; it is forgotten where it fails."""
    row = {"id": run_id, "book": book.name, "period": period, "seq": seq, "engine_version": engine_version}
    with database.write() as connection:
        connection.execute(insert(run).values(**row, state="running", started_at_s=at_s))
    try:
        yield
    except BaseException:
        with database.write() as connection:
            connection.execute(delete(run).where(run.c.id == run_id, run.c.state == "running"))
        raise


def save_run(database: Database, book: Book, result: Result, *, at_s: int, in_force: bool) -> None:
    """Keep a run, and where it is to be in force flip the period's heads to it: one transaction.

    A period that was closed provisionally is open again then; BooksError where it is closed.
    """
    with database.write() as connection:
        connection.execute(
            update(run)
            .where(run.c.id == result.run_id)
            .values(
                through_s=result.through_s,
                state="open",
                finished_at_s=at_s,
                summary=json.dumps(_kept_summary(result), sort_keys=True, ensure_ascii=False),
            )
        )
        keys = {"run_id": result.run_id, "book": book.name, "period": result.period}
        _insert(connection, entry_day, ({**keys, **asdict(row)} for row in result.entries))
        _insert(connection, time_day, ({**keys, **asdict(row)} for row in result.times))
        _insert(connection, pool_total, (_pool_row(result, name) for name in sorted(result.exact)))
        if in_force:
            open_again(connection, book.name, result.period, at_s)
            _flip(connection, book.name, result)


def _kept_summary(result: Result) -> dict[str, Any]:
    return result.summary | ({"rounding_pools": result.pools} if result.pools else {})


def _pool_row(result: Result, name: str) -> dict[str, Any]:
    exact = result.exact[name]
    return {
        "run_id": result.run_id,
        "rounding_pool": name,
        "period": result.period,
        "exact_num": str(exact.numerator),
        "exact_den": str(exact.denominator),
        "cents": result.cents[name],
    }


def _flip(connection: Connection, book: str, result: Result) -> None:
    connection.execute(delete(book_head).where(book_head.c.book == book, book_head.c.period == result.period))
    keys = {"book": book, "period": result.period, "run_id": result.run_id, "seq": result.seq}
    _insert(connection, book_head, ({**keys, **asdict(row)} for row in result.partitions))


def _insert(connection: Connection, table: Any, rows: Iterable[dict[str, Any]]) -> None:
    kept = list(rows)
    if kept:
        connection.execute(insert(table), kept)


def run_in_force(connection: Connection, book: str, period: str) -> str | None:
    """The run that a period's heads name, or None where the period has no books."""
    return connection.scalar(
        select(book_head.c.run_id).where(book_head.c.book == book, book_head.c.period == period).limit(1)
    )


def periods_with_books(connection: Connection, book: str) -> list[str]:
    """The months that have books, in order."""
    return sorted(connection.scalars(select(book_head.c.period).where(book_head.c.book == book).distinct()))


def find_run(connection: Connection, book: str, period: str, seq: int) -> str | None:
    """The latest run of a period at exactly this seq, or None."""
    return connection.scalar(
        select(run.c.id)
        .where(run.c.book == book, run.c.period == period, run.c.seq == seq, run.c.state != "running")
        .order_by(run.c.started_at_s.desc(), run.c.id)
        .limit(1)
    )


def engine_of(connection: Connection, run_id: str) -> str:
    """The version of gpuledger that computed a run."""
    return str(connection.scalar(select(run.c.engine_version).where(run.c.id == run_id)))


def load_run(connection: Connection, run_id: str) -> Result:
    """A run as it was saved, without its partitions."""
    row = connection.execute(select(run).where(run.c.id == run_id)).one_or_none()
    if row is None:
        raise BooksError(f"run {run_id} is not in the database", mend="run `gpuledger run` again")
    pools = connection.execute(select(pool_total).where(pool_total.c.run_id == run_id)).all()
    try:
        exact = {pool.rounding_pool: Fraction(int(pool.exact_num), int(pool.exact_den)) for pool in pools}
        summary = _read_summary(row.summary)
    except ValueError as error:
        raise BooksError(
            f"what the database says of run {run_id} of {row.period} is damaged: {error}",
            mend=f"run `gpuledger run --month {row.period}` again; where it is closed, bring a backup back",
        ) from error
    return Result(
        run_id=run_id,
        period=row.period,
        seq=row.seq,
        through_s=row.through_s,
        partitions=[],
        entries=[EntryDay(*found) for found in connection.execute(_days(entry_day, EntryDay, run_id))],
        times=[TimeDay(*found) for found in connection.execute(_days(time_day, TimeDay, run_id))],
        exact=exact,
        cents={pool.rounding_pool: pool.cents for pool in pools},
        pools=summary.pop("rounding_pools", {}),
        summary=summary,
    )


def _read_summary(text: str) -> dict[str, Any]:
    """The summary of a run; ValueError where it is not what a run writes."""
    summary: dict[str, Any] = json.loads(text)
    if lacking := _SUMMARY - summary.keys():
        raise ValueError(f"its summary lacks {', '.join(sorted(lacking))}")
    return summary


def _days(table: Any, kind: type, run_id: str) -> Any:
    names = list(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    return select(*(table.c[name] for name in names)).where(table.c.run_id == run_id)


def heads(connection: Connection, book: str, period: str) -> list[Row[Any]]:
    """The heads of a period: day, shard, run, rows, sum and digest."""
    return list(
        connection.execute(
            select(book_head)
            .where(book_head.c.book == book, book_head.c.period == period)
            .order_by(book_head.c.day, book_head.c.shard)
        )
    )


def latest_head_seq(connection: Connection, book: str, period: str) -> int | None:
    """The seq at which a period's books in force were made."""
    seq = connection.scalar(
        select(func.max(book_head.c.seq)).where(book_head.c.book == book, book_head.c.period == period)
    )
    return None if seq is None else int(seq)


def runs_to_keep(connection: Connection, since_s: int) -> set[str]:
    """The names under which files must stay: of runs in force, of closes and
    restatements with what they reached, of runs begun since an instant."""
    named = connection.execute(select(book_head.c.run_id).distinct()).scalars()
    closes = connection.execute(select(period_close.c.close_id)).scalars()
    counted = restatement.c.replaced_at_s.is_(None)
    restated = connection.execute(select(restatement.c.id, restatement.c.run_id).where(counted)).all()
    recent = connection.execute(select(run.c.id).where(run.c.started_at_s >= since_s)).scalars()
    return {*named, *closes, *recent, *(name for row in restated for name in row)}
