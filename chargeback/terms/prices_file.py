"""The file of prices: the same records as a price list in CSV has, with the same checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from chargeback.terms.entries import Dated, Entry, Faults, Text, checked, record_of
from chargeback.terms.prices import parse_prices, price_claim
from chargeback.terms.validity import Clock, Term, refuse_overlaps, terms_by_identity
from gpuledger.instants import format_utc
from gpuledger.versions import PriceFact
from gpuledger.yaml_files import Document

__all__ = ["gaps", "read_prices"]

_SOURCE = "prices"


class _PriceEntry(Dated):
    sku: Text = ""
    model: Text = ""
    contract: Text = ""
    region: Text = ""
    zone: Text = ""
    provider: Text = ""
    purchase_option: Text = ""
    rate: Text
    currency: Text
    unit: Text = ""
    month_rule: Text = ""
    status: Text = ""
    granularity: Text = ""
    minimum: Text = ""
    rounding: Text = ""
    free_first: Text = ""
    free_if_interrupted_within: Text = ""
    interrupted_rounding: Text = ""
    source: Text = ""


class _Prices(Entry):
    prices: list[_PriceEntry]


def read_prices(
    document: Document, clock: Clock, imported: Iterable[PriceFact], faults: Faults
) -> list[Term[PriceFact]]:
    """The prices of a file, of origin `terms`; `imported` are those in force that came from lists.

    What is wrong in the file, or overlaps with an imported price, is noted in `faults`.
    """
    entries = checked(document, _Prices).prices
    found: list[Term[PriceFact]] = []
    for number, entry in enumerate(entries):
        with faults.noted():
            found += parse_prices([record_of(document, ("prices", number), entry)], clock, _SOURCE)
    terms = [replace(term, fact=replace(term.fact, origin="terms")) for term in found]
    with faults.noted():
        by_identity = terms_by_identity(terms)
        refuse_overlaps(by_identity, imported, price_claim)
        return list(by_identity.values())
    return terms


def gaps(terms: Iterable[Term[PriceFact]]) -> Iterator[str]:
    """A warning for each time between two prices of one thing, naming both lines."""
    ordered = sorted(terms, key=lambda term: (price_claim(term.fact), term.fact.start_s))
    for one, other in pairwise(ordered):
        end_s, next_s = one.fact.end_s, other.fact.start_s
        if price_claim(one.fact) == price_claim(other.fact) and end_s is not None and end_s < next_s:
            yield (
                f"{one.place.file}: between lines {one.place.line} and {other.place.line} nothing holds "
                f"from {format_utc(end_s)} to {format_utc(next_s)}: "
                "that time will be unpriced where no broader price fits"
            )
