"""Open CSV (also gzip), TSV or Parquet as rows of text cells.

What a file is, its first bytes say. Nothing is guessed about its content: a cell is the text that stands
there, a Parquet value its exact text (a float its `repr`, an instant ISO 8601, null the empty text).
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from collectors.imports.parquet import ParquetTable
from collectors.imports.rows import Misfit, Row
from gpuledger.errors import ColumnMapError, InputError, Place
from gpuledger.text_files import NoText, text_lines

__all__ = ["CsvTable", "Table", "check_columns", "likely_delimiter", "open_table"]

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_EVERY = 4096

Advance = Callable[[int], None]


class Table(Protocol):
    """A file of rows, which may be read more than once."""

    @property
    def header(self) -> tuple[str, ...]:
        """The names of its columns, in order."""

    @property
    def size(self) -> int:
        """How much there is to read, in the steps that `rows` says it went on by."""

    def rows(self, columns: Sequence[str], advance: Advance) -> Iterator[Row | Misfit]:
        """Each row, with at least these columns; `advance` is told how far reading went on."""


def open_table(path: Path, delimiter: str | None = None) -> Table:
    """Open a file; raises `InputError` when it cannot be read or has no header."""
    try:
        with path.open("rb") as file:
            begin = file.read(4)
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {error.strerror}",
            place=Place(str(path)),
            mend="name a file that you may read",
        ) from error
    if begin == _PARQUET:
        return ParquetTable(path)
    tab = path.name.removesuffix(".gz").endswith(".tsv")
    return CsvTable(path, delimiter or ("\t" if tab else ","), begin.startswith(_GZIP))


def check_columns(table: Table, named: Sequence[str], file: str) -> None:
    """Raise `ColumnMapError` when a map names columns that its file has not, or has more than once."""
    twice = [column for column in named if table.header.count(column) > 1]
    if twice:
        raise _twice(twice, file)
    absent = [column for column in named if column not in table.header]
    if not absent:
        return
    there = ", ".join(table.header)
    if len(table.header) == 1 and (likely := likely_delimiter(there)):
        raise ColumnMapError(
            f"only one column was found, {there!r}",
            place=Place(file),
            mend=f'its cells look parted by a {_DELIMITERS[likely]}: write delimiter: "{likely}" in the map',
        )
    raise ColumnMapError(
        f"the map names {', '.join(absent)}, which the file has not",
        place=Place(file, column=absent[0]),
        mend=f"name columns of the file: {there}",
    )


def _twice(columns: Sequence[str], file: str) -> ColumnMapError:
    return ColumnMapError(
        f"the header names {', '.join(columns)} more than once",
        place=Place(file, column=columns[0]),
        mend="give each column a name of its own",
    )


def likely_delimiter(header: str) -> str | None:
    """The character that most likely parts the cells of a header, None where no usual one is in it."""
    counted = [(header.count(delimiter), delimiter) for delimiter in _DELIMITERS]
    most, delimiter = max(counted, key=lambda one: one[0])
    return delimiter if most else None


@dataclass(frozen=True)
class CsvTable:
    """Delimited text in UTF-8, plain or gzip, with a header; quotes after RFC 4180."""

    path: Path
    delimiter: str
    zipped: bool

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    @property
    def header(self) -> tuple[str, ...]:
        with self._records() as (records, _):
            return self._header(records)

    def rows(self, columns: Sequence[str], advance: Advance) -> Iterator[Row | Misfit]:
        with self._records() as (records, raw):
            names = self._header(records)
            number = done = 0
            for record in self._guarded(records, 1):
                if not record:
                    continue
                number += 1
                if len(record) != len(names):
                    yield Misfit(number, _misfit(len(record), len(names)), record)
                else:
                    yield Row(number, dict(zip(names, record, strict=True)))
                if number % _EVERY == 0:
                    advance(raw.tell() - done)
                    done = raw.tell()
            advance(self.size - done)

    @contextmanager
    def _records(self) -> Iterator[tuple[Iterator[list[str]], BinaryIO]]:
        with self.path.open("rb") as raw:
            data: BinaryIO = gzip.GzipFile(fileobj=raw) if self.zipped else raw  # type: ignore[assignment]
            text = io.TextIOWrapper(data, encoding="utf-8-sig", newline="")
            yield csv.reader(text_lines(text), delimiter=self.delimiter, strict=True), raw

    def _header(self, records: Iterator[list[str]]) -> tuple[str, ...]:
        named = (one for one in self._guarded(records, 0) if len(one) > 1 or any(map(str.strip, one)))
        first = next(named, None)
        if first is None:
            raise InputError("the file is empty", place=Place(str(self.path)), mend="export it with a header")
        names = tuple(name.strip() for name in first)
        twice = [name for name, count in Counter(names).items() if name and count > 1]
        if twice:
            raise _twice(twice, str(self.path))
        return names

    def _guarded(self, records: Iterator[list[str]], number: int) -> Iterator[list[str]]:
        """The records from row `number` on, with what gzip, text and csv cannot read as an `InputError`."""
        try:
            for record in records:
                yield record
                number += bool(record) if number else 0
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            what, mend = f"the gzip data is cut short or damaged: {error}", "copy or export the file again"
            raise InputError(what, place=self._at(number), mend=mend) from error
        except NoText as error:
            raise InputError(
                error.what, place=Place(str(self.path), line=error.line), mend=error.mend
            ) from error
        except csv.Error as error:
            what, mend = f"the text is no CSV: {error}", "look for a quote that is not closed, or doubled"
            raise InputError(what, place=self._at(number), mend=mend) from error

    def _at(self, number: int) -> Place:
        return Place(str(self.path), row=number or None)


def _misfit(cells: int, names: int) -> str:
    return "more cells than the header" if cells > names else "fewer cells than the header"
