"""A fleet without trouble: what the other scenarios change."""

from __future__ import annotations

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.world import World


@scenario("steady", "pods, jobs, MIG instances and shared devices, and nothing goes wrong")
def steady(plan: Plan) -> World:
    """The base fleet as it is."""
    return base_world(plan, "steady")
