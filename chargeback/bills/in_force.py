"""The lines of bills in force at a seq: their keys, and their exact amounts, for a million lines at once.

What rules and inventory can match a line by is its *key*; lines of one key and charge period are added up in
the engine. So what is handed on grows with the resources and hours of a bill, not with its lines, and is
integers but for the keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from chargeback.bills.amounts import define_amounts
from chargeback.bills.instances import Machine
from chargeback.bills.shapes import quoted
from gpuledger.engine import connect, files_sql, text_sql
from gpuledger.lake import Lake, LakeFile
from gpuledger.lake.arrow import pa
from gpuledger.versions import BillFact, bills_in_force

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from chargeback.desk import Desk

__all__ = [
    "KEYED_BY",
    "BillLines",
    "LineKey",
    "bill_lines",
    "kept_columns",
    "known_lines",
    "lines_of",
    "read_bill_lines",
]


@dataclass(frozen=True, order=True, slots=True)
class LineKey:
    """What lines say of themselves, but for when and how much; '' is not said. `tags` is canonical JSON."""

    bill: str
    category: str
    provider: str
    billing_account: str
    sub_account: str
    service: str
    service_category: str
    sku: str
    resource: str
    resource_name: str
    region: str
    description: str
    tags: str


KEYED_BY = tuple(one.name for one in fields(LineKey))
_SEQ = "coalesce(t.seq, f.added_seq)"
_ALWAYS = ("bill", "category", "service", "service_category", "resource")


@dataclass(frozen=True)
class BillLines:
    """Lines of bills: `bills` they stand in, `keys` by number, and `amounts`.

    `amounts` is an Arrow table of key, start_s, end_s, lines, hi, lo: how many lines of a key have this
    charge period, and the exact sum of what they are billed at, `hi * 10^18 + lo` in 10^-30 of the bill's
    currency.
    """

    bills: tuple[BillFact, ...]
    keys: tuple[LineKey, ...]
    amounts: Any


def read_bill_lines(
    desk: Desk,
    seq: int,
    start_s: int,
    end_s: int,
    attributes: Iterable[str] = KEYED_BY,
    nodes: Iterable[Machine] | None = None,
) -> BillLines:
    """The lines at a seq of all bills of which anything is charged or billed in `[start_s, end_s)`.

    A bill is read whole. `attributes` are those that rules match by (`chargeback.bills.rules.matched_by`):
    what is not among them is left out of the keys, so that there are fewer of them. With `nodes` the resource
    is kept only where it may be one of them, or a rule matches by it: what nothing knows has no name then.
    """
    with desk.database.read() as connection:
        known = {fact.identity: fact for fact in bills_in_force(connection, seq)}
    with desk.lake.engine() as engine:
        files = desk.lake.files("bill_line", seq) if known else []
        if not files:
            return BillLines((), (), _no_amounts())
        touching = _touching(engine, desk.lake, seq, known, start_s, end_s)
        return lines_of(engine, desk.lake, seq, touching, attributes, nodes)


def lines_of(
    connection: DuckDBPyConnection,
    lake: Lake,
    seq: int,
    bills: tuple[BillFact, ...],
    attributes: Iterable[str] = KEYED_BY,
    nodes: Iterable[Machine] | None = None,
) -> BillLines:
    """The lines in force at a seq of some bills, as `read_bill_lines` gives them."""
    columns = (*kept_columns(attributes), "start_s", "end_s", "billed")
    source = known_lines(connection, lake, seq, [fact.identity for fact in bills], columns)
    return _lines(bills, connection, source, attributes, nodes)


def bill_lines(
    bills: Iterable[BillFact],
    rows: Any,
    attributes: Iterable[str] = KEYED_BY,
    nodes: Iterable[Machine] | None = None,
) -> BillLines:
    """The lines of these bills from an Arrow table with the columns of the lake; others are left out."""
    with connect() as engine:
        engine.register("arrow_line", rows)
        return _lines(tuple(bills), engine, "arrow_line", attributes, nodes)


def known_lines(
    connection: DuckDBPyConnection, lake: Lake, seq: int, bills: Sequence[str], columns: Iterable[str]
) -> str:
    """SQL for these columns of the lines in force at a seq of some bills.

    A bill whose lines all have one seq, which is nearly every bill, is taken as it stands.
    """
    files = lake.files("bill_line", seq)
    names = [quoted(name) for name in columns]
    if not files or not bills:
        return f"(select {', '.join(f'null as {name}' for name in names)} where false)"
    source = _source(lake, files)
    connection.register("wanted_bill", pa.table({"bill": pa.array(bills, pa.string())}))
    connection.execute(f"""
        create or replace table version_of as
        select t.bill as bill, min({_SEQ}) = max({_SEQ}) and not bool_or(t.withdrawn) as is_once
        from {source} where {_SEQ} <= {seq} and t.bill in (select bill from wanted_bill) group by t.bill
    """)
    connection.unregister("wanted_bill")
    said = ", ".join(f"t.{name} as {name}" for name in names)
    newest = f"partition by t.identity order by {_SEQ} desc, t.withdrawn, t.start_s, t.end_s"
    known = f"from {source} inner join version_of as v on t.bill = v.bill where {_SEQ} <= {seq}"
    return f"""(
        select {said} {known} and v.is_once
        union all
        select {", ".join(names)} from (
            select {said}, t.withdrawn as is_gone, row_number() over ({newest}) as newest
            {known} and not v.is_once
        ) where newest = 1 and not is_gone
    )"""


def _source(lake: Lake, files: Sequence[LakeFile]) -> str:
    """SQL for the rows of files, as `t`, each with the seq that added its file, as `f.added_seq`."""
    paths = [lake.local_path(file) for file in files]
    added = ", ".join(
        f"({text_sql(path)}, {file.added_seq})" for path, file in zip(paths, files, strict=True)
    )
    return (
        f"read_parquet({files_sql(paths)}, filename = true, hive_partitioning = false, union_by_name = true)"
        f" as t inner join (values {added}) as f(path, added_seq) on t.filename = f.path"
    )


def _touching(
    connection: DuckDBPyConnection,
    lake: Lake,
    seq: int,
    known: dict[str, BillFact],
    start_s: int,
    end_s: int,
) -> tuple[BillFact, ...]:
    """The bills that have a line charged in `[start_s, end_s)`, are for that time or are invoiced in it.

    Of lines that were replaced the times count as well: a bill too many changes nothing.
    """
    source = _source(lake, lake.files("bill_line", seq))
    found = connection.execute(
        f"select t.bill, min(t.start_s), max(t.end_s) from {source} group by t.bill"
    ).fetchall()
    spans = {bill: (first, last) for bill, first, last in found}
    return tuple(fact for name, fact in known.items() if _touches(fact, spans.get(name), start_s, end_s))


def _touches(fact: BillFact, span: tuple[int, int] | None, start_s: int, end_s: int) -> bool:
    first, last = (fact.start_s, fact.end_s or fact.start_s + 1) if span is None else span
    first, last = min(first, fact.start_s), max(last, fact.end_s or 0, first + 1)
    return (first < end_s and last > start_s) or start_s <= fact.billed_s < end_s


def _lines(
    bills: tuple[BillFact, ...],
    connection: DuckDBPyConnection,
    source: str,
    attributes: Iterable[str],
    nodes: Iterable[Machine] | None,
) -> BillLines:
    """Add up the lines of a relation by key and charge period."""
    define_amounts(connection)
    connection.execute("set enable_progress_bar = false")
    asked = set(attributes)
    kept = kept_columns(asked)
    if not bills:
        return BillLines((), (), _no_amounts())
    wanted = pa.table({"bill": pa.array([one.identity for one in bills], pa.string())})
    connection.register("wanted_bill", wanted)
    names = ", ".join(kept)
    texts = {name: f"coalesce({name}, '')" for name in kept}
    if nodes is not None and "resource" not in asked:
        _register_instances(connection, nodes)
        texts["resource"] = _INSTANCE
    said = ", ".join(f"{text} as {name}" for name, text in texts.items())
    connection.execute(f"""
        create or replace table line_key as
        select row_number() over (order by {names}) - 1 as key, {names}
        from (select distinct {said} from {source} where bill in (select bill from wanted_bill))
    """)
    same = " and ".join(f"l.{name} = k.{name}" for name in kept)
    amounts = connection.sql(f"""
        select k.key as key, l.start_s as start_s, l.end_s as end_s, count(*) as lines,
            cast(sum(amount_hi(l.billed)) as decimal(38, 0)) as hi,
            cast(sum(amount_lo(l.billed)) as decimal(38, 0)) as lo
        from (select {said}, start_s, end_s, billed from {source}) as l inner join line_key as k on {same}
        group by k.key, l.start_s, l.end_s
        order by key, start_s, end_s
    """).to_arrow_table()
    found = connection.execute(f"select {names} from line_key order by key").fetchall()
    connection.execute("drop table line_key")
    connection.unregister("wanted_bill")
    empty = dict.fromkeys(KEYED_BY, "")
    keys = tuple(LineKey(**empty | dict(zip(kept, row, strict=True))) for row in found)
    return BillLines(bills, keys, amounts)


_INSTANCE = """
    case when lower(resource) in (select id from instance_id)
        or lower(regexp_extract(rtrim(resource, '/'), '[^/:]*$')) in (select id from instance_id)
    then resource else '' end"""
"""A resource that may be one of the instances in the table `instance_id`; '' for another."""


def _register_instances(connection: DuckDBPyConnection, nodes: Iterable[Machine]) -> None:
    ids = sorted({node.instance.lower() for node in nodes if node.instance})
    connection.register("instance_id", pa.table({"id": pa.array(ids, pa.string())}))


def kept_columns(attributes: Iterable[str]) -> list[str]:
    """What lines are told apart by where these attributes are asked for, in order."""
    wanted = {*_ALWAYS, *attributes}
    return [name for name in KEYED_BY if name in wanted]


def _no_amounts() -> Any:
    whole = pa.decimal128(38, 0)
    kinds = {"key": pa.int64(), "start_s": pa.int64(), "end_s": pa.int64(), "lines": pa.int64()}
    return pa.schema([*kinds.items(), ("hi", whole), ("lo", whole)]).empty_table()
