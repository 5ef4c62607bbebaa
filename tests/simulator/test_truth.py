"""The truth of a simulated fleet: exact, complete, and the same as counting seconds one by one."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from gpuledger.calendars import month_bounds
from simulator import Fleet, Gpu, Node, Owner, Price, Truth, Workload, compute_truth, generate, sum_by

KOLKATA = "Asia/Kolkata"


@pytest.fixture(scope="module")
def fleet() -> Fleet:
    return generate(11)


@pytest.fixture(scope="module")
def truth(fleet: Fleet) -> Truth:
    return compute_truth(fleet)


def small_fleet() -> Fleet:
    """One node of two GPUs; the price doubles at 00:20 of the month; one job of the first half hour."""
    gpus = (Gpu("n1", "00", "GPU-0"), Gpu("n1", "01", "GPU-1"))
    start, end = 1_790_812_800, 1_793_491_200
    change = start + 1200
    return Fleet(
        zone="UTC",
        month="2026-10",
        start_s=start,
        end_s=end,
        exported_s=end,
        nodes=(Node("n1", "c", "slurm", "H100", "eu", "sku", start, gpus),),
        workloads=(Workload(start, start + 1800, "slurm", "a", "1", "u", gpus[:1]),),
        prices=(
            Price("H100", "eu", "3.6", "USD", start, change),
            Price("H100", "eu", "7.2", "USD", change, None),
        ),
        owners=(Owner("a", "alpha", "CC", start),),
    )


def test_held_and_free_are_each_nodes_capacity_exactly(fleet: Fleet, truth: Truth) -> None:
    by_node = sum_by(truth.cells, "node")
    assert {node: amount.gpu_seconds for node, amount in by_node.items()} == truth.capacity
    assert set(truth.capacity.values()) == {8 * (fleet.end_s - fleet.start_s)}
    assert all(cell.gpu_seconds > 0 for cell in truth.cells)


def test_traced_and_pooled_money_have_one_total_per_model(truth: Truth) -> None:
    by_model = sum_by(truth.cells, "model")
    assert all(amount.traced == amount.pooled for amount in by_model.values())
    assert by_model["A100"].traced == 32 * 744 * Fraction("1.374205")
    hours_before = 14 * 24 + Fraction(10 * 60 + 20, 60)
    expected = 32 * (hours_before * Fraction("2.95") + (744 - hours_before) * Fraction("2.744705"))
    assert by_model["H100"].traced == expected


def test_owners_differ_between_traced_and_pooled_only_by_the_hour_of_the_price_change(truth: Truth) -> None:
    by_owner = sum_by(truth.cells, "owner_key")
    moved = {key: amount.pooled - amount.traced for key, amount in by_owner.items()}
    assert sum(moved.values()) == 0
    assert moved["robotics"] < 0, "it held only before the price fell, and pays the hour's average"
    assert max(abs(value) for value in moved.values()) < 32 * (Fraction("2.95") - Fraction("2.744705"))


def test_a_price_change_inside_an_hour_by_hand() -> None:
    cells = {cell.team: cell for cell in compute_truth(small_fleet()).cells}
    assert cells["alpha"].gpu_seconds == 1800
    assert cells["alpha"].traced == Fraction(1200 * 1 + 600 * 2, 1000)
    assert cells["alpha"].pooled == Fraction(1800 * 5, 3 * 1000)
    assert cells[None].gpu_seconds == 2 * 744 * 3600 - 1800


@pytest.mark.parametrize("day_and_hour", [(14, 10), (30, 23)])
def test_an_hour_counted_second_by_second_agrees(fleet: Fleet, day_and_hour: tuple[int, int]) -> None:
    day, hour = day_and_hour
    first = fleet.start_s + day * 86400 + hour * 3600
    seconds = Counter[str]()
    for second in range(first, first + 3600):
        for work in fleet.workloads:
            if work.start_s <= second < work.end_s:
                seconds[work.owner_key] += len(work.gpus)
    clipped = (clip(work, first) for work in fleet.workloads)
    only = replace(fleet, workloads=tuple(work for work in clipped if work.start_s < work.end_s))
    found = sum_by(compute_truth(only).cells, "owner_key")
    assert {key: amount.gpu_seconds for key, amount in found.items() if key} == seconds


def clip(work: Workload, first: int) -> Workload:
    return replace(work, start_s=max(work.start_s, first), end_s=min(work.end_s, first + 3600))


def test_work_over_the_months_end_is_split_at_the_boundary_of_the_zone() -> None:
    fleet = generate(5, zone=KOLKATA)
    months = [compute_truth(fleet, month=month) for month in ("2026-09", "2026-10", "2026-11")]
    for earlier, later in pairwise(months):
        assert earlier.end_s == later.start_s
        assert earlier.end_s % 3600 == 1800, "midnight in Kolkata is half past in UTC"
    held = sum(cell.gpu_seconds for month in months for cell in month.cells if cell.owner_key)
    assert held == sum(len(work.gpus) * (work.end_s - work.start_s) for work in fleet.workloads)


def test_a_model_without_a_price_is_refused() -> None:
    fleet = small_fleet()
    unpriced = replace(fleet, prices=fleet.prices[1:])
    with pytest.raises(ValueError, match="H100 in eu"):
        compute_truth(unpriced)


@pytest.mark.parametrize("zone", [KOLKATA, "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"])
def test_the_month_found_minute_by_minute_is_the_billing_calendars(zone: str) -> None:
    truth = compute_truth(replace(generate(1, zone=zone), workloads=()))
    assert (truth.start_s, truth.end_s) == month_bounds(zone, "2026-10")
    assert set(truth.capacity.values()) == {8 * (truth.end_s - truth.start_s)}


def test_the_truth_imports_nothing_of_the_books() -> None:
    code = "import sys, simulator.truth; print({name.partition('.')[0] for name in sys.modules})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "simulator" in ran.stdout
    assert "chargeback" not in ran.stdout
    assert "collectors" not in ran.stdout
