"""The demo's command lines, and the folder that is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuledger.cli import invoke
from simulator import generate, write_exports
from simulator.demo import command_lines


def test_the_demos_commands_name_files_that_the_exports_have(tmp_path: Path) -> None:
    fleet = generate(7)
    written = write_exports(fleet, tmp_path)
    named = {word for words in command_lines(fleet) for word in words if word.endswith((".csv", ".yaml"))}
    assert named == set(written)


def test_the_demo_shows_each_step_from_import_to_verify() -> None:
    steps = [" ".join(words[:2]) for words in command_lines(generate(7))]
    assert steps == [
        "import inventory",
        "import holdings",
        "import holdings",
        "import prices",
        "import owners",
        "run --month",
        "statement --month",
        "verify --month",
    ]


def test_a_folder_that_holds_something_is_not_written_into(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").touch()
    assert invoke(["demo", "--keep", str(tmp_path)]) == 3
    assert "is not an empty folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_zone_that_does_not_exist_ends_the_demo_before_it_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["demo", "--zone", "Mars/Olympus", "--keep", str(tmp_path / "new")]) == 3
    assert "Mars/Olympus" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
