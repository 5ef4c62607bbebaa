"""A job on several nodes is one row of sacct, and a holding on each of its nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from collectors.imports import Summary, load_map
from collectors.imports.column_map import HoldingMap
from collectors.imports.hostlist import hosts
from collectors.imports.rows import BadRow
from gpuledger.errors import ColumnMapError

from .conftest import Books

JOBS = """
kind: holdings
source: sacct
delimiter: "|"
identity: [Cluster, JobID, Start]
columns:
  cluster: Cluster
  nodes: NodeList
  units: {column: AllocTRES, tres: gres/gpu, missing: 0}
  cpus: {column: AllocTRES, tres: cpu, missing: 0}
  start: Start
  end: {column: End, missing: open}
nulls: [Unknown, None assigned]
"""
CAPTURE = Path(__file__).parents[2] / "captures" / "sacct-parsable2.txt"
HEADER = "Cluster|JobID|NodeList|AllocTRES|Start|End\n"
HOUR = "1790812800|1790816400"


def bring_in(books: Books, *rows: str, column_map: str = JOBS) -> Summary:
    return books.bring_in(HEADER + "".join(f"{row}\n" for row in rows), column_map)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("n1", ("n1",)),
        ("n[1-3]", ("n1", "n2", "n3")),
        ("gpu[08-10,3]", ("gpu08", "gpu09", "gpu10", "gpu3")),
        ("r[1-2]n[01-02],login", ("r1n01", "r1n02", "r2n01", "r2n02", "login")),
        ("a,b,a", ("a", "b")),
        ("n[5]-ib", ("n5-ib",)),
        ("", ()),
    ],
)
def test_lists_of_nodes_are_slurms(text: str, wanted: tuple[str, ...]) -> None:
    assert hosts(text) == wanted


@pytest.mark.parametrize(
    "text", ["n[1-", "n[3-1]", "n[a]", "n[1-3],,m", "n]", "n[]", "n 1", "n[1-2-3]", ",n"]
)
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(BadRow, match="nodes is no list of nodes"):
        hosts(text)


def test_a_list_beyond_all_bounds_is_refused() -> None:
    with pytest.raises(BadRow, match="nodes names more than"):
        hosts("n[0-999][0-999]")


def test_a_job_on_several_nodes_is_one_run_with_its_part_on_each(books: Books) -> None:
    summary = bring_in(books, f"cl|77|n[1-3]|cpu=10,gres/gpu=12|{HOUR}", f"cl|78|n4|cpu=4,gres/gpu=1|{HOUR}")
    assert books.facts("holding", "run", "node", "units", "cpus_milli") == [
        ("cl/77/1790812800", "n1", 4, 3333),
        ("cl/77/1790812800", "n2", 4, 3333),
        ("cl/77/1790812800", "n3", 4, 3334),
        ("cl/78/1790812800", "n4", 1, 4000),
    ]
    assert summary.rows == {"read": 2, "accepted": 2, "repeated": 0, "left_out": 0, "quarantined": 0}
    assert (summary.figures["gpu_hours_held"], summary.figures["with_gpu"]) == ("13.000000", 4)


def test_a_later_export_ends_each_of_its_holdings(books: Books) -> None:
    bring_in(books, "cl|77|n[1-2]|gres/gpu=8|1790812800|Unknown")
    later = bring_in(books, f"cl|77|n[1-2]|gres/gpu=8|{HOUR}")
    assert later.facts["holding"] == {"new": 0, "changed": 2, "unchanged": 0, "withdrawn": 0}


def test_tasks_of_an_array_parts_of_a_heterogeneous_job_and_requeued_runs_are_runs_of_their_own(
    books: Books,
) -> None:
    ids = ["123_1", "123_2", "124+0", "124+1"]
    summary = bring_in(
        books,
        *(f"cl|{job}|n1|gres/gpu=1|{HOUR}" for job in ids),
        "cl|123_1|n1|gres/gpu=1|1790820000|1790823600",
    )
    assert len({run for (run,) in books.facts("holding", "run")}) == 5
    assert summary.figures["gpu_hours_held"] == "5.000000"


def test_units_that_do_not_part_evenly_are_in_quarantine_as_a_whole(books: Books) -> None:
    summary = bring_in(books, f"cl|77|n[1-3]|gres/gpu=8|{HOUR}", f"cl|78|n[1-|gres/gpu=8|{HOUR}")
    assert summary.quarantined == {
        "nodes is no list of nodes": 1,
        "units do not part evenly among the nodes": 1,
    }
    assert not books.facts("holding", "run")


def test_rows_that_differ_on_one_node_are_in_quarantine_with_all_their_nodes_and_what_else_says_so_stays(
    books: Books,
) -> None:
    rows = [
        f"cl|77|n[1-2]|gres/gpu=4|{HOUR}",
        f"cl|77|n[2-3]|gres/gpu=8|{HOUR}",
        f"cl|77|n3|gres/gpu=4|{HOUR}",
    ]
    summary = bring_in(books, *rows)
    assert summary.rows == {"read": 3, "accepted": 1, "repeated": 0, "left_out": 0, "quarantined": 2}
    assert books.facts("holding", "node", "units") == [("n3", 4)]


def test_the_same_row_twice_is_repeated_once(books: Books) -> None:
    row = f"cl|77|n[1-2]|gres/gpu=4|{HOUR}"
    assert bring_in(books, row, row).rows["repeated"] == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nodes: NodeList", "nodes: NodeList\n  node: NodeList", "map node or nodes"),
        ("  units: {column: AllocTRES, tres: gres/gpu, missing: 0}\n", "", "map units"),
        ("nodes: NodeList", "nodes: NodeList\n  slot: NodeList", "neither slot nor device"),
        ("identity:", "capacity: assumed\nidentity:", "for holdings that name no node"),
    ],
)
def test_a_map_that_contradicts_itself_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ColumnMapError, match=message):
        load_map(JOBS.replace(old, new), HoldingMap, file="map.yaml")


def test_a_real_page_of_sacct_has_every_run_on_its_nodes(books: Books) -> None:
    column_map = (
        JOBS.replace("Cluster, ", "")
        .replace("  cluster: Cluster\n", "")
        .replace("nulls:", "zone: UTC\nnulls:")
        + 'constants: {cluster: kit}\nrows: {without: {User: [""], NodeList: [None assigned]}}\n'
    ).replace("columns:", "columns:\n  outcome: State\n  elapsed: ElapsedRaw")
    summary = books.bring_in_file(CAPTURE, column_map)
    assert not summary.quarantined
    rows = books.facts("holding", "run", "node", "units", "outcome", "suspended_s")
    both = [row[1:] for row in rows if row[1] == "gpu2" and row[2] == 3]
    assert both == [("gpu2", 3, "completed", 0)]
    ends = {"completed": 12, "failed": 1, "preempted": 1, "timeout": 1, "cancelled": 1}
    assert summary.figures | ends == summary.figures
