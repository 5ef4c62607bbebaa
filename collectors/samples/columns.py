"""Columns of a batch as texts and as instants; each distinct text is looked at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collectors.imports.cells import TextCell
from collectors.imports.times import Times
from collectors.samples.verdict import Verdict
from gpuledger.errors import ColumnMapError, InputError, Place
from gpuledger.instants import SANE_END_S, SANE_START_S
from gpuledger.lake.arrow import pa, pc

__all__ = ["by_text", "instants", "texts"]

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_NO_INSTANT = "at is no instant from 2000 to 2100"


def by_text(values: Any, read: Callable[[str], Any], kind: Any) -> Any:
    """What `read` makes of each value of a column of text; null stays null."""
    coded = values.dictionary_encode()
    found = pa.array([read(text) for text in coded.dictionary.to_pylist()], kind)
    return found.take(coded.indices)


def texts(cell: TextCell | None, columns: dict[str, Any], rows: int, nulls: frozenset[str]) -> Any:
    """A field's text in each row, stripped; null where it is not mapped, empty, or one of the nulls."""
    if cell is None:
        return pa.nulls(rows, pa.string())
    if cell.constant is not None:
        return pa.repeat(cell.constant, rows)

    def full(text: str) -> str | None:
        text = text.strip()
        return None if not text or text in nulls else text

    found = [by_text(_as_text(columns[column], column), full, pa.string()) for column in cell.columns]
    whole = found[0] if len(found) == 1 else pc.coalesce(*found)
    return pc.fill_null(whole, cell.missing) if cell.missing else whole


def _as_text(values: Any, column: str) -> Any:
    """The exact text of each value: a float as it prints, a whole one without its point."""
    kind = values.type
    if pa.types.is_string(kind):
        return values
    if pa.types.is_floating(kind):
        coded = values.dictionary_encode()
        printed = [_printed(number) for number in coded.dictionary.to_pylist()]
        return pa.array(printed, pa.string()).take(coded.indices)
    try:
        return values.cast(pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise ColumnMapError(
            f"a column of type {kind} has no text to be read as a cell",
            place=Place(column=column),
            mend="map another column, or export this one as text or numbers",
        ) from error


def _printed(number: float | None) -> str | None:
    if number is None or number != number:
        return None
    return str(int(number)) if number.is_integer() else repr(number)


def instants(
    cell: TextCell, columns: dict[str, Any], rows: int, times: Times, nulls: frozenset[str], verdict: Verdict
) -> NDArray[np.int64]:
    """Each row's instant in Unix seconds, floored; 0 where there is none, which `verdict` is told."""
    values = columns[cell.columns[0]] if len(cell.columns) == 1 else pa.nulls(rows, pa.string())
    kind = values.type
    if pa.types.is_integer(kind):
        return _counted(values, times, verdict)
    if pa.types.is_float64(kind):
        return _floating(values, times, verdict)
    if pa.types.is_timestamp(kind) and (kind.tz or times.zone == "UTC"):
        micros = values.cast(pa.timestamp("us", tz=kind.tz), safe=False).cast(pa.int64())
        return _sane(micros.fill_null(-1).to_numpy(zero_copy_only=False) // 1_000_000, values, verdict)
    return _written(texts(cell, columns, rows, nulls), times, verdict)


def _counted(values: Any, times: Times, verdict: Verdict) -> NDArray[np.int64]:
    """Whole numbers of the map's unit since its epoch."""
    if pa.types.is_uint64(values.type):
        values = pc.if_else(pc.less(values, 2**63), values, 0)
    counted = values.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    most = SANE_END_S * _PER_SECOND[times.unit]
    seconds = np.clip(counted, -most, most) // _PER_SECOND[times.unit] + (times.epoch_s or 0)
    return _sane(seconds, values, verdict)


def _floating(values: Any, times: Times, verdict: Verdict) -> NDArray[np.int64]:
    """Numbers of the map's unit since its epoch, the noise of floats rounded to the microsecond."""
    counted = values.fill_null(0.0).to_numpy(zero_copy_only=False) / _PER_SECOND[times.unit]
    near = np.abs(counted) <= SANE_END_S
    seconds = np.rint(np.where(near, counted, 0.0) * 1e6).astype(np.int64) // 1_000_000
    return _sane(np.where(near, seconds + (times.epoch_s or 0), 0), values, verdict)


def _sane(seconds: Any, values: Any, verdict: Verdict) -> NDArray[np.int64]:
    verdict.refuse(values.is_null().to_numpy(zero_copy_only=False), "at is empty")
    beyond = (seconds < SANE_START_S) | (seconds >= SANE_END_S)
    verdict.refuse(beyond, _NO_INSTANT)
    found: NDArray[np.int64] = np.where(beyond, 0, seconds).astype(np.int64)
    return found


def _written(written: Any, times: Times, verdict: Verdict) -> NDArray[np.int64]:
    """Texts as the other imports read them; a float is text too, as it prints."""

    def read(text: str) -> int | None:
        try:
            return times.read(text)
        except ColumnMapError:
            raise
        except InputError:
            return None

    verdict.refuse(written.is_null().to_numpy(zero_copy_only=False), "at is empty")
    found = by_text(written, read, pa.int64())
    verdict.refuse(found.is_null().to_numpy(zero_copy_only=False), _NO_INSTANT)
    seconds: NDArray[np.int64] = found.fill_null(0).to_numpy(zero_copy_only=False)
    return seconds
