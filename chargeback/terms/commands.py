"""The commands `gpuledger import prices` and `import owners`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

import typer
from sqlalchemy import Connection

from chargeback.terms import owners as owner_terms
from chargeback.terms import prices as price_terms
from chargeback.terms.records import read_records
from chargeback.terms.validity import Clock, Term, refuse_overlaps, terms_by_identity
from gpuledger.calendars import time_zone
from gpuledger.session import Session
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
Format = Annotated[Literal["table", "json"], typer.Option("--format", help="How to print the summary.")]


def prices(ctx: typer.Context, file: File, zone: Zone = None, format: Format = "table") -> None:
    """Import a price list: all of it, or nothing and an error that names file, row and both records."""
    session = Session.of(ctx)
    clock = _clock(session, zone)
    records = read_records(file, price_terms.REQUIRED, price_terms.OPTIONAL)
    terms = price_terms.parse_prices(records, clock, file.stem)
    kind = _Kind[PriceFact]("prices", prices_in_force, put_prices, price_terms.price_claim)
    figures = _bring_in(session, kind, terms, str(file))
    figures["rate_of_0"] = sum(term.fact.rate == "0" for term in terms)
    _show(session, figures, clock, format)


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
    if clock.used is not None:
        session.console.print(f"times without an offset were read in {clock.used}", soft_wrap=True)
    session.console.print(f"known at seq {figures['seq']}", soft_wrap=True)
