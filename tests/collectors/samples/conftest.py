"""A ledger of its own for each test of the samples, and short ways to import into it and to look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from collectors.imports import Options, Summary, load_map, open_intake
from collectors.samples import SampleMap, import_samples
from gpuledger.lake import Lake, LocalFiles, table_schema
from gpuledger.lake.arrow import pa, pq
from gpuledger.lake.reading import read_known
from gpuledger.versions import Database

NOW_S = 1_796_000_000
HOUR_S = 1_793_059_200

MAP = """
kind: samples
source: dcgm
step: 60
columns: {at: ts, device: uuid, partition: gi, node: host}
run: job
metrics:
  sm_active_permille: sm
  graphics_engine_active_permille: engine
  utilisation_permille: {column: util, unit: percent}
  power_w: power
  energy_j: energy
"""
COLUMNS = ("ts", "uuid", "gi", "host", "job", "sm", "engine", "util", "power", "energy")


@dataclass
class Watched:
    """A ledger that keeps samples."""

    folder: Path
    database: Database
    lake: Lake
    at_s: int = NOW_S

    def now(self) -> int:
        return self.at_s

    def bring_in(
        self, *rows: dict[str, Any], column_map: str = MAP, name: str = "s.csv", **options: Any
    ) -> Summary:
        """Import rows, of which only what is not empty is said; as CSV or, by its name, as Parquet."""
        path = self.folder / name
        if name.endswith(".parquet"):
            pq.write_table(pa.Table.from_pylist([dict.fromkeys(COLUMNS) | row for row in rows]), path)
        else:
            lines = [",".join(str(row.get(column, "")) for column in COLUMNS) for row in rows]
            path.write_text("\n".join([",".join(COLUMNS), *lines]) + "\n")
        return self.bring_in_file(path, column_map, **options)

    def bring_in_file(self, path: Path, column_map: str = MAP, **options: Any) -> Summary:
        loaded = load_map(column_map, SampleMap, file="map.yaml")
        return import_samples(
            open_intake(path, loaded, Options(**options), "main"), loaded, self, lambda _: None
        )

    def rows(self, table: str, *columns: str, seq: int | None = None) -> list[tuple[Any, ...]]:
        """Some columns of all rows that are known, in the table's order."""
        at = self.database.latest_seq() if seq is None else seq
        files = self.lake.named(self.lake.files(table, at))
        schema = table_schema(table)
        if "seq" in schema.names:
            with self.lake.engine() as engine:
                found = read_known(engine, schema, files, at)
        else:
            found = pa.concat_tables(
                [pq.read_table(n, partitioning=None) for n, _ in files] or [schema.arrow.empty_table()]
            )
            found = found.sort_by([(name, "ascending") for name in schema.sort_by])
        return list(zip(*(found[name].to_pylist() for name in columns), strict=True))

    def activity(self, seq: int | None = None) -> list[tuple[Any, ...]]:
        """(subject, minute of the start, minute of the end, band) of each stretch, from HOUR_S on."""
        found = self.rows("activity", "subject", "start_s", "end_s", "band", seq=seq)
        return [(who, (a - HOUR_S) // 60, (b - HOUR_S) // 60, band) for who, a, b, band in found]


@pytest.fixture
def new_watched(tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """Make a ledger in a folder of its own: `new_watched(shards)`."""
    opened: list[Database] = []

    def make(shards: int = 1) -> Watched:
        folder = tmp_path / f"home{len(opened)}"
        (folder / "scratch").mkdir(parents=True)
        opened.append(Database.open(f"sqlite:///{folder / 'gpuledger.db'}"))
        lake = Lake(opened[-1], LocalFiles(folder / "lake"), shards, threads=1, scratch=folder / "scratch")
        return Watched(folder, opened[-1], lake)

    yield make
    for database in opened:
        database.close()


@pytest.fixture
def watched(new_watched: Callable[..., Watched]) -> Watched:
    """A ledger of one shard."""
    made: Watched = new_watched(1)
    return made


@pytest.fixture(scope="session")
def row() -> Callable[..., dict[str, Any]]:
    """A row of a device on a minute of the hour: `row(3, sm=0.5)`."""

    def row(minute: float, uuid: str = "GPU-a", **cells: Any) -> dict[str, Any]:
        return {"ts": int(HOUR_S + minute * 60), "uuid": uuid, "host": "n1", **cells}

    return row
