"""Holdings that share a device say how; replicas are no capacity, and no share is counted twice."""

from __future__ import annotations

import pytest

from collectors.imports import HoldingMap, Summary, load_map
from gpuledger.errors import ColumnMapError

from .conftest import Books

PODS = """
kind: holdings
source: kubelet
identity: [uid, gpu]
run: [uid]
columns:
  node: node
  device: gpu
  start: from
  end: to
"""
HEADER = "uid,node,gpu,share,from,to\n"
HOUR = "2026-10-01T12:00Z,2026-10-01T13:00Z"
TURNS, MPS = "{mode: time_slicing, replicas: share}", "{mode: mps, percentage: share}"


def bring_in(books: Books, rows: list[str], share: str = "") -> Summary:
    column_map = PODS.replace("  start", f"  share: {share}\n  start") if share else PODS
    return books.bring_in(HEADER + "".join(f"{row},{HOUR}\n" for row in rows), column_map)


def shares(books: Books) -> list[tuple[object, ...]]:
    return books.facts("holding", "run", "device", "share_mode", "weight", "weight_cap")


# T5: four pods on one time-sliced device are one device's time, whatever its plugin calls them.
def test_replicas_are_no_capacity(books: Books) -> None:
    summary = bring_in(books, [f"u{turn},n1,GPU-a::{turn},4" for turn in range(4)], TURNS)
    assert summary.figures["gpu_hours_held"] == "1.000000"
    assert shares(books) == [(f"u{turn}", "GPU-a", "time_slicing", 1, 4) for turn in range(4)]


def test_replicas_that_are_not_known_or_the_same_for_all(books: Books) -> None:
    bring_in(books, ["a,n1,GPU-a,", "b,n1,GPU-a,1"], TURNS)
    bring_in(books, ["c,n1,GPU-a,"], "{mode: time_slicing}")
    bring_in(books, ["d,n1,GPU-a,"], "{mode: time_slicing, replicas: {constant: 8}}")
    assert [found[2:] for found in shares(books)] == [
        ("time_slicing", 1, 1),
        ("time_slicing", 1, 1),
        ("time_slicing", 1, 1),
        ("time_slicing", 1, 8),
    ]


def test_a_percentage_of_mps_is_counted_against_100_and_no_percentage_is_not_known(books: Books) -> None:
    summary = bring_in(books, ["a,n1,G,25", "b,n1,G,12.5", "c,n1,G,", "d,n1,G,100"], MPS)
    bring_in(books, ["e,n1,G,"], "{mode: mps}")
    assert [found[2:] for found in shares(books)] == [
        ("mps", 25, 100),
        ("mps", 25, 200),
        ("mps", 0, 100),
        ("mps", 100, 100),
        ("mps", 0, 100),
    ]
    assert summary.figures["gpu_hours_held"] == "1.375000"


@pytest.mark.parametrize(
    ("share", "cell", "reason"),
    [
        (TURNS, "0", "replicas are not from 1 to 1,000"),
        (TURNS, "1001", "replicas are not from 1 to 1,000"),
        (TURNS, "2.5", "replicas is not whole"),
        (TURNS, "four", "replicas is no number"),
        (MPS, "0", "percentage is not above 0 and at most 100"),
        (MPS, "101", "percentage is not above 0 and at most 100"),
        (MPS, "-5", "percentage is negative"),
        (MPS, "25%", "percentage is no number"),
        (MPS, "0.00001", "percentage is finer than a ten-thousandth"),
    ],
)
def test_a_share_that_cannot_be_right_is_in_quarantine(
    books: Books, share: str, cell: str, reason: str
) -> None:
    summary = bring_in(books, [f"a,n1,G,{cell}", "b,n1,G,1"], share)
    assert summary.quarantined == {reason: 1}
    assert [run for run, *_ in shares(books)] == ["b"]


def test_a_share_that_is_corrected_is_a_version_of_the_same_holding(books: Books) -> None:
    bring_in(books, ["a,n1,G,25"], MPS)
    assert bring_in(books, ["a,n1,G,50"], MPS).facts["holding"]["changed"] == 1
    assert bring_in(books, ["a,n1,G,50"], MPS).facts["holding"]["unchanged"] == 1
    assert shares(books) == [("a", "G", "mps", 50, 100)]


def test_a_partition_is_held_by_its_uuid_as_it_stands(books: Books) -> None:
    bring_in(books, ["a,n1,MIG-3f2,", "b,n1,MIG-GPU-0c1/3/0,", "c,n1,MIG-77a::2,"])
    assert [device for _, device, *_ in shares(books)] == ["MIG-3f2", "MIG-GPU-0c1/3/0", "MIG-77a"]


LANES = """
kind: holdings
source: slurm
identity: [job]
columns: {node: node, slot: bus, lane: gi, start: from, end: to, units: n}
"""


