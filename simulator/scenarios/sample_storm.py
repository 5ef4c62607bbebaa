"""Samples that come many times over, late, and from two exporters at once."""

from __future__ import annotations

from dataclasses import replace

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.world import Storm, World

_HOUR = 3600


@scenario(
    "sample-storm", "exporters are scraped five times as often and answer late, and a second one reports too"
)
def sample_storm(plan: Plan) -> World:
    """Some hours of storm on each day; the second exporter's step is twice the first one's."""
    world = base_world(plan, "sample-storm")
    rng, step_s = plan.random("storm"), plan.step_s
    storms = []
    for day_s in range(world.start_s, world.end_s, 24 * _HOUR):
        at_s = day_s + rng.randrange(0, 18 * _HOUR)
        storms.append(Storm(at_s, at_s + rng.randrange(_HOUR, 5 * _HOUR), 5, 2 * step_s))
    second = 2 * step_s if 900 % (2 * step_s) == 0 else step_s
    sampling = replace(world.sampling, storms=tuple(storms), lost_permille=40, second_step_s=second)
    return replace(world, sampling=sampling)
