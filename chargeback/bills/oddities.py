"""What is odd in the rows of bills without making them wrong: a sentence each, how many rows, and whose."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from chargeback.bills.shapes import Shape, quoted
from chargeback.bills.texts import texts_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["odd_rows", "odd_times"]

_MOST_NAMED = 4
_BARE = "not regexp_matches(t, '(Z|z|UTC|[+-][0-9]{2}:?[0-9]{2})$') and not regexp_full_match(t, '[0-9.]+')"


def odd_rows(connection: DuckDBPyConnection, shape: Shape, said_fields: Collection[str]) -> list[str]:
    """What a shape says of rows in the table `cell`, of the fields that a column says."""
    said = []
    for defect in (one for one in shape.defects if one.field in said_fields):
        found = connection.execute(f"""
            select coalesce({quoted(defect.by)}, 'nobody'), count(*) from cell where {defect.sql}
            group by all order by 2 desc, 1
        """).fetchall()
        if found:
            said.append(f"{defect.says}: {_counted(found)}")
    return said


def odd_times(connection: DuckDBPyConnection, zone: str, *, written: bool) -> list[str]:
    """Instants without an offset, unless how they are `written` was said; usage outside its billing period.

    The second is of the tables `line` and `span`.
    """
    said = []
    if not written and (bare := texts_of(connection, ("charge_start", "charge_end"), _BARE)):
        said.append(f"instants have no offset from UTC, such as {bare[0]}: read in {zone}")
    found = connection.execute("""
        select l.provider, count(*) from line as l inner join span as s on l.bill = s.identity
        where l.category = 'Usage' and (l.start_s < s.start_s or l.end_s > s.end_s)
        group by all order by 2 desc, 1
    """).fetchall()
    if found:
        said.append(f"usage is charged outside the billing period: {_counted(found)}")
    instant = connection.execute(
        "select provider, count(*) from line where start_s = end_s group by all"
    ).fetchall()
    if instant:
        said.append(
            f"the charge period has no length, and is taken for its first second: {_counted(instant)}"
        )
    return said


def _counted(found: list[tuple[str, int]]) -> str:
    total = sum(count for _, count in found)
    named = [f"{who} {count}" for who, count in found[:_MOST_NAMED]]
    more = [f"{len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    return f"{total} row{'s' * (total != 1)} ({', '.join(named + more)})"
