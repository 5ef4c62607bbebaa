"""`gpuledger simulate`: what it writes and says, what it refuses, and samples put straight into a lake."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from desktop import Desktop
from simulated import type_in

from gpuledger.lake.arrow import pq
from simulator.scenarios import SCENARIOS

SMALL = ("--gpus", "4", "--days", "1", "--step", "300")


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    monkeypatch.chdir(tmp_path)
    return Desktop(tmp_path)


def test_it_writes_sources_truth_and_commands_and_says_what_to_type_next(desktop: Desktop) -> None:
    code, out, err = desktop.type("simulate", "--out", "fleet", *SMALL)
    assert code == 0, err
    fleet = desktop.folder / "fleet"
    commands = (fleet / "commands.txt").read_text("utf-8").splitlines()
    assert commands[0].startswith("gpuledger import inventory inventory.csv --map inventory.map.yaml")
    assert commands[-1] == "gpuledger run --month 2026-10"
    assert "Scenario steady, seed 7: 4 nodes, 4 boards" in out
    assert "next: cd fleet" in err
    with (fleet / "truth" / "rows.csv").open(encoding="utf-8", newline="") as file:
        ticks = sum(int(row["ticks"]) for row in csv.DictReader(file) if "/" not in row["ticks"])
    assert 0 < ticks <= 4 * 3 * 86_400 * 720_720
    assert (fleet / ".gpuledger" / "gpuledger.toml").read_text("utf-8").startswith('zone = "UTC"')


def test_a_folder_with_something_in_it_is_left_alone(desktop: Desktop) -> None:
    desktop.write("kept.txt", "mine")
    code, _, err = desktop.type("simulate", "--out", ".", *SMALL)
    assert code == 3
    assert "not an empty folder" in err and "--out" in err
    assert sorted(path.name for path in desktop.folder.iterdir()) == ["kept.txt"]


def test_an_unknown_scenario_is_refused_before_anything_is_made(desktop: Desktop) -> None:
    code, _, err = desktop.type("simulate", "--out", "fleet", "--scenario", "earthquake")
    assert code == 3
    assert "earthquake" in err and "board-swap" in err
    assert not (desktop.folder / "fleet").exists()


def test_more_samples_than_files_should_hold_are_asked_to_go_into_a_lake(desktop: Desktop) -> None:
    code, _, err = desktop.type("simulate", "--out", "fleet", "--gpus", "8", "--days", "31", "--step", "1")
    assert code == 3
    assert "21,427,200 samples" in err and "--lake" in err
    assert not (desktop.folder / "fleet").exists()


def test_help_lists_every_scenario(desktop: Desktop) -> None:
    _, out, _ = desktop.type("simulate", "--help")
    unwrapped = "".join(out.replace("│", "").split())
    assert not [name for name in SCENARIOS if name not in unwrapped]


@pytest.mark.books
@pytest.mark.parametrize("scenario", ["clock-skew", "late-facts"])
def test_samples_put_straight_into_the_lake_make_the_same_activity(desktop: Desktop, scenario: str) -> None:
    made = []
    for folder, more in (("files", ()), ("lake", ("--lake",))):
        code, _, err = desktop.type("simulate", "--scenario", scenario, "--out", folder, *SMALL, *more)
        assert code == 0, err
        home = desktop.folder / folder
        for line in (home / "commands.txt").read_text("utf-8").splitlines():
            if "samples" in line or "lake" in line:
                type_in(home, *line.split()[1:])
        made.append(activity(home))
    assert made[0] and made[0] == made[1]


def activity(folder: Path) -> list[tuple[Any, ...]]:
    """The stretches of activity that count: of each day the file that was made last."""
    newest: dict[str, Path] = {}
    for path in (folder / ".gpuledger" / "lake" / "activity").rglob("*.parquet"):
        kept = newest.get(path.parts[-3])
        if kept is None or path.stat().st_mtime_ns > kept.stat().st_mtime_ns:
            newest[path.parts[-3]] = path
    rows = [row for path in newest.values() for row in pq.read_table(path, partitioning=None).to_pylist()]
    return sorted((row["subject"], row["start_s"], row["end_s"], row["band"], row["measure"]) for row in rows)
