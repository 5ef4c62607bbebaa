"""The rows of a bill that stand behind a lot: what an explanation ends at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chargeback.bills.allocation import era_sql
from chargeback.bills.bill_lots import lot_name
from chargeback.bills.destinations import destination_of
from chargeback.bills.in_force import BillLines, kept_columns, known_lines, lines_of
from chargeback.bills.instances import Instances, Machine
from chargeback.bills.rules import LineRule, line_rules, matched_by
from gpuledger.errors import BooksError
from gpuledger.lake.arrow import pa
from gpuledger.versions import BillFact, BillRuleFact, bills_in_force

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from chargeback.desk import Desk

__all__ = ["Behind", "BilledLine", "bill_of_lot", "lines_behind"]

_SHOWN = ("line", "start_s", "end_s", "category", "billed", "resource", "service", "description")


@dataclass(frozen=True)
class BilledLine:
    """A row of a bill: its number in the file, its charge period in UTC seconds, what it is billed at."""

    line: int
    start_s: int
    end_s: int
    category: str
    billed: str
    resource: str
    service: str
    description: str


@dataclass(frozen=True)
class Behind:
    """The first lines behind a lot by charge period, how many there are, and the bill they stand in."""

    bill: BillFact
    lines: tuple[BilledLine, ...]
    count: int


def lines_behind(
    desk: Desk,
    seq: int,
    lot: str,
    nodes: Iterable[Machine],
    rules: Iterable[BillRuleFact],
    most: int = 20,
) -> Behind:
    """The lines that make a lot, as known at a seq; `BooksError` where no bill in force has such a lot.

    The lot of what an invoice says beyond its lines has none.
    """
    with desk.database.read() as connection:
        bill = bill_of_lot(bills_in_force(connection, seq), lot)
    facts = list(rules)
    read, attributes = line_rules(facts), matched_by(facts)
    with desk.lake.engine() as engine:
        lines = lines_of(engine, desk.lake, seq, (bill,), attributes)
        _mark_wanted(engine, lines, read, Instances(nodes), lot)
        kept = kept_columns(attributes)
        columns = list(dict.fromkeys((*kept, *_SHOWN)))
        source = known_lines(engine, desk.lake, seq, [bill.identity], columns)
        same = " and ".join(f"coalesce(l.{name}, '') = w.{name}" for name in kept)
        shown = ", ".join(f"coalesce(l.{name}, '')" if name in _TEXTS else f"l.{name}" for name in _SHOWN)
        found = engine.execute(f"""
            select {shown}, count(*) over () from (select *, {era_sql(read)} as era from {source}) as l
            inner join wanted as w on l.era = w.era and {same}
            order by l.start_s, l.line limit {int(most)}
        """).fetchall()
    return Behind(bill, tuple(BilledLine(*row[:-1]) for row in found), found[0][-1] if found else 0)


_TEXTS = ("resource", "service", "description")


def bill_of_lot(bills: Iterable[BillFact], lot: str) -> BillFact:
    """The bill that a lot is of, by its name."""
    _, _, said = lot.partition(":")
    for bill in sorted(bills, key=lambda one: -len(one.identity)):
        if f"{said}/".startswith(f"{bill.identity}/"):
            return bill
    raise BooksError(f"{lot} is the lot of no bill in force", mend="`gpuledger bills` lists the bills")


def _mark_wanted(
    engine: DuckDBPyConnection,
    lines: BillLines,
    rules: tuple[LineRule, ...],
    instances: Instances,
    lot: str,
) -> None:
    """Make the table `wanted`: the keys, each with an era, whose lines go into a lot."""
    engine.register("amounts", lines.amounts)
    found = engine.execute(f"""
        select key, era, min(start_s) from (select *, {era_sql(rules)} as era from amounts) group by key, era
    """).fetchall()
    wanted = []
    for number, era, at_s in found:
        key = lines.keys[number]
        place = destination_of(key, rules, instances, at_s)
        if lot_name(key.bill, place, key.category) == lot:
            wanted.append({"era": era, **{name: getattr(key, name) for name in key.__slots__}})
    names = type(lines.keys[0]).__slots__ if lines.keys else ()
    schema = pa.schema([("era", pa.int64()), *((name, pa.string()) for name in names)])
    engine.register("wanted", pa.Table.from_pylist(wanted, schema=schema))
