"""Energy by holder: a device's joules once, over the time that each had it; what is not known is not 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from energies import DAY, HOUR, TICKS, gpu, of_the_rich_day, powered
from house import House, at, make_house
from rich_day import rich_in_lanes

from chargeback.energy import unplaced
from chargeback.statement import By
from collectors.imports import Options, load_map, open_intake
from collectors.samples import SampleMap, import_samples

MIG = {"compute_slices": 7, "memory_slices": 8}

pytestmark = pytest.mark.books


def joules(house: House, *keys: str) -> dict[Any, int | None]:
    """The joules of the last run's time rows by columns; None where none of a key's rows knows any."""
    found: dict[Any, int | None] = {}
    for row in house.rows_of("time_row"):
        key = tuple(row[name] for name in keys) if len(keys) > 1 else row[keys[0]]
        had = found.setdefault(key, None)
        if row["joules"] is not None:
            found[key] = (had or 0) + row["joules"]
    return found


def known_hours(house: House) -> dict[str, Decimal]:
    """The GPU-hours with known energy, by run."""
    found: Counter[str] = Counter()
    for row in house.rows_of("time_row"):
        found[row["run"]] += row["energy_ticks"] or 0
    return {run: Decimal(ticks) / (HOUR * TICKS) for run, ticks in found.items()}


def test_a_devices_energy_goes_to_whoever_had_it_by_seconds_and_free_time_has_its_own(house: House) -> None:
    gpu(house)
    house.holding("j", DAY, DAY + 2400, "ml", node="n1", slot="n1/0")
    house.energy("GPU-0", DAY, DAY + HOUR, 3_600_000)
    house.keep()
    house.books()
    assert joules(house, "run", "account") == {
        ("c/j", "held_unobserved"): 2_400_000,
        ("", "idle_free"): 1_200_000,
    }


def test_a_partitioned_devices_energy_is_split_over_its_lanes_and_never_repeated(house: House) -> None:
    gpu(house, **MIG)
    house.partition("n1", 0, 1, (3, 4), DAY, None)
    house.partition("n1", 0, 2, (2, 2), DAY, None)
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", slot="n1/0", lane="n1/0/1")
    house.energy("GPU-0", DAY, DAY + HOUR, 560_000)
    house.keep()
    house.books()
    assert joules(house, "lane", "account") == {
        ("c/n1/0/1", "held_unobserved"): 280_000,
        ("c/n1/0/2", "idle_free"): 160_000,
        ("c/n1/0/rest", "idle_free"): 120_000,
    }


def test_lanes_that_a_set_of_partitions_overfills_have_no_more_than_the_device(house: House) -> None:
    gpu(house, **MIG)
    for number in (1, 2, 3):
        house.partition("n1", 0, number, (3, 4), DAY, None)
    house.energy("GPU-0", DAY, DAY + HOUR, 1_000_000)
    house.keep()
    house.books()
    found = joules(house, "lane")
    assert sum(value or 0 for value in found.values()) == 1_000_000
    assert set(found.values()) == {333_333, 333_334}


def test_holders_that_take_turns_share_energy_while_both_are_there(house: House) -> None:
    gpu(house)
    for pod, start in (("a", 0), ("b", 1800)):
        house.holding(pod, DAY + start, DAY + HOUR, pod, node="n1", slot="n1/0", share_mode="time_slicing")
    house.energy("GPU-0", DAY, DAY + HOUR, 400_000)
    house.keep()
    house.books()
    assert joules(house, "run") == {"c/a": 300_000, "c/b": 100_000}


def test_what_a_swapped_board_used_and_the_new_one_belong_to_the_one_slot(house: House) -> None:
    house.slot("n1", 0, DAY, DAY + HOUR)
    house.device("n1", 0, "GPU-old", DAY, DAY + 1200)
    house.device("n1", 0, "GPU-new", DAY + 1800, None)
    house.holding("j", DAY, DAY + 1200, "ml", node="n1", slot="n1/0")
    house.holding("k", DAY + 1200, DAY + HOUR, "ml", node="n1", slot="n1/0")
    house.energy("GPU-old", DAY, DAY + 1200, 500_000)
    house.energy("GPU-new", DAY + 1800, DAY + HOUR, 300_000)
    house.through(DAY + HOUR)
    house.keep()
    result = house.books()
    assert joules(house, "run") == {"c/j": 500_000, "c/k": 300_000}
    assert unplaced(result) == 0
    line = powered(house, result).lines[0]
    assert (line.energy.joules, line.energy_coverage) == (800_000, Decimal("0.8333"))


def test_a_device_that_moves_has_its_energy_in_each_slot_by_seconds_and_in_none_twice(house: House) -> None:
    for index in (0, 1):
        house.slot("n1", index, DAY, DAY + HOUR)
    house.device("n1", 0, "GPU-0", DAY, DAY + 1800)
    house.device("n1", 1, "GPU-0", DAY + 900, None)
    house.energy("GPU-0", DAY, DAY + HOUR, 360_000)
    house.through(DAY + HOUR)
    house.keep()
    assert unplaced(house.books()) == 0
    assert joules(house, "slot") == {"c/n1/0": 180_000, "c/n1/1": 180_000}


def test_no_reading_is_null_and_not_nought(house: House) -> None:
    """Trap T44: a device that reports no energy is not known, nor is what a gap in the hour hides."""
    gpu(house)
    gpu(house, 1)
    for index in (0, 1):
        house.holding(f"j{index}", DAY, DAY + HOUR, f"o{index}", node="n1", slot=f"n1/{index}")
    house.energy("GPU-0", DAY + 600, DAY + 3000, 0, known=1800)
    house.keep()
    result = house.books()
    assert joules(house, "run") == {"c/j0": 0, "c/j1": None}
    assert known_hours(house) == {"c/j0": Decimal("0.5"), "c/j1": 0}
    told = {line.key: (line.energy.kwh, line.energy_coverage) for line in powered(house, result).lines}
    assert told == {"o0": (Decimal("0.000000"), Decimal("0.5000")), "o1": (None, Decimal("0.0000"))}


def test_holder_of_a_time_of_which_nothing_is_known_has_no_energy(house: House) -> None:
    gpu(house)
    house.holding("early", DAY, DAY + 1800, "a", node="n1", slot="n1/0")
    house.holding("late", DAY + 1800, DAY + HOUR, "b", node="n1", slot="n1/0")
    house.energy("GPU-0", DAY + 1800, DAY + HOUR, 500_000)
    house.keep()
    house.books()
    assert joules(house, "run") == {"c/early": None, "c/late": 500_000}
    assert known_hours(house) == {"c/early": 0, "c/late": Decimal("0.5")}


def test_used_and_idle_time_of_a_holder_share_its_energy_and_an_owner_never_moves(house: House) -> None:
    gpu(house)
    house.holding("j", DAY, DAY + 2400, "ml", node="n1", slot="n1/0")
    house.activity("GPU-0", DAY, DAY + 600, 900)
    house.activity("GPU-0", DAY + 600, DAY + 2400, 0)
    house.energy("GPU-0", DAY, DAY + HOUR, 3_600_000)
    house.keep()
    house.books()
    assert joules(house, "account") == {"used": 600_000, "idle_held": 1_800_000, "idle_free": 1_200_000}


def test_states_have_the_energy_of_their_time_and_absent_time_none(house: House) -> None:
    gpu(house)
    house.state("n1", 0, "failed", DAY, DAY + 900)
    house.state("n1", 0, "absent", DAY + 900, DAY + 1800)
    house.energy("GPU-0", DAY, DAY + HOUR, 3_600_000)
    house.keep()
    result = house.books()
    assert joules(house, "state") == {"failed": 900_000, "": 1_800_000}
    assert unplaced(result) == 900_000


def test_device_that_no_inventory_knows_is_told_apart_and_on_no_line(house: House) -> None:
    gpu(house)
    house.energy("GPU-0", DAY, DAY + HOUR, 10_000)
    house.energy("GPU-lost", DAY, DAY + HOUR, 5_400_000)
    house.keep()
    result = house.books()
    assert result.summary["unplaced_joules"] == {"c": 5_400_000}
    made = powered(house, result, By.cluster)
    assert (made.total.energy.joules, made.unplaced) == (10_000, 5_400_000)


def test_what_is_later_than_a_clusters_sources_is_not_known_yet(house: House) -> None:
    gpu(house, hours=2)
    house.energy("GPU-0", DAY, DAY + HOUR, 3_600_000)
    house.energy("GPU-0", DAY + HOUR, DAY + 2 * HOUR, 3_600_000)
    house.throughs.clear()
    house.through(DAY + 5400)
    house.keep()
    result = house.books()
    assert joules(house, "slot") == {"c/n1/0": 5_400_000} and unplaced(result) == 0


def test_reading_beyond_all_reason_is_not_known(house: House) -> None:
    gpu(house)
    house.energy("GPU-0", DAY, DAY + HOUR, 2**53)
    house.keep()
    house.books()
    assert joules(house, "run") == {"": None}


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu"])
def test_hour_that_prices_partitions_and_midnights_cut_is_split_by_seconds(tmp_path: Path, zone: str) -> None:
    house = make_house(tmp_path, zone=zone)
    start = at("2026-10-31T18:00Z")
    house.slot("n1", 0, start, start + HOUR, **MIG)
    house.device("n1", 0, "GPU-0", start, None)
    house.price("1", 0, start + 600)
    house.price("2", start + 600)
    house.partition("n1", 0, 1, (7, 8), start + 1801, None)
    house.energy("GPU-0", start, start + HOUR, 36_001)
    house.through(start + 48 * HOUR)
    house.keep()
    found: list[tuple[int, int, int]] = []
    for month in ("2026-10", "2026-11"):
        house.books(month)
        found += [
            (row["from_s"] - start, row["to_s"] - start, row["joules"])
            for row in house.rows_of("time_row", month)
        ]
    midnight = [(600, 900), (900, 1801)] if zone == "Asia/Kathmandu" else [(600, 1801)]
    cuts = [(0, 600), *midnight, (1801, 3600)]
    assert sorted(found) == [(low, high, 36_001 * high // HOUR - 36_001 * low // HOUR) for low, high in cuts]
    house.desk.database.close()


def test_money_and_time_are_the_same_with_and_without_energy(tmp_path: Path) -> None:
    bare, other = (make_house(folder(tmp_path, name)) for name in ("bare", "other"))
    for house in (bare, other):
        if house is other:
            of_the_rich_day(house)
        rich_in_lanes(house)
    without, result = bare.books(), other.books()
    assert other.entries() == bare.entries() and result.times == without.times
    assert {row["joules"] for row in bare.rows_of("time_row")} == {None}
    assert {row["energy_ticks"] for row in bare.rows_of("time_row")} == {None}
    for house in (bare, other):
        house.desk.database.close()


@pytest.mark.parametrize("choice", ["equal/1", "per_replica/1", "by_use_apart/1", "by_use_spread/1"])
def test_energy_of_every_way_to_share_a_device_adds_up_to_the_devices(house: House, choice: str) -> None:
    total = of_the_rich_day(house)
    house.policy("time_slicing", choice)
    rich_in_lanes(house)
    result = house.books()
    rows = house.rows_of("time_row")
    assert sum(row["joules"] or 0 for row in rows) == total and unplaced(result) == 0
    assert all(0 <= (row["energy_ticks"] or 0) <= row["ticks"] for row in rows)
    apart = [row for row in rows if row["account"] == "idle_held" and row["run"] == ""]
    assert bool(apart) == (choice == "by_use_apart/1") and all(row["joules"] for row in apart)


def test_same_seq_makes_the_same_files_whatever_came_later(house: House) -> None:
    of_the_rich_day(house)
    rich_in_lanes(house)
    seq = house.desk.database.latest_seq()
    house.books()
    first = files_of(house)
    house.energy("GPU-m0", DAY + 9 * HOUR, DAY + 10 * HOUR, 7, node="m1")
    house.keep()
    house.books(seq=seq)
    assert files_of(house) == first and len(first) > 1


@dataclass
class Watching:
    """What an import of samples writes to: a house's own ledger."""

    house: House

    @property
    def database(self) -> Any:
        return self.house.desk.database

    @property
    def lake(self) -> Any:
        return self.house.desk.lake

    def now(self) -> int:
        return DAY + 86400


