"""What the passes did on DuckDB: what each bench was given, which models it ran, and what came out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest.mock import patch

from chargeback.workbench import SourceFile, Workbench
from gpuledger.lake.arrow import pa

__all__ = ["Pass", "recorded"]

_PRIVATE = "no_"
"""What a bench's own empty tables begin with; they stand in for files that are not there."""


@dataclass
class Pass:
    """One bench, from its inputs to its last model: every table as text and 64-bit integers.

    `files` are those that the source views read; None where a pass has no source views.
    """

    files: tuple[SourceFile, ...] | None = None
    models: list[str] = field(default_factory=list)
    tables: dict[str, pa.Table] = field(default_factory=dict)

    @property
    def sources(self) -> list[str]:
        """The source views, over the lake's files."""
        return [name for name in self.tables if name.startswith("source_")]

    @property
    def inputs(self) -> dict[str, pa.Table]:
        """What was staged before the first model ran."""
        made = {*self.models, *self.sources}
        return {name: table for name, table in self.tables.items() if name not in made}


@contextmanager
def recorded() -> Iterator[list[Pass]]:
    """Every bench on which models are run in here, in this process, as it stands when it is closed."""
    passes: dict[Workbench, Pass] = {}
    sources, run, leave = Workbench.sources, Workbench.run, Workbench.__exit__

    def note_sources(bench: Workbench, files: Sequence[SourceFile]) -> None:
        passes.setdefault(bench, Pass()).files = tuple(files)
        sources(bench, files)

    def note_run(bench: Workbench, names: Iterable[str]) -> None:
        listed = list(names)
        passes.setdefault(bench, Pass()).models += listed
        run(bench, listed)

    def note_exit(bench: Workbench, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None and bench in passes and passes[bench].models:
            passes[bench].tables = _tables(bench)
        leave(bench, kind, error, trace)

    found: list[Pass] = []
    with (
        patch.object(Workbench, "sources", note_sources),
        patch.object(Workbench, "run", note_run),
        patch.object(Workbench, "__exit__", note_exit),
    ):
        yield found
    found += [one for one in passes.values() if one.models]


def _tables(bench: Workbench) -> dict[str, pa.Table]:
    names = bench.rows("select table_name from information_schema.tables order by table_name")
    return {name: _table(bench, name) for (name,) in names if not name.startswith(_PRIVATE)}


def _table(bench: Workbench, name: str) -> pa.Table:
    """A table's rows: dictionaries as the text that they stand for, every integer as one of 64 bits."""
    columns = [
        f"cast({column} as {'bigint' if 'INT' in kind else 'varchar'}) as {column}"
        for column, kind, *_ in bench.rows(f"describe {name}")
    ]
    return bench.connection.sql(f"select {', '.join(columns)} from {name}").to_arrow_table()
