"""A real trace from file to statement: 23,871 instances of 156 applications over 31 days, Alibaba 2025.

The trace names no node, no price and no instant at which it began: capacity is assumed, the price and the
epoch are declared. What the books must come to is worked out here again from the rows, in Fractions.
"""

from __future__ import annotations

import csv
import gzip
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
from gpuledger.instants import parse_instant
from gpuledger.money import half_up
from gpuledger.session import Edge, Session

pytestmark = pytest.mark.realdata

MAP = Path(__file__).with_name("alibaba-gpu-v2025.map.yaml")
RATE = "2.744705"
PRICES = f"model,rate,currency,from,to\ngpu,{RATE},USD,2026-10-01,\n"
WINDOW_S = 2_677_541


def at(text: str) -> int:
    return parse_instant(text, zone=None, epoch_s=None)


EPOCH_S = at("2026-10-15T00:00Z")
MONTHS = {
    "2026-10": (at("2026-10-01T00:00Z"), at("2026-11-01T00:00Z")),
    "2026-11": (at("2026-11-01T00:00Z"), at("2026-12-01T00:00Z")),
}


@dataclass(frozen=True)
class Instance:
    """A row of the trace: who held how many GPUs, from when to when (Unix seconds)."""

    app: str
    gpus: int
    start_s: int
    end_s: int

    def gpu_seconds(self, month: str) -> int:
        from_s, to_s = MONTHS[month]
        return self.gpus * max(0, min(self.end_s, to_s) - max(self.start_s, from_s))


@dataclass(frozen=True)
class Home:
    """A home of its own for the trace, in which commands are run."""

    folder: Path
    trace: Path

    def call(self, *words: str) -> str:
        with redirect_stdout(io.StringIO()) as printed:
            assert invoke(words, edge=self._edge()) == 0, words
        return printed.getvalue()

    def read(self, *words: str) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.call(*words, "--format", "json"))
        return read

    def bring_in(self, *more: str) -> dict[str, Any]:
        return self.read("import", "holdings", str(self.trace), "--map", str(MAP), *more)

    def starts_and_ends(self) -> list[tuple[int, int]]:
        """Of each holding that the lake knows."""
        session = Session(self._edge())
        try:
            known = session.lake.in_force("holding", session.database.latest_seq())
        finally:
            session.close()
        return list(zip(known["start_s"].to_pylist(), known["end_s"].to_pylist(), strict=True))

    def _edge(self) -> Edge:
        return Edge(environ={}, cwd=self.folder, flags={"home": str(self.folder / "home"), "zone": "UTC"})


@dataclass(frozen=True)
class Books:
    """The books of the trace: what its import said, and both months' statements."""

    home: Home
    summary: dict[str, Any]
    statements: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def trace(realdata: Path) -> Path:
    return realdata / "alibaba-gpu-v2025" / "disaggregated_DLRM_trace.csv.gz"


@pytest.fixture(scope="module")
def instances(trace: Path) -> list[Instance]:
    with gzip.open(trace, "rt", newline="") as file:
        return [instance(row) for row in csv.DictReader(file)]


def instance(row: dict[str, str]) -> Instance:
    """A row, its times whole seconds again: they carry the noise of a float, as in 32709.000000000004."""
    exact = [
        Fraction(row["scheduled_time"] or row["creation_time"] or 0),
        Fraction(row["deletion_time"] or WINDOW_S),
    ]
    start, end = (round(second) for second in exact)
    assert max(abs(start - exact[0]), abs(end - exact[1])) < Fraction(1, 10**6)
    return Instance(row["app_name"], int(row["gpu_request"]), EPOCH_S + start, EPOCH_S + end)


