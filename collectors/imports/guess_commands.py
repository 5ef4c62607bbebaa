"""The command `gpuledger import map`: a file's header in, the draft of its map out."""

from __future__ import annotations

import shlex
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import typer

from collectors.imports.guess import Guess, Guessed, Sample, guess_map
from collectors.imports.guess_page import map_text
from collectors.imports.intake import source_of
from collectors.imports.reader import Table, likely_delimiter, open_table
from collectors.imports.rows import Row
from gpuledger.calendars import time_zone
from gpuledger.errors import InputError, Place
from gpuledger.session import Session

__all__ = ["draft"]

_ROWS = 300

File = Annotated[Path, typer.Argument(help="CSV (also gzip), TSV or Parquet.", metavar="FILE")]
OfKind = Annotated[
    Literal["holdings", "inventory"] | None,
    typer.Option("--kind", help="What its rows are; without it the names of the columns tell."),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Where to write the map; without it <name of the file>.map.yaml here.", metavar="PATH"),
]
Zone = Annotated[
    str | None, typer.Option(help="Zone of times without an offset; without it the book's.", metavar="ZONE")
]


def draft(ctx: typer.Context, file: File, kind: OfKind = None, out: Out = None, zone: Zone = None) -> None:
    """Guess the map of a file's columns, and write it as a draft to read and to mend."""
    session = Session.of(ctx)
    path = out or Path(f"{source_of(file)}.map.yaml")
    table, delimiter = _open(file)
    sample = _sample(table, file)
    guess = guess_map(sample, kind, time_zone(zone or session.settings.zone).key)
    command = shlex.join(["gpuledger", "import", guess.kind, str(file), "--map", str(path)])
    heading = (
        f"A guess by the columns' names of {file.name}, checked against its first {len(sample.rows)} rows.",
        "Read it, mend it, then import the file:",
        f"  {command}",
    )
    _write(path, map_text(guess, source=source_of(file), delimiter=delimiter, heading=heading))
    _show(session, guess, path, command)


def _open(file: Path) -> tuple[Table, str | None]:
    """The file, and the character that parts its cells where it is another than the usual one."""
    table = open_table(file)
    if len(table.header) == 1 and (delimiter := likely_delimiter(table.header[0])):
        return open_table(file, delimiter), delimiter
    return table, None


def _sample(table: Table, file: Path) -> Sample:
    header = table.header
    _check_header(header, file)
    rows = islice(table.rows(header, lambda _: None), _ROWS)
    return Sample(tuple(filter(None, header)), [row.cells for row in rows if isinstance(row, Row)])


def _check_header(header: tuple[str, ...], file: Path) -> None:
    if not any(header):
        what, mend = "the header names no column", "export the file with a header"
    elif not "".join(header).isprintable():
        what, mend = "the header is no text", "export the file as CSV in UTF-8, or as Parquet"
    elif any(name.replace(".", "").isdecimal() for name in header):
        what, mend = "the first row has numbers and is no header", "export the file with a header"
    else:
        return
    raise InputError(what, place=Place(str(file)), mend=mend)


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise InputError(
            "there is a file of that name already, and it is not overwritten",
            place=Place(str(path)),
            mend="give another name with --out, or move that file away",
        ) from error
    except OSError as error:
        raise InputError(
            f"the map cannot be written: {error.strerror}",
            place=Place(str(path)),
            mend="give a place that you may write to with --out",
        ) from error


def _show(session: Session, guess: Guess, path: Path, command: str) -> None:
    lines = [f"{guess.kind}: a guess of the map, in {path}"]
    lines += [f"  {name}: {_words(value)}  ({why})" for name, (value, why) in guess.keys.items()]
    labels = [Guessed(f"label {one.field}", one.column, one.more, one.why) for one in guess.labels]
    lines += [f"  {one.field}: column {one.column}  ({one.why})" for one in (*guess.fields, *labels)]
    lines += [f"to be filled in: {one.field}: {one.why}" for one in guess.wanted]
    lines += [f"mapped nowhere: {', '.join(guess.left)}"] if guess.left else []
    lines += [f"warning: {warning}" for warning in guess.warnings]
    lines += [f"next: read {path}{' and fill it in' if guess.wanted else ''}, then", f"  {command}"]
    for line in lines:
        session.console.print(line, soft_wrap=True)


def _words(value: str | list[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
