"""Commitments in books: the traps that others fell into, and that what must hold is verified."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from house import House, at
from lot_books import NewHouse

from chargeback.checks import OK
from chargeback.commitments.details import Due
from chargeback.layers import BILLED, RECOGNISED
from chargeback.ledger import Result
from chargeback.statement import By, state_statement
from chargeback.verify import verify_period

pytestmark = pytest.mark.books

USD, HOUR = 10**9, 3600
DAY = at("2026-05-04T11:30Z")
BOTH = pytest.mark.parametrize("charged", ["pooled", "recognised"])


def entered(result: Result, layer: str) -> dict[Any, int]:
    """Dollars that entered by lot and account, or left payable."""
    found: Counter[Any] = Counter()
    for row in result.entries:
        if row.layer == layer and row.account != "clearing":
            found[row.lot, row.account] += row.amount
    return {key: amount // USD for key, amount in found.items()}


def blocks(house: House) -> House:
    """Two blocks of a node each, bought for one day, of which one stands unused for twelve hours."""
    for name, node, hours in (("one", "n1", 24), ("two", "n2", 12)):
        end = DAY + hours * HOUR - 1800 * (hours == 24)
        house.slot(node, 0, DAY, end)
        house.holding(name, DAY, end, f"team-{name}", node=node, slot=f"{node}/0")
        house.commitment(
            *(name, "aws_capacity_block", DAY, DAY + 24 * HOUR, "1", {"slots": {"node": (node,)}}),
            upfront="48",
            invoices=(Due(at("2026-04-20T09:00Z"), "48"),),
        )
    house.price("100", 0)
    house.through(at("2026-06-01T00:00Z"))
    house.keep()
    return house


@BOTH
def test_block_is_billed_once_each_and_costs_over_its_hours_used_or_not(
    new_house: NewHouse, charged: str
) -> None:
    """T50: two blocks of a day are two; their purchase costs nothing, their hours do, had or not."""
    house = blocks(new_house(charged=charged))
    april = house.books("2026-04")
    assert (
        sum(amount for (_, account), amount in entered(april, BILLED).items() if account == "prepaid") == 96
    )
    assert not entered(april, RECOGNISED)
    may = house.books("2026-05")
    assert not entered(may, BILLED)
    apart = {key: amount for key, amount in entered(may, RECOGNISED).items() if key[1] == "unusable"}
    assert apart == {("commitment:one", "unusable"): 1, ("commitment:two", "unusable"): 24}
    lines = {line.key: line.minor for line in state_statement(house.desk.book, may, By.owner).lines}
    assert lines["__unusable__"] == 2500
    assert sum(filter(None, lines.values())) == 9600


@BOTH
def test_covered_node_hour_has_one_price_source(new_house: NewHouse, charged: str) -> None:
    """T51: of two nodes one is covered, and only the time of the other pays the list price."""
    house, start = new_house(charged=charged), at("2026-05-04T00:00Z")
    for node in ("n1", "n2"):
        house.slot(node, 0, start, start + 10 * HOUR)
    house.commitment(
        *("ri", "azure_reservation", start, start + 10 * HOUR, "1", {"slots": {"node": ("n*",)}}),
        each_hour="1",
    )
    house.price("3", 0)
    house.through(at("2026-06-01T00:00Z"))
    house.keep()
    made = house.books("2026-05")
    by_lot = Counter[str]()
    for row in made.entries:
        if row.layer == RECOGNISED:
            by_lot[row.lot] += row.amount
    assert by_lot == {"commitment:ri": 10 * USD, "meter:model:H100:*:*:USD": 30 * USD}


@BOTH
def test_prepaid_reservation_costs_in_each_of_its_months(new_house: NewHouse, charged: str) -> None:
    """T52: and not in the month of its invoice alone."""
    house, start = new_house(charged=charged), at("2026-05-01T00:00Z")
    house.slot("n1", 0, start, None)
    house.commitment(
        *(
            "ri",
            "aws_zonal_reserved_instance",
            start,
            at("2026-07-01T00:00Z"),
            "1",
            {"slots": {"node": ("n1",)}},
        ),
        upfront="61",
        invoices=(Due(start, "61"),),
    )
    house.through(at("2026-07-01T00:00Z"))
    house.keep()
    totals = [sum(house.books(month).cents.values()) for month in ("2026-05", "2026-06")]
    assert totals == [3100, 3000]


@BOTH
def test_what_must_hold_is_verified_with_commitments(new_house: NewHouse, charged: str) -> None:
    house = blocks(new_house(charged=charged))
    checks = verify_period(house.desk, "2026-05", house.books("2026-05"))
    assert {check.status for check in checks} == {OK}
    assert "2 lot(s), 0 apart" in next(one.figures for one in checks if "its schedule says" in one.says)


@BOTH
def test_time_that_is_above_what_is_reserved_and_has_no_price_is_unpriced(
    new_house: NewHouse, charged: str
) -> None:
    house, start = new_house(charged=charged), at("2026-05-04T00:00Z")
    for node in ("n1", "n2", "n3"):
        house.slot(node, 0, start, start + 10 * HOUR)
    house.commitment(
        *("r", "reserved_nodes", start, start + 10 * HOUR, "2", {"slots": {"node": ("n*",)}}), each_hour="1"
    )
    house.through(at("2026-06-01T00:00Z"))
    house.keep()
    made = state_statement(house.desk.book, house.books("2026-05"), By.owner)
    assert made.figures.unpriced == 10 * HOUR * 720_720
    assert made.total == 2000


@BOTH
def test_what_a_month_is_short_of_its_minimum_is_known_when_the_month_is(
    new_house: NewHouse, charged: str
) -> None:
    """100 a month at the least, of which 60 are used in May and 744 in July; half of April is its own."""
    house, start = new_house(charged=charged), at("2026-05-01T00:00Z")
    house.slot("n1", 0, start, start + 60 * HOUR)
    house.slot("n1", 1, at("2026-07-01T00:00Z"), at("2026-08-01T00:00Z"))
    house.price("1", 0)
    least = ("least", "minimum", "100", at("2026-04-16T00:00Z"), None)
    house.lot(*least, follows=["meter:*"], account="commitment_unused")
    house.through(at("2026-05-20T00:00Z"))
    house.keep()
    assert sum(house.books("2026-05").cents.values()) == 6000
    house.through(at("2026-08-01T00:00Z"))
    house.keep()
    totals = [sum(house.books(f"2026-0{month}").cents.values()) for month in range(4, 8)]
    assert totals == [5000, 10_000, 10_000, 74_400]
    made = house.books("2026-05")
    (short,) = {row.account for row in made.entries if row.lot == "lot:least"}
    assert short == "commitment_unused"
    assert {check.status for check in verify_period(house.desk, "2026-05", made)} == {OK}
