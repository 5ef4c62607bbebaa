"""Prices as spans that do not overlap, so that the models join each instant to one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from gpuledger.errors import BooksError
from gpuledger.intervals import holds_at
from gpuledger.money import currency, rate_per_second
from gpuledger.versions import PriceFact

__all__ = [
    "Meter",
    "PriceSpan",
    "SlotClass",
    "meter_of",
    "price_spans",
    "record_name",
]


@dataclass(frozen=True, order=True)
class SlotClass:
    """What a price can be for: sku, device model, region and purchase option of a slot ('' = not said)."""

    sku: str
    model: str
    region: str
    purchase_option: str


@dataclass(frozen=True, order=True)
class PriceSpan:
    """A stretch [from, to) in UTC seconds over which one price record is in force for a class of slots."""

    slot_class: SlotClass
    price_record: str
    from_s: int
    to_s: int


@dataclass(frozen=True)
class Meter:
    """A metered lot at one rate: `rate` in quanta per second of a whole device, `price` as listed."""

    lot: str
    record: str
    rate: Fraction
    price: str
    currency: str


def price_spans(
    classes: Iterable[SlotClass], prices: Sequence[PriceFact], start_s: int, end_s: int
) -> list[PriceSpan]:
    """For each class the most specific price at each instant of [start, end); no span where none fits.

    A sku goes before a model, a named model before `*`, a named region or purchase option before an empty
    one. Touching records of one lot at one rate are one span, so that cutting a record changes nothing.
    """
    spans: list[PriceSpan] = []
    for slot_class in sorted(set(classes)):
        fitting = [fact for fact in prices if _fits(fact, slot_class)]
        edges = {at for fact in fitting for at in (fact.start_s, _until(fact.end_s, end_s))}
        for low, high in pairwise(sorted({start_s, end_s, *(at for at in edges if start_s < at < end_s)})):
            record = _record_at(fitting, low)
            if record is not None:
                _append(spans, PriceSpan(slot_class, record, low, high))
    return spans


def _append(spans: list[PriceSpan], span: PriceSpan) -> None:
    """Add a span, or lengthen the last one where it goes on."""
    last = spans[-1] if spans else None
    if last and replace(last, from_s=span.from_s, to_s=span.to_s) == span and last.to_s == span.from_s:
        spans[-1] = replace(last, to_s=span.to_s)
    else:
        spans.append(span)


def meter_of(fact: PriceFact, book_currency: str) -> Meter:
    """The meter that a price record drives; BooksError when it is in another currency than the book."""
    if fact.currency != book_currency:
        raise BooksError(
            f"{fact.selector_kind} {fact.selector} is priced in {fact.currency}, the book in {book_currency}",
            mend="give the price in the book's currency; the books hold one currency",
        )
    rate = rate_per_second(Decimal(fact.rate), currency(fact.currency))
    return Meter(_lot(fact), record_name(fact), rate, fact.rate, fact.currency)


def record_name(fact: PriceFact) -> str:
    """The name of a price record: its lot and its rate."""
    return f"{_lot(fact)}@{Decimal(fact.rate).normalize():f}"


def _until(end_s: int | None, horizon_s: int) -> int:
    return horizon_s if end_s is None else min(end_s, horizon_s)


def _fits(fact: PriceFact, slot_class: SlotClass) -> bool:
    named = slot_class.sku if fact.selector_kind == "sku" else slot_class.model
    return (
        (fact.selector == named or (fact.selector_kind == "model" and fact.selector == "*"))
        and fact.region in ("", slot_class.region)
        and fact.purchase_option in ("", slot_class.purchase_option)
    )


def _record_at(fitting: Sequence[PriceFact], at_s: int) -> str | None:
    in_force = [fact for fact in fitting if holds_at(fact, at_s)]
    return record_name(max(in_force, key=_specificity)) if in_force else None


def _specificity(fact: PriceFact) -> tuple[bool, bool, bool, bool, str]:
    return (
        fact.selector_kind == "sku",
        fact.selector != "*",
        fact.region != "",
        fact.purchase_option != "",
        fact.identity,
    )


def _lot(fact: PriceFact) -> str:
    scope = f"{fact.region or '*'}:{fact.purchase_option or '*'}:{fact.currency}"
    return f"meter:{fact.selector_kind}:{fact.selector}:{scope}"
