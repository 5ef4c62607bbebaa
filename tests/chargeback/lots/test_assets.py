"""Depreciation: each convention to the cent, changes act from their day on, nothing is smeared back."""

from __future__ import annotations

import json
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lots_said import cents, in_month, made, months_between, read

from chargeback.lots.assets import schedule
from chargeback.lots.calendar import add_months, next_month_start
from chargeback.lots.details import CONVENTIONS, Asset, Change, Convention, Disposal
from chargeback.lots.lot import Lot
from gpuledger.errors import InputError

EXAMPLES = Path(__file__).parents[2] / "conformance" / "examples.json"
USD = 10**9
NAMED: dict[str, str] = {
    "monthly charge x actual days/days in month (22/31)": "actual_days",
    "30/360 (21/30)": "30_360",
    "full month": "full_month",
    "half month": "half_month",
    "actual days over whole life (22/1826)": "whole_life_days",
}


def example(name: str) -> dict[str, Any]:
    found = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    listed = found if isinstance(found, list) else found["examples"]
    return next(one for one in listed if one["id"] == name)


def asset(convention: str = "actual_days", more: str = "", zone: str = "UTC") -> dict[str, Lot]:
    entry = (
        "{asset: dgx, cost: 300000.00, residual: 30000.00, currency: USD, life_months: 60, "
        f"in_service: 2026-03-10, convention: {convention}, pays_for: {{node: dgx-1}}{more}}}"
    )
    return made(assets=f"[{entry}]", zone=zone)


@pytest.mark.parametrize("policy", NAMED)
def test_first_month_of_example_e21_by_each_convention(policy: str) -> None:
    (variant,) = (one for one in example("E21")["expected"]["variants"] if one["policy"] == policy)
    lot = asset(NAMED[policy])["lot:dgx"]
    assert cents(lot, "2026-03") == variant["lines"]["2026-03"]
    assert in_month(lot, "2026-03") / USD == Fraction(variant["exact"]["2026-03"])
    assert lot.amount == 270_000 * USD


def test_life_of_example_e21_is_a_stub_fifty_nine_full_months_and_the_remainder() -> None:
    lot = asset()["lot:dgx"]
    assert cents(lot, "2026-03") == "3193.55"
    full = [cents(lot, month) for month in months_between("2026-04", "2031-02")]
    assert full == ["4500.00"] * 59
    assert cents(lot, "2031-03") == "1306.45"
    assert in_month(lot, "2031-04") == 0


@pytest.mark.parametrize(
    ("convention", "in_service", "last"),
    [
        ("half_month", "2026-03-10", ("2031-03", "2250.00")),
        ("half_month", "2026-03-01", ("2031-03", "2250.00")),
        ("full_month", "2026-03-10", ("2031-02", "4500.00")),
        ("30_360", "2026-03-31", ("2031-03", "4350.00")),
        ("actual_days", "2026-03-01", ("2031-02", "4500.00")),
        ("actual_days", "2028-02-29", ("2033-02", "4344.83")),
    ],
)
def test_last_month_takes_what_is_left(convention: str, in_service: str, last: tuple[str, str]) -> None:
    found = made(
        assets="[{asset: a, cost: 300000, residual: 30000, currency: USD, life_months: 60, "
        f"in_service: {in_service}, convention: {convention}, account: shared}}]"
    )["lot:a"]
    month, amount = last
    assert cents(found, month) == amount
    assert found.amount == 270_000 * USD
    assert in_month(found, months_between(month, "2050-01")[1]) == 0


def test_month_is_even_over_the_days_in_service() -> None:
    lot = asset("half_month")["lot:dgx"]
    (first, *_) = lot.segments
    assert (first.to_s - first.from_s, first.amount) == (22 * 86_400, 2250 * USD)


def test_longer_life_and_another_residual_act_from_their_day_on() -> None:
    change = ", changes: [{from: 2028-01-01, remaining_months: 48, residual: 20000}]"
    lot, before = asset(more=change)["lot:dgx"], asset()["lot:dgx"]
    for month in months_between("2026-03", "2027-12"):
        assert in_month(lot, month) == in_month(before, month)
    charged = Fraction(99_000, 31) + 21 * 4500
    assert in_month(lot, "2028-01") / USD == (300_000 - charged - 20_000) / 48
    assert in_month(lot, "2031-12") == in_month(lot, "2028-01")
    assert in_month(lot, "2032-01") == 0
    assert lot.amount == 280_000 * USD


