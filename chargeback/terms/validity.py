"""Since when, and until when, a term holds; and that no two claim the same at the same time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

from chargeback.terms.records import Record
from gpuledger.errors import InputError, OverlapError, Place
from gpuledger.instants import format_utc, parse_instant
from gpuledger.versions import OwnerFact, PriceFact

__all__ = ["Clock", "Term", "refuse_overlaps", "terms_by_identity", "where"]

Fact = TypeVar("Fact", OwnerFact, PriceFact)

_LOCAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9:.,]*)?")


class Clock:
    """Reads the times of terms; `zone` is asked for once a time has no offset, and kept in `used`."""

    def __init__(self, zone: Callable[[], str]) -> None:
        self._zone = zone
        self.used: str | None = None

    def interval(self, record: Record, *, always: bool = False) -> tuple[int, int | None]:
        """The `from` and `to` of a record in Unix seconds, an empty `to` None; raises `InputError`.

        With `always` an empty `from` is 0, which is before all that can be held.
        """
        start_s, end_s = self._read(record, "from"), self._read(record, "to")
        if start_s is None and always:
            start_s = 0
        if start_s is None:
            raise InputError(
                "from is empty",
                place=record.at("from"),
                mend="say since when it holds, such as 2000-01-01T00:00:00Z for always",
            )
        if end_s is not None and end_s <= start_s:
            raise InputError(
                f"to, {format_utc(end_s)}, is not after from, {format_utc(start_s)}",
                place=record.at("to"),
                mend="an end is exclusive: write the first instant at which it does not hold any more",
            )
        return start_s, end_s

    def instant(self, text: str, place: Place) -> int:
        """One instant; raises `InputError` with this place for what is none."""
        if _LOCAL.fullmatch(text) and self.used is None:
            self.used = self._zone()
        try:
            return parse_instant(text, zone=self.used, epoch_s=None)
        except InputError as error:
            raise InputError(error.message, place=place, mend=error.mend) from error

    def _read(self, record: Record, column: str) -> int | None:
        text = record.cells[column]
        return self.instant(text, record.at(column)) if text else None


@dataclass(frozen=True)
class Term(Generic[Fact]):
    """A fact and the place of a file that says it."""

    place: Place
    fact: Fact


def terms_by_identity(terms: Iterable[Term[Fact]]) -> dict[str, Term[Fact]]:
    """The terms by identity; equal ones are one, and different ones are an `OverlapError`."""
    found: dict[str, Term[Fact]] = {}
    for term in terms:
        known = found.setdefault(term.fact.identity, term)
        if known.fact != term.fact:
            raise OverlapError(
                f"{_both(known.place, term.place)} say different things of {term.fact.identity}",
                place=term.place,
                mend="keep one of the two",
            )
    return found


def refuse_overlaps(
    terms: Mapping[str, Term[Fact]],
    known: Iterable[Fact],
    claim: Callable[[Fact], tuple[str, ...]],
) -> None:
    """Raise `OverlapError`, naming both records, where a term would hold beside another of the same claim.

    `known` is what is in force; a term takes the place of the known one of its identity.
    """
    claimed: dict[tuple[str, ...], list[tuple[Fact, Place | None]]] = {}
    for term in terms.values():
        claimed.setdefault(claim(term.fact), []).append((term.fact, term.place))
    for fact in known:
        if fact.identity not in terms and claim(fact) in claimed:
            claimed[claim(fact)].append((fact, None))
    for rivals in claimed.values():
        rivals.sort(key=lambda one: (one[0].start_s, one[0].identity))
        for (one, one_place), (other, other_place) in pairwise(rivals):
            if one.end_s is None or one.end_s > other.start_s:
                raise OverlapError(
                    f"{_named(one, one_place)} and {_named(other, other_place)} hold at the same time",
                    place=other_place or one_place,
                    mend="end the earlier one where the later one begins; what is in force is ended by a "
                    "record with the same from, and a to",
                )


def where(place: Place) -> str:
    """The row or line of a place, without its file."""
    return f"row {place.row}" if place.row is not None else f"line {place.line}"


def _both(one: Place, other: Place) -> str:
    return f"rows {one.row} and {other.row}" if one.row else f"lines {one.line} and {other.line}"


def _named(fact: OwnerFact | PriceFact, place: Place | None) -> str:
    found = "the record in force" if place is None else where(place)
    until = "open" if fact.end_s is None else format_utc(fact.end_s)
    return f"{found} ({fact.identity} until {until})"
