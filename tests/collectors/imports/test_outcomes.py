"""How a run ended is a word of ours; a word that nobody knows is told, and loses no holding."""

from __future__ import annotations

import pytest

from collectors.imports import load_map
from collectors.imports.column_map import HoldingMap
from collectors.imports.outcomes import LOSSES, OUTCOMES, Outcomes
from gpuledger.errors import ColumnMapError

from .conftest import Books

JOBS = """
kind: holdings
source: sacct
identity: [job]
columns: {node: node, outcome: state, start: from, end: {column: to, missing: open}}
"""
HEADER = "job,node,state,from,to\n"
HOUR = "2026-10-01T12:00Z,2026-10-01T13:00Z"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("COMPLETED", "completed"),
        ("Succeeded", "completed"),
        ("FAILED", "failed"),
        ("NODE_FAIL", "failed"),
        ("OUT_OF_ME+", None),
        ("OUT_OF_MEMORY", "failed"),
        ("OOMKilled", "failed"),
        ("Error", "failed"),
        ("PREEMPTED", "preempted"),
        ("Evicted", "preempted"),
        ("TIMEOUT", "timeout"),
        ("CANCELLED by 1001", "cancelled"),
        ("CANCELLED+", "cancelled"),
        ("RUNNING", None),
        ("", None),
    ],
)
def test_words_of_slurm_and_kubernetes_are_known(text: str, outcome: str | None) -> None:
    assert Outcomes({}).read(text) == outcome


def test_what_the_map_says_goes_first() -> None:
    outcomes = Outcomes({"CANCELLED by 0": "preempted", "*kaputt*": "failed"})
    words = ["cancelled by 0", "CANCELLED by 1001", "Ganz KAPUTT"]
    assert [outcomes.read(word) for word in words] == ["preempted", "cancelled", "failed"]
    assert not outcomes.not_known


def test_a_loss_is_an_outcome_and_what_ended_as_meant_is_none() -> None:
    assert set(OUTCOMES) - set(LOSSES) == {"completed", "cancelled"}


def test_outcomes_are_kept_counted_and_corrected(books: Books) -> None:
    first = books.bring_in(
        HEADER + f"a,n1,COMPLETED,{HOUR}\nb,n1,NODE_FAIL,{HOUR}\nc,n1,RUNNING,2026-10-01T12:00Z,\n", JOBS
    )
    assert first.figures | {"completed": 1, "failed": 1} == first.figures
    assert books.facts("holding", "run", "outcome") == [("a", "completed"), ("b", "failed"), ("c", None)]
    later = books.bring_in(HEADER + f"c,n1,PREEMPTED,{HOUR}\n", JOBS)
    assert later.facts["holding"]["changed"] == 1
    assert books.facts("holding", "run", "outcome")[2] == ("c", "preempted")


def test_a_word_that_nobody_knows_is_told_and_its_holding_is_kept(books: Books) -> None:
    summary = books.bring_in(
        HEADER + f"a,n1,EXPLODED,{HOUR}\nb,n1,EXPLODED,{HOUR}\nc,n1,FAILED,{HOUR}\n", JOBS
    )
    assert not summary.quarantined
    assert summary.warnings == [
        "outcome is not known of 'EXPLODED' (2): give each a meaning under outcomes in the map"
    ]
    assert books.facts("holding", "run", "outcome") == [("a", None), ("b", None), ("c", "failed")]


def test_a_meaning_that_is_none_of_ours_or_of_no_column_is_refused() -> None:
    with pytest.raises(ColumnMapError, match=r"outcomes\.BOOM"):
        load_map(JOBS + "outcomes: {BOOM: exploded}\n", HoldingMap, file="map.yaml")
    without = JOBS.replace("outcome: state, ", "") + "outcomes: {BOOM: failed}\n"
    with pytest.raises(ColumnMapError, match="map outcome"):
        load_map(without, HoldingMap, file="map.yaml")
