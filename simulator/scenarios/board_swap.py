"""Boards that fail and are replaced: a slot is one GPU, whatever board is in it."""

from __future__ import annotations

from dataclasses import replace

from simulator.base_world import Plan, base_world
from simulator.scenarios.registry import scenario
from simulator.work_plans import pod
from simulator.world import Board, Facts, Holding, World

_HOUR = 3600


@scenario(
    "board-swap", "boards are swapped: one slot stands empty meanwhile, one pod's record outlives its board"
)
def board_swap(plan: Plan) -> World:
    """The first board of each node of pods goes, and another comes: at once, or hours later."""
    world = base_world(plan, "board-swap")
    facts = world.facts
    nodes = sorted({b.machine.name for b in facts.boards if b.machine.kind == "pods"})
    for number, node in enumerate(nodes):
        old = next(board for board in facts.boards if board.machine.name == node)
        gap_s = (0, 2400, 5 * _HOUR)[(plan.seed + number) % 3]
        facts = _swapped(plan, world, facts, old, gap_s)
    return replace(world, facts=facts)


def _swapped(plan: Plan, world: World, facts: Facts, old: Board, gap_s: int) -> Facts:
    """Pods on the old board end with it, but one, whose record goes on for ten minutes."""
    rng = plan.random(f"swap/{old.slot}")
    gone_s = world.start_s + rng.randrange(3 * _HOUR, 12 * _HOUR)
    back_s = gone_s + gap_s
    uuid = f"GPU-{plan.random(old.uuid).getrandbits(128):032x}"
    fresh = replace(
        old, uuid=f"{uuid[:12]}-{uuid[12:16]}-{uuid[16:20]}-{uuid[20:24]}-{uuid[24:]}", start_s=back_s
    )
    kept = [one for one in facts.holdings if one.device != old.uuid]
    theirs = [one for one in facts.holdings if one.device == old.uuid and one.start_s < gone_s]
    kept += [one if one.end_s is not None and one.end_s <= gone_s else _cut(one, gone_s) for one in theirs]
    at_s = back_s + rng.randrange(0, 1800)
    kept.append(pod(rng, old.machine.name, fresh.uuid, at_s, at_s + rng.randrange(1800, 8 * _HOUR)))
    boards = tuple(replace(one, end_s=gone_s) if one == old else one for one in facts.boards)
    runs = {one.run for one in kept}
    phases = tuple(one for one in facts.phases if one.run in runs)
    return replace(facts, boards=(*boards, fresh), holdings=tuple(kept), phases=phases)


def _cut(one: Holding, gone_s: int) -> Holding:
    work = tuple(change for change in one.work if change[0] < gone_s)
    return replace(one, end_s=gone_s + 600, work=(*work, (gone_s, 0)))
