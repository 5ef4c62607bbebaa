"""Facts to and from the lake's tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from collectors.imports.facts import Fact, LakeFact
from gpuledger.lake import Lake
from gpuledger.lake.arrow import pa, pc
from gpuledger.lake.schema import table_schema

__all__ = ["facts_of_nodes", "facts_said", "facts_table"]


def facts_said(lake: Lake, table: str, kind: type[Fact], seq: int, identities: Collection[str]) -> list[Fact]:
    """The facts of a table that hold at a seq, of some identities."""
    if not identities or not lake.files(table, seq):
        return []
    wanted = pa.chunked_array([pa.array(sorted(identities), pa.string())])
    return _facts(kind, lake.in_force(table, seq, identities=wanted))


def facts_of_nodes(
    lake: Lake, table: str, kind: type[Fact], seq: int, nodes: Collection[str], source: str | None = None
) -> list[Fact]:
    """The facts of a table that hold at a seq, of nodes with some names, of one source if asked."""
    if not nodes or not lake.files(table, seq):
        return []
    found = lake.in_force(table, seq, source=source)
    names = pa.array(sorted(nodes), pa.string())
    return _facts(kind, found.filter(pc.is_in(found["node"], value_set=names)))


def _facts(kind: type[Fact], rows: Any) -> list[Fact]:
    columns = [rows[name].to_pylist() for name in kind._fields]
    return [kind._make(values) for values in zip(*columns, strict=True)]


def facts_table(table: str, facts: Sequence[LakeFact]) -> Any:
    """The facts as an Arrow table of the lake; their seq is left to the commit."""
    schema = table_schema(table).arrow
    columns = dict(zip(facts[0]._fields, zip(*facts, strict=True), strict=True)) if facts else {}
    nothing = (None,) * len(facts)
    arrays = [pa.array(columns.get(field.name, nothing), field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)
