"""What exporters report of devices, MIG instances and processes, as tables of their own columns.

Each subject's levels are sampled once a step, at an instant of its own and with jitter. Scrapes get lost,
counters begin again, clocks are ahead, exporters are dark or stormed, as `World.sampling` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuledger.lake.arrow import pa
from simulator.world import CLUSTER, Board, Changes, Holding, Instance, Sampling, World

__all__ = ["DAY_S", "METRICS", "Subject", "blocks_of", "repeated", "sample_table", "subjects_of"]

DAY_S = 86_400
_IDLE_W, _WATTS = 70, 490
"""What a device takes when it does nothing, and how much more at full work."""
_JITTER_MS = 1800
METRICS = (
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
)
"""What is sampled: the two ratios per mille, per cent, W and mJ; -1 where there is nothing."""

Numbers = NDArray[np.int64]
Values = dict[str, Numbers]


@dataclass(frozen=True)
class Subject:
    """Who is sampled over [start, end): a device, a MIG instance of it, or a run's processes on it.

    `told` says which measures it has; while a device is `cut` it reports energy and power alone.
    """

    number: int
    node: str
    device: str
    partition: str
    run: tuple[str, ...]
    told: str
    start_s: int
    end_s: int
    changes: Changes
    cut: tuple[tuple[int, int], ...] = ()

    @property
    def name(self) -> str:
        """What the books call it."""
        return "/".join([self.partition or self.device, *self.run])


def subjects_of(world: World) -> list[Subject]:
    """Everything that is sampled, numbered."""
    alone: dict[str, list[Holding]] = {}
    for holding in world.facts.holdings:
        for uuid in holding.on if not holding.mode else ():
            alone.setdefault(uuid, []).append(holding)
    shared = {one.device for one in world.facts.holdings if one.mode}
    instances: dict[str, list[Instance]] = {}
    for instance in world.facts.instances:
        instances.setdefault(instance.device, []).append(instance)
    found: list[Subject] = []
    for board in world.facts.boards:
        cut = instances.get(board.uuid, [])
        told = "utilisation" if board.uuid in shared else board.measure
        found += _of_board(world, board, cut, told, alone, len(found))
    for holding in world.facts.holdings:
        if holding.mode:
            found.append(_of_process(world, holding, len(found)))
    return [one for one in found if one.start_s < one.end_s]


def blocks_of(
    world: World, subjects: Sequence[Subject], day_s: int, source: str = "dcgm"
) -> list[tuple[Subject, Numbers, Values]]:
    """One UTC day of each subject that has samples in it: their told instants in milliseconds, and values."""
    seen = ((one, *_block(world, one, day_s, source)) for one in subjects)
    return [(one, told, _values(world, one, at_s, day_s)) for one, told, at_s in seen if told.size]


def sample_table(world: World, subjects: Sequence[Subject], day_s: int, source: str = "dcgm") -> Any:
    """One UTC day of some subjects as their exporter has it, in the order of subjects and time."""
    blocks = blocks_of(world, subjects, day_s, source)
    counts = [told.size for _, told, _ in blocks]
    columns: dict[str, Any] = {
        "cluster": pa.repeat(CLUSTER, sum(counts)),
        "timestamp": _joined_up([told for _, told, _ in blocks]),
        "UUID": repeated([one.device for one, _, _ in blocks], counts),
        "MIG_UUID": repeated([one.partition or None for one, _, _ in blocks], counts),
        "Hostname": repeated([one.node for one, _, _ in blocks], counts),
    }
    for place, name in enumerate(("namespace", "pod", "uid")):
        columns[name] = repeated([one.run[place] if one.run else None for one, _, _ in blocks], counts)
    for name in METRICS:
        column = _joined_up([values[name] for _, _, values in blocks])
        ratio = name in METRICS[:2]
        columns[name] = pa.array(column / 1000 if ratio else column, mask=column < 0)
    return pa.table(columns)


def _of_board(
    world: World,
    board: Board,
    cut: Sequence[Instance],
    told: str,
    alone: dict[str, list[Holding]],
    first: int,
) -> Iterator[Subject]:
    start_s, end_s = _window(world, board.start_s, board.end_s)
    changes = _joined(alone.get(board.uuid, ()))
    spans = tuple(sorted({_window(world, one.start_s, one.end_s) for one in cut}))
    yield Subject(first, board.machine.name, board.uuid, "", (), told, start_s, end_s, changes, spans)
    for number, one in enumerate(cut, first + 1):
        begin, end = _window(world, one.start_s, one.end_s)
        of_it = _joined(alone.get(one.uuid, ()))
        yield Subject(number, one.node, board.uuid, one.uuid, (), "instance", begin, end, of_it)


def _of_process(world: World, holding: Holding, number: int) -> Subject:
    start_s, end_s = _window(world, holding.work[0][0], holding.work[-1][0])
    return Subject(
        number, holding.node, holding.device, "", holding.run, "process", start_s, end_s, holding.work
    )


def _window(world: World, start_s: int, end_s: int | None) -> tuple[int, int]:
    return max(world.start_s, start_s), world.end_s if end_s is None else min(world.end_s, end_s)


def _joined(holdings: Iterable[Holding]) -> Changes:
    """The levels of a subject that one run has after the other; 0 between them."""
    changes: dict[int, int] = {}
    for holding in sorted(holdings, key=lambda one: one.work[0][0]):
        changes |= dict(holding.work)
    return tuple(sorted(changes.items()))


def _block(world: World, subject: Subject, day_s: int, source: str) -> tuple[Numbers, Numbers]:
    """The told instants in milliseconds, and the true ones in seconds, of one subject and UTC day."""
    empty = np.zeros(0, dtype=np.int64)
    begin, end = max(day_s, subject.start_s), min(day_s + DAY_S, subject.end_s)
    if begin >= end:
        return empty, empty
    sampling = world.sampling
    step_s = sampling.second_step_s if source != "dcgm" and sampling.second_step_s else sampling.step_s
    rng = np.random.default_rng([world.seed, subject.number, day_s, len(source)])
    at_ms = _scheduled(rng, begin, end, step_s)
    at_ms = at_ms[rng.random(at_ms.size) * 1000 >= sampling.lost_permille]
    for storm in sampling.storms:
        at_ms = _stormed(rng, at_ms, storm.start_s, storm.end_s, storm.times, storm.late_s)
    if rng.random() < 0.3:
        hole = begin + int(rng.integers(0, max(1, end - begin)))
        at_ms = at_ms[(at_ms < hole * 1000) | (at_ms >= (hole + int(rng.integers(2, 12)) * step_s) * 1000)]
    at_s = at_ms // 1000
    keep = (at_s >= begin) & (at_s < end) & ~_dark(sampling, subject.node, at_s)
    told, at_s = at_ms[keep] + sampling.skews.get(subject.node, 0) * 1000, at_s[keep]
    known = told < world.end_s * 1000
    return told[known], at_s[known]


def _scheduled(rng: np.random.Generator, begin: int, end: int, step_s: int) -> Numbers:
    """One instant a step, early in it, with jitter that stays inside."""
    room = max(1, step_s * 1000 - _JITTER_MS)
    first = int(rng.integers(0, room))
    cells = np.arange(begin // step_s, -(-end // step_s), dtype=np.int64)
    jitter = rng.integers(0, min(_JITTER_MS, step_s * 1000 - first), cells.size)
    return np.asarray(cells * step_s * 1000 + first + jitter, dtype=np.int64)


def _stormed(
    rng: np.random.Generator, at_ms: Numbers, start_s: int, end_s: int, times: int, late_s: int
) -> Numbers:
    """The scrapes inside a storm: several for one, each a little late, so that cells have many or none."""
    inside = (at_ms >= start_s * 1000) & (at_ms < end_s * 1000)
    many = np.repeat(at_ms[inside], times)
    many = many + rng.integers(0, late_s * 1000, many.size)
    many = many[rng.random(many.size) < 0.6]
    return np.asarray(np.sort(np.concatenate([at_ms[~inside], many])), dtype=np.int64)


def _dark(sampling: Sampling, node: str, at_s: Numbers) -> NDArray[np.bool_]:
    dark = np.zeros(at_s.size, dtype=bool)
    for name, start_s, end_s in sampling.dark:
        if name in ("", node):
            dark |= (at_s >= start_s) & (at_s < end_s)
    return dark


def _values(world: World, subject: Subject, at_s: Numbers, day_s: int) -> Values:
    """What a subject's metrics are at these instants."""
    rng = np.random.default_rng([world.seed, subject.number, day_s, at_s.size])
    level = _level(subject.changes, at_s)
    shown = np.minimum(level + rng.integers(0, 9, at_s.size), 1000)
    found: Values = dict.fromkeys(METRICS, np.full(at_s.size, -1, dtype=np.int64))
    sm, engine, utilisation, power, energy = METRICS
    if subject.told in ("sm", "instance", "process"):
        found[sm] = np.where(rng.random(at_s.size) < 0.002, -1, shown)
    if subject.told in ("sm", "instance", "engine"):
        found[engine] = shown
    if subject.told == "utilisation":
        found[utilisation] = shown // 10
    elif subject.told in ("sm", "instance"):
        # That some kernel ran: of a device that does little it says all, of an instance nothing.
        found[utilisation] = np.where(level > 0, 100, 0)
    for start_s, end_s in subject.cut:
        for name in (sm, engine, utilisation):
            found[name] = np.where((at_s >= start_s) & (at_s < end_s), -1, found[name])
    if subject.told not in ("instance", "process"):
        found[power] = _IDLE_W + level * _WATTS // 1000
        found[energy] = _energy(world, subject, at_s)
    return found


