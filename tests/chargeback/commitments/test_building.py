"""Commitments out of what the terms say: their money in its time, what they cover, and how much of it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lots_said import NO_RATES, rates

from chargeback.commitments.building import commitments_of
from chargeback.commitments.commitment import Commitment
from chargeback.fx import FxRates
from chargeback.terms.commitments_file import read_commitments
from chargeback.terms.entries import Faults
from chargeback.terms.validity import Clock
from gpuledger.calendars import month_bounds
from gpuledger.instants import format_utc, parse_instant
from gpuledger.yaml_files import read_yaml

USD = 10**9
RI = "commitment: a, kind: aws_zonal_reserved_instance, covers: {sku: p5}, currency: USD"
YEAR = "from: 2026-01-01, to: 2027-01-01"


def at(text: str) -> int:
    return parse_instant(text, zone="UTC", epoch_s=None)


def made(entry: str, *, until: str = "2050-01-01", fx: FxRates = NO_RATES, zone: str = "UTC") -> Commitment:
    document = read_yaml(f"commitments: [{{{entry}}}]", "commitments.yaml", noun="commitments file")
    facts = read_commitments(document, Clock(lambda: zone), faults := Faults())
    assert not faults.found
    (found,) = commitments_of(facts, zone, "USD", fx, at(until))
    return found


def in_month(found: Commitment, month: str) -> Fraction:
    start_s, end_s = month_bounds("UTC", month)
    return (found.lot.recognised_to(end_s) - found.lot.recognised_to(start_s)) / USD


def test_what_is_paid_upfront_and_by_the_hour_is_one_amount_an_hour() -> None:
    """E18: 8760.00 for the year, and a dollar an hour."""
    found = made(
        f"{RI}, quantity: 1, upfront: 8760, each_hour: 1, {YEAR}, invoiced: 2026-01-01, monthly: in_advance"
    )
    assert in_month(found, "2026-02") == 2 * 672 and found.lot.amount == 17_520 * USD
    invoiced = [one.amount / USD for one in found.lot.invoices]
    assert sum(invoiced) == 17_520 and invoiced[:3] == [8760, 744, 672]


def test_an_hour_costs_by_how_many_there_are() -> None:
    steps = "[{value: 2}, {from: 2026-01-16, value: 4}]"
    found = made(f"{RI}, quantity: {steps}, each_hour: 1, {YEAR}")
    assert in_month(found, "2026-01") == 24 * (15 * 2 + 16 * 4)
    assert [(one.from_s, one.to_s, one.amount) for one in found.levels] == [
        (at("2026-01-01"), at("2026-01-16"), 2),
        (at("2026-01-16"), at("2027-01-01"), 4),
    ]


def test_a_plan_costs_what_is_committed_whatever_of_it_is_paid_upfront() -> None:
    plan = f"commitment: p, kind: aws_ec2_savings_plan, covers: {{sku: p5, rate: 2}}, currency: USD, {YEAR}"
    whole = made(f"{plan}, spend_per_hour: 10, upfront: 87600")
    half = made(f"{plan}, spend_per_hour: 10, upfront: 43800")
    none = made(f"{plan}, spend_per_hour: 10")
    assert {in_month(one, "2026-03") for one in (whole, half, none)} == {Fraction(7440)}
    assert whole.levels[0].amount == Fraction(10, 3600)
    assert whole.covers[0].rate == 2 and whole.measure == "spend"


def test_the_last_half_hour_of_a_block_is_paid_and_not_there() -> None:
    found = made(
        "commitment: b, kind: aws_capacity_block, covers: {reservation: cr-1}, quantity: 2, upfront: 48, "
        "currency: USD, from: 2026-05-01T11:30Z, to: 2026-05-02T11:30Z, invoiced: 2026-04-20"
    )
    assert found.lot.to_s - found.levels[-1].to_s == 1800
    assert found.lot.recognised_to(found.levels[-1].to_s) == 47 * USD
    assert (found.waste, found.places) == ("unusable", True)


def test_what_recurs_is_known_as_far_as_the_books_are() -> None:
    entry = f"{RI}, quantity: 1, each_month: 31, {YEAR}, monthly: in_arrears"
    found = made(entry, until="2026-02-08")
    assert (found.lot.amount, [one.amount for one in found.lot.invoices]) == (
        (31 + Fraction(31, 4)) * USD,
        [31 * USD],
    )
    assert made(entry).lot.amount == 12 * 31 * USD


def test_upfront_money_has_one_rate_of_exchange_and_what_recurs_that_of_each_day() -> None:
    fx = rates(
        ("2025-12-20", "EUR", "USD", "1.5"),
        ("2026-01-01", "EUR", "USD", "1.2"),
        ("2026-01-02", "EUR", "USD", "1.1"),
    )
    entry = (
        "commitment: a, kind: aws_zonal_reserved_instance, covers: {sku: p5}, currency: EUR, quantity: 1, "
        "from: 2026-01-01, to: 2026-01-03, invoiced: 2025-12-20"
    )
    assert made(f"{entry}, upfront: 48", fx=fx).lot.amount == 72 * USD
    found = made(f"{entry}, upfront: 48, each_hour: 1", fx=fx)
    assert found.lot.amount == (72 + 24 * Fraction("1.2") + 24 * Fraction("1.1")) * USD
    assert found.lot.recognised_to(at("2026-01-02")) == (36 + 24 * Fraction("1.2")) * USD


AMOUNTS = st.decimals(0, 10**9, places=9, allow_nan=False).filter(bool)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/St_Johns"])
@given(upfront=AMOUNTS, hourly=AMOUNTS, quantity=st.integers(1, 99), days=st.integers(1, 400))
def test_over_its_time_all_of_it_is_recognised_to_the_quantum(
    zone: str, upfront: object, hourly: object, quantity: int, days: int
) -> None:
    end = at("2026-01-15") + days * 86_400
    entry = f"{RI}, quantity: {quantity}, upfront: {upfront:f}, each_hour: {hourly:f}"
    found = made(f"{entry}, from: 2026-01-15T00:00Z, to: {format_utc(end)}", zone=zone)
    whole = Fraction(str(upfront)) + Fraction(str(hourly)) * quantity * days * 24
    assert found.lot.recognised_to(end) == found.lot.amount == whole * USD