SAMPLES = """
kind: samples
source: dcgm
step: 60
columns: {at: ts, device: uuid, partition: gi, node: host}
constants: {cluster: c}
metrics: {energy_j: energy, power_w: power}
"""


def watch(house: House, folder: Path, readings: Iterable[tuple[int, str, str, Any, Any]]) -> None:
    """Import samples of (minute, device, partition, energy, power) as a user does."""
    lines = [f"{DAY + minute * 60},n1,{','.join(str(one) for one in rest)}" for minute, *rest in readings]
    path = folder / "samples.csv"
    path.write_text("\n".join(["ts,host,uuid,gi,energy,power", *lines]) + "\n")
    loaded = load_map(SAMPLES, SampleMap, file="map.yaml")
    import_samples(open_intake(path, loaded, Options(), "main"), loaded, Watching(house), lambda _: None)


def test_counter_that_falls_is_a_reset_and_its_gain_goes_to_who_held_it(house: House, tmp_path: Path) -> None:
    gpu(house)
    house.holding("a", DAY, DAY + 600, "a", node="n1", slot="n1/0")
    house.holding("b", DAY + 600, DAY + HOUR, "b", node="n1", slot="n1/0")
    house.keep()
    watch(house, tmp_path, [(minute, "GPU-0", "", 1000 * (minute % 10), "") for minute in range(21)])
    house.books()
    # 18 gains of 1,000 J and two resets to 0, over 1,200 s of which each holder has a half.
    assert joules(house, "run") == {"c/a": 9_000, "c/b": 9_000}
    assert known_hours(house) == {"c/a": Decimal(600) / HOUR, "c/b": Decimal(600) / HOUR}


