"""The scenarios: found by being there, the same for the same seed, and what their names say."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from gpuledger.errors import InputError
from simulator import scenarios
from simulator.base_world import Plan
from simulator.scenarios import SCENARIOS, make_world
from simulator.sources import readings_of, sample_table, subjects_of, write_sources
from simulator.sources.samples import DAY_S
from simulator.world import World

PLAN = Plan(seed=3, gpus=8, days=2, step_s=300)
DOCS = Path(__file__).parents[2] / "docs" / "simulator.md"


def world(name: str) -> World:
    return make_world(name, PLAN)


def test_each_file_of_the_folder_brings_its_scenarios_and_each_has_its_row_in_the_docs() -> None:
    files = {path.stem for path in Path(scenarios.__path__[0]).glob("*.py")} - {"__init__", "registry"}
    assert {one.make.__module__.rpartition(".")[2] for one in SCENARIOS.values()} == files
    text = DOCS.read_text("utf-8")
    assert not [one.name for one in SCENARIOS.values() if f"| `{one.name}` | {one.sentence} |" not in text]


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_the_same_seed_writes_the_same_bytes_and_another_does_not(name: str, tmp_path: Path) -> None:
    def written(folder: str, seed: int) -> dict[str, bytes]:
        (tmp_path / folder).mkdir()
        plan = Plan(seed=seed, gpus=4, days=SCENARIOS[name].least_days, step_s=300)
        write_sources(make_world(name, plan), tmp_path / folder)
        return {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()}

    first = written("first", 1)
    assert written("again", 1) == first
    assert written("other", 2) != first


@pytest.mark.parametrize(
    "name, change, reason",
    [
        ("earthquake", {}, "no scenario"),
        ("steady", {"gpus": 3}, "3 GPUs are too few"),
        ("dead-exporter", {"days": 1}, "needs 2 days"),
        ("steady", {"days": 0}, "needs 1 days"),
        ("steady", {"step_s": 7}, "7 s is no divisor"),
    ],
)
def test_what_a_scenario_cannot_make_is_refused(name: str, change: dict[str, int], reason: str) -> None:
    asked = {"seed": 1, "gpus": 8, "days": 2, "step_s": 60} | change
    with pytest.raises(InputError, match=reason):
        make_world(name, Plan(**asked))


def test_a_fleet_has_every_kind_of_holder() -> None:
    facts = world("steady").facts
    assert {board.machine.kind for board in facts.boards} == {"pods", "slurm", "mig", "shared"}
    assert {one.mode for one in facts.holdings} == {"", "time_slicing", "mps"}
    assert len(facts.boards) == PLAN.gpus
    assert len({one.run for one in facts.holdings}) == len(facts.holdings)


def test_devices_are_cut_anew_in_the_second_in_which_their_instances_end() -> None:
    instances = world("mig-repartition").facts.instances
    ends = {(one.device, one.end_s) for one in instances}
    assert sum((one.device, one.start_s) in ends for one in instances) > 4


def test_a_preempted_job_comes_again_under_its_id_and_the_urgent_one_begins_as_it_ends() -> None:
    jobs = [one for one in world("requeue").facts.holdings if not one.device]
    assert max(Counter(one.run[0] for one in jobs).values()) == 2
    ends = {one.end_s for one in jobs if one.owner_key == "nlp"}
    assert any(one.start_s in ends for one in jobs if one.owner_key == "robots")
    assert "lost_work" in {one.phase for one in world("requeue").facts.phases}


def test_a_slot_has_two_boards_one_after_the_other() -> None:
    boards = world("board-swap").facts.boards
    slots = Counter(board.slot for board in boards)
    assert max(slots.values()) == 2
    gone = {board.uuid: board.end_s for board in boards if board.end_s is not None}
    holdings = world("board-swap").facts.holdings
    assert any((one.end_s or 0) > (gone.get(one.device) or one.end_s or 0) for one in holdings)


def test_a_failed_node_reports_nothing_and_comes_back_with_counters_at_0() -> None:
    failed = world("node-failure")
    node, back_s = failed.sampling.resets[0]
    mine = [one for one in subjects_of(failed) if one.node == node and one.told in ("sm", "engine")][:1]
    table = sample_table(failed, mine, back_s // DAY_S * DAY_S)
    dark = next((a, b) for name, a, b in failed.sampling.dark if name == node)
    at_s = [at_ms // 1000 for at_ms in table["timestamp"].to_pylist()]
    total = table["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"].to_pylist()
    assert not [at for at in at_s if dark[0] <= at < dark[1]]
    falls = [at for at, now, last in zip(at_s[1:], total[1:], total[:-1], strict=True) if now < last]
    assert falls and dark[1] <= falls[0]


def test_a_storm_fills_cells_many_times_and_two_exporters_report() -> None:
    stormed = world("sample-storm")
    storm = stormed.sampling.storms[0]
    mine = [one for one in subjects_of(stormed) if one.told == "sm"][:1]
    table = sample_table(stormed, mine, storm.start_s // DAY_S * DAY_S)
    cells = Counter(at_ms // 1000 // PLAN.step_s for at_ms in table["timestamp"].to_pylist())
    assert max(cells.values()) > 2
    assert stormed.sampling.second_step_s


def test_no_exporter_reports_from_noon_to_noon() -> None:
    dead = world("dead-exporter")
    (_, start_s, end_s) = dead.sampling.dark[0]
    tables = [sample_table(dead, subjects_of(dead), day_s) for day_s in (dead.start_s, dead.start_s + DAY_S)]
    at_s = [at_ms // 1000 for table in tables for at_ms in table["timestamp"].to_pylist()]
    assert end_s - start_s == DAY_S
    assert any(at < start_s for at in at_s) and any(at >= end_s for at in at_s)
    assert not [at for at in at_s if start_s <= at < end_s]


@pytest.mark.parametrize(
    "name, offsets", [("dst-spring", {"+0100", "+0200"}), ("dst-autumn", {"+0100", "+0200"})]
)
def test_accounting_in_local_time_has_both_offsets(name: str, offsets: set[str], tmp_path: Path) -> None:
    write_sources(world(name), tmp_path)
    rows = (tmp_path / "sacct.csv").read_text("utf-8").splitlines()[1:]
    ends = {row.split("|")[5][-5:] for row in rows} - {"known"}
    assert ends == offsets
    hours = timedelta(seconds=world(name).end_s - world(name).start_s)
    assert hours == timedelta(days=PLAN.days)


def test_two_months_are_run_where_work_goes_over_the_end_of_one() -> None:
    assert world("month-end").months == ("2026-10", "2026-11")


def test_each_of_two_exporters_misses_pods_that_the_other_tells() -> None:
    for delivery in world("two-ksm").deliveries:
        told = [{one.run for one in pods} for _, pods in delivery.said_by]
        assert told[0] - told[1] and told[1] - told[0] and told[0] & told[1]
        assert told[0] | told[1] == {one.run for one in delivery.facts.holdings if one.device}


def test_what_comes_late_is_not_in_the_first_delivery() -> None:
    late = world("late-facts")
    first, last = (delivery.facts for delivery in late.deliveries)
    assert len({one.run for one in last.holdings} - {one.run for one in first.holdings}) > 10
    assert not first.conditions and last.conditions == late.facts.conditions


def test_clocks_that_are_ahead_end_pods_after_the_next_has_begun() -> None:
    skewed = world("clock-skew")
    begins = {
        one.device: [other.start_s for other in skewed.facts.holdings if other.device == one.device]
        for one in skewed.facts.holdings
    }
    assert any(
        one.start_s < start_s < (one.end_s or 0)
        for one in skewed.facts.holdings
        if one.device and not one.mode
        for start_s in begins[one.device]
    )


def test_readings_keep_the_best_measure_and_pass_over_what_says_nothing() -> None:
    fleet = world("steady")
    subjects = subjects_of(fleet)
    table = sample_table(fleet, subjects, fleet.start_s)
    ranks = Counter(one.rank for one in readings_of("dcgm", PLAN.step_s, table))
    assert set(ranks) == {1, 2, 3}
    cut = {one.device for one in subjects if one.cut}
    assert cut and not {one.subject for one in readings_of("dcgm", PLAN.step_s, table)} & cut
