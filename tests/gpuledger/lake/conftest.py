"""A lake of its own for each test, and short ways to write facts into it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from gpuledger.lake import Lake, LocalFiles
from gpuledger.lake.arrow import pa
from gpuledger.lake.schema import TABLES
from gpuledger.versions import Database

NOW_S = 1_793_000_000


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database that nobody writes to."""
    path = tmp_path_factory.mktemp("made") / "empty.db"
    Database.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def new_lake(made_once: Path, tmp_path: Path) -> Iterator[Callable[..., Lake]]:
    """Make a lake with a fresh database in a folder of its own: `new_lake(shards)`."""
    opened: list[Database] = []

    def make(shards: int = 1) -> Lake:
        home = tmp_path / f"home{len(opened)}"
        home.mkdir()
        shutil.copy(made_once, home / "gpuledger.db")
        opened.append(Database.open(f"sqlite:///{home / 'gpuledger.db'}"))
        return Lake(opened[-1], LocalFiles(home / "lake"), shards, threads=1)

    yield make
    for database in opened:
        database.close()


@pytest.fixture
def lake(new_lake: Callable[..., Lake]) -> Lake:
    """A lake of one shard."""
    made: Lake = new_lake(1)
    return made


@pytest.fixture(scope="session")
def rows() -> Callable[..., Any]:
    """Make a table from dicts that say what is not plain: `rows("holding", {"identity": "a"}, …)`."""
    return _rows


@pytest.fixture(scope="session")
def publish() -> Callable[..., int]:
    """Stage and publish rows in a commit of their own; its seq: `publish(lake, "holding", {…}, …)`."""

    def publish(lake: Lake, table: str, *facts: dict[str, Any]) -> int:
        staged = lake.stage(table, _rows(table, *facts))
        with lake.database.commit("test", at_s=NOW_S) as commit:
            lake.publish(commit, staged)
        return commit.seq

    return publish


@pytest.fixture(scope="session")
def held() -> Callable[[Lake, int], list[tuple[str, int, int | None]]]:
    """The holdings in force at a seq, as (identity, start, end)."""

    def held(lake: Lake, seq: int) -> list[tuple[str, int, int | None]]:
        found = lake.in_force("holding", seq)
        columns = (found[name].to_pylist() for name in ("identity", "start_s", "end_s"))
        return list(zip(*columns, strict=True))

    return held


def _rows(table: str, *facts: dict[str, Any]) -> Any:
    schema = TABLES[table]
    whole = [_plain(table) | fact for fact in facts]
    return pa.Table.from_pylist(whole, schema=schema.arrow)


def _plain(table: str) -> dict[str, Any]:
    plain: dict[str, Any] = {"string": "", "int64": 0, "bool": False}
    row = {column.name: None if column.nullable else plain[column.type] for column in TABLES[table].columns}
    if table == "holding":
        row |= {"cluster": "main", "units": 1, "weight": 1, "weight_cap": 1, "run_no": crc32(b"run") % 65536}
    return row
