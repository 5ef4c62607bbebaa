"""Traps that others fell into (money): each by what the books say of prices, nodes and lots."""

from __future__ import annotations

from fractions import Fraction

import pytest
from house import at
from lot_books import ALL, DAY, HOUR, OCTOBER, USD, YEAR, NewHouse, all_entries, by, held, slots

pytestmark = pytest.mark.books


def test_zero_gpus_take_zero_gpu_cost(new_house: NewHouse) -> None:
    """T49: a node without slots is no cost of its price; a lot for it is money without a device."""
    house = new_house(charged="recognised")
    house.node("n1", DAY, DAY + 24 * HOUR)
    slots(house, node="n2")
    house.price("8", 0, unit="node_hour")
    house.lot("fee", "purchase", "24", DAY, DAY + 24 * HOUR, slots=ALL)
    house.keep()
    assert house.amounts() == {"__idle_free__": 8 * 24 * 100, "__overhead__": 2400}
    rows = by(all_entries(house), "lot", "cluster", layer="recognised")
    assert rows == {("meter:model:H100:*:*:USD", "c"): 192 * USD, ("lot:fee", ""): 24 * USD}


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_an_adjustment_keeps_its_sign(new_house: NewHouse, charged: str, sign: str) -> None:
    """T49: what is given back makes a slot cheaper, what is asked for later makes it dearer."""
    house = new_house(charged=charged)
    slots(house)
    held(house, "team")
    house.price("2", 0)
    house.lot("late", "true_up", f"{sign}10", DAY, DAY + 24 * HOUR, slots=ALL)
    house.keep()
    assert house.amounts() == {"team": 4800 + int(f"{sign}1000")}


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_a_slot_has_one_source_of_money_where_it_is_paid_for_and_priced(
    new_house: NewHouse, charged: str
) -> None:
    """T51: what a reservation covers has no on-demand price as well."""
    house = new_house(charged=charged)
    slots(house, count=2)
    house.price("98.32", 0)
    house.lot("reserved", "purchase", "240", DAY, DAY + 24 * HOUR, slots={"slot": ["n1/0"]})
    house.keep()
    assert house.statement()["total"] == 24_000 + 9832 * 24
    assert house.statement()["unpriced_gpu_hours"] == "0.000000"


def test_what_was_prepaid_costs_something_in_later_months(new_house: NewHouse) -> None:
    """T52: the month of the invoice does not carry the others."""
    house = new_house(charged="pooled")
    house.slot("n1", 0, *YEAR)
    house.lot("reserved", "purchase", "365", *YEAR, slots=ALL, invoices=[(YEAR[0], "365")])
    house.keep()
    assert [house.statement(month)["total"] for month in ("2026-10", "2026-11", "2027-02")] == [
        3100,
        3000,
        2800,
    ]


def test_a_provisional_price_says_so_and_the_final_one_takes_its_place(new_house: NewHouse) -> None:
    """T52: a spot feed that was late, and thirty times too low."""
    house = new_house(charged="recognised")
    slots(house)
    house.price("0.10", 0, status="provisional")
    first = house.keep()
    before = house.books()
    house.price("3", 0)
    house.keep()
    after = house.books()
    assert [price.get("status") for price in before.summary["prices"]] == ["provisional"]
    assert [price.get("status") for price in after.summary["prices"]] == [None]
    assert [sum(made.cents.values()) for made in (before, after)] == [240, 7200]
    assert sum(house.books(seq=first).cents.values()) == 240


@pytest.mark.parametrize(
    ("rule", "february", "march"),
    [("actual", 146_000, 146_000), ("730", 134_400, 148_800), ("720", 136_267, 150_867)],
)
def test_a_price_per_month_becomes_one_per_hour_by_its_named_rule(
    new_house: NewHouse, rule: str, february: int, march: int
) -> None:
    """T53: 28 days against 31: by 730 hours an hour costs the same in both, by actual ones a month does."""
    house = new_house(charged="recognised")
    house.slot("n1", 0, at("2027-02-01T00:00Z"), at("2027-04-01T00:00Z"))
    house.price("1460", 0, unit="gpu_month", month_rule=rule)
    house.keep()
    assert [house.statement(month)["total"] for month in ("2027-02", "2027-03")] == [february, march]


