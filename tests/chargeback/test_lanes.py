"""Lanes: what a device is cut into, who shares what, and whose the rest is."""

from __future__ import annotations

from fractions import Fraction

import pytest
from house import House, at

from chargeback.explain import explain
from chargeback.explain_pick import Asked

pytestmark = pytest.mark.books

DAY, HOUR = at("2026-10-05T00:00Z"), 3600
END = DAY + 24 * HOUR
MIG = {"compute_slices": 7, "memory_slices": 8}
QUANTA = 10**9


def gpu(house: House, rate: str = "4", start: int = DAY, end: int = DAY + HOUR, **values: int) -> None:
    house.slot("n1", 0, start, end, **values)
    house.device("n1", 0, "GPU-0", start, end)
    house.price(rate, 0)
    house.through(END)


def unrounded(house: House) -> dict[str, Fraction]:
    return {line["key"]: Fraction(line["unrounded"]) for line in house.statement()["lines"]}


def near(found: dict[str, Fraction], **wanted: Fraction | int) -> bool:
    return found.keys() == wanted.keys() and all(
        abs(found[key] - amount) * QUANTA <= 2 for key, amount in wanted.items()
    )


def test_two_partitions_that_keep_more_than_all_from_others_share_all(house: House) -> None:
    gpu(house, **MIG)
    house.partition("n1", 0, 1, (4, 4), DAY, None)
    house.partition("n1", 0, 2, (3, 4), DAY, None)
    house.holding("a", DAY, DAY + HOUR, "team-a", node="n1", slot="n1/0", lane="n1/0/1")
    house.holding("b", DAY, DAY + HOUR, "team-b", node="n1", device="MIG-n1-0-2")
    house.keep()
    assert near(unrounded(house), **{"team-a": Fraction(32, 15), "team-b": Fraction(28, 15)})
    assert house.amounts() == {"team-a": 213, "team-b": 187}
    assert {row["lane"] for row in house.rows_of("entry")} == {"c/n1/0/1", "c/n1/0/2"}


# T8: 3g and 3g leave a slice that nobody can have: not idle, but stranded.
@pytest.mark.parametrize(
    ("policies", "wanted"),
    [
        (
            {"mig_share": "compute/1"},
            {"a": Fraction(12, 7), "b": Fraction(12, 7), "__stranded__": Fraction(4, 7)},
        ),
        ({"mig_share": "compute/1", "stranded": "absorbed/1"}, {"a": Fraction(2), "b": Fraction(2)}),
        ({"mig_share": "memory/1"}, {"a": Fraction(2), "b": Fraction(2)}),
    ],
)
def test_slice_that_no_profile_fits_is_stranded(
    house: House, policies: dict[str, str], wanted: dict[str, Fraction]
) -> None:
    gpu(house, **MIG)
    for number, owner in ((1, "a"), (2, "b")):
        house.partition("n1", 0, number, (3, 4), DAY, None)
        house.holding(owner, DAY, DAY + HOUR, owner, node="n1", slot="n1/0", lane=f"n1/0/{number}")
    for policy, choice in policies.items():
        house.policy(policy, choice)
    house.keep()
    assert near(unrounded(house), **wanted)


def test_what_is_left_of_a_device_is_free_while_a_smallest_slice_fits(house: House) -> None:
    gpu(house, **MIG)
    house.partition("n1", 0, 1, (3, 4), DAY, None)
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", slot="n1/0", lane="n1/0/1")
    house.keep()
    assert near(unrounded(house), a=Fraction(2), __idle_free__=Fraction(2))
    assert {row["lane"] for row in house.rows_of("time_row")} == {"c/n1/0/1", "c/n1/0/rest"}


def test_partition_that_nobody_holds_is_idle(house: House) -> None:
    gpu(house, **MIG)
    house.partition("n1", 0, 1, (4, 4), DAY, None)
    house.partition("n1", 0, 2, (3, 4), DAY, None)
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", slot="n1/0", lane="n1/0/1")
    house.keep()
    assert near(unrounded(house), a=Fraction(32, 15), __idle_free__=Fraction(28, 15))


