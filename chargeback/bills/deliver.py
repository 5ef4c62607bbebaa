"""Write bills: their versions, their lines and the rows that cannot be right, in one commit or not at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from chargeback.bills.cells import BadRow
from chargeback.bills.completeness import Stated
from chargeback.bills.in_force import known_lines
from chargeback.bills.overlap import find_overlaps, refuse_overlaps
from chargeback.bills.reading import CONTENT, Reading, content_hash
from chargeback.bills.texts import AddedUp
from gpuledger.errors import InputError
from gpuledger.lake import Lake, StagedFile, table_schema
from gpuledger.lake.arrow import pa
from gpuledger.lake.reading import read_known
from gpuledger.versions import BillFact, Database, bills_in_force, put_bills, withdraw_bills

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Delivery", "Outcome", "deliver_bills"]

Change = Literal["new", "changed", "unchanged"]

_SOURCE = "bill"
_AT_ONCE = 50_000
_LAKE = table_schema("bill_line")
_KNOWN = ("identity", "source", "bill", "line", *CONTENT)


@dataclass(frozen=True)
class Delivery:
    """Bills to be written: what files say, what each should have, which others give way or stand beside."""

    reading: Reading
    stated: Mapping[str, Stated]
    invoiced_s: int | None
    replaced: Collection[str]
    beside: Collection[str]


@dataclass(frozen=True)
class Outcome:
    """What was written: the seq, each bill as it now stands and how it changed, and the lines written."""

    seq: int
    bills: tuple[tuple[BillFact, Change], ...]
    lines: int
    withdrawn: int
    replaced: tuple[str, ...]


@dataclass(frozen=True)
class _Plan:
    bills: tuple[tuple[BillFact, Change], ...]
    replaced: tuple[str, ...]
    staged: list[StagedFile]
    lines: int
    withdrawn: int

    @property
    def says_new(self) -> bool:
        return bool(self.staged or self.replaced or any(change != "unchanged" for _, change in self.bills))


def deliver_bills(
    connection: DuckDBPyConnection, database: Database, lake: Lake, delivery: Delivery, *, at_s: int
) -> Outcome:
    """Write the bills whose lines are the table `line`; what says nothing new makes no commit.

    Raises `OverlapError` where one shares money with another that is in force, InputError where a bill that
    is to give way is not in force; nothing is written then.
    """
    seq = database.latest_seq()
    plan = _plan(connection, database, lake, delivery, seq, at_s)
    if not plan.says_new:
        return _outcome(plan, seq)
    note = ", ".join(path.name for path in delivery.reading.rows)
    with database.commit("import bill", at_s=at_s, note=note) as commit:
        if commit.seq != seq + 1:
            lake.discard(plan.staged)
            plan = _plan(connection, database, lake, delivery, commit.seq - 1, at_s)
        withdraw_bills(commit, plan.replaced)
        put_bills(commit, [fact for fact, _ in plan.bills])
        lake.publish(commit, plan.staged)
    lake.write_manifest()
    return _outcome(plan, commit.seq)


def _outcome(plan: _Plan, seq: int) -> Outcome:
    return Outcome(seq, plan.bills, plan.lines, plan.withdrawn, plan.replaced)


def _plan(
    connection: DuckDBPyConnection,
    database: Database,
    lake: Lake,
    delivery: Delivery,
    seq: int,
    at_s: int,
) -> _Plan:
    with database.read() as reading:
        known = {fact.identity: fact for fact in bills_in_force(reading, seq)}
    _refuse_unknown(known, [*delivery.replaced, *delivery.beside])
    made = delivery.reading.bills
    others = [fact for name, fact in known.items() if name not in delivery.replaced]
    refuse_overlaps(find_overlaps(connection, lake, seq, made, others), delivery.beside)
    replaced = tuple(sorted(set(delivery.replaced) - {bill.identity for bill in made}))
    bills = tuple(_settled(delivery, bill, known.get(bill.identity)) for bill in made)
    rewritten = [
        bill.identity
        for bill in made
        if bill.identity not in known or known[bill.identity].digest != bill.digest
    ]
    staged, lines, withdrawn = _stage_lines(
        connection, lake, seq, rewritten, [*set(rewritten) & set(known), *replaced]
    )
    if bad := _not_known(delivery.reading.bad, lake, seq):
        staged += lake.stage("quarantine", _quarantine(bad, at_s))
    return _Plan(bills, replaced, staged, lines, withdrawn)


def _refuse_unknown(known: Mapping[str, BillFact], named: Sequence[str]) -> None:
    for name in named:
        if name not in known:
            raise InputError(
                f"{name} is no bill in force",
                mend=f"`gpuledger bills` lists them: {', '.join(known) or 'none'}",
            )


def _settled(delivery: Delivery, bill: AddedUp, before: BillFact | None) -> tuple[BillFact, Change]:
    """The bill as it now is: what was stated of the same lines before stays where nothing is stated now."""
    stated = delivery.stated.get(bill.identity, Stated())
    fact = BillFact(
        **vars(bill),
        stated_rows=stated.rows,
        stated_total=stated.total,
        invoiced_s=delivery.invoiced_s,
        format=delivery.reading.format,
        source=", ".join(path.name for path in delivery.reading.rows),
    )
    if before is None:
        return fact, "new"
    if fact.invoiced_s is None:
        fact = replace(fact, invoiced_s=before.invoiced_s)
    if fact.digest == before.digest:
        fact = replace(
            fact,
            stated_rows=before.stated_rows if stated.rows is None else stated.rows,
            stated_total=stated.total or before.stated_total,
            format=before.format,
            source=before.source,
        )
    return fact, "unchanged" if fact == before else "changed"


def _stage_lines(
    connection: DuckDBPyConnection,
    lake: Lake,
    seq: int,
    rewritten: Sequence[str],
    before: Sequence[str],
) -> tuple[list[StagedFile], int, int]:
    """Stage the lines of these bills that are not known as they are, and withdraw what is known and gone."""
    known = known_lines(connection, lake, seq, before, _KNOWN)
    connection.execute(f"create or replace table known_line as select * from {known}")
    columns = ", ".join(f'"{name}"' for name in CONTENT)
    named = f"identity, '{_SOURCE}' as source, false as withdrawn, bill, line, {columns}"
    connection.register("rewritten_bill", pa.table({"bill": pa.array(rewritten, pa.string())}))
    connection.execute(f"""
        create or replace table to_write as
        select {named} from line
        where bill in (select bill from rewritten_bill) and identity || content not in (
            select identity || {content_hash()} from known_line
        )
        union all
        select identity, source, true, bill, line, {columns} from known_line
        where identity not in (select identity from line where bill in (select bill from rewritten_bill))
        order by bill, line
    """)
    connection.unregister("rewritten_bill")
    return _staged(connection, lake)


def _staged(connection: DuckDBPyConnection, lake: Lake) -> tuple[list[StagedFile], int, int]:
    ((lines, withdrawn),) = connection.execute(
        "select count(*) filter (not withdrawn), count(*) filter (withdrawn) from to_write"
    ).fetchall()
    staged: list[StagedFile] = []
    for offset in range(0, lines + withdrawn, _AT_ONCE):
        rows = connection.sql(
            f"select * from to_write where rowid >= {offset} and rowid < {offset + _AT_ONCE}"
        ).to_arrow_table()
        staged += lake.stage("bill_line", rows)
    connection.execute("drop table to_write; drop table known_line")
    return staged, lines, withdrawn


def _not_known(bad: Sequence[BadRow], lake: Lake, seq: int) -> list[BadRow]:
    """The bad rows that are not in quarantine yet."""
    files = lake.files("quarantine", seq) if bad and seq else []
    if not files:
        return list(bad)
    with lake.engine() as engine:
        found = read_known(engine, table_schema("quarantine"), lake.named(files), seq)
    columns = [found[name].to_pylist() for name in ("file", "row", "reason", "raw")]
    known = set(zip(*columns, strict=True))
    return [one for one in bad if (one.file, one.row, one.reason, one.raw) not in known]


def _quarantine(bad: Sequence[BadRow], at_s: int) -> Any:
    return pa.table(
        {
            "source": pa.array([_SOURCE] * len(bad), pa.string()),
            "file": pa.array([one.file for one in bad], pa.string()),
            "row": pa.array([one.row for one in bad], pa.int64()),
            "reason": pa.array([one.reason for one in bad], pa.string()),
            "raw": pa.array([one.raw for one in bad], pa.string()),
            "at_s": pa.array([at_s] * len(bad), pa.int64()),
        }
    )
