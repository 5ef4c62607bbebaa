"""What must hold of commitments in the books of any fleet: each window adds up, whatever uses it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from math import trunc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from deliveries import dealt, deliver, recut
from fleets import HOURS_S
from house import House
from hypothesis import event, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from months import Books, Month, few, home_of, make, months, of_the_same_months, random_of, total

from chargeback.commitments.uses import commitment_uses
from chargeback.outline import outline
from chargeback.period_terms import terms_of
from chargeback.repricing import reprice
from chargeback.runs import compute_books
from chargeback.terms.in_force import Seqs, terms_in_force

pytestmark = pytest.mark.books

USD = 10**9
KINDS = {
    "reserved_nodes": ("1", "2", "1.5"),
    "aws_regional_reserved_instance": ("1", "3"),
    "gcp_resource_cud": ("1", "4", "0.25"),
    "holding": ("2",),
    "aws_capacity_block": ("1",),
    "aws_compute_savings_plan": ("1", "12.5", "0.001"),
}
COVERED = (
    {"model": ("H100",)},
    {"model": ("*",)},
    {"node": ("n0",), "model": ("*",)},
    {"region": ("r1",)},
    {"cluster": ("c0",)},
)


class Committed(NamedTuple):
    """A commitment; its time is in seconds from the month's end."""

    name: str
    kind: str
    committed: str
    each_hour: str
    start: int
    end: int
    covers: tuple[dict[str, Any], ...]


class Case(NamedTuple):
    month: Month
    commitments: tuple[Committed, ...]


@st.composite
def _committed(draw: DrawFn, number: int) -> Committed:
    kind = draw(st.sampled_from(sorted(KINDS)))
    start, end = draw(_TIMES)
    slots = draw(st.lists(st.sampled_from(COVERED), min_size=1, max_size=2, unique_by=str))
    spend = kind == "aws_compute_savings_plan"
    covers = tuple(
        {"slots": one, **({"discount": draw(st.sampled_from(("0.3", "0.5")))} if spend else {})}
        for one in slots
    )
    each = "0" if spend else draw(st.sampled_from(("1.25", "0.3333333333", "0.000000001")))
    return Committed(f"k{number}", kind, draw(st.sampled_from(KINDS[kind])), each, start, end, covers)


_TIMES = st.lists(st.integers(-HOURS_S, HOURS_S), min_size=2, max_size=2, unique=True).map(sorted)


@st.composite
def cases(draw: DrawFn) -> Case:
    found = tuple(draw(_committed(number)) for number in range(draw(st.integers(1, 3))))
    return Case(draw(months()), found)


def put(house: House, case: Case) -> None:
    edge = case.month.fleet.month_end.at_s
    for one in case.commitments:
        house.commitment(
            *(one.name, one.kind, edge + one.start, edge + one.end, one.committed, one.covers),
            each_hour=one.each_hour,
            tail_s=0,
        )


@contextmanager
def home(case: Case, charged: str = "") -> Iterator[House]:
    with home_of(case.month._replace(charged=charged or case.month.charged)) as house:
        put(house, case)
        yield house


def by_lot(books: Books) -> dict[Any, int]:
    return total(
        ((row["lot"], row["to_account"] in ("commitment_unused", "unusable")), row["amount"])
        for row in books.entries
        if row["layer"] == "recognised"
    )


@of_the_same_months
@few
@given(cases())
def test_each_window_adds_up_and_the_layer_that_is_charged_changes_no_total(case: Case) -> None:
    """Invariants 1 and 4: used and lost are all that is recognised, and no more is used than is committed."""
    found = []
    for charged in ("pooled", "recognised"):
        with home(case, charged) as house:
            deliver(house, case.month.fleet)
            books = make(house, case.month)
            found.append(by_lot(books))
            seq = house.desk.database.latest_seq()
            known = outline(house.desk, seq, case.month.start_s, case.month.end_s)
            with house.desk.database.read() as connection:
                agreed = terms_in_force(connection, Seqs.at(seq))
            terms = terms_of(house.desk, case.month.name, seq, known, agreed)
            uses = commitment_uses(house.desk, books.result, terms)
            throughs = terms.lot_throughs
        sums = total((lot, amount) for (lot, _), amount in found[-1].items())
        for use in uses:
            lot = use.commitment.lot
            until = max(case.month.start_s, throughs[lot.name])
            assert all(0 <= hour.used <= hour.committed for hour in use.hours)
            assert 0 <= use.covered <= use.eligible
            assert sum(use.teams.values(), Fraction(0)) == use.covered
            reached, before = (trunc(lot.recognised_to(at)) for at in (until, case.month.start_s))
            assert sums.get(lot.name, 0) == reached - before
            lost = use.sum("lost")
            assert abs(found[-1].get((lot.name, True), 0) - lost) <= 2 * len(use.hours)
    assert found[0] == found[1]


@of_the_same_months
@few
@given(cases())
def test_cuts_and_order_change_no_entry(case: Case) -> None:
    random, rows = random_of(case.month), []
    for fleets in ([case.month.fleet], dealt(recut(case.month.fleet, random), 3, random)):
        with home(case) as house:
            for fleet in fleets:
                deliver(house, fleet)
            rows.append(make(house, case.month).rows)
    assert rows[0] == rows[1]


@of_the_same_months
@few
@given(cases())
def test_repricing_with_them_comes_to_what_a_run_comes_to(case: Case) -> None:
    """Books with all of them, and then with one fewer, where nothing has to be cut anew."""
    with home(case) as house, TemporaryDirectory() as folder:
        deliver(house, case.month.fleet)
        stood, seq = house.books(case.month.name), house.desk.database.latest_seq()
        known = outline(house.desk, seq, case.month.start_s, case.month.end_s)
        with house.desk.database.read() as connection:
            agreed = terms_in_force(connection, Seqs.at(seq))
        fewer = replace(agreed, commitments=agreed.commitments[1:])
        before, after = (terms_of(house.desk, case.month.name, seq, known, one) for one in (agreed, fewer))
        found = reprice(house.desk, stood, before, after)
        event("measured anew" if found is None else "re-priced")
        if found is None:
            return
        run = compute_books(house.desk, after, known, run_id="run", books=Path(folder))
    assert (found.exact, found.cents, found.pools) == (run.exact, run.cents, run.pools)
