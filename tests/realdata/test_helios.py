"""Real counts of capacity: 16 virtual clusters of Helios Earth, minute by minute, in May 2020.

The map reads what is held out of a column that Helios calls `gpu_utilization`, a share in three decimals.
What the books must come to is added up here from the counts of running and idle GPUs, which the map does not
read.
"""

from __future__ import annotations

import io
import json
from collections import defaultdict
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from gpuledger.cli import invoke
from gpuledger.engine import connect
from gpuledger.money import half_up
from gpuledger.session import Edge, Session

pytestmark = pytest.mark.realdata

MAP = Path(__file__).with_name("helios-earth.map.yaml")
MONTH = "2020-05"
TICKS_PER_MINUTE = 60 * 720_720


@dataclass(frozen=True)
class Counted:
    """GPU-minutes of a virtual cluster: there, held, free."""

    there: int
    held: int
    free: int


@dataclass(frozen=True)
class Books:
    """The books of May 2020 in the zone of the clock on the wall."""

    folder: Path
    summary: dict[str, Any]
    statement: dict[str, Any]

    def time_rows(self) -> dict[tuple[str, str], int]:
        """Ticks by virtual cluster and account, from the time rows that the run wrote."""
        files = [str(path) for path in (self.folder / "home" / "books").rglob("time_row.parquet")]
        query = "select node, account, sum(ticks) from read_parquet(?) group by node, account"
        with connect() as connection:
            rows = connection.execute(query, [files]).fetchall()
        return {(node.removeprefix("earth/"), account): int(ticks) for node, account, ticks in rows}


@pytest.fixture(scope="module")
def counts(realdata: Path) -> Path:
    return realdata / "acme-philly-helios" / "helios_earth_vc_minute_2020-05.parquet"


@pytest.fixture(scope="module")
def counted(counts: Path) -> dict[str, Counted]:
    query = """
        select vc, sum(total_gpu_num), sum(running_gpu_num), sum(idle_gpu_num)
        from read_parquet(?) group by vc
    """
    with connect() as connection:
        rows = connection.execute(query, [str(counts)]).fetchall()
    return {vc: Counted(int(there), int(held), int(free)) for vc, there, held, free in rows}


@pytest.fixture(scope="module")
def books(counts: Path, tmp_path_factory: pytest.TempPathFactory) -> Books:
    folder = tmp_path_factory.mktemp("helios")
    summary = call(folder, "import", "capacity", str(counts), "--map", str(MAP), "--format", "json")
    call(folder, "run", "--month", MONTH)
    statement = call(folder, "statement", "--month", MONTH, "--format", "json")
    return Books(folder, json.loads(summary), json.loads(statement))


def edge(folder: Path) -> Edge:
    return Edge(environ={}, cwd=folder, flags={"home": str(folder / "home"), "zone": "Asia/Shanghai"})


def call(folder: Path, *words: str) -> str:
    with redirect_stdout(io.StringIO()) as printed:
        assert invoke(words, edge=edge(folder)) == 0, words
    return printed.getvalue()


def hours(minutes: int) -> str:
    """GPU-hours as text with six places, half up."""
    millionths = half_up(Fraction(minutes, 60) * 10**6)
    return f"{millionths // 10**6}.{millionths % 10**6:06d}"


def test_every_minute_of_every_virtual_cluster_is_read(books: Books, counted: dict[str, Counted]) -> None:
    rows, figures = books.summary["rows"], books.summary["figures"]
    assert (rows["read"], rows["accepted"]) == (16 * 31 * 24 * 60, 16 * 31 * 24 * 60)
    assert (figures["groups"], figures["gaps_longer_than_a_step"]) == (16, 0)
    assert figures["unit_hours"] == hours(sum(one.there for one in counted.values()))
    assert figures["gpu_hours_held"] == hours(sum(one.held for one in counted.values()))


def test_a_virtual_cluster_has_as_many_slots_for_as_long_as_it_counts(
    books: Books, counted: dict[str, Counted]
) -> None:
    session = Session(edge(books.folder))
    try:
        slots = session.lake.in_force("slot", session.database.latest_seq())
    finally:
        session.close()
    seconds: dict[str, int] = defaultdict(int)
    spans = (slots[name].to_pylist() for name in ("node", "start_s", "end_s"))
    for node, start_s, end_s in zip(*spans, strict=True):
        seconds[node] += end_s - start_s
    assert seconds == {vc: 60 * one.there for vc, one in counted.items()}


def test_each_virtual_cluster_pays_the_time_it_held(books: Books, counted: dict[str, Counted]) -> None:
    held = {line["key"]: line["gpu_hours"] for line in books.statement["lines"]}
    assert held.pop("__idle_free__") == books.statement["idle_free_gpu_hours"]
    assert books.statement["idle_free_gpu_hours"] == hours(sum(one.free for one in counted.values()))
    assert held == {vc: hours(one.held) for vc, one in counted.items()}
    assert books.statement["gpu_microseconds"] == sum(one.there for one in counted.values()) * 60 * 10**6


def test_held_and_free_time_of_each_virtual_cluster_is_its_capacity(
    books: Books, counted: dict[str, Counted]
) -> None:
    ticks = books.time_rows()
    assert {account for _, account in ticks} == {"held_unobserved", "idle_free"}
    for vc, one in counted.items():
        held, free = ticks[vc, "held_unobserved"], ticks[vc, "idle_free"]
        assert (held, free) == (one.held * TICKS_PER_MINUTE, one.free * TICKS_PER_MINUTE)
        assert held + free == one.there * TICKS_PER_MINUTE


def test_time_without_a_price_is_unpriced_and_not_free_of_charge(books: Books) -> None:
    assert books.statement["unpriced_gpu_hours"] == books.statement["gpu_hours"]
    assert {line["amount"] for line in books.statement["lines"]} == {None}
