"""Phases are of runs, whose keys are those of the holdings; a run is at one phase at a time."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from collectors.imports import HoldingMap, PhaseMap, Summary
from gpuledger.errors import RejectedRows

from .conftest import Books

MAPPED = """
kind: phases
source: watch
run: [namespace, pod, uid]
columns: {phase: phase, node: node, start: from, end: {column: to, missing: open}}
constants: {cluster: c1}
zone: UTC
phases: {Pending: waiting, "*BackOff": waiting, Loading: warm_up}
"""
HEADER = "namespace,pod,uid,node,phase,from,to\n"
OCTOBER_S = 1_790_812_800
HOUR_S = 3_600


def hour(at_s: int | None) -> int | None:
    """The hour of 2026-10-01 that begins at an instant."""
    return None if at_s is None else (at_s - OCTOBER_S) // HOUR_S


def row(uid: str, start: int, end: int | None, phase: str, node: str = "") -> str:
    until = "" if end is None else f"2026-10-01T{end:02}:00"
    return f"ml,a/b,{uid},{node},{phase},2026-10-01T{start:02}:00,{until}\n"


def bring_in(
    books: Books, rows: str, column_map: str = MAPPED, header: str = HEADER, **options: object
) -> Summary:
    return books.bring_in(header + rows, column_map, PhaseMap, **options)


def phases(books: Books) -> list[tuple[object, ...]]:
    rows = books.facts("phase", "run", "node", "phase", "start_s", "end_s")
    found = [(run.rpartition("/")[2], *rest, hour(start), hour(end)) for run, *rest, start, end in rows]
    return sorted(found, key=str)


def test_a_row_is_a_phase_of_its_run(books: Books) -> None:
    summary = bring_in(books, row("u1", 1, 2, "Pending") + row("u1", 2, None, "RUNNING", "n1"))
    columns = ("identity", "source", "cluster", "node", "run", "phase", "start_s", "end_s")
    assert books.facts("phase", *columns) == [
        (
            *(f"c1/ml/a%2Fb/u1/*/{OCTOBER_S + HOUR_S}", "watch", "c1", None, "ml/a%2Fb/u1", "waiting"),
            *(OCTOBER_S + HOUR_S, OCTOBER_S + 2 * HOUR_S),
        ),
        (
            *(f"c1/ml/a%2Fb/u1/n1/{OCTOBER_S + 2 * HOUR_S}", "watch", "c1", "n1", "ml/a%2Fb/u1"),
            *("running", OCTOBER_S + 2 * HOUR_S, None),
        ),
    ]
    assert summary.figures == {"runs": 1, "runs_with_holdings": 0, "phases": 2}


def test_a_phase_is_what_the_map_says_else_ours_else_as_it_stands(books: Books) -> None:
    words = ["ImagePullBackOff", "loading", "Lost_Work", "Checkpointing"]
    bring_in(books, "".join(row(f"u{at}", at, at + 1, word) for at, word in enumerate(words)))
    assert [phase for _, _, phase, *_ in phases(books)] == [
        "waiting",
        "warm_up",
        "lost_work",
        "Checkpointing",
    ]


def test_the_key_of_a_run_is_that_of_its_holding(books: Books) -> None:
    held = (
        "kind: holdings\nidentity: [namespace, pod, uid, gpu]\nrun: [namespace, pod, uid]\n"
        "columns: {node: node, slot: gpu, start: from, end: {column: to, missing: open}}\n"
        "constants: {cluster: c1}\nzone: UTC\n"
    )
    books.bring_in(
        "namespace,pod,uid,gpu,node,from,to\nml,a/b,u1,0,n1,2026-10-01,\n", held, HoldingMap, name="pods.csv"
    )
    summary = bring_in(books, row("u1", 1, None, "running") + row("u2", 1, None, "running"))
    assert summary.figures == {"runs": 2, "runs_with_holdings": 1, "phases": 1}
    assert not [warning for warning in summary.warnings if "holding" in warning]
    assert books.facts("phase", "run")[0] == books.facts("holding", "run")[0]


def test_runs_that_no_holding_has_are_told(books: Books) -> None:
    (warning,) = bring_in(books, row("u1", 1, None, "running")).warnings
    assert "name under run the columns of their run" in warning


def test_a_start_in_the_key_of_a_run_loses_the_noise_of_floats_as_in_its_holding(books: Books) -> None:
    held = (
        "kind: holdings\nidentity: [job, begin]\ncapacity: assumed\nepoch: 2026-10-01T00:00Z\n"
        "columns: {start: begin, end: end}\nconstants: {cluster: c1}\n"
    )
    books.bring_in("job,begin,end\n007,3600.000000004,7200\n", held, HoldingMap, name="jobs.csv")
    mapped = (
        "kind: phases\nrun: [job, begin]\nrun_times: begin\nepoch: 2026-10-01T00:00Z\n"
        "columns: {phase: phase, start: at, end: to}\nconstants: {cluster: c1}\n"
    )
    bring_in(books, "007,3600.0,running,3600,5000\n", mapped, "job,begin,phase,at,to\n")
    assert books.facts("holding", "run") == books.facts("phase", "run") == [("007/3600",)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ml,p,,,Running,2026-10-01T01:00,\n", "run is empty"),
        ("ml,p,u,,,2026-10-01T01:00,\n", "phase is empty"),
        ('ml,p,u,"n1,n2",Running,2026-10-01T01:00,\n', "node is no single node"),
        ("ml,p,u,,Running,,\n", "start is empty"),
        ("ml,p,u,,Running,soon,\n", "start is no instant"),
        ("ml,p,u,,Running,2026-10-01T03:00,2026-10-01T01:00\n", "end is before start"),
    ],
)
def test_a_row_that_cannot_be_right_is_in_quarantine(books: Books, line: str, reason: str) -> None:
    assert bring_in(books, line + row("u9", 1, 2, "running")).quarantined == {reason: 1}
    assert [run for run, *_ in phases(books)] == ["u9"]


def test_strict_fails_before_anything_is_known(books: Books) -> None:
    with pytest.raises(RejectedRows, match="phase is empty"):
        bring_in(books, row("u1", 1, 2, ""), strict=True)
    assert books.database.latest_seq() == 0


def test_two_phases_of_one_run_at_one_time_are_both_in_quarantine_but_not_on_two_nodes(books: Books) -> None:
    summary = bring_in(
        books,
        row("u1", 1, 3, "waiting")
        + row("u1", 2, 4, "running")
        + row("u2", 1, 3, "waiting", "n1")
        + row("u2", 2, 4, "running", "n2"),
    )
    assert summary.quarantined == {"two rows say the phase of one run at the same time": 2}
    assert [run for run, *_ in phases(books)] == ["u2", "u2"]


def test_a_later_export_ends_corrects_and_takes_back_nothing(books: Books) -> None:
    bring_in(books, row("u1", 1, None, "waiting") + row("u2", 1, None, "waiting"))
    later = bring_in(books, row("u1", 1, 2, "suspended") + row("u1", 2, None, "running"))
    assert later.facts["phase"] == {"new": 1, "changed": 1, "unchanged": 0, "withdrawn": 0}
    assert phases(books) == [
        ("u1", None, "running", 2, None),
        ("u1", None, "suspended", 1, 2),
        ("u2", None, "waiting", 1, None),
    ]


def test_a_file_that_comes_twice_is_known_already(books: Books) -> None:
    rows = row("u1", 1, None, "waiting") + row("u1", 3, None, "running")
    bring_in(books, rows)
    again = bring_in(books, rows)
    assert (again.seq, again.facts["phase"]["unchanged"]) == (1, 2)


def test_any_parts_in_any_order_say_the_same(new_books: Callable[..., Books]) -> None:
    names = ["waiting", "warm_up", "running"]
    lines = [
        row(f"u{run}", at, None, names[at // 3], node)
        for run in range(4)
        for at in (0, 3, 6)
        for node in ("", "n1")
    ]
    whole = new_books()
    bring_in(whole, "".join(lines))
    shuffled = random.Random(7).sample(lines, len(lines))
    parts = new_books(shards=3)
    for part in (shuffled[:6], shuffled[6:], shuffled[:3]):
        bring_in(parts, "".join(part))
    assert phases(parts) == phases(whole)
