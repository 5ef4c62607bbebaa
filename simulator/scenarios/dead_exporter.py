"""An exporter that is dead for a day: nobody's bill moves."""

from __future__ import annotations

from dataclasses import replace

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.world import World

_DAY = 86_400


@scenario(
    "dead-exporter",
    "no device reports anything for a day, and one node for some minutes of each hour",
    least_days=2,
)
def dead_exporter(plan: Plan) -> World:
    """All exporters dark from noon to noon; the first node's some minutes of each hour, near 90 % of it."""
    world = base_world(plan, "dead-exporter")
    rng = plan.random("dark")
    noon_s = world.start_s + _DAY // 2
    dark = [("", noon_s, noon_s + _DAY)]
    for hour_s in range(world.start_s, world.end_s, 3600):
        at_s = hour_s + rng.randrange(0, 3000)
        dark.append((world.machines[0].name, at_s, at_s + rng.randrange(200, 600)))
    return replace(world, sampling=replace(world.sampling, dark=tuple(dark)))
