"""A year of money and its truth: the same from the same seed, nothing lost, right where a hand can count."""

from __future__ import annotations

import csv
from collections import defaultdict
from datetime import date
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from desktop import Desktop

from simulator.money import MoneyTruth, make_year, truth_of_money, write_money
from simulator.money.contracts import month_share
from simulator.money.flow import Flow, Part
from simulator.money.meters import counted
from simulator.money.world import MoneyWorld, Run
from simulator.money.year import CONVENTIONS, ZONES

MONTHS = ("2026-02", "2026-06")


@cache
def year(seed: int = 1) -> MoneyWorld:
    return make_year(seed)


@cache
def truth(seed: int, *, pooled: bool) -> MoneyTruth:
    return truth_of_money(year(seed), pooled=pooled, months=MONTHS)


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_money(make_year(3), tmp_path / name)
        files.append(
            {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*") if path.is_file()}
        )
    assert files[0] == files[1] and len(files[0]) > 20
    assert make_year(4) != make_year(3)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("pooled", [True, False])
def test_all_that_is_recognised_is_somebodys(seed: int, pooled: bool) -> None:
    known = truth(seed, pooled=pooled)
    for month in MONTHS:
        given = sum((some for (one, _), some in known.owners.items() if one == month), Fraction(0))
        paid = sum((one.cost + one.fx for one in known.balances if one.month == month), Fraction(0))
        assert given == paid > 0


def test_the_layer_that_is_charged_changes_owners_and_no_total() -> None:
    pooled, recognised = truth(1, pooled=True), truth(1, pooled=False)
    assert sum(pooled.owners.values()) == sum(recognised.owners.values())
    assert pooled.pools == recognised.pools
    assert pooled.owners != recognised.owners


def test_seeds_go_round_zones_conventions_and_currencies() -> None:
    worlds = [year(seed) for seed in range(1, 21)]
    assert {world.zone for world in worlds} == set(ZONES)
    assert {one.convention for world in worlds for one in world.money.assets} == set(CONVENTIONS)
    for codes in (
        {bill.currency for world in worlds for bill in world.money.bills},
        {one.currency for world in worlds for one in world.money.assets},
    ):
        assert codes == {"USD", "EUR"}
    assert {one.month_rule for world in worlds for one in world.money.metered} == {"", "730", "actual"}


def test_every_world_has_what_bills_get_wrong() -> None:
    for seed in range(1, 21):
        bills = year(seed).money.bills
        late = [line for bill in bills for line in bill.lines if line.start_s < bill.start_s]
        resources = {line.resource for bill in bills for line in bill.lines}
        ended = {run.ended_by for run in year(seed).runs if run.kind == "spot"}
        assert late and "i-ffff" in resources and {"provider", "user"} <= ended, seed
        for bill in bills:
            whole = sum((Fraction(line.amount) for line in bill.lines), Fraction(0))
            assert abs(whole - Fraction(bill.total)) <= Fraction(1, 200)


def test_no_gpu_is_held_twice_or_while_its_node_is_away() -> None:
    for seed in (1, 2, 3):
        world = year(seed)
        by_place = defaultdict(list)
        for hold in world.holds:
            by_place[hold.node, hold.place].append(hold)
            assert any(
                run.node == hold.node
                and run.start_s <= hold.start_s
                and (run.end_s is None or (hold.end_s is not None and hold.end_s <= run.end_s))
                for run in world.runs
            )
        for holds in by_place.values():
            ordered = sorted(holds)
            for one, other in pairwise(ordered):
                assert one.end_s is not None and one.end_s <= other.start_s


def test_a_convention_counts_the_month_in_which_an_asset_begins() -> None:
    """The asset of docs/lots.md: 270000.00 over 60 months from 10 March 2026 on."""
    begun, march = date(2026, 3, 10), date(2026, 3, 1)
    cents = {
        "actual_days": "3193.55",
        "30_360": "3150.00",
        "half_month": "2250.00",
        "full_month": "4500.00",
    }
    for convention, said in cents.items():
        assert f"{float(month_share(convention, begun, march, 31) * 4500):.2f}" == said
    days = month_share("whole_life_days", begun, march, 31)
    assert f"{float(270_000 * days / 1826):.2f}" == "3253.01"


@pytest.mark.parametrize(
    ("seconds", "ended_by", "hours"),
    [
        (3600, "user", 1),
        (3601, "user", 2),
        (5400, "user", 2),
        (3600, "provider", 0),
        (5400, "provider", Fraction(3, 2)),
        (600, "user", 1),
    ],
)
def test_spot_runs_are_counted_by_who_ended_them(seconds: int, ended_by: str, hours: Fraction) -> None:
    run = Run("spot-1", 1000, 1000 + seconds, "spot", "A100", "north", "sku", ended_by=ended_by)
    assert sum((end - begin) * times for begin, end, times in counted(run)) == hours * 3600


def test_a_flow_costs_its_part_of_any_stretch() -> None:
    flow = Flow("a", (Part(0, 10, Fraction(20)), Part(20, 30, Fraction(5))), starts=(0, 20))
    assert [flow.between(*some) for some in ((0, 5), (5, 25), (9, 21), (10, 20), (0, 99))] == [
        10,
        Fraction(25, 2),
        Fraction(5, 2),
        0,
        25,
    ]


@pytest.mark.books
def test_the_command_writes_a_year_and_what_it_must_come_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    desktop = Desktop(tmp_path)
    code, out, err = desktop.type("simulate", "--scenario", "money", "--seed", "2", "--out", "year")
    assert code == 0, err
    assert "Scenario money, seed 2: 8 nodes" in out and "12 bills" in out and "__unusable__" in out
    assert "next: cd year" in err
    commands = (tmp_path / "year" / "commands.txt").read_text("utf-8").splitlines()
    assert commands[-1] == "gpuledger run --month 2026-12"
    with (tmp_path / "year" / "truth" / "owners.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["charged"] for row in rows} == {"pooled", "recognised"}
    for charged in ("pooled", "recognised"):
        mine = [row for row in rows if row["charged"] == charged]
        apart = [abs(Fraction(row["quanta"]) - Fraction(row["amount"]) * 10**9) for row in mine]
        assert mine and max(apart) <= Fraction(1, 2)
