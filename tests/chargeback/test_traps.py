"""Traps that others fell into (time and use): each by what the books say of facts."""

from __future__ import annotations

import pytest
from house import House, at

from chargeback.statement import By
from chargeback.usage import idle_holders, usage_of

pytestmark = pytest.mark.books

DAY, HOUR = at("2026-10-05T00:00Z"), 3600
TICKS = 720_720


def gpu(house: House, hours: int = 1, index: int = 0) -> None:
    house.slot("n1", index, DAY, DAY + hours * HOUR)
    house.device("n1", index, f"GPU-{index}", DAY, None)
    house.price("4", 0)
    house.through(DAY + 48 * HOUR)


def held(house: House, owner: str, start: int, end: int, index: int = 0, **values: object) -> None:
    house.holding(f"pod-{owner}", DAY + start, DAY + end, owner, node="n1", slot=f"n1/{index}", **values)


def seconds(house: House) -> dict[tuple[str, str], int]:
    """Seconds of books made now by owner and account."""
    house.books()
    found: dict[tuple[str, str], int] = {}
    for row in house.rows_of("time_row"):
        key = (row["owner"], row["account"])
        found[key] = found.get(key, 0) + row["ticks"] // TICKS
    return found


def test_what_was_read_around_a_change_of_holders_belongs_to_each_for_its_own_part(house: House) -> None:
    """T15: a label that lags puts the old pod's load on the new one."""
    gpu(house)
    held(house, "old", 0, 1800)
    held(house, "new", 1800, HOUR)
    house.activity("GPU-0", DAY, DAY + 2400, 900)
    house.activity("GPU-0", DAY + 2400, DAY + HOUR, 0)
    house.keep()
    assert seconds(house) == {
        ("old", "used"): 1800,
        ("new", "used"): 600,
        ("new", "idle_held"): 1200,
    }


def test_samples_after_the_scheduler_took_the_device_back_are_nobodys(house: House) -> None:
    """T16: a series lives on after its pod; the end of the holding is the scheduler's."""
    gpu(house)
    held(house, "gone", 0, 1800)
    house.activity("GPU-0", DAY, DAY + HOUR, 900)
    house.activity("GPU-0/pod-gone", DAY, DAY + HOUR, 900)
    house.keep()
    assert seconds(house) == {("gone", "used"): 1800, ("__account__", "idle_free"): 1800}
    assert house.amounts() == {"gone": 200, "__idle_free__": 200}


def test_a_pod_that_holds_a_gpu_and_runs_nothing_pays_for_it_and_is_seen(house: House) -> None:
    """T17: a pod in ImagePullBackOff has its device, and its time is not lost to idle."""
    gpu(house)
    held(house, "ml", 0, HOUR)
    house.phase("pod-ml", "waiting", DAY, DAY + HOUR)
    house.keep()
    assert house.amounts() == {"ml": 400}
    rows = house.rows_of("time_row")
    assert {(row["owner"], row["phase"]) for row in rows} == {("ml", "waiting")}


def test_an_hour_that_is_half_busy_is_an_hour_held(house: House) -> None:
    """T59: 3600 s held, 1800 s active."""
    gpu(house)
    held(house, "ml", 0, HOUR)
    for start in range(0, HOUR, 600):
        house.activity("GPU-0", DAY + start, DAY + start + 300, 900)
        house.activity("GPU-0", DAY + start + 300, DAY + start + 600, 0)
    house.keep()
    assert seconds(house) == {("ml", "used"): 1800, ("ml", "idle_held"): 1800}
    assert house.amounts() == {"ml": 400}


def test_a_burst_does_not_hide_the_idle_hours_after_it(house: House) -> None:
    """T46: a mean over the whole job is above any threshold; idle time is told second by second."""
    gpu(house, 4)
    held(house, "ml", 0, 4 * HOUR)
    house.activity("GPU-0", DAY, DAY + HOUR, 900)
    house.activity("GPU-0", DAY + HOUR, DAY + 4 * HOUR, 0)
    house.keep()
    assert seconds(house) == {("ml", "used"): HOUR, ("ml", "idle_held"): 3 * HOUR}


def test_nobody_is_called_idle_where_nothing_was_read(house: House) -> None:
    """T46, T44: missing data is no idle time and no accusation."""
    gpu(house, 4)
    gpu(house, 4, 1)
    held(house, "dark", 0, 4 * HOUR)
    held(house, "lazy", 0, 4 * HOUR, 1)
    house.activity("GPU-1", DAY, DAY + 4 * HOUR, 0)
    house.keep()
    result = house.books()
    assert [one.owner for one in idle_holders(house.desk, result, 10)] == ["lazy"]
    dark = next(line for line in usage_of(result, By.owner).lines if line.key == "dark")
    assert dark.ticks == {"held_unobserved": 4 * HOUR * TICKS} and dark.idle is None


def test_only_one_of_two_pods_in_turns_is_labelled_and_both_have_their_half(house: House) -> None:
    """T3: ownership is the scheduler's; a label on a metric makes nobody the only holder."""
    gpu(house)
    for owner in ("seen", "unseen"):
        held(house, owner, 0, HOUR, share_mode="time_slicing", weight_cap=2)
    house.activity("GPU-0/pod-seen", DAY, DAY + HOUR, 900)
    house.keep()
    assert house.amounts() == {"seen": 200, "unseen": 200}
    assert seconds(house) == {("seen", "used"): 1800, ("unseen", "held_unobserved"): 1800}


def test_capacity_on_a_day_on_which_a_board_was_swapped_is_counted_in_slots(house: House) -> None:
    """T60: nine UUIDs were seen that day, and there were eight GPUs."""
    for index in range(8):
        house.slot("n1", index, DAY, DAY + 24 * HOUR)
        house.device("n1", index, f"GPU-{index}", DAY, DAY + 12 * HOUR if index == 7 else None)
    house.device("n1", 7, "GPU-new", DAY + 12 * HOUR, None)
    house.through(DAY + 48 * HOUR)
    house.keep()
    assert seconds(house) == {("__account__", "idle_free"): 8 * 24 * HOUR}
