"""Devices that many short pods share."""

from __future__ import annotations

from dataclasses import replace

from simulator.base_world import Plan, base_world, phases_of
from simulator.scenarios.registry import scenario
from simulator.work_plans import Need, shared_holdings
from simulator.world import World


@scenario("time-slicing", "shared devices, whose holders come and go every few minutes, up to six at a time")
def time_slicing(plan: Plan) -> World:
    """Short pods on every shared device, by turns on one and side by side on the next."""
    world = base_world(plan, "time-slicing")
    need = Need(world.start_s, world.end_s)
    holdings = [one for one in world.facts.holdings if not one.mode]
    shared = [board for board in world.facts.boards if board.machine.kind == "shared"]
    for place, board in enumerate(shared):
        rng = plan.random(f"churn/{board.uuid}")
        most = rng.randrange(3, 7)
        holdings += shared_holdings(
            rng, board.machine.name, board.uuid, need, mps=place % 2 == 1, mean_s=1200, most=most
        )
    phases = tuple(phases_of(plan, holdings))
    return replace(world, facts=replace(world.facts, holdings=tuple(holdings), phases=phases))
