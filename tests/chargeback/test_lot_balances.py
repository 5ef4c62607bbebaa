"""What is billed of a lot is prepaid, accrued or cost at every month's end, whatever the rates did."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest
from house import House, at
from lot_books import OCTOBER, USD, NewHouse, all_entries

from gpuledger.calendars import month_bounds

pytestmark = pytest.mark.books

BILLINGS = {
    "upfront": [("2026-10-01", "1000")],
    "in arrears": [("2027-01-01", "1000")],
    "in three": [("2026-10-01", "300"), ("2026-11-20", "300"), ("2026-12-31", "400")],
    "before it begins": [("2026-09-15", "1000")],
    "in the middle": [("2026-11-15", "1000")],
}
LIFE = (at("2026-10-01T00:00Z"), at("2027-01-01T00:00Z"))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("billing", BILLINGS)
def test_what_is_billed_is_prepaid_accrued_or_cost_at_every_months_end(
    new_house: NewHouse, billing: str, sign: int
) -> None:
    house = new_house(charged="recognised")
    invoices = [(at(f"{day}T00:00Z"), str(sign * int(amount))) for day, amount in BILLINGS[billing]]
    house.lot("rent", "purchase", str(sign * 1000), *LIFE, invoices=invoices)
    house.keep()
    balances: dict[str, int] = defaultdict(int)
    for month in ("2026-09", "2026-10", "2026-11", "2026-12", "2027-01"):
        add_balances(house, month, balances)
        end = month_bounds("UTC", month)[1]
        billed = sum(int(amount) for at_s, amount in invoices if at_s < end)
        cost = Fraction(sign * 1000 * max(0, min(end, LIFE[1]) - LIFE[0]), LIFE[1] - LIFE[0])
        assert balances["payable"] == -billed * USD
        assert abs(balances["shared"] - cost * USD) < 1
        assert balances["payable"] + sum(balances[name] for name in ("prepaid", "accrued", "shared")) == 0
        assert sign * balances["prepaid"] == max(0, sign * (billed * USD - balances["shared"]))
        assert sign * balances["accrued"] == min(0, sign * (billed * USD - balances["shared"]))
    assert (balances["prepaid"], balances["accrued"]) == (0, 0)


def add_balances(house: House, month: str, balances: dict[str, int]) -> None:
    """Add what a month's books move to the balance of each account."""
    house.books(month)
    for row in all_entries(house, month):
        balances[row["from_account"]] -= row["amount"]
        balances[row["to_account"]] += row["amount"]


@pytest.mark.parametrize("each_month", ["in_arrears", "in_advance"])
def test_what_exchange_rates_made_of_an_invoice_is_in_fx_and_nothing_stays_accrued(
    new_house: NewHouse, each_month: str
) -> None:
    """310 EUR for October, at 1.10 for its first 15 days and 1.20 then; settled at the invoice day's rate."""
    house = new_house(charged="recognised")
    house.lot(
        "support", "fee", "310", *OCTOBER, currency="EUR", rounding_pool="support", each_month=each_month
    )
    for day in range(1, 32):
        house.fx(f"2026-10-{day:02}", "EUR", "USD", "1.10" if day <= 15 else "1.20")
    house.fx("2026-11-01", "EUR", "USD", "1.30")
    house.keep()
    balances: dict[str, int] = defaultdict(int)
    for month in ("2026-10", "2026-11"):
        add_balances(house, month, balances)
    paid = Fraction(310) * Fraction("1.30" if each_month == "in_arrears" else "1.10")
    cost = 15 * 10 * Fraction("1.10") + 16 * 10 * Fraction("1.20")
    assert {key: value for key, value in balances.items() if value} == {
        "payable": int(-paid * USD),
        "shared": int(cost * USD),
        "fx": int((paid - cost) * USD),
    }
