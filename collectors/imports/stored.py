"""Facts to and from the lake's tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from collectors.imports.facts import Fact, LakeFact
from gpuledger.lake import Lake
from gpuledger.lake.arrow import pa, pc
from gpuledger.lake.schema import table_schema

__all__ = ["facts_of_nodes", "facts_of_runs", "facts_said", "facts_table", "keys_known"]


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
    return _facts(kind, _named(lake.in_force(table, seq, source=source), "node", nodes))


def facts_of_runs(lake: Lake, table: str, kind: type[Fact], seq: int, runs: Collection[str]) -> list[Fact]:
    """The facts of a table that hold at a seq, of runs with some names."""
    if not runs or not lake.files(table, seq):
        return []
    return _facts(kind, _named(lake.in_force(table, seq), "run", runs))


def keys_known(lake: Lake, table: str, column: str, seq: int, names: Collection[str]) -> set[tuple[str, str]]:
    """The clusters in which a fact of a table holds at a seq, with its name in a column, of some names."""
    if not names or not lake.files(table, seq):
        return set()
    found = _named(lake.in_force(table, seq), column, names)
    return set(zip(found["cluster"].to_pylist(), found[column].to_pylist(), strict=True))


def _named(rows: Any, column: str, names: Collection[str]) -> Any:
    return rows.filter(pc.is_in(rows[column], value_set=pa.array(sorted(names), pa.string())))


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
