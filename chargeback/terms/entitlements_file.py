"""The file of entitlements: how much of a pool each team may use, what it lends, and whose the pool is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field

from chargeback.terms.entries import Dated, Entry, Faults, Name, Text, checked, place_of, record_of
from chargeback.terms.records import join_identity
from chargeback.terms.rule_order import Span
from chargeback.terms.teams_file import Tenure, cost_centres
from chargeback.terms.validity import Clock
from gpuledger.errors import InputError, OverlapError, Place
from gpuledger.instants import format_utc
from gpuledger.intervals import holds_at
from gpuledger.versions import EntitlementFact
from gpuledger.yaml_files import Document, Loc

__all__ = ["Placed", "read_entitlements", "unknown_teams"]

Units = Annotated[int, Field(ge=1, le=1_000_000)]
Section = Literal["entitlements", "lending", "pools"]


class _PoolEntry(Dated):
    team: Name
    model: Name
    region: Text = ""


class _EntitlementEntry(_PoolEntry):
    units: Units


class _LendingEntry(_EntitlementEntry):
    borrower: Name


class _Entitlements(Entry):
    entitlements: list[_EntitlementEntry]
    lending: list[_LendingEntry]
    pools: list[_PoolEntry]


Placed = tuple[EntitlementFact, Place]


def read_entitlements(
    document: Document, clock: Clock, faults: Faults, tenures: Sequence[Tenure] = ()
) -> list[Placed]:
    """The entitlements, lendings and owners of pools of a file, each with its place.

    Each is cut where the cost centre of its team changes. What is wrong in the file is noted in `faults`;
    nothing of it is then to be used.
    """
    file = checked(document, _Entitlements)
    found: list[Placed] = []
    for loc, entry in _entries(file):
        with faults.noted():
            found.append((_fact(document, loc, entry, clock), place_of(document, loc)))
    _note_overlaps(found, faults)
    _note_too_much_lent(found, faults)
    return [(fact, place) for whole, place in found for fact in _by_cost_centre(whole, place, tenures)]


def _by_cost_centre(
    fact: EntitlementFact, place: Place, tenures: Sequence[Tenure]
) -> Iterator[EntitlementFact]:
    for start_s, end_s, centre in cost_centres(Span(place, fact.start_s, fact.end_s), fact.team, tenures):
        identity = join_identity([*fact.claim, format_utc(start_s)])
        yield replace(fact, identity=identity, start_s=start_s, end_s=end_s, cost_centre=centre or None)


def unknown_teams(placed: Iterable[Placed], teams: set[str]) -> Iterator[str]:
    """A warning for each team that is none of these, at the first line that names it."""
    said: set[str] = set()
    for fact, place in placed:
        if fact.team not in teams | said:
            said.add(fact.team)
            yield (
                f"{place}: nothing else names the team {fact.team}: what falls to it stands under that name"
            )


def _entries(file: _Entitlements) -> Iterator[tuple[Loc, _PoolEntry]]:
    sections: tuple[tuple[str, Sequence[_PoolEntry]], ...] = (
        ("entitlements", file.entitlements),
        ("lending", file.lending),
        ("pools", file.pools),
    )
    for section, entries in sections:
        for number, entry in enumerate(entries):
            yield (section, number), entry


def _fact(document: Document, loc: Loc, entry: _PoolEntry, clock: Clock) -> EntitlementFact:
    start_s, end_s = clock.interval(record_of(document, loc, entry), always=True)
    borrower = entry.borrower if isinstance(entry, _LendingEntry) else ""
    for key, name in (("team", entry.team), ("borrower", borrower)):
        if name.startswith("__"):
            raise document.wrong(
                f"{name} is a name that gpuledger keeps for itself",
                (*loc, key),
                mend="write a team's name; those do not begin with two underscores",
            )
    if borrower == entry.team:
        raise document.wrong(
            f"{entry.team} lends to itself", (*loc, "borrower"), mend="name the team that borrows"
        )
    return EntitlementFact(
        identity="",
        start_s=start_s,
        end_s=end_s,
        kind="lent" if borrower else "entitled" if isinstance(entry, _EntitlementEntry) else "pool",
        team=entry.team,
        model=entry.model,
        region=entry.region,
        units=entry.units if isinstance(entry, _EntitlementEntry) else 0,
        borrower=borrower,
    )


def _note_overlaps(placed: Iterable[Placed], faults: Faults) -> None:
    """Note an `OverlapError` where two entries speak of the same at the same time."""
    ordered = sorted(placed, key=lambda one: (one[0].claim, one[0].start_s))
    for (one, place), (other, other_place) in pairwise(ordered):
        if one.claim == other.claim and (one.end_s is None or one.end_s > other.start_s):
            first, second = sorted((place.line or 0, other_place.line or 0))
            faults.note(
                OverlapError(
                    f"lines {first} and {second} both speak of {_what(one)} at the same time",
                    place=Place(place.file, line=second),
                    mend="end the earlier one, with to, where the later one begins, with from",
                )
            )


def _note_too_much_lent(placed: Sequence[Placed], faults: Faults) -> None:
    """Note an error at each lending that comes to more, with others of its time, than the team may use."""
    for lent, place in placed:
        if lent.kind != "lent":
            continue
        for at_s in sorted({lent.start_s, *_edges_within(placed, lent)}):
            entitled, out = (_units_at(placed, kind, lent, at_s) for kind in ("entitled", "lent"))
            if out > entitled:
                when = f"from {format_utc(at_s)} on" if at_s else "at first"
                faults.note(
                    InputError(
                        f"{lent.team} lends {out} of {lent.model}, and may use {entitled} {when}",
                        place=place,
                        mend="lend less, or give the team an entitlement for that time",
                    )
                )
                break


def _edges_within(placed: Iterable[Placed], lent: EntitlementFact) -> Iterator[int]:
    for fact, _ in placed:
        for at_s in (fact.start_s, fact.end_s):
            if at_s is not None and at_s > lent.start_s and holds_at(lent, at_s):
                yield at_s


def _units_at(placed: Iterable[Placed], kind: str, of: EntitlementFact, at_s: int) -> int:
    return sum(
        fact.units
        for fact, _ in placed
        if (fact.kind, fact.team, fact.model, fact.region) == (kind, of.team, of.model, of.region)
        and holds_at(fact, at_s)
    )


def _what(fact: EntitlementFact) -> str:
    pool = f"{fact.model} in {fact.region}" if fact.region else fact.model
    if fact.kind == "pool":
        return f"whose {pool} is"
    if fact.kind == "lent":
        return f"what {fact.team} lends {fact.borrower} of {pool}"
    return f"what {fact.team} may use of {pool}"
