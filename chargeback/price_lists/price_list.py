"""What is read of a price list: prices, and for each row that has none the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby

from chargeback.price_lists.quote import LeftOut, Quote, Shape, Wanted, refuse_others
from chargeback.price_lists.table import Table
from chargeback.terms.prices import price_identity
from chargeback.terms.validity import Term
from gpuledger.errors import InputError, Place
from gpuledger.money import currency
from gpuledger.versions import PriceFact

__all__ = ["PriceList", "Reason", "read_price_list"]


@dataclass(frozen=True)
class Reason:
    """Why rows, or single prices, were not taken: how many, the first row, and what that one says."""

    reason: str
    count: int
    first_row: int
    said: str = ""


@dataclass(frozen=True)
class PriceList:
    """What was read of a list: each row is either read or skipped, with its reason.

    `left_out` are prices, or cells, that rows which were read have besides. `assumed_currency` is that of
    prices which name none.
    """

    shape: str
    terms: tuple[Term[PriceFact], ...]
    rows: int
    read: int
    skipped: tuple[Reason, ...]
    left_out: tuple[Reason, ...]
    assumed_currency: str = ""


def read_price_list(table: Table, shape: Shape, wanted: Wanted) -> PriceList:
    """The prices of a list, and why the other rows have none; raises `InputError` where it cannot be read.

    Rows that say the same of the same thing are one price; where they differ, none of them is taken.
    """
    tally = _Tally()
    for number, said in groupby(shape.quotes(table, wanted), key=lambda one: one[0]):
        tally.rows += 1
        _read_row(tally, table.file, number, [one for _, one in said], shape, wanted)
    _refuse_contradictions(tally)
    return _counted(shape, wanted, tally)


@dataclass
class _Tally:
    """What a list has, while it is read: prices and reasons of rows with a price, counts of the others."""

    rows: int = 0
    taken: dict[int, list[Term[PriceFact]]] = field(default_factory=dict)
    besides: list[tuple[int, LeftOut]] = field(default_factory=list)
    skipped: dict[str, Reason] = field(default_factory=dict)
    assumed: bool = False


def _read_row(
    tally: _Tally, file: str, number: int, said: Sequence[Quote | LeftOut], shape: Shape, wanted: Wanted
) -> None:
    """Count one row; all that is kept of one without a price is its first reason."""
    terms: list[Term[PriceFact]] = []
    reasons: list[LeftOut] = []
    for one in said:
        try:
            if isinstance(one, LeftOut):
                raise one
            terms.append(_term(file, number, one, shape, wanted))
            tally.assumed |= not one.currency
        except LeftOut as reason:
            reasons.append(reason.with_traceback(None))
    if terms:
        tally.taken[number] = terms
        tally.besides += [(number, reason) for reason in reasons]
    else:
        _add(tally.skipped, number, reasons[0])


def _add(found: dict[str, Reason], number: int, one: LeftOut) -> None:
    known = found.get(one.reason)
    if known is None:
        found[one.reason] = Reason(one.reason, 1, number, one.said)
    elif number < known.first_row:
        found[one.reason] = Reason(one.reason, known.count + 1, number, one.said)
    else:
        found[one.reason] = replace(known, count=known.count + 1)


def _term(file: str, number: int, quote: Quote, shape: Shape, wanted: Wanted) -> Term[PriceFact]:
    refuse_others("provider", quote.provider, wanted.provider)
    refuse_others("currency", quote.currency, wanted.currency)
    place = Place(file, row=number)
    start_s = quote.start_s if wanted.from_s is None else wanted.from_s
    if start_s is None:
        raise InputError(
            "the list does not say since when its prices hold",
            place=place,
            mend="say it: --from 2026-09-01, or an instant like 2026-09-01T12:00Z",
        )
    fact = PriceFact(
        identity="",
        start_s=start_s,
        end_s=None,
        selector_kind=quote.selector_kind,
        selector=quote.selector,
        region=quote.region,
        purchase_option=quote.purchase_option,
        rate=quote.rate,
        currency=_known_currency(quote.currency or wanted.currency or shape.currency),
        source=wanted.source,
        provider=quote.provider or wanted.provider,
        zone=quote.zone,
        unit=quote.unit,
        month_rule=quote.month_rule,
        rules=wanted.rules,
    )
    return Term(place, replace(fact, identity=price_identity(fact.claim, start_s)))


def _known_currency(code: str) -> str:
    try:
        return currency(code).code
    except InputError as error:
        raise LeftOut("the currency is not known", error.message) from None


def _refuse_contradictions(tally: _Tally) -> None:
    """Take back all prices of one thing from one instant on that are not the same."""
    by_identity: dict[str, list[tuple[int, PriceFact]]] = {}
    for number, terms in tally.taken.items():
        for term in terms:
            by_identity.setdefault(term.fact.identity, []).append((number, term.fact))
    for identity, said in by_identity.items():
        if all(fact == said[0][1] for _, fact in said):
            continue
        rates = sorted({fact.rate for _, fact in said}, key=Fraction)
        for number in dict.fromkeys(number for number, _ in said):
            tally.taken[number] = [one for one in tally.taken[number] if one.fact.identity != identity]
            rows = ", ".join(str(other) for other in dict.fromkeys(row for row, _ in said))
            what = " ".join(filter(None, (said[0][1].provider, said[0][1].selector, said[0][1].region)))
            reason = LeftOut(
                "the list has several prices of one thing", f"{what}: {' and '.join(rates)} in rows {rows}"
            )
            tally.besides.append((number, reason))


def _counted(shape: Shape, wanted: Wanted, tally: _Tally) -> PriceList:
    left_out: dict[str, Reason] = {}
    gone: set[int] = set()
    for number, reason in sorted(tally.besides, key=lambda one: one[0]):
        if tally.taken[number]:
            _add(left_out, number, reason)
        elif number not in gone:
            gone.add(number)
            _add(tally.skipped, number, reason)
    terms: dict[str, Term[PriceFact]] = {}
    for term in (term for number in sorted(tally.taken) for term in tally.taken[number]):
        terms.setdefault(term.fact.identity, term)
    skipped = _most_first(tally.skipped)
    return PriceList(
        shape=shape.name,
        terms=tuple(terms.values()),
        rows=tally.rows,
        read=tally.rows - sum(one.count for one in skipped),
        skipped=skipped,
        left_out=_most_first(left_out),
        assumed_currency=(wanted.currency or shape.currency) if tally.assumed else "",
    )


def _most_first(found: Mapping[str, Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(found.values(), key=lambda one: (-one.count, one.first_row)))