# T10: instances are intervals, and a device that is cut anew has others from then on.
def test_device_that_is_cut_anew_is_shared_anew_from_then_on(house: House) -> None:
    gpu(house, **MIG)
    half = DAY + HOUR // 2
    house.partition("n1", 0, 1, (7, 8), DAY, half)
    house.partition("n1", 0, 1, (3, 4), half, None)
    house.partition("n1", 0, 2, (3, 4), half, None)
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", slot="n1/0", lane="n1/0/1")
    house.holding("b", half, DAY + HOUR, "b", node="n1", slot="n1/0", lane="n1/0/2")
    house.keep()
    assert near(unrounded(house), a=Fraction(3), b=Fraction(1))


def test_whole_device_before_it_is_cut_is_held_whole(house: House) -> None:
    gpu(house, **MIG)
    half = DAY + HOUR // 2
    house.partition("n1", 0, 1, (4, 4), half, None)
    house.partition("n1", 0, 2, (3, 4), half, None)
    house.holding("w", DAY, half, "whole", node="n1", slot="n1/0")
    house.holding("a", half, DAY + HOUR, "a", node="n1", slot="n1/0", lane="n1/0/1")
    house.keep()
    assert near(unrounded(house), whole=Fraction(2), a=Fraction(16, 15), __idle_free__=Fraction(14, 15))


def test_cutting_a_partition_in_two_facts_changes_no_integer(house: House) -> None:
    gpu(house, rate="2.744705", **MIG)
    house.partition("n1", 0, 1, (2, 2), DAY, None)
    house.partition("n1", 0, 2, (3, 4), DAY, None)
    house.holding("a", DAY + 7, DAY + HOUR, "a", node="n1", slot="n1/0", lane="n1/0/1")
    house.keep()
    house.books()
    whole = house.entries()
    house.fact(
        "partition",
        "n1/0/1/(2, 2)@" + str(DAY),
        DAY,
        DAY + 1000,
        node="n1",
        slot="n1/0",
        lane="n1/0/1",
        profile="2g",
        uuid="MIG-n1-0-1",
        compute_slices=2,
        memory_slices=2,
    )
    house.partition("n1", 0, 1, (2, 2), DAY + 1000, None)
    house.keep()
    house.books()
    assert house.entries() == whole


