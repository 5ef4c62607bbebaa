"""The text that each source exports, row by row: its columns, its words, its ways to write a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from simulator.exports import utc
from simulator.world import CLUSTER, REGION, Facts, Holding, World

__all__ = ["TABLES", "Table", "pod_rows"]

Row = tuple[str, ...]

_PHASE_WORDS = {"waiting": "Scheduled", "warm_up": "Pulling", "running": "Started"}


class Table(NamedTuple):
    """One file: what parts its cells, its header, and its rows of a world and what is known of it."""

    delimiter: str
    header: Row
    rows_of: Callable[[World, Facts], Iterable[Row]]


def _end(end_s: int | None) -> str:
    return "" if end_s is None else utc(end_s)


def _inventory(world: World, facts: Facts) -> Iterator[Row]:
    for board in facts.boards:
        machine = board.machine
        place = (CLUSTER, machine.name, f"00000000:{board.bus}:00.0", board.uuid, machine.model, REGION)
        yield (*place, str(machine.compute), str(machine.memory), utc(board.start_s), _end(board.end_s))


def _partitions(world: World, facts: Facts) -> Iterator[Row]:
    for one in facts.instances:
        place = (CLUSTER, one.node, f"00000000:{one.bus}:00.0", str(one.number), one.uuid, one.profile)
        yield (*place, str(one.compute), str(one.memory), utc(one.start_s), _end(one.end_s))


def _states(world: World, facts: Facts) -> Iterator[Row]:
    for one in facts.conditions:
        until = "Unknown" if one.end_s is None else _slurm_time(world, one.end_s)
        yield CLUSTER, one.node, one.word, one.reason, _slurm_time(world, one.start_s), until


def _sacct(world: World, facts: Facts) -> Iterator[Row]:
    for one in facts.holdings:
        if not one.device:
            state = "RUNNING" if one.end_s is None else "COMPLETED"
            until = "Unknown" if one.end_s is None else _slurm_time(world, one.end_s)
            asked = f"billing={one.units * 8},cpu={one.units * 8},gres/gpu={one.units},node=1"
            yield CLUSTER, one.run[0], one.owner_key, state, one.run[1], until, one.node, asked


def pod_rows(holdings: Iterable[Holding]) -> Iterator[Row]:
    """Pods with the device that the kubelet gave them; a shared one as the device plugin names a turn."""
    for one in holdings:
        turn = int(one.run[2][:2], 16) % 4
        device = f"{one.device}::{turn}" if one.mode == "time_slicing" else one.device
        shared = (one.mode or "alone", str(one.number) if one.mode else "")
        yield (*one.run, one.node, device, *shared, utc(one.start_s), _end(one.end_s))


def _phases(world: World, facts: Facts) -> Iterator[Row]:
    for one in facts.phases:
        if len(one.run) == 3:
            yield CLUSTER, *one.run, _PHASE_WORDS[one.phase], utc(one.start_s), _end(one.end_s)


def _job_phases(world: World, facts: Facts) -> Iterator[Row]:
    for one in facts.phases:
        if len(one.run) == 2:
            yield CLUSTER, *one.run, one.phase, utc(one.start_s), _end(one.end_s)


def _prices(world: World, facts: Facts) -> Iterator[Row]:
    for one in facts.rates:
        yield one.model, REGION, one.rate, "USD", utc(one.start_s), _end(one.end_s)


def _owners(world: World, facts: Facts) -> Iterator[Row]:
    for one in facts.teams:
        yield one.owner_key, one.team, one.cost_centre, utc(one.start_s), _end(one.end_s)


def _slurm_time(world: World, at_s: int) -> str:
    """As SLURM_TIME_FORMAT asks for: UTC, or the site's own time with its offset."""
    if not world.local_times:
        return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return datetime.fromtimestamp(at_s, ZoneInfo(world.zone)).strftime("%Y-%m-%dT%H:%M:%S%z")


_SPAN = ("from", "to")
_SHAPE = ("compute_slices", "memory_slices", *_SPAN)
_POD = ("namespace", "pod", "uid")
TABLES: dict[str, Table] = {
    "inventory": Table(
        ",", ("cluster", "node", "pci_bus_id", "uuid", "model", "region", *_SHAPE), _inventory
    ),
    "partitions": Table(
        ",", ("cluster", "node", "pci_bus_id", "gpu_instance_id", "mig_uuid", "profile", *_SHAPE), _partitions
    ),
    "states": Table("|", ("Cluster", "NodeName", "State", "Reason", "TimeStart", "TimeEnd"), _states),
    "sacct": Table(
        "|", ("Cluster", "JobID", "Account", "State", "Start", "End", "NodeList", "AllocTRES"), _sacct
    ),
    "pods": Table(
        ",",
        (*_POD, "node", "device", "sharing", "sharing_number", "scheduled_at", "deleted_at"),
        lambda world, facts: pod_rows(one for one in facts.holdings if one.device),
    ),
    "phases": Table(",", ("cluster", *_POD, "reason", "since", "until"), _phases),
    "job-phases": Table(",", ("cluster", "JobID", "Start", "phase", "since", "until"), _job_phases),
    "prices": Table(",", ("model", "region", "rate", "currency", *_SPAN), _prices),
    "owners": Table(",", ("owner_key", "team", "cost_centre", *_SPAN), _owners),
}
"""The CSV files by name."""
