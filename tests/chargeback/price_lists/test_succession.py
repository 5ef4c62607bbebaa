"""Lists that follow one another: a price holds until the next one of its thing, whichever list came first."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from chargeback.price_lists.succession import Succession, succeed
from chargeback.terms.prices import price_identity
from chargeback.terms.validity import Term
from gpuledger.errors import Place
from gpuledger.versions import PriceFact

Known = dict[str, PriceFact]


def price(
    start: int, rate: str = "1", model: str = "H100", end: int | None = None, origin: str = "import"
) -> PriceFact:
    fact = PriceFact("", start, end, "model", model, "", "", rate, "USD", "list", origin)
    return replace(fact, identity=price_identity(fact.claim, start))


def brought(known: Known, *facts: PriceFact) -> Succession:
    """What a list makes of the prices in force, which it changes."""
    found = succeed({fact.identity: Term(Place("list", row=1), fact) for fact in facts}, list(known.values()))
    known.update({fact.identity: fact for fact in found.facts})
    return found


def held(known: Known) -> list[tuple[int, int | None, str]]:
    found = ((fact.start_s, fact.end_s, fact.rate) for fact in known.values())
    return sorted(found, key=lambda one: (one[0], one[2]))


def test_rows_of_one_thing_hold_until_the_next_and_the_last_is_open() -> None:
    known: Known = {}
    brought(known, price(30, "3"), price(10, "1"), price(20, "2"), price(15, "9", model="A100"))
    assert held(known) == [(10, 20, "1"), (15, None, "9"), (20, 30, "2"), (30, None, "3")]


def test_a_newer_list_ends_the_older_price_where_it_begins() -> None:
    known: Known = {}
    brought(known, price(10, "1"))
    done = brought(known, price(20, "2"))
    assert held(known) == [(10, 20, "1"), (20, None, "2")]
    assert (done.new, done.changed, done.unchanged, done.ended) == (1, 0, 0, 1)


def test_an_older_list_fills_the_time_before_a_newer_one() -> None:
    known: Known = {}
    brought(known, price(20, "2"))
    done = brought(known, price(10, "1"))
    assert held(known) == [(10, 20, "1"), (20, None, "2")]
    assert (done.new, done.ended) == (1, 0)


def test_a_list_that_comes_twice_changes_nothing() -> None:
    known: Known = {}
    older, newer = price(10, "1"), price(20, "2")
    brought(known, older)
    brought(known, newer)
    for again in (older, newer):
        done = brought(known, replace(again, source="renamed"))
        assert (done.facts, done.unchanged) == ([], 1)


def test_equal_prices_stay_two_so_that_a_list_between_them_does_not_outlast_the_later() -> None:
    known: Known = {}
    brought(known, price(10, "1"))
    brought(known, price(30, "1"))
    brought(known, price(20, "2"))
    assert held(known) == [(10, 20, "1"), (20, 30, "2"), (30, None, "1")]


def test_a_corrected_list_changes_the_price_and_keeps_its_end() -> None:
    known: Known = {}
    brought(known, price(10, "1"), price(20, "2"))
    done = brought(known, price(10, "1.5"))
    assert held(known) == [(10, 20, "1.5"), (20, None, "2")]
    assert (done.new, done.changed) == (0, 1)


def test_a_price_with_an_end_of_its_own_is_not_opened_again() -> None:
    ended = price(10, "1", end=15)
    known: Known = {ended.identity: ended}
    assert brought(known, price(10, "1")).facts == []
    brought(known, price(20, "2"))
    assert held(known) == [(10, 15, "1"), (20, None, "2")]


def test_a_price_of_terms_stays_and_the_row_says_nothing() -> None:
    agreed = price(10, "1", end=30, origin="terms")
    known: Known = {agreed.identity: agreed}
    done = brought(known, price(20, "2"), price(30, "3"))
    assert held(known) == [(10, 30, "1"), (30, None, "3")]
    assert [term.fact.start_s for term in done.kept] == [20]


def test_other_things_are_left_alone() -> None:
    known: Known = {}
    brought(known, price(10, "1"), price(10, "2", model="A100"))
    brought(known, price(20, "3"))
    assert (10, None, "2") in held(known)


@given(
    st.lists(
        st.tuples(st.integers(0, 8), st.sampled_from("123")),
        min_size=1,
        max_size=5,
        unique_by=lambda one: one[0],
    )
)
def test_the_order_in_which_lists_come_makes_no_difference(lists: list[tuple[int, str]]) -> None:
    outcomes = []
    for order in permutations(lists):
        known: Known = {}
        for start, rate in order:
            brought(known, price(start, rate))
        outcomes.append(held(known))
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert all(one[1] == other[0] for one, other in pairwise(outcomes[0]))
    assert outcomes[0][-1][1] is None
