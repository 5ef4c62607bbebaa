"""Verifying: what must always hold of a period's books, each with the figures that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from chargeback.cents import UNOWNED
from chargeback.checks import FAILED, OK, OPEN, Check, ok
from chargeback.closes import CLOSED, PeriodClose, books_digest, find_close, logged_as, logged_last
from chargeback.desk import Desk
from chargeback.frozen_facts import facts_digest
from chargeback.layers import DISTRIBUTED, is_charged
from chargeback.ledger import Result, heads
from chargeback.meters import Window
from chargeback.outline import outline
from chargeback.period_terms import bills_of, terms_of
from chargeback.post import DISTRIBUTED_ENTRY, POSTED_ENTRIES, partition_digest
from chargeback.statement import By, Statement, gpu_hours, state_statement
from chargeback.terms.in_force import Seqs, terms_in_force
from chargeback.verify_money import verify_money
from chargeback.verify_restated import verify_restatements
from chargeback.workbench import Workbench
from gpuledger.calendars import month_bounds
from gpuledger.engine import files_sql
from gpuledger.money import currency, format_minor, format_quanta, half_up
from gpuledger.versions import Database, audit_chain

__all__ = ["verify_close", "verify_database", "verify_period"]


@dataclass(frozen=True)
class _Books:
    """The files of a period's books in force."""

    partitions: tuple[tuple[Path, str], ...]

    def scan(self, *names: str) -> str:
        """The rows of these files of all partitions."""
        asked = (folder / f"{name}.parquet" for folder, _ in self.partitions for name in names)
        paths = [path for path in asked if path.exists()]
        return f"read_parquet({files_sql(paths)}, hive_partitioning = false)"

    @property
    def has_time(self) -> bool:
        """Whether any slot has time at all; money alone has no more files to check."""
        return any((folder / "time_row.parquet").exists() for folder, _ in self.partitions)

    @property
    def distributed(self) -> str:
        """The rows of what was distributed; '' where nothing was."""
        paths = [folder / f"{DISTRIBUTED_ENTRY}.parquet" for folder, _ in self.partitions]
        there = [path for path in paths if path.exists()]
        return f"read_parquet({files_sql(there)}, hive_partitioning = false)" if there else ""


def verify_period(desk: Desk, period: str, result: Result) -> list[Check]:
    """Check the books in force of a period against their own files and totals, and against its close.

    Where a file of them has changed or is gone, that is said, and what would be read from files is left out.
    """
    made = state_statement(desk.book, result, By.owner)
    books = _books_of(desk, period)
    digests = _digests(books)
    with Workbench(desk.limits) as bench:
        # A changed file is not read: what it holds proves nothing, and it may not be Parquet any more.
        from_files = [] if digests.status == FAILED else _from_files(bench, books, result)
    checks = [
        _recognised(desk, result, made),
        _contested(made),
        *_lots(desk, period, result),
        *from_files,
        digests,
        *verify_close(desk, period),
        *verify_restatements(desk, period),
        _unpriced(made),
        _coverage(made),
    ]
    return sorted(checks, key=lambda check: int(check.name))


def _lots(desk: Desk, period: str, result: Result) -> Iterator[Check]:
    """1 and 8, where there are lots or bills at all."""
    with desk.database.read() as connection:
        agreed = terms_in_force(connection, Seqs.at(result.seq))
    if agreed.lots or agreed.bills or agreed.commitments:
        window = Window(*month_bounds(desk.book.zone, period))
        known = outline(desk, result.seq, window.start_s, window.end_s)
        terms = terms_of(desk, period, result.seq, known, agreed)
        yield from verify_money(terms, bills_of(desk, agreed, known, terms.fx, window), result)


def _from_files(bench: Workbench, books: _Books, result: Result) -> list[Check]:
    if not books.has_time:
        return []
    return [
        *_time(bench, books),
        _clearing(bench, books, result),
        _daily(bench, books, result),
        *_distributed(bench, books, result),
    ]


def _books_of(desk: Desk, period: str) -> _Books:
    with desk.database.read() as connection:
        rows = heads(connection, desk.book.name, period)
    root = desk.books / desk.book.name / period
    return _Books(tuple((root / row.day / str(row.shard) / f"run={row.run_id}", row.digest) for row in rows))