def test_change_inside_a_month_parts_it_by_days() -> None:
    lot = asset(more=", changes: [{from: 2026-04-11, residual: 0}]")["lot:dgx"]
    charged = Fraction(99_000, 31) + 4500 * Fraction(10, 30)
    left, months_left = 300_000 - charged, 60 - Fraction(22, 31) - Fraction(10, 30)
    assert in_month(lot, "2026-04") / USD == 1500 + left / months_left * Fraction(20, 30)
    assert in_month(lot, "2026-05") / USD == left / months_left
    assert lot.amount == 300_000 * USD


def test_impairment_is_a_lot_of_its_own_in_the_rest_of_its_month() -> None:
    lots = asset(more=", changes: [{from: 2027-06-15, impairment: 60000}]")
    impairment, lot = lots["lot:dgx#impairment"], lots["lot:dgx"]
    assert in_month(impairment, "2027-06") == impairment.amount == 60_000 * USD
    assert (impairment.kind, impairment.target.account, impairment.covers) == ("true_up", "overhead", False)
    assert lot.amount == 210_000 * USD
    assert in_month(lot, "2027-05") == 4500 * USD and in_month(lot, "2027-07") < 4500 * USD


def test_two_impairments_are_one_lot_in_two_months() -> None:
    changes = "[{from: 2027-06-15, impairment: 60000}, {from: 2028-06-01, impairment: 1}]"
    found = asset(more=f", changes: {changes}")["lot:dgx#impairment"]
    assert [in_month(found, month) / USD for month in ("2027-06", "2027-07", "2028-06")] == [60_000, 0, 1]


@pytest.mark.parametrize(("proceeds", "amount"), [("200000", 1), ("295000", -1), ("0", 1)])
def test_disposal_leaves_book_value_less_proceeds_in_its_month(proceeds: str, amount: int) -> None:
    lots = asset(more=f", disposed: {{on: 2026-05-11, proceeds: {proceeds}}}, booked_to: shared")
    lot, disposal = lots["lot:dgx"], lots["lot:dgx#disposal"]
    charged = Fraction(99_000, 31) + 4500 + 4500 * Fraction(10, 31)
    assert lot.amount / USD == charged
    assert disposal.amount / USD == 300_000 - charged - int(proceeds)
    assert (disposal.amount > 0) == (amount > 0)
    assert in_month(disposal, "2026-05") == disposal.amount
    assert (disposal.kind, disposal.target.account) == ("true_up", "shared")
    assert lot.amount + disposal.amount == (300_000 - int(proceeds)) * USD


def test_disposal_that_is_not_reached_yet_is_no_lot() -> None:
    entry = (
        "{asset: a, cost: 12, currency: USD, life_months: 12, in_service: 2026-01-01, account: shared, "
        "disposed: {on: 2026-07-01}}"
    )
    assert list(made(assets=f"[{entry}]", until="2026-07-01")) == ["lot:a"]
    assert list(made(assets=f"[{entry}]", until="2026-07-02")) == ["lot:a", "lot:a#disposal"]


def test_proceeds_of_what_was_invoiced_are_received_on_the_day_of_disposal() -> None:
    lots = asset(more=", invoiced: 2026-03-01, disposed: {on: 2026-05-11, proceeds: 200000}")
    assert [one.amount / USD for one in lots["lot:dgx"].invoices] == [300_000]
    assert [one.amount / USD for one in lots["lot:dgx#disposal"].invoices] == [-200_000]
    invoiced = sum(one.amount for lot in lots.values() for one in lot.invoices)
    assert invoiced == sum(lot.amount for lot in lots.values())


def test_asset_that_is_written_off_goes_on_to_cover_its_slots_at_nothing() -> None:
    lot = asset()["lot:dgx"]
    assert lot.covers and lot.segments[-1].amount == 0
    assert lot.to_s > lot.segments[-1].from_s > lot.from_s
    entry = "asset: a, cost: 12, currency: USD, life_months: 12, in_service: 2026-01-01, account: shared"
    shared = made(assets=f"[{{{entry}}}]")["lot:a"]
    assert not shared.covers and shared.segments[-1].amount


def test_days_in_service_are_days_of_the_books_zone() -> None:
    lot = asset(zone="America/Los_Angeles")["lot:dgx"]
    assert cents(lot, "2026-03", "America/Los_Angeles") == "3193.55"
    assert cents(lot, "2026-04", "America/Los_Angeles") == "4500.00"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("changes: [{from: 2026-03-10, residual: 1}]", "dgx: a change from 2026-03-10 on is not inside"),
        ("changes: [{from: 2031-03-10, residual: 1}]", "after 2026-03-10 and before 2031-03-10"),
        (
            "changes: [{from: 2027-01-02, residual: 1}, {from: 2027-01-01, residual: 2}]",
            "after 2027-01-02 and before",
        ),
        (
            "changes: [{from: 2027-03-10, residual: 290000}]",
            "290000.00 is above the book value on 2027-03-10",
        ),
        ("changes: [{from: 2027-03-10, impairment: 290000}]", "30000.00 is above the book value"),
        ("disposed: {on: 2026-03-01}", "disposed of on 2026-03-01, before it is in service"),
    ],
)
def test_mistake_is_said_with_its_line(more: str, message: str) -> None:
    entry = (
        "{asset: dgx, cost: 300000, residual: 30000, currency: USD, life_months: 60, in_service: 2026-03-10,"
        f" account: shared, {more}}}"
    )
    _, (error,) = read(assets=f"\n- {entry}")
    assert message in error.message and error.place and error.place.line == 3


