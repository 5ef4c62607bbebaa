"""The commands that look after the lake and the database, as people run them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuledger.cli import invoke
from gpuledger.lake.arrow import pa
from gpuledger.session import Edge, Session

NOW_S = 1_790_000_000
Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def edge(tmp_path: Path) -> Edge:
    """A world with nothing in it but a home folder."""
    return Edge(environ={"GPULEDGER_HOME": str(tmp_path / "home")}, cwd=tmp_path, clock=lambda: NOW_S)


def put_states(edge: Edge, count: int) -> None:
    """Publish so many facts, each in a file of its own, as imports do."""
    session = Session(edge)
    for number in range(count):
        row = {"identity": str(number), "source": "test", "withdrawn": False, "start_s": NOW_S}
        row |= {"cluster": "main", "node": "n1", "slot": f"n1/{number}", "state": "available"}
        staged = session.lake.stage("state", pa.Table.from_pylist([row]))
        with session.database.commit("test", at_s=session.now()) as commit:
            session.lake.publish(commit, staged)
    session.close()


def lake_files(edge: Edge) -> list[Path]:
    return sorted((edge.cwd / "home" / "lake").rglob("*.parquet"))


def test_lake_that_is_whole_verifies(edge: Edge, capsys: Capsys) -> None:
    put_states(edge, 2)
    assert invoke(["lake", "verify"], edge=edge) == 0
    assert capsys.readouterr().out == "the lake is what its rows say\n"


def test_file_that_is_gone_fails_the_verification(edge: Edge, capsys: Capsys) -> None:
    put_states(edge, 2)
    lake_files(edge)[0].unlink()
    assert invoke(["lake", "verify"], edge=edge) == 5
    out, err = capsys.readouterr()
    assert "is not there" in out
    assert "error: files of the lake are not what their rows say: 1" in err


def test_compaction_and_a_day_leave_one_file(edge: Edge, capsys: Capsys) -> None:
    put_states(edge, 3)
    assert invoke(["lake", "compact", "--table", "state"], edge=edge) == 0
    assert invoke(["lake", "sweep"], edge=edge) == 0
    assert len(lake_files(edge)) == 4
    edge.clock = lambda: NOW_S + 90_000
    assert invoke(["lake", "sweep"], edge=edge) == 0
    assert len(lake_files(edge)) == 1
    assert invoke(["lake", "verify"], edge=edge) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 files made",
        "0 files deleted",
        "3 files deleted",
        "the lake is what its rows say",
    ]


def test_compaction_of_an_unknown_table_names_those_there_are(edge: Edge, capsys: Capsys) -> None:
    assert invoke(["lake", "compact", "--table", "stat"], edge=edge) == 3
    assert "node_resource" in capsys.readouterr().err


def test_lost_database_finds_the_files_again(edge: Edge, capsys: Capsys) -> None:
    put_states(edge, 2)
    assert invoke(["lake", "compact"], edge=edge) == 0
    for file in (edge.cwd / "home").glob("gpuledger.db*"):
        file.unlink()
    assert invoke(["lake", "repair"], edge=edge) == 0
    assert "3 files found again" in capsys.readouterr().out
    assert invoke(["lake", "verify"], edge=edge) == 0


def test_upgrade_prints_the_schema_it_leaves(edge: Edge, capsys: Capsys) -> None:
    from gpuledger.versions import HEAD

    assert invoke(["upgrade"], edge=edge) == 0
    assert capsys.readouterr().out == f"schema {HEAD}\n"
