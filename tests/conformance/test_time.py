"""Worked examples about time and sharing: each case's inputs as facts and terms, and their books."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from house import House, at, make_house

from chargeback.cents import cells_of
from gpuledger.money import currency, largest_remainder

pytestmark = pytest.mark.books

EXAMPLES = Path(__file__).with_name("examples.json")
DAY, HOUR = at("2026-10-05T00:00Z"), 3600
BUCKETS = {
    "__idle_free__": "__idle_unallocated__",
    "__idle_held__": "__idle_allocated__",
    "__overhead__": "__overhead_failed__",
}
QUANTA = 10**9


@cache
def example(name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(EXAMPLES.read_text("utf-8"))["examples"]
    return next(one for one in found if one["id"] == name)


def variant(name: str, policy: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = example(name)["expected"]["variants"]
    return next(one for one in found if one["policy"] == policy)


@pytest.fixture
def new_house(tmp_path: Path) -> Iterator[Callable[..., House]]:
    made: list[House] = []

    def make(**settings: Any) -> House:
        folder = tmp_path / f"home{len(made)}"
        folder.mkdir()
        made.append(make_house(folder, **settings))
        return made[-1]

    yield make
    for house in made:
        house.desk.database.close()


def seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def clock(text: str) -> int:
    return at(f"2026-10-05T{text}Z")


def near(found: dict[str, int], exact: dict[str, str], splits: int) -> bool:
    """Whether booked quanta are the exact figures, within one quantum for each split."""
    wanted = {key: Fraction(text) * QUANTA for key, text in exact.items()}
    return found.keys() == wanted.keys() and all(abs(found[key] - wanted[key]) <= splits for key in wanted)


def lines(house: House, period: str = "2026-10") -> tuple[dict[str, str], dict[str, int]]:
    """The statement's lines by owner: cents as decimal text and quanta, under the examples' names."""
    made = {BUCKETS.get(one["key"], one["key"]): one for one in house.statement(period)["lines"]}
    cents = {key: f"{one['amount'] // 100}.{one['amount'] % 100:02}" for key, one in made.items()}
    return cents, {key: int(Fraction(one["unrounded"]) * QUANTA) for key, one in made.items()}


def holds(house: House, wanted: dict[str, Any], splits: int = 2) -> None:
    cents, booked = lines(house)
    assert cents == wanted["lines"]
    assert near(booked, wanted["exact"], splits)


def summed(house: House, key: Callable[[dict[str, Any]], str]) -> dict[str, int]:
    """The entries of the last run by some key, in quanta."""
    found: dict[str, int] = defaultdict(int)
    for row in house.rows_of("entry"):
        found[key(row)] += row["amount"]
    return dict(found)


def rounded(house: House, booked: dict[str, int]) -> dict[str, str]:
    """Cents of another grouping than a statement's lines: the pool's total by largest remainder."""
    total = sum(cell.minor for cell in cells_of(house.books(), currency("USD")))
    parts = largest_remainder(total, booked)
    return {key: f"{cents // 100}.{cents % 100:02}" for key, cents in parts.items()}


def one_gpu(house: House, rate: str, hours: int = 1, **values: Any) -> None:
    house.slot("n1", 0, DAY, DAY + hours * HOUR, **values)
    house.device("n1", 0, "GPU-0", DAY, None)
    house.price(rate, 0)
    house.through(DAY + 24 * HOUR)


def test_e01_job_across_month_end(new_house: Callable[..., House]) -> None:
    inputs, (wanted,) = example("E01")["inputs"], example("E01")["expected"]["variants"]
    alloc = inputs["allocation"]
    house = new_house()
    house.price(inputs["price"]["usd_per_gpu_hour"], 0)
    house.through(at("2026-03-01T00:00Z"))
    house.holding("j", seconds(alloc["start"]), seconds(alloc["end"]), alloc["owner"], units=alloc["gpus"])
    house.keep()
    for month, amount in wanted["lines"].items():
        cents, booked = lines(house, month)
        assert cents == {alloc["owner"]: amount}
        assert booked == {alloc["owner"]: int(Fraction(wanted["exact"][month]) * QUANTA)}
        hours = house.hours(month)[alloc["owner"]]
        assert Fraction(hours) == Fraction(wanted["metrics"]["gpu_hours"][month])


def test_e02_daylight_saving_change(new_house: Callable[..., House]) -> None:
    inputs = example("E02")["inputs"]
    house = new_house(zone=inputs["reporting_timezone"])
    house.slot("n1", 0, at("2026-01-01T00:00Z"), None)
    house.price(inputs["usd_per_gpu_hour"], 0)
    house.through(at("2027-01-01T00:00Z"))
    job = inputs["job"]
    house.holding("job", seconds(job["start"]), seconds(job["end"]), "job", node="n1", slot="n1/0")
    house.keep()
    days, months = variant("E02", "local day totals"), variant("E02", "local month totals")
    for day, amount in days["exact"].items():
        house.books(day[:7])
        entries = [row for row in house.rows_of("entry", day[:7]) if row["day"] == day]
        assert sum(row["amount"] for row in entries) == int(amount) * QUANTA
        times = [row for row in house.rows_of("time_row", day[:7]) if row["day"] == day]
        hours = Fraction(sum(row["ticks"] for row in times), 720720 * HOUR)
        assert hours == Fraction(days["metrics"]["hours"][day])
    for month, amount in months["lines"].items():
        made = house.statement(month)
        assert made["total"] == Fraction(amount) * 100
        assert Fraction(made["gpu_hours"]) == Fraction(months["metrics"]["hours"][month])
    wanted = variant("E02", "job")
    cents, booked = lines(house)
    assert cents["job"] == wanted["lines"]["job"]
    assert booked["job"] == int(wanted["exact"]["job"]) * QUANTA
    assert Fraction(house.hours()["job"]) == Fraction(wanted["metrics"]["hours"])


MIG_POLICIES = {
    "compute slices / 7": {"mig_share": "compute/1"},
    "memory slices / 8": {"mig_share": "memory/1"},
    "dominant share, normalised": {},
    "compute slices, stranded slice kept apart": {"mig_share": "compute/1"},
    "compute slices, stranded slice absorbed": {"mig_share": "compute/1", "stranded": "absorbed/1"},
}


@pytest.mark.parametrize(
    ("name", "policy"),
    [(name, one["policy"]) for name in ("E07", "E08") for one in example(name)["expected"]["variants"]],
)
def test_e07_e08_mig(new_house: Callable[..., House], name: str, policy: str) -> None:
    inputs, slices = example(name)["inputs"], example("E07")["inputs"]["gpu_slices"]
    house = new_house()
    cut = {"compute_slices": slices["compute"], "memory_slices": slices["memory"]}
    one_gpu(house, inputs["gpu_hour_usd"], inputs["hours"], **cut)
    for number, one in enumerate(inputs["instances"], 1):
        house.partition("n1", 0, number, (one["compute_slices"], one["memory_slices"]), DAY, None)
        place = {"node": "n1", "slot": "n1/0", "lane": f"n1/0/{number}"}
        house.holding(f"h{number}", DAY, DAY + inputs["hours"] * HOUR, one["owner"], **place)
    for chosen, choice in MIG_POLICIES[policy].items():
        house.policy(chosen, choice)
    house.keep()
    holds(house, variant(name, policy))


SLICE_POLICIES = {
    "equal per present pod": "equal/1",
    "per configured replica": "per_replica/1",
    "by busy time, idle kept apart": "by_use_apart/1",
    "by busy time, idle spread by busy time": "by_use_spread/1",
}


@pytest.mark.parametrize("policy", SLICE_POLICIES)
def test_e10_time_sliced_gpu(new_house: Callable[..., House], policy: str) -> None:
    inputs = example("E10")["inputs"]
    house = new_house()
    one_gpu(house, inputs["gpu_hour_usd"], inputs["hours"])
    begin = DAY
    for pod, use in inputs["pods"].items():
        end = begin + int(Fraction(use["sm_busy_fraction"]) * HOUR)
        mode = {"share_mode": "time_slicing", "weight_cap": inputs["replicas"]}
        house.holding(pod, DAY, DAY + HOUR, pod, node="n1", slot="n1/0", **mode)
        for start, stop, band in ((DAY, begin, 0), (begin, end, 900), (end, DAY + HOUR, 0)):
            if start < stop:
                house.activity(f"GPU-0/{pod}", start, stop, band)
        begin = end
    house.policy("time_slicing", SLICE_POLICIES[policy])
    house.keep()
    holds(house, variant("E10", policy))


@pytest.mark.parametrize("policy", [one["policy"] for one in example("E24")["expected"]["variants"]])
def test_e24_node_fails_mid_hour(new_house: Callable[..., House], policy: str) -> None:
    """Eight GPUs at the node's price; an on-demand node is gone from the inventory once it is down."""
    inputs, wanted = example("E24")["inputs"], variant("E24", policy)
    house = new_house()
    begin, end = map(clock, inputs["hour"])
    down, checkpoint = clock(inputs["down"][0]), clock(inputs["last_checkpoint"])
    for index in range(8):
        house.slot("n1", index, begin, end if policy.startswith("owned") else down)
    house.price(str(int(Fraction(inputs["node_hour_usd"]) / 8)), 0)
    house.through(end)
    ((owner, (start, stop)),) = inputs["alloc"].items()
    house.holding("j", clock(start), clock(stop), owner, node="n1", units=8)
    house.phase("j", "useful", clock(start), checkpoint)
    house.phase("j", "lost_work", checkpoint, clock(stop))
    house.state("n1", None, "failed", down, None)
    house.keep()
    house.books()
    booked = summed(
        house,
        lambda row: f"{row['to_owner']}_{row['phase']}" if row["run"] else f"__overhead_{row['state']}__",
    )
    assert near(booked, wanted["exact"], splits=16)
    assert rounded(house, booked) == wanted["lines"]