def _recognised(desk: Desk, result: Result, made: Statement) -> Check:
    """1: what is posted is the lots' exact amount but for floors; the statement is that, rounded once."""
    money = currency(desk.book.currency)
    posted = sum(row.amount for row in result.entries if is_charged(row) and row.layer != DISTRIBUTED)
    exact = sum(result.exact.values(), Fraction(0))
    rounded = sum(result.cents.values())
    apart = abs(posted - exact)
    good = rounded == made.total and apart < money.quanta_per_minor
    figures = (
        f"lots {format_quanta(half_up(exact), money)}, posted {format_quanta(posted, money)}, "
        f"statement {format_minor(made.total, money)} {money.code}"
    )
    return Check(
        "1", "recognised is what the lots cost; the statement is that, rounded once", ok(good), figures
    )


def _time(bench: Workbench, books: _Books) -> Iterator[Check]:
    rows = books.scan("time_row")
    slots, broken, ticks = bench.rows(
        f"""
        with piece as (
            select slot, from_s, sum(ticks) as ticks, max((to_s - from_s) * slot_ticks) as whole
            from {rows} group by slot, from_s
        )
        select
            count(distinct slot), cast(sum(case when ticks <> whole then 1 else 0 end) as bigint),
            cast(sum(ticks) as bigint)
        from piece
        """
    )[0]
    yield Check(
        "2",
        "each slot's time is in accounts exactly once",
        ok(not broken),
        f"{slots:,} slots, {gpu_hours(ticks or 0)} GPU-hours, {broken or 0} pieces that do not add up",
    )
    held, parts = bench.rows(
        f"""
        select
            cast(coalesce(sum(case when run <> '' then ticks else 0 end), 0) as bigint),
            cast(coalesce(sum(
                case when account in ('used', 'idle_held', 'held_unobserved') then ticks else 0 end
            ), 0) as bigint)
        from {rows}
        """
    )[0]
    figures = f"held {gpu_hours(held)}, in accounts {gpu_hours(parts)}"
    yield Check("2", "used + idle_held + held_unobserved = held", ok(held == parts), figures)


def _contested(made: Statement) -> Check:
    contested = made.figures.contested
    status = OPEN if contested else OK
    return Check("3", "nothing is claimed twice", status, f"{gpu_hours(contested)} contested GPU-hours")


def _clearing(bench: Workbench, books: _Books, result: Result) -> Check:
    """5: clearing is 0 per pool and piece."""
    pools, left = bench.rows(
        f"""
        with moved as (
            select pool, piece_s, sum(case
                when to_account = 'clearing' then amount when from_account = 'clearing' then -amount else 0
            end) as amount
            from {books.scan(*POSTED_ENTRIES)} group by pool, piece_s
        )
        select count(*), cast(coalesce(sum(abs(amount)), 0) as bigint) from moved
        """
    )[0]
    figures = f"{pools:,} pools by piece, {left} quanta left in clearing ({result.summary['charged']})"
    return Check("5", "each layer sums to 0, and clearing is 0 per pool and piece", ok(left == 0), figures)


def _daily(bench: Workbench, books: _Books, result: Result) -> Check:
    rows, total = bench.rows(
        f"select count(*), cast(coalesce(sum(amount), 0) as bigint) from {books.scan(*POSTED_ENTRIES)}"
    )[0]
    daily = sum(row.amount for row in result.entries if row.layer != DISTRIBUTED)
    figures = f"{rows:,} entries, {total} quanta in files, {daily} in the database"
    return Check("5", "the database's daily totals are the entries'", ok(total == daily), figures)


_BUCKETS = """
with posted as (
    select lot, pool, piece_s, cluster, to_account as account, state, sum(amount) as amount
    from {entries} where to_owner = '__account__' group by all
),
moved as (
    select
        lot, pool, piece_s, cluster, from_account as account, state, sum(amount) as amount,
        bool_or(from_account <> to_account or from_owner <> '__account__' or to_owner = '__account__') as odd
    from {distributed} group by all
)
select
    count(*), cast(sum(m.amount) as bigint),
    cast(count(case when m.odd or m.amount is distinct from p.amount then 1 end) as bigint)
from moved as m left join posted as p using (lot, pool, piece_s, cluster, account, state)
"""


