"""A small day that is rich: the house of the tests that go through all that books can say."""

from __future__ import annotations

from typing import Any

from house import House, at

__all__ = ["DAY", "HOUR", "rich", "rich_in_lanes"]

DAY = at("2026-10-05T00:00Z")
HOUR = 3600


def rich(house: House) -> None:
    """Each way to hold, to share, to contest, to stand idle and to have a price or none, in one day."""
    for index in range(4):
        house.slot("n1", index, DAY, DAY + 10 * HOUR)
    house.slot("n2", 0, DAY, DAY + 10 * HOUR, model="B200")
    house.slot("n3", 0, DAY, None, region="eu", sku="big")
    house.device("n3", 0, "GPU-1", DAY, DAY + 4 * HOUR + 600)
    house.device("n3", 0, "GPU-2", DAY + 4 * HOUR + 600, None)
    house.price("3.1", 0, DAY + HOUR + 1200)
    house.price("3.3", DAY + HOUR + 1200, DAY + 5 * HOUR)
    house.price("3.3", DAY + 5 * HOUR)
    house.price("2.744705", 0, region="eu")
    house.owner("ns-a", "search", 0, DAY + 3 * HOUR + 7, cost_centre="CC-1")
    house.owner("ns-a", "vision", DAY + 3 * HOUR + 7)
    house.holding("placed", DAY, DAY + 5 * HOUR + 7, "ns-a", node="n1", slot="n1/0")
    house.holding("requeued", DAY, DAY + HOUR + 11, "ns-a", node="n1", slot="n1/1")
    house.holding("requeued", DAY + HOUR + 400, DAY + 2 * HOUR, "ns-a", node="n1", slot="n1/1")
    house.holding("free", DAY + 100, DAY + 9 * HOUR, "ns-b", node="n1", units=1)
    house.holding("third", DAY, DAY + 9 * HOUR, "ns-b", node="n1", slot="n1/2", **_share(1, 3))
    house.holding("half", DAY + 700, DAY + 7 * HOUR, "", node="n1", slot="n1/2", **_share(1, 2))
    house.holding("one", DAY, DAY + 2 * HOUR, "ns-a", node="n1", slot="n1/3")
    house.holding("other", DAY + HOUR, DAY + 3 * HOUR, "ns-b", node="n1", slot="n1/3")
    house.holding("costless", DAY, DAY + 2 * HOUR, "ns-a", node="n2", slot="n2/0")
    house.holding("board", DAY, DAY + 6 * HOUR, "ns-c", node="n3", device="GPU-1")
    house.holding("board", DAY + 6 * HOUR, None, "ns-c", node="n3", device="GPU-2")
    house.holding("late", DAY + 9 * HOUR, DAY + 12 * HOUR, "ns-c", node="n1", slot="n1/0")
    house.holding("assumed", DAY, DAY + 3 * HOUR, "ns-b", units=3)
    house.holding("assumed", DAY + 2 * HOUR, DAY + 4 * HOUR, "ns-b", units=2, identity="more")
    house.fact("state", "s1", DAY + 6 * HOUR, DAY + 7 * HOUR, state="failed", node="n1", slot="n1/0")
    house.fact("state", "s2", DAY + 8 * HOUR, DAY + 9 * HOUR, state="absent", node="n1", slot="n1/0")
    house.through(DAY + 10 * HOUR)
    house.keep()


def _share(weight: int, cap: int) -> dict[str, Any]:
    return {"share_mode": "fraction", "weight": weight, "weight_cap": cap}


def rich_in_lanes(house: House) -> None:
    """Each way to cut a device and to share it, states, phases, and samples of devices and of processes."""
    for index in range(3):
        house.slot("m1", index, DAY, DAY + 8 * HOUR, compute_slices=7, memory_slices=8)
        house.device("m1", index, f"GPU-m{index}", DAY, None)
    house.price("2.744705", 0)
    house.rule(1, "vision", namespace=["ml-*"], start=DAY + 2 * HOUR)
    house.partition("m1", 0, 1, (3, 4), DAY + 600, DAY + 4 * HOUR)
    house.partition("m1", 0, 2, (2, 2), DAY + 600, None)
    house.partition("m1", 0, 3, (1, 1), DAY + 4 * HOUR + 7, None)
    house.holding("whole", DAY, DAY + 600, "ns-a", node="m1", slot="m1/0", namespace="ml-a")
    house.holding("cut", DAY + 700, DAY + 5 * HOUR, "ns-a", node="m1", device="MIG-m1-0-1", namespace="ml-a")
    lane = {"node": "m1", "slot": "m1/0", "lane": "m1/0/2", "outcome": "failed"}
    house.holding("two", DAY + 900, DAY + 7 * HOUR, "ns-b", **lane)
    for pod, start in (("p", 0), ("q", 1800), ("r", 5400)):
        mode = {"share_mode": "time_slicing", "weight_cap": 4}
        house.holding(pod, DAY + start, DAY + 6 * HOUR, f"ns-{pod}", node="m1", slot="m1/1", **mode)
        house.activity(f"GPU-m1/{pod}", DAY, DAY + 2 * HOUR, 700 if pod == "q" else 10, node="m1")
    house.activity("GPU-m1/p", DAY + 2 * HOUR, DAY + 3 * HOUR + 11, 150, node="m1")
    for pod, percentage in (("s", 30), ("t", 0)):
        mode = {"share_mode": "mps", "weight": percentage, "weight_cap": 100}
        house.holding(pod, DAY + 77, DAY + 3 * HOUR, f"ns-{pod}", node="m1", slot="m1/2", **mode)
    house.holding("sole", DAY + 3 * HOUR, DAY + 7 * HOUR, "ns-c", node="m1", device="GPU-m2")
    house.activity("GPU-m2", DAY + 2 * HOUR, DAY + 5 * HOUR + 99, 300, node="m1")
    house.activity("MIG-m1-0-2", DAY, DAY + 6 * HOUR, 50, node="m1")
    house.phase("cut", "warm_up", DAY + 700, DAY + HOUR + 1)
    house.phase("cut", "serving", DAY + HOUR + 1, DAY + 2 * HOUR)
    for start in (HOUR, 3 * HOUR + 7):
        house.phase("two", "checkpoint", DAY + start, DAY + start)
    house.phase("two", "suspended", DAY + 4 * HOUR, DAY + 4 * HOUR + 100)
    house.state("m1", 1, "maintenance", DAY + 5 * HOUR, None)
    house.state("m1", None, "drained", DAY + 6 * HOUR, DAY + 7 * HOUR)
    house.state("m1", 2, "failed", DAY + 6 * HOUR + 1800, None)
    house.through(DAY + 24 * HOUR)
    house.keep()
