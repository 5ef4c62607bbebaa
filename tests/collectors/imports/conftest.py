"""Files, maps and a ledger of its own for each test of the imports."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from collectors.imports import (
    CapacityMap,
    CheckpointMap,
    ColumnMap,
    HoldingMap,
    InventoryMap,
    Options,
    PartitionMap,
    PhaseMap,
    StateMap,
    Summary,
    import_capacity,
    import_checkpoints,
    import_holdings,
    import_inventory,
    import_partitions,
    import_phases,
    import_states,
    load_map,
    open_intake,
)
from gpuledger.engine import connect
from gpuledger.lake import Lake, LocalFiles, table_schema
from gpuledger.lake.reading import read_in_force, read_known
from gpuledger.versions import Database, throughs

NOW_S = 1_793_000_000

IMPORTS: dict[type[ColumnMap], Callable[..., Summary]] = {
    HoldingMap: import_holdings,
    InventoryMap: import_inventory,
    CapacityMap: import_capacity,
    StateMap: import_states,
    PartitionMap: import_partitions,
    PhaseMap: import_phases,
    CheckpointMap: import_checkpoints,
}


@dataclass
class Books:
    """A ledger in a folder of its own, and short ways to import into it and to look at what it knows."""

    folder: Path
    database: Database
    lake: Lake
    engine: Any
    at_s: int = NOW_S

    def now(self) -> int:
        return self.at_s

    def bring_in(
        self,
        rows: str,
        column_map: str,
        kind: type[ColumnMap] = HoldingMap,
        *,
        name: str = "export.csv",
        **options: Any,
    ) -> Summary:
        """Import CSV text through the text of a map."""
        path = self.folder / name
        path.write_text(rows, encoding="utf-8", newline="")
        return self.bring_in_file(path, column_map, kind, **options)

    def bring_in_file(
        self, path: Path, column_map: str, kind: type[ColumnMap] = HoldingMap, **options: Any
    ) -> Summary:
        loaded = load_map(column_map, kind, file="map.yaml")
        intake = open_intake(path, loaded, Options(**options), "main")
        return IMPORTS[kind](intake, loaded, self, lambda _: None)

    def facts(self, table: str, *columns: str, seq: int | None = None) -> list[tuple[Any, ...]]:
        """Some columns of the facts in force, by identity."""
        at = self.database.latest_seq() if seq is None else seq
        files = self.lake.named(self.lake.files(table, at))
        rows = read_in_force(self.engine, table_schema(table), files, at)
        return list(zip(*(rows[name].to_pylist() for name in columns), strict=True))

    def quarantine(self) -> list[dict[str, Any]]:
        """Every row in quarantine, by file and number."""
        seq = self.database.latest_seq()
        files = self.lake.named(self.lake.files("quarantine", seq))
        rows = read_known(self.engine, table_schema("quarantine"), files, seq).to_pylist()
        return sorted(rows, key=lambda row: (row["file"], row["row"]))

    def throughs(self) -> dict[tuple[str, str], int]:
        with self.database.read() as connection:
            return throughs(connection, self.database.latest_seq())


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database that nobody writes to."""
    path = tmp_path_factory.mktemp("made") / "empty.db"
    Database.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def engine() -> Iterator[Any]:
    """One connection to look at facts through; to open one takes longer than a small import."""
    with connect(threads=1) as connection:
        yield connection


@pytest.fixture
def new_books(made_once: Path, tmp_path: Path, engine: Any) -> Iterator[Callable[..., Books]]:
    """Make a ledger: `new_books(shards)`."""
    opened: list[Database] = []

    def make(shards: int = 1) -> Books:
        home = tmp_path / f"home{len(opened)}"
        home.mkdir()
        shutil.copy(made_once, home / "gpuledger.db")
        database = Database.open(f"sqlite:///{home / 'gpuledger.db'}")
        opened.append(database)
        return Books(home, database, Lake(database, LocalFiles(home / "lake"), shards, threads=1), engine)

    yield make
    for database in opened:
        database.close()


@pytest.fixture
def books(new_books: Callable[..., Books]) -> Books:
    return new_books()
