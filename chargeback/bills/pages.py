"""The files of a bill as rows of text in the engine: CSV, also packed with gzip, and Parquet."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

import duckdb

from chargeback.bills.shapes import quoted
from gpuledger.engine import text_sql
from gpuledger.errors import ColumnMapError, InputError, Place
from gpuledger.lake.arrow import pa
from gpuledger.text_files import NoText, text_lines

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["CsvPage", "Loaded", "Page", "ParquetPage", "WrongWidth", "open_page"]

_BATCH = 20_000
_NULLS = "('', 'NULL', 'null', 'Null')"


@dataclass(frozen=True)
class WrongWidth:
    """A row with more or fewer cells than there are columns."""

    row: int
    reason: str
    raw: str


@dataclass(frozen=True)
class Loaded:
    """What was found when a file was loaded: rows of another width, and cells that say NULL as a word."""

    wrong: tuple[WrongWidth, ...]
    null_words: int


class Page(Protocol):
    """A file of a bill."""

    @property
    def path(self) -> Path: ...
    @property
    def header(self) -> tuple[str, ...]: ...
    def load(self, connection: DuckDBPyConnection, columns: Sequence[str]) -> Loaded:
        """Make the table `page` of its rows: `row_no` from 1, and these columns as text, stripped.

        Empty cells, and those that say NULL, are null.
        """

    def said_of(self, columns: Sequence[str]) -> list[str]:
        """What is to be said of how these columns are kept in the file."""


def open_page(path: Path) -> Page:
    """The file, CSV or Parquet by what it begins with."""
    try:
        with path.open("rb") as file:
            begins = file.read(4)
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {error.strerror}", place=Place(str(path)), mend="name a file of a bill"
        ) from error
    return ParquetPage(path) if begins == b"PAR1" else CsvPage(path, is_packed=begins[:2] == b"\x1f\x8b")


@dataclass(frozen=True)
class CsvPage:
    """A CSV file with a header."""

    path: Path
    is_packed: bool = False

    @cached_property
    def header(self) -> tuple[str, ...]:
        with self._records() as records:
            found = tuple(name.strip() for name in next(records, []))
        if not found:
            raise InputError("the file is empty", place=Place(str(self.path)), mend="name a file of a bill")
        return found

    def load(self, connection: DuckDBPyConnection, columns: Sequence[str]) -> Loaded:
        wrong: list[WrongWidth] = []
        words = 0
        places = [self.header.index(name) for name in columns]
        cleaned = ", ".join(f"{_cleaned(quoted(name))} as {quoted(name)}" for name in columns)
        typed = ", ".join(f"{quoted(name)} varchar" for name in columns)
        connection.execute(f"create table page (row_no bigint, {typed})")
        with self._records() as records:
            next(records, None)
            for rows in self._batches(records, wrong):
                cells = list(zip(*(cells for _, cells in rows), strict=True)) or [()] * len(self.header)
                arrays = [pa.array([number for number, _ in rows], pa.int64())]
                arrays += [pa.array(cells[place], pa.string()) for place in places]
                connection.register("batch", pa.table(arrays, names=["row_no", *columns]))
                words += _null_words(connection, "batch", columns)
                connection.execute(f"insert into page select row_no, {cleaned} from batch")
                connection.unregister("batch")
        return Loaded(tuple(wrong), words)

    def said_of(self, columns: Sequence[str]) -> list[str]:
        return []

    def _batches(
        self, records: Iterator[list[str]], wrong: list[WrongWidth]
    ) -> Iterator[list[tuple[int, list[str]]]]:
        width = len(self.header)
        numbered = enumerate((cells for cells in records if any(cells)), start=1)
        while rows := list(islice(numbered, _BATCH)):
            bad = [(number, cells) for number, cells in rows if len(cells) != width]
            for number, cells in bad:
                reason = f"{len(cells)} cells under {width} columns"
                wrong.append(WrongWidth(number, reason, ",".join(cells)))
            yield [row for row in rows if len(row[1]) == width] if bad else rows

    @contextmanager
    def _records(self) -> Iterator[Iterator[list[str]]]:
        with self._text() as text:
            reader = csv.reader(text_lines(text), strict=True)
            yield self._told(reader)

    def _told(self, reader: Iterator[list[str]]) -> Iterator[list[str]]:
        """The records, with what cannot be read of them as an error that names the line."""
        while True:
            try:
                record = next(reader, None)
            except NoText as error:
                raise InputError(error.what, place=self._line(error.line), mend=error.mend) from error
            except csv.Error as error:
                raise InputError(
                    f"the text is no CSV: {error}",
                    place=self._line(getattr(reader, "line_num", None)),
                    mend="look for a quote that is not closed, or a file that ends too early",
                ) from error
            except (EOFError, OSError) as error:
                raise InputError(
                    f"the file cannot be unpacked: {error}", place=self._line(None), mend="fetch it again"
                ) from error
            if record is None:
                return
            yield record

    def _line(self, line: int | None) -> Place:
        return Place(str(self.path), line=line)

    def _text(self) -> IO[str]:
        if self.is_packed:
            return gzip.open(self.path, "rt", encoding="utf-8-sig", newline="")
        return self.path.open(encoding="utf-8-sig", newline="")


class ParquetPage:
    """A Parquet file; numbers and instants become the text of what they are."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _types(self) -> dict[str, str]:
        try:
            with duckdb.connect(":memory:") as connection:
                found = connection.execute(f"describe select * from {self._source}").fetchall()
        except duckdb.Error as error:
            raise self._unread(error) from error
        return {str(row[0]): str(row[1]) for row in found}

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(self._types)

    @property
    def _source(self) -> str:
        return f"read_parquet({text_sql(self.path)}, hive_partitioning = false)"

    def load(self, connection: DuckDBPyConnection, columns: Sequence[str]) -> Loaded:
        texts = ", ".join(f"{_cleaned(self._text(name))} as {quoted(name)}" for name in columns)
        source = self._source.replace("hive_partitioning", "file_row_number = true, hive_partitioning")
        try:
            connection.execute(
                f"create table page as select file_row_number + 1 as row_no, {texts} from {source}"
            )
            words = _null_words(connection, source, [n for n in columns if self._types[n] == "VARCHAR"])
        except duckdb.Error as error:
            raise self._unread(error) from error
        return Loaded((), words)

    def said_of(self, columns: Sequence[str]) -> list[str]:
        floats = [name for name in columns if self._types[name] in ("DOUBLE", "FLOAT")]
        if not floats:
            return []
        verb = "is a binary float" if len(floats) == 1 else "are binary floats"
        return [
            f"{', '.join(floats)} {verb} in Parquet, not decimal: read by the shortest text that gives the "
            "float, which may not be what was billed"
        ]

    def _text(self, name: str) -> str:
        """The text of a column, as SQL."""
        kind, column = self._types[name], quoted(name)
        if kind.startswith(("MAP", "STRUCT")):
            return f"cast(to_json({column}) as varchar)"
        if kind == "TIMESTAMP WITH TIME ZONE":
            return f"strftime(timezone('UTC', {column}), '%Y-%m-%dT%H:%M:%SZ')"
        if kind.startswith("TIMESTAMP"):
            return f"strftime(cast({column} as timestamp), '%Y-%m-%dT%H:%M:%S')"
        if kind.endswith("[]") or kind == "BLOB":
            raise ColumnMapError(
                f"a column of type {kind} has no text to be read as a cell",
                place=Place(str(self.path), column=name),
                mend="export the bill with text, numbers and instants in its columns",
            )
        return f"cast({column} as varchar)"

    def _unread(self, error: duckdb.Error) -> InputError:
        return InputError(
            f"the Parquet file cannot be read: {str(error).splitlines()[0]}",
            place=Place(str(self.path)),
            mend="copy or export the file again",
        )


def _cleaned(text: str) -> str:
    """A cell without blanks around it; null where it says nothing."""
    return f"case when trim({text}) not in {_NULLS} then trim({text}) end"


def _null_words(connection: DuckDBPyConnection, source: str, columns: Sequence[str]) -> int:
    """How many cells say NULL as a word."""
    counts = " + ".join(
        f"count(*) filter (where {quoted(name)} in ('NULL', 'null', 'Null'))" for name in columns
    )
    found = connection.execute(f"select {counts or 0} from {source} limit 1").fetchall()
    return int(found[0][0]) if found else 0
