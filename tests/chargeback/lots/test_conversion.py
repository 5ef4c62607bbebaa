"""Lots in other currencies: converted once, at one day's rate or each service day's; the rest is exchange."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lots_said import day_after, in_month, made, months_between, rates

from chargeback.fx import FxRates
from chargeback.lots.lot import Lot
from gpuledger.errors import BooksError

USD = 10**9


def daily(*said: tuple[str, str]) -> FxRates:
    return rates(*((day, "EUR", "USD", rate) for day, rate in said))


def lot(text: str, fx: FxRates, until: str = "2027-01-01") -> Lot:
    (found,) = made(lots=f"[{{lot: a, currency: EUR, account: shared, {text}}}]", fx=fx, until=until).values()
    return found


def dues(found: Lot) -> list[tuple[Fraction, Fraction]]:
    return [(one.amount / USD, one.fx / USD) for one in found.invoices]


PURCHASE = "kind: purchase, amount: 365, from: 2026-01-01, to: 2027-01-01"
RATES = daily(("2025-12-20", "1.2"), ("2026-01-01", "1.25"), ("2026-02-01", "1.5"), ("2026-03-01", "1.6"))


def test_prepaid_purchase_is_converted_at_the_rate_of_its_invoice() -> None:
    found = lot(f"{PURCHASE}, invoiced: 2025-12-20", RATES)
    assert [in_month(found, month) / USD for month in ("2026-01", "2026-12")] == [Fraction("37.2")] * 2
    assert (found.currency, dues(found)) == ("EUR", [(438, 0)])


def test_purchase_invoiced_later_is_converted_on_its_first_day_and_the_difference_told() -> None:
    found = lot(
        f"{PURCHASE}, invoiced: [{{on: 2026-01-01, amount: 65}}, {{on: 2026-02-01, amount: 300}}]", RATES
    )
    assert found.amount / USD == 365 * Fraction("1.25")
    assert dues(found) == [(Fraction("81.25"), 0), (450, 75)]
    assert sum(one.amount - one.fx for one in found.invoices) == found.amount


def test_day_of_the_rate_can_be_said() -> None:
    found = lot(f"{PURCHASE}, converted_on: 2026-03-01, invoiced: 2026-02-01", RATES)
    assert found.amount / USD == 365 * Fraction("1.6")
    assert dues(found) == [(365 * Fraction("1.5"), 365 * Fraction("-0.1"))]


def test_fee_is_converted_day_by_day_of_the_books_zone() -> None:
    fx = daily(
        *((day_after("2026-01-01", after), "1.25") for after in range(0, 16, 7)), ("2026-01-17", "1.5")
    )
    found = lot("kind: fee, every: month, amount: 31, from: 2026-01-01, to: 2026-01-24", fx)
    assert in_month(found, "2026-01") / USD == 16 * Fraction("1.25") + 7 * Fraction("1.5")
    assert len(found.segments) == 2
    east = made(
        lots="[{lot: a, currency: EUR, account: shared, kind: fee, every: month, amount: 31, "
        "from: 2026-01-01, to: 2026-01-24}]",
        fx=fx,
        zone="Asia/Tokyo",
    )["lot:a"]
    assert east.segments[0].to_s == found.segments[0].to_s - 9 * 3600
    assert east.amount == found.amount


def test_invoices_of_a_fee_settle_its_service_in_order() -> None:
    fx = daily(
        *((day_after("2026-01-01", after), "1.0") for after in range(0, 31, 7)),
        *((day_after("2026-02-01", after), "2.0") for after in range(0, 28, 7)),
        ("2026-03-01", "3.0"),
    )
    base = "kind: fee, every: month, amount: 100, from: 2026-01-01, to: 2026-03-01"
    found = lot(f"{base}, invoiced: in_arrears", fx)
    assert found.amount / USD == 100 + 200
    assert dues(found) == [(200, 100), (300, 100)]
    assert sum(one.amount - one.fx for one in found.invoices) == found.amount
    parts = "[{on: 2026-01-15, amount: 50}, {on: 2026-02-15, amount: 100}, {on: 2026-03-01, amount: 60}]"
    split = lot(f"{base}, invoiced: {parts}", fx)
    # 50 at 1; then 50 at 1 and 50 at 2; then 50 at 2, and 10 that nothing was served for, at its own rate.
    assert dues(split) == [(50, 0), (200, 50), (180, 180 - 100 - 30)]


def test_refund_settles_back_what_was_settled_last() -> None:
    fx = daily(*((day_after("2026-01-01", after), "1.0") for after in range(0, 31, 7)), ("2026-02-01", "2.0"))
    parts = "[{on: 2026-01-31, amount: 31}, {on: 2026-02-01, amount: -1}]"
    found = lot(
        f"kind: fee, every: month, amount: 31, from: 2026-01-01, to: 2026-02-01, invoiced: {parts}", fx
    )
    assert dues(found) == [(31, 0), (-2, -1)]


def test_energy_is_converted_day_by_day() -> None:
    fx = daily(("2026-06-01", "1.0"), ("2026-06-02", "2.0"))
    entry = (
        "[{energy: a, currency: EUR, from: 2026-06-01, to: 2026-06-03, it_kw: 10, pue: 1, tariff: 0.5, "
        "account: shared}]"
    )
    assert made(energy=entry, fx=fx)["lot:a"].amount / USD == 120 + 240


def test_asset_keeps_the_rate_of_its_purchase_and_its_proceeds_have_that_of_the_sale() -> None:
    entry = (
        "[{asset: a, cost: 1200, currency: EUR, life_months: 12, in_service: 2026-01-01, account: shared, "
        "converted_on: 2025-12-20, disposed: {on: 2026-03-01, proceeds: 700}, invoiced: 2025-12-20}]"
    )
    found = made(assets=entry, fx=RATES)
    assert [in_month(found["lot:a"], month) / USD for month in ("2026-01", "2026-02")] == [120, 120]
    assert found["lot:a#disposal"].amount / USD == 1000 * Fraction("1.2") - 700 * Fraction("1.6")
    assert dues(found["lot:a#disposal"]) == [(-1120, 0)]
    invoiced = sum(one.amount for one in (*found["lot:a"].invoices, *found["lot:a#disposal"].invoices))
    assert invoiced == sum(one.amount for one in found.values())


def test_missing_rate_names_the_lot_and_the_day() -> None:
    with pytest.raises(BooksError) as caught:
        lot("kind: fee, every: month, amount: 31, from: 2026-01-01", daily(("2026-01-01", "1.2")))
    assert caught.value.message.startswith("lot:a: no exchange rate of EUR in USD is known for 2026-01-09")


def test_rate_of_a_day_past_the_horizon_is_not_needed() -> None:
    fx = daily(("2026-01-01", "1.2"))
    fee = "kind: fee, every: month, amount: 31, from: 2026-01-01, invoiced: in_arrears"
    assert lot(fee, fx, until="2026-01-09").to_s == lot(fee, fx, until="2026-01-09").from_s + 8 * 86_400
    later = "kind: purchase, amount: 1, from: 2027-06-01, to: 2027-07-01"
    assert not made(lots=f"[{{lot: b, currency: EUR, account: shared, {later}}}]", fx=fx, until="2027-01-01")


def test_amounts_of_yen_and_won_keep_their_own_digits() -> None:
    fx = rates(("2026-01-01", "JPY", "KRW", "9.25"))
    entry = "[{lot: a, kind: purchase, amount: 75000000001, currency: JPY, from: 2026-01-01, to: 2029-01-01, "
    found = made(lots=entry + "account: shared}]", book="KRW", fx=fx)["lot:a"]
    assert found.amount == 75_000_000_001 * Fraction("9.25") * 10**6


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.lists(st.integers(1, 9), min_size=13, max_size=13), st.integers(1, 12))
def test_fee_in_arrears_leaves_nothing_but_exchange_between_invoices_and_cost(
    amount: int, monthly: list[int], length: int
) -> None:
    months = months_between("2026-01", "2027-01")
    said = [
        (day_after(f"{month}-01", after), f"1.0{rate}")
        for month, rate in zip(months, monthly, strict=True)
        for after in range(0, 31, 7)
        if day_after(f"{month}-01", after).startswith(month)
    ]
    ends = f"{months[length]}-01"
    found = lot(
        f"kind: fee, every: month, amount: {amount}e-2, from: 2026-01-01, to: {ends}, invoiced: in_arrears",
        daily(*said),
        until="2027-01-02",
    )
    assert sum(one.amount - one.fx for one in found.invoices) == found.amount
    own = Fraction(amount, 100) * USD
    expected = [own * Fraction(f"1.0{rate}") for rate in monthly[:length]]
    assert [in_month(found, month) for month in months[:length]] == expected
    assert [one.fx for one in found.invoices] == [
        own * (Fraction(f"1.0{then}") - Fraction(f"1.0{rate}"))
        for rate, then in pairwise(monthly[: length + 1])
    ]
