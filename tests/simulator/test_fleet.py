"""The simulated fleet: the same from the same seed, possible, and with the cases that books get wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from gpuledger.errors import InputError
from simulator import Fleet, Gpu, Workload, generate


@pytest.fixture(scope="module")
def fleet() -> Fleet:
    return generate(7)


def named(fleet: Fleet, name: str) -> list[Workload]:
    return [workload for workload in fleet.workloads if workload.name == name]


def local(fleet: Fleet, second: int) -> str:
    return datetime.fromtimestamp(second, ZoneInfo(fleet.zone)).strftime("%m-%d %H:%M:%S")


def test_the_same_seed_makes_the_same_fleet_and_another_seed_another() -> None:
    assert generate(3) == generate(3)
    assert generate(3).workloads != generate(4).workloads


def test_the_fleet_is_64_gpus_of_two_models_on_8_nodes_of_two_schedulers_and_five_teams(fleet: Fleet) -> None:
    gpus = [gpu for node in fleet.nodes for gpu in node.gpus]
    assert len(set(gpus)) == len({gpu.uuid for gpu in gpus}) == 64
    assert len(fleet.nodes) == 8
    assert Counter(node.model for node in fleet.nodes) == {"A100": 4, "H100": 4}
    assert {node.scheduler for node in fleet.nodes} == {"slurm", "kubernetes"}
    assert len({owner.team for owner in fleet.owners}) == 5 < len(fleet.owners)
    assert {work.owner_key for work in fleet.workloads} == {owner.owner_key for owner in fleet.owners}


@pytest.mark.parametrize("seed", range(5))
def test_no_gpu_has_two_holders_and_each_holder_is_of_the_nodes_own_scheduler(seed: int) -> None:
    fleet = generate(seed)
    schedulers = {node.name: node.scheduler for node in fleet.nodes}
    held: dict[Gpu, list[tuple[int, int]]] = defaultdict(list)
    for workload in fleet.workloads:
        assert workload.gpus
        assert {schedulers[gpu.node] for gpu in workload.gpus} == {workload.scheduler}
        for gpu in workload.gpus:
            held[gpu].append((workload.start_s, workload.end_s))
    for times in held.values():
        times.sort()
        assert all(end <= start for (_, end), (start, _) in pairwise(times))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "Australia/Lord_Howe"])
def test_every_fleet_has_the_cases_that_books_get_wrong(seed: int, zone: str) -> None:
    fleet = generate(seed, zone=zone)

    first, second = named(fleet, "40117")
    assert first.end_s < second.start_s, "a requeued job has one id and two runs"

    made, made_again = named(fleet, "ranker-0")
    assert made.uid != made_again.uid

    [over] = named(fleet, "40777")
    assert over.start_s < fleet.end_s < over.end_s < fleet.exported_s
    [running] = named(fleet, "40760")
    assert running.end_s > fleet.exported_s
    [cancelled] = named(fleet, "40533")
    assert cancelled.start_s == cancelled.end_s
    [wide] = named(fleet, "40502")
    assert len({gpu.node for gpu in wide.gpus}) == 2
    assert any(work.start_s < fleet.start_s < work.end_s for work in fleet.workloads)


def test_one_price_changes_at_twenty_past_ten_with_work_that_ends_and_begins_inside_the_hour() -> None:
    fleet = generate(1, zone="Asia/Kolkata")
    before, after = (price for price in fleet.prices if price.model == "H100")
    assert before.end_s == after.start_s
    assert local(fleet, after.start_s) == "10-15 10:20:00"
    assert after.start_s % 3600 != 0
    [ends], [begins], [crosses] = named(fleet, "40391"), named(fleet, "chat-canary"), named(fleet, "40388")
    assert ends.end_s < after.start_s < begins.start_s
    assert ends.end_s // 3600 == after.start_s // 3600 == begins.start_s // 3600
    assert crosses.start_s < after.start_s < crosses.end_s


def test_the_fleet_has_free_gpus_and_is_not_empty(fleet: Fleet) -> None:
    held = sum(
        len(work.gpus) * max(0, min(work.end_s, fleet.end_s) - max(work.start_s, fleet.start_s))
        for work in fleet.workloads
    )
    capacity = 64 * (fleet.end_s - fleet.start_s)
    assert capacity // 2 < held < capacity * 9 // 10


def test_any_month_of_the_calendar_can_be_made() -> None:
    february = generate(1, zone="America/St_Johns", month="2028-02")
    assert february.end_s - february.start_s == 29 * 86400
    assert named(february, "40777")


def test_a_zone_that_does_not_exist_is_an_input_error() -> None:
    with pytest.raises(InputError, match="Mars/Olympus"):
        generate(1, zone="Mars/Olympus")
