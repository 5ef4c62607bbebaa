"""Counts over time make a node and slots per group and what is held; a later import replaces its window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.imports import CapacityMap, Summary
from collectors.imports.capacity import GroupFacts, group_facts, settle_capacity
from collectors.imports.counts import CountRow, Series, Traits
from gpuledger.errors import ColumnMapError

from .conftest import Books

MAPPED = """
kind: capacity
source: counts
columns: {group: vc, at: time, total: gpus, held: used}
constants: {cluster: c1, model: V100}
zone: UTC
step: 3600
"""
HEADER = "vc,time,gpus,used\n"
HOUR_S = 3600
MIDNIGHT_S = 1_790_812_800


def at(hour: int) -> str:
    return f"2026-10-{1 + hour // 24:02d} {hour % 24:02d}:00"


def counts(*totals: int | tuple[int, int], first: int = 0, group: str = "a") -> str:
    """Rows of one group, an hour apart: a total, or a total and how much of it is held."""
    pairs = [(total, 0) if isinstance(total, int) else total for total in totals]
    return "".join(f"{group},{at(first + hour)},{total},{held}\n" for hour, (total, held) in enumerate(pairs))


def bring_in(books: Books, rows: str, column_map: str = MAPPED, **options: str) -> Summary:
    return books.bring_in(HEADER + rows, column_map, CapacityMap, **options)


def spans(books: Books, table: str, *columns: str) -> list[tuple[Any, ...]]:
    """Some columns and the hours from and to, by start."""
    rows = books.facts(table, *columns, "start_s", "end_s")
    hours = [(*row[:-2], *((edge - MIDNIGHT_S) // HOUR_S for edge in row[-2:])) for row in rows]
    return sorted(hours, key=lambda row: (row[0], row[-2]))


def test_a_group_is_a_node_with_a_slot_per_unit(books: Books) -> None:
    summary = bring_in(books, counts((2, 0), (3, 2), (3, 2), (1, 1)))
    assert spans(books, "node", "node") == [("a", 0, 4)]
    assert spans(books, "slot", "slot") == [("a/0", 0, 4), ("a/1", 0, 3), ("a/2", 1, 3)]
    assert spans(books, "holding", "node", "units", "owner_key", "run") == [
        ("a", 2, "a", "counts/a", 1, 3),
        ("a", 1, "a", "counts/a", 3, 4),
    ]
    assert summary.figures["unit_hours"] == "9.000000"
    assert summary.figures["gpu_hours_held"] == "5.000000"


def test_the_source_reaches_to_the_end_of_the_last_step(books: Books) -> None:
    summary = bring_in(books, counts(1, 1))
    assert books.throughs() == {("counts", "c1"): MIDNIGHT_S + 2 * HOUR_S}
    assert summary.data_through_from == "the end of the last step"


def test_the_last_row_lasts_as_long_as_the_shortest_step_when_none_is_declared(books: Books) -> None:
    column_map = MAPPED.replace("step: 3600\n", "")
    rows = f"a,{at(0)},1,0\na,{at(4)},2,0\na,{at(6)},2,0\n"
    bring_in(books, rows, column_map)
    assert spans(books, "slot", "slot") == [("a/0", 0, 8), ("a/1", 4, 8)]
    with pytest.raises(ColumnMapError, match="one row, and nothing says how long it lasts"):
        bring_in(books, f"b,{at(0)},1,0\n", column_map)


def test_gaps_between_rows_are_counted(books: Books) -> None:
    assert bring_in(books, f"a,{at(0)},1,0\na,{at(4)},1,0\n").figures["gaps_longer_than_a_step"] == 1


def test_wall_clocks_need_a_zone_and_offsets_do_not(books: Books) -> None:
    without = MAPPED.replace("zone: UTC\n", "")
    with pytest.raises(ColumnMapError, match="declares no zone"):
        bring_in(books, counts(1, 1), without)
    bring_in(books, "a,2026-10-01T00:00:00+08:00,1,0\na,2026-10-01T01:00:00+08:00,1,0\n", without)
    assert spans(books, "slot", "slot") == [("a/0", -8, -6)]


def test_more_held_than_there_is_stays_and_is_counted(books: Books) -> None:
    summary = bring_in(books, counts((1, 3)))
    assert summary.figures["rows_held_above_total"] == 1
    assert spans(books, "holding", "units") == [(3, 0, 1)]


def test_a_share_is_turned_into_whole_units(books: Books) -> None:
    column_map = MAPPED.replace("held: used", "held: {share: used, places: 3}")
    rows = (
        f"a,{at(0)},208,0.004\n"  # 1 of 208 is 0.0048, which is 0.005 in three places
        + f"a,{at(1)},208,0.005\n"
        + f"a,{at(2)},64,0.922\n"
        + f"a,{at(3)},3,0.333\n"
        + f"a,{at(4)},1000,0.5\n"
        + f"a,{at(5)},8,-0.1\n"
    )
    summary = bring_in(books, rows, column_map)
    assert summary.quarantined == {
        "held cannot be told from a share of so few places": 1,
        "held is negative": 1,
        "held is no whole number of units": 1,
    }
    assert [units for units, *_ in spans(books, "holding", "units")] == [1, 1, 59]


def test_who_holds_may_be_mapped(books: Books) -> None:
    column_map = MAPPED.replace("held: used", "held: used, owner_key: vc").replace(
        "group: vc", "group: {constant: all}"
    )
    bring_in(books, counts((2, 1), group="a") + counts((2, 1), first=1, group="b"), column_map)
    assert spans(books, "holding", "owner_key") == [("a", 0, 1), ("b", 1, 2)]


def test_counts_that_come_twice_are_known_already(books: Books) -> None:
    rows = counts((2, 1), (3, 2))
    bring_in(books, rows)
    assert bring_in(books, rows).seq == 1


def test_the_next_month_goes_on_where_the_last_one_ended(books: Books) -> None:
    bring_in(books, counts((2, 1), (2, 1)))
    summary = bring_in(books, counts((2, 1), (3, 1), first=2))
    assert spans(books, "slot", "slot") == [("a/0", 0, 4), ("a/1", 0, 4), ("a/2", 3, 4)]
    assert summary.facts["slot"] == {"new": 1, "changed": 2, "unchanged": 0, "withdrawn": 0}
    assert spans(books, "holding", "units") == [(1, 0, 4)]


def test_a_corrected_window_replaces_what_was_inside_it(books: Books) -> None:
    bring_in(books, counts((2, 2), (2, 2), (2, 2), (2, 2), (2, 2)))
    summary = bring_in(books, counts((1, 1), (3, 0), first=1))
    assert spans(books, "slot", "slot") == [
        ("a/0", 0, 5),
        ("a/1", 0, 1),
        ("a/1", 2, 5),
        ("a/2", 2, 3),
    ]
    assert spans(books, "holding", "units") == [(1, 1, 2), (2, 0, 1), (2, 3, 5)]
    assert summary.facts["holding"] == {"new": 2, "changed": 1, "unchanged": 0, "withdrawn": 0}
    assert spans(books, "node", "node") == [("a", 0, 5)]


def test_units_that_were_never_there_are_withdrawn(books: Books) -> None:
    bring_in(books, counts((1, 0), (4, 4), (1, 0)))
    summary = bring_in(books, counts((1, 0), first=1))
    assert summary.facts["slot"]["withdrawn"] == 3
    assert spans(books, "holding", "units") == []
    assert spans(books, "slot", "slot") == [("a/0", 0, 3)]


def test_other_groups_and_other_sources_are_left_alone(books: Books) -> None:
    bring_in(books, counts((2, 1), (2, 1)) + counts((2, 1), (2, 1), group="b"))
    bring_in(books, counts((9, 9), (9, 9), group="z"), source="else")
    bring_in(books, counts((1, 0), first=1))
    nodes = {node for node, *_ in spans(books, "slot", "node")}
    assert nodes == {"a", "b", "z"}
    assert spans(books, "holding", "node", "units") == [("a", 1, 0, 1), ("b", 1, 0, 2), ("z", 9, 0, 2)]


def test_two_counts_at_one_instant_are_both_in_quarantine(books: Books) -> None:
    rows = counts((2, 1), (2, 1), (2, 1))
    summary = bring_in(books, rows + f"a,{at(1)},4,1\n" + f"a,{at(2)},2,1\n")
    assert summary.quarantined == {"rows of one identity differ": 2}
    assert summary.rows["repeated"] == 1
    assert spans(books, "slot", "slot") == [("a/0", 0, 3), ("a/1", 0, 3)]


def test_the_order_of_rows_does_not_matter(new_books: Callable[..., Books]) -> None:
    lines = counts((2, 1), (3, 2), (1, 1)).splitlines(keepends=True)
    found = []
    for order in (lines, lines[::-1]):
        books = new_books()
        bring_in(books, "".join(order))
        found.append([spans(books, table, "identity") for table in ("node", "slot", "holding")])
    assert found[0] == found[1]


Levels = list[tuple[int, int]]
deliveries = st.lists(
    st.tuples(
        st.integers(0, 8), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6)
    ),
    min_size=1,
    max_size=4,
)


@given(deliveries)
def test_the_last_delivery_of_each_hour_counts_and_nothing_is_double(
    given_: list[tuple[int, Levels]],
) -> None:
    known = GroupFacts([], [], [])
    expected: dict[int, tuple[int, int]] = {}
    for first, levels in given_:
        series = _series(first, levels)
        known = _after(series, known)
        expected |= {first + hour: level for hour, level in enumerate(levels)}
    for hour in range(16):
        total, held = expected.get(hour, (0, 0))
        there = [slot.slot for slot in known.slots if slot.start_s <= hour < (slot.end_s or 0)]
        assert sorted(there) == [f"a/{place}" for place in range(total)]
        units = [one.units for one in known.holdings if one.start_s <= hour < (one.end_s or 0)]
        assert units == ([held] if held else [])
        assert sum(one.start_s <= hour < (one.end_s or 0) for one in known.nodes) == (total > 0)


def _series(first: int, levels: Levels) -> Series:
    traits = Traits("V100", "", "", "", "")
    rows = [
        CountRow("c1", "a", first + hour, total, held, "a", traits)
        for hour, (total, held) in enumerate(levels)
    ]
    return Series("c1", "a", tuple(rows), first + len(levels), 0)


def _after(series: Series, known: GroupFacts) -> GroupFacts:
    """What is in force after a delivery."""
    key = ("c1", "a")
    changes = settle_capacity([series], {key: group_facts(series, "counts")}, {key: known})
    return GroupFacts(
        *(
            _applied(before, changes[table].versions)
            for table, before in (("node", known.nodes), ("slot", known.slots), ("holding", known.holdings))
        )
    )


def _applied(before: list[Any], versions: list[Any]) -> list[Any]:
    facts = {fact.identity: fact for fact in before}
    for fact in versions:
        facts[fact.identity] = fact
    return [fact for fact in facts.values() if not fact.withdrawn]
