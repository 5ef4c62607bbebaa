"""Simulated fleets in folders of their own: written, imported by the real commands, books read back."""

from __future__ import annotations

import io
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gpuledger.cli import invoke
from gpuledger.lake.arrow import pq
from gpuledger.session import Edge
from gpuledger.versions import Database
from simulator.base_world import Plan
from simulator.scenarios import make_world
from simulator.simulate import set_up
from simulator.sources import Written, readings_of, write_sources
from simulator.truths import TimeRow, Truth, truth_of
from simulator.truths.moments import Policies, Taker
from simulator.world import CLUSTER, World

__all__ = ["Fleet", "Row", "Words", "made", "type_in"]

Row = dict[str, Any]
Words = tuple[str, ...]


def type_in(folder: Path, *words: str) -> str:
    """Type a command in a folder, nothing of this machine around it; what it printed. It must succeed."""
    with chdir(folder), redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = invoke(words, edge=Edge(environ={}, cwd=folder))
    assert code == 0, f"gpuledger {' '.join(words)}\n{out.getvalue()}{err.getvalue()}"
    return out.getvalue()


@dataclass
class Fleet:
    """A simulated fleet whose sources were written into a folder."""

    folder: Path
    world: World
    written: Written
    _truths: dict[tuple[str, Policies | None], Truth] = field(default_factory=dict)

    def keep_books(self, commands: Sequence[Words] | None = None) -> Fleet:
        """Type the commands that came with the sources, or others."""
        for words in self.written.commands if commands is None else commands:
            type_in(self.folder, *words)
        return self

    @cached_property
    def readings(self) -> list[Any]:
        """All samples that were written, row by row."""
        return [one for part in self.written.samples for one in readings_of(*part)]

    def truth(self, month: str, policies: Policies | None = None) -> Truth:
        """What the simulator knows of a month."""
        if (month, policies) not in self._truths:
            self._truths[month, policies] = truth_of(self.world, month, self.readings, policies)
        return self._truths[month, policies]

    def time_rows(self, month: str) -> dict[TimeRow, Row]:
        """The time rows in force, by what makes one."""
        found: dict[TimeRow, Row] = {}
        for row in self._in_force("time_row", month):
            key = key_of(row, row["account"], row["owner"])
            assert key not in found
            found[key] = row
        return found

    def entries(self, month: str) -> dict[TimeRow, Row]:
        """The pooled entries in force, by the time row that they charge."""
        rows = [row for row in self._in_force("entry", month) if row["layer"] == "pooled"]
        found = {key_of(row, row["to_account"], row["to_owner"]): row for row in rows}
        assert len(found) == len(rows)
        return found

    def recognised(self, month: str) -> Counter[tuple[str, int]]:
        """The recognised quanta of each pool and piece."""
        found: Counter[tuple[str, int]] = Counter()
        for row in self._in_force("recognised_entry", month):
            found[row["pool"], row["piece_s"]] += row["amount"]
        return found

    def everything(self, month: str) -> list[tuple[Any, ...]]:
        """Every row of a month's books, in one order, without what names the run."""
        names = ("time_row", "entry", "recognised_entry")
        return sorted(
            (name, *(repr(value) for value in row.values()))
            for name in names
            for row in self._in_force(name, month)
        )

    def _in_force(self, name: str, month: str) -> Iterator[Row]:
        home = self.folder / ".gpuledger"
        with sqlite3.connect(home / "gpuledger.db") as database:
            query = "select day, shard, run_id from book_head where period = ? order by day, shard"
            heads = database.execute(query, (month,)).fetchall()
        database.close()
        for day, shard, run_id in heads:
            path = home / "books" / "main" / month / day / f"{shard}" / f"run={run_id}" / f"{name}.parquet"
            yield from pq.read_table(path, partitioning=None).to_pylist()


def key_of(row: Row, account: str, owner: str) -> TimeRow:
    """A row of the books as the simulator names it: without the cluster before each name."""
    slot, lane, run = (row[name].removeprefix(f"{CLUSTER}/") for name in ("slot", "lane", "run"))
    taker = Taker(run, owner, row["team"], row["phase"], account, row["state"])
    return TimeRow(row["from_s"], slot, lane, taker)


def made(
    folder: Path,
    scenario: str,
    seed: int,
    change: Callable[[World], World] = lambda world: world,
    **plan: int,
) -> Fleet:
    """Write the sources of a small fleet of a scenario."""
    asked = {"gpus": 8, "days": 2, "step_s": 60} | plan
    world = change(make_world(scenario, Plan(seed, **asked)))
    set_up(folder, world)
    (folder / ".gpuledger" / "gpuledger.db").write_bytes(_empty_database())
    return Fleet(folder, world, write_sources(world, folder))


@lru_cache(maxsize=1)
def _empty_database() -> bytes:
    """The file of a new database: to copy it is quicker than to migrate each one."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "gpuledger.db")
        Database.open(f"sqlite:///{path}").close()
        return path.read_bytes()
