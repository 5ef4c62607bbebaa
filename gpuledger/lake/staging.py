"""What a table must be like before the lake takes it, and how it is cut into files."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from gpuledger.errors import InputError, SchemaError
from gpuledger.lake.arrow import pa, pc
from gpuledger.lake.schema import TableSchema

__all__ = ["Slice", "bounds", "conform", "cut", "departures", "shard_of", "slices"]

Numbers = NDArray[np.int64]

_DAY_S = 86_400
_DAYS = 1 << 32
"""More days than there are: a shard and a day fit into one number."""
_PER_SECOND = {"s": 1, "us": 1_000_000}


@dataclass(frozen=True)
class Slice:
    """The rows of one shard, and of one UTC day where the table is split by day, in the table's order."""

    shard: int
    day: str | None
    rows: pa.Table


def shard_of(key: str, shards: int) -> int:
    """The shard of a row with this key: CRC-32 of the key in UTF-8, modulo the number of shards."""
    return zlib.crc32(key.encode()) % shards


def conform(table: pa.Table, schema: TableSchema) -> pa.Table:
    """The table with exactly the schema's columns, in its order and types; absent nullable ones are null.

    Raises SchemaError for a column that is unknown, missing, of another type or null where it may not be, and
    InputError for a fact that ends before it begins or an identity that comes twice.
    """
    if unknown := set(table.column_names) - set(schema.names):
        raise SchemaError(f"{schema.name} has no column {', '.join(sorted(unknown))}")
    columns = [_conform_column(table, schema, column.name) for column in schema.columns]
    whole = pa.Table.from_arrays(columns, schema=schema.arrow)
    if schema.kind == "interval":
        _check_facts(whole, schema)
    return whole


def _conform_column(table: pa.Table, schema: TableSchema, name: str) -> pa.ChunkedArray:
    field = schema.arrow.field(name)
    if name not in table.column_names:
        if not field.nullable:
            raise SchemaError(f"{schema.name} needs a column {name}")
        return pa.chunked_array([pa.nulls(table.num_rows, field.type)])
    column = table.column(name)
    if column.null_count and not field.nullable:
        raise SchemaError(f"{schema.name}.{name} is null in {column.null_count} rows")
    if column.type != field.type and not _widens(column.type, field.type):
        raise SchemaError(f"{schema.name}.{name} is {column.type}, not {field.type}")
    return column.cast(field.type)


