"""Exchange rates from a file: a rate in each row, or the European Central Bank's table with a day in each."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Literal

from chargeback.terms.records import Record, join_identity, parse_records
from gpuledger.errors import ColumnMapError, InputError, OverlapError, Place
from gpuledger.money import currency, parse_amount
from gpuledger.versions import FxFact

__all__ = ["FxTable", "parse_fx", "read_day"]

_LONG = ("date", "base", "quote", "rate")
_EURO = "EUR"
_CODE = re.compile(r"[A-Z]{3}")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ABSENT = ("", "N/A", "-")
_MOST = 10**7
_YEARS = range(1999, 2100)


@dataclass(frozen=True)
class FxTable:
    """What a file says: its rates, how many cells hold none, and the cells of codes that were left out."""

    shape: Literal["long", "wide"]
    rows: int
    facts: tuple[FxFact, ...]
    absent: int
    skipped: dict[str, int]


def parse_fx(text: str, file: str, source: str) -> FxTable:
    """The rates of a file, each pair and day once; `source` is who said so, where the file does not.

    With the columns date, base, quote and rate each row is a rate. A header of a date and codes is the
    European Central Bank's table: units of each for one euro; codes that no currency is known by are left out
    and counted. Raises `InputError`, with its row, for the first thing that cannot be right, `OverlapError`
    where a pair has two rates on a day.
    """
    header = next(csv.reader(io.StringIO(text, newline="")), [])
    codes = [cell.strip() for cell in header[1:]]
    if not (header and header[0].strip().lower() == "date" and any(map(_CODE.fullmatch, codes))):
        records = parse_records(text, file, _LONG, ("source",))
        long = [(_long(record, source), record.place) for record in records]
        return FxTable("long", len(records), _once(long), 0, {})
    table = _Wide(text, file, codes, source)
    wide = _once(table.facts())
    return FxTable("wide", table.rows, wide, table.absent, dict(sorted(table.skipped.items())))


def read_day(text: str, what: str) -> str:
    """A day that an option gives, as YYYY-MM-DD; raises `InputError`, naming the option."""
    return _day(text, Place(what)).isoformat()


def _long(record: Record, source: str) -> FxFact:
    cells = record.cells
    for column in ("base", "quote"):
        try:
            currency(cells[column])
        except InputError as error:
            raise InputError(error.message, place=record.at(column), mend=error.mend) from error
    base, quote = cells["base"], cells["quote"]
    if base == quote:
        raise InputError(f"a rate of {base} in {quote}", place=record.place, mend="leave the row out")
    day, rate = _day(cells["date"], record.at("date")), _rate(cells["rate"], record.at("rate"))
    return _fact(base, quote, day, rate, cells["source"] or source)


class _Wide:
    """A table with a day in each row and a currency in each column; counts what it leaves out."""

    def __init__(self, text: str, file: str, codes: Sequence[str], source: str) -> None:
        self.text, self.file, self.codes, self.source = text, file, codes, source
        self.rows, self.absent, self.skipped = 0, 0, Counter[str]()
        for number, code in enumerate(codes):
            if code and (code in codes[:number] or code == _EURO or not _CODE.fullmatch(code)):
                raise ColumnMapError(
                    f"column {code!r} is {'there twice' if code in codes[:number] else 'no currency'}",
                    place=Place(file, column=code),
                    mend="a table has a date, then a column for each currency that a euro is changed into",
                )

    def facts(self) -> Iterator[tuple[FxFact, Place]]:
        """Its rates, each with its row."""
        known = {code for code in self.codes if _is_known(code)}
        for day, cells in self._days():
            for code, cell in zip(self.codes, cells, strict=False):
                if code and cell in _ABSENT:
                    self.absent += 1
                elif code in known:
                    place = Place(self.file, row=self.rows, column=code)
                    yield _fact(_EURO, code, day, _rate(cell, place), self.source), place
                elif code:
                    self.skipped[code] += 1

    def _days(self) -> Iterator[tuple[date, list[str]]]:
        reader = csv.reader(io.StringIO(self.text, newline=""))
        next(reader)
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            self.rows += 1
            if any(cells[len(self.codes) + 1 :]):
                raise InputError(
                    f"{len(cells)} cells under {len(self.codes) + 1} columns",
                    place=Place(self.file, row=self.rows),
                    mend="give each column its cell",
                )
            yield _day(cells[0], Place(self.file, row=self.rows, column="Date")), cells[1:]


def _is_known(code: str) -> bool:
    try:
        return bool(currency(code))
    except InputError:
        return False


def _day(text: str, place: Place) -> date:
    """A day as 2026-10-31, or as the daily table has it, 31 October 2026."""
    try:
        if _ISO.fullmatch(text):
            found = date.fromisoformat(text)
        else:
            found = datetime.strptime(text, "%d %B %Y").replace(tzinfo=UTC).date()
        if found.year not in _YEARS:
            raise ValueError(text)
    except ValueError as error:
        raise InputError(
            f"{text!r} is no day from {_YEARS[0]} on", place=place, mend="write it like 2026-10-31"
        ) from error
    return found


def _rate(text: str, place: Place) -> str:
    """A rate in one spelling: above 0, and such as one currency may be worth in another."""
    try:
        rate = parse_amount(text)
    except InputError as error:
        raise InputError(error.message, place=place, mend=error.mend) from error
    if not Decimal(1) / _MOST <= rate <= _MOST:
        raise InputError(
            f"{text} is no exchange rate",
            place=place,
            mend=f"a rate is above 0, and between 1/{_MOST} and {_MOST}; leave out what is not known",
        )
    return f"{rate.normalize():f}"


def _fact(base: str, quote: str, day: date, rate: str, source: str) -> FxFact:
    start_s = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    return FxFact(
        identity=join_identity([base, quote, day.isoformat()]),
        start_s=start_s,
        end_s=start_s + int(timedelta(days=1).total_seconds()),
        base=base,
        quote=quote,
        day=day.isoformat(),
        rate=rate,
        source=source,
    )


def _once(found: Iterable[tuple[FxFact, Place]]) -> tuple[FxFact, ...]:
    """Each rate once; the same rate again says nothing new, another one is an `OverlapError`."""
    by_identity: dict[str, tuple[FxFact, Place]] = {}
    for fact, place in found:
        known, first = by_identity.setdefault(fact.identity, (fact, place))
        if known.rate != fact.rate:
            raise OverlapError(
                f"{fact.base} in {fact.quote} is {known.rate} in row {first.row} and {fact.rate} in row "
                f"{place.row}, both on {fact.day}",
                place=place,
                mend="keep one of the two",
            )
    return tuple(fact for fact, _ in by_identity.values())
