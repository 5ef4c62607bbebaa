"""Lots for random fleets: as they are said, and by brute force what is recognised of them when and where.

It shares no code with what makes lots of facts, nor with the price pass.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from deliveries import deliver
from fleets import HOURS_S, Fleet
from house import House
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from moments import Stretch
from months import Books, Month, home_of, make, months
from oracle import stretches_of

from gpuledger.calendars import month_bounds

__all__ = [
    "USD",
    "Case",
    "Said",
    "books_of",
    "cases",
    "costs",
    "expected",
    "home",
    "is_paid",
    "made",
    "pieces_of",
    "placed",
    "put",
    "recognised_to",
    "stretches_in",
    "through",
]

USD = 10**9
TARGETS: tuple[dict[str, list[str]], ...] = (
    {"model": ["H100"]},
    {"cluster": ["c0"]},
    {"node": ["n0"], "model": ["*"]},
    {"slot": ["c0/n4/*", "n0/1"]},
    {"region": ["r1"], "purchase_option": ["spot"]},
    {"sku": ["s1"]},
    {"node": ["nowhere"]},
)
FOLLOWED = (["meter:*"], ["lot:l0"], ["meter:model:*", "lot:l0"])
AMOUNTS = ("0.000000001", "0.01", "100", "1400000", "12345.678901234", "0.004")
RATES = ("1", "1.25", "0.9", "1.0987654321")


class Said(NamedTuple):
    """A lot as it is said, times in seconds from the month's end; no `slots` and no `follows`: shared."""

    name: str
    kind: str
    amount: str
    start: int
    end: int
    slots: dict[str, list[str]] | None
    follows: list[str]
    covers: bool
    absent: str
    currency: str
    invoiced: tuple[int, ...]

    @property
    def lot(self) -> str:
        return f"lot:{self.name}"

    @property
    def invoices(self) -> list[tuple[int, str]]:
        """When which part of it is invoiced: halves of what is left, and the rest at last."""
        left, found = Decimal(self.amount), []
        for at in self.invoiced[:-1]:
            left /= 2
            found.append((at, f"{left:f}"))
        return [*found, *((at, f"{left:f}") for at in self.invoiced[-1:])]


class Case(NamedTuple):
    """A month of a fleet, the lots that are for it, and what a euro is worth on the days around its end."""

    month: Month
    lots: tuple[Said, ...]
    rates: tuple[str, ...]

    @property
    def fleet(self) -> Fleet:
        return self.month.fleet

    @property
    def sides(self) -> tuple[Month, Month]:
        """Both months that the fleet has a part of."""
        end = self.fleet.month_end
        before = self.month._replace(name=end.before, start_s=self.fleet.start_s, end_s=end.at_s)
        return before, self.month._replace(name=end.after, start_s=end.at_s, end_s=self.fleet.end_s)

    def at(self, instant: int) -> int:
        return self.fleet.month_end.at_s + instant

    def rate(self, instant: int) -> Fraction:
        """What a euro is worth on an instant's local day: by the first rate before the month's end."""
        last = _local_day(self.fleet, self.fleet.month_end.at_s - 1)
        return Fraction(self.rates[int(_local_day(self.fleet, instant) > last)])


def _local_day(fleet: Fleet, instant: int) -> str:
    return datetime.fromtimestamp(instant, ZoneInfo(fleet.month_end.zone)).date().isoformat()


_TIMES = st.lists(st.integers(-HOURS_S, HOURS_S), min_size=2, max_size=2, unique=True).map(sorted)
_INVOICED = st.lists(st.integers(-HOURS_S, HOURS_S - 1), max_size=3, unique=True).map(sorted)
_KINDS = st.sampled_from(("purchase", "purchase", "fee", "credit"))
_WHERE = st.sampled_from(("slots", "slots", "account", "follows"))


