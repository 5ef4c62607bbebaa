"""`gpuledger demo`: make a small fleet, keep its books with the real commands, compare them with the truth.

Each command is shown before it runs, as a reader would type it in the demo's folder. The demo has a folder, a
home and a clock of its own, so it never meets the user's ledger, and prints the same every time.
"""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console

from gpuledger.cli import invoke
from gpuledger.errors import InputError, Place
from gpuledger.session import Edge, Session
from gpuledger.settings import Settings
from simulator.comparison import compare, show
from simulator.exports import utc, write
from simulator.facts import Fleet
from simulator.fleet import generate
from simulator.truth import compute

__all__ = ["command_lines", "demo"]

# What the user may set for the demo too, because no figure depends on it.
_SPEED = ("workers", "memory_limit", "threads")


def demo(
    ctx: typer.Context,
    seed: Annotated[int, typer.Option(help="Number that the fleet is made from.", metavar="NUMBER")] = 7,
    zone: Annotated[
        str | None,
        typer.Option(help="Time zone whose month is billed; without it the setting.", metavar="ZONE"),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            help="New folder to leave the fleet's files and books in; without it they are deleted.",
            metavar="DIR",
        ),
    ] = None,
) -> None:
    """Make a small fleet, run its books with the real commands, and hold the statement against the truth."""
    session = Session.of(ctx)
    settings = session.settings
    fleet = generate(seed, zone=zone or settings.zone)
    with _folder(keep) as folder, chdir(folder):
        write(fleet, folder)
        _set_up(folder, fleet, settings)
        _introduce(session.console, fleet, seed, folder)
        shell = _Shell(_edge(ctx, folder, settings), session.console)
        for words in command_lines(fleet):
            shell.run(*words)
        statement = shell.read("statement", "--month", fleet.month, "--by", "team", "--format", "json")
        session.console.print()
        show(session.console, compare(statement, compute(fleet), pooled=settings.charged == "pooled"))


def command_lines(fleet: Fleet) -> list[tuple[str, ...]]:
    """The commands of the demo, in order, as words; they run in a folder that holds the fleet's exports."""
    through = ("--through", utc(fleet.exported_s))
    return [
        ("import", "inventory", "inventory.csv", "--map", "inventory.map.yaml", *through),
        ("import", "holdings", "slurm.csv", "--map", "slurm.map.yaml", *through),
        ("import", "holdings", "pods.csv", "--map", "pods.map.yaml", *through),
        ("import", "prices", "prices.csv"),
        ("import", "owners", "owners.csv"),
        ("run", "--month", fleet.month),
        ("statement", "--month", fleet.month, "--by", "team"),
        ("verify", "--month", fleet.month),
    ]


@dataclass(frozen=True)
class _Shell:
    """Runs commands in this process; the demo ends with the code of the first that fails."""

    edge: Edge
    console: Console

    def run(self, *words: str) -> None:
        self.console.print(f"\n$ gpuledger {shlex.join(words)}", soft_wrap=True)
        self._invoke(words)

    def read(self, *words: str) -> dict[str, Any]:
        """Run a command that prints JSON, unseen, and give what it printed."""
        with redirect_stdout(io.StringIO()) as printed:
            self._invoke(words)
        read: dict[str, Any] = json.loads(printed.getvalue())
        return read

    def _invoke(self, words: tuple[str, ...]) -> None:
        if code := invoke(words, edge=self.edge):
            raise typer.Exit(code)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with TemporaryDirectory(prefix="gpuledger-demo-") as folder:
            yield Path(folder).resolve()
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise InputError(
            f"{keep} is not an empty folder",
            place=Place(file=str(keep)),
            mend="name a new folder with --keep",
        )
    keep.mkdir(parents=True, exist_ok=True)
    yield keep.resolve()


def _set_up(folder: Path, fleet: Fleet, settings: Settings) -> None:
    """Make the folder's own home, which commands run in the folder find by themselves, and its settings."""
    home = folder / ".gpuledger"
    home.mkdir()
    lines = [
        f'zone = "{fleet.zone}"',
        f'charged = "{settings.charged}"',
        "# The demo's clock stands still, so that what it prints repeats.",
        f'now = "{utc(fleet.exported_s)}"',
    ]
    (home / "gpuledger.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _edge(ctx: typer.Context, folder: Path, settings: Settings) -> Edge:
    """The outside as the demo's commands meet it: nothing of the user's environment, folder or database."""
    flags = {name: str(getattr(settings, name)) for name in _SPEED}
    edge = ctx.find_object(Edge) or Edge()
    return replace(edge, environ={}, cwd=folder, flags=flags, announced=set(), command=None, session=None)


def _introduce(console: Console, fleet: Fleet, seed: int, folder: Path) -> None:
    gpus = sum(len(node.gpus) for node in fleet.nodes)
    teams = len({owner.team for owner in fleet.owners})
    console.print(
        f"A simulated fleet (seed {seed}): {gpus} GPUs on {len(fleet.nodes)} nodes, Slurm and Kubernetes, "
        f"{teams} teams, {fleet.month} in {fleet.zone}.",
        soft_wrap=True,
    )
    console.print(f"\n$ cd {shlex.quote(str(folder))}", soft_wrap=True)
