"""The SQL of the derived tables keeps to its subset; the command makes them anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from portable_subset import departures

from collectors.activity.build import DERIVED, sql_of
from gpuledger.cli import invoke
from gpuledger.session import Edge

MAP = """
kind: samples
source: dcgm
step: 60
columns: {at: ts, device: uuid, node: host}
metrics: {gpuledger_device_sm_active_ratio: sm}
"""


@pytest.fixture
def edge(tmp_path: Path) -> Edge:
    (tmp_path / "map.yaml").write_text(MAP)
    (tmp_path / "s.csv").write_text("ts,uuid,host,sm\n1793059200,GPU-a,n1,0.5\n1793059260,GPU-a,n1,nan\n")
    environ = {"GPULEDGER_HOME": str(tmp_path / "home")}
    return Edge(environ=environ, cwd=tmp_path, clock=lambda: 1_796_000_000)


@pytest.mark.parametrize("table", DERIVED)
def test_bits_are_the_one_departure_from_the_portable_subset(table: str) -> None:
    assert departures(sql_of(table)) == (["a bit operator"] if table == "activity" else [])


def test_samples_are_imported_and_their_activity_is_made_anew(
    edge: Edge, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = str(edge.cwd / "s.csv"), "--map", str(edge.cwd / "map.yaml")
    assert invoke(["import", "samples", *paths, "--format", "json"], edge=edge) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["quarantined"] == {"sm_active_permille is NaN": 1}
    assert summary["figures"] == {
        "subjects": 1,
        "days_and_shards_made_anew": 1,
        "stretches_of_activity": 1,
        "device_hours_of_energy": 0,
    }
    assert invoke(["lake", "rebuild-activity", "--day", "2026-10-27"], edge=edge) == 0
    assert capsys.readouterr().out == "1 days and shards made anew, 0 changed\n"
    assert invoke(["lake", "rebuild-activity", "--day", "yesterday"], edge=edge) == 3
    assert invoke(["import", "samples", *paths, "--strict"], edge=edge) == 3