def _said(draw: DrawFn, number: int) -> Said:
    """A lot; the first is for slots."""
    (start, end), kind = draw(_TIMES), draw(_KINDS)
    where = draw(_WHERE) if number else "slots"
    return Said(
        name=f"l{number}",
        kind=kind,
        amount=("-" if kind == "credit" else "") + draw(st.sampled_from(AMOUNTS)),
        start=start,
        end=end,
        slots=draw(st.sampled_from(TARGETS)) if where == "slots" else None,
        follows=draw(st.sampled_from(FOLLOWED)) if where == "follows" else [],
        covers=where == "slots" and draw(st.booleans()),
        absent=draw(st.sampled_from(("overhead", "unusable", "commitment_unused"))),
        currency=draw(st.sampled_from(("USD", "USD", "EUR"))),
        invoiced=tuple(draw(_INVOICED)) if kind != "fee" else (),
    )


@st.composite
def cases(draw: DrawFn) -> Case:
    lots = tuple(_said(draw, number) for number in range(draw(st.integers(1, 4))))
    rates = tuple(draw(st.lists(st.sampled_from(RATES), min_size=2, max_size=2)))
    return Case(draw(months()), lots, rates)


def put(house: House, case: Case, lots: tuple[Said, ...] | None = None) -> None:
    """Deliver a case: its lots, rates and fleet."""
    for one in case.lots if lots is None else lots:
        house.lot(
            one.name,
            one.kind,
            one.amount,
            case.at(one.start),
            case.at(one.end),
            slots=one.slots,
            follows=one.follows,
            covers=one.covers,
            absent=one.absent,
            currency=one.currency,
            invoices=[(case.at(at), amount) for at, amount in one.invoices],
        )
    before, after = (_local_day(case.fleet, case.fleet.month_end.at_s - seconds) for seconds in (86400, 0))
    house.fx(before, "EUR", "USD", case.rates[0])
    house.fx(after, "EUR", "USD", case.rates[1])
    deliver(house, case.fleet)


@contextmanager
def home(case: Case, charged: str = "", shards: int = 1) -> Iterator[House]:
    month = case.month._replace(charged=charged or case.month.charged)
    with home_of(month, shards=shards) as house:
        yield house


_KEPT: dict[str, Books] = {}
"""The books of the last cases, by how these are written."""


def books_of(case: Case) -> Books:
    """The books of a case whose facts all came at once."""
    if (key := repr(case)) not in _KEPT:
        while len(_KEPT) > 16:
            del _KEPT[next(iter(_KEPT))]
        with home(case) as house:
            put(house, case)
            _KEPT[key] = made(house, case.month)
    return _KEPT[key]


def made(house: House, month: Month, workers: int = 1) -> Books:
    """A month's books with the entries of all layers."""
    found = make(house, month, workers=workers)
    more = house.rows_of("distributed_entry", month.name)
    return replace(found, entries=[*found.entries, *more])


def costs(books: Books) -> list[dict[str, Any]]:
    """What is recognised of lots that are said, without what exchange rates made of invoices."""
    return [
        row
        for row in books.entries
        if row["layer"] == "recognised" and row["lot"].startswith("lot:") and row["to_account"] != "fx"
    ]


def recognised_to(case: Case, one: Said, until: int) -> Fraction:
    """What of a lot is recognised before an instant: exact, in quanta."""
    start, end = case.at(one.start), case.at(one.end)
    until = min(until, end)
    if until <= start:
        return Fraction(0)
    euro = one.currency == "EUR"
    if one.kind != "fee":
        first = min([start, *(case.at(at) for at in one.invoiced)])
        rate = case.rate(first) if euro else Fraction(1)
        return Fraction(one.amount) * USD * rate * (until - start) / (end - start)
    found, edge = Fraction(0), case.fleet.month_end.at_s
    for low, high, name in (
        (start, min(until, edge), case.fleet.month_end.before),
        (max(start, edge), until, case.fleet.month_end.after),
    ):
        if low < high:
            begins, ends = month_bounds(case.fleet.month_end.zone, name)
            rate = case.rate(low) if euro else Fraction(1)
            found += Fraction(one.amount) * USD * rate * (high - low) / (ends - begins)
    return found


