"""What must hold of lots in the books of any fleet, against amounts and places worked out by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import pairwise
from math import trunc
from typing import Any

import pytest
from deliveries import recut
from hypothesis import Phase, given, seed, settings
from lot_cases import (
    USD,
    Case,
    Said,
    books_of,
    cases,
    costs,
    expected,
    home,
    is_paid,
    made,
    pieces_of,
    placed,
    put,
    recognised_to,
    stretches_in,
    through,
)
from moments import Stretch
from months import (
    Books,
    few,
    fewest,
    of_the_same_months,
    random_of,
    several,
    statement_of,
    total,
)

from chargeback.policies import CHOICES
from chargeback.statement import By

pytestmark = pytest.mark.books

BALANCES = ("payable", "prepaid", "accrued", "tax_recoverable", "clearing")
LOOSE = 50
"""How many quanta a sum of many splits may be from its exact share."""


@of_the_same_months
@several
@given(cases())
def test_a_lots_money_goes_to_its_slots_by_their_time_and_else_where_it_says(case: Case) -> None:
    found: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
    for row in costs(books_of(case)):
        found[row["lot"]][row["piece_s"], placed(case, row)] += row["amount"]
    for one in case.lots:
        if one.follows:
            continue
        wanted = expected(case, one)
        if case.month.charged == "pooled":
            wanted = total(((piece, _pool_of(key)), amount) for (piece, key), amount in wanted.items())
            got = total(((piece, _pool_of(key)), amount) for (piece, key), amount in found[one.lot].items())
        else:
            got = dict(found[one.lot])
        for key in wanted.keys() | got.keys():
            assert abs(got.get(key, 0) - wanted.get(key, 0)) <= LOOSE, (one, key)


def _pool_of(place: tuple[str, str]) -> tuple[str, str]:
    """A place without its cluster, which the entries of a pool do not say."""
    return ("", place[1]) if "/" in place[1] else place


@of_the_same_months
@several
@given(cases())
def test_a_lot_recognises_what_its_time_says_to_the_quantum(case: Case) -> None:
    """Invariant 1, a month: whatever slots there are, and whatever follows what."""
    found = total((row["lot"], row["amount"]) for row in costs(books_of(case)))
    for one in case.lots:
        until = max(case.month.start_s, through(case, one, case.month))
        reached, before = (trunc(recognised_to(case, one, at)) for at in (until, case.month.start_s))
        assert found.get(one.lot, 0) == reached - before, one


@of_the_same_months
@few
@given(cases())
def test_over_its_life_a_lot_is_recognised_whole_and_what_is_billed_is_prepaid_accrued_or_cost(
    case: Case,
) -> None:
    case = case._replace(month=case.month._replace(fleet=replace(case.fleet, throughs=())))
    moved: dict[str, Counter[str]] = defaultdict(Counter)
    with home(case) as house:
        put(house, case)
        for month in case.sides:
            for row in made(house, month).entries:
                if row["lot"].startswith("lot:"):
                    moved[row["lot"]][row["from_account"]] -= row["amount"]
                    moved[row["lot"]]["cost" if _is_cost(row) else row["to_account"]] += row["amount"]
    for one in case.lots:
        balances = moved[one.lot]
        invoiced = sum(
            (
                Fraction(text) * USD * (case.rate(case.at(at)) if one.currency == "EUR" else 1)
                for at, text in one.invoices
            ),
            Fraction(0),
        )
        whole = trunc(recognised_to(case, one, case.at(one.end)))
        assert abs(balances["payable"] + invoiced) <= 1 + len(one.invoiced)
        assert balances["cost"] == whole
        billed = -balances["payable"]
        assert balances["prepaid"] + balances["accrued"] + balances["cost"] + balances["fx"] == billed
        if one.invoiced:
            assert abs(balances["prepaid"]) <= 1
            assert abs(balances["accrued"]) <= 1


def _is_cost(row: dict[str, Any]) -> bool:
    """What left a balance for good: into a cost account, or into the pools."""
    return row["to_account"] not in (*BALANCES, "fx") or row["to_account"] == "clearing"


@of_the_same_months
@several
@given(cases())
def test_what_follows_a_lot_or_meter_goes_where_its_money_went(case: Case) -> None:
    """Piece by piece and place by place, by the amounts there; what follows nothing is shared."""
    rows = costs(books_of(case)) + [
        row for row in books_of(case).entries if row["layer"] == "recognised" and row["lot"][:6] == "meter:"
    ]
    moves = total(((row["lot"], row["piece_s"], placed(case, row)), row["amount"]) for row in rows)
    ends = dict(pieces_of(case.month))
    for one in case.lots:
        if not one.follows:
            continue
        start, end = case.at(one.start), case.at(one.end)
        followed = {
            (lot, piece, place): amount
            for (lot, piece, place), amount in moves.items()
            if any(fnmatchcase(lot, pattern) for pattern in one.follows)
            and piece < end
            and ends[piece] > start
        }
        if any(amount < 0 for amount in followed.values()) and any(
            amount > 0 for amount in followed.values()
        ):
            continue
        basis = total(((piece, place), abs(amount)) for (_, piece, place), amount in followed.items())
        got = {key[1:]: amount for key, amount in moves.items() if key[0] == one.lot}
        whole = sum(got.values())
        if not basis:
            assert {place for _, place in got} <= {("shared", "")}
            continue
        for key in basis.keys() | got.keys():
            wanted = Fraction(whole * basis.get(key, 0), sum(basis.values()))
            assert abs(got.get(key, 0) - wanted) <= LOOSE, (one, key)


@of_the_same_months
@several
@given(cases())
def test_clearing_is_empty_in_every_pool_and_piece_with_lots_too(case: Case) -> None:
    moved: Counter[Any] = Counter()
    for row in books_of(case).entries:
        moved[row["pool"], row["piece_s"]] += row["amount"] * (row["to_account"] == "clearing")
        moved[row["pool"], row["piece_s"]] -= row["amount"] * (row["from_account"] == "clearing")
    assert not any(moved.values())


@of_the_same_months
@several
@given(cases())
def test_time_without_a_price_or_a_lot_that_covers_it_is_unpriced(case: Case) -> None:
    """Invariant 9: it is told in hours, and a price or a lot of nothing is a price."""
    unpriced = 0
    for stretch in stretches_in(case.month):
        if stretch.meter is None:
            covers = [one for one in case.lots if one.covers and is_paid(one, stretch)]
            unpriced += _uncovered(case, covers, stretch) * stretch.size
    made = statement_of(case.month, books_of(case).result, By.owner)
    assert made.figures.unpriced == unpriced


def _uncovered(case: Case, covers: list[Said], stretch: Stretch) -> int:
    edges = {stretch.from_s, stretch.to_s}
    edges |= {at for one in covers for at in (case.at(one.start), case.at(one.end))}
    inner = sorted(at for at in edges if stretch.from_s <= at <= stretch.to_s)
    return sum(
        high - low
        for low, high in pairwise(inner)
        if not any(case.at(one.start) <= low and high <= case.at(one.end) for one in covers)
    )


def by_lot(books: Books) -> dict[Any, int]:
    rows = (row for row in books.entries if row["layer"] in ("recognised", "billed"))
    return total(((row["layer"], row["lot"], row["piece_s"]), row["amount"]) for row in rows)


@of_the_same_months
@few
@given(cases())
def test_by_pool_or_as_recognised_each_lot_and_meter_comes_to_the_same(case: Case) -> None:
    other = "pooled" if case.month.charged == "recognised" else "recognised"
    with home(case, other) as house:
        put(house, case)
        there = made(house, case.month)
    assert by_lot(there) == by_lot(books_of(case))


@of_the_same_months
@few
@given(cases())
def test_policies_of_sharing_and_distributing_change_no_lots_total(case: Case) -> None:
    """Invariant 5."""
    random = random_of(case.month)
    with home(case) as house:
        put(house, case)
        for policy, choices in CHOICES.items():
            house.policy(policy, random.choice(choices))
        house.keep()
        there = made(house, case.month)
    assert by_lot(there) == by_lot(books_of(case))
    charged = [sum(made.result.cents.values()) for made in (there, books_of(case))]
    assert charged[0] == charged[1]
    for row in there.entries:
        if row["layer"] == "distributed":
            assert (row["from_account"], row["from_owner"]) == (row["to_account"], "__account__")


@of_the_same_months
@few
@given(cases())
def test_cuts_of_lots_prices_and_facts_and_their_order_change_no_integer(case: Case) -> None:
    random = random_of(case.month)
    cut: list[Said] = []
    for one in case.lots:
        if one.kind == "fee" and one.end - one.start > 1:
            middle = random.randint(one.start + 1, one.end - 1)
            cut += [one._replace(end=middle), one._replace(start=middle)]
        else:
            cut.append(one)
    random.shuffle(cut)
    with home(case) as house:
        again = case._replace(month=case.month._replace(fleet=recut(case.fleet, random)))
        put(house, again, tuple(cut))
        there = made(house, case.month)
    assert there.rows == books_of(case).rows


@of_the_same_months
@fewest
@given(cases())
def test_shards_change_no_lots_total(case: Case) -> None:
    with home(case, shards=2) as house:
        put(house, case)
        there = made(house, case.month)
    assert by_lot(there) == by_lot(books_of(case))
    assert there.result.exact == books_of(case).result.exact
    assert there.result.cents == books_of(case).result.cents


def test_several_workers_make_the_same_books_of_lots() -> None:
    case = next(one for one in _examples() if one.month.charged == "recognised" and len(one.lots) > 1)
    found = []
    for workers in (1, 2):
        with home(case, shards=2) as house:
            put(house, case)
            found.append(made(house, case.month, workers))
    assert found[0].rows == found[1].rows


def _examples() -> list[Case]:
    """Some cases, always the same."""
    found: list[Case] = []

    @seed(20261101)
    @settings(max_examples=30, database=None, phases=[Phase.generate])
    @given(cases())
    def keep(case: Case) -> None:
        found.append(case)

    keep()
    return found
