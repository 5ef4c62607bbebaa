"""Activity follows its samples: late ones make it anew, and an earlier seq goes on reading what it read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from collectors.activity import rebuild_all

DAY_S = 86_400
NOW_S = 1_796_000_000

Row = Callable[..., dict[str, Any]]


def made_anew(watched: Any, *days: str) -> tuple[int, int]:
    rebuilt = rebuild_all(watched.database, watched.lake, days or None, at_s=NOW_S)
    return rebuilt.parts, rebuilt.changed


def test_a_late_sample_makes_its_day_anew_and_an_earlier_seq_reads_the_earlier_activity(
    watched: Any, row: Row
) -> None:
    first = watched.bring_in(row(0, sm=0.6), row(1500, sm=0.6))
    late = watched.bring_in(row(1, sm=0.1))
    assert watched.activity(first.seq) == [("GPU-a", 0, 2, 500), ("GPU-a", 1500, 1502, 500)]
    assert watched.activity(late.seq) == [
        ("GPU-a", 0, 1, 500),
        ("GPU-a", 1, 3, 50),
        ("GPU-a", 1500, 1502, 500),
    ]
    files = {seq: watched.lake.files("activity", seq) for seq in (0, first.seq, late.seq)}
    assert [len(files[seq]) for seq in files] == [0, 2, 2]
    assert len({*files[first.seq]} & {*files[late.seq]}) == 1


def test_sweeping_keeps_activity_that_an_earlier_seq_reads(watched: Any, row: Row) -> None:
    first = watched.bring_in(row(0, sm=0.6))
    watched.bring_in(row(1, sm=0.1))
    watched.lake.sweep(NOW_S + 90 * DAY_S)
    assert watched.activity(first.seq) == [("GPU-a", 0, 2, 500)]
    assert watched.lake.verify() == []


def test_the_same_samples_in_any_cut_and_order_give_the_same_activity(
    new_watched: Callable[..., Any], row: Row
) -> None:
    rows = [row(minute, uuid=f"GPU-{minute % 3}", sm=minute % 10 / 10) for minute in range(90)]
    whole, apart = new_watched(), new_watched()
    whole.bring_in(*rows)
    for start in (60, 0, 30):
        apart.bring_in(*rows[start : start + 30][::-1])
    assert whole.activity() == apart.activity()
    digests = [[file.row_hash for file in one.lake.files("activity", 99)] for one in (whole, apart)]
    assert digests[0] == digests[1]


def test_compaction_leaves_activity_as_it_is(watched: Any, row: Row) -> None:
    first = watched.bring_in(row(0, sm=0.6))
    watched.bring_in(row(1, sm=0.1))
    before = watched.activity()
    watched.lake.compact("sample", 0, NOW_S)
    assert len(watched.lake.files("sample", watched.database.latest_seq())) == 1
    assert made_anew(watched) == (1, 0)
    third = watched.bring_in(row(3, sm=0.1))
    assert watched.activity(first.seq) == [("GPU-a", 0, 2, 500)]
    assert watched.activity(third.seq - 1) == before
    assert watched.activity() == [("GPU-a", 0, 1, 500), ("GPU-a", 1, 5, 50)]


def test_making_activity_anew_changes_nothing_and_brings_back_what_is_lost(watched: Any, row: Row) -> None:
    watched.bring_in(row(0, sm=0.6), row(1500, sm=0.6))
    before, seq = watched.activity(), watched.database.latest_seq()
    assert made_anew(watched) == (2, 0)
    assert watched.database.latest_seq() == seq
    with watched.database.commit("test", at_s=NOW_S) as commit:
        watched.lake.supersede(commit, watched.lake.files("activity", seq))
    assert watched.activity() == []
    assert made_anew(watched, "2026-10-27") == (1, 1)
    assert made_anew(watched) == (2, 1)
    assert watched.activity() == before


def test_shards_have_their_own_activity(new_watched: Callable[..., Any], row: Row) -> None:
    one, many = new_watched(1), new_watched(4)
    rows = [
        row(minute, uuid=f"GPU-{node}", sm=0.6) | {"host": f"n{node}"}
        for node in range(8)
        for minute in (0, 1)
    ]
    one.bring_in(*rows)
    many.bring_in(*rows)
    assert one.activity() == many.activity()
    assert len({file.shard for file in many.lake.files("activity", 1)}) > 1


def test_a_commit_that_comes_between_is_taken_into_account(watched: Any, row: Row) -> None:
    """Another import of the same day commits while this one is reading: nothing of it is lost."""
    between = {"done": False}
    plain = watched.lake.database.commit

    def commit(kind: str, **how: Any) -> Any:
        if kind == "import samples" and not between["done"]:
            between["done"] = True
            watched.bring_in(row(1, sm=0.1), name="other.csv")
        return plain(kind, **how)

    watched.database.commit = commit
    watched.bring_in(row(0, sm=0.6))
    assert watched.activity() == [("GPU-a", 0, 1, 500), ("GPU-a", 1, 3, 50)]
    assert len(watched.lake.files("activity", watched.database.latest_seq())) == 1
