"""A small day that is rich: the house of the tests that go through all that books can say."""

from __future__ import annotations

from typing import Any

from house import House, at

__all__ = ["DAY", "HOUR", "rich"]

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
