"""Invoices month after month: each is billed once, tax that comes back leaves nothing, fx attracts nobody."""

from __future__ import annotations

from collections import Counter

import pytest
from house import House, at
from lot_books import USD, NewHouse, all_entries

pytestmark = pytest.mark.books

SEPTEMBER, OCTOBER, NOVEMBER = (at(f"2026-{month:02}-01T00:00Z") for month in (9, 10, 11))


def billed(house: House, month: str, lot: str) -> int:
    """What a month's books bill of a lot."""
    house.books(month)
    rows = all_entries(house, month)
    return sum(row["amount"] for row in rows if row["layer"] == "billed" and row["lot"] == lot)


def test_an_invoice_at_a_months_first_instant_is_billed_once_though_others_went_before(
    new_house: NewHouse,
) -> None:
    house = new_house(charged="recognised")
    house.lot("rack", "fee", "310", SEPTEMBER, None, each_month="in_advance")
    house.keep()
    assert [billed(house, f"2026-{month}", "lot:rack") for month in ("09", "10", "11")] == [310 * USD] * 3


def test_tax_that_comes_back_leaves_nothing_accrued_whatever_the_rates_did(new_house: NewHouse) -> None:
    house = new_house(charged="recognised")
    house.lot(
        "vat",
        "tax",
        "100",
        OCTOBER,
        NOVEMBER,
        currency="EUR",
        account="tax_recoverable",
        invoices=[(at("2026-10-12T00:00Z"), "100")],
    )
    for day, rate in (("2026-10-01", "1.10"), ("2026-10-12", "1.30")):
        house.fx(day, "EUR", "USD", rate)
    house.keep()
    house.books("2026-10")
    balances: Counter[str] = Counter()
    for row in all_entries(house, "2026-10"):
        balances[row["from_account"]] -= row["amount"]
        balances[row["to_account"]] += row["amount"]
    assert {key: value for key, value in balances.items() if value} == {
        "payable": -130 * USD,
        "tax_recoverable": 110 * USD,
        "fx": 20 * USD,
    }


def test_what_follows_a_lot_does_not_follow_what_exchange_rates_made_of_its_invoice(
    new_house: NewHouse,
) -> None:
    house = new_house(charged="recognised")
    house.lot(
        "support", "fee", "310", OCTOBER, None, currency="EUR", invoices=[(at("2026-10-20T00:00Z"), "100")]
    )
    house.lot("levy", "tax", "31", OCTOBER, NOVEMBER, follows=["lot:support"])
    for day in range(1, 32):
        house.fx(f"2026-10-{day:02}", "EUR", "USD", "1.10" if day < 20 else "1.90")
    house.keep()
    house.books("2026-10")
    found: Counter[tuple[str, str]] = Counter()
    for row in all_entries(house, "2026-10"):
        found[row["lot"], row["to_account"]] += row["amount"]
    assert found["lot:support", "fx"] == 80 * USD
    assert found["lot:levy", "shared"] == 31 * USD and ("lot:levy", "fx") not in found
