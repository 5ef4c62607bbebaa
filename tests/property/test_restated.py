"""What must hold of closed months of any fleet, whatever becomes known of them and is restated when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

import pytest
from histories import History, histories, of_the_same_histories, outcome_of
from hypothesis import given, settings
from hypothesis import strategies as st
from months import Row, total

from chargeback.bridge import RestatedCell, restated_cells, restated_lines
from chargeback.causes import CAUSES
from chargeback.differences import Step
from chargeback.ledger import Result
from chargeback.statement import By, Statement, key_of, state_statement
from chargeback.units import EntryDay, TimeDay
from gpuledger.money import currency, half_up

pytestmark = pytest.mark.books

USD = currency("USD")
CENT = USD.quanta_per_minor

seldom = settings(max_examples=max(2, settings().max_examples // 200))
"""An example has some twenty computations of books."""


@of_the_same_histories
@seldom
@given(histories())
def test_closed_and_restated_are_a_fresh_computation_to_the_quantum(history: History) -> None:
    for month in outcome_of(history).months:
        steps = [step for _, steps in month.restatements for step in steps]
        for figures, one in ((1, "entries"), (3, "times")):
            found = [*getattr(month.closed, one), *(row for step in steps for row in getattr(step, one))]
            assert sums(found, figures) == sums(getattr(month.fresh, one), figures)
        closed, restated, fresh = (total(map(entry, rows)) for rows in month.entries)
        assert total([*closed.items(), *restated.items()]) == fresh
        exact = sum(month.fresh.exact.values()) - sum(month.closed.exact.values())
        assert sum(one.exact for one, _ in month.restatements) == exact
        assert total((row["cause"], row["amount"]) for row in month.entries[1]) == total(
            (step.cause, row.amount)
            for step in steps
            for row in step.entries
            if (row.layer, row.owner) != ("distributed", "__account__")
        )


@of_the_same_histories
@seldom
@given(histories())
def test_every_line_of_every_view_is_what_it_was_and_what_each_cause_changed(history: History) -> None:
    for month in outcome_of(history).months:
        totals = set()
        for by in By:
            before, after, bridges = month.before[by], month.after[by], month.bridges[by]
            changed: dict[str, int] = defaultdict(int)
            for bridge in bridges:
                assert [line.before or 0 for line in bridge.lines] == [
                    (minor(before).get(line.key, 0) + changed[line.key]) for line in bridge.lines
                ]
                for line in bridge.lines:
                    changed[line.key] += sum(line.causes.values())
                    assert line.after + line.rounding == (line.fresh or 0)
            assert total([*minor(before).items(), *changed.items()]) == total(minor(after).items())
            assert {line.key: line.ticks for line in after.lines if line.ticks} == ticks(month.fresh, by)
            assert no_amount(after) <= no_amount(state_statement(after.book, month.fresh, by))
            assert after.total == sum(minor(after).values()) == before.total + sum(changed.values())
            totals.add(after.total)
        assert len(totals) == 1


@of_the_same_histories
@seldom
@given(histories())
def test_whoever_differs_gets_the_floor_or_the_ceiling_of_it_in_cents(history: History) -> None:
    for month in outcome_of(history).months:
        for one, steps in month.restatements:
            cells = restated_cells(steps, one.exact, USD)
            assert sum(cell.minor for cell in cells) == half_up(one.exact / CENT)
            check_cents(cells)


@of_the_same_histories
@seldom
@given(histories())
def test_another_order_comes_to_the_same_and_what_was_closed_prints_the_same(history: History) -> None:
    for month in outcome_of(history).months:
        for by in By:
            one, other = month.after[by], month.after_in_another_order[by]
            assert (one.lines, one.total, one.figures) == (other.lines, other.total, other.figures)
        assert month.printed[0] == month.printed[1]


@of_the_same_histories
@seldom
@given(histories())
def test_months_charge_all_of_what_they_are_known_as_exactly_once(history: History) -> None:
    outcome = outcome_of(history)
    assert outcome.charged == outcome.restated
    assert len(set(outcome.charged.values())) == 1


@of_the_same_histories
@seldom
@given(histories())
def test_a_restatement_clears_every_pool_and_piece_and_passes_every_check(history: History) -> None:
    outcome = outcome_of(history)
    assert outcome.failed == ()
    for month in outcome.months:
        assert total(map(left_in_clearing, month.entries[1])) == {}


AMOUNTS = st.integers(-3 * CENT, 3 * CENT) | st.sampled_from((CENT // 2, -CENT // 2, CENT, -CENT))
CHANGES = st.builds(
    EntryDay,
    day=st.sampled_from(("2026-10-01", "2026-10-02")),
    layer=st.just("pooled"),
    lot=st.just("meter"),
    account=st.sampled_from(("used", "idle_held")),
    state=st.just(""),
    owner=st.sampled_from(("u1", "u2", "u3")),
    team=st.sampled_from(("t1", "t2", "t3")),
    cost_centre=st.sampled_from(("", "cc")),
    model=st.sampled_from(("A100", "H100")),
    cluster=st.just("c0"),
    amount=AMOUNTS,
)
STEPS = st.builds(Step, st.sampled_from(CAUSES), st.lists(CHANGES, max_size=9).map(tuple), st.just(()))


@given(st.lists(STEPS, max_size=4, unique_by=lambda step: step.cause), st.fractions(-CENT // 9, CENT // 9))
def test_cents_of_any_differences_go_level_by_level_and_add_up(steps: list[Step], floors: Fraction) -> None:
    """`floors` is by how much meters round what they post."""
    booked = sum(row.amount for step in steps for row in step.entries)
    exact = booked + floors if booked else Fraction(0)
    cells = restated_cells(steps, exact, USD)
    assert sum(cell.minor for cell in cells) == half_up(exact / CENT)
    check_cents(cells)
    causes = [replace(step, cause=cause) for step, cause in zip(steps, reversed(CAUSES), strict=False)]
    for by in By:
        one, other = (restated_lines(restated_cells(s, exact, USD), s, by) for s in (steps, causes))
        assert [(line.key, line.minor) for line in one] == [(line.key, line.minor) for line in other]


def check_cents(cells: Iterable[RestatedCell]) -> None:
    """At every level each gets the floor or the ceiling of its difference."""
    for level in range(1, 6):
        for amount, cents in by_level(cells, level):
            assert floor(amount / CENT) <= cents <= ceil(amount / CENT)


def sums(rows: Iterable[EntryDay | TimeDay], figures: int) -> dict[Any, int]:
    """Each figure of daily rows by key and place, without those that are 0."""
    values = [astuple(row) for row in rows]
    return total(((row[:-figures], place), row[-place]) for row in values for place in range(1, figures + 1))


def entry(row: Row) -> tuple[tuple[Any, ...], int]:
    """An entry by all that tells it, and its amount."""
    layer = row.get("of_layer", row["layer"])
    unsaid = ("layer", "of_layer", "amount", "policy", "cause", "service_period", "booking_period")
    return (layer, *(row[name] for name in sorted(row) if name not in unsaid)), row["amount"]


def left_in_clearing(row: Row) -> tuple[tuple[Any, ...], int]:
    moved = (row["to_account"] == "clearing") - (row["from_account"] == "clearing")
    return (row["cause"], row["pool"], row["piece_s"]), moved * row["amount"]


def no_amount(made: Statement) -> set[str]:
    return {line.key for line in made.lines if line.minor is None}


def minor(made: Statement) -> dict[str, int]:
    return {line.key: line.minor or 0 for line in made.lines}


def by_level(cells: Iterable[RestatedCell], level: int) -> Iterator[tuple[Fraction, int]]:
    """Quanta and cents of teams, of owner keys in these, of accounts in those, of places, of causes."""
    found: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for cell in cells:
        place = cell.state, cell.model, cell.cluster
        key = ((cell.team, cell.cost_centre), cell.owner, cell.account, place, cell.cause)[:level]
        found[key][0] += cell.quanta
        found[key][1] += cell.minor
    yield from ((Fraction(amount), cents) for amount, cents in found.values())


def ticks(result: Result, by: By) -> dict[str, int]:
    return total((key_of(by)(row), row.ticks) for row in result.times)