def test_power_that_each_instance_repeats_is_the_devices_once(house: House, tmp_path: Path) -> None:
    """Trap T1: power belongs to the device, whichever of its partitions says it again."""
    gpu(house, **MIG)
    for number, slices in ((1, (3, 4)), (2, (4, 4))):
        house.partition("n1", 0, number, slices, DAY, None)
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", slot="n1/0", lane="n1/0/1")
    house.holding("b", DAY, DAY + HOUR, "b", node="n1", slot="n1/0", lane="n1/0/2")
    house.keep()
    watch(house, tmp_path, [(minute, "GPU-0", part, "", 700) for minute in range(60) for part in ("1", "2")])
    house.books()
    found = joules(house, "run")
    assert sum(value or 0 for value in found.values()) == 700 * HOUR
    assert known_hours(house)["c/a"] + known_hours(house)["c/b"] == 1


def test_one_worker_or_many_give_the_same_energy(tmp_path: Path) -> None:
    found = []
    for workers in (1, 2):
        house = make_house(folder(tmp_path, str(workers)), shards=2)
        of_the_rich_day(house)
        rich_in_lanes(house)
        house.books(workers=workers)
        found.append(house.rows_of("time_row"))
        house.desk.database.close()
    assert found[0] == found[1] and any(row["joules"] for row in found[0])


def folder(above: Path, name: str) -> Path:
    made = above / name
    made.mkdir()
    return made


def files_of(house: House) -> dict[str, bytes]:
    """The bytes of the last run's files."""
    root = house.desk.books / "main"
    return {
        f"{path.parent.parent}/{path.name}": path.read_bytes()
        for path in root.rglob(f"run=run{house.runs}/*.parquet")
    }
