"""What re-pricing finds from the time rows of any fleet's books, against a run by the same terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from fleets import RATES
from hypothesis import event, given
from lot_cases import Case, cases, home, put
from months import few, of_the_same_months, random_of, total

from chargeback.layers import is_charged
from chargeback.ledger import Result
from chargeback.outline import outline
from chargeback.period_terms import terms_of
from chargeback.policies import CHOICES, MONEY_POLICIES
from chargeback.repricing import reprice
from chargeback.runs import compute_books
from chargeback.terms.in_force import Seqs, TermsInForce, terms_in_force
from gpuledger.versions import PolicyFact

pytestmark = pytest.mark.books


@of_the_same_months
@few
@given(cases())
def test_repricing_comes_to_what_a_run_by_these_terms_comes_to(case: Case) -> None:
    random = random_of(case.month)
    with home(case) as house, TemporaryDirectory() as folder:
        put(house, case)
        stood, seq = house.books(case.month.name), house.desk.database.latest_seq()
        known = outline(house.desk, seq, case.month.start_s, case.month.end_s)
        with house.desk.database.read() as connection:
            agreed = terms_in_force(connection, Seqs.at(seq))
        before, after = (
            terms_of(house.desk, case.month.name, seq, known, one) for one in (agreed, other(agreed, random))
        )
        found = reprice(house.desk, stood, before, after)
        event("measured anew" if found is None else "re-priced")
        if found is None:
            return
        run = compute_books(house.desk, after, known, run_id="run", books=Path(folder))
    assert (found.exact, found.cents, found.pools) == (run.exact, run.cents, run.pools)
    assert total(times(found)) == total(times(run))
    loose = 2 + sum(partition.rows for partition in run.partitions)
    got, wanted = total(amounts(found)), total(amounts(run))
    for key in got.keys() | wanted.keys():
        assert abs(got.get(key, 0) - wanted.get(key, 0)) <= loose, key


def other(agreed: TermsInForce, random: Random) -> TermsInForce:
    """Other rates over the same time, some prices and lots fewer, other policies of money."""
    policies = [PolicyFact(name, 0, None, name, random.choice(CHOICES[name])) for name in MONEY_POLICIES]
    return replace(
        agreed,
        prices=tuple(
            replace(fact, rate=random.choice(RATES)) for fact in agreed.prices if random.random() < 0.8
        ),
        lots=tuple(fact for fact in agreed.lots if random.random() < 0.8),
        policies=tuple(policies) if random.random() < 0.5 else agreed.policies,
    )


def amounts(result: Result) -> Iterator[tuple[tuple[str, ...], int]]:
    for row in result.entries:
        if is_charged(row):
            place = (row.model, row.cluster)
            yield (row.lot, row.account, row.state, row.owner, row.team, row.cost_centre, *place), row.amount


def times(result: Result) -> Iterator[tuple[tuple[object, ...], int]]:
    for row in result.times:
        key = (row.account, row.state, row.owner, row.team, row.cost_centre, row.model, row.cluster)
        for name in ("ticks", "unpriced_ticks", "observed_ticks"):
            yield (*key, row.is_assumed, name), getattr(row, name)
