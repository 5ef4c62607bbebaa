"""Facts and samples that come after the books were run, and others that are corrected."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.world import Condition, Delivery, Holding, World, known_at

_HOUR = 3600


@scenario(
    "late-facts",
    "the books run at noon; then come late pods, corrected owners and ends, a state and old samples",
)
def late_facts(plan: Plan) -> World:
    """What is true is known with the second delivery; the first one is wrong and lacks some."""
    world = base_world(plan, "late-facts")
    rng = plan.random("late")
    noon_s = world.start_s + (world.end_s - world.start_s) // 2
    node = world.machines[-1].name
    drained = Condition(
        node, "DRAINED", "drained", world.start_s + 2 * _HOUR, world.start_s + 5 * _HOUR, "fans"
    )
    truth = known_at(replace(world.facts, conditions=(drained,)), world.end_s)
    told = [_told_wrong(rng, one, noon_s) for one in known_at(truth, noon_s).holdings]
    early = replace(
        known_at(truth, noon_s), conditions=(), holdings=tuple(one for one in told if one is not None)
    )
    late_s = world.start_s + rng.randrange(0, 6 * _HOUR)
    sampling = replace(world.sampling, late=((late_s, late_s + 4 * _HOUR),))
    deliveries = (Delivery(early, noon_s), Delivery(truth, world.end_s))
    return replace(world, facts=truth, sampling=sampling, deliveries=deliveries)


def _told_wrong(rng: Random, one: Holding, noon_s: int) -> Holding | None:
    """A holding as it was told first: right, missing, under another owner, or with another end."""
    kind = rng.choice(("right", "right", "missing", "owner", "end"))
    if kind == "missing":
        return None
    if kind == "owner" and not one.device:
        return replace(one, owner_key="infra")
    if kind == "end" and one.end_s is not None and one.end_s + 60 < noon_s:
        return replace(one, end_s=one.end_s + 45)
    return one
