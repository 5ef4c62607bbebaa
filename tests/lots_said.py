"""Lots as `lots.yaml` says them: read, and made of what was read."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

from chargeback.fx import FxRates, fx_rates
from chargeback.lots.building import lots_of
from chargeback.lots.lot import Lot
from chargeback.terms.entries import Faults
from chargeback.terms.lots_file import read_lots
from chargeback.terms.validity import Clock
from gpuledger.calendars import month_bounds, next_month
from gpuledger.errors import InputError
from gpuledger.instants import parse_instant
from gpuledger.money import currency, format_minor, half_up
from gpuledger.versions import FxFact, LotFact
from gpuledger.yaml_files import read_yaml

NO_RATES = fx_rates([])


def read(
    *, lots: str = "[]", assets: str = "[]", energy: str = "[]", zone: str = "UTC", folder: Path = Path()
) -> tuple[list[LotFact], list[InputError]]:
    """The facts of a file with these sections, and all that is wrong in it."""
    faults, facts = Faults(), list[LotFact]()
    text = f"lots: {lots}\nassets: {assets}\nenergy: {energy}\n"
    with faults.noted():
        document = read_yaml(text, str(folder / "lots.yaml"), noun="lots file")
        facts = read_lots(document, Clock(lambda: zone), faults)
    return facts, faults.found


def made(
    *,
    zone: str = "UTC",
    book: str = "USD",
    fx: FxRates = NO_RATES,
    until: str = "2050-01-01",
    folder: Path = Path(),
    **sections: str,
) -> dict[str, Lot]:
    """The lots, by name, that these sections make up to a local day."""
    facts, faults = read(zone=zone, folder=folder, **sections)
    assert not faults, faults
    horizon_s = parse_instant(until, zone=zone, epoch_s=None)
    return {lot.name: lot for lot in lots_of(facts, zone, book, fx, horizon_s)}


def rates(*said: tuple[str, str, str, str]) -> FxRates:
    """Rates by (day, base, quote, rate)."""
    return fx_rates(
        FxFact(f"{pair}", 0, None, base, quote, day, rate, "")
        for pair in said
        for day, base, quote, rate in [pair]
    )


def in_month(lot: Lot, month: str, zone: str = "UTC") -> Fraction:
    """What a lot recognises in a local month: exact, in quanta."""
    start_s, end_s = month_bounds(zone, month)
    return lot.recognised_to(end_s) - lot.recognised_to(start_s)


def cents(lot: Lot, month: str, zone: str = "UTC", book: str = "USD") -> str:
    """What a lot recognises in a local month, rounded once to minor units of the book."""
    money = currency(book)
    return format_minor(half_up(in_month(lot, month, zone) / money.quanta_per_minor), money)


def months_between(first: str, last: str) -> list[str]:
    """The months from one to another, both in."""
    found = [first]
    while found[-1] < last:
        found.append(next_month(found[-1]))
    return found


def day_after(day: str, count: int = 1) -> str:
    """The day so many days later."""
    return (date.fromisoformat(day) + timedelta(days=count)).isoformat()
