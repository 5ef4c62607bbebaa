"""Facts into the lake and out of it, as known at any seq."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuledger.errors import SchemaError, StorageError
from gpuledger.lake import Lake, LocalFiles, shard_of

NOW_S = 1_793_000_000

Publish = Callable[..., int]
Rows = Callable[..., Any]
Held = Callable[[Lake, int], list[tuple[str, int, int | None]]]


def test_staged_rows_are_not_visible_until_their_commit(lake: Lake, rows: Rows, held: Held) -> None:
    staged = lake.stage("holding", rows("holding", {"identity": "a", "start_s": 5}))
    assert lake.files("holding", 99) == []
    with lake.database.commit("test", at_s=NOW_S) as commit:
        published = lake.publish(commit, staged)
        assert lake.files("holding", 99) == []
    assert lake.files("holding", 1) == published
    assert (lake.files("holding", 0), held(lake, 0)) == ([], [])
    assert held(lake, 1) == [("a", 5, None)]


def test_commit_that_fails_publishes_nothing_and_can_be_tried_again(
    lake: Lake, rows: Rows, held: Held
) -> None:
    staged = lake.stage("holding", rows("holding", {"identity": "a"}))
    with pytest.raises(StorageError), lake.database.commit("test", at_s=NOW_S) as commit:
        lake.publish(commit, [*staged, *staged])
    assert held(lake, 1) == []
    with lake.database.commit("test", at_s=NOW_S) as commit:
        lake.publish(commit, staged)
    assert held(lake, 1) == [("a", 0, None)]


def test_files_of_one_commit_appear_together(new_lake: Callable[[int], Lake], rows: Rows, held: Held) -> None:
    lake = new_lake(4)
    staged = lake.stage("holding", rows("holding", *({"identity": f"{n}", "run": f"{n}"} for n in range(20))))
    staged += lake.stage("slot", rows("slot", {"identity": "s", "node": "n"}))
    assert len(staged) == 5
    with lake.database.commit("test", at_s=NOW_S) as commit:
        lake.publish(commit, staged)
        assert lake.database.latest_seq() == 0
    assert len(held(lake, 1)) == 20
    assert lake.in_force("slot", 1).num_rows == 1


def test_file_says_what_its_rows_are(lake: Lake, publish: Publish) -> None:
    publish(lake, "holding", {"identity": "a", "start_s": 5, "end_s": 9}, {"identity": "b", "start_s": 3})
    (file,) = lake.files("holding", 1)
    assert (file.table, file.day, file.shard, file.rows, file.part) == ("holding", None, 0, 2, "")
    assert (file.min_s, file.max_s, file.added_seq, file.removed_seq) == (3, None, 1, None)
    assert file.bytes == Path(lake.local_path(file)).stat().st_size
    assert file.path.startswith("holding/0000/")


def test_greatest_seq_replaces_the_whole_interval(lake: Lake, publish: Publish, held: Held) -> None:
    publish(lake, "holding", {"identity": "a", "start_s": 5}, {"identity": "b", "start_s": 6})
    publish(lake, "holding", {"identity": "a", "start_s": 7, "end_s": 8})
    assert held(lake, 1) == [("a", 5, None), ("b", 6, None)]
    assert held(lake, 2) == [("a", 7, 8), ("b", 6, None)]


def test_withdrawal_is_a_version_and_so_is_what_comes_after(lake: Lake, publish: Publish, held: Held) -> None:
    publish(lake, "holding", {"identity": "a", "start_s": 5})
    publish(lake, "holding", {"identity": "a", "start_s": 5, "withdrawn": True})
    publish(lake, "holding", {"identity": "a", "start_s": 6})
    assert [held(lake, seq) for seq in (1, 2, 3)] == [[("a", 5, None)], [], [("a", 6, None)]]


def test_rows_in_force_come_by_identity_with_their_seq_and_the_tables_columns(
    lake: Lake, publish: Publish
) -> None:
    publish(lake, "holding", {"identity": "b"}, {"identity": "a"})
    publish(lake, "holding", {"identity": "b"})
    found = lake.in_force("holding", 2)
    assert found.column("identity").to_pylist() == ["a", "b"]
    assert found.column("seq").to_pylist() == [1, 2]
    assert found.schema == lake.in_force("holding", 0).schema


def test_facts_of_one_source_or_of_some_identities_can_be_asked_for(
    lake: Lake, publish: Publish, rows: Rows
) -> None:
    publish(lake, "holding", {"identity": "a", "source": "sacct"}, {"identity": "b", "source": "kube"})
    assert lake.in_force("holding", 1, source="kube")["identity"].to_pylist() == ["b"]
    some = rows("holding", {"identity": "a"}, {"identity": "z"})["identity"]
    assert lake.in_force("holding", 1, identities=some)["identity"].to_pylist() == ["a"]
    assert lake.in_force("holding", 1, source="kube", identities=some).num_rows == 0


def test_fact_that_moves_to_another_shard_is_found_once_whichever_shards_are_read(
    new_lake: Callable[[int], Lake], publish: Publish, held: Held
) -> None:
    lake = new_lake(2)
    publish(lake, "holding", {"identity": "a", "node": "n0"}, {"identity": "b", "node": "n0"})
    publish(lake, "holding", {"identity": "a", "node": "n4", "start_s": 7}, {"identity": "b", "node": "n1"})
    assert [shard_of(node, 2) for node in ("n0", "n1", "n4")] == [0, 0, 1]
    each = [lake.in_force("holding", 2, shards=[shard])["identity"].to_pylist() for shard in (0, 1)]
    assert each == [["b"], ["a"]]
    assert held(lake, 2) == [("a", 7, None), ("b", 0, None)]
    assert held(lake, 1) == [("a", 0, None), ("b", 0, None)]


def test_observations_are_listed_by_day(lake: Lake, publish: Publish) -> None:
    day = 86_400_000_000
    publish(lake, "sample", *({"subject": "gpu", "instant_us": n * day, "power_w": 1} for n in range(3)))
    assert [file.day for file in lake.files("sample", 1)] == ["1970-01-01", "1970-01-02", "1970-01-03"]
    assert [file.day for file in lake.files("sample", 1, days=["1970-01-02"])] == ["1970-01-02"]
    assert lake.files("sample", 1, shards=[1]) == []


def test_file_that_vanished_between_staging_and_commit_fails_the_commit(
    lake: Lake, rows: Rows, held: Held
) -> None:
    staged = lake.stage("holding", rows("holding", {"identity": "a"}))
    lake.discard(staged)
    with pytest.raises(StorageError, match="is not there"), lake.database.commit("t", at_s=NOW_S) as commit:
        lake.publish(commit, staged)
    assert (lake.database.latest_seq(), held(lake, 1)) == (0, [])


def test_rows_of_another_schema_leave_no_file(lake: Lake, rows: Rows) -> None:
    with pytest.raises(SchemaError):
        lake.stage("holding", rows("slot", {"identity": "a"}))
    assert list(lake.store.list()) == []


@pytest.mark.parametrize("instant", ["os.fsync", "os.replace", "gpuledger.lake.records.insert"])
def test_failure_at_any_step_leaves_a_lake_that_reads_as_before(
    lake: Lake, publish: Publish, held: Held, monkeypatch: pytest.MonkeyPatch, instant: str
) -> None:
    publish(lake, "holding", {"identity": "a"})
    with monkeypatch.context() as broken:
        broken.setattr(instant, lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            publish(lake, "holding", {"identity": "b"})
    assert (held(lake, 9), lake.verify()) == ([("a", 0, None)], [])
    assert publish(lake, "holding", {"identity": "b"}) == 2
    assert held(lake, 2) == [("a", 0, None), ("b", 0, None)]


def test_file_that_a_reader_cannot_open_is_a_storage_error(lake: Lake, publish: Publish) -> None:
    publish(lake, "holding", {"identity": "a"})
    lake.store.delete(lake.files("holding", 1)[0].path)
    with pytest.raises(StorageError, match="cannot be read"):
        lake.in_force("holding", 1)


def test_reading_within_too_little_memory_is_a_storage_error(lake: Lake, publish: Publish) -> None:
    publish(lake, "holding", *({"identity": f"{n:0500}", "run": f"{n}"} for n in range(3_000)))
    small = Lake(lake.database, lake.store, memory_limit="1MB", threads=1)
    with pytest.raises(StorageError, match="needs more memory") as caught:
        small.in_force("holding", 1)
    assert "--memory-limit" in caught.value.mend


def test_folder_with_signs_of_a_pattern_in_its_name_is_read_as_it_is(
    lake: Lake, publish: Publish, held: Held, tmp_path: Path
) -> None:
    odd = Lake(lake.database, LocalFiles(tmp_path / "gpu[1]" / "a*b=c" / "lake?"))
    publish(odd, "holding", {"identity": "a"})
    assert held(odd, 1) == [("a", 0, None)]
    assert odd.verify() == []


def test_ten_thousand_holdings_are_one_file_of_few_bytes(lake: Lake, publish: Publish) -> None:
    publish(
        lake, "holding", *({"identity": f"job/{n}", "run": f"{n}", "start_s": n * 60} for n in range(10_000))
    )
    (file,) = lake.files("holding", 1)
    assert (file.rows, file.bytes < 300_000) == (10_000, True)
