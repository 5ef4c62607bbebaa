"""A price list: what a GPU-hour costs, per sku or model, region and purchase option, since when."""

from __future__ import annotations

from collections.abc import Iterable

from chargeback.terms.records import Record, join_identity
from chargeback.terms.validity import Clock, Term
from gpuledger.errors import InputError
from gpuledger.instants import format_utc
from gpuledger.money import currency, parse_amount
from gpuledger.versions import PriceFact

__all__ = ["OPTIONAL", "REQUIRED", "parse_prices", "price_claim"]

REQUIRED = ("rate", "currency", "from", "to")
OPTIONAL = ("sku", "model", "region", "purchase_option", "source")


def parse_prices(records: Iterable[Record], clock: Clock, source: str) -> list[Term[PriceFact]]:
    """The prices of a list; `source` is who gave those that name no source.

    Raises `InputError`, with its place, for the first record that cannot be right: a rate that is negative
    or no number, an unknown currency, both or neither of sku and model.
    """
    return [Term(record.place, _price(record, clock, source)) for record in records]


def price_claim(fact: PriceFact) -> tuple[str, ...]:
    """What a price is for: no two hold for the same at the same time."""
    return (fact.selector_kind, fact.selector, fact.region, fact.purchase_option)


def _price(record: Record, clock: Clock, source: str) -> PriceFact:
    cells = record.cells
    kind, selector = _selector(record)
    start_s, end_s = clock.interval(record)
    region, option = (("" if cells[name] == "*" else cells[name]) for name in ("region", "purchase_option"))
    return PriceFact(
        identity=join_identity([kind, selector, region, option, format_utc(start_s)]),
        start_s=start_s,
        end_s=end_s,
        selector_kind=kind,
        selector=selector,
        region=region,
        purchase_option=option,
        rate=_rate(record),
        currency=_currency(record),
        source=cells["source"] or source,
    )


def _selector(record: Record) -> tuple[str, str]:
    sku, model = record.cells["sku"], record.cells["model"]
    if bool(sku) == bool(model):
        raise InputError(
            "both sku and model are given" if sku else "neither sku nor model is given",
            place=record.place,
            mend="give one of the two; model * is the price of every model without one of its own",
        )
    if sku == "*":
        raise InputError("sku * is no selector", place=record.at("sku"), mend="write model *")
    return ("sku", sku) if sku else ("model", model)


def _rate(record: Record) -> str:
    """The rate in one spelling: no exponent, no zeros at the end."""
    place = record.at("rate")
    try:
        rate = parse_amount(record.cells["rate"])
    except InputError as error:
        raise InputError(error.message, place=place, mend=error.mend) from error
    if rate < 0:
        raise InputError(
            f"rate {record.cells['rate']} is negative",
            place=place,
            mend="leave the price out if it is not known; write 0 only if it costs nothing",
        )
    return f"{rate.normalize():f}" if rate else "0"


def _currency(record: Record) -> str:
    try:
        return currency(record.cells["currency"]).code
    except InputError as error:
        raise InputError(error.message, place=record.at("currency"), mend=error.mend) from error
