"""Partitions are intervals of one instance with one profile; slices come from the device or a table."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from collectors.imports import HoldingMap, InventoryMap, PartitionMap, Summary
from gpuledger.errors import RejectedRows

from .conftest import Books

MAPPED = """
kind: partitions
source: mig
columns:
  node: node
  slot: bus
  instance: gi
  uuid: uuid
  profile: profile
  model: model
  start: from
  end: {column: to, missing: open}
constants: {cluster: c1}
zone: UTC
"""
HEADER = "node,bus,gi,uuid,profile,model,from,to\n"
BY_DEVICE = MAPPED.replace("  model: model\n", "  compute_slices: c\n  memory_slices: m\n")
BY_DEVICE_HEADER = "node,bus,gi,uuid,profile,c,m,from,to\n"
H100 = "NVIDIA H100 80GB HBM3"
DAY_S = 86_400
OCTOBER_S = 1_790_812_800


def day(at_s: int | None) -> int | None:
    """The day of October 2026 that begins at an instant."""
    return None if at_s is None else (at_s - OCTOBER_S) // DAY_S + 1


def row(gi: str, profile: str, start: int, end: int | None = None, uuid: str = "", model: str = H100) -> str:
    until = "" if end is None else f"2026-10-{end:02}"
    return f"n1,00000000:19:00.0,{gi},{uuid},{profile},{model},2026-10-{start:02},{until}\n"


def bring_in(
    books: Books, rows: str, column_map: str = MAPPED, header: str = HEADER, **options: object
) -> Summary:
    return books.bring_in(header + rows, column_map, PartitionMap, **options)


def partitions(books: Books) -> list[tuple[object, ...]]:
    rows = books.facts("partition", "lane", "profile", "compute_slices", "memory_slices", "start_s", "end_s")
    return [(lane.rpartition("/")[2], *rest, day(start), day(end)) for lane, *rest, start, end in rows]


def test_a_row_is_a_partition_with_a_lane_of_its_own(books: Books) -> None:
    summary = bring_in(books, row("7", "MIG 1g.10gb", 1, 5, "MIG-a"))
    columns = ("identity", "source", "cluster", "node", "slot", "lane", "uuid", "profile")
    assert books.facts("partition", *columns, "compute_slices", "memory_slices", "start_s", "end_s") == [
        (
            *(f"c1/n1/0000:19:00.0/7/{OCTOBER_S}", "mig", "c1", "n1", "n1/0000:19:00.0"),
            *("n1/0000:19:00.0/7", "MIG-a", "1g.10gb", 1, 1, OCTOBER_S, OCTOBER_S + 4 * DAY_S),
        )
    ]
    assert summary.figures == {
        "slots": 1,
        "slots_known": 0,
        "instances": 1,
        "slices_from_the_table": 1,
        "table_of_slices": "version 1",
    }


def test_the_slices_that_the_device_says_go_before_the_table(books: Books) -> None:
    mapped = BY_DEVICE.replace("  compute_slices: c\n", "  compute_slices: c\n  model: uuid\n")
    rows = "n1,0,1,,odd.profile,3,4,2026-10-01,\nn1,0,2,H100,2g.20gb,,,2026-10-01,\n"
    summary = bring_in(books, rows, mapped, BY_DEVICE_HEADER)
    assert [found[:4] for found in partitions(books)] == [("1", "odd.profile", 3, 4), ("2", "2g.20gb", 2, 2)]
    assert summary.figures["slices_from_the_table"] == 1


# T9: an unknown model or profile is shown, and no default stands for it.
@pytest.mark.parametrize(
    ("model", "profile", "reason"),
    [
        ("NVIDIA L40S", "1g.10gb", "the model is not in the table of slices"),
        ("NVIDIA H100 96GB", "1g.10gb", "the model is not in the table of slices"),
        ("", "1g.10gb", "model is empty"),
        (H100, "1g.12gb", "the model has no such profile in the table of slices"),
        (H100, "1c.3g.40gb", "the model has no such profile in the table of slices"),
        ("A100", "1g.10gb", "the profile has other slices by the model's memory"),
        (H100, "", "profile is empty"),
    ],
)
def test_what_the_table_does_not_tell_is_in_quarantine(
    books: Books, model: str, profile: str, reason: str
) -> None:
    summary = bring_in(books, row("1", profile, 1, model=model) + row("2", "1g.10gb", 1))
    assert summary.quarantined == {reason: 1}
    assert [lane for lane, *_ in partitions(books)] == ["2"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (",0,1,,p,1,1,2026-10-01,\n", "node is empty"),
        ("n[1-2],0,1,,p,1,1,2026-10-01,\n", "node is no single node"),
        ("n1,,1,,p,1,1,2026-10-01,\n", "slot is empty"),
        ("n1,0,,,p,1,1,2026-10-01,\n", "instance is empty"),
        ("n1,0,rest,,p,1,1,2026-10-01,\n", "a lane is a partition's number on its slot"),
        ("n1,0,n1/1/7,,p,1,1,2026-10-01,\n", "a lane is a partition's number on its slot"),
        ("n1,0,1,,,1,1,2026-10-01,\n", "profile is empty"),
        ("n1,0,1,,p,0,1,2026-10-01,\n", "slices are not from 1 to 1,024"),
        ("n1,0,1,,p,1,,2026-10-01,\n", "one of compute_slices and memory_slices is empty"),
        ("n1,0,1,,p,1.5,1,2026-10-01,\n", "compute_slices is not whole"),
        ("n1,0,1,,p,,,2026-10-01,\n", "model is empty"),
        ("n1,0,1,,p,1,1,,\n", "start is empty"),
        ("n1,0,1,,p,1,1,2026-10-05,2026-10-01\n", "end is before start"),
    ],
)
def test_a_row_that_cannot_be_right_is_in_quarantine(books: Books, line: str, reason: str) -> None:
    good = "n9,0,1,,p,1,1,2026-10-01,\n"
    assert bring_in(books, line + good, BY_DEVICE, BY_DEVICE_HEADER).quarantined == {reason: 1}
    assert books.facts("partition", "node") == [("n9",)]


def test_strict_fails_before_anything_is_known(books: Books) -> None:
    with pytest.raises(RejectedRows, match="the model is not in the table of slices"):
        bring_in(books, row("1", "1g.10gb", 1, model="B300"), strict=True)
    assert books.database.latest_seq() == 0


# T10: a device that is cut anew has other instances, which may have the same numbers.
def test_a_repartition_is_new_intervals_of_the_same_instances(books: Books) -> None:
    bring_in(
        books,
        row("1", "3g.40gb", 1, 8, "MIG-a")
        + row("2", "3g.40gb", 1, 8, "MIG-b")
        + row("1", "4g.40gb", 8, uuid="MIG-c")
        + row("2", "2g.20gb", 8, uuid="MIG-d"),
    )
    assert partitions(books) == [
        ("1", "3g.40gb", 3, 4, 1, 8),
        ("1", "4g.40gb", 4, 4, 8, None),
        ("2", "3g.40gb", 3, 4, 1, 8),
        ("2", "2g.20gb", 2, 2, 8, None),
    ]


def test_a_repartition_that_a_later_export_tells_ends_what_was_open(books: Books) -> None:
    bring_in(books, row("1", "3g.40gb", 1))
    summary = bring_in(books, row("1", "4g.40gb", 8))
    assert summary.facts["partition"] == {"new": 1, "changed": 1, "unchanged": 0, "withdrawn": 0}
    assert partitions(books) == [("1", "3g.40gb", 3, 4, 1, 8), ("1", "4g.40gb", 4, 4, 8, None)]


def test_two_profiles_of_one_instance_at_one_time_are_both_in_quarantine(books: Books) -> None:
    summary = bring_in(books, row("1", "3g.40gb", 1, 8) + row("1", "4g.40gb", 7, 9) + row("2", "1g.10gb", 1))
    assert summary.quarantined == {"two rows say the profile of one instance at the same time": 2}
    assert "c1/n1/0000:19:00.0/1: also row 2" in books.quarantine()[0]["reason"]
    assert [lane for lane, *_ in partitions(books)] == ["2"]


def test_one_uuid_on_two_instances_at_one_time_is_in_quarantine_and_one_after_the_other_is_not(
    new_books: Callable[..., Books],
) -> None:
    reason = "one UUID is on two instances at the same time"
    twice = row("1", "1g.10gb", 1, uuid="MIG-a") + row("2", "1g.10gb", 5, uuid="MIG-a")
    assert bring_in(new_books(), twice).quarantined == {reason: 2}
    moved = twice + row("1", "2g.20gb", 3, uuid="MIG-b")
    assert bring_in(new_books(), moved).quarantined == {}


def test_a_file_that_comes_twice_is_known_already(books: Books) -> None:
    rows = row("1", "1g.10gb", 1) + row("1", "2g.20gb", 4) + row("2", "1g.12gb", 1)
    bring_in(books, rows)
    again = bring_in(books, rows)
    assert (again.seq, again.facts["partition"]["unchanged"]) == (1, 2)
    assert len(books.quarantine()) == 1


def test_a_profile_that_is_corrected_is_a_version_of_the_same_partition(books: Books) -> None:
    bring_in(books, row("1", "1g.10gb", 1, 8))
    summary = bring_in(books, row("01", "1g.20gb", 1, 8))
    assert summary.facts["partition"] == {"new": 0, "changed": 1, "unchanged": 0, "withdrawn": 0}
    assert partitions(books) == [("1", "1g.20gb", 1, 2, 1, 8)]


def test_what_a_later_file_does_not_name_stays(books: Books) -> None:
    bring_in(books, row("1", "1g.10gb", 1) + row("2", "1g.10gb", 1))
    assert bring_in(books, row("1", "1g.10gb", 1, 9)).facts["partition"]["withdrawn"] == 0
    assert partitions(books) == [("1", "1g.10gb", 1, 1, 1, 9), ("2", "1g.10gb", 1, 1, 1, None)]


def test_any_parts_in_any_order_say_the_same(new_books: Callable[..., Books]) -> None:
    profiles = ["1g.10gb", "2g.20gb", "3g.40gb"]
    lines = [row(str(gi), profiles[(gi + start) % 3], start) for gi in range(4) for start in (1, 4, 9)]
    whole = new_books()
    bring_in(whole, "".join(lines))
    shuffled = random.Random(5).sample(lines, len(lines))
    parts = new_books(shards=3)
    for part in (shuffled[:5], shuffled[5:], shuffled[:7]):
        bring_in(parts, "".join(part))
    assert partitions(parts) == partitions(whole)


INVENTORY = """
kind: inventory
source: assets
columns: {node: node, slot: bus, device: parent, model: m, start: from, compute_slices: cs, memory_slices: ms}
constants: {cluster: c1}
zone: UTC
"""


# T7: the strategy `single` shows seven instances as seven GPUs; there is one slot, by its parent's place.
# T6, T20: what can be had now is no capacity, and partitions add none.
def test_instances_are_no_capacity(books: Books) -> None:
    seven = "".join("n1,0000:19:00.0,GPU-1,H100,2026-10-01,7,8\n" for _ in range(7))
    header = "node,bus,parent,m,from,cs,ms\n"
    inventory = books.bring_in(header + seven, INVENTORY, InventoryMap, name="assets.csv")
    assert inventory.rows == {"read": 7, "accepted": 1, "repeated": 6, "left_out": 0, "quarantined": 0}
    summary = bring_in(books, "".join(row(str(gi), "1g.10gb", 1) for gi in range(7, 14)))
    assert (summary.figures["slots"], summary.figures["slots_known"], summary.figures["instances"]) == (
        1,
        1,
        7,
    )
    assert books.facts("slot", "slot", "compute_slices", "memory_slices") == [("n1/0000:19:00.0", 7, 8)]
    assert books.facts("device", "uuid") == [("GPU-1",)]


def test_a_holding_finds_its_partition_by_number_by_name_and_by_uuid(books: Books) -> None:
    bring_in(books, row("7", "1g.10gb", 1, uuid="MIG-a"))
    held = (
        "kind: holdings\nidentity: [id]\n"
        "columns: {node: node, slot: bus, lane: gi, device: uuid, start: from, end: to}\n"
        "constants: {cluster: c1}\nzone: UTC\n"
    )
    rows = (
        "a,n1,0000:19:00.0,7,,2026-10-01,2026-10-02\n"
        "b,n1,00000000:19:00.0,n1/00000000:19:00.0/7,,2026-10-01,2026-10-02\n"
        "c,n1,,,MIG-a,2026-10-01,2026-10-02\n"
    )
    books.bring_in("id,node,bus,gi,uuid,from,to\n" + rows, held, HoldingMap, name="pods.csv")
    ((lane, uuid),) = books.facts("partition", "lane", "uuid")
    assert books.facts("holding", "lane", "device") == [(lane, None), (lane, None), (None, uuid)]
