"""Compaction: fewer files, and nothing else changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuledger.errors import InvariantError, StorageError
from gpuledger.lake import Lake, LakeFile, compaction, total
from gpuledger.lake.digest import Digest
from gpuledger.lake.reading import read_known

NOW_S = 1_793_000_000
YEAR_S = 31_536_000

Publish = Callable[..., int]
Rows = Callable[..., Any]
Held = Callable[[Lake, int], list[tuple[str, int, int | None]]]


def digest(lake: Lake, table: str = "holding") -> Digest:
    return total(lake.files(table, lake.database.latest_seq()))


@pytest.fixture
def versions(lake: Lake, publish: Publish) -> Lake:
    """A lake with four commits: facts that are open, over long ago, changed, and taken back."""
    old, recent = NOW_S - YEAR_S, NOW_S - 1_000
    publish(
        lake, "holding", {"identity": "open", "start_s": 5}, {"identity": "old", "start_s": 1, "end_s": old}
    )
    publish(
        lake, "holding", {"identity": "changed", "start_s": 3}, {"identity": "gone", "start_s": 4, "end_s": 9}
    )
    publish(lake, "holding", {"identity": "changed", "start_s": 3, "end_s": old})
    publish(lake, "holding", {"identity": "gone", "withdrawn": True}, {"identity": "new", "end_s": recent})
    return lake


def test_compaction_keeps_rows_digest_and_what_every_seq_knew(versions: Lake, held: Held) -> None:
    before = digest(versions)
    known = [held(versions, seq) for seq in range(6)]
    files = versions.files("holding", 4)
    made = versions.compact("holding", 0, NOW_S)
    assert (len(files), len(made)) == (4, 2)
    assert versions.files("holding", 5) == sorted(made, key=lambda file: file.path)
    assert digest(versions) == before
    assert before.rows == 7
    assert [held(versions, seq) for seq in range(6)] == known


def test_compacted_rows_carry_the_seq_that_made_them_known(versions: Lake) -> None:
    versions.compact("holding", 0, NOW_S)
    found = versions.in_force("holding", 5)
    assert dict(zip(found["identity"].to_pylist(), found["seq"].to_pylist(), strict=True)) == {
        "changed": 3,
        "new": 4,
        "old": 1,
        "open": 1,
    }


def test_facts_over_long_ago_go_to_history_with_all_their_versions(versions: Lake) -> None:
    made = {file.part: file for file in versions.compact("holding", 0, NOW_S)}
    assert {part: file.rows for part, file in made.items()} == {"current": 4, "history": 3}
    assert made["history"].max_s == NOW_S - YEAR_S


def test_history_is_left_out_where_it_was_over_and_nothing_else_is(versions: Lake, publish: Publish) -> None:
    made = {file.part: file for file in versions.compact("holding", 0, NOW_S)}
    publish(versions, "holding", {"identity": "open", "start_s": 5, "end_s": 6})
    late = versions.files("holding", 6, since_s=NOW_S - YEAR_S)
    assert {file.part for file in late} == {"", "current"}
    early = versions.files("holding", 6, since_s=NOW_S - YEAR_S - 1)
    assert made["history"] in early


def test_compaction_is_logged_and_done_once(versions: Lake) -> None:
    versions.compact("holding", 0, NOW_S)
    assert versions.database.latest_seq() == 5
    assert versions.compact("holding", 0, NOW_S) == []
    assert versions.compact("slot", 0, NOW_S) == []
    assert versions.database.latest_seq() == 5


def test_compacted_files_are_compacted_again_with_what_came_since(
    versions: Lake, publish: Publish, held: Held
) -> None:
    versions.compact("holding", 0, NOW_S)
    publish(versions, "holding", {"identity": "old", "start_s": 2, "end_s": 8}, {"identity": "later"})
    before, known = digest(versions), [held(versions, seq) for seq in range(8)]
    versions.compact("holding", 0, NOW_S)
    assert digest(versions) == before
    assert [held(versions, seq) for seq in range(8)] == known
    assert versions.verify() == []


def test_reader_with_the_list_from_before_reads_on(versions: Lake) -> None:
    listed = versions.files("holding", 4)
    versions.compact("holding", 0, NOW_S)
    assert all(Path(versions.local_path(file)).exists() for file in listed)


def test_of_two_compactions_at_once_one_wins_and_the_other_leaves_nothing(
    versions: Lake, monkeypatch: pytest.MonkeyPatch, held: Held
) -> None:
    known = held(versions, 4)

    def other_first(*arguments: Any) -> Any:
        rows = read_known(*arguments)
        monkeypatch.undo()
        versions.compact("holding", 0, NOW_S)
        return rows

    monkeypatch.setattr(compaction, "read_known", other_first)
    with pytest.raises(StorageError, match="by another process"):
        versions.compact("holding", 0, NOW_S)
    assert held(versions, 9) == known
    assert len(list(versions.store.list("holding"))) == 6
    assert versions.database.latest_seq() == 5


def test_file_that_is_not_what_its_row_says_is_not_compacted(versions: Lake, rows: Rows, held: Held) -> None:
    victim = versions.files("holding", 4)[0]
    other = versions.stage("holding", rows("holding", {"identity": "other"}))[0]
    shutil.copy(versions.store.local_path(other.path), versions.local_path(victim))
    versions.discard([other])
    with pytest.raises(InvariantError, match="would change their digest"):
        versions.compact("holding", 0, NOW_S)
    assert len(list(versions.store.list("holding"))) == 4
    assert len(versions.files("holding", 9)) == 4


def test_observations_are_compacted_a_day_at_a_time(lake: Lake, publish: Publish) -> None:
    day = 86_400_000_000
    for power in (1, 2):
        publish(
            lake,
            "sample",
            *({"subject": f"gpu{power}", "instant_us": n * day, "power_w": power} for n in (0, 1)),
        )
    before = digest(lake, "sample")
    made = lake.compact("sample", 0, NOW_S)
    assert [(file.day, file.rows, file.part) for file in made] == [
        ("1970-01-01", 2, "current"),
        ("1970-01-02", 2, "current"),
    ]
    assert digest(lake, "sample") == before
    assert len(lake.files("sample", lake.database.latest_seq())) == 2


def test_derived_tables_are_made_again_not_compacted(lake: Lake) -> None:
    with pytest.raises(ValueError, match="made again"):
        lake.compact("activity", 0, NOW_S)


instants = st.one_of(st.none(), st.integers(0, 9), st.just(NOW_S))
facts = st.fixed_dictionaries(
    {
        "identity": st.sampled_from("abcde"),
        "node": st.sampled_from([None, "n0", "n1", "n4"]),
        "start_s": st.just(0),
        "end_s": instants,
        "withdrawn": st.booleans(),
    }
)
commits = st.lists(
    st.lists(facts, min_size=1, max_size=4, unique_by=lambda fact: fact["identity"]), max_size=6
)


@pytest.fixture(scope="module")
def lakes(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Lake]]:
    """Make lakes of two shards, one for each example."""
    from gpuledger.lake import LocalFiles
    from gpuledger.versions import Database

    opened: list[Database] = []

    def make() -> Lake:
        home = tmp_path_factory.mktemp("home")
        shutil.copy(made_once, home / "gpuledger.db")
        opened.append(Database.open(f"sqlite:///{home / 'gpuledger.db'}"))
        return Lake(opened[-1], LocalFiles(home / "lake"), 2, threads=1)

    yield make
    for database in opened:
        database.close()


def newest(history: list[list[dict[str, Any]]], seq: int) -> dict[str, Any]:
    """What is in force at a seq, the slow way."""
    latest = {fact["identity"]: fact for commit in history[:seq] for fact in commit}
    return {identity: fact["end_s"] for identity, fact in latest.items() if not fact["withdrawn"]}


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=commits, at=st.integers(0, 6))
def test_any_history_compacted_at_any_time_reads_the_same_at_every_seq(
    lakes: Callable[[], Lake],
    publish: Publish,
    held: Held,
    history: list[list[dict[str, Any]]],
    at: int,
) -> None:
    lake = lakes()
    seqs = []
    for number, commit in enumerate(history):
        seqs.append(publish(lake, "holding", *commit))
        if number == at:
            _compact(lake)
    before = digest(lake)
    _compact(lake)
    assert digest(lake) == before
    assert lake.verify() == []
    for number, seq in enumerate(seqs, start=1):
        found = {identity: end_s for identity, _, end_s in held(lake, seq)}
        assert found == newest(history, number)


def _compact(lake: Lake) -> list[LakeFile]:
    return [file for shard in range(lake.shards) for file in lake.compact("holding", shard, NOW_S)]