def test_holding_of_a_partition_that_is_gone_is_orphaned(house: House) -> None:
    gpu(house, **MIG)
    house.partition("n1", 0, 1, (7, 8), DAY, DAY + HOUR // 2)
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", device="MIG-n1-0-1")
    house.keep()
    found = house.statement()
    assert found["orphaned_gpu_hours"] == "0.500000"
    assert house.amounts() == {"a": 200, "__idle_free__": 200}


def test_whole_claim_on_a_device_that_is_cut_contests_its_partitions(house: House) -> None:
    gpu(house, **MIG)
    house.partition("n1", 0, 1, (4, 4), DAY, None)
    house.partition("n1", 0, 2, (3, 4), DAY, None)
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", slot="n1/0", lane="n1/0/1")
    house.holding("w", DAY, DAY + HOUR, "whole", node="n1", slot="n1/0")
    house.keep()
    assert near(unrounded(house), whole=Fraction(28, 15), __conflict__=Fraction(32, 15))


def test_unplaced_units_take_no_device_that_is_cut(house: House) -> None:
    gpu(house, **MIG)
    house.slot("n1", 1, DAY, DAY + HOUR)
    house.partition("n1", 0, 1, (7, 8), DAY, None)
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", units=1)
    house.keep()
    house.books()
    assert {row["slot"] for row in house.rows_of("entry") if row["to_owner"] == "a"} == {"c/n1/1"}


# T5, T2: a turn costs a part of one GPU, whatever utilisation each of them shows.
def test_pods_in_time_slices_share_by_who_is_there_and_replicas_are_no_capacity(house: House) -> None:
    """T5: four replicas of one GPU are still one GPU."""
    gpu(house, rate="3")
    for pod in ("pod-1", "pod-2", "pod-3"):
        house.holding(
            pod, DAY, DAY + HOUR, pod, node="n1", slot="n1/0", share_mode="time_slicing", weight_cap=4
        )
    house.keep()
    assert house.amounts() == {"pod-1": 100, "pod-2": 100, "pod-3": 100}
    house.policy("time_slicing", "per_replica/1")
    house.keep()
    assert house.amounts() == {"pod-1": 75, "pod-2": 75, "pod-3": 75, "__idle_free__": 75}


def test_time_slices_inside_a_partition_share_the_partition(house: House) -> None:
    gpu(house, **MIG)
    house.partition("n1", 0, 1, (4, 4), DAY, None)
    house.partition("n1", 0, 2, (3, 4), DAY, None)
    for pod in ("a", "b"):
        house.holding(
            pod, DAY, DAY + HOUR, pod, node="n1", slot="n1/0", lane="n1/0/1", share_mode="time_slicing"
        )
    house.keep()
    sixteenth = Fraction(16, 15)
    assert near(unrounded(house), a=sixteenth, b=sixteenth, __idle_free__=Fraction(28, 15))


def test_mps_goes_by_the_percentage_of_threads_and_by_who_is_there_without(house: House) -> None:
    gpu(house)
    for pod, percentage in (("a", 50), ("b", 25)):
        house.holding(
            pod,
            DAY,
            DAY + HOUR,
            pod,
            node="n1",
            slot="n1/0",
            share_mode="mps",
            weight=percentage,
            weight_cap=100,
        )
    house.keep()
    assert house.amounts() == {"a": 200, "b": 100, "__idle_free__": 100}
    for pod in ("a", "b"):
        house.holding(
            pod, DAY, DAY + HOUR, pod, node="n1", slot="n1/0", share_mode="mps", weight=0, weight_cap=100
        )
    house.keep()
    assert house.amounts() == {"a": 200, "b": 200}


def test_node_that_failed_is_overhead_while_held_time_stays_held(house: House) -> None:
    gpu(house, rate="24")
    house.slot("n1", 1, DAY, DAY + HOUR)
    house.holding("a", DAY, DAY + 2400, "a", node="n1", slot="n1/0")
    house.state("n1", None, "failed", DAY + 2400, None)
    house.keep()
    assert house.amounts() == {"a": 1600, "__idle_free__": 1600, "__overhead__": 1600}
    assert {row["state"] for row in house.rows_of("entry") if row["to_account"] == "overhead"} == {"failed"}


def test_gravest_of_several_states_counts_whoever_says_it_and_however_often(house: House) -> None:
    gpu(house)
    house.state("n1", None, "drained", DAY, DAY + 1800)
    house.state("n1", 0, "maintenance", DAY + 600, DAY + 2400)
    house.state("n1", 0, "drained", DAY, DAY + 1800, said="twice")
    house.state("n1", 0, "available", DAY, DAY + HOUR)
    house.keep()
    house.books()
    found = {row["state"]: 0 for row in house.rows_of("time_row")}
    for row in house.rows_of("time_row"):
        found[row["state"]] += row["ticks"] // 720720
    assert found == {"drained": 1800, "maintenance": 600, "": 1200}


def test_phase_is_an_attribute_of_held_time_and_moves_no_money(house: House) -> None:
    gpu(house, rate="3")
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", slot="n1/0")
    house.phase("a", "warm_up", DAY, DAY + 720)
    house.phase("a", "serving", DAY + 720, DAY + HOUR)
    house.keep()
    assert house.amounts() == {"a": 300}
    phases = {row["phase"]: row["amount"] for row in house.rows_of("entry")}
    assert phases == {"warm_up": 60 * QUANTA // 100, "serving": 240 * QUANTA // 100}


def accounts(house: House) -> dict[str, int]:
    """Seconds of the last run by account."""
    found: dict[str, int] = {}
    for row in house.rows_of("time_row"):
        found[row["account"]] = found.get(row["account"], 0) + row["ticks"] // 720720
    return found


def test_samples_part_held_time_into_used_idle_and_unobserved(house: House) -> None:
    gpu(house)
    house.holding("a", DAY, DAY + 3000, "a", node="n1", slot="n1/0")
    house.activity("GPU-0", DAY, DAY + 1000, 700)
    house.activity("GPU-0", DAY + 1000, DAY + 2800, 10)
    house.keep()
    assert house.amounts() == {"a": 333, "__idle_free__": 67}
    assert accounts(house) == {"used": 1000, "idle_held": 1800, "held_unobserved": 200, "idle_free": 600}
    assert house.statement()["coverage"] == "0.9333"


# T42: a gap is not idle, and below the threshold nothing is told by what is left.
def test_too_little_known_is_unobserved_and_the_coverage_still_says_how_much(house: House) -> None:
    gpu(house)
    house.holding("a", DAY, DAY + 3000, "a", node="n1", slot="n1/0")
    house.activity("GPU-0", DAY, DAY + 1500, 700)
    house.keep()
    assert house.statement()["coverage"] == "0.5000"
    assert accounts(house) == {"held_unobserved": 3000, "idle_free": 600}


# T42, T12: what is held costs the same whether it is observed, and whatever was read.
def test_dead_exporter_changes_no_ones_bill(house: House) -> None:
    gpu(house, rate="2.744705")
    house.holding("a", DAY + 5, DAY + 3001, "a", node="n1", slot="n1/0")
    house.keep()
    before = house.amounts()
    house.activity("GPU-0", DAY, DAY + HOUR, 900)
    house.keep()
    assert house.amounts() == before
    assert accounts(house)["used"] == 2996


def test_partition_is_known_by_its_own_samples_and_a_shared_one_by_those_of_its_processes(
    house: House,
) -> None:
    """T2, T11: what the whole device does says nothing of one of those who share it."""
    gpu(house, **MIG)
    house.slot("n1", 1, DAY, DAY + HOUR)
    house.device("n1", 1, "GPU-1", DAY, None)
    house.partition("n1", 0, 1, (7, 8), DAY, None)
    house.holding("mig", DAY, DAY + HOUR, "mig", node="n1", slot="n1/0", lane="n1/0/1")
    for pod in ("p", "q"):
        house.holding(pod, DAY, DAY + HOUR, pod, node="n1", slot="n1/1", share_mode="time_slicing")
    house.activity("GPU-0", DAY, DAY + HOUR, 900)
    house.activity("GPU-1", DAY, DAY + HOUR, 900)
    house.keep()
    house.books()
    assert accounts(house) == {"held_unobserved": 7200}
    house.activity("MIG-n1-0-1", DAY, DAY + HOUR, 300)
    house.activity("GPU-1/p", DAY, DAY + HOUR, 0)
    house.keep()
    house.books()
    assert accounts(house) == {"used": 3600, "idle_held": 1800, "held_unobserved": 1800}


def test_swapped_board_is_known_by_the_samples_of_each_device(house: House) -> None:
    house.slot("n1", 0, DAY, DAY + HOUR)
    house.device("n1", 0, "GPU-old", DAY, DAY + 1200)
    house.device("n1", 0, "GPU-new", DAY + 1200, None)
    house.price("4", 0)
    house.through(END)
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", slot="n1/0")
    house.activity("GPU-old", DAY, DAY + HOUR, 900)
    house.activity("GPU-new", DAY, DAY + HOUR, 0)
    house.keep()
    house.books()
    assert accounts(house) == {"used": 1200, "idle_held": 2400}


def test_explanation_of_lanes_phases_and_use_adds_up(house: House) -> None:
    gpu(house, rate="2.744705", end=DAY + 3 * HOUR, **MIG)
    house.partition("n1", 0, 1, (2, 2), DAY + 1800, None)
    house.partition("n1", 0, 2, (3, 4), DAY + 1800, DAY + 2 * HOUR)
    house.holding("a", DAY, DAY + 2 * HOUR + 11, "a", node="n1", device="MIG-n1-0-1")
    house.holding("b", DAY + 7, DAY + 3 * HOUR, "b", node="n1", slot="n1/0", lane="n1/0/2")
    house.phase("a", "warm_up", DAY, DAY + 2000)
    house.activity("MIG-n1-0-1", DAY + 1800, DAY + 2 * HOUR, 700)
    house.state("n1", 0, "maintenance", DAY + 2 * HOUR, None)
    house.keep()
    result = house.books()
    for asked in (
        Asked("line", "a"),
        Asked("line", "b"),
        Asked("line", "__idle_free__"),
        Asked("line", "__overhead__"),
        Asked("holding", "a"),
        Asked("slot", "n1/0"),
        Asked("device", "GPU-0"),
    ):
        slot = "n1/0" if asked.kind == "line" else ""
        assert explain(house.desk, result, asked, slot=slot).apart == [], asked


def busy_pods(house: House) -> None:
    """Three pods in time slices of one GPU, never two busy at once."""
    gpu(house, rate="3")
    for pod, start, length in (("pod-1", 0, 1800), ("pod-2", 1800, 900), ("pod-3", 2700, 180)):
        house.holding(pod, DAY, DAY + HOUR, pod, node="n1", slot="n1/0", share_mode="time_slicing")
        subject = f"GPU-0/{pod}"
        house.activity(subject, DAY, DAY + start, 0)
        house.activity(subject, DAY + start, DAY + start + length, 900)
        house.activity(subject, DAY + start + length, DAY + HOUR, 0)


# T2: pods in turns are parted by their own processes' use, where a policy says so and it is known.
@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        ("by_use_apart/1", {"pod-1": 150, "pod-2": 75, "pod-3": 15, "__idle_held__": 60}),
        ("by_use_spread/1", {"pod-1": 187, "pod-2": 94, "pod-3": 19}),
    ],
)
def test_time_slices_by_use_go_by_seconds_busy(house: House, choice: str, wanted: dict[str, int]) -> None:
    busy_pods(house)
    house.policy("time_slicing", choice)
    house.keep()
    assert house.amounts() == wanted
    assert accounts(house) == {"used": 2880, "idle_held": 720}
    assert house.statement()["coverage"] == "1.0000"


