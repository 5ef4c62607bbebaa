"""The commands `gpuledger import prices` and `import owners`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

import typer
from sqlalchemy import Connection

from chargeback.price_lists import summary
from chargeback.price_lists.bring_in import Brought, as_list, bring_in_list
from chargeback.price_lists.price_list import read_price_list
from chargeback.price_lists.quote import Wanted
from chargeback.price_lists.run_rules import write_rules
from chargeback.price_lists.shapes import OWN, SHAPES, shape_of
from chargeback.price_lists.table import header_of, open_table, refuse_json
from chargeback.terms import owners as owner_terms
from chargeback.terms import prices as price_terms
from chargeback.terms.records import Record, parse_records, read_records
from chargeback.terms.validity import Clock, Term, refuse_overlaps, terms_by_identity
from gpuledger.calendars import time_zone
from gpuledger.errors import ColumnMapError, InputError, Place
from gpuledger.session import Session
from gpuledger.text_files import read_text
from gpuledger.versions import (
    Commit,
    OwnerFact,
    PriceFact,
    PutCount,
    owners_in_force,
    prices_in_force,
    put_owners,
    put_prices,
)

__all__ = ["owners", "prices"]

Fact = TypeVar("Fact", OwnerFact, PriceFact)

File = Annotated[Path, typer.Argument(help="CSV with a header.", metavar="FILE")]
Zone = Annotated[
    str | None,
    typer.Option(help="Zone of dates and times without an offset; without it the book's.", metavar="ZONE"),
]

_SHAPES = ", ".join((OWN, *(one.name for one in SHAPES)))
_COUNTED = ", ".join(price_terms.COUNTED_BY)
Format = Annotated[Literal["table", "json"], typer.Option("--format", help="How to print the summary.")]

ShapeName = Annotated[
    str | None,
    typer.Option("--shape", help=f"Its shape; without it told by the header: {_SHAPES}.", metavar="NAME"),
]
Since = Annotated[
    str | None,
    typer.Option("--from", help="Since when the prices hold; without it the list says.", metavar="INSTANT"),
]
Provider = Annotated[
    str | None,
    typer.Option(help="Provider of a list that names none; in another, whose rows to read.", metavar="NAME"),
]
CurrencyCode = Annotated[
    str | None,
    typer.Option(help="Currency of a list that names none; in another, which rows to read.", metavar="CODE"),
]
Count = Annotated[
    list[str] | None,
    typer.Option("--count", help=f"How a run of a node is counted: {_COUNTED}.", metavar="KEY=VALUE"),
]
Everything = Annotated[bool, typer.Option("--all", help="Also read prices of nodes that have no GPU.")]
Series = Annotated[
    bool, typer.Option("--series", help="Each price holds until the next one of the same thing.")
]


def prices(
    ctx: typer.Context,
    file: File,
    shape: ShapeName = None,
    since: Since = None,
    provider: Provider = None,
    currency: CurrencyCode = None,
    count: Count = None,
    everything: Everything = False,
    series: Series = False,
    zone: Zone = None,
    format: Format = "table",
) -> None:
    """Import a price list: our own columns, or a list that a provider or others publish.

    Our own columns come in whole, or not at all with an error that names file, row and both records. Of the
    lists of others each row is read, or skipped with its reason, and a price holds until the next list.
    """
    session = Session.of(ctx)
    clock = _clock(session, zone)
    asked = Wanted(
        source=file.stem,
        from_s=None if since is None else clock.instant(since, Place("--from")),
        provider=provider or "",
        currency=currency or "",
        everything=everything,
        rules=_rules(count or []),
    )
    refuse_json(file)
    with open_table(file, ()) as table:
        kind = shape_of(table.header, str(file), shape)
    if kind is not None:
        with open_table(file, kind.uses) as table:
            found = read_price_list(table, kind, asked)
        brought = bring_in_list(session, found, str(file))
    else:
        _refuse_options(replace(asked, source=""), file)
        brought = _own(session, read_text(file), str(file), clock, series)
    _show_prices(session, brought, str(file), clock, format)


def _own(session: Session, text: str, file: str, clock: Clock, series: bool) -> Brought:
    """What a list in our own columns makes of the prices in force; raises `InputError` for a wrong row."""
    terms = price_terms.parse_prices(_own_records(text, file, series), clock, Path(file).stem)
    if series:
        for term in terms:
            if term.fact.end_s is not None:
                raise InputError(
                    "to is given in a series, where each price holds until the next one",
                    place=replace(term.place, column="to"),
                    mend="leave to empty, or import without --series",
                )
        return bring_in_list(session, as_list(terms), file)
    kind = _Kind[PriceFact]("prices", prices_in_force, put_prices, price_terms.price_claim)
    figures = _bring_in(session, kind, terms, file)
    counts = {name: int(figures[name]) for name in ("seq", "new", "changed", "unchanged")}
    return Brought(as_list(terms), ended=0, **counts)


def _own_records(text: str, file: str, series: bool) -> list[Record]:
    required = [name for name in price_terms.REQUIRED if not (series and name == "to")]
    optional = [*price_terms.OPTIONAL, *(["to"] if series else [])]
    try:
        return parse_records(text, file, required, optional)
    except ColumnMapError as error:
        if {"_".join(name.lower().split()) for name in header_of(text.splitlines())} & set(required):
            raise
        raise ColumnMapError(
            error.message,
            place=error.place,
            mend=f"{error.mend}; or a list of one of these shapes: {_SHAPES}",
        ) from error


def _refuse_options(asked: Wanted, file: Path) -> None:
    """Raise `InputError` where an option is given that is for the lists of others alone."""
    if asked != Wanted(source=""):
        raise InputError(
            "the list has our own columns, which say themselves what --from, --provider, --currency, --count "
            "and --all are for",
            place=Place(str(file)),
            mend="leave these options out, and write the columns",
        )


def _rules(said: list[str]) -> str:
    """The rules of counting that options give as KEY=VALUE; raises `InputError` for what is none."""
    cells = dict.fromkeys(price_terms.COUNTED_BY, "")
    for one in said:
        key, equals, value = one.partition("=")
        if not equals or key not in cells:
            raise InputError(f"--count {one!r} is no rule", mend=f"write KEY=VALUE, with a KEY of {_COUNTED}")
        cells[key] = value.strip()
    return write_rules(price_terms.rules_of(Record(Place("--count"), cells)))


def _show_prices(session: Session, brought: Brought, file: str, clock: Clock, format: str) -> None:
    if format == "json":
        said = summary.document(brought, file) | {"times_read_in": clock.used}
        session.write(json.dumps(said, ensure_ascii=False, indent=2) + "\n")
        return
    for line in summary.lines(brought, file):
        session.console.print(line, soft_wrap=True)
    _show_known(session, brought.seq, clock)


def owners(ctx: typer.Context, file: File, zone: Zone = None, format: Format = "table") -> None:
    """Import owners: all of them, or nothing and an error that names file, row and both records."""
    session = Session.of(ctx)
    clock = _clock(session, zone)
    records = read_records(file, owner_terms.REQUIRED, owner_terms.OPTIONAL)
    terms = owner_terms.parse_owners(records, clock)
    kind = _Kind[OwnerFact]("owners", owners_in_force, put_owners, owner_terms.owner_claim)
    _show(session, _bring_in(session, kind, terms, str(file)), clock, format)


def _clock(session: Session, zone: str | None) -> Clock:
    if zone is not None:
        time_zone(zone)
    return Clock(lambda: zone or session.book.zone)


@dataclass(frozen=True)
class _Kind(Generic[Fact]):
    """How one kind of term is known, written, and told apart."""

    name: str
    in_force: Callable[[Connection, int], list[Fact]]
    put: Callable[[Commit, Iterable[Fact]], PutCount]
    claim: Callable[[Fact], tuple[str, ...]]


def _bring_in(
    session: Session, kind: _Kind[Fact], terms: list[Term[Fact]], file: str
) -> dict[str, int | str]:
    """Make versions of the terms that say something new, in one commit; nothing new makes none."""
    by_identity = terms_by_identity(terms)
    seq = session.database.latest_seq()
    with session.database.read() as connection:
        known = kind.in_force(connection, seq)
    refuse_overlaps(by_identity, known, kind.claim)
    fresh, counts = _differing(by_identity, known)
    if fresh:
        note = f"{kind.name}: {file}"
        with session.database.commit(f"import {kind.name}", at_s=session.now(), note=note) as commit:
            kind.put(commit, fresh)
            seq = commit.seq
    read: dict[str, int | str] = {"kind": kind.name, "file": file, "seq": seq, "rows": len(terms)}
    return read | counts


def _differing(terms: dict[str, Term[Fact]], known: Iterable[Fact]) -> tuple[list[Fact], dict[str, int]]:
    """The facts that say something new; the same words from another source, or in `terms/`, do not."""
    before = {fact.identity: fact for fact in known}
    fresh: list[Fact] = []
    counts = {"new": 0, "changed": 0, "unchanged": 0}
    for identity, term in terms.items():
        there = before.get(identity)
        if there is None:
            counts["new"] += 1
        elif _same(term.fact, there):
            counts["unchanged"] += 1
            continue
        else:
            counts["changed"] += 1
        fresh.append(term.fact)
    return fresh, counts


def _same(fact: OwnerFact | PriceFact, other: OwnerFact | PriceFact) -> bool:
    if isinstance(fact, PriceFact) and isinstance(other, PriceFact):
        return replace(fact, source=other.source, origin=other.origin) == other
    return fact == other


def _show(session: Session, figures: dict[str, int | str], clock: Clock, format: str) -> None:
    if format == "json":
        said = figures | {"times_read_in": clock.used}
        session.write(json.dumps(said, ensure_ascii=False, indent=2) + "\n")
        return
    head = ("kind", "file", "seq")
    counts = ", ".join(
        f"{name.replace('_', ' ')} {count}" for name, count in figures.items() if name not in head
    )
    session.console.print(f"{figures['kind']} from {figures['file']}: {counts}", soft_wrap=True)
    _show_known(session, int(figures["seq"]), clock)


def _show_known(session: Session, seq: int, clock: Clock) -> None:
    if clock.used is not None:
        session.console.print(f"times without an offset were read in {clock.used}", soft_wrap=True)
    session.console.print(f"known at seq {seq}", soft_wrap=True)
