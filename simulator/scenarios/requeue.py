"""Jobs that are preempted, wait, and run again under the same id."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.work_plans import job
from simulator.world import Board, Holding, Phase, World

_HOUR = 3600


@scenario(
    "requeue", "Slurm jobs are preempted in the second in which others begin, and run again under their id"
)
def requeue(plan: Plan) -> World:
    """One job after another takes a whole node; what it pushes out comes again later, some work lost."""
    world = base_world(plan, "requeue")
    slurm = sorted({b.machine.name for b in world.facts.boards if b.machine.kind == "slurm"})
    holdings = [one for one in world.facts.holdings if one.node not in slurm]
    phases = list(world.facts.phases)
    for number, node in enumerate(slurm):
        boards = [board for board in world.facts.boards if board.machine.name == node]
        for holding, lost_s in _runs(plan, world, boards, 70_000 + 1000 * number):
            holdings.append(holding)
            if lost_s and holding.end_s is not None:
                lost_from = max(holding.start_s, holding.end_s - lost_s)
                if holding.start_s < lost_from:
                    phases.append(Phase(holding.run, "running", holding.start_s, lost_from))
                phases.append(Phase(holding.run, "lost_work", lost_from, holding.end_s))
    return replace(world, facts=replace(world.facts, holdings=tuple(holdings), phases=tuple(phases)))


def _runs(plan: Plan, world: World, boards: list[Board], number: int) -> Iterator[tuple[Holding, int]]:
    """Runs of jobs on one node, each with the seconds of work that its preemption lost."""
    rng = plan.random(f"requeue/{boards[0].machine.name}")
    node, uuids = boards[0].machine.name, [board.uuid for board in boards]
    at_s = world.start_s - _HOUR
    while at_s < world.end_s:
        number += 2
        # Two jobs share the node until an urgent one needs all of it; the first is one that had begun twice.
        cut = rng.randrange(1, len(uuids)) if len(uuids) > 1 else 1
        pushed_s = at_s + rng.randrange(900, 5 * _HOUR)
        back_s = pushed_s + rng.randrange(300, 2 * _HOUR)
        end_s = back_s + rng.randrange(60, 4 * _HOUR)
        yield job(rng, node, uuids[:cut], number, at_s, pushed_s, "nlp"), rng.choice((0, 300, 1800))
        if uuids[cut:]:
            yield job(rng, node, uuids[cut:], number + 1, at_s + 7, pushed_s, "vision"), 0
        yield job(rng, node, uuids, number + 500, pushed_s, back_s, "robots"), 0
        yield job(rng, node, uuids[:cut], number, back_s, end_s, "nlp"), 0
        at_s = end_s + rng.choice((0, rng.randrange(1, _HOUR)))
