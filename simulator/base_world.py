"""The fleet that every scenario begins with: whole GPUs, Slurm's units, MIG instances, and shared devices.

The same plan makes the same world, on every machine and Python version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from zoneinfo import ZoneInfo

from simulator.schedulers import random_uuid
from simulator.work_plans import Need, instance_holdings, job_holdings, pod_holdings, shared_holdings
from simulator.world import (
    Board,
    Facts,
    Holding,
    Instance,
    Kind,
    Machine,
    Measure,
    Phase,
    Rate,
    Sampling,
    Team,
    World,
)

__all__ = ["BUSES", "LAYOUTS", "Plan", "base_world", "cut_into", "local", "phases_of"]

_HOUR, _DAY = 3600, 86_400
BUSES = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")

# Compute and memory slices of each instance, by profile, of a device of 7 and 8.
_SLICES = {"1g.10gb": (1, 1), "1g.20gb": (1, 2), "2g.20gb": (2, 2), "3g.40gb": (3, 4), "4g.40gb": (4, 4)}
LAYOUTS: tuple[tuple[str, ...], ...] = (
    ("1g.10gb",) * 7,
    ("3g.40gb", "3g.40gb"),
    ("4g.40gb", "3g.40gb"),
    ("2g.20gb", "2g.20gb", "1g.10gb"),
    ("1g.20gb", "1g.20gb", "1g.20gb"),
    ("3g.40gb", "2g.20gb"),
)
_KINDS: tuple[Kind, ...] = ("pods", "slurm", "mig", "shared", "pods", "slurm", "pods", "pods")
_TEAMS = (
    ("chat", "language"),
    ("nlp", "language"),
    ("ranking", "search"),
    ("robots", "robotics"),
    ("vision", "vision"),
)


@dataclass(frozen=True)
class Plan:
    """What is asked for: how many GPUs over how many days, sampled by which step, made from which seed."""

    seed: int
    gpus: int
    days: int
    step_s: int = 30

    def random(self, what: str) -> Random:
        """Random choices of one thing, which those of another do not move."""
        return Random(f"{self.seed}/{what}")


def local(text: str, zone: str = "UTC") -> int:
    """The Unix seconds of a local time such as 2026-10-14T00:00."""
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp())


def base_world(
    plan: Plan, scenario: str, start: str = "2026-10-14T00:00", zone: str = "UTC", months: Sequence[str] = ()
) -> World:
    """A fleet without trouble, over whole days from a local midnight."""
    start_s = local(start, zone)
    end_s = start_s + plan.days * _DAY
    machines = tuple(_machines(plan))
    boards = tuple(_boards(plan, machines, start_s))
    instances = tuple(one for board in boards for one in _instances(plan, board))
    need = Need(start_s, end_s)
    holdings = tuple(
        holding for machine in machines for holding in _holdings(plan, machine, boards, instances, need)
    )
    facts = Facts(
        boards,
        instances,
        (),
        holdings,
        tuple(phases_of(plan, holdings)),
        tuple(_rates(start_s)),
        tuple(_teams(start_s)),
    )
    named = months or sorted(
        {datetime.fromtimestamp(at, ZoneInfo(zone)).strftime("%Y-%m") for at in (start_s, end_s - 1)}
    )
    return World(scenario, plan.seed, zone, tuple(named), start_s, end_s, facts, Sampling(step_s=plan.step_s))


def cut_into(board: Board, layout: Sequence[str], start_s: int, end_s: int | None) -> Iterator[Instance]:
    """The instances that a layout cuts a device into."""
    for number, profile in enumerate(layout, 1):
        compute, memory = _SLICES[profile]
        uuid = f"MIG-{random_uuid(Random(f'{board.uuid}/{number}/{start_s}'))}"
        yield Instance(
            board.machine.name, board.bus, number, uuid, board.uuid, profile, compute, memory, start_s, end_s
        )


def phases_of(plan: Plan, holdings: Sequence[Holding]) -> Iterator[Phase]:
    """Some pods wait for their gang, then warm up, then run."""
    rng = plan.random("phases")
    for holding in holdings:
        if len(holding.run) == 3 and rng.random() < 0.4:
            wait_s, warm_s = rng.randrange(5, 240), rng.randrange(20, 900)
            end_s = holding.end_s if holding.end_s is not None else holding.start_s + 10 * _DAY
            edges = [holding.start_s, holding.start_s + wait_s, holding.start_s + wait_s + warm_s]
            if edges[-1] < end_s:
                for phase, begin, end in zip(
                    ("waiting", "warm_up", "running"), edges, [*edges[1:], holding.end_s], strict=True
                ):
                    yield Phase(holding.run, phase, begin, end)


def _machines(plan: Plan) -> Iterator[Machine]:
    size = _per_node(plan)
    for number in range(-(-plan.gpus // size)):
        kind = _KINDS[number % len(_KINDS)]
        yield Machine(f"gpu-{number + 1:03d}", kind, "A100" if kind == "shared" else "H100")


def _per_node(plan: Plan) -> int:
    return min(len(BUSES), max(1, plan.gpus // 4))


def _boards(plan: Plan, machines: Sequence[Machine], start_s: int) -> Iterator[Board]:
    rng, size = plan.random("boards"), _per_node(plan)
    for number in range(plan.gpus):
        machine, bus = machines[number // size], BUSES[number % size]
        uuid = f"GPU-{random_uuid(rng)}"
        drawn = rng.random()
        measure: Measure = "sm" if drawn < 0.7 else "engine" if drawn < 0.85 else "utilisation"
        yield Board(machine, bus, uuid, start_s - 2 * _DAY, None, "sm" if machine.kind == "mig" else measure)


def _instances(plan: Plan, board: Board) -> Iterator[Instance]:
    rng = plan.random(f"layout/{board.uuid}")
    if board.machine.kind == "mig" and (board.bus == BUSES[0] or rng.random() < 0.8):
        yield from cut_into(board, rng.choice(LAYOUTS), board.start_s, None)


def _holdings(
    plan: Plan, machine: Machine, boards: Sequence[Board], instances: Sequence[Instance], need: Need
) -> Iterator[Holding]:
    rng = plan.random(f"holdings/{machine.name}")
    own = [board for board in boards if board.machine == machine]
    if machine.kind == "slurm":
        yield from job_holdings(rng, machine.name, [board.uuid for board in own], need)
        return
    for place, board in enumerate(own):
        cut = [one for one in instances if one.device == board.uuid]
        if machine.kind == "shared":
            yield from shared_holdings(rng, machine.name, board.uuid, need, mps=place % 2 == 1)
        elif cut:
            for one in cut:
                yield from instance_holdings(rng, one, need)
        else:
            yield from pod_holdings(rng, machine.name, board.uuid, need)


def _rates(start_s: int) -> Iterator[Rate]:
    change_s = start_s + 10 * _HOUR + 1234
    yield Rate("A100", "1.374205", start_s - 60 * _DAY, None)
    yield Rate("H100", "2.95", start_s - 60 * _DAY, change_s)
    yield Rate("H100", "2.744705", change_s, None)


def _teams(start_s: int) -> Iterator[Team]:
    moved_s, since_s = start_s + 15 * _HOUR + 777, start_s - 60 * _DAY
    for number, (key, team) in enumerate(_TEAMS):
        if key == "ranking":
            yield Team(key, team, "CC-2", since_s, moved_s)
            yield Team(key, "language", "CC-0", moved_s)
        else:
            yield Team(key, team, f"CC-{number}", since_s)