def test_by_use_is_equal_where_too_little_is_known(house: House) -> None:
    busy_pods(house)
    house.rows["activity"] = [row for row in house.rows["activity"] if row["subject"] != "GPU-0/pod-3"]
    house.policy("time_slicing", "by_use_apart/1")
    house.keep()
    assert house.amounts() == {"pod-1": 100, "pod-2": 100, "pod-3": 100}


def test_busy_at_once_is_used_once(house: House) -> None:
    gpu(house, rate="3")
    for pod in ("a", "b"):
        house.holding(pod, DAY, DAY + HOUR, pod, node="n1", slot="n1/0", share_mode="time_slicing")
        house.activity(f"GPU-0/{pod}", DAY, DAY + 1800, 900)
        house.activity(f"GPU-0/{pod}", DAY + 1800, DAY + HOUR, 0)
    house.policy("time_slicing", "by_use_apart/1")
    house.keep()
    assert house.amounts() == {"a": 75, "b": 75, "__idle_held__": 150}


def test_partition_without_a_uuid_is_known_by_its_number_on_the_device(house: House) -> None:
    gpu(house, **MIG)
    house.partition("n1", 0, 3, (7, 8), DAY, None)
    house.rows["partition"][0]["uuid"] = None
    house.holding("a", DAY, DAY + HOUR, "a", node="n1", slot="n1/0", lane="n1/0/3")
    house.activity("GPU-0#3", DAY, DAY + HOUR, 300)
    house.activity("GPU-0", DAY, DAY + HOUR, 0)
    house.keep()
    house.books()
    assert accounts(house) == {"used": 3600}


