"""A batch of a file as rows of the lake's table `sample`, and what of it goes to quarantine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from collectors.imports.cells import TextCell
from collectors.imports.column_map import RowChoice
from collectors.imports.keys import join_key
from collectors.imports.times import Times
from collectors.samples.batches import Batch
from collectors.samples.columns import by_text, instants, texts
from collectors.samples.metrics import MetricReading
from collectors.samples.sample_map import SampleMap
from collectors.samples.verdict import Verdict
from gpuledger.lake.arrow import pa, pc

__all__ = ["BatchRead", "SampleReader"]

_MIG = re.compile(r"MIG-(?:(GPU-[0-9a-fA-F-]+)/[0-9]+/[0-9]+|[0-9a-zA-Z-]+)", re.ASCII)
"""The UUID of a MIG instance; before driver 470 it was made of the device's, and says it."""


@dataclass(frozen=True)
class BatchRead:
    """What a batch came to: rows of the lake, how many are not wanted, and bad ones with their raw text."""

    rows: Any
    read: int
    left_out: int
    bad: list[tuple[int, str, str]]


class SampleReader:
    """Reads batches by one map; `cluster` is what a row belongs to that names none."""

    def __init__(self, column_map: SampleMap, times: Times, source: str, cluster: str) -> None:
        self._map, self._times, self._source, self._cluster = column_map, times, source, cluster
        self._nulls = frozenset(column_map.nulls)
        self._metrics = {
            column: MetricReading(metric, name, unit, self._nulls)
            for column, (metric, name, unit) in column_map.measured().items()
        }

    def read(self, batch: Batch) -> BatchRead:
        """The rows of a batch that can be right, as the lake has them, and the others."""
        count = len(batch.numbers)
        wanted = _wanted(self._map.rows, batch.columns, count)
        verdict = Verdict(count)
        rows = self._rows(batch.columns, count, verdict)
        keep = wanted & verdict.good
        bad = [
            (int(batch.numbers[row]), reason, batch.raw(row)) for row, reason in verdict.bad() if wanted[row]
        ]
        bad += [(one.number, one.reason, str(list(one.cells))) for one in batch.misfits]
        left_out = int(count - wanted.sum())
        kept = rows if keep.all() else rows.filter(pa.array(keep))
        return BatchRead(kept, count + len(batch.misfits), left_out, bad)

    def _rows(self, columns: dict[str, Any], count: int, verdict: Verdict) -> Any:
        fields = self._map.columns
        at_s = instants(fields.at, columns, count, self._times, self._nulls, verdict)
        step = self._map.step
        device, subject = self._observed(columns, count, verdict)
        found = {
            "cluster": pc.fill_null(texts(fields.cluster, columns, count, self._nulls), self._cluster),
            "node": texts(fields.node, columns, count, self._nulls),
            "subject": subject,
            "source": pa.repeat(self._source, count),
            "instant_us": pa.array(at_s // step * step * 1_000_000),
            "device": device,
            "step_s": pa.array(np.full(count, step, dtype=np.int64)),
        }
        measured = {
            column: reading.read(columns[reading.column], verdict)
            for column, reading in self._metrics.items()
        }
        return pa.table(found | measured)

    def _observed(self, columns: dict[str, Any], count: int, verdict: Verdict) -> tuple[Any, Any]:
        """The device of each row, null where it is not known, and its subject on it."""
        fields = self._map.columns
        named = by_text(texts(fields.device, columns, count, self._nulls), _whole, pa.string())
        part = by_text(texts(fields.partition, columns, count, self._nulls), _number, pa.string())
        as_part = pc.starts_with(named, "MIG-")
        part = pc.coalesce(part, pc.if_else(as_part, named, None))
        device = pc.coalesce(pc.if_else(as_part, None, named), by_text(part, _device_of, pa.string()))
        has_uuid = pc.starts_with(part, "MIG-")
        numbered = pc.binary_join_element_wise(device, part, "#")
        subject = pc.coalesce(pc.if_else(has_uuid, part, None), numbered, device)
        nobody = pc.is_null(pc.if_else(pc.is_null(device), pc.if_else(has_uuid, part, None), device))
        verdict.refuse(nobody.to_numpy(zero_copy_only=False), "device is empty")
        if self._map.run:
            subject = pc.coalesce(
                pc.binary_join_element_wise(subject, self._run(columns, count), "/"), subject
            )
        return device, pc.fill_null(subject, "")

    def _run(self, columns: dict[str, Any], count: int) -> Any:
        """The key of the run, as the import of holdings makes it; null where all of its cells are empty."""
        parts = [
            by_text(
                texts(TextCell(column=column), columns, count, self._nulls),
                lambda text: join_key([text]),
                pa.string(),
            )
            for column in self._map.run
        ]
        filled = [pc.fill_null(part, "") for part in parts]
        nobody = parts[0].is_null()
        for part in parts[1:]:
            nobody = pc.and_(nobody, part.is_null())
        return pc.if_else(nobody, None, pc.binary_join_element_wise(*filled, "/"))


def _whole(text: str) -> str:
    """A UUID without the turn that a device plugin writes behind it."""
    return text.partition("::")[0]


def _number(part: str) -> str:
    """A partition's UUID, or its number on the device as lanes have it."""
    part = _whole(part)
    return str(int(part)) if part.isdecimal() and part.isascii() else part


def _device_of(part: str) -> str | None:
    """The device that the UUID of a partition names, None where it names none."""
    found = _MIG.fullmatch(part)
    return found[1] if found else None


def _wanted(choice: RowChoice, columns: dict[str, Any], count: int) -> Any:
    wanted = np.ones(count, dtype=bool)
    for column, only, keep in _choices(choice):
        cells = pc.fill_null(texts(TextCell(column=column), columns, count, frozenset()), "")
        found = pc.is_in(cells, value_set=pa.array(only, pa.string())).to_numpy(zero_copy_only=False)
        wanted &= found if keep else ~found
    return wanted


def _choices(choice: RowChoice) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    yield from ((column, cells, True) for column, cells in choice.only.items())
    yield from ((column, cells, False) for column, cells in choice.without.items())
