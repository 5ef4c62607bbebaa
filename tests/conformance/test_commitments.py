"""Worked examples about commitments: what each is used for, what of it is lost, and what is left to pay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from house import House, at
from worked_examples import (
    HOUR,
    USD,
    Made,
    both_layers,
    by_owner,
    example,
    is_near,
    make,
    seconds,
    ten_places,
    variant,
)

from chargeback.commitments.details import Due
from gpuledger.calendars import month_bounds
from gpuledger.money import format_minor, largest_remainder

pytestmark = pytest.mark.books

DAY = at("2026-10-05T00:00Z")
NewHouse = Callable[[str], House]


def sources(made: Made, names: dict[str, str]) -> dict[str, int]:
    """What is recognised by lot or meter, of unused money with its account: quanta under other names."""
    found: Counter[str] = Counter()
    for row in made.entries:
        if row["layer"] == "recognised":
            apart = row["to_account"] in ("commitment_unused", "unusable")
            lot = row["lot"].split(":*:")[0]
            found[names[f"{lot} {row['to_account']}" if apart else lot]] += row["amount"]
    return dict(found)


def cents(made: Made, booked: dict[str, int]) -> dict[str, str]:
    """The cents of each source, by largest remainder of what the month comes to."""
    total = sum(cell.minor for cell in made.cells)
    return {name: format_minor(minor, USD) for name, minor in largest_remainder(total, booked).items()}


@both_layers
def test_e12_a_commitment_that_is_used_in_part_hour_by_hour(new_house: NewHouse, charged: str) -> None:
    inputs, (wanted,) = example("E12")["inputs"], example("E12")["expected"]["variants"]
    house = new_house(charged)
    few, many = inputs["usage_gpus_by_hour"].values()
    for index in range(many):
        start = DAY if index < few else DAY + 12 * HOUR
        house.slot("n1", index, start, DAY + 24 * HOUR)
        house.holding(f"run-{index}", start, DAY + 24 * HOUR, "team", node="n1", slot=f"n1/{index}")
    each = inputs["commitment"]["usd_per_gpu_hour"]
    house.commitment(
        *("ri", "aws_regional_reserved_instance", DAY, DAY + 24 * HOUR),
        str(inputs["commitment"]["gpus"]),
        {"slots": {"model": ("H100",)}},
        measure="gpu",
        each_hour=each,
    )
    house.price(inputs["on_demand_usd_per_gpu_hour"], 0)
    house.through(at("2026-11-01T00:00Z"))
    house.keep()
    made = make(house, "2026-10")
    names = {
        "commitment:ri": "commitment_used",
        "commitment:ri commitment_unused": "commitment_waste",
        "meter:model:H100": "on_demand_overflow",
    }
    booked = sources(made, names)
    assert is_near(booked, wanted["exact"], splits=24)
    assert cents(made, booked) == wanted["lines"] and made.total == wanted["total"]
    metrics = wanted["metrics"]
    assert made.hours() == Fraction(metrics["used_gpu_hours"])
    used = Fraction(booked["commitment_used"], USD.quantum) / Fraction(each)
    committed = Fraction(booked["commitment_used"] + booked["commitment_waste"], USD.quantum) / Fraction(each)
    assert used / committed == Fraction(metrics["utilisation"])
    assert used / made.hours() == Fraction(metrics["coverage"])
    assert made.cost / made.hours() == Fraction(metrics["effective_usd_per_used_gpu_hour"])
    assert by_owner(made.cells)["__account__"] == wanted["lines"]["commitment_waste"]


def test_e13_a_commitment_shared_in_proportion(new_house: NewHouse) -> None:
    inputs, wanted = example("E13")["inputs"], variant("E13", "proportional to eligible usage")
    house, number = new_house("recognised"), 0
    for team, gpus in inputs["usage_gpus"].items():
        for _ in range(gpus):
            house.slot("n1", number, DAY, DAY + HOUR)
            house.holding(f"run-{number}", DAY, DAY + HOUR, team, node="n1", slot=f"n1/{number}")
            number += 1
    house.commitment(
        *("cud", "gcp_resource_cud", DAY, DAY + HOUR, str(inputs["commitment_gpus"])),
        {"slots": {"model": ("H100",)}},
        each_hour=inputs["committed_rate"],
    )
    house.price(inputs["on_demand_rate"], 0)
    house.through(at("2026-11-01T00:00Z"))
    house.keep()
    made = make(house, "2026-10")
    booked = made.booked(lambda row: str(row["to_owner"]), "recognised")
    assert is_near(booked, wanted["exact"], splits=30)
    assert made.cents(booked) == wanted["lines"] and made.total == wanted["total"]


@both_layers
@pytest.mark.parametrize("hour", ["hour_1", "hour_2"])
def test_e15_money_goes_where_it_saves_the_most(new_house: NewHouse, charged: str, hour: str) -> None:
    """x and y are on nodes of kinds of their own; a commitment for the hour that is looked at."""
    inputs, wanted = example("E15")["inputs"], variant("E15", hour.replace("_", " "))
    house, covers = new_house(charged), []
    for index, (name, rates) in enumerate(inputs[hour].items()):
        house.slot("n1", index, DAY, DAY + HOUR, model=name)
        house.holding(name, DAY, DAY + HOUR, "team", node="n1", slot=f"n1/{index}")
        house.price(rates["on_demand"], 0, model=name)
        covers.append({"slots": {"model": (name,)}, "rate": rates["plan_rate"]})
    plan = ("plan", "aws_compute_savings_plan", DAY, DAY + HOUR, inputs["commitment_usd_per_hour"])
    house.commitment(*plan, covers)
    house.through(at("2026-11-01T00:00Z"))
    house.keep()
    made = make(house, "2026-10")
    names = {"commitment:plan commitment_unused": "plan_unused", "meter:model:y": "y_on_demand"}
    booked: Counter[str] = Counter()
    for row in made.entries:
        if row["layer"] != "recognised":
            continue
        lot = row["lot"].split(":*:")[0]
        used = f"{row['model']}_plan" if lot == "commitment:plan" else lot
        apart = names.get(f"{lot} {row['to_account']}") or names.get(lot)
        booked[apart or used] += row["amount"]
    assert is_near(dict(booked), wanted["exact"], splits=2)
    assert cents(made, dict(booked)) == wanted["lines"] and made.total == wanted["total"]


@both_layers
def test_e17_a_capacity_block_with_an_extension(new_house: NewHouse, charged: str) -> None:
    """What is bought of one reservation at two prices are two commitments, each for its own days."""
    inputs, house = example("E17")["inputs"], new_house(charged)
    first, second = inputs["purchase"], inputs["extension"]
    begin, middle, end = map(seconds, (first["start"], first["end"], second["end"]))
    house.slot("n1", 0, begin, end - 1800)
    for team, (start, stop) in inputs["use"].items():
        house.holding(team, seconds(start), seconds(stop), team, node="n1", slot="n1/0")
    for name, said, start, stop, tail in (
        ("block", first, begin, middle, 0),
        ("extension", second, middle, end, 1800),
    ):
        upfront = f"{Decimal(said['usd_per_instance_hour']) * (stop - start) / HOUR:f}"
        house.commitment(
            *(name, "aws_capacity_block", start, stop, "1", {"slots": {"node": ("n1",)}}),
            upfront=upfront,
            tail_s=tail,
            invoices=(Due(seconds(said["at"]), upfront),),
        )
    house.price("50", 0)  # what is placed pays no metered price
    house.through(at("2026-06-01T00:00Z"))
    house.keep()
    billed = {}
    for month in ("2026-04", "2026-05"):
        made = make(house, month)
        billed[month] = sum(row["amount"] for row in made.entries if row["layer"] == "billed")
    wanted = variant("E17", "billed by invoice month")["lines"]
    assert {month: amount(quanta) for month, quanta in billed.items()} == wanted
    whole = variant("E17", "effective, both lots")
    assert amount(sum(cell.quanta for cell in made.cells)) == whole["total"]
    if charged == "recognised":
        for name, policy in (
            ("block", "effective, lot 1 (block)"),
            ("extension", "effective, lot 2 (extension)"),
        ):
            lines = variant("E17", policy)["lines"]
            assert named(by_account(made, f"commitment:{name}:USD")) == lines
        assert named(by_account(made)) == whole["lines"] and made.total == whole["total"]


def by_account(made: Made, rounding_pool: str = "") -> dict[str, str]:
    """Cents by owner; what no team owns by account."""
    found: Counter[str] = Counter()
    for cell in made.cells:
        if rounding_pool in ("", cell.rounding_pool):
            found[cell.account if cell.owner == "__account__" else cell.owner] += cell.minor
    return {name: format_minor(minor, USD) for name, minor in found.items() if minor}


def named(lines: dict[str, str]) -> dict[str, str]:
    """Under the names of the examples: time before anything was held, and what cannot be used."""
    names = {"idle_free": "__unused_head__", "unusable": "__unusable_tail__"}
    return {names.get(name, name): amount for name, amount in lines.items()}


@both_layers
def test_e18_a_reservation_that_is_paid_upfront_in_part(new_house: NewHouse, charged: str) -> None:
    inputs, house = example("E18")["inputs"], new_house(charged)
    begin, end = map(seconds, inputs["term"])
    february = month_bounds("UTC", "2026-02")[0]
    used = february + inputs["february_used_hours"] * HOUR
    house.slot("n1", 0, february, used)
    house.holding("run", february, used, "team", node="n1", slot="n1/0")
    house.commitment(
        *("ri", "aws_zonal_reserved_instance", begin, end, "1", {"slots": {"node": ("n1",)}}),
        upfront=inputs["upfront"],
        each_hour=inputs["recurring_usd_per_hour"],
        invoices=(Due(begin, inputs["upfront"]),),
        monthly="in_advance",
    )
    house.through(at("2027-02-01T00:00Z"))
    house.keep()
    months = {f"2026-{month:02}": make(house, f"2026-{month:02}") for month in range(1, 13)}
    billed = {
        name: sum(row["amount"] for row in made.entries if row["layer"] == "billed")
        for name, made in months.items()
    }
    wanted = variant("E18", "billed")["lines"]
    assert {name: amount(billed[name]) for name in wanted} == wanted
    wanted = variant("E18", "effective February")
    names = {"commitment:ri": "used", "commitment:ri commitment_unused": "unused"}
    booked = sources(months["2026-02"], names)
    assert is_near(booked, wanted["exact"], splits=672)
    assert cents(months["2026-02"], booked) == wanted["lines"]
    rate = Fraction(booked["used"], USD.quantum) / inputs["february_used_hours"]
    assert ten_places(rate) == Fraction(wanted["metrics"]["effective_usd_per_hour"])
    whole = variant("E18", "whole term check")["lines"]
    assert amount(sum(billed.values())) == whole["billed_year"]
    recognised = sum(cell.quanta for made in months.values() for cell in made.cells)
    assert amount(-recognised) == whole["minus_effective_year"]


def amount(quanta: int) -> str:
    return format_minor(quanta // (USD.quantum // 100), USD)


def used_in_a_month(house: House, usage: dict[str, int], each: int) -> House:
    """GPUs of each team for so many hours of a month as make its GPU-hours, at a minimum each month."""
    inputs, (start, end) = example("E19")["inputs"], month_bounds("UTC", "2026-10")
    for team, hours in usage.items():
        for index in range(hours // each):
            node = f"{team}-{index}"
            house.slot(node, 0, start, start + each * HOUR)
            house.holding(node, start, start + each * HOUR, team, node=node, slot=f"{node}/0")
    house.price(inputs["usd_per_gpu_hour"], 0)
    follows = ["meter:model:H100:*"]
    least = inputs["minimum_per_month"]
    house.lot("least", "minimum", least, start, None, follows=follows, account="commitment_unused")
    house.through(end)
    house.keep()
    return house


@both_layers
@pytest.mark.parametrize(
    ("policy", "month", "choice"),
    [
        ("m1, shortfall kept central", "m1", "none/1"),
        ("m1, shortfall by usage", "m1", "proportional/1"),
        ("m2", "m2", "none/1"),
    ],
)
def test_e19_a_monthly_minimum(
    new_house: NewHouse, charged: str, policy: str, month: str, choice: str
) -> None:
    """Fifty whole GPUs for a part of the month; what is short of the minimum is spread as it was used."""
    usage, wanted = example("E19")["inputs"]["months"][month], variant("E19", policy)
    house = new_house(charged)
    house.policy("distribute_commitment_unused", choice)
    made = make(used_in_a_month(house, usage, 600 if month == "m2" else 400), "2026-10")
    names = {"commitment_unused": "__commitment_waste__"}
    found = {names.get(name, name): text for name, text in by_account(made).items()}
    assert found == wanted["lines"] and made.total == wanted["total"]
    short = sum(
        row["amount"] for row in made.entries if row["lot"] == "lot:least" and row["layer"] == "recognised"
    )
    if "metrics" in wanted:
        assert amount(short) == wanted["metrics"]["shortfall"]
        rate = made.cost / made.hours()
        assert ten_places(rate) == Fraction(wanted["metrics"]["effective_usd_per_gpu_hour"])


@both_layers
def test_e27_where_nothing_was_used_the_quota_counts(new_house: NewHouse, charged: str) -> None:
    inputs, wanted = example("E27")["inputs"], variant("E27", "fallback: quota")
    house, (start, end) = new_house(charged), month_bounds("UTC", "2026-10")
    covers: dict[str, Any] = {"slots": {"model": ("H100",)}}
    house.commitment(
        "c", "gcp_resource_cud", start, end, "1", covers, each_month=inputs["commitment_month_usd"]
    )
    for team, units in inputs["quota"].items():
        house.entitlement(team, units)
    house.policy("distribute_commitment_unused", "proportional/1")
    house.policy("distribution_fallback", "unused_entitlement/1")
    house.through(end)
    house.keep()
    made = make(house, "2026-10")
    assert by_account(made) == wanted["lines"] and made.total == wanted["total"]
    booked = made.booked(lambda row: str(row["to_owner"]), "distributed")
    assert is_near(booked, wanted["exact"], splits=744)


@both_layers
def test_e27_a_month_without_any_use_is_lost_whole(new_house: NewHouse, charged: str) -> None:
    inputs, wanted = example("E27")["inputs"], variant("E27", "fallback: central waste")
    house, (start, end) = new_house(charged), month_bounds("UTC", "2026-10")
    covers: dict[str, Any] = {"slots": {"model": ("H100",)}}
    fee = inputs["commitment_month_usd"]
    house.commitment("c", "gcp_resource_cud", start, end, "1", covers, each_month=fee)
    house.through(end)
    house.keep()
    made = make(house, "2026-10")
    assert by_account(made) == {"commitment_unused": wanted["lines"]["__commitment_waste__"]}
    assert made.total == wanted["total"] and made.hours() == 0
