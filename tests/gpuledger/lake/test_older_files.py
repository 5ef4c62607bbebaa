"""Files from before a nullable column was added go on counting, and the column is null in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpuledger.lake import Lake
from gpuledger.lake.manifest import MANIFEST
from gpuledger.lake.schema import TableSchema, table_schema
from gpuledger.lake.staging import conform, slices

NOW_S = 1_793_000_000
LABELS = '{"team":"vision"}'


def before_labels() -> TableSchema:
    """The table as schema version 1 had it."""
    holding = table_schema("holding")
    return replace(holding, columns=tuple(c for c in holding.columns if c.name != "labels"))


@pytest.fixture
def older(lake: Lake, rows: Callable[..., Any]) -> Lake:
    """A lake with one file of schema version 1: the holdings a and b."""
    schema = before_labels()
    table = conform(rows("holding", {"identity": "a"}, {"identity": "b"}).drop(["labels"]), schema)
    staged = [lake.write(schema, part) for part in slices(table, schema, 1)]
    with lake.database.commit("test", at_s=NOW_S) as commit:
        lake.publish(commit, staged)
    return lake


def labels(lake: Lake) -> dict[str, str | None]:
    found = lake.in_force("holding", lake.database.latest_seq())
    return dict(zip(found["identity"].to_pylist(), found["labels"].to_pylist(), strict=True))


def test_an_older_file_agrees_with_its_digest_and_its_column_is_null(older: Lake) -> None:
    assert older.verify() == []
    assert labels(older) == {"a": None, "b": None}


def test_older_and_newer_files_are_read_together(older: Lake, publish: Callable[..., int]) -> None:
    publish(older, "holding", {"identity": "b", "labels": LABELS}, {"identity": "c", "labels": LABELS})
    assert labels(older) == {"a": None, "b": LABELS, "c": LABELS}
    assert older.verify() == []


def test_compaction_puts_older_and_newer_files_into_one(older: Lake, publish: Callable[..., int]) -> None:
    publish(older, "holding", {"identity": "c", "labels": LABELS})
    assert len(older.compact("holding", 0, NOW_S)) == 1
    assert labels(older) == {"a": None, "b": None, "c": LABELS}
    assert older.verify() == []


def test_a_copy_of_an_older_schema_repairs(older: Lake, new_lake: Callable[..., Lake]) -> None:
    older.write_manifest()
    copy = json.loads(older.store.read(MANIFEST)) | {"schema_version": 1}
    older.store.put(MANIFEST, json.dumps(copy).encode(), replace=True)
    found = Lake(new_lake().database, older.store, 1)
    assert len(found.repair(NOW_S)) == 1
    assert labels(found) == {"a": None, "b": None}
