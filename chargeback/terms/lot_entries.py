"""What `lots.yaml` may say: entries of lots, assets and energy, with each value checked on its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from chargeback.lots.details import Convention
from chargeback.lots.lot import LotClass
from chargeback.terms.entries import Dated, Entry, Name, Text, place_of
from chargeback.terms.validity import Clock
from gpuledger.errors import InputError
from gpuledger.money import currency, parse_amount
from gpuledger.yaml_files import Document, Loc

__all__ = [
    "ACCOUNTS",
    "AssetEntry",
    "EnergyEntry",
    "InvoiceEntry",
    "Invoices",
    "LotEntry",
    "LotsFile",
    "Money",
    "NotNegative",
    "PayingEntry",
    "PaysFor",
    "ReadingEntry",
    "StepEntry",
    "as_amount",
    "as_instant",
    "listed",
]

Account = Literal["shared", "commitment_unused", "unusable", "overhead", "reconciliation"]
ACCOUNTS = ("shared", "commitment_unused", "unusable", "overhead", "reconciliation")
"""Where money goes that no device stands for."""

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOST_MONTHS = 1200


def as_amount(text: str, least: int | None = None) -> str:
    """An amount in one spelling: no exponent, no zeros at the end of its decimals; raises ValueError."""
    try:
        found = parse_amount(text)
    except InputError as error:
        raise ValueError(f"{error.message}: {error.mend}") from error
    if least is not None and found < least:
        raise ValueError(f"{text} is below {least}")
    return f"{found.normalize():f}" if found else "0"


def _not_negative(text: str) -> str:
    return as_amount(text, least=0)


def as_instant(clock: Clock, document: Document, loc: Loc, text: str) -> int:
    """A day or an instant at a place of a document, in Unix seconds; raises `InputError` with its line."""
    return clock.instant(text, place_of(document, loc))


def _money(code: str) -> str:
    try:
        return currency(code).code
    except InputError as error:
        raise ValueError(f"{error.message}: {error.mend}") from error


def _day(text: str) -> str:
    try:
        if not _DAY.fullmatch(text) or not 2000 <= date.fromisoformat(text).year <= 2099:
            raise ValueError(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a day: write it like 2026-10-31") from error
    return text


def listed(key: str) -> Callable[[Any], Any]:
    """A list as it is, one item as a list of it; text stands for an entry with this key alone."""

    def listed(value: Any) -> Any:
        items = value if isinstance(value, list) else [value]
        return [{key: one} if key and isinstance(one, str) else one for one in items]

    return listed


Amount = Annotated[Text, AfterValidator(as_amount)]
NotNegative = Annotated[Text, AfterValidator(_not_negative)]
Money = Annotated[Text, AfterValidator(_money)]
Day = Annotated[Text, AfterValidator(_day)]
Months = Annotated[int, Field(ge=1, le=_MOST_MONTHS)]
Patterns = Annotated[list[Name], Field(min_length=1), BeforeValidator(listed(""))]


class PaysFor(Entry):
    """Patterns by what a slot and its node say of themselves: see `chargeback.places.MATCHED_BY`."""

    cluster: Patterns | None = None
    node: Patterns | None = None
    slot: Patterns | None = None
    sku: Patterns | None = None
    model: Patterns | None = None
    region: Patterns | None = None
    zone: Patterns | None = None
    purchase_option: Patterns | None = None
    provider: Patterns | None = None
    billing_account: Patterns | None = None
    instance: Patterns | None = None
    reservation: Patterns | None = None


class InvoiceEntry(Entry):
    """An invoice: when, and unless it is for all of it, how much; or one word for an invoice each month."""

    on: Name
    amount: Amount | None = None
    number: Text = ""


class StepEntry(Entry):
    """A value from an instant on; without one, from the beginning."""

    begins: Text = Field("", alias="from")
    value: NotNegative


class ReadingEntry(Dated):
    """Metered energy over an interval."""

    kwh: NotNegative


Invoices = Annotated[list[InvoiceEntry], BeforeValidator(listed("on"))]
Steps = Annotated[list[StepEntry], Field(min_length=1), BeforeValidator(listed("value"))]


class PayingEntry(Entry):
    """What every entry says: what it pays for, what was invoiced, how it is rounded.

    `name` is its lot's, `lot_kind` one of `LOT_KINDS`, `whole_amount` all of it, of a fee that of a month, ""
    where its parts say it.
    """

    currency: Money
    pays_for: PaysFor | None = None
    follows: Patterns | None = None
    account: Account | None = None
    covers: bool | None = None
    absent: Literal["overhead", "commitment_unused", "unusable"] = "overhead"
    contract: Text = ""
    rounding_pool: Text = ""
    lot_class: LotClass | None = Field(None, alias="class")
    invoiced: Invoices = Field(default_factory=list)
    converted_on: Day | None = None
    source: Text = ""

    @property
    def name(self) -> str:
        raise NotImplementedError

    @property
    def lot_kind(self) -> str:
        raise NotImplementedError

    @property
    def whole_amount(self) -> str:
        return ""

    @property
    def is_usage(self) -> bool:
        """Whether it is converted and invoiced as it is served, not as a whole."""
        return self.lot_kind in ("fee", "minimum", "energy")


class LotEntry(PayingEntry, Dated):
    """An amount over a time, or a fee or a least amount each month."""

    lot: Name
    kind: Literal["purchase", "fee", "minimum", "credit", "tax", "true_up"]
    amount: Amount
    every: Literal["month"] | None = None
    recoverable: bool = False

    @property
    def name(self) -> str:
        return self.lot

    @property
    def lot_kind(self) -> str:
        return self.kind

    @property
    def whole_amount(self) -> str:
        return self.amount


class ChangeEntry(Entry):
    """What changes for an asset from a day on."""

    begins: Day = Field(alias="from")
    residual: NotNegative | None = None
    remaining_months: Months | None = None
    impairment: NotNegative | None = None


class DisposalEntry(Entry):
    """The first day on which an asset is not in service any more, and what was received for it."""

    on: Day
    proceeds: NotNegative = "0"


class AssetEntry(PayingEntry):
    """A thing that is written off, straight line."""

    asset: Name
    cost: NotNegative
    residual: NotNegative = "0"
    life_months: Months
    in_service: Day
    convention: Convention = "actual_days"
    changes: list[ChangeEntry] = Field(default_factory=list)
    disposed: DisposalEntry | None = None
    booked_to: Account = "overhead"

    @property
    def name(self) -> str:
        return self.asset

    @property
    def lot_kind(self) -> str:
        return "depreciation"

    @property
    def whole_amount(self) -> str:
        return self.cost


class EnergyEntry(PayingEntry, Dated):
    """Kilowatts or metered kilowatt-hours, times PUE, at a tariff."""

    energy: Name
    it_kw: Steps | None = None
    metered: list[ReadingEntry] | None = None
    metered_file: Name | None = None
    pue: Steps
    tariff: Steps

    @property
    def name(self) -> str:
        return self.energy

    @property
    def lot_kind(self) -> str:
        return "energy"


class LotsFile(Entry):
    """The whole file."""

    lots: list[LotEntry]
    assets: list[AssetEntry]
    energy: list[EnergyEntry]
