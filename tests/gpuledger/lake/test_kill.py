"""A writer that is killed at random instants."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuledger.lake import Lake, LocalFiles
from gpuledger.lake.reading import read_known
from gpuledger.lake.schema import table_schema
from gpuledger.versions import Database

pytestmark = pytest.mark.integration

KILLS = 5

# Publishes holdings in both shards and a slot, commit after commit, and says each when it is done.
WRITER = """
import sys
from gpuledger.lake import Lake, LocalFiles
from gpuledger.lake.arrow import pa
from gpuledger.lake.schema import TABLES
from gpuledger.versions import Database

def rows(table, identities):
    columns = {c.name: None if c.nullable else {"string": "", "int64": 1, "bool": False}[c.type]
               for c in TABLES[table].columns}
    some = [columns | {"identity": identity, "node": f"n{k}"} for k, identity in enumerate(identities)]
    return pa.Table.from_pylist(some, schema=TABLES[table].arrow)

url, root, life = sys.argv[1:]
database = Database.open(url)
lake = Lake(database, LocalFiles(root), 2, threads=1)
print("ready", flush=True)
for number in range(10**9):
    name = f"{life}-{number}"
    staged = lake.stage("holding", rows("holding", [f"{name}-{k}" for k in range(5)]))
    staged += lake.stage("slot", rows("slot", [name]))
    with database.commit("import", at_s=1_790_000_000, note=name) as commit:
        lake.publish(commit, staged)
    print(name, commit.seq, flush=True)
    if number % 5 == 4:
        lake.compact("holding", 0, 1_790_000_000)
"""


def write_and_kill(url: str, root: Path, life: int, commits: int, more_s: float) -> dict[str, int]:
    """Let a writer work until it said some commits and a little longer, kill it: what it said was done."""
    command = [sys.executable, "-c", WRITER, url, str(root), str(life)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        said = [writer.stdout.readline() for _ in range(commits)]
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(more_s)
        os.kill(writer.pid, signal.SIGKILL)
        said += [line for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    return {name: int(seq) for name, seq in (line.split() for line in said)}


def stored(lake: Lake, table: str) -> Counter[tuple[str, int]]:
    """(Name of the commit, seq) of each row in the lake."""
    latest = lake.database.latest_seq()
    with lake.engine() as connection:
        found = read_known(connection, table_schema(table), lake.named(lake.files(table, latest)), latest)
    names = ("-".join(identity.split("-")[:2]) for identity in found["identity"].to_pylist())
    return Counter(zip(names, found["seq"].to_pylist(), strict=True))


def test_killed_writer_loses_nothing_it_acknowledged_and_leaves_nothing_half(
    tmp_path: Path, made_once: Path, new_lake: Callable[[int], Lake]
) -> None:
    chance = random.Random(11)
    lake = new_lake(2)
    url, root = str(lake.database.engine.url), tmp_path / "home0" / "lake"
    said: dict[str, int] = {}
    for life in range(KILLS):
        said |= write_and_kill(url, root, life, chance.randrange(1, 8), chance.random() / 20)
        database = Database.open(url)
        again = Lake(database, LocalFiles(root), 2)
        holdings, slots = stored(again, "holding"), stored(again, "slot")
        assert again.verify() == []
        assert set(holdings) == set(slots)
        assert set(holdings.values()) == {5}
        assert set(slots.values()) == {1}
        assert said.items() <= dict(slots.keys()).items()
        assert len(dict(slots.keys())) == len(slots)
        database.close()
    assert len(said) >= KILLS
