"""A price list: what a GPU or a node costs, per sku, model or contract, since when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from chargeback.price_lists.run_rules import RunRules, write_rules
from chargeback.terms.records import Record, join_identity
from chargeback.terms.validity import Clock, Term
from gpuledger.errors import InputError
from gpuledger.instants import format_utc
from gpuledger.money import currency, parse_amount
from gpuledger.versions import PriceFact
from gpuledger.versions.prices import MONTH_RULES, STATUSES, UNITS

__all__ = [
    "COUNTED_BY",
    "OPTIONAL",
    "REQUIRED",
    "SELECTORS",
    "parse_prices",
    "price_claim",
    "price_identity",
    "rules_of",
    "spelled_rate",
]

SELECTORS = ("sku", "model", "contract")
COUNTED_BY = (
    "granularity",
    "minimum",
    "rounding",
    "free_first",
    "free_if_interrupted_within",
    "interrupted_rounding",
)
"""The columns that say how a run of a node is counted."""

REQUIRED = ("rate", "currency", "from", "to")
OPTIONAL = (
    *SELECTORS,
    "region",
    "zone",
    "provider",
    "purchase_option",
    "unit",
    "month_rule",
    "status",
    *COUNTED_BY,
    "source",
)

_DURATION = re.compile(r"([0-9]{1,9}) ?(s|m|min|h)")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600}


def parse_prices(records: Iterable[Record], clock: Clock, source: str) -> list[Term[PriceFact]]:
    """The prices of a list; `source` is who gave those that name no source.

    Raises `InputError`, with its place, for the first record that cannot be right: a rate that is negative
    or no number, an unknown currency or unit, not exactly one of sku, model and contract.
    """
    return [Term(record.place, _price(record, clock, source)) for record in records]


def price_claim(fact: PriceFact) -> tuple[str, ...]:
    """What a price is for: no two hold for the same at the same time, whatever their units."""
    return fact.claim


def price_identity(claim: Sequence[str], start_s: int) -> str:
    """The identity of the price of a claim from an instant on.

    >>> price_identity(("model", "H100", "eu", "", "", ""), 1790812800)
    'model/H100/eu//2026-10-01T00:00:00Z'
    """
    *what, provider, zone = claim
    where = [provider, zone] if provider or zone else []
    return join_identity([*what, *where, format_utc(start_s)])


def _price(record: Record, clock: Clock, source: str) -> PriceFact:
    cells = record.cells
    kind, selector = _selector(record)
    start_s, end_s = clock.interval(record)
    any_of = ("region", "purchase_option", "provider", "zone")
    region, option, provider, zone = ("" if cells[name] == "*" else cells[name] for name in any_of)
    unit = _word(record, "unit", UNITS) or "gpu_hour"
    return PriceFact(
        identity=price_identity((kind, selector, region, option, provider, zone), start_s),
        start_s=start_s,
        end_s=end_s,
        selector_kind=kind,
        selector=selector,
        region=region,
        purchase_option=option,
        rate=_rate(record),
        currency=_currency(record),
        source=cells["source"] or source,
        provider=provider,
        zone=zone,
        unit=unit,
        month_rule=_month_rule(record, unit),
        rules=write_rules(rules_of(record)),
        status=_word(record, "status", STATUSES) or "final",
    )


def _selector(record: Record) -> tuple[str, str]:
    given = [(kind, record.cells[kind]) for kind in SELECTORS if record.cells[kind]]
    if len(given) != 1:
        raise InputError(
            f"both {given[0][0]} and {given[1][0]} are given" if given else "neither sku nor model is given",
            place=record.place,
            mend="give one of sku, model and contract; "
            "model * is the price of every model without one of its own",
        )
    ((kind, selector),) = given
    if selector == "*" and kind != "model":
        raise InputError(f"{kind} * is no selector", place=record.at(kind), mend="write model *")
    return kind, selector


def _word(record: Record, column: str, known: Sequence[str]) -> str:
    """One of a few words, or "" where the cell is empty."""
    word = record.cells[column]
    if word and word not in known:
        raise InputError(
            f"{column} {word!r} is not known",
            place=record.at(column),
            mend=f"write {', '.join(known)}, or leave it out",
        )
    return word


def _month_rule(record: Record, unit: str) -> str:
    rule = _word(record, "month_rule", MONTH_RULES)
    if unit.endswith("_month"):
        return rule or "actual"
    if rule:
        raise InputError(
            f"a price per {unit} has the month rule {rule}",
            place=record.at("month_rule"),
            mend="leave the rule out, or write the unit gpu_month or node_month",
        )
    return ""


def rules_of(record: Record) -> RunRules:
    """How a run of a node is counted by what a record says; raises `InputError` for what cannot be."""
    said = {column: record.cells[column] for column in COUNTED_BY if record.cells[column]}
    try:
        return RunRules(
            granularity_s=_seconds(said.get("granularity", "1s"), "granularity"),
            minimum_s=_seconds(said.get("minimum", "0s"), "minimum"),
            rounding=said.get("rounding", "up"),
            free_s=_seconds(said.get("free_first", "0s"), "free_first"),
            interrupted_free_s=_seconds(
                said.get("free_if_interrupted_within", "0s"), "free_if_interrupted_within"
            ),
            interrupted_rounding=said.get("interrupted_rounding", ""),
        )
    except InputError as error:
        # A rule is named as the column is, or for what it does.
        column = next((one for one in COUNTED_BY if error.message.startswith(f"{one} ")), "")
        place = record.at(column) if column else record.place
        raise InputError(error.message, place=place, mend=error.mend) from error


def _seconds(text: str, column: str) -> int:
    found = _DURATION.fullmatch(text)
    if found is None:
        raise InputError(
            f"{column} {text!r} is no length of time",
            mend="write seconds, minutes or hours: 1s, 60s, 10m, 1h",
        )
    return int(found[1]) * _SECONDS[found[2]]


def _rate(record: Record) -> str:
    """The rate in one spelling: no exponent, no zeros at the end."""
    try:
        return spelled_rate(record.cells["rate"])
    except InputError as error:
        raise InputError(error.message, place=record.at("rate"), mend=error.mend) from error


def spelled_rate(text: str) -> str:
    """A rate as plain decimal text without zeros at the end; raises `InputError` where it is none.

    >>> spelled_rate("2.7447050")
    '2.744705'
    """
    rate = parse_amount(text)
    if rate < 0:
        raise InputError(
            f"rate {text} is negative",
            mend="leave the price out if it is not known; write 0 only if it costs nothing",
        )
    return f"{rate.normalize():f}" if rate else "0"


def _currency(record: Record) -> str:
    try:
        return currency(record.cells["currency"]).code
    except InputError as error:
        raise InputError(error.message, place=record.at("currency"), mend=error.mend) from error
