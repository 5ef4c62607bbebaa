"""Verifying, sweeping and repairing the lake."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, insert, update

from gpuledger.errors import SchemaError, StorageError
from gpuledger.lake import Lake
from gpuledger.lake.manifest import MANIFEST
from gpuledger.versions.tables import book, knowledge, knowledge_head, lake_file, run

NOW_S = 1_793_000_000
DAY_S = 86_400

Publish = Callable[..., int]
Rows = Callable[..., Any]
Held = Callable[[Lake, int], list[tuple[str, int, int | None]]]


@pytest.fixture
def filled(lake: Lake, publish: Publish) -> Lake:
    """A lake with three commits of one holding each."""
    for identity in ("a", "b", "c"):
        publish(lake, "holding", {"identity": identity, "start_s": 5})
    return lake


def paths(lake: Lake) -> list[str]:
    return [found.path for found in lake.store.list()]


def test_lake_that_is_what_its_rows_say_has_no_problem(filled: Lake, publish: Publish) -> None:
    publish(filled, "sample", {"subject": "gpu", "instant_us": 1})
    publish(filled, "activity", {"subject": "gpu", "start_s": 1, "end_s": 2})
    filled.compact("holding", 0, NOW_S)
    assert filled.verify() == []


def test_file_that_is_missing_cut_short_or_other_is_a_problem(filled: Lake, rows: Rows) -> None:
    gone, cut, other = filled.files("holding", 3)
    stranger = filled.stage("holding", rows("holding", {"identity": "z", "start_s": 5}))[0]
    filled.store.delete(gone.path)
    os.truncate(filled.local_path(cut), 100)
    shutil.copy(filled.store.local_path(stranger.path), filled.local_path(other))
    problems = {problem.path: problem.what for problem in filled.verify()}
    assert problems[gone.path] == "is not there"
    assert problems[cut.path] == f"has 100 bytes, not {cut.bytes}"
    assert problems[other.path] in (
        "has other rows than were published",
        f"has {stranger.bytes} bytes, not {other.bytes}",
    )
    assert len(problems) == 3


def test_changed_byte_is_a_problem(filled: Lake) -> None:
    file = filled.files("holding", 3)[0]
    path = Path(filled.local_path(file))
    data = bytearray(path.read_bytes())
    data[4:12] = bytes(8)
    path.write_bytes(data)
    (problem,) = filled.verify()
    assert problem.path == file.path
    assert str(problem).startswith(f"{file.path}: ")


def test_replaced_files_are_deleted_after_a_day_and_not_before(filled: Lake, held: Held) -> None:
    before, known = paths(filled), held(filled, 3)
    filled.compact("holding", 0, NOW_S)
    assert filled.sweep(NOW_S + DAY_S - 1) == []
    assert filled.sweep(NOW_S + DAY_S) == before
    assert paths(filled) == [file.path for file in filled.files("holding", 9)]
    assert held(filled, 3) == known
    assert filled.verify() == []


def test_nothing_to_delete_takes_no_seq(filled: Lake) -> None:
    filled.sweep(NOW_S + 9 * DAY_S)
    assert filled.database.latest_seq() == 3


def running(lake: Lake) -> None:
    """A run is under way, and the files that it reads are replaced."""
    with lake.database.commit("begin book", at_s=NOW_S) as commit:
        values = {"zone": "UTC", "currency": "USD", "shards": 1, "charged": "pooled"}
        commit.connection.execute(insert(book).values(name="main", created_seq=commit.seq, **values))
        values = {"book": "main", "period": "2026-10", "seq": 3, "engine_version": "0", "state": "running"}
        commit.connection.execute(insert(run).values(id="r1", started_at_s=NOW_S - 5, **values))
    lake.compact("holding", 0, NOW_S)


def test_replaced_file_stays_while_a_run_that_may_read_it_runs(filled: Lake) -> None:
    running(filled)
    assert filled.sweep(NOW_S + 6 * DAY_S) == []
    with filled.database.write() as connection:
        connection.execute(update(run).values(state="open"))
    assert len(filled.sweep(NOW_S + 6 * DAY_S)) == 3


def test_a_killed_run_keeps_no_file_for_good(filled: Lake) -> None:
    running(filled)
    assert len(filled.sweep(NOW_S + 9 * DAY_S)) == 3


def test_file_that_was_never_published_is_deleted_after_a_day(filled: Lake, rows: Rows) -> None:
    staged = filled.stage("holding", rows("holding", {"identity": "z"}))[0]
    half = filled.store.local_path("holding/0000/half.parquet.part")
    Path(half).touch()
    for path in (half, filled.store.local_path(staged.path)):
        os.utime(path, (NOW_S, NOW_S))
    assert filled.sweep(NOW_S + DAY_S - 1) == []
    assert filled.sweep(NOW_S + DAY_S) == sorted([staged.path, "holding/0000/half.parquet.part"])
    assert len(filled.files("holding", 3)) == 3


def test_lost_list_of_files_is_repaired_from_the_copy_beside_the_lake(filled: Lake, held: Held) -> None:
    filled.compact("holding", 0, NOW_S)
    filled.write_manifest()
    known = [held(filled, seq) for seq in range(5)]
    with filled.database.write() as connection:
        connection.execute(delete(lake_file))
    assert held(filled, 4) == []
    assert len(filled.repair(NOW_S)) == 4
    assert [held(filled, seq) for seq in range(5)] == known
    assert filled.verify() == []


def test_lake_is_taken_over_into_a_new_database_with_its_knowledge_time(
    filled: Lake, new_lake: Callable[[int], Lake], publish: Publish, held: Held
) -> None:
    filled.write_manifest()
    fresh = new_lake(1)
    moved = Lake(fresh.database, filled.store, 1)
    moved.repair(NOW_S + 5)
    assert [held(moved, seq) for seq in range(4)] == [held(filled, seq) for seq in range(4)]
    assert moved.database.latest_seq() == 4
    assert moved.database.seq_at(NOW_S) == 3
    assert publish(moved, "holding", {"identity": "d"}) == 5


def test_file_that_is_not_there_is_not_taken_over(filled: Lake, new_lake: Callable[[int], Lake]) -> None:
    filled.write_manifest()
    filled.store.delete(filled.files("holding", 3)[0].path)
    moved = Lake(new_lake(1).database, filled.store, 1)
    assert len(moved.repair(NOW_S)) == 2
    assert moved.verify() == []


def test_database_with_another_history_is_not_repaired(
    filled: Lake, new_lake: Callable[[int], Lake], publish: Publish
) -> None:
    filled.write_manifest()
    other = new_lake(1)
    with other.database.commit("something else", at_s=NOW_S):
        pass
    with pytest.raises(StorageError, match="seq 1 is 'something else' in the database and 'test'"):
        Lake(other.database, filled.store, 1).repair(NOW_S)
    assert other.database.latest_seq() == 1


def test_without_a_copy_or_with_one_of_another_schema_nothing_is_repaired(filled: Lake) -> None:
    with pytest.raises(StorageError, match="there is no manifest"):
        filled.repair(NOW_S)
    filled.store.put(MANIFEST, b'{"schema_version": 99}')
    with pytest.raises(SchemaError, match="schema 99"):
        filled.repair(NOW_S)


def test_copy_holds_every_commit_and_the_head_stays_where_it_was(filled: Lake) -> None:
    filled.write_manifest()
    filled.repair(NOW_S)
    with filled.database.read() as connection:
        assert connection.execute(knowledge_head.select()).one().seq == 4
        assert len(connection.execute(knowledge.select()).all()) == 4
