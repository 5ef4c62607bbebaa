"""Lots in whole books: amounts of any size, and where what is bought, credited and taxed lands."""

from __future__ import annotations

from fractions import Fraction

import pytest
from house import at
from lot_books import ALL, DAY, HOUR, OCTOBER, USD, YEAR, NewHouse, all_entries, by, held, slots

from chargeback.lots.details import Asset, Disposal, Energy, Step
from gpuledger.calendars import month_bounds, next_month
from gpuledger.money import currency, half_up

pytestmark = pytest.mark.books

QUARTER = (YEAR[0], at("2027-01-01T00:00Z"))
PURCHASES = [
    ("1400000", "USD", "recognised", YEAR),
    ("500000000", "USD", "pooled", YEAR),
    ("700000000000", "KRW", "recognised", QUARTER),
    ("75000000000", "JPY", "recognised", QUARTER),
]


@pytest.mark.parametrize(("amount", "code", "charged", "life"), PURCHASES)
def test_a_purchase_is_recognised_over_its_life_to_the_last_quantum(
    new_house: NewHouse, amount: str, code: str, charged: str, life: tuple[int, int]
) -> None:
    house, money = new_house(charged=charged, currency=code), currency(code)
    house.slot("n1", 0, *life)
    house.lot("rack", "purchase", amount, *life, slots=ALL, invoices=[(life[0], amount)])
    house.keep()
    whole, length = Fraction(amount) * money.quantum, life[1] - life[0]
    month, booked, cents, end = "2026-10", 0, 0, life[0]
    while end < life[1]:
        start, end = month_bounds("UTC", month)
        result = house.books(month)
        parts = by(all_entries(house, month), "layer")
        assert parts.get("pooled", parts["recognised"]) == parts["recognised"]
        assert sum(result.exact.values()) == whole * (end - start) / length
        if charged == "recognised":
            ends = (whole * (at_s - life[0]) / length / money.quanta_per_minor for at_s in (start, end))
            before, reached = map(half_up, ends)
            assert sum(result.cents.values()) == reached - before
        booked += parts["recognised"]
        cents += sum(result.cents.values())
        month = next_month(month)
    assert booked == whole
    if charged == "recognised":
        assert cents * money.quanta_per_minor == whole


@pytest.mark.parametrize(
    ("code", "amount", "rate"), [("JPY", "210000000", "150"), ("KRW", "1946000000", "1390")]
)
def test_a_purchase_in_another_currency_has_one_rate_for_all_of_it(
    new_house: NewHouse, code: str, amount: str, rate: str
) -> None:
    """At the rate of the day of its invoice; what the rate becomes later makes no difference."""
    house = new_house(charged="recognised")
    house.slot("n1", 0, *YEAR)
    invoice = [(YEAR[0], amount)]
    house.lot("rack", "purchase", amount, *YEAR, slots=ALL, invoices=invoice, currency=code)
    house.fx("2026-10-01", "USD", code, rate)
    house.fx("2026-11-15", "USD", code, "1")
    house.keep()
    for month in ("2026-10", "2026-11", "2027-02"):
        result, (start, end) = house.books(month), month_bounds("UTC", month)
        wanted = Fraction(1_400_000 * USD * (end - start), YEAR[1] - YEAR[0])
        assert result.exact == {f"lot:rack:{code}": wanted}
        assert abs(by(all_entries(house, month), "layer")["recognised"] - wanted) < 1


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_744_lines_of_four_tenths_of_a_cent_are_2_98_and_not_nothing(
    new_house: NewHouse, charged: str
) -> None:
    house = new_house(charged=charged)
    house.slot("n1", 0, *OCTOBER)
    for hour in range(744):
        start, pool = OCTOBER[0] + hour * HOUR, {"rounding_pool": "invoice:INV-1:USD"}
        house.lot(f"line-{hour}", "purchase", "0.004", start, start + HOUR, slots=ALL, **pool)
    house.keep()
    made = house.statement()
    assert made["total"] == 298
    assert by(all_entries(house), "layer", layer="recognised") == {"recognised": 2_976_000_000}


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_a_single_quantum_is_somewhere_and_never_twice(new_house: NewHouse, charged: str) -> None:
    house = new_house(charged=charged)
    slots(house, count=3)
    held(house, "team")
    house.lot("dust", "purchase", "0.000000001", DAY, DAY + 24 * HOUR, slots=ALL)
    house.keep()
    result = house.books()
    assert [row["amount"] for row in all_entries(house) if row["layer"] == "recognised"] == [1]
    assert sum(row["amount"] for row in all_entries(house) if row["layer"] == charged) == 1
    assert sum(result.exact.values()) == 1


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_a_credit_stands_beside_what_was_bought_and_an_excess_is_printed_negative(
    new_house: NewHouse, charged: str
) -> None:
    """T47: nothing is clamped to 0, so the parts add up."""
    house = new_house(charged=charged)
    slots(house, count=2)
    held(house, "team-a", 0)
    house.lot("rack", "purchase", "100", DAY, DAY + 24 * HOUR, slots=ALL)
    house.lot("goodwill", "credit", "-130", DAY, DAY + 24 * HOUR, follows=["lot:rack"])
    house.keep()
    made = house.statement()
    assert made["total"] == -3000
    assert {line["key"]: line["amount"] for line in made["lines"]} == {
        "__idle_free__": -1500,
        "team-a": -1500,
    }
    recognised = by(all_entries(house), "lot", layer="recognised")
    assert recognised == {"lot:rack": 100 * USD, "lot:goodwill": -130 * USD}