def test_a_price_that_becomes_known_later_counts_from_when_it_held(new_house: NewHouse) -> None:
    """T54: valid since the fifth, known later; as of before it is what it was."""
    house = new_house(charged="pooled")
    slots(house, hours=48)
    house.price("2", 0)
    first = house.keep()
    house.price("2", 0, DAY + 24 * HOUR)
    house.price("5", DAY + 24 * HOUR)
    house.keep()
    assert house.statement()["total"] == 24 * 200 + 24 * 500
    assert house.statement(seq=first)["total"] == 48 * 200


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
@pytest.mark.parametrize("count", [1, 2, 8])
def test_a_node_costs_its_price_however_many_slots_it_has(
    new_house: NewHouse, charged: str, count: int
) -> None:
    house = new_house(charged=charged)
    slots(house, count, hours=3)
    held(house, "team", 0, hours=3)
    house.price("98.32", 0, unit="node_hour")
    house.keep()
    amounts = house.amounts()
    assert sum(amount or 0 for amount in amounts.values()) == 29_496
    assert abs((amounts["team"] or 0) - Fraction(29_496, count)) <= 1


def test_a_nodes_price_is_shared_by_the_slots_that_are_there_at_the_time(new_house: NewHouse) -> None:
    """Slot 1 is absent for the second half hour, slot 2 comes for the last quarter."""
    house = new_house(charged="recognised")
    slots(house, count=2, hours=1)
    house.slot("n1", 2, DAY + 2700, DAY + HOUR)
    house.state("n1", 1, "absent", DAY + 1800, None)
    for index, owner in enumerate("abc"):
        held(house, owner, index, hours=1)
    house.price("8", 0, unit="node_hour")
    house.keep()
    assert house.amounts() == {"a": 200 + 200 + 100, "b": 200, "c": 100}
    assert house.statement()["total"] == 800


WAYS = {
    "none/1": {"a": 3000, "b": 1000, "__shared__": 800},
    "proportional/1": {"a": 3600, "b": 1200, "__shared__": 0},
    "even/1": {"a": 3400, "b": 1400, "__shared__": 0},
}


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
@pytest.mark.parametrize("way", WAYS)
def test_what_teams_share_is_distributed_and_no_total_changes(
    new_house: NewHouse, charged: str, way: str
) -> None:
    house = new_house(charged=charged)
    slots(house, count=4, hours=10)
    for index, owner in enumerate("aaab"):
        held(house, owner, index, hours=10)
    house.price("1", 0)
    house.lot("control-plane", "purchase", "8", DAY, DAY + 10 * HOUR)
    house.policy("distribute_shared", way)
    house.keep()
    amounts = house.amounts()
    assert {key: amount for key, amount in amounts.items() if amount} == {
        key: amount for key, amount in WAYS[way].items() if amount
    }
    lots = by(all_entries(house), "lot", "layer", layer="recognised")
    assert lots["lot:control-plane", "recognised"] == 8 * USD
    moved = by(all_entries(house), "from_account", "to_account", layer="distributed")
    assert moved == ({} if way == "none/1" else {("shared", "shared"): 8 * USD})


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
@pytest.mark.parametrize("way", ["proportional/1", "even/1"])
def test_who_was_credited_more_than_charged_takes_no_negative_part_of_what_is_shared(
    new_house: NewHouse, charged: str, way: str
) -> None:
    house = new_house(charged=charged)
    slots(house, count=3, hours=10)
    for index, owner in enumerate("abb"):
        held(house, owner, index, hours=10)
    house.price("1", 0)
    house.lot("gift", "credit", "-30", DAY, DAY + 10 * HOUR, slots={"slot": ["n1/0"]}, covers=False)
    house.lot("control-plane", "purchase", "8", DAY, DAY + 10 * HOUR)
    house.policy("distribute_shared", way)
    house.policy("distribution_fallback", "even/1")
    house.keep()
    amounts = house.amounts()
    total = {"a": -2000, "b": 2000} if charged == "recognised" else {"a": 0, "b": 0}
    shared = (
        {"a": 0, "b": 800} if way == "proportional/1" and charged == "recognised" else {"a": 400, "b": 400}
    )
    assert {owner: amounts.get(owner, 0) for owner in "ab"} == {
        owner: total[owner] + shared[owner] for owner in "ab"
    }
    assert house.statement()["total"] == 800


def test_time_without_a_price_stays_unpriced_beside_a_lot_that_is_no_price(new_house: NewHouse) -> None:
    house = new_house(charged="recognised")
    slots(house)
    house.lot("support", "fee", "744", *OCTOBER, slots=ALL)
    house.keep()
    made = house.statement()
    assert made["unpriced_gpu_hours"] == "24.000000"
    assert made["total"] == 74_400
