"""A real trace from file to statement: 23,871 instances of 156 applications over 31 days, Alibaba 2025.

The trace names no node, no price and no instant at which it began: capacity is assumed, the price and the
epoch are declared. What the books must come to is worked out here again from the rows, in Fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from alibaba import EPOCH_S, MONTHS, Home, Imported, Instance, at, cents, gpu_seconds, hours, line_seconds

from gpuledger.money import half_up

pytestmark = pytest.mark.realdata


@dataclass(frozen=True)
class Books:
    """The books of the trace: what its import said, and both months' statements."""

    home: Home
    summary: dict[str, Any]
    statements: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def books(imported: Imported, tmp_path_factory: pytest.TempPathFactory) -> Books:
    home = imported.home.copy(tmp_path_factory.mktemp("books"))
    home.call("run")
    statements = {month: home.read("statement", "--month", month) for month in MONTHS}
    return Books(home, imported.summary, statements)


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
