"""Files of derived tables that count up to a seq only: what was known before goes on reading them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gpuledger.errors import StorageError
from gpuledger.lake import Lake, LocalFiles
from gpuledger.versions import Database

NOW_S = 1_793_000_000
DAY_S = 86_400
STRETCH = {"subject": "gpu", "source": "dcgm", "hour_s": 0, "start_s": 0}


@pytest.fixture
def twice(lake: Lake, rows: Callable[..., Any], publish: Callable[..., int]) -> Lake:
    """Activity that is known at seq 1, and another in its place from seq 2 on."""
    publish(lake, "activity", STRETCH | {"end_s": 60})
    put_in_its_place(lake, rows("activity", STRETCH | {"end_s": 120}))
    return lake


def put_in_its_place(lake: Lake, stretches: Any) -> None:
    staged = lake.stage("activity", stretches)
    with lake.database.commit("test", at_s=NOW_S) as commit:
        lake.supersede(commit, lake.files("activity", commit.seq - 1))
        lake.publish(commit, staged)


def ends(lake: Lake, seq: int) -> list[int | None]:
    return [file.max_s for file in lake.files("activity", seq)]


def test_each_seq_reads_the_file_that_counted_then(twice: Lake) -> None:
    assert [ends(twice, seq) for seq in (0, 1, 2, 9)] == [[], [60], [120], [120]]


def test_a_file_counts_no_more_once(twice: Lake) -> None:
    (file,) = twice.files("activity", 1)
    with pytest.raises(StorageError, match="meanwhile"), twice.database.commit("test", at_s=NOW_S) as commit:
        twice.supersede(commit, [file])


def test_it_is_verified_and_never_swept(twice: Lake) -> None:
    assert twice.sweep(NOW_S + 400 * DAY_S) == []
    assert twice.verify() == []
    (file,) = twice.files("activity", 1)
    twice.store.delete(file.path)
    assert [problem.path for problem in twice.verify()] == [file.path]


def test_repair_learns_from_the_copy_that_a_file_counts_no_more(
    lake: Lake, rows: Callable[..., Any], publish: Callable[..., int], tmp_path: Path
) -> None:
    publish(lake, "activity", STRETCH | {"end_s": 60})
    backup = tmp_path / "backup.db"
    with closing(sqlite3.connect(lake.database.engine.url.database or "")) as connection:
        connection.execute("vacuum into ?", [str(backup)])
    put_in_its_place(lake, rows("activity", STRETCH | {"end_s": 120}))
    lake.write_manifest()
    assert isinstance(lake.store, LocalFiles)
    older = Lake(Database.open(f"sqlite:///{backup}"), lake.store)
    assert [file.max_s for file in older.repair(NOW_S)] == [120]
    assert [ends(older, seq) for seq in (1, 2, 9)] == [[60], [120], [120]]
    older.database.close()
