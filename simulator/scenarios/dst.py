"""Days on which clocks change, in a zone whose midnights bill, with accounting in local time."""

from __future__ import annotations

from dataclasses import replace

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.world import World

_ZONE = "Europe/Berlin"


@scenario(
    "dst-spring", "the night in which an hour is left out, billed and accounted in local time", least_days=2
)
def dst_spring(plan: Plan) -> World:
    """From the day before clocks go forward."""
    return replace(base_world(plan, "dst-spring", "2026-03-28T00:00", _ZONE), local_times=True)


@scenario(
    "dst-autumn", "the night in which an hour comes twice, billed and accounted in local time", least_days=2
)
def dst_autumn(plan: Plan) -> World:
    """From the day before clocks go back."""
    return replace(base_world(plan, "dst-autumn", "2026-10-24T00:00", _ZONE), local_times=True)
