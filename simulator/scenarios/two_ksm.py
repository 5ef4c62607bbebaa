"""Two kube-state-metrics, which say the same pods: twice, and not at the same time."""

from __future__ import annotations

from dataclasses import replace

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.world import Delivery, Holding, World, known_at


@scenario("two-ksm", "two kube-state-metrics list the same pods; each has missed some that the other saw")
def two_ksm(plan: Plan) -> World:
    """Both list pods at noon and at the end; what one forgot when it began again, the other still tells."""
    world = base_world(plan, "two-ksm")
    noon_s = world.start_s + (world.end_s - world.start_s) // 2
    deliveries = []
    for through_s in (noon_s, world.end_s):
        facts = known_at(world.facts, through_s)
        pods = tuple(one for one in facts.holdings if one.device)
        rng = plan.random(f"ksm/{through_s}")
        both: dict[str, list[Holding]] = {"ksm-0": [], "ksm-1": []}
        for one in pods:
            said = rng.choice((("ksm-0", "ksm-1"), ("ksm-0", "ksm-1"), ("ksm-0",), ("ksm-1",)))
            for source in said:
                both[source].append(one)
        deliveries.append(
            Delivery(facts, through_s, tuple((source, tuple(told)) for source, told in both.items()))
        )
    return replace(world, facts=known_at(world.facts, world.end_s), deliveries=tuple(deliveries))
