"""Digests that do not depend on the order of rows, nor on which file holds them.

A table's digest is a row count and a sum modulo 2^64. The hash of a row is

    row  = mix(GOLDEN + sum of cell(c, value) over the columns but `seq`)
    cell = 0                                        for null
           mix(name(c) + value)                     for an int64 (two's complement) or a bool (0 or 1)
           mix(name(c) + blake(value in UTF-8))     for a string

with all sums modulo 2^64, `blake` = BLAKE2b of 8 bytes read as a little-endian integer, `name(c)` = blake of
the column's name, and `mix` the finaliser of splitmix64. A null adds nothing, so that a column added later
leaves old digests as they are. The row is then bound to the seq that made it known, `row * (2 * seq + 1)`,
and these are summed: where a file's rows have no seq of their own they have the file's, and the sum is bound
at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuledger.lake.arrow import pa

__all__ = ["Digest", "bind", "bound_sum", "row_hash_sum", "row_hashes"]

Hashes = NDArray[np.uint64]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_BATCH = 1 << 15
"""Rows at a time: small enough for the processor's cache, several times faster than whole columns."""


@dataclass(frozen=True)
class Digest:
    """How many rows, and the sum of their hashes modulo 2^64; the digests of parts add up."""

    rows: int = 0
    sum: int = 0

    def __add__(self, other: Digest) -> Digest:
        return Digest(self.rows + other.rows, (self.sum + other.sum) & _MASK)

    def __str__(self) -> str:
        return f"{self.rows}-{self.sum:016x}"


def row_hash_sum(table: pa.Table, columns: Sequence[str]) -> int:
    """The sum of the row hashes over these columns, modulo 2^64, before any seq is bound to it."""
    return _total(row_hashes(table, columns))


def bind(total: int, seq: int) -> int:
    """Bind the sum of row hashes to the one seq of these rows."""
    return total * (2 * seq + 1) & _MASK


def bound_sum(hashes: Hashes, seqs: NDArray[np.int64]) -> int:
    """The sum of row hashes, each bound to its row's seq."""
    return _total(hashes * (seqs.astype(np.uint64) * np.uint64(2) + np.uint64(1)))


def row_hashes(table: pa.Table, columns: Sequence[str]) -> Hashes:
    """The hash of each row over these columns: what the module's docstring says, column by column."""
    out = np.full(table.num_rows, _GOLDEN, dtype=np.uint64)
    for column in columns:
        _add_cells(out, table.column(column), np.uint64(_blake(column)))
    for part in _batches(out.size):
        _mix(out[part])
    return out


def _add_cells(out: Hashes, column: pa.ChunkedArray, name: np.uint64) -> None:
    if column.null_count == len(column):
        return
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        codes, cells = _coded(column, name)
        for part in _batches(out.size):
            out[part] += cells[codes[part]]
        return
    values, known = _numbers(column)
    for part in _batches(out.size):
        cells = values[part] + name
        _mix(cells)
        if known is not None:
            cells *= known[part]
        out[part] += cells


def _coded(column: pa.ChunkedArray, name: np.uint64) -> tuple[NDArray[np.intp], Hashes]:
    """Each row's code, and each code's cell: a string is hashed once, however many rows carry it."""
    coded = column.combine_chunks().dictionary_encode()
    words = coded.dictionary.cast(pa.binary()).to_pylist()
    digests = b"".join([blake2b(word, digest_size=8).digest() for word in words])
    cells = np.frombuffer(digests, dtype="<u8").astype(np.uint64) + name
    _mix(cells)
    codes = coded.indices.fill_null(len(words)).to_numpy(zero_copy_only=False).astype(np.intp)
    return codes, np.append(cells, np.uint64(0))


def _numbers(column: pa.ChunkedArray) -> tuple[Hashes, Hashes | None]:
    """The values as 64-bit words, and 1 where there is one and 0 where it is null (None: no nulls)."""
    whole = column.cast(pa.int64())
    known = column.is_valid().to_numpy().astype(np.uint64) if column.null_count else None
    values: NDArray[Any] = whole.fill_null(0).to_numpy()
    return values.view(np.uint64), known


def _mix(words: Hashes) -> None:
    """The finaliser of splitmix64, in place: one-to-one, and each bit in changes half the bits out."""
    words ^= words >> np.uint64(30)
    words *= _MIX_1
    words ^= words >> np.uint64(27)
    words *= _MIX_2
    words ^= words >> np.uint64(31)


def _blake(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")


def _batches(rows: int) -> Iterator[slice]:
    return (slice(start, start + _BATCH) for start in range(0, rows, _BATCH))


def _total(hashes: Hashes) -> int:
    return int(hashes.sum(dtype=np.uint64))
