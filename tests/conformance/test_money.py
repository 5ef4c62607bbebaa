"""Worked examples about money: each case's prices and lots as facts, and the books that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from house import House, at
from worked_examples import (
    ALL,
    HOUR,
    USD,
    both_layers,
    by_owner,
    example,
    is_near,
    make,
    seconds,
    ten_places,
    variant,
)

from chargeback.lots.details import Asset, Convention, Energy, Step
from gpuledger.calendars import month_bounds, next_month

pytestmark = pytest.mark.books


@both_layers
def test_e03_a_monthly_fee_is_the_cost_of_each_month(new_house: Callable[[str], House], charged: str) -> None:
    inputs = example("E03")["inputs"]
    wanted = variant("E03", "monthly fee is the cost of each month")
    house, first = new_house(charged), at("2026-01-01T00:00Z")
    house.slot("n1", 0, first, None)
    house.holding("job", first, None, "team", node="n1", slot="n1/0")
    house.lot("fee", "fee", inputs["monthly_fee"], first, None, slots=ALL, covers=True)
    house.through(at("2028-03-01T00:00Z"))
    house.keep()
    total = Decimal(0)
    for month, amount in wanted["lines"].items():
        made = make(house, month)
        assert by_owner(made.cells) == {"team": amount}
        assert made.hours() == inputs["months"][month]
        rate = wanted["metrics"]["effective_usd_per_gpu_hour"][month]
        assert ten_places(made.cost / made.hours()) == Fraction(rate)
        total += Decimal(made.total)
    assert total == Decimal(wanted["total"])


@both_layers
def test_e03_what_is_paid_upfront_costs_the_same_on_each_day_of_its_term(
    new_house: Callable[[str], House], charged: str
) -> None:
    term = example("E03")["inputs"]["one_year_upfront"]
    wanted = variant("E03", "upfront by actual days of the term")
    house, first = new_house(charged), at(f"{term['start']}T00:00Z")
    house.slot("n1", 0, first, None)
    house.lot("term", "purchase", term["amount"], first, at(f"{term['end_exclusive']}T00:00Z"), slots=ALL)
    house.through(at("2028-06-01T00:00Z"))
    house.keep()
    made = make(house, "2027-06")
    assert {"2027-06": made.total} == wanted["lines"]
    days = made.booked(lambda row: str(row["day"]), "recognised")
    assert len(days) == 30
    assert set(days.values()) == {int(Fraction(wanted["metrics"]["usd_per_day"]) * USD.quantum)}
    assert Fraction(term["amount"]) * USD.quantum / days["2027-06-01"] == wanted["metrics"]["term_days"]


@both_layers
def test_e05_a_spot_price_that_changes_mid_hour(new_house: Callable[[str], House], charged: str) -> None:
    """A node of two GPUs; under the pooled layer all device-seconds of the hour cost the same."""
    inputs, (wanted,) = example("E05")["inputs"], example("E05")["expected"]["variants"]
    house = new_house(charged)
    begin, end = map(seconds, inputs["run"])
    for index in range(2):
        house.slot("n1", index, begin, end)
    house.holding("run", begin, end, "team", node="n1", units=2)
    for start, stop, rate in inputs["prices"]:
        house.price(rate, seconds(start), seconds(stop), unit="node_hour")
    house.through(seconds("2026-07-01T00:00:00Z"))
    house.keep()
    made = make(house, "2026-06")
    assert by_owner(made.cells) == {"team": wanted["total"]}
    if charged == "recognised":
        change = seconds(inputs["prices"][1][0])
        booked = made.booked(
            lambda row: "10:05-10:20" if row["from_s"] < change else "10:20-10:50", "recognised"
        )
        assert is_near(booked, wanted["exact"], splits=2)
        assert made.cents(booked) == wanted["lines"]


@both_layers
def test_e06_who_stopped_a_spot_run_and_when(new_house: Callable[[str], House], charged: str) -> None:
    """Nodes of two GPUs; under the pooled layer the free hour makes the hours of its pool cheaper."""
    inputs, (wanted,) = example("E06")["inputs"], example("E06")["expected"]["variants"]
    house, begin = new_house(charged), at("2026-06-01T10:00Z")
    for run in inputs["runs"]:
        end, node = begin + run["minutes"] * 60, f"node-{run['id']}"
        house.node(node, begin, end, ended_by=run["ended_by"])
        for index in range(2):
            house.slot(node, index, begin, end)
        house.holding(run["id"], begin, end, "team", node=node, units=2)
    house.price(inputs["usd_per_hour"], 0, unit="node_hour", rules='{"interrupted_free_s":3600}')
    house.through(at("2026-07-01T00:00Z"))
    house.keep()
    made = make(house, "2026-06")
    assert made.total == wanted["total"]
    assert made.hours() / 2 == Fraction(wanted["metrics"]["node_hours_used"])
    rate = made.cost / (made.hours() / 2)
    assert ten_places(rate) == Fraction(wanted["metrics"]["effective_usd_per_used_node_hour"])
    if charged == "recognised":
        runs = made.booked(lambda row: str(row["run"]).removeprefix("c/"), charged)
        booked = dict.fromkeys(wanted["lines"], 0) | runs
        assert is_near(booked, wanted["exact"], splits=8)
        assert made.cents(booked) == wanted["lines"]


CONVENTIONS: dict[str, Convention] = {
    "monthly charge x actual days/days in month (22/31)": "actual_days",
    "30/360 (21/30)": "30_360",
    "full month": "full_month",
    "half month": "half_month",
    "actual days over whole life (22/1826)": "whole_life_days",
}


def put_asset(house: House, convention: Convention, **values: Any) -> None:
    inputs = example("E21")["inputs"]
    asset = Asset(inputs["in_service"], inputs["life_months"], inputs["residual"], convention)
    start = at(f"{inputs['in_service']}T00:00Z")
    house.lot("rack", "depreciation", inputs["capex"], start, None, asset=asset, **values)


@both_layers
@pytest.mark.parametrize("policy", CONVENTIONS)
def test_e21_depreciation_of_a_first_month(
    new_house: Callable[[str], House], charged: str, policy: str
) -> None:
    wanted = variant("E21", policy)
    house = new_house(charged)
    put_asset(house, CONVENTIONS[policy], slots=ALL)
    house.slot("n1", 0, at(f"{example('E21')['inputs']['in_service']}T00:00Z"), None)
    house.through(at("2026-04-01T00:00Z"))
    house.keep()
    made = make(house, "2026-03")
    assert {"2026-03": made.total} == wanted["lines"]
    assert is_near(made.booked(lambda row: str(row["day"])[:7], "recognised"), wanted["exact"], splits=1)
    assert sum(made.result.exact.values()) == Fraction(wanted["exact"]["2026-03"]) * USD.quantum


def test_e21_a_life_is_written_off_to_the_cent(new_house: Callable[[str], House]) -> None:
    """An asset that stands for no device, so that each of its 61 months is quick to make."""
    wanted = variant("E21", "life total, first policy")
    house = new_house("pooled")
    put_asset(house, "actual_days", account="shared")
    house.through(at("2032-01-01T00:00Z"))
    house.keep()
    month, months = "2026-03", {}
    while month <= "2031-03":
        months[month] = Decimal(make(house, month).total)
        month = next_month(month)
    first, *full, last = months.values()
    assert [str(first), str(sum(full)), str(last)] == list(wanted["lines"].values())
    assert (len(full), str(sum(months.values()))) == (59, wanted["total"])


@both_layers
def test_e22_an_owned_nodes_cost_and_three_rates(new_house: Callable[[str], House], charged: str) -> None:
    inputs, (wanted,) = example("E22")["inputs"], example("E22")["expected"]["variants"]
    house, (start, end) = new_house(charged), month_bounds("UTC", inputs["month"])
    for index in range(inputs["gpus"]):
        house.slot("n1", index, start, end)
    stopped = start + inputs["maintenance_gpu_hours"] // inputs["gpus"] * HOUR
    house.state("n1", None, "maintenance", start, stopped)
    held = stopped + inputs["allocated_gpu_hours"] // inputs["gpus"] * HOUR
    house.holding("job", stopped, held, "team", node="n1", units=inputs["gpus"])
    assert example("E21")["inputs"]["capex"] == "300000.00"
    put_asset(house, "actual_days", slots=ALL)
    for name in ("rack", "network", "staff"):
        house.lot(f"{name}-fee", "fee", inputs[name], start, None, slots=ALL)
    steps = ((Step(0, inputs[name]),) for name in ("pue", "usd_per_kwh", "it_kw"))
    house.lot("power", "energy", "", start, None, slots=ALL, energy=Energy(*steps))
    house.through(end)
    house.keep()
    made = make(house, inputs["month"])
    names = {"lot:rack": "depreciation", "lot:power": "power_and_cooling"}
    names |= {f"lot:{name}-fee": name for name in ("rack", "network", "staff")}
    booked = made.booked(lambda row: names[row["lot"]], "recognised")
    assert is_near(booked, wanted["exact"], splits=1)
    assert made.cents(booked) == wanted["lines"]
    assert made.total == wanted["total"]
    metrics = wanted["metrics"]
    power = Fraction(booked["power_and_cooling"], USD.quantum)
    assert round(power / Fraction(inputs["usd_per_kwh"]), 6) == Fraction(metrics["facility_kwh"])
    available = made.hours() - made.hours("overhead")
    rates = {
        "usd_per_installed_gpu_hour": made.hours(),
        "usd_per_available_gpu_hour": available,
        "usd_per_allocated_gpu_hour": made.hours("used", "idle_held", "held_unobserved"),
    }
    assert {name: ten_places(made.cost / hours) for name, hours in rates.items()} == {
        name: Fraction(metrics[name]) for name in rates
    }


def test_e28_a_credit_follows_the_usage_that_it_credits(new_house: Callable[[str], House]) -> None:
    house = used_and_credited(new_house("recognised"))
    made = make(house, "2026-10")
    credit, net = variant("E28", "credit"), variant("E28", "net")
    assert by_owner(made.cells, "lot:credit:USD") == credit["lines"]
    assert by_owner(made.cells) == net["lines"]
    assert made.total == net["total"]
    booked = sum(row["amount"] for row in made.entries if row["lot"] == "lot:credit")
    assert booked == int(Fraction(credit["total"]) * USD.quantum)


def test_e28_charged_by_pool_usage_and_credit_are_rounded_as_one(new_house: Callable[[str], House]) -> None:
    house = used_and_credited(new_house("pooled"))
    made, net = make(house, "2026-10"), variant("E28", "net")
    assert by_owner(made.cells) == net["lines"]
    assert made.total == net["total"]


def used_and_credited(house: House) -> House:
    """A GPU for each ten dollars of a team's usage, at a dollar an hour for ten hours."""
    inputs, start = example("E28")["inputs"], at("2026-10-05T00:00Z")
    number = 0
    for team, amount in inputs["usage"].items():
        for _ in range(int(Fraction(amount)) // 10):
            house.slot("n1", number, start, start + 10 * HOUR)
            place = {"node": "n1", "slot": f"n1/{number}"}
            house.holding(f"job-{number}", start, start + 10 * HOUR, team, **place)
            number += 1
    house.price("1", 0)
    period = month_bounds("UTC", "2026-10")
    house.lot("credit", "credit", inputs["credit"], *period, follows=["meter:*"])
    house.through(at("2026-11-01T00:00Z"))
    house.keep()
    return house


@both_layers
@pytest.mark.parametrize("amount", example("E36")["inputs"]["pools"])
def test_e36_largest_remainder(new_house: Callable[[str], House], charged: str, amount: str) -> None:
    house, start = new_house(charged), at("2026-10-05T00:00Z")
    for index, owner in enumerate(example("E36")["inputs"]["weights"]):
        house.slot("n1", index, start, start + 24 * HOUR)
        place = {"node": "n1", "slot": f"n1/{index}"}
        house.holding(f"job-{owner}", start, start + 24 * HOUR, owner, **place)
    house.lot("bought", "true_up", amount, start, start + 24 * HOUR, slots=ALL, covers=True)
    house.through(at("2026-11-01T00:00Z"))
    house.keep()
    made, wanted = make(house, "2026-10"), variant("E36", amount)
    assert by_owner(made.cells) == wanted["lines"]
    assert made.total == wanted["total"]
