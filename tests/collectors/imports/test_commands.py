"""The commands: what they print when all is kept, and how they fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuledger.cli import invoke
from gpuledger.session import Edge

MAP = """
kind: holdings
source: trace
identity: [id]
columns: {owner_key: app, start: start, end: {column: end, missing: open}, units: gpus}
capacity: assumed
epoch: 2026-10-15T00:00Z
"""
ROWS = "id,app,start,end,gpus\na,x,0,3600,2\nb,y,0,,0\nc,y,20,10,1\n"


@pytest.fixture
def edge(tmp_path: Path) -> Edge:
    (tmp_path / "map.yaml").write_text(MAP)
    (tmp_path / "jobs.csv").write_text(ROWS)
    (tmp_path / "other.csv").write_text("id,name\n1,a\n")
    environ = {"GPULEDGER_HOME": str(tmp_path / "home")}
    return Edge(environ=environ, cwd=tmp_path, clock=lambda: 1_793_000_000)


def run(edge: Edge, *words: str) -> int:
    paths = {name: str(edge.cwd / name) for name in ("jobs.csv", "other.csv", "map.yaml", "absent.yaml")}
    return invoke([paths.get(word, word) for word in words], edge=edge)


def test_the_summary_is_the_acknowledgement(edge: Edge, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(edge, "import", "holdings", "jobs.csv", "--map", "map.yaml") == 0
    printed = capsys.readouterr()
    lines = {" ".join(line.split()) for line in printed.out.splitlines()}
    assert {
        "source trace",
        "rows read 3",
        "rows quarantined 1",
        "end is before start 1",
        "holdings new 2",
        "owners 2",
        "with gpu 1",
        "gpu hours held 2.000000",
        "data through, main 2026-10-15T01:00:00Z",
        "data through from the latest instant in the file",
        "known at seq 1",
    } <= lines
    assert "reading jobs.csv: " in printed.err
    assert "home: " in printed.err


def test_the_summary_is_json_when_asked(edge: Edge, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--format", "json", "--epoch", "2026-11-01T00:00Z", "--through", "7200", "--source", "other")
    assert run(edge, "import", "holdings", "jobs.csv", "--map", "map.yaml", *options) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["kind"] == "holdings"
    assert printed["source"] == "other"
    assert printed["rows"] == {"read": 3, "accepted": 2, "repeated": 0, "left_out": 0, "quarantined": 1}
    assert printed["facts"] == {"holding": {"new": 2, "changed": 0, "unchanged": 0, "withdrawn": 0}}
    assert printed["data_through"] == {"main": "2026-11-01T02:00:00Z"}
    assert printed["data_through_from"] == "--through"
    assert printed["seq"] == 1


def test_strict_exits_3_and_keeps_nothing(edge: Edge, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(edge, "import", "holdings", "jobs.csv", "--map", "map.yaml", "--strict") == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "error: 1 of 3 rows cannot be right: end is before start (1)" in printed.err
    assert "jobs.csv, row 3" in printed.err
    assert run(edge, "import", "holdings", "jobs.csv", "--map", "map.yaml", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["seq"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("inventory", "jobs.csv", "--map", "map.yaml"), "the map is of kind 'holdings'"),
        (("capacity", "jobs.csv", "--map", "map.yaml"), "the map is of kind 'holdings'"),
        (("holdings", "jobs.csv", "--map", "absent.yaml"), "the map cannot be read"),
        (("holdings", "other.csv", "--map", "map.yaml"), "the map names start, end, app, gpus"),
        (("holdings", "jobs.csv", "--map", "map.yaml", "--epoch", "soon"), "epoch: 'soon' is not an instant"),
        (("holdings", "jobs.csv", "--map", "map.yaml", "--through", "soon"), "--through: 'soon'"),
    ],
)
def test_what_is_wrong_with_the_words_is_an_error_of_the_input(
    edge: Edge, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert run(edge, "import", *words) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert "\n  do: " in printed.err


OTHERS = {
    "states": (
        "node,state,since\nn1,DOWN*,2026-10-15T00:00Z\n",
        "kind: states\nsource: events\ncolumns: {node: node, state: state, start: since}\n",
        {"states new 1", "nodes 1", "nodes with slots 0", "failed 1"},
    ),
    "partitions": (
        "node,bus,gi,profile,model,since\nn1,0,7,1g.10gb,H100,2026-10-15T00:00Z\n",
        "kind: partitions\nsource: mig\n"
        "columns: {node: node, slot: bus, instance: gi, profile: profile, model: model, start: since}\n",
        {"partitions new 1", "slots 1", "slices from the table 1", "table of slices version 1"},
    ),
    "phases": (
        "id,word,since\na,running,2026-10-15T00:00Z\n",
        "kind: phases\nsource: watch\nrun: id\ncolumns: {phase: word, start: since}\n",
        {"phases new 1", "runs 1", "runs with holdings 0"},
    ),
    "checkpoints": (
        "id,saved\na,2026-10-15T00:00Z\n",
        "kind: checkpoints\nsource: trainer\nrun: id\ncolumns: {at: saved}\n",
        {"phases new 1", "runs 1", "runs with holdings 0", "checkpoints 1"},
    ),
}
TABLES = {"states": "state", "partitions": "partition", "phases": "phase", "checkpoints": "phase"}


@pytest.mark.parametrize("kind", OTHERS)
def test_the_other_kinds_are_acknowledged_in_words_and_in_json(
    edge: Edge, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    rows, column_map, figures = OTHERS[kind]
    (edge.cwd / "other.csv").write_text(rows)
    (edge.cwd / "map.yaml").write_text(column_map)
    words = ("import", kind, "other.csv", "--map", "map.yaml")
    assert run(edge, *words) == 0
    lines = {" ".join(line.split()) for line in capsys.readouterr().out.splitlines()}
    assert figures | {"data through from nobody: it stays as it was", "known at seq 1"} <= lines
    options = ("--format", "json", "--through", "2026-10-16T00:00Z", "--source", "second")
    assert run(edge, *words, *options) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["kind"], printed["seq"]) == (kind, 2)
    assert printed["facts"][TABLES[kind]]["unchanged"] == 1
    assert printed["data_through"] == {"main": "2026-10-16T00:00:00Z"}
