"""Nodes that fail, are repaired, and come back with counters that begin at 0."""

from __future__ import annotations

from dataclasses import replace

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.world import Condition, Holding, World

_HOUR = 3600


@scenario(
    "node-failure", "nodes fail with work on them, go into maintenance, are away for a while and come back"
)
def node_failure(plan: Plan) -> World:
    """Each node fails once; pods are held for some minutes more, jobs end half a minute late."""
    world = base_world(plan, "node-failure")
    facts, sampling = world.facts, world.sampling
    for machine in world.machines:
        rng = plan.random(f"failure/{machine.name}")
        down_s = world.start_s + rng.randrange(2 * _HOUR, 14 * _HOUR)
        mended_s = down_s + rng.randrange(600, 3 * _HOUR)
        away_s = mended_s + rng.randrange(600, _HOUR)
        back_s = away_s + rng.randrange(60, 2 * _HOUR)
        states = [
            Condition(machine.name, "DOWN*", "failed", down_s, mended_s, "Not responding"),
            Condition(machine.name, "MAINT", "maintenance", mended_s, away_s, "RMA 4711"),
        ]
        if rng.random() < 0.5:
            states.append(Condition(machine.name, "FUTURE", "absent", away_s, back_s, "sent in"))
        else:
            states.append(Condition(machine.name, "IDLE+DRAIN", "drained", away_s, back_s, "burn-in"))
        holdings = [
            _ended(one, down_s, back_s) if one.node == machine.name else one for one in facts.holdings
        ]
        conditions = (*facts.conditions, *states)
        kept = tuple(one for one in holdings if one is not None)
        facts = replace(facts, conditions=conditions, holdings=kept)
        dark = (*sampling.dark, (machine.name, down_s, back_s))
        sampling = replace(sampling, dark=dark, resets=(*sampling.resets, (machine.name, back_s)))
    runs = {one.run for one in facts.holdings}
    facts = replace(facts, phases=tuple(one for one in facts.phases if one.run in runs))
    return replace(world, facts=facts, sampling=sampling)


def _ended(one: Holding, down_s: int, back_s: int) -> Holding | None:
    """What was held when the node failed ends a little later; what would have begun meanwhile does not."""
    if down_s <= one.start_s < back_s:
        return None
    if one.start_s < down_s and (one.end_s is None or one.end_s > down_s):
        late_s = 300 if one.device else 30
        work = tuple(change for change in one.work if change[0] < down_s)
        return replace(one, end_s=down_s + late_s, work=(*work, (down_s, 0)))
    return one
