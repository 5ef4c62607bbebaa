"""A price list of others as a table: its header as it is written, and its rows by number, read one by one."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpuledger.errors import ColumnMapError, InputError, Place
from gpuledger.text_files import NoText, text_lines

__all__ = ["Row", "Table", "header_of", "open_table", "parse_table", "refuse_json"]

_GZIP = b"\x1f\x8b"
_LOOKED_AT = 20_000


@dataclass(frozen=True)
class Row:
    """One row: its number, from 1 below the header, and its cells, stripped, by column.

    `cells` is None where it has another number of them than the header; `count` is how many it has.
    """

    number: int
    count: int
    cells: Mapping[str, str] | None


@dataclass(frozen=True)
class Table:
    """The rows of a file that are not empty; they can be gone through once."""

    file: str
    header: tuple[str, ...]
    rows: Iterator[Row]


def refuse_json(path: Path) -> None:
    """Raise `InputError`, with what it is, for a file in JSON, also where it is packed."""
    try:
        with path.open("rb") as file:
            begin = file.read(_LOOKED_AT)
    except OSError:
        return
    data = _unpacked(path) if begin.startswith(_GZIP) else begin
    text = data.decode("utf-8", "replace").lstrip("\ufeff \r\n")
    if text.startswith(("{", "[")):
        raise _no_table(text, path)


def _unpacked(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            return file.read(_LOOKED_AT)
    except (OSError, EOFError, zlib.error):
        return b""


def _no_table(text: str, path: Path) -> InputError:
    """What a file in JSON is, by what it says, and what to do instead."""
    place = Place(str(path))
    if '"input_mtok"' in text or '"output_mtok"' in text:
        return InputError(
            "these are prices of tokens of language models, not of GPUs",
            place=place,
            mend="import a list of what nodes or GPUs cost; what a token costs is found from that",
        )
    try:
        said = json.loads(text)
    except ValueError:
        said = None
    if isinstance(said, dict) and {"CPU", "RAM"} <= set(said):
        gpu = said.get("GPU")
        return InputError(
            "this is a configuration of OpenCost: default prices of CPUs, memory and GPUs, of no time",
            place=place,
            mend="import the CSV that OpenCost reads instead, or write a price of your own: "
            f"`{{model: '*', rate: {gpu or '…'}, currency: USD, from: …}}` in terms/prices.yaml",
        )
    return InputError(
        "the file is JSON, and no price list", place=place, mend="export the prices as CSV with a header"
    )


def header_of(lines: Iterable[str]) -> tuple[str, ...]:
    """The first row that is not empty, stripped; nothing where there is none that can be read.

    >>> header_of(["a, b\\n", "1,2\\n"])
    ('a', 'b')
    """
    try:
        rows = csv.reader(lines, strict=True)
        first = next((row for row in rows if any(cell.strip() for cell in row)), [])
    except (csv.Error, NoText):
        return ()
    return tuple(name.strip() for name in first)


@contextmanager
def open_table(path: Path, uses: Collection[str]) -> Iterator[Table]:
    """The table of a file while it is open; raises `InputError` for what is no text."""
    place = Place(str(path))
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield parse_table(text_lines(file), str(path), uses)
    except NoText as error:
        place = Place(str(path), line=error.line)
        raise InputError(f"the file cannot be read: {error.what}", place=place, mend=error.mend) from error
    except OSError as error:
        what = error.strerror or str(error)
        raise InputError(
            f"the file cannot be read: {what}", place=place, mend="name a file that you may read"
        ) from error


def parse_table(lines: Iterable[str], file: str, uses: Collection[str]) -> Table:
    """The table of a text that has a header; of its cells the columns that are used are kept.

    Raises `InputError` for what is no CSV, when its row is reached, and `ColumnMapError` for a column that is
    used and there twice.
    """
    rows = _rows(lines, file)
    header = tuple(next(rows, ()))
    for name in header:
        if name in uses and header.count(name) > 1:
            raise ColumnMapError(
                f"column {name!r} is there twice", place=Place(file, column=name), mend="keep one of the two"
            )
    kept = [(number, name) for number, name in enumerate(header) if name in uses]
    return Table(file, header, _numbered(rows, len(header), kept))


def _rows(lines: Iterable[str], file: str) -> Iterator[list[str]]:
    reader = csv.reader(lines, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield cells
    except csv.Error as error:
        raise InputError(
            f"the text is no CSV: {error}",
            place=Place(file, line=reader.line_num),
            mend="look for a quote that is not closed, or doubled",
        ) from error


def _numbered(rows: Iterable[list[str]], width: int, kept: list[tuple[int, str]]) -> Iterator[Row]:
    for number, cells in enumerate(rows, 1):
        fits = len(cells) == width
        yield Row(number, len(cells), {name: cells[at] for at, name in kept} if fits else None)
