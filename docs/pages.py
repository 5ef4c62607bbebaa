"""Fills the blocks of the reference pages with what the code itself says.

    scripts/docs            writes them
    scripts/docs --check    writes nothing; exits 1 when a block is not what the code says

A block stands in a page between `<!-- begin NAME -->` and `<!-- end NAME -->`; the prose around it is written
by hand. A new kind of block is one function here and one line in BLOCKS.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import typer

from gpuledger.catalogue import Metric, catalogue
from gpuledger.cli import load_command
from gpuledger.commands import COMMANDS
from gpuledger.errors import GpuledgerError
from gpuledger.settings import SETTINGS

_FOLDER = Path(__file__).parent
_BLOCK = re.compile(r"(<!-- begin (\w+) -->\n).*?(?=<!-- end \2 -->)", re.DOTALL)
_WIDTH = 96


def commands() -> str:
    """One heading per command, with its help as the command line prints it."""
    parts: list[str] = []
    for entry in COMMANDS:
        command = load_command(entry)
        context = typer.Context(command, info_name=f"gpuledger {entry.name}", terminal_width=_WIDTH)
        parts += [f"## gpuledger {entry.name}", f"```text\n{command.get_help(context).rstrip()}\n```"]
        parts += [f"Needs `pip install 'gpuledger[{entry.extra}]'`."] if entry.extra else []
    return "\n\n".join(parts)


def settings() -> str:
    """One row per setting."""
    rows = [
        (f"`{s.name}`", f"`{s.flag}`", f"`{s.variable}`", f"`{s.default}`" if s.default != "" else "", s.help)
        for s in SETTINGS
    ]
    return _table(("setting", "flag", "environment", "default", "what it sets"), rows)


def metrics() -> str:
    """One row per metric of the catalogue."""
    rows = [
        (f"`{m.name}`", m.type, m.unit, str(m.quantum), m.rounding, " ".join(m.labels), _kept(m), m.help)
        for m in catalogue()
    ]
    return _table(
        ("metric", "type", "unit", "quantum", "rounding", "labels", "kept in", "what it says"), rows
    )


def _kept(metric: Metric) -> str:
    return f"`{metric.table}.{metric.column}`" if metric.table else ""


def errors() -> str:
    """One row per error with its exit code, the base first."""
    rows = [(str(e.exit_code), f"`{e.__name__}`", (e.__doc__ or "").partition("\n")[0]) for e in _tree()]
    return _table(("exit code", "error", "meaning"), rows)


def _tree(kind: type[GpuledgerError] = GpuledgerError) -> Iterator[type[GpuledgerError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)


def lake() -> str:
    """One heading per table of the lake, one row per column."""
    from gpuledger.lake.schema import SCHEMA_VERSION, TABLES

    parts = [f"Schema version {SCHEMA_VERSION}."]
    for table in TABLES.values():
        rows = [
            (f"`{c.name}`", c.type, "yes" if c.nullable else "no", c.unit, c.meaning) for c in table.columns
        ]
        parts += [f"### {table.name}", f"{table.kind}: {table.meaning}."]
        parts.append(_table(("column", "type", "null", "unit", "meaning"), rows))
    return "\n\n".join(parts)


def database() -> str:
    """One heading per table of the database, one row per column."""
    from gpuledger.versions.tables import metadata

    parts: list[str] = []
    for table in metadata.tables.values():
        rows = [
            (f"`{c.name}`", str(c.type).lower(), "yes" if c.nullable else "no", c.doc or "")
            for c in table.columns
        ]
        parts += [f"### database: {table.name}"]
        parts += [f"{table.info['meaning']}."] if "meaning" in table.info else []
        parts.append(_table(("column", "type", "null", "meaning"), rows))
    return "\n\n".join(parts)


def models() -> str:
    """One heading per model of the books, one row per column, one line per audit."""
    from chargeback.model_files import MODELS, model

    parts: list[str] = []
    for made in map(model, MODELS):
        rows = [(f"`{name}`", meaning) for name, meaning in made.columns.items()]
        parts += [
            f"### {made.name}",
            f"A {made.kind}, one row per {made.grain}; keys {', '.join(made.keys)}.",
        ]
        parts.append(_table(("column", "meaning"), rows))
        parts += [f"Audit `{audit.name}`: {audit.holds}." for audit in made.audits]
    return "\n\n".join(parts)


BLOCKS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "database": database,
    "errors": errors,
    "lake": lake,
    "metrics": metrics,
    "models": models,
    "settings": settings,
}


def filled(page: str) -> str:
    """The text of a page with each of its blocks made anew."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{BLOCKS[found[2]]()}\n\n", page)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def main(arguments: Sequence[str]) -> int:
    """Fill the pages, or with --check say which are stale; the exit code."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("*.md"))}
    stale = {path: new for path, old in pages.items() if (new := filled(old)) != old}
    if "--check" in arguments:
        names = ", ".join(path.name for path in stale)
        sys.stderr.write(f"docs: stale: {names}; run scripts/docs\n" if stale else "")
        return 1 if stale else 0
    for path, new in stale.items():
        path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
