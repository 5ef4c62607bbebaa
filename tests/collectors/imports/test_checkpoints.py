"""Checkpoints are instants of a run, kept among its phases without length, and never in the way of one."""

from __future__ import annotations

import pytest

from collectors.imports import CheckpointMap, HoldingMap, PhaseMap, Summary

from .conftest import Books

MAPPED = """
kind: checkpoints
source: trainer
run: [job, begin]
run_times: begin
columns: {at: saved}
constants: {cluster: c1}
"""
AT = 1_790_812_800


def bring_in(books: Books, *rows: str, column_map: str = MAPPED) -> Summary:
    return books.bring_in(
        "job,begin,saved\n" + "".join(f"{row}\n" for row in rows), column_map, CheckpointMap
    )


def kept(books: Books) -> list[tuple[object, ...]]:
    found = books.facts("phase", "run", "phase", "start_s", "end_s")
    return sorted((run, phase, start - AT, end - AT) for run, phase, start, end in found)


def test_a_row_is_an_instant_of_its_run(books: Books) -> None:
    summary = bring_in(books, f"7,{AT}.0000001,{AT + 60}", f"7,{AT},{AT + 90}.7", f"8,{AT},{AT + 60}")
    assert kept(books) == [
        (f"7/{AT}", "checkpoint", 60, 60),
        (f"7/{AT}", "checkpoint", 90, 90),
        (f"8/{AT}", "checkpoint", 60, 60),
    ]
    assert summary.figures == {"runs": 2, "runs_with_holdings": 0, "checkpoints": 3}
    assert "name under run the columns of their run" in summary.warnings[0]


def test_the_key_of_a_run_is_that_of_its_holding(books: Books) -> None:
    held = (
        "kind: holdings\nidentity: [job, begin]\ncapacity: assumed\n"
        "columns: {start: begin, end: end}\nconstants: {cluster: c1}\n"
    )
    books.bring_in(f"job,begin,end\n7,{AT},{AT + 3600}\n", held, HoldingMap, name="jobs.csv")
    assert bring_in(books, f"7,{AT},{AT + 60}").figures["runs_with_holdings"] == 1
    assert {run for run, *_ in kept(books)} == {run for (run,) in books.facts("holding", "run")}


def test_checkpoints_come_in_parts_in_any_order_and_none_takes_the_place_of_another(books: Books) -> None:
    bring_in(books, f"7,{AT},{AT + 90}")
    bring_in(books, f"7,{AT},{AT + 60}")
    again = bring_in(books, f"7,{AT},{AT + 60}", f"7,{AT},{AT + 90}")
    assert again.facts["phase"] == {"new": 0, "changed": 0, "unchanged": 2, "withdrawn": 0}
    assert [start for _, _, start, _ in kept(books)] == [60, 90]


def test_a_phase_that_begins_with_a_checkpoint_and_the_checkpoint_leave_each_other_alone(
    books: Books,
) -> None:
    phases = (
        "kind: phases\nrun: [job, begin]\nconstants: {cluster: c1}\n"
        "columns: {phase: phase, start: at, end: {column: to, missing: open}}\n"
    )
    bring_in(books, f"7,{AT},{AT + 60}")
    rows = f"job,begin,phase,at,to\n7,{AT},running,{AT},{AT + 120}\n7,{AT},draining,{AT + 60},\n"
    summary = books.bring_in(rows.replace(f",{AT + 120}", ","), phases, PhaseMap, name="phases.csv")
    assert not summary.quarantined
    bring_in(books, f"7,{AT},{AT}", f"7,{AT},{AT + 60}")
    assert [(phase, start, end) for _, phase, start, end in sorted_open(books)] == [
        ("checkpoint", 0, 0),
        ("checkpoint", 60, 60),
        ("draining", 60, None),
        ("running", 0, 60),
    ]


def sorted_open(books: Books) -> list[tuple[str, str, int, int | None]]:
    found = books.facts("phase", "run", "phase", "start_s", "end_s")
    return sorted((run, phase, at - AT, None if to is None else to - AT) for run, phase, at, to in found)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (f",{AT},{AT + 60}", "run is empty"),
        (f"7,{AT},", "at is empty"),
        (f"7,{AT},soon", "at is no instant"),
        (f"7,{AT},9999999999", "at is no instant"),
    ],
)
def test_a_row_that_cannot_be_right_is_in_quarantine(books: Books, row: str, reason: str) -> None:
    assert bring_in(books, row, f"8,{AT},{AT + 1}").quarantined == {reason: 1}
    assert len(kept(books)) == 1
