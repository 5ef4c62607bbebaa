"""What must hold of the books of any fleet, against a truth that is worked out by brute force."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import pytest
from fleets import Fleet
from hypothesis import given
from moments import Meter, Part, Stretch
from months import Month, books_of, months, of_the_same_months, several, statement_of, total
from oracle import Share, orphaned_ticks, shares_of, stretches_of

from chargeback.ledger import Result
from chargeback.meters import record_name
from chargeback.statement import By, Statement
from chargeback.units import EntryDay, TimeDay
from gpuledger.money import half_up

pytestmark = pytest.mark.books

Key = tuple[str, ...]

CENT = 10**7


@of_the_same_months
@several
@given(months())
def test_a_meter_recognises_what_its_rate_says_in_every_pool_and_piece(month: Month) -> None:
    lots = lots_of(month.fleet)
    books = books_of(month)
    entries = [row for row in books.entries if row["layer"] == "recognised"]
    priced = [one for one in truth_of(month) if one.meter]
    assert total(((row["lot"], row["pool"], row["piece_s"]), row["amount"]) for row in entries) == total(
        ((lots[one.meter], f"{one.model}/{one.region}", one.piece_s), one.amount) for one in priced
    )
    exact = ((rounding_pool(one, month.charged, lots), one.exact) for one in priced)
    assert total(books.result.exact.items()) == total(exact)


@of_the_same_months
@several
@given(months())
def test_clearing_is_empty_in_every_pool_and_piece(month: Month) -> None:
    entries = books_of(month).entries
    ways = {(row["layer"], row["from_account"], row["to_account"] == "clearing") for row in entries}
    if month.charged == "recognised":
        assert ways <= {("recognised", "accrued", False)}
        return
    assert ways <= {("recognised", "accrued", True), ("pooled", "clearing", False)}
    signs = {"recognised": 1, "pooled": -1}
    moved = (((row["pool"], row["piece_s"]), signs[row["layer"]] * row["amount"]) for row in entries)
    assert total(moved) == {}


@of_the_same_months
@several
@given(months())
def test_a_line_is_within_a_cent_per_rounding_pool_of_its_exact_share(month: Month) -> None:
    result = books_of(month).result
    shares = list(shares_of(truth_of(month), month.charged))
    for by in (By.owner, By.team):
        made = statement_of(month, result, by)
        assert made.total == sum(half_up(exact / CENT) for exact in result.exact.values())
        assert made.total == sum(line.minor or 0 for line in made.lines)
        check_lines(made, shares, month.charged, lots_of(month.fleet))


@of_the_same_months
@several
@given(months())
def test_a_slots_time_is_in_accounts_exactly_once(month: Month) -> None:
    times = books_of(month).times
    truth = truth_of(month)
    slots = ((row["slot"], row["ticks"]) for row in times if not row["is_assumed"])
    assert total(slots) == total((f"{one.cluster}/{one.slot}", one.ticks) for one in truth if not one.assumed)
    assumed = [row for row in times if row["is_assumed"]]
    assert total(((row["cluster"], row["model"], row["region"]), row["ticks"]) for row in assumed) == total(
        ((one.cluster, one.model, one.region), one.ticks) for one in truth if one.assumed
    )
    held = [row for row in times if row["account"] in ("used", "idle_held", "held_unobserved")]
    assert held == [row for row in times if row["run"]]
    assert all(row["ticks"] > 0 for row in times)


@of_the_same_months
@several
@given(months())
def test_owners_hold_the_time_that_was_theirs(month: Month) -> None:
    result = books_of(month).result
    truth = truth_of(month)
    check_time(result, truth)
    figures = statement_of(month, result, By.owner).figures
    assert figures.orphaned == orphaned_ticks(month.fleet, month.start_s, month.end_s)
    assert figures.unpriced == sum(one.ticks for one in truth if not one.meter)
    contested = [part for one in truth for taker, part in one.parts.items() if taker.owner == "__conflict__"]
    assert figures.contested == sum(part.ticks for part in contested)


@of_the_same_months
@several
@given(months())
def test_owners_pay_for_the_time_that_was_theirs(month: Month) -> None:
    exact: dict[Key, Fraction] = defaultdict(Fraction)
    loose: dict[Key, Fraction] = defaultdict(Fraction)
    for share in shares_of(truth_of(month), month.charged):
        key: Key = (*share.taker[1:], share.stretch.cluster, share.stretch.model)
        exact[key] += share.exact
        loose[key] += share.loose
    charged = [row for row in books_of(month).result.entries if row.account != "clearing"]
    assert {row.layer for row in charged} <= {month.charged}
    found = total(((*time_key(row), row.model), row.amount) for row in charged)
    for each in exact.keys() | found.keys():
        assert abs(found.get(each, 0) - exact[each]) <= loose[each], each


def lots_of(fleet: Fleet) -> dict[Meter | None, str]:
    """The lot that each meter of the price list drives."""
    named = {fact: record_name(fact).rpartition("@")[0] for fact in fleet.prices}
    return {
        Meter(fact.selector_kind, fact.selector, fact.region, fact.purchase_option): lot
        for fact, lot in named.items()
    }


@lru_cache(maxsize=16)
def truth_of(month: Month) -> list[Stretch]:
    """Every slot of the month, with who has what of it."""
    return stretches_of(month.fleet, month.start_s, month.end_s)


def rounding_pool(one: Stretch, charged: str, lots: dict[Meter | None, str]) -> str:
    return one.model if charged == "pooled" else lots[one.meter]


def time_key(row: TimeDay | EntryDay) -> Key:
    return row.owner, row.team, row.cost_centre, row.account, row.state, row.cluster


def check_lines(
    made: Statement, shares: Iterable[Share], charged: str, lots: dict[Meter | None, str]
) -> None:
    """Cents go to teams with cost centres, then to owners: a line sums such amounts, each within a cent."""
    exact: dict[str, Fraction] = defaultdict(Fraction)
    loose: dict[str, Fraction] = defaultdict(Fraction)
    cells: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for share in shares:
        taker = share.taker
        key = f"__{taker.account}__" if taker.owner == "__account__" else getattr(taker, made.by.value)
        exact[key] += share.exact
        loose[key] += share.loose
        cells[key].add((rounding_pool(share.stretch, charged, lots), taker.team, taker.cost_centre))
    assert {key for key, amount in exact.items() if amount} <= {line.key for line in made.lines}
    for line in made.lines:
        if line.minor is None:
            assert not exact[line.key]
        else:
            apart = abs(line.minor * CENT - exact[line.key])
            assert apart <= len(cells[line.key]) * CENT + loose[line.key], line


def check_time(result: Result, truth: Iterable[Stretch]) -> None:
    """Time by owner is exact, but for the odd ticks where runs on one slot want more than there is of it."""
    by_cluster: dict[Any, Part] = defaultdict(Part)
    by_model: dict[Any, Part] = defaultdict(Part)
    for one in truth:
        for taker, part in one.parts.items():
            by_cluster[*taker[1:], one.cluster].add(part)
            by_model[*taker[1:], one.cluster, one.model, one.assumed].add(part)
    found_by_model = total(
        ((*time_key(row), row.model, bool(row.is_assumed)), row.ticks) for row in result.times
    )
    found_by_cluster = total((key[:6], ticks) for key, ticks in found_by_model.items())
    for key in by_cluster.keys() | found_by_cluster.keys():
        part = by_cluster[key]
        assert abs(found_by_cluster.get(key, 0) - part.ticks) <= part.among_runs, key
    for key in by_model.keys() | found_by_model.keys():
        part = by_model[key]
        assert abs(found_by_model.get(key, 0) - part.ticks) <= part.among_runs + part.among_slots, key