def through(case: Case, one: Said, month: Month) -> int:
    """Up to when a lot is recognised: as far as the clusters are known that it pays in, else all."""
    throughs = dict(case.fleet.throughs)
    alive = case.at(one.start) < month.end_s and case.at(one.end) > month.start_s
    mine = {slot.cluster for slot in case.fleet.slots if one.slots and fits(one.slots, *_traits(slot))}
    assumed = {
        ""
        for held in case.fleet.holdings
        if held.node is None and one.slots and fits_assumed(one.slots, held)
    }
    if alive and mine and not assumed:
        return min([month.end_s, *(throughs.get(cluster, month.end_s) for cluster in mine)])
    return min([month.end_s, *throughs.values()])


def _traits(slot: Any) -> tuple[dict[str, str], str]:
    names = ("cluster", "node", "slot", "model", "region", "sku", "purchase_option")
    return {name: getattr(slot, name) for name in names}, slot.cluster


def fits(target: dict[str, list[str]], said: dict[str, str], cluster: str) -> bool:
    for name, patterns in target.items():
        text = said.get(name, "")
        texts = [text, f"{cluster}/{text}"] if name in ("node", "slot") else [text]
        if not text or not any(fnmatchcase(one, pattern) for one in texts for pattern in patterns):
            return False
    return True


def fits_assumed(target: dict[str, list[str]], held: Any) -> bool:
    """An assumed slot has a model and a region, and no place."""
    return fits(target, {"model": held.model, "region": held.region}, "")


def is_paid(one: Said, stretch: Stretch) -> bool:
    if one.slots is None:
        return False
    return fits_assumed(one.slots, stretch) if stretch.assumed else fits(one.slots, *_traits(stretch))


@lru_cache(maxsize=16)
def stretches_in(month: Month) -> list[Stretch]:
    return stretches_of(month.fleet, month.start_s, month.end_s)


def overlap(case: Case, one: Said, stretch: Stretch) -> int:
    return max(0, min(stretch.to_s, case.at(one.end)) - max(stretch.from_s, case.at(one.start)))


def pieces_of(month: Month) -> list[tuple[int, int]]:
    """The hours of a month's part, as the billing zone's month cuts them."""
    hours = range(month.start_s // 3600 * 3600 + 3600, month.end_s, 3600)
    edges = [month.start_s, *hours, month.end_s]
    return list(pairwise(edges))


def expected(case: Case, one: Said) -> dict[Any, Fraction]:
    """Where a lot's money goes that follows no other, exact, by piece and place."""
    month, until = case.month, through(case, one, case.month)
    weights: dict[int, Counter[Any]] = defaultdict(Counter)
    for stretch in stretches_in(month):
        if is_paid(one, stretch) and (seconds := overlap(case, one, stretch)):
            key = (stretch.cluster, f"{stretch.model}/{stretch.region}")
            weights[stretch.piece_s][key] += seconds * stretch.size
    found: dict[Any, Fraction] = defaultdict(Fraction)
    for low, high in pieces_of(month):
        amount = recognised_to(case, one, min(high, until)) - recognised_to(case, one, min(low, until))
        here = weights[low]
        for key, weight in here.items():
            found[low, key] += amount * weight / here.total()
        if not here:
            account = "shared" if one.slots is None else one.absent
            found[low, (account, "absent" if account == "overhead" else "")] += amount
    return {key: amount for key, amount in found.items() if amount}


def placed(case: Case, row: dict[str, Any]) -> Any:
    if not row["pool"] and not row["model"]:
        return row["to_account"], row["state"]
    return row["cluster"], row["pool"]
