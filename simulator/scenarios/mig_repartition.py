"""Devices that are cut anew several times a day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.base_world import LAYOUTS, Plan, base_world, cut_into
from simulator.scenarios.registry import scenario
from simulator.work_plans import Need, instance_holdings, pod_holdings
from simulator.world import Board, Holding, Instance, World

_HOUR = 3600


@scenario("mig-repartition", "MIG devices are cut anew several times a day, and stand uncut in between")
def mig_repartition(plan: Plan) -> World:
    """Every MIG device goes from layout to layout; pods end where their instance does."""
    world = base_world(plan, "mig-repartition")
    boards = [board for board in world.facts.boards if board.machine.kind == "mig"]
    uuids = {board.uuid for board in boards}
    cut = {one.uuid for one in world.facts.instances} | uuids
    instances: list[Instance] = []
    holdings = [one for one in world.facts.holdings if one.device not in cut]
    for place, board in enumerate(boards):
        for part in _stretches(plan, world, board, LAYOUTS[(1 + place) % len(LAYOUTS)]):
            if isinstance(part, Instance):
                instances.append(part)
            else:
                holdings.append(part)
    facts = replace(world.facts, instances=tuple(instances), holdings=tuple(holdings))
    kept = {one.run for one in holdings}
    return replace(world, facts=replace(facts, phases=tuple(p for p in facts.phases if p.run in kept)))


def _stretches(
    plan: Plan, world: World, board: Board, layout: tuple[str, ...]
) -> Iterator[Instance | Holding]:
    """One layout after another, with pods on its instances; now and then the whole device for a while."""
    rng = plan.random(f"cuts/{board.uuid}")
    at_s, uncut = world.start_s, False
    while at_s < world.end_s:
        until_s = at_s + rng.randrange(2 * _HOUR, 9 * _HOUR)
        if uncut:
            for one in pod_holdings(rng, board.machine.name, board.uuid, Need(at_s, until_s)):
                begin, end = max(one.start_s, at_s), min(one.end_s or until_s, until_s)
                if begin < end:
                    work = tuple((max(at, begin), level) for at, level in one.work if at < end)
                    yield replace(one, start_s=begin, end_s=end, work=(*work, (end, 0)))
        else:
            end_s = until_s if until_s < world.end_s else None
            for instance in cut_into(board, layout, at_s, end_s):
                yield instance
                yield from instance_holdings(rng, instance, Need(at_s, min(until_s, world.end_s)))
        at_s, uncut, layout = until_s, rng.random() < 0.25, rng.choice(LAYOUTS)
