"""Terms as records: the rows of a CSV file with a header, all of them or an error."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gpuledger.errors import ColumnMapError, InputError, Place
from gpuledger.text_files import read_text

__all__ = ["Record", "join_identity", "parse_records", "read_records"]

_OTHER_DELIMITERS = ";\t|"


@dataclass(frozen=True)
class Record:
    """A term as it is written: its cells, stripped, by column, and the row or line where it stands.

    `lines` has the line of each cell, in a file where a term has more than one.
    """

    place: Place
    cells: Mapping[str, str]
    lines: Mapping[str, int] = field(default_factory=dict)

    def at(self, column: str) -> Place:
        """Where one cell stands: row and column of a table, or a line."""
        if self.place.row is not None:
            return replace(self.place, column=column)
        return replace(self.place, line=self.lines.get(column, self.place.line))


def read_records(path: Path, required: Sequence[str], optional: Sequence[str]) -> list[Record]:
    """The records of a file with these columns, in any order; a column that is left out is empty.

    A header may write `cost centre` or `Cost_Centre` alike. Raises `InputError` for a file or row that cannot
    be read, `ColumnMapError` for a column that is missing, unknown or there twice.
    """
    text = read_text(path)
    return parse_records(text, str(path), required, optional)


def parse_records(text: str, file: str, required: Sequence[str], optional: Sequence[str]) -> list[Record]:
    """As `read_records`, from text; `file` is what an error names."""
    rows = _rows(text, file)
    first = next(rows, None)
    if first is None:
        raise InputError("the file is empty", place=Place(file), mend=f"begin it with {','.join(required)}")
    names = ["_".join(name.lower().split()) for name in first]
    _check_header(names, file, required, optional)
    records = []
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise InputError(
                f"{len(row)} cells under {len(names)} columns",
                place=Place(file, row=number),
                mend="give each column its cell; quote a cell with a comma in it",
            )
        cells = dict.fromkeys(optional, "") | {
            name: cell.strip() for name, cell in zip(names, row, strict=True)
        }
        records.append(Record(Place(file, row=number), cells))
    return records


def _rows(text: str, file: str) -> Iterator[list[str]]:
    """The rows that are not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        yield from (row for row in reader if any(cell.strip() for cell in row))
    except csv.Error as error:
        raise InputError(
            f"the text is no CSV: {error}",
            place=Place(file, line=reader.line_num),
            mend="look for a quote that is not closed, or doubled",
        ) from error


def _check_header(names: list[str], file: str, required: Sequence[str], optional: Sequence[str]) -> None:
    known = [*required, *optional]
    missing = [name for name in required if name not in names]
    if len(names) == 1 and any(mark in names[0] for mark in _OTHER_DELIMITERS):
        raise ColumnMapError(
            f"only one column was found, {names[0]!r}",
            place=Place(file),
            mend="part the cells with commas",
        )
    if missing:
        raise ColumnMapError(
            f"the header lacks {', '.join(missing)}",
            place=Place(file, column=missing[0]),
            mend=f"columns: {', '.join(required)}; and where wanted {', '.join(optional)}",
        )
    for name in names:
        if name not in known or names.count(name) > 1:
            what = "there twice" if name in known else "not known"
            raise ColumnMapError(
                f"column {name!r} is {what}",
                place=Place(file, column=name),
                mend=f"columns: {', '.join(known)}",
            )


def join_identity(parts: Sequence[str]) -> str:
    """One key of several parts, `/` between them; other parts never give the same key."""
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)
