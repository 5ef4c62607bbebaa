"""What people see: two consoles, errors rendered once, and progress as a bar or as plain lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from gpuledger.errors import GpuledgerError, MissingExtra

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Progress", "make_console", "progress", "render_error"]

_WIDTH_OF_A_FILE = 120


class Progress(Protocol):
    """How far a long piece of work has come."""

    def advance(self, amount: int = 1) -> None:
        """Say that `amount` more of the total is done."""


def make_console(*, stderr: bool = False) -> Console:
    """A Rich console that prints text as it is: no markup, no emoji codes, no highlighting.

    Names come from users, so nothing in them may be read as markup. Away from a terminal lines have one
    width, so that what is written to a file does not depend on the window it was started from.
    """
    from rich.console import Console

    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH_OF_A_FILE
    return console


def render_error(error: GpuledgerError) -> str:
    """The error as the lines that the command line writes: what, where, and what to do."""
    if isinstance(error, MissingExtra):
        return error.message
    lines = [f"error: {error.message}"]
    lines += [f"  at: {error.place}"] if error.place and str(error.place) else []
    lines += [f"  do: {error.mend}"] if error.mend else []
    return "\n".join(lines)


@contextmanager
def progress(console: Console, total: int, label: str) -> Iterator[Progress]:
    """Show progress through `total` on the console: a bar on a terminal, else at most a line per tenth."""
    if console.is_terminal:
        with _bar(console, total, label) as bar:
            yield bar
    else:
        yield _Lines(lambda text: console.print(text, soft_wrap=True), total, label)


class _Lines:
    """Progress as plain lines, one when a further tenth of the total is done."""

    def __init__(self, say: Callable[[str], None], total: int, label: str) -> None:
        self._say = say
        self._total = total
        self._label = label
        self._done = 0
        self._tenths = 0

    def advance(self, amount: int = 1) -> None:
        self._done += amount
        tenths = min(10, self._done * 10 // self._total) if self._total > 0 else 0
        if tenths > self._tenths:
            self._tenths = tenths
            self._say(f"{self._label}: {self._done:,} of {self._total:,} ({tenths * 10} %)")


@contextmanager
def _bar(console: Console, total: int, label: str) -> Iterator[Progress]:
    from rich import progress as bars

    columns = (
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
    )
    with bars.Progress(*columns, bars.TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task(label, total=total or None)

        class Bar:
            def advance(self, amount: int = 1) -> None:
                bar.advance(task, amount)

        yield Bar()
