"""Read the files of bills into the engine: lines with a bill each, rows that cannot be right, what is odd.

What is made of every row is SQL; what has to be understood (an instant, a number spelt otherwise, a bill's
parts, tags) is read in Python once for each text that there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chargeback.bills.amounts import PLAIN, define_amounts, exact, shown
from chargeback.bills.cells import BadRow, gather_cells
from chargeback.bills.oddities import odd_rows, odd_times
from chargeback.bills.shapes import Shape
from chargeback.bills.shapes import quoted as _q
from chargeback.bills.texts import (
    AMOUNTS,
    PARTS,
    AddedUp,
    Given,
    map_amounts,
    map_bills,
    map_instants,
    map_tags,
)
from gpuledger.canonical import text_digest
from gpuledger.lake.schema import table_schema

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["CONTENT", "AddedUp", "BadRow", "Given", "Reading", "content_hash", "read_bills"]

CATEGORIES = ("Usage", "Purchase", "Tax", "Credit", "Adjustment")
CONTENT = tuple(
    name
    for name in table_schema("bill_line").names
    if name not in ("identity", "source", "seq", "withdrawn", "bill", "line")
)
"""What a line says: two that are equal in these are the same line."""


@dataclass(frozen=True)
class Reading:
    """What files say: bills, whose lines are the engine's table `line`; bad rows; oddities, a sentence each.

    `rows` counts the rows of each file, those that cannot be right among them.
    """

    format: str
    rows: dict[Path, int]
    bills: tuple[AddedUp, ...]
    bad: tuple[BadRow, ...]
    warnings: tuple[str, ...]

    @property
    def bad_by_bill(self) -> dict[str, int]:
        """How many bad rows may be of each bill, by identity; under '' how many there are in all."""
        found = {
            bill.identity: sum(one.bill in ("", bill.identity) for one in self.bad) for bill in self.bills
        }
        return found | {"": len(self.bad)}


def read_bills(
    connection: DuckDBPyConnection, paths: Sequence[Path], given: Given, shape: Shape | None = None
) -> Reading:
    """Read files of one shape together; InputError for one that is no bill or is not like the others."""
    define_amounts(connection)
    connection.execute("set enable_progress_bar = false")
    cells = gather_cells(connection, paths, given.fields, shape)
    map_instants(connection, given)
    said_of_amounts = map_amounts(connection)
    bills = map_bills(connection, given)
    said_of_tags = map_tags(connection)
    bad = [*cells.bad, *_make_lines(connection, cells.shape, paths)]
    warnings = (
        *cells.warnings,
        *odd_rows(connection, cells.shape, cells.said),
        *said_of_amounts,
        *said_of_tags,
        *odd_times(connection, given.zone, written=bool(given.date_format)),
    )
    connection.execute(
        "drop table cell; drop table bill; drop table instant; drop table amount; drop table tag"
    )
    return Reading(
        format=f"{cells.shape.name}/{cells.version}",
        rows=cells.rows,
        bills=_add_up(connection, bills),
        bad=tuple(sorted(bad, key=lambda one: (one.file, one.row))),
        warnings=warnings,
    )


def _make_lines(connection: DuckDBPyConnection, shape: Shape, paths: Sequence[Path]) -> list[BadRow]:
    """Make the table `line` of the cells: what a line says in the lake, and the hash of it, `content`.

    Gives the rows that cannot be right, which are not among them.
    """
    said = {"category": "kind", "start_s": "start_s", "end_s": "end_s", "tags": "plain_tags"}
    said |= {name: f"plain_{name}" for name in AMOUNTS}
    columns = ", ".join(f"{said.get(name, _q(name))} as {_q(name)}" for name in CONTENT)
    connection.execute(f"""
        create table line as
        with understood as ({_understood(connection, shape)}),
        said as (
            select bill || '#' || line_no as identity, bill, line_no as line, {columns}, wrong from understood
        )
        select *, {content_hash()} as content from said
    """)
    found = connection.execute("""
        select c.file_no, c.row_no, l.wrong, cast(to_json(c) as varchar), coalesce(l.bill, '')
        from line as l inner join cell as c on l.line = c.line_no
        where l.wrong is not null order by l.line
    """).fetchall()
    connection.execute("delete from line where wrong is not null")
    return [BadRow(str(paths[file]), *said) for file, *said in found]


def _understood(connection: DuckDBPyConnection, shape: Shape) -> str:
    """SQL for the cells with what was read of them, and `wrong` where that cannot be."""
    ((odd,),) = connection.execute("select count(*) from amount").fetchall()
    plain = ", ".join(f"{_plain(n) if odd else 'c.' + _q(n)} as plain_{n}" for n in AMOUNTS)
    joins = " ".join(f"left join amount as {n}_ on c.{_q(n)} = {n}_.text" for n in AMOUNTS if odd)
    same = " and ".join(f"c.{name} is not distinct from b.{name}" for name in PARTS)
    categories = " ".join(f"when '{word.lower()}' then '{word}'" for word in CATEGORIES)
    return f"""
        select
            c.*, {plain}, b.identity as bill, s.at_s as start_s, e.at_s as end_s,
            case lower(c.category) {categories} end as kind, t.plain as plain_tags,
            {_wrong(shape, AMOUNTS if odd else ())} as wrong
        from cell as c
        left join bill as b on {same}
        left join instant as s on c.charge_start = s.text
        left join instant as e on c.charge_end = e.text
        left join tag as t on c.tags = t.text
        {joins}
    """


def _plain(name: str) -> str:
    return f"case when regexp_full_match(c.{_q(name)}, '{PLAIN}') then c.{_q(name)} else {name}_.plain end"


def _wrong(shape: Shape, amounts_read: Sequence[str]) -> str:
    """SQL that says why a row cannot be right; null where it can."""
    name = shape.columns
    amounts = " ".join(
        f"when {n}_.wrong is not null then '{name.get(n, n)}: ' || {n}_.wrong" for n in amounts_read
    )
    return f"""case
        when b.wrong is not null then b.wrong
        when c.billed is null then '{name["billed"]} is empty'
        {amounts}
        when c.charge_start is null then '{name["charge_start"]} is empty'
        when c.charge_end is null then '{name["charge_end"]} is empty'
        when s.wrong is not null then '{name["charge_start"]}: ' || s.wrong
        when e.wrong is not null then '{name["charge_end"]}: ' || e.wrong
        when e.at_s < s.at_s then 'the charge period ends, ' || c.charge_end || ', before it begins'
        when c.category is null then '{name["category"]} is empty'
        when kind is null then '{name["category"]} is ' || c.category || ', which is no category of charges'
    end"""


def content_hash() -> str:
    """SQL for the hash of what a line says, over the columns of the lake."""
    cells = ", ".join(f"coalesce(cast({_q(name)} as varchar), chr(30))" for name in CONTENT)
    return f"sha256(concat_ws(chr(31), {cells}))"


def _add_up(connection: DuckDBPyConnection, bills: dict[str, AddedUp]) -> tuple[AddedUp, ...]:
    found = connection.execute("""
        select bill, count(*), sum(amount_hi(billed)), sum(amount_lo(billed)),
            string_agg(content, '' order by content)
        from line group by bill order by bill
    """).fetchall()
    added = []
    for bill, rows, hi, lo, contents in found:
        total = shown(exact(hi, lo))
        made = vars(bills[bill]) | {"rows": rows, "total": total, "digest": text_digest(contents)}
        added.append(AddedUp(**made))
    return tuple(added)
