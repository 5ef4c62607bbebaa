"""States come in through a map of the source's words: one at a time for each place, never a guessed one."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from collectors.imports import InventoryMap, StateMap, Summary
from gpuledger.errors import ColumnMapError, RejectedRows

from .conftest import Books

EVENTS = """
kind: states
source: sacctmgr
delimiter: "|"
columns:
  cluster: Cluster
  node: NodeName
  state: State
  reason: Reason
  start: TimeStart
  end: {column: TimeEnd, missing: open}
zone: UTC
nulls: [Unknown]
states: {"DOWN": failed}
"""
HEADER = "Cluster|NodeName|TimeStart|TimeEnd|State|Reason\n"
BY_SLOT = """
kind: states
source: health
columns: {node: node, slot: bus, state: condition, start: from, end: {column: to, missing: open}}
constants: {cluster: c1}
zone: UTC
states: {healthy: available, "xid *": failed, "rma*": absent, "fw?upgrade": maintenance}
"""
SLOT_HEADER = "node,bus,condition,from,to\n"
OCTOBER_S = 1_790_812_800
HOUR_S = 3_600


def hour(at_s: int | None) -> int | None:
    """The hour of 2026-10-01 that begins at an instant."""
    return None if at_s is None else (at_s - OCTOBER_S) // HOUR_S


def event(node: str, start: int, end: int | None, state: str, reason: str = "") -> str:
    texts = ["Unknown" if at is None else f"2026-10-01T{at:02}:00:00" for at in (start, end)]
    return f"c1|{node}|{texts[0]}|{texts[1]}|{state}|{reason}\n"


def bring_in(
    books: Books, rows: str, column_map: str = EVENTS, header: str = HEADER, **options: object
) -> Summary:
    return books.bring_in(header + rows, column_map, StateMap, **options)


def states(books: Books, seq: int | None = None) -> list[tuple[object, ...]]:
    rows = books.facts("state", "node", "slot", "state", "start_s", "end_s", seq=seq)
    return sorted(((*row[:-2], hour(row[-2]), hour(row[-1])) for row in rows), key=str)


def test_a_row_is_a_state_of_every_slot_of_its_node(books: Books) -> None:
    summary = bring_in(books, event("n1", 1, 3, "DOWN*", "Not responding") + event("n2", 2, None, "DRAIN"))
    columns = ("identity", "source", "cluster", "node", "slot", "state", "reason", "start_s", "end_s")
    assert books.facts("state", *columns) == [
        (
            *(f"c1/n1/*/{OCTOBER_S + HOUR_S}", "sacctmgr", "c1", "n1", None, "failed", "Not responding"),
            *(OCTOBER_S + HOUR_S, OCTOBER_S + 3 * HOUR_S),
        ),
        (
            *(f"c1/n2/*/{OCTOBER_S + 2 * HOUR_S}", "sacctmgr", "c1", "n2", None, "drained", None),
            *(OCTOBER_S + 2 * HOUR_S, None),
        ),
    ]
    assert summary.figures == {"nodes": 2, "nodes_with_slots": 0, "drained": 1, "failed": 1}
    assert summary.facts == {"state": {"new": 2, "changed": 0, "unchanged": 0, "withdrawn": 0}}


def test_a_row_may_be_of_one_slot_and_its_words_are_globs_in_any_case(books: Books) -> None:
    summary = bring_in(
        books,
        "n1,00000000:3B:00.0,XID 79,2026-10-01T01:00,2026-10-01T02:00\n"
        + "n1,00000000:3B:00.0,Healthy,2026-10-01T02:00,\n"
        + "n1,1,RMA shipped,2026-10-01T00:00,\n"
        + "n1,,fw-upgrade,2026-10-01T00:00,2026-10-01T01:00\n",
        BY_SLOT,
        SLOT_HEADER,
    )
    assert summary.rows["quarantined"] == 0
    assert states(books) == [
        ("n1", "n1/0000:3b:00.0", "available", 2, None),
        ("n1", "n1/0000:3b:00.0", "failed", 1, 2),
        ("n1", "n1/1", "absent", 0, None),
        ("n1", None, "maintenance", 0, 1),
    ]


def test_a_map_of_words_goes_before_the_table_and_takes_the_first_that_fits(books: Books) -> None:
    own = EVENTS.replace(
        '{"DOWN": failed}', '{"DOWN": maintenance, "power*": available, "*": drained, POWERED_DOWN: failed}'
    )
    bring_in(
        books, event("n1", 1, 2, "down") + event("n2", 1, 2, "POWERED_DOWN") + event("n3", 1, 2, "ODD"), own
    )
    assert [(node, state) for node, _, state, *_ in states(books)] == [
        ("n1", "maintenance"),
        ("n2", "available"),
        ("n3", "drained"),
    ]


@pytest.mark.parametrize("word", ["UNKNOWN", "BROKEN", "IDLE+BROKEN", "DOWN?", "CLOUD", "+"])
def test_a_word_that_nobody_gave_a_meaning_is_in_quarantine(books: Books, word: str) -> None:
    summary = bring_in(books, event("n1", 1, 2, word) + event("n2", 1, 2, "IDLE"))
    assert summary.quarantined == {"state is not known": 1}
    assert "give it a meaning under states in the map" in books.quarantine()[0]["reason"]
    assert word in books.quarantine()[0]["reason"]
    assert [row[0] for row in states(books)] == ["n2"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("c1||2026-10-01T01:00:00|Unknown|DOWN|\n", "node is empty"),
        ("c1|n[1-2]|2026-10-01T01:00:00|Unknown|DOWN|\n", "node is no single node"),
        ("c1|n1|Unknown|Unknown|DOWN|\n", "start is empty"),
        ("c1|n1|soon|Unknown|DOWN|\n", "start is no instant"),
        ("c1|n1|2026-10-01T03:00:00|2026-10-01T01:00:00|DOWN|\n", "end is before start"),
        ("c1|n1|2026-10-01T03:00:00|Unknown||\n", "state is empty"),
        ("c1|n1|2026-10-01T03:00:00\n", "fewer cells than the header"),
    ],
)
def test_a_row_that_cannot_be_right_is_in_quarantine(books: Books, row: str, reason: str) -> None:
    assert bring_in(books, row + event("n9", 1, 2, "IDLE")).quarantined == {reason: 1}
    assert [node for node, *_ in states(books)] == ["n9"]


def test_strict_fails_before_anything_is_known(books: Books) -> None:
    with pytest.raises(RejectedRows, match=r"1 of 2 rows cannot be right: state is not known \(1\)"):
        bring_in(books, event("n1", 1, 2, "ODD") + event("n2", 1, 2, "IDLE"), strict=True)
    assert books.database.latest_seq() == 0


def test_two_states_of_one_place_at_one_time_are_both_in_quarantine(new_books: Callable[..., Books]) -> None:
    one, other = event("n1", 1, 4, "DOWN"), event("n1", 3, 5, "IDLE")
    for order, numbers in ((one + other, (1, 2)), (other + one, (1, 2))):
        books = new_books()
        summary = bring_in(books, order + event("n2", 1, 2, "IDLE"))
        assert summary.quarantined == {"two rows say the state of one place at the same time": 2}
        first, second = books.quarantine()
        assert (first["row"], second["row"]) == numbers
        assert "c1/n1/*: also row 2" in first["reason"]
        assert [node for node, *_ in states(books)] == ["n2"]


def test_two_rows_that_begin_together_and_differ_are_both_in_quarantine(books: Books) -> None:
    summary = bring_in(books, event("n1", 1, 4, "DOWN") + event("n1", 1, 4, "IDLE"))
    assert summary.quarantined == {"rows of one identity differ": 2}


def test_an_open_state_ends_where_the_next_one_of_its_place_begins(books: Books) -> None:
    bring_in(
        books, event("n1", 1, None, "DOWN") + event("n1", 5, None, "IDLE") + event("n1", 3, None, "DRAIN")
    )
    assert states(books) == [
        ("n1", None, "available", 5, None),
        ("n1", None, "drained", 3, 5),
        ("n1", None, "failed", 1, 3),
    ]


def test_a_log_of_changes_needs_no_column_with_the_end(books: Books) -> None:
    log = "kind: states\nsource: watch\ncolumns: {node: node, state: ready, start: since}\n"
    bring_in(
        books,
        "n1,Ready,2026-10-01T00:00Z\nn1,NotReady,2026-10-01T04:00Z\nn1,Ready,2026-10-01T06:00Z\n",
        log,
        "node,ready,since\n",
    )
    assert states(books) == [
        ("n1", None, "available", 0, 4),
        ("n1", None, "available", 6, None),
        ("n1", None, "failed", 4, 6),
    ]


def test_a_file_that_comes_twice_is_known_already(books: Books) -> None:
    rows = event("n1", 1, None, "DOWN") + event("n1", 3, None, "IDLE") + event("n2", 1, 2, "ODD")
    bring_in(books, rows)
    again = bring_in(books, rows)
    assert (again.seq, again.facts["state"]["unchanged"]) == (1, 2)
    assert len(books.quarantine()) == 1


def test_a_later_export_ends_what_was_open_and_takes_back_nothing_else(books: Books) -> None:
    bring_in(books, event("n1", 1, None, "DOWN") + event("n2", 1, 2, "DRAIN"))
    later = bring_in(books, event("n1", 1, 3, "DOWN"))
    assert later.facts["state"] == {"new": 0, "changed": 1, "unchanged": 0, "withdrawn": 0}
    assert states(books) == [("n1", None, "failed", 1, 3), ("n2", None, "drained", 1, 2)]
    assert states(books, seq=1)[0] == ("n1", None, "failed", 1, None)


def test_an_earlier_export_that_comes_late_takes_nothing_back(books: Books) -> None:
    bring_in(books, event("n1", 1, 3, "DOWN"), through="2026-10-01T10:00Z")
    late = bring_in(books, event("n1", 1, None, "DOWN"), through="2026-10-01T02:00Z")
    assert (late.seq, late.facts["state"]["unchanged"]) == (1, 1)
    assert states(books) == [("n1", None, "failed", 1, 3)]


def test_an_end_that_proves_wrong_is_opened_again(books: Books) -> None:
    bring_in(books, event("n1", 1, 3, "DOWN"))
    assert bring_in(books, event("n1", 1, None, "DOWN"), through="2026-10-01T09:00Z").facts["state"][
        "changed"
    ]
    assert states(books) == [("n1", None, "failed", 1, None)]


def test_a_state_that_is_corrected_is_a_version_of_the_same_fact(books: Books) -> None:
    bring_in(books, event("n1", 1, 3, "DOWN"))
    summary = bring_in(books, event("n1", 1, 3, "MAINT", "planned"))
    assert summary.facts["state"] == {"new": 0, "changed": 1, "unchanged": 0, "withdrawn": 0}
    assert states(books) == [("n1", None, "maintenance", 1, 3)]


def test_a_start_that_is_corrected_leaves_no_second_state(books: Books) -> None:
    bring_in(books, event("n1", 1, 4, "DOWN"))
    summary = bring_in(books, event("n1", 2, 4, "DOWN"))
    assert summary.facts["state"] == {"new": 1, "changed": 0, "unchanged": 0, "withdrawn": 1}
    assert states(books) == [("n1", None, "failed", 2, 4)]


def test_any_parts_in_any_order_say_the_same(new_books: Callable[..., Books]) -> None:
    words = ["DOWN", "IDLE", "DRAIN", "MAINT", "IDLE"]
    lines = [
        event(f"n{node}", start, start + 1 if start == 6 else None, words[(node + start) % 5])
        for node in range(3)
        for start in (0, 3, 6, 9, 12)
    ]
    whole = new_books()
    bring_in(whole, "".join(lines))
    for seed in range(5):
        shuffled = random.Random(seed).sample(lines, len(lines))
        parts = new_books(shards=3)
        for part in (shuffled[:4], shuffled[4:9], shuffled[9:], shuffled[:5]):
            bring_in(parts, "".join(part))
        assert states(parts) == states(whole)


def test_another_source_that_says_the_same_adds_nothing(books: Books) -> None:
    bring_in(books, event("n1", 1, 3, "DOWN"))
    other = bring_in(books, event("n1", 1, 3, "DOWN"), source="second")
    assert other.also_delivered_by == {"sacctmgr": 1}
    assert books.facts("state", "source") == [("sacctmgr",)]


def test_states_say_nothing_of_how_far_their_source_reaches_unless_somebody_does(books: Books) -> None:
    assert bring_in(books, event("n1", 1, 3, "DOWN")).data_through == {}
    assert books.throughs() == {}
    bring_in(books, event("n1", 1, 3, "DOWN"), through="2026-10-01T06:00Z")
    assert books.throughs() == {("sacctmgr", "c1"): OCTOBER_S + 6 * HOUR_S}


def test_nodes_that_the_inventory_does_not_know_are_told(books: Books) -> None:
    warned = "no node of the file has a known slot"
    assert warned in " ".join(bring_in(books, event("n1.example", 1, 3, "DOWN")).warnings)
    inventory = "kind: inventory\ncolumns: {node: n, units: g, start: s}\nconstants: {cluster: c1}\n"
    books.bring_in("n,g,s\nn1,8,2026-10-01T00:00Z\n", inventory, InventoryMap, name="assets.csv")
    summary = bring_in(books, event("n1", 1, 3, "DOWN") + event("n7", 1, 3, "DOWN"))
    assert summary.figures["nodes_with_slots"] == 1
    assert warned not in " ".join(summary.warnings)


def test_local_time_without_a_zone_refuses_the_whole_file(books: Books) -> None:
    with pytest.raises(ColumnMapError, match="declares no zone"):
        bring_in(books, event("n1", 1, 3, "DOWN"), EVENTS.replace("zone: UTC\n", ""))
    assert books.database.latest_seq() == 0
