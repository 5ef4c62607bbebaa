"""Work that goes on over a month's end, in a zone whose midnight cuts a UTC hour."""

from __future__ import annotations

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.world import World


@scenario(
    "month-end",
    "work goes on from October into November in Kolkata, whose midnight cuts a UTC hour",
    least_days=2,
)
def month_end(plan: Plan) -> World:
    """The fleet from the last day of October on."""
    return base_world(plan, "month-end", "2026-10-31T00:00", "Asia/Kolkata")
