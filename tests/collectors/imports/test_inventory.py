"""Inventory makes slots, devices and nodes; a later one corrects, a contradiction goes to quarantine."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from collectors.imports import InventoryMap, Summary

from .conftest import Books

MAPPED = """
kind: inventory
source: assets
columns:
  node: node
  slot: bus
  device: uuid
  model: model
  sku: sku
  start: from
  end: {column: to, missing: open}
constants: {cluster: c1, region: eu}
zone: UTC
"""
HEADER = "node,bus,uuid,model,sku,from,to\n"
COUNTED = """
kind: inventory
source: assets
columns: {node: node, units: gpus, model: model, start: from, end: {column: to, missing: open}}
zone: UTC
"""
COUNTED_HEADER = "node,gpus,model,from,to\n"
DAY_S = 86_400
OCTOBER_S = 1_790_812_800


def day(at_s: int | None) -> int | None:
    """The day of October 2026 that begins at an instant."""
    return None if at_s is None else (at_s - OCTOBER_S) // DAY_S + 1


def bring_in(
    books: Books, rows: str, column_map: str = MAPPED, header: str = HEADER, **options: str
) -> Summary:
    return books.bring_in(header + rows, column_map, InventoryMap, **options)


def spans(books: Books, table: str, *columns: str) -> list[tuple[object, ...]]:
    rows = books.facts(table, *columns, "start_s", "end_s")
    return [(*row[:-2], day(row[-2]), day(row[-1])) for row in rows]


def test_a_row_is_a_slot_its_device_and_part_of_its_node(books: Books) -> None:
    summary = bring_in(
        books,
        "n1,0000:3b:00.0,GPU-1,H100,hgx,2026-10-01,\nn1,0000:86:00.0,,H100,hgx,2026-10-05,2026-10-09\n",
    )
    assert summary.figures == {"nodes": 1, "slots": 2, "devices": 1}
    assert spans(books, "slot", "slot", "bus_id", "model", "region", "sku") == [
        ("n1/0000:3b:00.0", "0000:3b:00.0", "H100", "eu", "hgx", 1, None),
        ("n1/0000:86:00.0", "0000:86:00.0", "H100", "eu", "hgx", 5, 9),
    ]
    assert spans(books, "device", "slot", "uuid") == [("n1/0000:3b:00.0", "GPU-1", 1, None)]
    assert spans(books, "node", "node", "region", "sku", "provider") == [("n1", "eu", "hgx", None, 1, None)]


def test_a_declaration_says_nothing_of_how_far_the_source_reaches(books: Books) -> None:
    rows = "n1,0,GPU-1,H100,hgx,2026-10-01,\n"
    assert bring_in(books, rows).data_through == {}
    assert books.throughs() == {}
    bring_in(books, rows, through="2026-11-01T00:00:00Z")
    assert books.throughs() == {("assets", "c1"): OCTOBER_S + 31 * DAY_S}


def test_a_swapped_board_is_one_slot_with_two_devices(books: Books) -> None:
    bring_in(books, "n1,0,GPU-1,H100,hgx,2026-10-01,2026-10-11\nn1,0,GPU-2,H100,hgx,2026-10-11,\n")
    assert spans(books, "slot", "slot") == [("n1/0", 1, 11), ("n1/0", 11, None)]
    assert spans(books, "device", "uuid") == [("GPU-1", 1, 11), ("GPU-2", 11, None)]
    assert spans(books, "node", "node") == [("n1", 1, None)]


def test_an_inventory_that_comes_twice_is_known_already(books: Books) -> None:
    rows = "n1,0,GPU-1,H100,hgx,2026-10-01,\n"
    bring_in(books, rows)
    again = bring_in(books, rows)
    assert again.seq == 1
    assert {table: counts["unchanged"] for table, counts in again.facts.items()} == {
        "node": 1,
        "slot": 1,
        "device": 1,
    }


def test_a_later_inventory_ends_what_was_open(books: Books) -> None:
    bring_in(books, "n1,0,GPU-1,H100,hgx,2026-10-01,\n")
    bring_in(books, "n1,0,GPU-1,H100,hgx,2026-10-01,2026-10-11\nn1,0,GPU-2,H100,hgx,2026-10-11,\n")
    assert spans(books, "device", "uuid") == [("GPU-1", 1, 11), ("GPU-2", 11, None)]
    assert spans(books, "slot", "slot") == [("n1/0", 1, 11), ("n1/0", 11, None)]


def test_a_start_that_is_corrected_leaves_no_second_slot(books: Books) -> None:
    bring_in(books, "n1,0,GPU-1,H100,hgx,2026-10-01,\n")
    summary = bring_in(books, "n1,0,GPU-1,H100,hgx,2026-10-05,\n")
    assert summary.facts["slot"] == {"new": 1, "changed": 0, "unchanged": 0, "withdrawn": 1}
    assert spans(books, "slot", "slot") == [("n1/0", 5, None)]
    assert spans(books, "device", "uuid") == [("GPU-1", 5, None)]
    assert spans(books, "node", "node") == [("n1", 5, None)]


def test_other_slots_and_other_times_are_left_alone(books: Books) -> None:
    bring_in(books, "n1,0,A,H100,hgx,2026-10-01,2026-10-05\nn1,1,B,H100,hgx,2026-10-01,\n")
    bring_in(books, "n1,0,C,H100,hgx,2026-10-09,\n")
    assert spans(books, "slot", "slot") == [("n1/0", 1, 5), ("n1/0", 9, None), ("n1/1", 1, None)]
    assert spans(books, "node", "node") == [("n1", 1, None)]


def test_any_parts_in_any_order_make_the_same_inventory(new_books: Callable[..., Books]) -> None:
    lines = [
        f"n{node},{slot},GPU-{node}-{slot},H100,hgx,2026-10-0{1 + slot},2026-10-2{slot}\n"
        for node in range(3)
        for slot in range(4)
    ]
    whole = new_books()
    bring_in(whole, "".join(lines))
    shuffled = random.Random(3).sample(lines, len(lines))
    parts = new_books(shards=3)
    for part in (shuffled[:5], shuffled[5:], shuffled[:5]):
        bring_in(parts, "".join(part))
    for table in ("slot", "device", "node"):
        assert spans(parts, table, "identity", "source") == spans(whole, table, "identity", "source")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            "n1,0,A,H100,hgx,2026-10-01,2026-10-11\nn1,0,B,H100,hgx,2026-10-10,\n",
            "two rows have one slot at the same time",
        ),
        (
            "n1,0,A,H100,hgx,2026-10-01,\nn2,0,A,H100,hgx,2026-10-10,\n",
            "one device is in two slots at the same time",
        ),
        (
            "n1,0,A,H100,hgx,2026-10-01,\nn1,1,B,H100,other,2026-10-10,\n",
            "two rows say different things about one node",
        ),
        (
            "n1,0,A,H100,hgx,2026-10-01,\nn1,0,B,H100,hgx,2026-10-01,\n",
            "rows of one identity differ",
        ),
    ],
)
def test_rows_that_contradict_each_other_are_both_in_quarantine(
    new_books: Callable[..., Books], rows: str, reason: str
) -> None:
    one, other = rows.splitlines(keepends=True)
    third = "n9,0,Z,H100,hgx,2026-10-01,\n"
    for order, numbers in ((one + other + third, (1, 2)), (third + other + one, (2, 3))):
        books = new_books()
        summary = bring_in(books, order)
        assert summary.quarantined == {reason: 2}
        assert [row["row"] for row in books.quarantine()] == list(numbers)
        assert spans(books, "slot", "slot") == [("n9/0", 1, None)]
    first, second = books.quarantine()
    assert str(second["row"]) in first["reason"]
    assert str(first["row"]) in second["reason"]


def test_one_slot_after_the_other_is_no_contradiction(books: Books) -> None:
    summary = bring_in(
        books,
        "n1,0,A,H100,hgx,2026-10-01,2026-10-10\nn2,0,A,H100,hgx,2026-10-10,\nn1,0,B,H100,hgx,2026-10-10,\n",
    )
    assert summary.rows["quarantined"] == 0


def test_a_count_of_units_is_that_many_slots(books: Books) -> None:
    bring_in(books, "n1,2,A100,2026-10-01,\nn2,0,,2026-10-01,\n", COUNTED, COUNTED_HEADER)
    assert spans(books, "slot", "slot", "bus_id", "model") == [
        ("n1/0", None, "A100", 1, None),
        ("n1/1", None, "A100", 1, None),
    ]
    assert spans(books, "node", "node") == [("n1", 1, None), ("n2", 1, None)]


def test_a_count_that_is_corrected_takes_slots_back(books: Books) -> None:
    bring_in(books, "n1,4,A100,2026-10-01,\n", COUNTED, COUNTED_HEADER)
    summary = bring_in(books, "n1,2,A100,2026-10-01,\n", COUNTED, COUNTED_HEADER)
    assert summary.facts["slot"] == {"new": 0, "changed": 0, "unchanged": 2, "withdrawn": 2}
    assert len(spans(books, "slot", "slot")) == 2
    assert len(books.facts("slot", "slot", seq=1)) == 4


def test_a_node_that_changes_keeps_what_it_was_before(books: Books) -> None:
    bring_in(books, "n1,0,A,H100,hgx,2026-10-01,2026-10-11\nn1,0,A,H100,hgx2,2026-10-11,\n")
    bring_in(books, "n1,1,B,H100,hgx2,2026-10-21,\n")
    assert spans(books, "node", "sku") == [("hgx", 1, 11), ("hgx2", 11, None)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",0,A,H100,hgx,2026-10-01,\n", "node is empty"),
        ("n1,,A,H100,hgx,2026-10-01,\n", "slot is empty"),
        ("n1,0,A,H100,hgx,,\n", "start is empty"),
        ("n1,0,A,H100,hgx,2026-10-02,2026-10-01\n", "end is before start"),
    ],
)
def test_a_row_that_cannot_be_right_is_in_quarantine(books: Books, row: str, reason: str) -> None:
    assert bring_in(books, row).quarantined == {reason: 1}


def test_two_sources_with_the_same_slot_count_it_once(books: Books) -> None:
    rows = "n1,0,GPU-1,H100,hgx,2026-10-01,\n"
    bring_in(books, rows)
    other = bring_in(books, rows, source="second")
    assert other.also_delivered_by == {"assets": 3}
    assert spans(books, "slot", "source") == [("assets", 1, None)]
