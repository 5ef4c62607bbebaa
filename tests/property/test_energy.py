"""What must hold of the energy of any fleet, told from the facts alone: all of it, and once."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from deliveries import deliver, recut
from energies import Used, put, used_in
from fleets import Fleet
from hypothesis import given
from months import Month, Row, few, home_of, make, months, of_the_same_months, random_of

from chargeback.energy import unplaced

pytestmark = pytest.mark.books


def seats(fleet: Fleet, one: Used) -> list[tuple[str, int, int]]:
    """In which slot a device sat from when to when while it used this: the first by name, in parts."""
    lives = [device for device in fleet.devices if device.uuid == one.uuid]
    ends = {end for device in lives for end in (device.start_s, device.end_s) if end is not None}
    cuts = sorted({one.start_s, one.end_s, *(end for end in ends if one.start_s < end < one.end_s)})
    found = []
    for low, high in pairwise(cuts):
        there = [
            f"{device.cluster}/{device.slot}"
            for device in lives
            if device.start_s <= low and (device.end_s is None or device.end_s >= high)
        ]
        if there:
            found.append((min(there), low, high))
    return found


def by_piece(fleet: Fleet, used: list[Used], times: list[Row]) -> Counter[tuple[str, int]]:
    """The joules of each slot and money piece, told from the facts alone and the pieces that there are."""
    found: Counter[tuple[str, int]] = Counter()
    pieces = {(row["slot"], row["from_s"], row["to_s"]) for row in times}
    for one in used:
        for slot, low, high in seats(fleet, one):
            for name, from_s, to_s in pieces:
                if name == slot and from_s < high and to_s > low:
                    found[slot, from_s] += one.until(min(high, to_s)) - one.until(max(low, from_s))
    return found


@of_the_same_months
@few
@given(months())
def test_each_piece_of_a_slot_has_what_its_devices_used_in_it_and_nothing_is_lost(month: Month) -> None:
    used = used_in(month.fleet, random_of(month))
    with home_of(month) as house:
        put(house, used)
        deliver(house, month.fleet)
        books = make(house, month)
    found: Counter[tuple[str, int]] = Counter()
    for row in books.times:
        found[row["slot"], row["from_s"]] += row["joules"] or 0
        assert 0 <= (row["energy_ticks"] or 0) <= row["ticks"]
        assert (row["joules"] is None) == (row["energy_ticks"] is None)
    assert +found == +by_piece(month.fleet, used, books.times)
    throughs = dict(month.fleet.throughs)
    there = sum(
        max(one.until(min(month.end_s, throughs.get(one.cluster, month.end_s))) - one.until(month.start_s), 0)
        for one in used
    )
    assert found.total() + unplaced(books.result) == there


@of_the_same_months
@few
@given(months())
def test_cuts_and_order_change_no_energy(month: Month) -> None:
    random = random_of(month)
    used = used_in(month.fleet, random)
    found = []
    for fleet in (month.fleet, recut(month.fleet, random)):
        with home_of(month) as house:
            put(house, random.sample(used, len(used)))
            deliver(house, fleet)
            found.append(make(house, month))
    assert found[0].rows == found[1].rows
    assert found[0].result.summary == found[1].result.summary
