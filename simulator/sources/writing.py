"""Write what a world's sources say, one delivery after the other, with the commands that read it."""

from __future__ import annotations

import csv
import shlex
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from gpuledger.lake.arrow import pa, pc, pq
from simulator.exports import utc
from simulator.sources.samples import DAY_S, sample_table, subjects_of
from simulator.sources.tables import TABLES
from simulator.world import Delivery, Facts, World, known_at

__all__ = ["Written", "write_sources"]

Words = tuple[str, ...]

_IMPORTS = (
    ("inventory", "inventory"),
    ("partitions", "partitions"),
    ("states", "states"),
    ("sacct", "holdings"),
    ("pods", "holdings"),
    ("phases", "phases"),
    ("job-phases", "phases"),
)
_SHARING = {"pods": "", "pods-time-slicing": "time_slicing", "pods-mps": "mps"}
"""The maps that read the file of pods, each for one way of sharing."""
_PROCESS = ("namespace", "pod", "uid")


@dataclass
class Written:
    """What was written: the commands in order, rows of each file, tables of samples by source and step."""

    commands: list[Words] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    samples: list[tuple[str, int, Any]] = field(default_factory=list)


def write_sources(world: World, folder: Path, *, with_samples: bool = True) -> Written:
    """Write every delivery: CSV as the sources export it, samples as Parquet, and each file's map of columns.

    After each delivery the books are run.
    """
    written = Written()
    deliveries = world.deliveries or (Delivery(known_at(world.facts, world.end_s), world.end_s),)
    for number, delivery in enumerate(deliveries, 1):
        suffix = "" if len(deliveries) == 1 else f"-{number}"
        _write_facts(world, folder, delivery, suffix, written)
        if number == 1:
            for name in ("prices", "owners"):
                _write_table(world, folder, name, f"{name}.csv", delivery.facts, written)
                written.commands.append(("import", name, f"{name}.csv"))
        if with_samples:
            _write_samples(world, folder, delivery, number, suffix, written)
        elif number == 1:
            written.commands.append(("lake", "rebuild-activity"))
        written.commands += [("run", "--month", month) for month in world.months]
    lines = [f"gpuledger {shlex.join(words)}" for words in written.commands]
    (folder / "commands.txt").write_text("\n".join([*lines, ""]), "utf-8")
    return written


def _write_facts(world: World, folder: Path, delivery: Delivery, suffix: str, written: Written) -> None:
    through = ("--through", utc(delivery.through_s))
    for name, kind in _IMPORTS:
        for source, facts in _told(delivery, name):
            file = f"{name}{source and '-' + source}{suffix}.csv"
            if not _write_table(world, folder, name, file, facts, written):
                continue
            for read_by in _maps(name, facts):
                target = f"{read_by}{source and '-' + source}.map.yaml"
                _write_map(folder, read_by, target, source=source or "kubelet")
                timed = through if name in ("inventory", "sacct", "pods") else ()
                written.commands.append(("import", kind, file, "--map", target, *timed))


def _told(delivery: Delivery, name: str) -> list[tuple[str, Facts]]:
    """Who says it ('' where it is only one): of pods each exporter its own."""
    if name == "pods" and delivery.said_by:
        return [(source, replace(delivery.facts, holdings=told)) for source, told in delivery.said_by]
    return [("", delivery.facts)]


def _maps(name: str, facts: Facts) -> list[str]:
    if name != "pods":
        return [name]
    modes = {one.mode for one in facts.holdings if one.device}
    return [read_by for read_by, mode in _SHARING.items() if mode in modes]


def _write_table(world: World, folder: Path, name: str, file: str, facts: Facts, written: Written) -> int:
    """Write one file, if there is a row for it; how many there are."""
    table = TABLES[name]
    rows = list(table.rows_of(world, facts))
    if rows:
        with (folder / file).open("w", encoding="utf-8", newline="") as opened:
            writer = csv.writer(opened, delimiter=table.delimiter, lineterminator="\n")
            writer.writerows([table.header, *rows])
        written.rows[file] = len(rows)
    return len(rows)


def _write_map(folder: Path, name: str, target: str, **words: object) -> None:
    text = (files("simulator.sources") / "maps" / f"{name}.map.yaml").read_text("utf-8")
    (folder / target).write_text(Template(text).substitute(words), "utf-8")


def _write_samples(
    world: World, folder: Path, delivery: Delivery, number: int, suffix: str, written: Written
) -> None:
    """Each exporter's samples up to where a delivery reaches; what comes late comes with the last one."""
    since_s = world.deliveries[number - 2].through_s if number > 1 else world.start_s
    late = world.sampling.late if number == len(world.deliveries or (1,)) else ()
    held_back = () if late else world.sampling.late
    spans = [(since_s, delivery.through_s), *late]
    for source, step_s in _exporters(world):
        table = _sampled(world, source)
        at_s = pc.divide(table["timestamp"], 1000)
        table = table.filter(_within(at_s, spans, held_back))
        for kind, columns in _split(table).items():
            name = source if kind == "devices" else "processes"
            if columns.num_rows and (kind == "devices" or source == "dcgm"):
                file, target = f"{name}{suffix}.parquet", f"{name}.map.yaml"
                pq.write_table(columns, folder / file, compression="zstd")
                _write_map(folder, "dcgm" if kind == "devices" else kind, target, source=name, step=step_s)
                written.rows[file] = columns.num_rows
                written.samples.append((name, step_s, columns))
                written.commands.append(("import", "samples", file, "--map", target))


def _exporters(world: World) -> list[tuple[str, int]]:
    second = world.sampling.second_step_s
    return [("dcgm", world.sampling.step_s), *([("dcgm-b", second)] if second else [])]


def _sampled(world: World, source: str) -> Any:
    subjects = subjects_of(world)
    first = world.start_s // DAY_S * DAY_S
    days = [sample_table(world, subjects, day_s, source) for day_s in range(first, world.end_s, DAY_S)]
    return pa.concat_tables(days)


def _within(at_s: Any, spans: list[tuple[int, int]], without: tuple[tuple[int, int], ...]) -> Any:
    def inside(of: list[tuple[int, int]] | tuple[tuple[int, int], ...]) -> Any:
        found = pc.less(at_s, 0)
        for start_s, end_s in of:
            found = pc.or_(found, pc.and_(pc.greater_equal(at_s, start_s), pc.less(at_s, end_s)))
        return found

    return pc.and_(inside(spans), pc.invert(inside(without)))


def _split(table: Any) -> dict[str, Any]:
    """Devices and instances as dcgm-exporter has them, and processes as another exporter."""
    is_process = pc.is_valid(table["uid"])
    processes = table.filter(is_process).select(
        ["cluster", "timestamp", "UUID", "Hostname", *_PROCESS, "DCGM_FI_PROF_SM_ACTIVE"]
    )
    names = ["SM_ACTIVE" if name == "DCGM_FI_PROF_SM_ACTIVE" else name for name in processes.column_names]
    return {
        "devices": table.filter(pc.invert(is_process)).drop_columns(list(_PROCESS)),
        "processes": processes.rename_columns(names),
    }