def _level(changes: Changes, at_s: Numbers) -> Numbers:
    times = np.array([at for at, _ in changes], dtype=np.int64)
    levels = np.array([0, *(level for _, level in changes)], dtype=np.int64)
    return np.asarray(levels[np.searchsorted(times, at_s, side="right")], dtype=np.int64)


def _energy(world: World, subject: Subject, at_s: Numbers) -> Numbers:
    """The running total in mJ since the driver was loaded: 0 again at each reset."""
    booted_s = np.array(
        sorted([world.start_s - DAY_S, *(at for node, at in world.sampling.resets if node == subject.node)]),
        dtype=np.int64,
    )
    since = booted_s[np.searchsorted(booted_s, at_s, side="right") - 1]
    return _joules(subject.changes, at_s) - _joules(subject.changes, since)


def _joules(changes: Changes, at_s: Numbers) -> Numbers:
    """The mJ that were used from the Unix epoch to each instant."""
    times = np.array([0, *(at for at, _ in changes)], dtype=np.int64)
    watts = np.array([0, *(level for _, level in changes)], dtype=np.int64) * _WATTS // 1000 + _IDLE_W
    total = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.diff(times) * watts[:-1])])
    place = np.searchsorted(times, at_s, side="right") - 1
    return np.asarray((total[place] + (at_s - times[place]) * watts[place]) * 1000, dtype=np.int64)


def _joined_up(blocks: Sequence[Numbers]) -> Numbers:
    return np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int64)


def repeated(texts: Sequence[str | None], counts: Sequence[int]) -> Any:
    """Each text as often as its subject has samples."""
    codes = np.repeat(np.arange(len(texts)), counts)
    return pa.array(texts, pa.string()).take(pa.array(codes))
