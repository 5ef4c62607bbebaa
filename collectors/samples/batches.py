"""A file as batches of Arrow columns: Parquet as it is, delimited text as columns of text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collectors.imports.parquet import ParquetTable
from collectors.imports.reader import Table
from collectors.imports.rows import Misfit, Row
from gpuledger.errors import InputError, Place
from gpuledger.lake.arrow import pa, pc, pq

__all__ = ["Batch", "batches"]

_ROWS = 1 << 18
_TEXT_ROWS = 1 << 16

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Batch:
    """Some rows of a file: their columns, their numbers in it (1 = first), and rows that do not fit."""

    columns: dict[str, Any]
    numbers: NDArray[np.int64]
    misfits: Sequence[Misfit] = ()

    def raw(self, row: int) -> str:
        """A row as it came, as JSON."""
        cells = {name: values[row].as_py() for name, values in self.columns.items()}
        return json.dumps({name: _text(cell) for name, cell in cells.items()}, ensure_ascii=False)


def batches(table: Table, columns: Sequence[str], file: str, advance: Advance) -> Iterator[Batch]:
    """The rows of a file, some hundred thousand at a time; `advance` is told how far reading went on."""
    if isinstance(table, ParquetTable):
        yield from _parquet(table, columns, file, advance)
    else:
        yield from _text_rows(table, columns, advance)


def _parquet(table: ParquetTable, columns: Sequence[str], file: str, advance: Advance) -> Iterator[Batch]:
    number = 1
    try:
        read = pq.ParquetFile(table.path)
        for batch in read.iter_batches(batch_size=_ROWS, columns=list(columns)):
            found = {name: _plain(batch.column(name), name, file) for name in columns}
            yield Batch(found, np.arange(number, number + batch.num_rows, dtype=np.int64))
            number += batch.num_rows
            advance(batch.num_rows)
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"the Parquet file cannot be read: {str(error).splitlines()[0]}",
            place=Place(file),
            mend="copy or export the file again",
        ) from error


def _plain(values: Any, name: str, file: str) -> Any:
    """The column without a dictionary; its text is UTF-8 and has no NUL."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.dictionary_decode()
    if not pa.types.is_string(values.type) and not pa.types.is_large_string(values.type):
        return values
    values.validate(full=True)
    if pc.any(pc.match_substring(values, "\0")).as_py():
        raise InputError(
            "the column has a NUL in its text",
            place=Place(file, column=name),
            mend="export it again as text in UTF-8",
        )
    return values.cast(pa.string())


def _text_rows(table: Table, columns: Sequence[str], advance: Advance) -> Iterator[Batch]:
    rows = table.rows(columns, advance)
    while some := list(islice(rows, _TEXT_ROWS)):
        fitting = [row for row in some if isinstance(row, Row)]
        found = {name: pa.array([row.cells[name] for row in fitting], pa.string()) for name in columns}
        numbers = np.array([row.number for row in fitting], dtype=np.int64)
        yield Batch(found, numbers, [row for row in some if isinstance(row, Misfit)])


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)