def _widens(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether every value of the given type is one of the wanted type."""
    types = pa.types
    if types.is_null(given):
        return True
    if types.is_dictionary(given):
        return bool(given.value_type == wanted)
    if types.is_string(wanted):
        return bool(types.is_large_string(given) or types.is_string_view(given))
    return bool(types.is_int64(wanted) and types.is_integer(given) and not types.is_uint64(given))


def _check_facts(table: pa.Table, schema: TableSchema) -> None:
    backwards = table.filter(pc.less(table["end_s"], table["start_s"]))
    if backwards.num_rows:
        raise InputError(f"{schema.name} {backwards['identity'][0].as_py()} ends before it begins")
    facts = table.filter(pc.invert(table["withdrawn"]))["identity"]
    if pc.count_distinct(facts).as_py() < len(facts):
        words, counts = facts.value_counts().flatten()
        twice = pc.min(words.filter(pc.greater(counts, 1))).as_py()
        raise InputError(f"{schema.name} {twice} comes twice in one delivery")


def slices(table: pa.Table, schema: TableSchema, shards: int) -> Iterator[Slice]:
    """The table sorted and cut by shard and, for what was seen, by UTC day; no row seen twice."""
    table = _sorted(table, schema)
    yield from cut(_once(table) if schema.kind == "observation" else table, schema, shards)


def cut(table: pa.Table, schema: TableSchema, shards: int) -> Iterator[Slice]:
    """The table cut by shard and, for what was seen, by UTC day; its rows keep their order.

    It needs no other columns than those that say shard and day.
    """
    cells = _shards(table, schema, shards) * _DAYS + _days(table, schema) + _DAYS // 2
    found, counts = np.unique(cells, return_counts=True)
    if found.size > 1:
        table = table.take(pa.array(np.argsort(cells, kind="stable")))
    for cell, start, count in zip(found, np.cumsum(counts) - counts, counts, strict=True):
        shard, day = divmod(int(cell), _DAYS)
        text = _day_text(day - _DAYS // 2) if schema.by_day else None
        yield Slice(shard, text, table.slice(int(start), int(count)))


def bounds(table: pa.Table, schema: TableSchema) -> tuple[int | None, int | None]:
    """The first and the last Unix second that the rows speak of; a last of None where one is open.

    Withdrawn facts speak of none: both are None where there is nothing else.
    """
    if "end_s" not in schema.names:
        per_second = _PER_SECOND[schema.clock.rpartition("_")[2]]
        clock = pc.min_max(table[schema.clock]).as_py()
        return clock["min"] // per_second, clock["max"] // per_second
    facts = table.filter(pc.invert(table["withdrawn"])) if "withdrawn" in schema.names else table
    ends = facts["end_s"]
    return pc.min(facts["start_s"]).as_py(), None if ends.null_count else pc.max(ends).as_py()


def departures(before: pa.Table, after: pa.Table, schema: TableSchema, shards: int) -> pa.Table:
    """Withdrawals for the facts of `before` that `after` moves to another shard, each with its old place.

    So the greatest seq of an identity is found in each shard alone; where one seq has both, the fact counts.
    """
    at = _shards(before, schema, shards)
    goes = dict(zip(after["identity"].to_pylist(), _shards(after, schema, shards).tolist(), strict=True))
    leaves = [
        goes.get(identity, stays) != stays
        for identity, stays in zip(before["identity"].to_pylist(), at.tolist(), strict=True)
    ]
    left = before.filter(pa.array(leaves, pa.bool_()))
    for name, value in (("withdrawn", pa.scalar(True)), ("seq", pa.scalar(None, pa.int64()))):
        place = left.schema.get_field_index(name)
        left = left.set_column(place, schema.arrow.field(name), pa.repeat(value, left.num_rows))
    return left


def _sorted(table: pa.Table, schema: TableSchema) -> pa.Table:
    """In the schema's order; the other columns break ties, so equal rows in any order come out the same."""
    rest = [name for name in schema.names if name not in schema.sort_by]
    return table.sort_by([(name, "ascending") for name in (*schema.sort_by, *rest)])


def _once(table: pa.Table) -> pa.Table:
    """One row per subject, source and instant, of a table that is sorted by them."""
    new = np.ones(table.num_rows, dtype=bool)
    if table.num_rows > 1:
        keys = (table[name].combine_chunks() for name in ("subject", "source", "instant_us"))
        differs = (pc.not_equal(key[1:], key[:-1]).to_numpy(zero_copy_only=False) for key in keys)
        new[1:] = np.logical_or.reduce(list(differs))
    return table if new.all() else table.filter(pa.array(new))


def _shards(table: pa.Table, schema: TableSchema, shards: int) -> Numbers:
    if shards == 1:
        return np.zeros(table.num_rows, dtype=np.int64)
    key = table[schema.shard_by]
    if schema.shard_else:
        key = pc.coalesce(key, pc.binary_join_element_wise(*(table[name] for name in schema.shard_else), "/"))
    coded = key.combine_chunks().dictionary_encode()
    numbers = [shard_of(word, shards) for word in coded.dictionary.to_pylist()]
    codes = coded.indices.to_numpy(zero_copy_only=False)
    return np.asarray(numbers, dtype=np.int64)[codes] if numbers else np.zeros(0, dtype=np.int64)


def _days(table: pa.Table, schema: TableSchema) -> Numbers:
    if not schema.by_day:
        return np.zeros(table.num_rows, dtype=np.int64)
    clock: Numbers = table[schema.clock].to_numpy()
    return clock // (_DAY_S * _PER_SECOND[schema.clock.rpartition("_")[2]])


def _day_text(day: int) -> str:
    return datetime.fromtimestamp(day * _DAY_S, UTC).date().isoformat()
