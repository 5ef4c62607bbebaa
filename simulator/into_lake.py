"""Samples of a large fleet straight into a lake: a UTC day of some devices at a time, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuledger.console import Progress
from gpuledger.home import Home
from gpuledger.lake import Lake, LocalFiles, StagedFile
from gpuledger.lake.arrow import pa, pc
from gpuledger.lake.schema import table_schema
from gpuledger.lake.staging import conform, cut, shard_of
from gpuledger.versions import Database
from simulator.sources.samples import DAY_S, METRICS, Subject, blocks_of, repeated, subjects_of
from simulator.world import CLUSTER, World

__all__ = ["fill_lake"]

_AT_ONCE = 200
"""Subjects of one file: some million samples at most."""

_SM, _ENGINE, _UTILISATION, _POWER, _ENERGY = METRICS
_COLUMNS = {
    _SM: ("sm_active_permille", 1, 1),
    _ENGINE: ("graphics_engine_active_permille", 1, 1),
    _UTILISATION: ("utilisation_permille", 10, 1),
    _POWER: ("power_w", 1, 1),
    _ENERGY: ("energy_j", 1, 1000),
}
"""The lake's column of each metric, and what it is multiplied and divided by."""


def fill_lake(
    world: World,
    home: Path,
    shards: int,
    at_s: int,
    progress: Callable[[int, str], AbstractContextManager[Progress]],
) -> int:
    """Put all samples of a world into a home's lake in one commit; how many there are."""
    opened = Home(home, "")
    opened.open()
    database = Database.open(opened.database_url)
    lake = Lake(database, LocalFiles(opened.lake), shards)
    subjects = sorted(subjects_of(world), key=lambda one: one.name)
    batches = list(_batches(world, subjects, shards))
    staged, schema = list[StagedFile](), table_schema("sample")

    def written(batch: tuple[int, list[Subject]]) -> list[StagedFile]:
        rows = conform(_as_lake(world, batch[1], batch[0]), schema)
        return [lake.write(schema, part) for part in cut(rows, schema, shards)]

    # Two at a time: numpy and Arrow leave the interpreter to the other one.
    with progress(len(batches), "samples") as bar, ThreadPoolExecutor(2) as pool:
        for files in pool.map(written, batches):
            staged += files
            bar.advance()
    with database.commit("import samples", at_s=at_s, note=f"simulated: {world.scenario}") as commit:
        lake.publish(commit, staged)
    lake.write_manifest()
    database.close()
    return sum(file.rows for file in staged)


def _batches(world: World, subjects: list[Subject], shards: int) -> Iterator[tuple[int, list[Subject]]]:
    """(UTC day, subjects) of each file, of one shard, subjects in the lake's order."""
    for day_s in range(world.start_s // DAY_S * DAY_S, world.end_s, DAY_S):
        there = [one for one in subjects if one.start_s < day_s + DAY_S and one.end_s > day_s]
        for shard in range(shards):
            mine = [one for one in there if shard_of(one.node, shards) == shard]
            for first in range(0, len(mine), _AT_ONCE):
                yield day_s, mine[first : first + _AT_ONCE]


def _as_lake(world: World, subjects: Sequence[Subject], day_s: int) -> Any:
    """One UTC day of some subjects as the lake has them: instants of the step, per mille, joules."""
    step_s = world.sampling.step_s
    blocks = blocks_of(world, subjects, day_s)
    counts = [told.size for _, told, _ in blocks]
    told = _joined([told for _, told, _ in blocks])
    rows: dict[str, Any] = {
        "cluster": pa.repeat(CLUSTER, told.size),
        "node": repeated([one.node for one, _, _ in blocks], counts),
        "subject": repeated([one.name for one, _, _ in blocks], counts),
        "source": repeated(["processes" if one.run else "dcgm" for one, _, _ in blocks], counts),
        "instant_us": told // 1000 // step_s * step_s * 1_000_000,
        "device": repeated([one.device for one, _, _ in blocks], counts),
        "step_s": np.full(told.size, step_s, dtype=np.int64),
    }
    for name, (column, times, per) in _COLUMNS.items():
        values = _joined([values[name] for _, _, values in blocks])
        rows[column] = pa.array(values * times // per, mask=values < 0)
    return _greatest(pa.table(rows))


def _joined(blocks: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int64)


def _greatest(rows: Any) -> Any:
    """One row per subject and instant: of several the greatest of each metric, as an import keeps them."""
    keys = ["cluster", "node", "subject", "source", "instant_us", "device", "step_s"]
    again = pc.and_(
        pc.equal(rows["subject"][1:], rows["subject"][:-1]),
        pc.equal(rows["instant_us"][1:], rows["instant_us"][:-1]),
    )
    if not pc.any(again).as_py():
        return rows
    metrics = [name for name in rows.column_names if name not in keys]
    grouped = rows.group_by(keys).aggregate([(name, "max") for name in metrics])
    return grouped.rename_columns([name.removesuffix("_max") for name in grouped.column_names]).sort_by(
        [("subject", "ascending"), ("source", "ascending"), ("instant_us", "ascending")]
    )
