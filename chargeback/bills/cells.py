"""The files of bills as one table of cells: recognised by their headers, one column per field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chargeback.bills.cur import CUR
from chargeback.bills.cur2 import CUR2
from chargeback.bills.focus import FOCUS
from chargeback.bills.pages import Page, open_page
from chargeback.bills.shapes import FIELDS, Header, Shape, quoted
from gpuledger.engine import text_sql
from gpuledger.errors import ColumnMapError, InputError, Place

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["SHAPES", "BadRow", "Cells", "gather_cells"]

SHAPES = {shape.name: shape for shape in (FOCUS, CUR, CUR2)}


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be right: its file and number there, why, what it said, and its bill where known."""

    file: str
    row: int
    reason: str
    raw: str
    bill: str = ""


@dataclass(frozen=True)
class Cells:
    """What was put into the table `cell`: its shape and version, the rows of each file, and what is odd.

    `said` are the fields that a column has in any of the files.
    """

    shape: Shape
    version: str
    rows: dict[Path, int]
    bad: tuple[BadRow, ...]
    warnings: tuple[str, ...]
    said: frozenset[str]


def gather_cells(
    connection: DuckDBPyConnection, paths: Sequence[Path], given: Mapping[str, str], shape: Shape | None
) -> Cells:
    """Make the table `cell`: `file_no`, `row_no`, `line_no` over all files, and each field as text.

    `given` are values of fields that no column says. Raises InputError for a file that comes twice, or whose
    shape is not known, lacks columns or differs from the first one's.
    """
    names = ", ".join(f"{quoted(name)} varchar" for name in FIELDS)
    connection.execute(f"create table cell (file_no bigint, row_no bigint, line_no bigint, {names})")
    pages = [open_page(path) for path in paths]
    _refuse_twice(paths)
    shape = shape or _recognised(pages[0])
    rows: dict[Path, int] = {}
    bad: list[BadRow] = []
    said: list[str] = []
    fields_said: set[str] = set()
    versions: set[str] = set()
    for number, page in enumerate(pages):
        header = _fitting(page, shape, given)
        wrong, more = _load(connection, page, header, shape, given, number, sum(rows.values()))
        bad += wrong
        rows[page.path] = _counted(connection, number) + len(wrong)
        said += [one for one in more if one not in said]
        versions.add(shape.version(header))
        fields_said |= {name for name, sql in shape.fields(header).items() if sql != header.sql()}
    return Cells(shape, max(versions), rows, tuple(bad), tuple(said), frozenset(fields_said))


def _load(
    connection: DuckDBPyConnection,
    page: Page,
    header: Header,
    shape: Shape,
    given: Mapping[str, str],
    number: int,
    before: int,
) -> tuple[list[BadRow], list[str]]:
    found = shape.fields(header)
    loaded = page.load(connection, header.used)
    nothing = header.sql()
    texts = {
        name: text_sql(given[name]) if found[name] == nothing and name in given else found[name]
        for name in FIELDS
    }
    columns = ", ".join(f"{texts[name]} as {quoted(name)}" for name in FIELDS)
    connection.execute(
        f"insert into cell select {number}, row_no, row_no + {before}, {columns} from page; drop table page"
    )
    bad = [BadRow(str(page.path), one.row, one.reason, one.raw) for one in loaded.wrong]
    words = loaded.null_words
    said = [f"cells that say NULL in words, read as not said: {words}"] if words else []
    return bad, [*shape.said_of(header), *page.said_of(header.used), *said]


def _recognised(page: Page) -> Shape:
    header = Header(page.header)
    for shape in SHAPES.values():
        if shape.fits(header):
            return shape
    marks = "; ".join(f"{shape.name} by {' and '.join(shape.marks)}" for shape in SHAPES.values())
    raise ColumnMapError(
        "the header is that of no bill that gpuledger knows",
        place=Place(str(page.path)),
        mend=f"bills are known by their columns: {marks}; or name the shape with --shape",
    )


def _fitting(page: Page, shape: Shape, given: Mapping[str, str]) -> Header:
    """The header of a page of this shape; ColumnMapError where it is not one, or lacks what no row can."""
    header = Header(page.header)
    if missing := shape.missing(header, given):
        said = [f"--{_OPTIONS[name]}" for name in _OPTIONS if shape.columns.get(name) in missing]
        mend = "export the bill with these columns"
        raise ColumnMapError(
            f"the header lacks {', '.join(missing)}, without which a {shape.name} bill has no lines",
            place=Place(str(page.path)),
            mend=f"{mend}; what is the same in every row may be said with {', '.join(said)}"
            if said
            else mend,
        )
    return Header(page.header)


_OPTIONS = {"provider": "provider", "billing_account": "account", "currency": "currency"}


def _refuse_twice(paths: Sequence[Path]) -> None:
    for number, path in enumerate(paths):
        if path.resolve() in [other.resolve() for other in paths[:number]]:
            raise InputError("the file is named twice", place=Place(str(path)), mend="name each file once")


def _counted(connection: DuckDBPyConnection, file_no: int) -> int:
    ((count,),) = connection.execute("select count(*) from cell where file_no = ?", [file_no]).fetchall()
    return int(count)
