"""Rows that cannot be right, as they stand in the lake's table `quarantine`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from collectors.imports.reader import Table
from collectors.imports.rows import Rejected
from gpuledger.lake import Lake
from gpuledger.lake.arrow import pa
from gpuledger.lake.reading import read_known
from gpuledger.lake.schema import table_schema

__all__ = ["BadRecord", "not_known", "quarantine_table", "with_raw"]

_LONGEST = 65_536


class BadRecord(NamedTuple):
    """A row in quarantine: who delivered it, its file and number there, why it is here, and what it said."""

    source: str
    file: str
    row: int
    reason: str
    raw: str


def with_raw(
    rejected: Iterable[Rejected], table: Table, columns: Sequence[str], source: str, file: str
) -> list[BadRecord]:
    """The rejected rows with what they said, which is read once more from their file."""
    reasons = {one.number: f"{one.reason}: {one.detail}" if one.detail else one.reason for one in rejected}
    if not reasons:
        return []
    raw = {
        row.number: _raw(row.cells) for row in table.rows(columns, lambda _: None) if row.number in reasons
    }
    return [
        BadRecord(source, file, number, reason, raw.get(number, ""))
        for number, reason in sorted(reasons.items())
    ]


def _raw(cells: Any) -> str:
    text = json.dumps(cells, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def not_known(records: Iterable[BadRecord], lake: Lake, seq: int) -> list[BadRecord]:
    """The records that are not in quarantine yet: a file that comes twice brings its bad rows once."""
    records = list(records)
    files = lake.files("quarantine", seq) if records and seq else []
    if not files:
        return records
    with lake.engine() as connection:
        found = read_known(connection, table_schema("quarantine"), lake.named(files), seq)
    columns = [found[name].to_pylist() for name in BadRecord._fields]
    known = set(zip(*columns, strict=True))
    return [record for record in records if record not in known]


def quarantine_table(records: Sequence[BadRecord], at_s: int) -> Any:
    """The records as an Arrow table of the lake, put there at this instant."""
    schema = table_schema("quarantine").arrow
    columns = dict(zip(BadRecord._fields, zip(*records, strict=True), strict=True))
    values = columns | {"at_s": [at_s] * len(records)}
    fields = [field for field in schema if field.name in values]
    return pa.Table.from_arrays(
        [pa.array(values[one.name], one.type) for one in fields], schema=pa.schema(fields)
    )
