"""What a command's function works with: clock, home, consoles, progress."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from gpuledger.console import make_console, progress, render_error
from gpuledger.errors import InputError, MissingExtra, Place, SettingsError
from gpuledger.session import Edge, Session


def session(tmp_path: Path, **flags: str) -> Session:
    return Session(
        Edge(environ={"GPULEDGER_HOME": str(tmp_path / "home")}, cwd=tmp_path, clock=lambda: 7.9, flags=flags)
    )


def test_now_is_the_clocks_second(tmp_path: Path) -> None:
    assert session(tmp_path).now() == 7


def test_now_can_be_set(tmp_path: Path) -> None:
    assert session(tmp_path, now="2026-11-01T00:00:00+05:30").now() == 1793471400


def test_login_is_named_by_the_environment_else_by_the_account(tmp_path: Path) -> None:
    edge = Edge(environ={"GPULEDGER_HOME": str(tmp_path), "LOGNAME": "", "USER": "ann"}, cwd=tmp_path)
    assert Session(edge).login() == "ann"
    assert session(tmp_path).login()


def test_settings_are_checked_when_the_session_opens(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="zone"):
        session(tmp_path, zone="Mars")


def test_home_is_made_and_named_on_stderr_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = session(tmp_path)
    assert not (tmp_path / "home").exists()
    assert one.home.lake.is_dir()
    assert one.home is one.home
    assert capsys.readouterr() == ("", f"home: {tmp_path / 'home'}\n")


def test_long_path_is_named_on_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session(tmp_path, home="deep/" * 40).home  # noqa: B018
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_names_of_users_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    make_console().print("team [red] :smile: 12.50", soft_wrap=True)
    assert capsys.readouterr().out == "team [red] :smile: 12.50\n"


def test_lines_in_a_file_do_not_depend_on_the_window(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    make_console().print("word " * 30)
    assert max(map(len, capsys.readouterr().out.splitlines())) > 100


@pytest.mark.parametrize("total, step", [(10, 1), (1000, 1), (3, 1), (1000, 333), (5, 9)])
def test_progress_away_from_a_terminal_is_at_most_a_line_per_tenth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], total: int, step: int
) -> None:
    with session(tmp_path).progress(total, "rows") as rows:
        for _ in range(0, total, step):
            rows.advance(step)
    lines = capsys.readouterr().err.splitlines()
    assert 1 <= len(lines) <= 10
    assert "100 %" in lines[-1]
    assert all(line.startswith("rows: ") for line in lines)


def test_progress_without_a_known_total_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with session(tmp_path).progress(0, "rows") as rows:
        rows.advance(100)
    assert capsys.readouterr().err == ""


def test_progress_on_a_terminal_is_a_bar() -> None:
    terminal = io.StringIO()
    with progress(Console(file=terminal, force_terminal=True, width=80), 4, "rows [1]") as rows:
        rows.advance(4)
    assert "rows [1]" in terminal.getvalue()
    assert "4/4" in terminal.getvalue()


def test_error_says_what_where_and_what_to_do() -> None:
    error = InputError("no rate", place=Place("prices.csv", row=3), mend="write one")
    assert render_error(error) == "error: no rate\n  at: prices.csv, row 3\n  do: write one"
    assert render_error(InputError("no rate")) == "error: no rate"


def test_absent_extra_is_said_in_the_one_line_to_run() -> None:
    line = "needs: pip install 'gpuledger[engine]'"
    assert render_error(MissingExtra(line)) == line
