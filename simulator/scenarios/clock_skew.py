"""Nodes whose clocks are wrong: their pods seem to overlap, and their samples come from another time."""

from __future__ import annotations

from dataclasses import replace

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.world import Holding, World


@scenario(
    "clock-skew", "kubelets whose clocks are ahead end pods after the next has begun: contested seconds"
)
def clock_skew(plan: Plan) -> World:
    """Ends come from the node's clock, begins from the scheduler's: two whole holders for some seconds."""
    world = base_world(plan, "clock-skew")
    rng = plan.random("skew")
    skews = {machine.name: rng.choice((2, 3, 11)) for machine in world.machines if machine.kind != "slurm"}
    holdings = tuple(_late(one, skews.get(one.node, 0)) for one in world.facts.holdings)
    sampling = replace(world.sampling, skews=skews)
    return replace(world, facts=replace(world.facts, holdings=holdings), sampling=sampling)


def _late(one: Holding, skew_s: int) -> Holding:
    return one if one.end_s is None else replace(one, end_s=one.end_s + skew_s)