@pytest.fixture(scope="module")
def books(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Books:
    home = Home(tmp_path_factory.mktemp("alibaba"), trace)
    summary = home.bring_in()
    (home.folder / "prices.csv").write_text(PRICES)
    home.call("import", "prices", str(home.folder / "prices.csv"))
    home.call("run")
    return Books(home, summary, {month: home.read("statement", "--month", month) for month in MONTHS})


def gpu_seconds(instances: list[Instance], month: str) -> dict[str, int]:
    """Of each application that held a GPU in the month."""
    held: dict[str, int] = defaultdict(int)
    for one in instances:
        held[one.app] += one.gpu_seconds(month)
    return {app: seconds for app, seconds in held.items() if seconds}


def line_seconds(statement: dict[str, Any]) -> dict[str, int]:
    """The GPU-seconds of each line, which are whole here: six places of an hour tell them exactly."""
    return {line["key"]: round(Fraction(line["gpu_hours"]) * 3600) for line in statement["lines"]}


def hours(seconds: int) -> Fraction:
    """GPU-hours as statements print them, six places, half up."""
    return Fraction(half_up(Fraction(seconds, 3600) * 10**6), 10**6)


def cents(seconds: int) -> Fraction:
    """The exact product of time and price, in cents."""
    return Fraction(seconds, 3600) * Fraction(RATE) * 100


def test_every_row_of_the_trace_is_read_and_none_is_wrong(books: Books, instances: list[Instance]) -> None:
    rows, figures = books.summary["rows"], books.summary["figures"]
    assert (rows["read"], rows["accepted"], rows["quarantined"]) == (23_871, 23_871, 0)
    assert (figures["owners"], figures["with_gpu"]) == (156, 7_386)
    assert figures["gpu_hours_held"] == "2375875.476667"
    assert len({one.app for one in instances}) == 156
    assert sum(one.gpus > 0 for one in instances) == 7_386


def test_both_months_together_have_every_gpu_second_of_the_trace(
    books: Books, instances: list[Instance]
) -> None:
    microseconds = sum(statement["gpu_microseconds"] for statement in books.statements.values())
    assert microseconds == sum(one.gpus * (one.end_s - one.start_s) for one in instances) * 10**6
    assert hours(microseconds // 10**6) == Fraction("2375875.476667")


@pytest.mark.parametrize("app, known", [("app_0", "281382.547778"), ("app_62", "96901.555278")])
def test_an_application_has_the_hours_that_are_known_of_it(books: Books, app: str, known: str) -> None:
    seconds = sum(line_seconds(statement)[app] for statement in books.statements.values())
    assert hours(seconds) == Fraction(known)


@pytest.mark.parametrize("month", MONTHS)
def test_each_application_has_its_exact_time_in_each_month(
    books: Books, instances: list[Instance], month: str
) -> None:
    statement, held = books.statements[month], gpu_seconds(instances, month)
    assert line_seconds(statement) == held
    assert {line["key"]: Fraction(line["gpu_hours"]) for line in statement["lines"]} == {
        app: hours(seconds) for app, seconds in held.items()
    }
    assert statement["gpu_microseconds"] == sum(held.values()) * 10**6


def test_holdings_over_the_months_end_are_split_there(books: Books, instances: list[Instance]) -> None:
    edge_s = MONTHS["2026-11"][0]
    across = [one for one in instances if one.gpus and one.start_s < edge_s < one.end_s]
    whole = sum(one.gpus * (one.end_s - one.start_s) for one in across)
    assert len(across) > 1_000
    assert sum(one.gpu_seconds(month) for one in across for month in MONTHS) == whole
    started = sum(one.gpus * (one.end_s - one.start_s) for one in instances if one.start_s < edge_s)
    assert books.statements["2026-10"]["gpu_microseconds"] < started * 10**6


@pytest.mark.parametrize("month", MONTHS)
def test_each_line_is_within_a_cent_of_its_exact_product(
    books: Books, instances: list[Instance], month: str
) -> None:
    held = gpu_seconds(instances, month)
    for line in books.statements[month]["lines"]:
        exact = cents(held[line["key"]])
        assert abs(line["amount"] - exact) < 1
        assert abs(Fraction(line["unrounded"]) * 100 - exact) < Fraction(1, 100)


@pytest.mark.parametrize("month", MONTHS)
def test_lines_add_up_to_the_exact_product_rounded_once(
    books: Books, instances: list[Instance], month: str
) -> None:
    statement, exact = books.statements[month], cents(sum(gpu_seconds(instances, month).values()))
    assert sum(line["amount"] for line in statement["lines"]) == statement["total"] == half_up(exact)
    (pool,) = statement["rounding_pools"]
    assert (Fraction(pool["exact"]) * 100, pool["total"]) == (exact, statement["total"])


def test_holdings_of_no_length_stay_in_the_lake(books: Books, instances: list[Instance]) -> None:
    kept = sorted(books.home.starts_and_ends())
    assert kept == sorted((one.start_s, one.end_s) for one in instances)
    assert sum(start_s == end_s for start_s, end_s in kept) == 16


@pytest.mark.parametrize("month", MONTHS)
def test_assumed_capacity_has_no_known_idle_time_and_all_time_has_a_price(books: Books, month: str) -> None:
    statement = books.statements[month]
    assert statement["idle_free_gpu_hours"] is None
    assert statement["unpriced_gpu_hours"] == "0.000000"
    assert not [line["key"] for line in statement["lines"] if line["key"].startswith("__")]


@pytest.mark.parametrize("month", MONTHS)
def test_what_must_always_hold_holds_of_the_trace(books: Books, month: str) -> None:
    assert "FAILED" not in books.home.call("verify", "--month", month)
    assert books.home.call("lake", "verify") == "the lake is what its rows say\n"


def test_another_epoch_moves_every_instant_and_no_length(
    books: Books, instances: list[Instance], tmp_path: Path
) -> None:
    moved = Home(tmp_path, books.home.trace)
    summary = moved.bring_in("--epoch", "2025-03-30T00:00+05:30")
    by_s = at("2025-03-29T18:30Z") - EPOCH_S
    assert summary["figures"] == books.summary["figures"]
    assert sorted(moved.starts_and_ends()) == sorted(
        (one.start_s + by_s, one.end_s + by_s) for one in instances
    )
