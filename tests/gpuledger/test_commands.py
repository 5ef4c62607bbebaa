"""The command table: what it names is there, and what an extra brings is known."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from gpuledger.cli import load_command
from gpuledger.commands import COMMANDS, EXTRAS, GROUPS, Command, missing_extra

ROOT = Path(__file__).parents[2]
ENGINE = Command(("run",), "chargeback.commands:run", "Run.", "engine")


def test_no_two_commands_are_called_alike() -> None:
    assert len({command.path for command in COMMANDS}) == len(COMMANDS)
    assert {command.path[0] for command in COMMANDS if len(command.path) > 1} == set(GROUPS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_command_says_in_a_sentence_what_it_does(command: Command) -> None:
    assert re.fullmatch(r"[A-Z].*\.", command.help)
    assert "\n" not in command.help


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_command_has_its_function_and_each_option_its_help(command: Command) -> None:
    loaded = load_command(command)
    assert loaded.name == command.path[-1]
    assert not [param.name for param in loaded.params if not getattr(param, "help", None)]


@pytest.mark.parametrize("extra", EXTRAS)
def test_modules_of_an_extra_are_what_its_distributions_bring(extra: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[\[<>=! ]", text)[0].lower() for text in project["optional-dependencies"][extra]}
    brought = {
        module
        for module, distributions in packages_distributions().items()
        if names & {name.lower() for name in distributions} and re.fullmatch(r"[a-z]\w*", module)
    }
    if not brought:
        pytest.skip(f"extra: {extra} is not installed")
    assert EXTRAS[extra] <= brought


def test_absent_library_of_the_extra_is_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    absent = missing_extra(ENGINE, ModuleNotFoundError("no", name="duckdb.sql"))
    assert absent is not None
    assert absent.message == "needs: pip install 'gpuledger[engine]'"


def test_driver_that_the_address_needs_has_an_extra_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    absent = missing_extra(ENGINE, ModuleNotFoundError("no", name="psycopg"))
    assert absent is not None
    assert absent.message == "needs: pip install 'gpuledger[postgres]'"


@pytest.mark.parametrize("module", ["gpuledger.nothing", "chargeback", "nothing_of_ours", "duckdb.nothing"])
def test_fault_of_our_own_is_not_taken_for_an_absent_extra(module: str) -> None:
    assert missing_extra(ENGINE, ModuleNotFoundError("no", name=module)) is None


def test_command_without_an_extra_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    own = Command(("settings",), "gpuledger.show:settings", "Print.")
    assert missing_extra(own, ModuleNotFoundError("no", name="duckdb")) is None