def test_fixed_lots_are_rounded_by_what_they_have_reached(new_house: NewHouse) -> None:
    house = new_house(charged="recognised")
    life = (at("2026-09-01T00:00Z"), at("2026-12-01T00:00Z"))
    house.lot("rent", "purchase", "0.10", *life)
    house.keep()
    cents = [house.statement(month)["total"] for month in ("2026-09", "2026-10", "2026-11")]
    reached = [half_up(Fraction(10 * days, 91)) for days in (30, 61, 91)]
    assert cents == [reached[0], reached[1] - reached[0], reached[2] - reached[1]]
    assert sum(cents) == 10


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
@pytest.mark.parametrize(
    ("absent", "state"), [("overhead", "absent"), ("unusable", ""), ("commitment_unused", "")]
)
def test_what_is_paid_for_while_no_slot_is_there_goes_where_the_lot_says(
    new_house: NewHouse, charged: str, absent: str, state: str
) -> None:
    house = new_house(charged=charged)
    slots(house, hours=18)
    held(house, "team", hours=18)
    house.lot("block", "purchase", "2400", DAY, DAY + 24 * HOUR, slots=ALL, absent=absent)
    house.keep()
    assert house.amounts() == {"team": 180_000, f"__{absent}__": 60_000}
    rows = by(all_entries(house), "to_account", "state", "slot", to_owner="__account__")
    assert rows == {(absent, state, ""): 600 * USD}


def test_absent_slots_leave_a_lot_to_those_that_are_there(new_house: NewHouse) -> None:
    house = new_house(charged="recognised")
    slots(house, count=2)
    held(house, "a", 0)
    held(house, "b", 1)
    house.state("n1", 1, "absent", DAY + 12 * HOUR, None)
    house.lot("rack", "purchase", "2400", DAY, DAY + 24 * HOUR, slots=ALL)
    house.keep()
    assert house.amounts() == {"a": 180_000, "b": 60_000}


def test_energy_is_paid_beside_the_price_of_a_slot(new_house: NewHouse) -> None:
    house = new_house(charged="recognised")
    slots(house)
    held(house, "team")
    house.price("2", 0)
    price = (Step(0, "0.10"), Step(DAY + 12 * HOUR, "0.30"))
    energy = Energy(pue=(Step(0, "1.5"),), tariff=price, it_kw=(Step(0, "2"),))
    house.lot("power", "energy", "", DAY, DAY + 24 * HOUR, slots=ALL, energy=energy)
    house.keep()
    assert house.amounts() == {"team": 4800 + 1440}
    assert by(all_entries(house), "lot")["lot:power"] == int(Fraction("14.4") * USD)


def test_tax_that_is_no_cost_is_billed_and_owed_back_and_other_tax_follows_its_lines(
    new_house: NewHouse,
) -> None:
    house = new_house(charged="recognised")
    slots(house, count=3)
    for index, owner in enumerate(("a", "b", "b")):
        held(house, owner, index)
    life, invoiced = (DAY, DAY + 24 * HOUR), DAY + 30 * HOUR
    house.lot("rack", "purchase", "300", *life, slots=ALL)
    house.lot("vat", "tax", "57", *life, account="tax_recoverable", invoices=[(invoiced, "57")])
    house.lot("duty", "tax", "30", *life, follows=["lot:rack"], invoices=[(invoiced, "30")])
    house.keep()
    assert house.amounts() == {"a": 11_000, "b": 22_000}
    billed = by(all_entries(house), "lot", "from_account", "to_account", layer="billed")
    assert billed == {
        ("lot:vat", "payable", "tax_recoverable"): 57 * USD,
        ("lot:duty", "payable", "accrued"): 30 * USD,
    }


def test_a_true_up_and_the_sale_of_an_asset_are_no_devices_money(new_house: NewHouse) -> None:
    """3600.00 over 36 months, sold for 800.00 after 21 days: 67.74 are written off, the rest at once."""
    house = new_house(charged="recognised")
    slots(house)
    held(house, "team")
    sold = at("2026-10-22T00:00Z")
    asset = Asset("2026-10-01", 36, "0", "actual_days", disposal=Disposal("2026-10-22", "800"))
    invoices = [(OCTOBER[0], "3600")]
    house.lot("box", "depreciation", "3600", OCTOBER[0], sold, slots=ALL, asset=asset, invoices=invoices)
    house.lot("late", "true_up", "12.34", OCTOBER[0], OCTOBER[1], account="reconciliation")
    house.keep()
    house.books()
    by_lot = by(all_entries(house), "lot", layer="recognised")
    charged = Fraction(3600, 36) * 21 / 31
    assert abs(by_lot["lot:box"] - charged * USD) < 1
    assert abs(by_lot["lot:box#disposal"] - (3600 - charged - 800) * USD) <= 1
    disposal = by(all_entries(house), "to_account", "slot", lot="lot:box#disposal", layer="recognised")
    assert set(disposal) == {("overhead", "")}
    assert abs(sum(by_lot.values()) - (3600 - 800 + Fraction("12.34")) * USD) <= 1
    assert house.amounts()["__reconciliation__"] == 1234