def test_partition_with_a_uuid_is_known_by_its_number_in_hours_in_which_nothing_has_the_uuid(
    house: House,
) -> None:
    gpu(house, end=DAY + 3 * HOUR, **MIG)
    house.partition("n1", 0, 3, (7, 8), DAY, None)
    house.holding("a", DAY, DAY + 3 * HOUR, "a", node="n1", slot="n1/0", lane="n1/0/3")
    house.activity("GPU-0#3", DAY, DAY + 2 * HOUR, 300)
    house.activity("MIG-n1-0-3", DAY + HOUR, DAY + 3 * HOUR, 0)
    house.keep()
    house.books()
    assert accounts(house) == {"used": 3600, "idle_held": 7200}


def test_job_that_has_all_of_a_node_is_known_by_its_devices_though_nothing_names_them(house: House) -> None:
    for index in range(2):
        house.slot("n1", index, DAY, DAY + 3 * HOUR)
        house.device("n1", index, f"GPU-{index}", DAY, None)
        house.activity(f"GPU-{index}", DAY, DAY + 3 * HOUR, 300)
    house.price("4", 0)
    house.through(END)
    house.holding("whole", DAY, DAY + HOUR, "a", node="n1", units=2)
    house.holding("half", DAY + HOUR, DAY + 2 * HOUR, "a", node="n1", units=1)
    house.holding("one", DAY + 2 * HOUR, DAY + 3 * HOUR, "a", node="n1", units=1)
    house.holding("other", DAY + 2 * HOUR, DAY + 3 * HOUR, "a", node="n1", units=1)
    house.keep()
    house.books()
    assert accounts(house) == {"used": 7200, "held_unobserved": 3600 + 7200, "idle_free": 3600}


def test_explanation_says_that_atoms_come_before_the_weights_of_use(house: House) -> None:
    busy_pods(house)
    house.policy("time_slicing", "by_use_apart/1")
    house.keep()
    made = explain(house.desk, house.books(), Asked("line", "pod-1"), slot="n1/0")
    assert made.apart == []
    assert made.steps[-1].says.endswith("before those who share it are weighed by use")
