"""The command line as people meet it: help, exit codes, errors on stderr, results on stdout."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import types
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from gpuledger import __version__
from gpuledger.cli import invoke
from gpuledger.commands import COMMANDS, Command
from gpuledger.errors import InputError, InvariantError, Place
from gpuledger.session import Edge, Session

ROOT = Path(__file__).parents[2]
Capsys = pytest.CaptureFixture[str]
Install = Callable[..., None]


@pytest.fixture
def edge(tmp_path: Path) -> Edge:
    """A world with nothing in it but a home folder."""
    return Edge(environ={"GPULEDGER_HOME": str(tmp_path / "home")}, cwd=tmp_path, clock=lambda: 1.8e9)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a function of a test into the command table, as `try`."""

    def put(function: Callable[..., None], extra: str | None = "engine", name: str = "try") -> None:
        room = types.ModuleType(f"a_room_{name}")
        room.command = function  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, room.__name__, room)
        row = Command((name,), f"{room.__name__}:command", "Try it.", extra)
        monkeypatch.setattr("gpuledger.cli.COMMANDS", (*sys.modules["gpuledger.cli"].COMMANDS, row))

    return put


def test_help_lists_every_command_and_imports_no_engine() -> None:
    code = (
        "import sys\n"
        "from gpuledger.cli import invoke\n"
        "code = invoke(['--help'])\n"
        "heavy = {'alembic', 'duckdb', 'numpy', 'pandas', 'pyarrow', 'pydantic', 'rich', 'sqlalchemy'}\n"
        "sys.exit(code or ' '.join(sorted(heavy & sys.modules.keys())) or 0)\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert not [command.name for command in COMMANDS if f" {command.name} " not in shown.stdout]


def test_help_of_a_group_lists_its_commands(capsys: Capsys) -> None:
    assert invoke(["import", "--help"]) == 0
    shown = capsys.readouterr().out
    assert not [
        command.path[1]
        for command in COMMANDS
        if command.path[0] == "import" and command.path[1] not in shown
    ]


def test_help_names_no_home_and_reads_no_settings(edge: Edge, capsys: Capsys) -> None:
    assert invoke(["--zone", "Mars", "settings", "--help"], edge=edge) == 0
    assert capsys.readouterr().err == ""
    assert not (edge.cwd / "home").exists()


def test_version_is_the_one_of_the_project(capsys: Capsys) -> None:
    assert invoke(["--version"]) == 0
    assert capsys.readouterr().out == f"gpuledger {__version__}\n"
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == __version__


def test_mistyped_command_exits_2_and_is_told_what_was_meant(capsys: Capsys) -> None:
    assert invoke(["statment"]) == 2
    assert "statement" in capsys.readouterr().err


def test_settings_prints_each_with_its_source(edge: Edge, capsys: Capsys) -> None:
    assert invoke(["--zone", "Asia/Kolkata", "settings", "--format", "json"], edge=edge) == 0
    out, err = capsys.readouterr()
    rows = {row["name"]: row for row in json.loads(out)}
    assert (rows["zone"]["value"], rows["zone"]["source"]) == ("Asia/Kolkata", "flag --zone")
    assert rows["home"]["source"] == "environment GPULEDGER_HOME"
    assert all(row["help"] for row in rows.values())
    assert err == ""


def test_settings_as_a_table_has_a_row_per_setting(edge: Edge, capsys: Capsys) -> None:
    assert invoke(["settings"], edge=edge) == 0
    out = capsys.readouterr().out
    assert "GPULEDGER_HOME" in out
    assert "memory_limit" in out


def test_password_in_an_address_is_masked(edge: Edge, capsys: Capsys) -> None:
    url = "postgresql+psycopg://ada:hunter2@db:5432/ledger"
    assert invoke(["--database-url", url, "settings", "--format", "json"], edge=edge) == 0
    out = capsys.readouterr().out
    assert "hunter2" not in out
    assert "postgresql+psycopg://ada:***@db:5432/ledger" in out


def test_metrics_prints_the_catalogue(edge: Edge, capsys: Capsys) -> None:
    from gpuledger.catalogue import catalogue

    assert invoke(["metrics", "--format", "json"], edge=edge) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == [m.name for m in catalogue()]
    assert invoke(["metrics"], edge=edge) == 0
    assert not [m.name for m in catalogue() if m.name not in capsys.readouterr().out and m is catalogue()[0]]


def test_wrong_setting_is_told_once_with_exit_code_4(edge: Edge, capsys: Capsys) -> None:
    assert invoke(["--zone", "Asia/Kolkatta", "settings"], edge=edge) == 4
    assert capsys.readouterr() == (
        "",
        "error: zone = 'Asia/Kolkatta': there is no such time zone\n"
        "  at: flag --zone\n"
        "  do: write Asia/Kolkata\n",
    )


@pytest.mark.parametrize(
    "error, code, shown",
    [
        (
            InputError("no rate", place=Place("prices.csv", row=3), mend="write one"),
            3,
            "error: no rate\n  at: prices.csv, row 3\n  do: write one\n",
        ),
        (InvariantError("held is not used + idle"), 6, "error: held is not used + idle\n"),
    ],
)
def test_error_of_a_command_is_told_once_with_its_exit_code(
    edge: Edge, install: Install, capsys: Capsys, error: Exception, code: int, shown: str
) -> None:
    def fail(ctx: typer.Context) -> None:
        raise error

    install(fail)
    assert invoke(["try"], edge=edge) == code
    assert capsys.readouterr() == ("", shown)


def test_absent_extra_exits_2_with_the_line_to_run(
    edge: Edge, install: Install, capsys: Capsys, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "a_room_that_needs_duckdb.py").write_text("import duckdb\ndef command(ctx): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    row = Command(("try",), "a_room_that_needs_duckdb:command", "Try it.", "engine")
    monkeypatch.setattr("gpuledger.cli.COMMANDS", (row,))
    for arguments in (["try"], ["try", "--help"]):
        assert invoke(arguments, edge=edge) == 2
        assert capsys.readouterr() == ("", "needs: pip install 'gpuledger[engine]'\n")


def test_extra_found_absent_while_running_is_told_alike(
    edge: Edge, install: Install, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(ctx: typer.Context) -> None:
        import duckdb  # noqa: F401

    monkeypatch.setitem(sys.modules, "duckdb", None)
    install(late)
    assert invoke(["try"], edge=edge) == 2
    assert capsys.readouterr() == ("", "needs: pip install 'gpuledger[engine]'\n")


def test_import_that_fails_in_our_own_code_is_not_hidden(edge: Edge, install: Install) -> None:
    def broken(ctx: typer.Context) -> None:
        from gpuledger import nothing_of_that_name  # noqa: F401

    def absent(ctx: typer.Context) -> None:
        import gpuledger.nothing_of_that_name  # type: ignore[import-not-found]  # noqa: F401

    install(broken, name="broken")
    install(absent, name="absent")
    with pytest.raises(ImportError):
        invoke(["broken"], edge=edge)
    with pytest.raises(ModuleNotFoundError):
        invoke(["absent"], edge=edge)


def test_interrupt_exits_130(edge: Edge, install: Install) -> None:
    def interrupted(ctx: typer.Context) -> None:
        raise KeyboardInterrupt

    install(interrupted)
    assert invoke(["try"], edge=edge) == 130


def test_exit_code_that_a_command_asks_for_is_kept(edge: Edge, install: Install) -> None:
    def stop(ctx: typer.Context) -> None:
        raise typer.Exit(6)

    install(stop)
    assert invoke(["try"], edge=edge) == 6


def test_home_is_named_once_also_by_the_commands_that_a_command_calls(
    edge: Edge, install: Install, capsys: Capsys
) -> None:
    zones: list[str] = []

    def inner(ctx: typer.Context) -> None:
        session = Session.of(ctx)
        zones.append(f"{session.settings.zone} {session.home.path.name}")

    def outer(ctx: typer.Context) -> None:
        session = Session.of(ctx)
        assert session.home.path.is_dir()
        assert session.call("inner") == 0
        assert session.call("--zone", "Asia/Tokyo", "inner") == 0
        assert session.call("--zone", "Mars", "inner") == 4

    install(inner, name="inner")
    install(outer, name="outer")
    assert invoke(["--zone", "Asia/Kolkata", "outer"], edge=edge) == 0
    assert zones == ["Asia/Kolkata home", "Asia/Tokyo home"]
    assert capsys.readouterr().err.count("home: ") == 1


def test_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-m", "gpuledger", "metrics", "--format", "json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
