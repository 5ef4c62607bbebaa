"""Suspended time that is told as a total is kept with its holding, beside the time that is held."""

from __future__ import annotations

import pytest

from collectors.imports import load_map
from collectors.imports.column_map import HoldingMap
from gpuledger.errors import ColumnMapError

from .conftest import Books

JOBS = """
kind: holdings
source: sacct
identity: [job]
columns: {node: node, units: n, suspended: parked, start: from, end: {column: to, missing: open}}
"""
RAN = JOBS.replace("suspended", "elapsed")
HEADER = "job,node,n,parked,from,to\n"
SPAN = "2026-10-01T12:00Z,2026-10-01T15:00Z"


def suspended(books: Books) -> list[int | None]:
    return [seconds for (seconds,) in books.facts("holding", "suspended_s")]


# T25: start to end is what was held, and how much of it was parked is a figure of its own.
def test_a_suspended_job_holds_from_start_to_end_and_both_totals_are_told(books: Books) -> None:
    summary = books.bring_in(HEADER + f"a,n1,4,01:30:00,{SPAN}\nb,n1,1,00:00:00,{SPAN}\n", JOBS)
    assert summary.figures["gpu_hours_held"] == "15.000000"
    assert summary.figures["gpu_hours_suspended"] == "6.000000"
    assert suspended(books) == [5400, 0]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90.9", 90), ("01:30", 90), ("00:01:30.250", 90), ("1-00:00:01", 86_401), ("", None)],
)
def test_lengths_of_time_are_slurms_or_seconds(books: Books, text: str, seconds: int | None) -> None:
    books.bring_in(HEADER + f"a,n1,1,{text},2026-10-01T12:00Z,2026-10-03T12:00Z\n", JOBS)
    assert suspended(books) == [seconds]


def test_what_elapsed_leaves_of_start_to_end_was_suspended(books: Books) -> None:
    rows = f"a,n1,1,02:00:00,{SPAN}\nb,n1,1,03:00:01,{SPAN}\nc,n1,1,01:00:00,2026-10-01T12:00Z,\n"
    books.bring_in(HEADER + rows, RAN)
    assert suspended(books) == [3600, 0, None]


@pytest.mark.parametrize(
    ("column_map", "text", "reason"),
    [
        (JOBS, "soon", "suspended is no length of time"),
        (JOBS, "-5", "suspended is no length of time"),
        (JOBS, "04:00:00", "suspended is longer than start to end"),
        (RAN, "1:2:3:4", "elapsed is no length of time"),
        (RAN, "04:00:00", "elapsed is longer than start to end"),
    ],
)
def test_a_length_that_cannot_be_right_is_in_quarantine(
    books: Books, column_map: str, text: str, reason: str
) -> None:
    assert books.bring_in(HEADER + f"a,n1,1,{text},{SPAN}\n", column_map).quarantined == {reason: 1}


def test_a_map_has_one_of_the_two() -> None:
    both = JOBS.replace("suspended: parked", "suspended: parked, elapsed: ran")
    with pytest.raises(ColumnMapError, match="map one of the two"):
        load_map(both, HoldingMap, file="map.yaml")
