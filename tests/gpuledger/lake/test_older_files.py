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


LATER = {1: ["labels", "outcome", "suspended_s", "owner_from"], 3: ["outcome", "suspended_s", "owner_from"]}
"""The columns of holdings that came after a schema version."""


def before(version: int) -> TableSchema:
    """The table as this schema version had it."""
    holding = table_schema("holding")
    return replace(holding, columns=tuple(c for c in holding.columns if c.name not in LATER[version]))


@pytest.fixture(params=[1, 3])
def older(lake: Lake, rows: Callable[..., Any], request: pytest.FixtureRequest) -> Lake:
    """A lake with one file of an older schema version: the holdings a and b."""
    schema = before(request.param)
    table = conform(rows("holding", {"identity": "a"}, {"identity": "b"}).drop(LATER[request.param]), schema)
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


def test_what_came_later_is_null_in_it_and_the_rest_as_it_was(older: Lake) -> None:
    found = older.in_force("holding", older.database.latest_seq())
    for name in LATER[3]:
        assert found[name].to_pylist() == [None, None]
