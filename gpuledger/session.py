"""One run of one command: its settings, home, consoles, clock, database and lake."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuledger.console import Progress, make_console, progress
from gpuledger.home import Home

if TYPE_CHECKING:
    import typer
    from rich.console import Console

    from gpuledger.commands import Command
    from gpuledger.lake import Lake
    from gpuledger.settings import Settings
    from gpuledger.sources import Sourced
    from gpuledger.versions import Database
    from gpuledger.versions.book import Book

__all__ = ["Edge", "Session"]


@dataclass
class Edge:
    """What a command meets of the outside, read once: flags, environment, folder and clock.

    `announced` holds the home folders that were named already, `command` the row of the table that runs.
    """

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cwd: Path = field(default_factory=Path.cwd)
    clock: Callable[[], float] = time.time
    flags: dict[str, str] = field(default_factory=dict)
    announced: set[Path] = field(default_factory=set)
    command: Command | None = None
    session: Session | None = None


class Session:
    """What a command's function works with; each part is opened when it is first asked for."""

    def __init__(self, edge: Edge) -> None:
        """Read and check the settings; SettingsError where one cannot be."""
        from gpuledger.sources import load

        self._edge = edge
        self.sourced: Sourced = load(edge.flags, environ=edge.environ, cwd=edge.cwd)

    @classmethod
    def of(cls, ctx: typer.Context) -> Session:
        """The session of the command that runs under this context, opened when first asked for."""
        edge = ctx.find_object(Edge) or Edge()
        if edge.session is None:
            edge.session = cls(edge)
        return edge.session

    @property
    def settings(self) -> Settings:
        return self.sourced.settings

    @cached_property
    def home(self) -> Home:
        """The home folder, made if it was absent and named on stderr the first time."""
        home = Home(Path(self.settings.home), self.settings.database_url)
        home.open()
        if home.path not in self._edge.announced:
            self._edge.announced.add(home.path)
            self.say(f"home: {home.path}")
        return home

    @cached_property
    def console(self) -> Console:
        """Results, on stdout."""
        return make_console()

    @cached_property
    def notices(self) -> Console:
        """Everything that is not the result, on stderr."""
        return make_console(stderr=True)

    def say(self, text: str) -> None:
        """Write one notice on stderr, as it is and unwrapped."""
        self.notices.print(text, soft_wrap=True)

    def write(self, text: str) -> None:
        """Write a result that must come out byte for byte (CSV, JSON) on stdout."""
        sys.stdout.write(text)

    def now(self) -> int:
        """The instant in Unix seconds: the setting `now`, else the machine's clock, read here alone."""
        from gpuledger.instants import parse_instant

        asked = self.settings.now
        return parse_instant(asked, zone=None, epoch_s=None) if asked else int(self._edge.clock())

    def login(self) -> str:
        """The name of whoever is logged in, read here alone; their number where they have no name."""
        environ = self._edge.environ
        named = next((environ[name] for name in ("LOGNAME", "USER", "USERNAME") if environ.get(name)), "")
        return named or _account_name()

    @cached_property
    def database(self) -> Database:
        """The database, opened; SchemaError where it needs `gpuledger upgrade`."""
        from gpuledger.versions import Database

        return Database.open(self.home.database_url)

    @cached_property
    def book(self) -> Book:
        """The book that is set, begun if it was not yet; SettingsError where it was begun otherwise."""
        from gpuledger.book_settings import session_book

        return session_book(self.database, self.sourced, at_s=self.now())

    @cached_property
    def lake(self) -> Lake:
        """The lake, cut into as many shards as its facts are."""
        from gpuledger.book_settings import shards_in_use

        # More than one shard is worth a book of its own: without it the next command could not know.
        if self.settings.shards > 1:
            return self.open_lake(shards=self.book.shards)
        return self.open_lake(shards=shards_in_use(self.database) or 1)

    def open_lake(self, *, shards: int) -> Lake:
        """The lake with this number of shards, and the engine's limits as set."""
        from gpuledger.lake import Lake, LocalFiles

        return Lake(
            self.database,
            LocalFiles(self.home.lake),
            shards,
            memory_limit=self.settings.memory_limit,
            threads=self.settings.threads,
            scratch=self.home.scratch,
        )

    def progress(self, total: int, label: str) -> AbstractContextManager[Progress]:
        """Show how far `total` steps have come: a bar on a terminal, at most ten plain lines elsewhere."""
        return progress(self.notices, total, label)

    def close(self) -> None:
        """Give back what was opened."""
        if "database" in self.__dict__:
            self.database.close()

    def call(self, *arguments: Any) -> int:
        """Run another command with this one's flags, in this process, and give its exit code."""
        from gpuledger.cli import invoke

        return invoke([str(argument) for argument in arguments], edge=self._edge)


def _account_name() -> str:
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"
