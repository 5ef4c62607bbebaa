"""The command line: the command table as a click tree, and every error rendered once.

A command is imported when it runs, so `--help` lists all of them in every install and starts quickly.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from gpuledger import __version__
from gpuledger.commands import COMMANDS, GROUPS, Command, missing_extra
from gpuledger.console import render_error
from gpuledger.errors import GpuledgerError, InputError
from gpuledger.session import Edge
from gpuledger.settings import SETTINGS

__all__ = ["command_line", "invoke", "load_command", "main"]

_ABOUT = "Keep the books of a GPU fleet: what it costs, who spends it, what sits idle."

# Help in Rich's boxes costs a third of a second at each start.
_PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None}


def main() -> None:
    """Run the command that the process was started with, and exit with its code."""
    code = invoke(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone: the interpreter's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def invoke(arguments: Sequence[str], *, edge: Edge | None = None) -> int:
    """Run one command in this process and return its exit code; errors are rendered on stderr.

    With the `edge` of a command that already runs, its flags, clock and environment hold here too.
    """
    edge = replace(edge, flags=dict(edge.flags), command=None, session=None) if edge else Edge()
    try:
        _refuse_no_utf8(arguments)
        command_line().main(list(arguments), prog_name="gpuledger", obj=edge)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except GpuledgerError as error:
        return _fail(error)
    except ModuleNotFoundError as error:
        absent = missing_extra(edge.command, error)
        if absent is None:
            raise
        return _fail(absent)
    except KeyboardInterrupt:
        return 130
    finally:
        if edge.session is not None:
            edge.session.close()
    return 0


def command_line() -> TyperGroup:
    """The whole tree: top-level flags from the settings, commands from the table."""
    app = typer.Typer(help=_ABOUT, cls=_Root, no_args_is_help=True, **_PLAIN)
    app.callback()(_take_flags())
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    groups = {name: _Group(name=name, help=help, no_args_is_help=True) for name, help in GROUPS.items()}
    for entry in COMMANDS:
        parent = root if len(entry.path) == 1 else groups[entry.path[0]]
        parent.add_command(_Later(entry), entry.path[-1])
    for name, group in groups.items():
        root.add_command(group, name)
    return root


def load_command(entry: Command) -> TyperCommand:
    """The click command of a row of the table, its function imported."""
    module, _, function = entry.target.partition(":")
    app = typer.Typer(**_PLAIN)
    app.command(entry.path[-1], help=entry.help)(getattr(importlib.import_module(module), function))
    command = get_command(app)
    assert isinstance(command, TyperCommand)
    return command


class _Later(TyperCommand):
    """Stands in the tree for a command until it is called, when the real one takes its place."""

    def __init__(self, entry: Command) -> None:
        super().__init__(entry.path[-1], help=entry.help)
        self.entry = entry

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        edge = parent.find_object(Edge)
        if edge is not None:
            edge.command = self.entry
        return load_command(self.entry).make_context(info_name, args, parent=parent, **extra)


class _Group(TyperGroup):
    """A branch of the tree; its help lists each command with its whole sentence."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{"commands": {}, "rich_markup_mode": None} | attributes)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        _list_commands(formatter, "Commands", [entry for entry in COMMANDS if entry.path[0] == self.name])


class _Root(_Group):
    """The top of the tree; its help lists `import holdings` and the like, not only `import`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        self.format_commands(ctx, formatter)
        records = [record for option in self.get_params(ctx) if (record := option.get_help_record(ctx))]
        flags = {setting.flag for setting in SETTINGS}
        set_by = [record for record in records if record[0].split()[0] in flags]
        with formatter.section("Settings"):
            formatter.write_dl(set_by)
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record not in set_by])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        _list_commands(formatter, "Commands", [entry for entry in COMMANDS if len(entry.path) == 1])
        for name, help in GROUPS.items():
            group = [entry for entry in COMMANDS if len(entry.path) > 1 and entry.path[0] == name]
            _list_commands(formatter, help.rstrip("."), group)


def _list_commands(formatter: Any, title: str, entries: list[Command]) -> None:
    with formatter.section(title):
        formatter.write_dl([(entry.name, entry.help) for entry in entries])


def _take_flags() -> Callable[..., None]:
    """The function behind the top-level flags; its parameters are made from the settings."""

    def take(ctx: typer.Context, **values: Any) -> None:
        edge = ctx.find_object(Edge)
        if edge is not None:
            edge.flags.update({name: text for name, text in values.items() if text is not None})

    parameters: list[tuple[str, Any, Any]] = [("ctx", typer.Context, inspect.Parameter.empty)]
    parameters += [(one.name, _flag(one.flag, one.help, one.metavar), None) for one in SETTINGS]
    parameters += [("version", _version_flag(), False)]
    take.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)
            for name, hint, default in parameters
        ]
    )
    take.__annotations__ = {name: hint for name, hint, _ in parameters}
    return take


def _flag(flag: str, help: str, metavar: str) -> Any:
    option = typer.Option(flag, help=help, metavar=metavar, show_default=False)
    return Annotated[str | None, option]


def _version_flag() -> Any:
    def show(asked: bool) -> None:
        if asked:
            typer.echo(f"gpuledger {__version__}")
            raise typer.Exit

    return Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=show)]


def _refuse_no_utf8(arguments: Sequence[str]) -> None:
    """Raise InputError for an argument in another encoding, as a file's name may be: it cannot be stored."""
    for argument in arguments:
        if not argument.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in argument):
            raise InputError(
                f"the argument {argument!r} is not UTF-8",
                mend="write it in UTF-8; a file with such a name must be renamed first",
            )


def _fail(error: GpuledgerError) -> int:
    sys.stdout.flush()
    sys.stderr.write(render_error(error) + "\n")
    return error.exit_code