def test_a_lane_is_a_partition_of_its_slot_and_one_unit(books: Books) -> None:
    rows = [
        "a,n1,0000:3b:00.0,7,1",
        "b,n1,0000:3b:00.0,n1/0000:3B:00.0/09,1",
        "c,n1,0000:3b:00.0,,1",
        "d,n1,,7,1",
        "e,n1,0000:3b:00.0,rest,1",
        "f,n1,0000:3b:00.0,n1/0000:86:00.0/7,1",
        "g,n1,0000:3b:00.0,7,2",
    ]
    summary = books.bring_in(
        "job,node,bus,gi,n,from,to\n" + "".join(f"{row},{HOUR}\n" for row in rows), LANES
    )
    assert summary.quarantined == {
        "a lane without its slot": 1,
        "a lane is a partition's number on its slot": 2,
        "a slot or device is one unit": 1,
    }
    assert books.facts("holding", "run", "slot", "lane") == [
        ("a", "n1/0000:3b:00.0", "n1/0000:3b:00.0/7"),
        ("b", "n1/0000:3b:00.0", "n1/0000:3b:00.0/9"),
        ("c", "n1/0000:3b:00.0", None),
    ]


# T18: an init container and the application that ask for one device hold it once.
def test_a_row_per_container_of_one_pod_and_device_is_one_holding(books: Books) -> None:
    summary = bring_in(books, ["u1,n1,GPU-a,init", "u1,n1,GPU-a,app", "u1,n1,GPU-b,app"])
    assert summary.rows == {"read": 3, "accepted": 2, "repeated": 1, "left_out": 0, "quarantined": 0}
    assert summary.figures["gpu_hours_held"] == "2.000000"


def test_containers_with_times_of_their_own_are_not_added_up(books: Books) -> None:
    rows = f"u1,n1,GPU-a,init,{HOUR}\nu1,n1,GPU-a,app,2026-10-01T13:00Z,2026-10-01T15:00Z\n"
    summary = books.bring_in(HEADER + rows, PODS)
    assert summary.quarantined == {"rows of one identity differ": 2}
    by_start = books.bring_in(HEADER + rows, PODS.replace("[uid, gpu]", "[uid, gpu, from]"))
    assert by_start.figures["gpu_hours_held"] == "3.000000"


# T19: a run that is resized in place is one run with a fact for each size.
def test_a_resized_pod_is_one_run_of_two_facts(books: Books) -> None:
    column_map = (
        "kind: holdings\nsource: kubelet\nidentity: [uid, from]\nrun: uid\n"
        "columns: {node: node, units: n, start: from, end: {column: to, missing: open}}\n"
    )
    rows = "u1,n1,2,2026-10-01T12:00Z,2026-10-01T14:00Z\nu1,n1,5,2026-10-01T14:00Z,2026-10-01T15:00Z\n"
    summary = books.bring_in("uid,node,n,from,to\n" + rows, column_map)
    assert summary.figures["gpu_hours_held"] == "9.000000"
    assert books.facts("holding", "run", "units") == [("u1", 2), ("u1", 5)]


HAMI = """
kind: holdings
source: hami
identity: [pod]
columns:
  node: node
  device: gpu
  fraction: {greatest_of: [{column: cores, per: 100}, {column: mem, per_column: whole_mem}]}
  start: from
  end: to
"""


def fractions(books: Books, *rows: str, column_map: str = HAMI) -> Summary:
    lines = "".join(f"{row},{HOUR}\n" for row in rows)
    return books.bring_in("pod,node,gpu,cores,mem,whole_mem,from,to\n" + lines, column_map)


# T4: who asks for a quarter of the cores and half of the memory has half of the device.
def test_a_fraction_is_the_greater_of_what_is_asked_of_cores_and_of_memory(books: Books) -> None:
    summary = fractions(
        books,
        "a,n1,G,25,10000,80000",
        "b,n1,G,25,40000,80000",
        "c,n1,G,,20000,80000",
        "d,n1,G,30,,",
        "e,n1,G,0,40000,80000",
        "f,n1,G,,,",
        "g,n1,G,100,8,80000",
    )
    assert not summary.quarantined
    assert [found[2:] for found in shares(books)] == [
        ("fraction", 1, 4),
        ("fraction", 1, 2),
        ("fraction", 1, 4),
        ("fraction", 3, 10),
        ("fraction", 1, 2),
        (None, 1, 1),
        (None, 1, 1),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a,n1,G,0,0,80000", "fraction is not above 0 and at most 1"),
        ("a,n1,G,25,90000,80000", "fraction is not above 0 and at most 1"),
        ("a,n1,G,25,40000,", "fraction has nothing to be divided by"),
        ("a,n1,G,25,40000,0", "fraction has nothing to be divided by"),
        ("a,n1,G,25,40000,many", "fraction is no number"),
    ],
)
def test_parts_of_a_fraction_that_cannot_be_right_are_in_quarantine(
    books: Books, row: str, reason: str
) -> None:
    assert fractions(books, row).quarantined == {reason: 1}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("per_column: whole_mem", "per_column: whole_mem, per: 8", "keep one of the two"),
        ("greatest_of:", "column: cores, greatest_of:", "say exactly one of"),
        ("{greatest_of:", "{per: 100, greatest_of:", "into each of them"),
    ],
)
def test_a_fraction_that_is_said_twice_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ColumnMapError, match=message):
        load_map(HAMI.replace(old, new), HoldingMap, file="map.yaml")