def test_e34_warm_up_and_weight_loading(new_house: Callable[..., House]) -> None:
    inputs, (wanted,) = example("E34")["inputs"], example("E34")["expected"]["variants"]
    house = new_house()
    begin, end = map(clock, inputs["allocated"])
    for index in range(inputs["gpus"]):
        house.slot("n1", index, begin, end)
    house.price(inputs["gpu_hour_usd"], 0)
    house.through(end)
    house.holding("endpoint", begin, end, "endpoint", node="n1", units=inputs["gpus"])
    house.phase("endpoint", "warm_up", begin, clock(inputs["ready"]))
    house.phase("endpoint", "serving", clock(inputs["ready"]), end)
    house.keep()
    house.books()
    booked = summed(house, lambda row: str(row["phase"]))
    assert near(booked, wanted["exact"], splits=8)
    assert rounded(house, booked) == wanted["lines"]


SPLITS = {
    "none": "none/1",
    "proportional to allocation": "proportional/1",
    "even": "even/1",
    "to unused entitlement": "unused_entitlement/1",
}


@pytest.mark.parametrize("policy", SPLITS)
def test_e23_idle_split(new_house: Callable[..., House], policy: str) -> None:
    inputs = example("E23")["inputs"]
    house = new_house()
    for index in range(inputs["gpus"]):
        house.slot("n1", index, DAY, DAY + HOUR)
    for team, units in inputs["allocated"].items():
        house.holding(team, DAY, DAY + HOUR, team, node="n1", units=units)
    for team, units in inputs["entitlement"].items():
        house.entitlement(team, units)
    house.price(str(Decimal(inputs["node_hour_usd"]) / inputs["gpus"]), 0)
    house.policy("distribute_idle_free", SPLITS[policy])
    house.through(DAY + 24 * HOUR)
    house.keep()
    wanted = variant("E23", policy)
    cents, booked = lines(house)
    assert cents == ({"__idle_unallocated__": "0.00"} | wanted["lines"])
    assert near(booked, {"__idle_unallocated__": "0"} | wanted["exact"], splits=3)
