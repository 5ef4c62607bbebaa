"""Bills as lots: what the lines in force charge, exactly, in the book's currency.

A bill's lots and what is left out of them add up to the bill. What its lines come to and its invoice says
otherwise, which is less than a minor unit unless lines are missing, is a lot of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from glob import escape

from chargeback.bills.allocation import Allocation, Share, Unknown, allocate
from chargeback.bills.destinations import UNKNOWN, Destination, target_of
from chargeback.bills.in_force import BillLines
from chargeback.bills.instances import Machine
from chargeback.bills.stretches import LocalDays, apart, converted_by_day
from chargeback.fx import FxRates
from chargeback.lots.lot import Invoiced, Lot, Segment, Target
from chargeback.terms.records import join_identity
from gpuledger.money import currency, parse_amount
from gpuledger.versions import BillFact, BillRuleFact, Book

__all__ = ["BillLots", "LeftOut", "bill_lots", "difference_of", "lot_name", "lots_of"]

_BY_SERVICE_DAY = "Usage"
_FOLLOWING = ("follows", "rest")


@dataclass(frozen=True)
class LeftOut:
    """Lines of a bill that are not the fleet's money, by reason.

    `amount` is in units of the bill's currency, `quanta` the same in quanta of the book, at the rate of the
    day of the invoice.
    """

    bill: str
    reason: str
    lines: int
    amount: Fraction
    quanta: Fraction


@dataclass(frozen=True)
class BillLots:
    """The lots of bills, what is left out of them, and by name the lines of which nothing is known."""

    lots: tuple[Lot, ...]
    left_out: tuple[LeftOut, ...]
    unknown: tuple[Unknown, ...]


def bill_lots(
    lines: BillLines,
    nodes: Iterable[Machine],
    rules: Iterable[BillRuleFact],
    fx: FxRates,
    book: Book,
) -> BillLots:
    """The lots of these lines; `BooksError` where a rate of exchange is not known.

    Lines of one bill and category with one target are one lot. Usage is converted by the day of the service
    in the book's zone, all else by the day of the invoice, which is the last of the billing period where no
    day is known. A purchase is recognised over its charge period like everything else.
    """
    return lots_of(allocate(lines, nodes, rules), lines.bills, fx, book)


def lots_of(allocation: Allocation, bills: Iterable[BillFact], fx: FxRates, book: Book) -> BillLots:
    """As `bill_lots`, of lines that are sorted by what they are for."""
    made = _Maker(bills, allocation, fx, book)
    kept = [share for share in allocation.shares if share.destination.kind != "left_out"]
    out = [share for share in allocation.shares if share.destination.kind == "left_out"]
    lots = [made.lot(share) for share in kept]
    lots += [lot for bill in made.bills if (lot := made.difference(bill)) is not None]
    return BillLots(
        lots=tuple(sorted(_named_apart(lots), key=lambda lot: lot.name)),
        left_out=tuple(map(made.left_out, out)),
        unknown=allocation.unknown,
    )


def lot_name(bill: str, destination: Destination, category: str) -> str:
    """The name of a lot: `bill:<bill>/<what>`, of usage; of a tax that follows the others `tax:<bill>`.

    So `bill:<bill>/*` is all of a bill but what follows others, and nothing follows itself.
    """
    words = [] if destination.kind == "rest" else [destination.what]
    words += [destination.service] if destination.service else []
    if destination.kind in _FOLLOWING:
        return "/".join([f"{category.lower()}:{bill}", *([join_identity(words)] if words else [])])
    words += [] if category == _BY_SERVICE_DAY else [category.lower()]
    words += ["beside"] if destination.is_beside else []
    return f"bill:{bill}/{join_identity(words)}"


def difference_of(bill: BillFact) -> Fraction:
    """By how much the invoice is more than the lines, in its currency; 0 where no total is stated."""
    if not bill.stated_total:
        return Fraction(0)
    return Fraction(parse_amount(bill.stated_total)) - Fraction(bill.total)


class _Maker:
    """Makes lots: it knows the days of the book's zone, the rates, and which lots a bill has."""

    def __init__(self, bills: Iterable[BillFact], allocation: Allocation, fx: FxRates, book: Book) -> None:
        self.bills = tuple(bills)
        self._fx, self._book = fx, book
        runs = [run for share in allocation.shares for run in (share.runs[0], share.runs[-1])]
        ends = [bill.billed_s for bill in self.bills]
        first = min([run.start_s for run in runs] + ends, default=0)
        last = max([run.end_s for share in allocation.shares for run in share.runs] + ends, default=0)
        self._days = LocalDays.of(book.zone, first, last)
        self._followed = _followed(allocation)

    def lot(self, share: Share) -> Lot:
        """The lot of a share."""
        bill, place = share.bill, share.destination
        is_price = place.kind == "slots" and share.category == _BY_SERVICE_DAY and not place.is_beside
        follows = place.kind in _FOLLOWING
        segments = self._segments(share)
        recognised = sum((one.amount for one in segments), Fraction(0))
        return Lot(
            name=lot_name(bill.identity, place, share.category),
            kind="invoice",
            lot_class="billed",
            rounding_pool=f"bill:{bill.identity}",
            segments=segments,
            target=target_of(place, self._names(share)),
            invoices=(self._invoiced(bill, share.amount, recognised),),
            absent=UNKNOWN if follows else "overhead",
            covers=is_price,
            supersedes=is_price,
            currency=bill.currency,
            said=_said(share),
        )

    def difference(self, bill: BillFact) -> Lot | None:
        """The lot of what an invoice has more, or less, than its lines; None where they agree."""
        amount = difference_of(bill)
        if not amount:
            return None
        quanta = amount * self._rate_of_invoice(bill)
        end_s = bill.end_s or bill.start_s + 1
        return Lot(
            name=f"bill:{bill.identity}/difference",
            kind="invoice",
            lot_class="billed",
            rounding_pool=f"bill:{bill.identity}",
            segments=(Segment(bill.start_s, end_s, quanta),),
            target=Target(account=UNKNOWN),
            invoices=(self._invoiced(bill, amount, quanta),),
            currency=bill.currency,
            said=f"the invoice comes to {bill.stated_total} {bill.currency}, its lines to {bill.total}",
        )

    def left_out(self, share: Share) -> LeftOut:
        """What a share of a bill is that is left out."""
        quanta = share.amount * self._rate_of_invoice(share.bill)
        return LeftOut(share.bill.identity, share.destination.reason, share.lines, share.amount, quanta)

    def _segments(self, share: Share) -> tuple[Segment, ...]:
        parts = apart(share.runs)
        base = share.bill.currency
        if share.category == _BY_SERVICE_DAY and base != self._book.currency:
            rate = self._rate_by_day(base)
            return tuple(Segment(*part) for part in converted_by_day(parts, self._days, rate))
        rate_of_all = self._rate_of_invoice(share.bill)
        return tuple(Segment(part.start_s, part.end_s, part.amount * rate_of_all) for part in parts)

    def _invoiced(self, bill: BillFact, amount: Fraction, recognised: Fraction) -> Invoiced:
        """What is invoiced, of which `fx` is what the rate of its day makes beside those of the service."""
        quanta = amount * self._rate_of_invoice(bill)
        return Invoiced(bill.billed_s, quanta, bill.invoice, fx=quanta - recognised)

    def _rate_of_invoice(self, bill: BillFact) -> Fraction:
        return self._rate_by_day(bill.currency)(self._days.at(bill.billed_s))

    def _rate_by_day(self, base: str) -> Callable[[str], Fraction]:
        """Quanta of the book for one unit of a currency, by day."""
        units = currency(base).quantum

        @cache
        def rate(day: str) -> Fraction:
            return units * self._fx.per_quantum(base, self._book.currency, day)

        return rate

    def _names(self, share: Share) -> Sequence[str]:
        """Patterns of the names that a share of kind "rest" follows: of its service, where one is named."""
        if share.destination.kind != "rest":
            return ()
        others = self._followed.get(share.bill.identity, {})
        wanted = share.destination.service
        of_service = [name for name, services in others.items() if wanted in services] if wanted else []
        if of_service and len(of_service) < len(others):
            return [escape(name) for name in sorted(of_service)]
        return [f"{escape(f'bill:{share.bill.identity}')}/*"] if others else []


def _followed(allocation: Allocation) -> dict[str, dict[str, frozenset[str]]]:
    """The lots of each bill that others may follow, each with the services that its lines name."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for share in allocation.shares:
        if share.destination.kind not in (*_FOLLOWING, "left_out"):
            name = lot_name(share.bill.identity, share.destination, share.category)
            found.setdefault(share.bill.identity, {})[name] = share.services
    return found


def _named_apart(lots: Iterable[Lot]) -> list[Lot]:
    """The lots, with a number behind the name of one whose name another has."""
    seen: dict[str, int] = {}
    apart_of: list[Lot] = []
    for lot in lots:
        seen[lot.name] = number = seen.get(lot.name, 0) + 1
        apart_of.append(lot if number == 1 else replace(lot, name=f"{lot.name}~{number}"))
    return apart_of


def _said(share: Share) -> str:
    lines = (
        f"{share.lines} line{'s' * (share.lines != 1)} of category {share.category} in {share.bill.identity}"
    )
    if share.destination.kind == "unknown":
        return f"{lines}: {share.destination.reason}"
    return lines
