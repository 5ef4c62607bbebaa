"""What changes no figure of any fleet's books: cuts, order, bundles, shards, zones, workers, later news."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from unittest.mock import patch

import pytest
from deliveries import corrected, dealt, deliver, recut
from fleets import MONTH_ENDS, Device, Fleet, Holding, Slot
from hypothesis import given
from hypothesis import strategies as st
from months import (
    ZONES,
    Month,
    Row,
    books_of,
    few,
    fewest,
    home_of,
    make,
    months,
    of_the_same_months,
    printed,
    random_of,
    total,
)

import chargeback.units
from chargeback.workbench import FACT_SOURCES
from gpuledger.calendars import month_bounds
from gpuledger.versions import OwnerFact, PriceFact

pytestmark = pytest.mark.books


@of_the_same_months
@few
@given(months())
def test_cuts_order_and_delivering_twice_change_no_entry(month: Month) -> None:
    random = random_of(month)
    cut = recut(month.fleet, random)
    with home_of(month) as house:
        for part in dealt(cut, 3, random):
            deliver(house, part)
        deliver(house, dealt(cut, 2, random)[0])
        again = make(house, month)
    books = books_of(month)
    assert again.rows == books.rows
    assert printed(month, again.result, seq=0) == printed(month, books.result, seq=0)


@few
@given(months(["America/St_Johns"], st.just("before")))
def test_how_days_are_bundled_changes_no_entry(month: Month) -> None:
    """The window before this month's end has parts of two UTC days."""
    with patch.object(chargeback.units, "_PIECES_AT_ONCE", 1), home_of(month) as house:
        deliver(house, month.fleet)
        apart = make(house, month)
    books = books_of(month)
    assert apart.rows == books.rows
    assert printed(month, apart.result) == printed(month, books.result)


@of_the_same_months
@few
@given(months())
def test_shards_change_no_time_and_no_total(month: Month) -> None:
    with home_of(month, shards=2) as house:
        deliver(house, month.fleet)
        sharded = make(house, month)
    books = books_of(month)
    assert ordered(sharded.times) == ordered(books.times)
    totals, totals_sharded = (
        total(
            ((row["layer"], row["lot"], row["pool"], row["piece_s"]), row["amount"]) for row in made.entries
        )
        for made in (books, sharded)
    )
    assert totals == totals_sharded
    if month.charged == "recognised":
        assert ordered(sharded.entries) == ordered(books.entries)


@of_the_same_months
@fewest
@given(months())
def test_another_billing_zone_changes_no_total_of_a_lot(month: Month) -> None:
    zone = month.fleet.month_end.zone
    another = random_of(month).choice([name for name in ZONES if name != zone])
    assert lot_totals(month, another) == lot_totals(month, zone)


@of_the_same_months
@fewest
@given(months())
def test_the_same_seq_makes_the_same_books_whatever_is_known_later(month: Month) -> None:
    later = corrected(month.fleet, random_of(month))
    with home_of(month) as house:
        seq = deliver(house, month.fleet)
        deliver(house, later.versions)
        deliver(house, later.withdrawn, withdrawn=True)
        for table in FACT_SOURCES:
            house.desk.lake.compact(table, 0, at_s=0)
        again, now = make(house, month, seq), make(house, month)
    books = books_of(month)
    assert again.rows == books.rows
    assert printed(month, again.result) == printed(month, books.result)
    with home_of(month) as house:
        deliver(house, later.known)
        assert now.rows == make(house, month).rows


def test_several_workers_make_the_same_books() -> None:
    fleet = small_fleet()
    month = Month(fleet, "pooled", fleet.month_end.before, fleet.start_s, fleet.month_end.at_s)
    found = []
    for workers in (1, 2):
        with home_of(month, shards=2) as house:
            deliver(house, fleet)
            found.append(make(house, month, workers=workers))
    assert len({one.shard for one in found[0].result.partitions}) > 1
    assert found[0].rows == found[1].rows
    assert printed(month, found[0].result) == printed(month, found[1].result)


def lot_totals(month: Month, zone: str) -> dict[str, int]:
    """What each lot recognises in a fleet's window, in the months of this zone."""
    fleet = month.fleet
    entries: list[Row] = []
    with home_of(month, zone) as house:
        deliver(house, fleet)
        for name in (fleet.month_end.before, fleet.month_end.after):
            start_s, end_s = month_bounds(zone, name)
            if start_s < fleet.end_s and end_s > fleet.start_s:
                entries += make(house, month._replace(name=name)).entries
    return total((row["lot"], row["amount"]) for row in entries if row["layer"] == "recognised")


def ordered(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: tuple(row.values()))


def small_fleet() -> Fleet:
    """Two clusters over a UTC midnight: placed, unplaced and assumed, a price change, an owner who moves."""
    month_end = next(end for end in MONTH_ENDS if end.zone == "America/St_Johns")
    fleet = Fleet(month_end)
    start_s, middle_s, end_s = fleet.start_s, month_end.at_s - 4000, fleet.end_s
    places = [
        (cluster, node, index) for cluster in ("c0", "c1") for node in ("n0", "n4") for index in range(3)
    ]
    return replace(
        fleet,
        slots=tuple(
            Slot("/".join(map(str, place)), place[0], start_s, None, *place[1:], "H100", "", "", "")
            for place in places
        ),
        devices=(Device("d", "c0", start_s, None, "n0", "n0/1", "GPU-0"),),
        holdings=(
            Holding("a", "c0", start_s + 10, None, "r0", "u1", "n0", "n0/0"),
            Holding("b", "c0", start_s + 99, middle_s, "r1", "u2", "n0", None, "GPU-0", fraction=(1, 3)),
            Holding("c", "c1", middle_s, end_s, "r2", "u1", "n4", units=2),
            Holding("d", "c1", start_s, end_s - 7, "r3", "u3", units=3, model="H100"),
        ),
        owners=(OwnerFact("u1", middle_s, None, "u1", "t1", "cc"),),
        prices=(
            PriceFact("p0", 0, middle_s + 60, "model", "H100", "", "", "2.744705", "USD", "list"),
            PriceFact("p1", middle_s + 60, None, "model", "H100", "", "", "3.3333333333", "USD", "list"),
        ),
    )