def test_residual_above_the_cost_is_refused() -> None:
    entry = "asset: a, cost: 10, residual: 10.01, currency: USD, life_months: 12, in_service: 2026-01-01"
    _, (error,) = read(assets=f"[{{{entry}, account: shared}}]")
    assert error.message == "a: the residual 10.01 is above the cost, 10.00"


def daily(asset: Asset, cost: int) -> dict[date, Fraction]:
    """What each day is charged, by an account of days that knows nothing of stretches; no changes."""
    first = date.fromisoformat(asset.in_service)
    left, ends = Fraction(cost) - Fraction(asset.residual), add_months(first, asset.life_months)
    if asset.convention == "full_month":
        ends = ends.replace(day=1)
    if asset.convention == "half_month" and first.day == 1:
        ends = next_month_start(ends)
    every = [first + timedelta(days=number) for number in range((ends - first).days)]
    by_month: dict[tuple[int, int], list[date]] = {}
    for day in every:
        by_month.setdefault((day.year, day.month), []).append(day)
    charged: dict[date, Fraction] = {}
    monthly = left / asset.life_months
    for number, days in enumerate(by_month.values()):
        whole = (next_month_start(days[0]) - days[0].replace(day=1)).days
        share = {
            "actual_days": Fraction(len(days), whole),
            "30_360": Fraction(31 - min(days[0].day, 30), 30),
            "half_month": Fraction(1, 2) if number == 0 else Fraction(1),
            "full_month": Fraction(1),
            "whole_life_days": Fraction(len(days) * asset.life_months, len(every)),
        }[asset.convention]
        amount = monthly * share
        if number == len(by_month) - 1:
            amount = left - sum(charged.values())
        charged |= {day: amount / len(days) for day in days}
    return charged


DAYS = st.dates(date(2024, 1, 1), date(2029, 12, 31))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CONVENTIONS), DAYS, st.integers(1, 40), st.integers(0, 10**6), st.integers(0, 10**6))
def test_charges_are_those_of_an_account_by_days(
    convention: Convention, first: date, life: int, residual: int, more: int
) -> None:
    asset = Asset(first.isoformat(), life, str(residual), convention)
    found = schedule(asset, str(residual + more))
    expected = daily(asset, residual + more)
    assert sum(one.amount for one in found.charges) == more
    assert all(one.amount >= 0 for one in found.charges)
    for one in found.charges:
        days = [one.begins + timedelta(days=number) for number in range((one.ends - one.begins).days)]
        assert one.amount == sum(expected[day] for day in days)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(CONVENTIONS),
    DAYS,
    st.integers(2, 40),
    st.lists(st.tuples(st.integers(1, 1300), st.integers(0, 40), st.integers(0, 9)), max_size=3),
    st.integers(1, 1400),
)
def test_what_was_charged_before_a_change_stays_and_all_of_it_adds_up(
    convention: Convention, first: date, life: int, changes: list[tuple[int, int, int]], sold: int
) -> None:
    made = tuple(
        Change((first + timedelta(days=after)).isoformat(), "", months, str(impairment))
        for after, months, impairment in sorted(changes)
    )
    disposed = Disposal((first + timedelta(days=sold)).isoformat(), "5")
    plain = Asset(first.isoformat(), life, "10", convention, disposal=disposed)
    try:
        found = schedule(Asset(first.isoformat(), life, "10", convention, made, disposed), "1000")
    except InputError:
        return
    impaired = sum(one.amount for one in found.impairments)
    assert sum(one.amount for one in found.charges) + impaired + found.left == 1000
    assert all(one.amount >= 0 for one in found.charges)
    assert all(one.ends == other.begins for one, other in pairwise(found.charges))
    reached = min([date.fromisoformat(one.day) for one in made], default=date.max)
    before = schedule(plain, "1000")
    assert _charged(found.charges, reached) == _charged(before.charges, reached)


def _charged(charges: tuple[Any, ...], until: date) -> Fraction:
    found = Fraction(0)
    for one in charges:
        length = (one.ends - one.begins).days
        found += one.amount * max(0, min((until - one.begins).days, length)) / length
    return found
