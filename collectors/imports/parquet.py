"""A Parquet file as rows of text cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from collectors.imports.rows import Row
from gpuledger.errors import ColumnMapError, InputError, Place
from gpuledger.lake.arrow import pa, pc, pq

__all__ = ["ParquetTable"]

_BATCH = 65_536


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet file; only the columns that are asked for are read."""

    path: Path

    @cached_property
    def _file(self) -> Any:
        with _guarded(self.path):
            return pq.ParquetFile(self.path)

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(self._file.schema_arrow.names)

    @property
    def size(self) -> int:
        return int(self._file.metadata.num_rows)

    def rows(self, columns: Sequence[str], advance: Callable[[int], None]) -> Iterator[Row]:
        number = 0
        names = tuple(columns)
        for batch in self._batches(names):
            texts = [self._checked(name, batch.column(name)) for name in names]
            for cells in zip(*texts, strict=True):
                number += 1
                yield Row(number, dict(zip(names, cells, strict=True)))
            advance(batch.num_rows)

    def _batches(self, names: tuple[str, ...]) -> Iterator[Any]:
        batches = self._file.iter_batches(batch_size=_BATCH, columns=list(names))
        while True:
            with _guarded(self.path):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _checked(self, name: str, values: Any) -> list[str]:
        """The texts of a column, none of which has a NUL."""
        try:
            with _guarded(self.path):
                texts = self._text(name, values)
        except UnicodeDecodeError as error:
            raise self._no_text(name, "text that is not UTF-8") from error
        if any("\0" in text for text in texts):
            raise self._no_text(name, "a NUL in its text")
        return texts

    def _no_text(self, name: str, what: str) -> InputError:
        place = Place(str(self.path), column=name)
        return InputError(f"the column has {what}", place=place, mend="export it again as text in UTF-8")

    def _text(self, name: str, values: Any) -> list[str]:
        """The exact text of each value of a column, "" for null."""
        kind = values.type
        if pa.types.is_dictionary(kind):
            return self._text(name, values.dictionary_decode())
        if pa.types.is_float64(kind):
            return ["" if value is None else repr(value) for value in values.to_pylist()]
        if pa.types.is_timestamp(kind):
            return _instants(values)
        if not _has_text(kind):
            raise ColumnMapError(
                f"a column of type {kind} has no text to be read as a cell",
                place=Place(str(self.path), column=name),
                mend="map another column, or export this one as text or numbers",
            )
        texts: list[str] = pc.fill_null(values.cast(pa.string()), "").to_pylist()
        return texts


def _has_text(kind: Any) -> bool:
    types = pa.types
    plain = (types.is_string, types.is_large_string, types.is_string_view, types.is_integer)
    return any(
        test(kind)
        for test in (
            *plain,
            types.is_boolean,
            types.is_float32,
            types.is_decimal,
            types.is_date,
            types.is_null,
        )
    )


def _instants(values: Any) -> list[str]:
    """ISO 8601: with Z where the column has a zone, else local time as it stands."""
    mark = "Z" if values.type.tz else ""
    local = values.cast(pa.timestamp(values.type.unit))
    return ["" if text is None else text + mark for text in local.cast(pa.string()).to_pylist()]


@contextmanager
def _guarded(path: Path) -> Iterator[None]:
    """What pyarrow cannot read in a file, as an `InputError`."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"the Parquet file cannot be read: {str(error).splitlines()[0]}",
            place=Place(str(path)),
            mend="copy or export the file again",
        ) from error