def _distributed(bench: Workbench, books: _Books, result: Result) -> Iterator[Check]:
    """5: what is distributed leaves its account whole, to owners, and stays in the account that it was in."""
    rows = [row for row in result.entries if row.layer == DISTRIBUTED]
    if not books.distributed and not rows:
        return
    query = _BUCKETS.format(entries=books.scan("entry"), distributed=books.distributed)
    buckets, amount, odd = bench.rows(query)[0] if books.distributed else (0, 0, 0)
    taken = sum(row.amount for row in rows if row.owner != UNOWNED)
    left: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        left[row.day, row.lot, row.account, row.state, row.model, row.cluster] += row.amount
    good = not odd and taken == amount and not any(left.values())
    figures = f"{buckets:,} buckets, {odd} not whole; {amount} quanta in files, {taken} in the database"
    says = "what is distributed changes its owner, and no total of a lot, a pool or an account"
    yield Check("5", says, ok(good), figures)


def _digests(books: _Books) -> Check:
    changed = [folder for folder, digest in books.partitions if _digest(folder) != digest]
    figures = f"{len(books.partitions)} partitions, {len(changed)} changed"
    figures += f", their files not read any further: {'/'.join(changed[0].parts[-3:])}" if changed else ""
    return Check("7", "no file of the books has changed", ok(not changed), figures)


def _digest(folder: Path) -> str:
    try:
        return partition_digest(folder)
    except OSError:
        return ""


def verify_close(desk: Desk, period: str) -> Iterator[Check]:
    """7: what a close froze is as it was, and the audit log says so; nothing for an open period."""
    book = desk.book.name
    with desk.database.read() as connection:
        close = find_close(connection, book, period)
        logged = logged_last(connection, book, period)
        rows = "" if close is None else books_digest(connection, book, period, close.run_id)
    if close is None:
        if logged is not None:
            figures = "the audit log has its close, and the database has none"
            yield Check("7", "a period that was closed stays closed", FAILED, figures)
        return
    figures = f"{close.state} at seq {close.seq}, {close.statement_digest[:16]}…"
    yield Check("7", "the frozen statement is as it was closed", ok(close.is_intact), figures)
    figures = f"{close.books_digest[:16]}…"
    yield Check(
        "7",
        "the database's rows of the books are as they were closed",
        ok(rows == close.books_digest),
        figures,
    )
    facts = facts_digest(desk, period, close.close_id)
    figures = f"{close.facts_digest[:16]}…"
    yield Check("7", "the frozen facts are as they were closed", ok(facts == close.facts_digest), figures)
    yield _logged(close, logged)


def _logged(close: PeriodClose, logged: str | None) -> Check:
    """The row of the close, its statement's state and signatures included, is what the audit log says."""
    good = close.is_intact and logged == logged_as(close) and close.frozen["state"] == close.state
    figures = f"closed by {close.actor}" if close.state == CLOSED else f"{close.state}, by {close.actor}"
    return Check("7", "the audit log says the same of the close", ok(good), figures)


def verify_database(database: Database) -> list[Check]:
    """Check the audit log's chain of digests, and that the database's own file is sound."""
    damage = database.damage()
    figures = f"{len(damage)} faults" + "".join(f": {line}" for line in damage[:1])
    return [
        _log(database),
        Check("7", "the database's tables and indexes agree", ok(not damage), figures),
    ]


def _log(database: Database) -> Check:
    with database.read() as connection:
        chain = audit_chain(connection)
    broken = "" if chain.broken is None else f", row {chain.broken}: {chain.why}"
    figures = f"{chain.rows} rows, {chain.digest[:16]}…{broken}"
    return Check("7", "no row of the audit log was changed or is gone", ok(not broken), figures)


def _unpriced(made: Statement) -> Check:
    unpriced = made.figures.unpriced
    status = OPEN if unpriced else OK
    return Check("9", "all time has a price", status, f"{gpu_hours(unpriced)} unpriced GPU-hours")


def _coverage(made: Statement) -> Check:
    known = "unknown" if made.coverage is None else str(made.coverage)
    return Check("11", "figures that rest on samples carry their coverage", OK, f"coverage {known}")
