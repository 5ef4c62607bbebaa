"""What `lots.yaml` says of energy: load, PUE and tariff as values over time, and metered readings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from chargeback.lots.details import Energy, Reading, Step
from chargeback.terms.entries import record_of
from chargeback.terms.lot_entries import EnergyEntry, StepEntry, as_amount, as_instant
from chargeback.terms.records import Record, read_records
from chargeback.terms.validity import Clock
from gpuledger.errors import InputError, OverlapError
from gpuledger.instants import format_utc
from gpuledger.yaml_files import Document, Loc

__all__ = ["read_energy"]

_COLUMNS = ("from", "to", "kwh")
_Taken = tuple[Reading, Record]


def read_energy(
    document: Document, loc: Loc, entry: EnergyEntry, clock: Clock, start_s: int, end_s: int | None
) -> Energy:
    """The energy that an entry says over `[start_s, end_s)`; raises `InputError` with its line or row."""
    steps = {
        key: _steps(document, (*loc, key), entries, clock, start_s)
        for key, entries in (("pue", entry.pue), ("tariff", entry.tariff), ("it_kw", entry.it_kw or ()))
    }
    taken = sorted(
        (_reading(record, clock, start_s, end_s) for record in _records(document, loc, entry)),
        key=lambda one: one[0].from_s,
    )
    _refuse_overlaps(taken)
    return Energy(**steps, metered=tuple(reading for reading, _ in taken))


def _steps(
    document: Document, loc: Loc, entries: Sequence[StepEntry], clock: Clock, start_s: int
) -> tuple[Step, ...]:
    """The values over time, of which the first holds from the beginning on."""
    steps = [
        Step(
            as_instant(clock, document, (*loc, no, "from"), one.begins) if one.begins else start_s, one.value
        )
        for no, one in enumerate(entries)
    ]
    for no, (one, other) in enumerate(pairwise(steps), 1):
        if other.from_s <= one.from_s:
            raise document.wrong(
                f"{loc[-1]} from {format_utc(other.from_s)} on follows what is from "
                f"{format_utc(one.from_s)} on",
                (*loc, no),
                mend="write its values in the order of time, each but the first with a from",
            )
    if steps and steps[0].from_s > start_s:
        raise document.wrong(
            f"{loc[-1]} has no value from {format_utc(start_s)} to {format_utc(steps[0].from_s)}",
            loc,
            mend="leave out the from of its first value, or let it begin earlier",
        )
    return tuple(steps)


def _records(document: Document, loc: Loc, entry: EnergyEntry) -> Iterator[Record]:
    """The readings as records: of the file that is named, or as they stand here."""
    if entry.metered_file:
        yield from read_records(Path(document.file).parent / entry.metered_file, _COLUMNS, ())
    for number, one in enumerate(entry.metered or ()):
        yield record_of(document, (*loc, "metered", number), one)


def _reading(record: Record, clock: Clock, start_s: int, end_s: int | None) -> _Taken:
    from_s, to_s = clock.interval(record)
    if to_s is None:
        raise InputError("to is empty", place=record.at("to"), mend="say when the reading ends")
    if from_s < start_s or (end_s is not None and to_s > end_s):
        raise InputError(
            f"the reading from {format_utc(from_s)} to {format_utc(to_s)} is not inside the lot's time",
            place=record.place,
            mend="let from and to of the lot hold all of its readings",
        )
    try:
        return Reading(from_s, to_s, as_amount(record.cells["kwh"], least=0)), record
    except ValueError as error:
        raise InputError(f"kwh: {error}", place=record.at("kwh"), mend="write what was used") from error


def _refuse_overlaps(taken: Sequence[_Taken]) -> None:
    for (one, _), (other, record) in pairwise(taken):
        if other.from_s < one.to_s:
            raise OverlapError(
                f"the reading from {format_utc(other.from_s)} on begins before the one from "
                f"{format_utc(one.from_s)} on has ended",
                place=record.place,
                mend="let each reading begin where the one before it ends, or later",
            )
