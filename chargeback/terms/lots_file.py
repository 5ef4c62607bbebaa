"""The file of lots: purchases, fees, credits, taxes and true-ups, assets, and energy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast, get_args

from chargeback.lots.assets import schedule
from chargeback.lots.details import Asset, Change, Details, Disposal, EachMonth, Invoice, written_details
from chargeback.lots.lot import LotClass, Target
from chargeback.terms.entries import Dated, Faults, checked, record_of
from chargeback.terms.lot_checks import (
    Read,
    note_wrong_names,
    refuse_contradictions,
    refuse_wrong_invoices,
)
from chargeback.terms.lot_energy import read_energy
from chargeback.terms.lot_entries import AssetEntry, EnergyEntry, LotsFile, PayingEntry, as_instant
from chargeback.terms.records import join_identity
from chargeback.terms.validity import Clock
from gpuledger.errors import InputError
from gpuledger.instants import format_utc
from gpuledger.versions import LotFact
from gpuledger.yaml_files import Document, Loc

__all__ = ["read_lots"]

_SOURCE = "lots"
_EACH_MONTH = tuple(word for word in get_args(EachMonth) if word)


def read_lots(document: Document, clock: Clock, faults: Faults) -> list[LotFact]:
    """The lots, assets and energy of a file; a file of readings is looked for beside it.

    What is wrong is noted in `faults`; nothing of the file is then to be used.
    """
    file = checked(document, LotsFile)
    reader = _Reader(document, clock)
    found: list[Read] = []
    for loc, entry in _entries(file):
        with faults.noted():
            refuse_contradictions(document, loc, entry)
            found.append(reader.read(loc, entry))
    note_wrong_names(document, found, faults)
    return [one.fact for one in found]


def _entries(file: LotsFile) -> Iterator[tuple[Loc, PayingEntry]]:
    sections: tuple[tuple[str, Sequence[PayingEntry]], ...] = (
        ("lots", file.lots),
        ("assets", file.assets),
        ("energy", file.energy),
    )
    for section, entries in sections:
        for number, entry in enumerate(entries):
            yield (section, number), entry


class _Reader:
    """Makes facts of the entries of one file."""

    def __init__(self, document: Document, clock: Clock) -> None:
        self.document, self.clock = document, clock

    def read(self, loc: Loc, entry: PayingEntry) -> Read:
        """The fact that an entry says, with its details."""
        details = self._details(loc, entry)
        start_s, end_s = self._time(loc, entry)
        if isinstance(entry, AssetEntry):
            details = replace(details, asset=self._asset(loc, entry))
        elif isinstance(entry, EnergyEntry):
            energy = read_energy(self.document, loc, entry, self.clock, start_s, end_s)
            details = replace(details, energy=energy)
        fact = LotFact(
            identity=join_identity([entry.name, format_utc(start_s)]),
            start_s=start_s,
            end_s=end_s,
            lot=entry.name,
            kind=entry.lot_kind,
            amount=entry.whole_amount,
            currency=entry.currency,
            details=written_details(details),
            source=entry.source or _SOURCE,
        )
        return Read(fact, details, loc)

    def _details(self, loc: Loc, entry: PayingEntry) -> Details:
        each_month = cast(EachMonth, next((one.on for one in entry.invoiced if one.on in _EACH_MONTH), ""))
        invoices = () if each_month else tuple(self._invoices(loc, entry))
        refuse_wrong_invoices(self.document, loc, entry, invoices)
        return Details(
            target=_target(entry),
            lot_class=entry.lot_class or _class(entry, is_billed=bool(each_month or invoices)),
            rounding_pool=f"{_pool(entry, invoices)}:{entry.currency}",
            absent=entry.absent,
            covers=_covers(entry),
            invoices=tuple(sorted(invoices, key=lambda one: (one.at_s, one.number))),
            each_month=each_month,
            converted_on=entry.converted_on or "",
        )

    def _invoices(self, loc: Loc, entry: PayingEntry) -> Iterator[Invoice]:
        for number, one in enumerate(entry.invoiced):
            at_s = as_instant(self.clock, self.document, (*loc, "invoiced", number, "on"), one.on)
            yield Invoice(at_s, one.amount or entry.whole_amount, one.number)

    def _time(self, loc: Loc, entry: PayingEntry) -> tuple[int, int | None]:
        """Over which time it is recognised; of an asset from its first day in service to its disposal."""
        if isinstance(entry, Dated):
            return self.clock.interval(record_of(self.document, loc, entry))
        assert isinstance(entry, AssetEntry)
        start_s = as_instant(self.clock, self.document, (*loc, "in_service"), entry.in_service)
        if entry.disposed is None:
            return start_s, None
        return start_s, as_instant(self.clock, self.document, (*loc, "disposed", "on"), entry.disposed.on)

    def _asset(self, loc: Loc, entry: AssetEntry) -> Asset:
        """How an asset is written off; raises `InputError` where that cannot be."""
        changes = (
            Change(one.begins, one.residual or "", one.remaining_months or 0, one.impairment or "")
            for one in entry.changes
        )
        asset = Asset(
            in_service=entry.in_service,
            life_months=entry.life_months,
            residual=entry.residual,
            convention=entry.convention,
            changes=tuple(changes),
            disposal=Disposal(entry.disposed.on, entry.disposed.proceeds) if entry.disposed else None,
            account=entry.booked_to,
        )
        try:
            schedule(asset, entry.cost)
        except InputError as error:
            raise self.document.wrong(f"{entry.asset}: {error.message}", loc, mend=error.mend) from error
        return asset


def _target(entry: PayingEntry) -> Target:
    if entry.pays_for is not None:
        return Target(slots=entry.pays_for.model_dump(exclude_none=True))
    if entry.follows is not None:
        account = "commitment_unused" if entry.lot_kind == "minimum" else "shared"
        return Target(
            lots=tuple(one if ":" in one else f"lot:{one}" for one in entry.follows), account=account
        )
    return Target(account=entry.account or "tax_recoverable")


def _class(entry: PayingEntry, *, is_billed: bool) -> LotClass:
    if is_billed:
        return "billed"
    return "internal" if entry.lot_kind in ("depreciation", "energy") else "estimate"


def _pool(entry: PayingEntry, invoices: Sequence[Invoice]) -> str:
    """Where its cents are given: as said, else by its contract, its one invoice, or alone."""
    if entry.rounding_pool:
        return entry.rounding_pool
    numbers = {one.number for one in invoices} - {""}
    if entry.contract:
        return f"contract:{entry.contract}"
    return f"invoice:{numbers.pop()}" if len(numbers) == 1 else f"lot:{entry.name}"


def _covers(entry: PayingEntry) -> bool:
    """Whether it is the price of its slots: as said, else purchases and assets that pay for slots are."""
    if entry.covers is not None:
        return entry.covers
    return entry.pays_for is not None and entry.lot_kind in ("purchase", "depreciation")
