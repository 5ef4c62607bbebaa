"""The price pass: meters by the second, pools by slot-seconds, nothing lost between shards and slot sizes."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from chargeback.pricing import TICKS, price
from chargeback.spans import Meter
from chargeback.units import PoolPart

HOUR = 1_790_000_000 // 3600 * 3600
METERS = {
    "a@2": Meter("a", "a@2", Fraction(2 * 10**9, 3600), "2", "USD"),
    "b@3": Meter("b", "b@3", Fraction(3 * 10**9, 3600), "3", "USD"),
}
NUMBERS = {"a@2": 1, "b@3": 2}


def part(record: str, start: int, end: int, count: int = 1, shard: int = 0, ticks: int = TICKS) -> PoolPart:
    return PoolPart(
        shard, "H100", "eu", HOUR, "2026-10-01", "2026-10-01", record, ticks, HOUR + start, HOUR + end, count
    )


def test_a_price_change_inside_an_hour_is_charged_to_the_second() -> None:
    priced = price([part("a@2", 0, 1200), part("b@3", 1200, 3600)], METERS, NUMBERS, "recognised")
    amounts = {row.price_no: row.amount for row in priced.amounts}
    assert amounts == {1: 666_666_667, 2: 2_000_000_000} or amounts == {1: 666_666_666, 2: 2_000_000_000}
    assert priced.exact == {"a": Fraction(2 * 10**9, 3), "b": Fraction(2 * 10**9)}


def test_a_pool_rounds_by_its_device_class_and_a_meter_by_its_lot() -> None:
    parts = [part("a@2", 0, 3600), part("b@3", 0, 3600)]
    assert list(price(parts, METERS, NUMBERS, "pooled").exact) == ["H100"]
    assert list(price(parts, METERS, NUMBERS, "recognised").exact) == ["a", "b"]


parts = st.builds(
    lambda record, edges, count, shard, ticks: part(record, *sorted(edges), count, shard, ticks),
    st.sampled_from(sorted(METERS)),
    st.lists(st.integers(0, 3600), min_size=2, max_size=2, unique=True),
    st.integers(1, 2000),
    st.integers(0, 3),
    st.sampled_from([TICKS, TICKS // 2, TICKS // 7]),
)


@given(st.lists(parts, min_size=1, max_size=8))
def test_what_lots_recognise_is_what_shards_and_sizes_carry(found: list[PoolPart]) -> None:
    priced = price(found, METERS, NUMBERS, "pooled")
    assert sum(row.amount for row in priced.recognised) == sum(row.amount for row in priced.shares)
    assert sum(row.slot_seconds for row in priced.shares) == sum(
        (row.to_s - row.from_s) * row.slot_count for row in found
    )


@given(st.lists(parts, min_size=1, max_size=8))
def test_the_order_of_parts_changes_nothing(found: list[PoolPart]) -> None:
    for charged in ("pooled", "recognised"):
        forwards, backwards = (price(order, METERS, NUMBERS, charged) for order in (found, found[::-1]))
        assert (forwards.shares, forwards.amounts, forwards.exact) == (
            backwards.shares,
            backwards.amounts,
            backwards.exact,
        )


@given(st.lists(parts, min_size=1, max_size=8))
def test_every_device_second_of_a_pool_costs_the_same_within_a_quantum(found: list[PoolPart]) -> None:
    shares = price(found, METERS, NUMBERS, "pooled").shares
    total = sum(row.amount for row in shares)
    weight = sum(row.slot_seconds * row.slot_ticks for row in shares)
    for row in shares:
        assert abs(row.amount - Fraction(total * row.slot_seconds * row.slot_ticks, weight)) < 1
