"""A month at other prices from the time rows of its books: what a run would find, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from house import House, at
from lot_books import NewHouse

from chargeback.ledger import Result
from chargeback.outline import outline
from chargeback.period_terms import terms_of
from chargeback.repricing import reprice
from chargeback.runs import compute_books
from chargeback.statement import By, state_statement
from chargeback.terms.in_force import Seqs, TermsInForce, terms_in_force
from gpuledger.calendars import month_bounds
from gpuledger.versions import OwnerFact, PolicyFact

pytestmark = pytest.mark.books

OCTOBER, NOON, NOVEMBER = (at(f"2026-{day}:00Z") for day in ("10-01T00", "10-07T12", "11-01T00"))

Proposing = Callable[[TermsInForce], TermsInForce]


def furnished(house: House, *nodes: tuple[str, int]) -> House:
    """Nodes with some slots each; a holds the first of each, b the second in the first week's end."""
    for node, slots in nodes:
        for index in range(slots):
            house.slot(node, index, OCTOBER, NOVEMBER)
        house.holding(f"a {node}", OCTOBER, NOVEMBER, "a", node=node, slot=f"{node}/0")
        house.holding(f"b {node}", OCTOBER + 1800, NOON + 17, "b", node=node, slot=f"{node}/1")
    house.through(NOVEMBER)
    return house


def both(house: House, propose: Proposing) -> tuple[Result | None, Result | None]:
    """The month by other terms: from the books in force, and then computed."""
    seq = house.keep()
    stood = house.books()
    known = outline(house.desk, seq, *month_bounds("UTC", "2026-10"))
    with house.desk.database.read() as connection:
        agreed = terms_in_force(connection, Seqs.at(seq))
    before, after = (terms_of(house.desk, "2026-10", seq, known, one) for one in (agreed, propose(agreed)))
    found = reprice(house.desk, stood, before, after)
    if found is None:
        return None, None
    folder = house.desk.scratch.parent / "aside"
    return found, compute_books(house.desk, after, known, run_id="aside", books=folder)


def lines(house: House, result: Result | None) -> dict[str, tuple[int | None, int]]:
    assert result is not None
    made = state_statement(house.desk.book, result, By.owner)
    return {line.key: (line.minor, line.ticks) for line in made.lines}


def at_rate(rate: str) -> Proposing:
    return lambda agreed: replace(agreed, prices=tuple(replace(one, rate=rate) for one in agreed.prices))


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_price_per_node_is_shared_by_the_slots_that_its_node_has(new_house: NewHouse, charged: str) -> None:
    house = furnished(new_house(charged=charged), ("n1", 2), ("n2", 3))
    house.price("12", 0, unit="node_hour")
    found, run = both(house, at_rate("18.6"))
    assert lines(house, found) == lines(house, run)
    assert found is not None and sum(found.cents.values()) == 2 * 744 * 1860


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_lots_of_the_terms_and_what_is_distributed_come_out_as_in_a_run(
    new_house: NewHouse, charged: str
) -> None:
    house = furnished(new_house(charged=charged), ("n1", 2), ("n2", 2))
    house.price("2.5", 0)
    house.lot("fee", "fee", "1000.01", OCTOBER, NOVEMBER, slots={"node": ["n2"]})
    house.lot("support", "fee", "77.77", OCTOBER, NOVEMBER)
    policy = PolicyFact("distribute_idle_free", 0, None, "distribute_idle_free", "proportional/1")
    shared = PolicyFact("distribute_shared", 0, None, "distribute_shared", "even/1")
    found, run = both(house, lambda agreed: replace(at_rate("2.1")(agreed), policies=(policy, shared)))
    assert lines(house, found) == lines(house, run)
    assert lines(house, found)["__idle_free__"][0] == 0


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_commitment_that_is_counted_in_nodes_comes_out_as_in_a_run(new_house: NewHouse, charged: str) -> None:
    house = furnished(new_house(charged=charged), ("n1", 2), ("n2", 4))
    house.price("2.5", 0)
    covers = {"slots": {"node": ("n*",)}}
    house.commitment("r", "reserved_nodes", OCTOBER, NOVEMBER, "1", covers, each_hour="3")

    def more(agreed: TermsInForce) -> TermsInForce:
        (one,) = agreed.commitments
        return replace(agreed, commitments=(replace(one, details=one.details.replace('"3"', '"3.5"')),))

    found, run = both(house, more)
    assert lines(house, found) == lines(house, run)
    assert found is not None and found.exact != house.books().exact


def test_hours_without_a_price_are_told(house: House) -> None:
    furnished(house, ("n1", 2)).price("2.5", 0)
    day = OCTOBER + 86_400
    found, run = both(house, lambda agreed: replace(agreed, prices=(replace(agreed.prices[0], end_s=day),)))
    assert found is not None
    assert sum(row.unpriced_ticks for row in found.times) == 2 * (NOVEMBER - day) * 720_720
    assert lines(house, found) == lines(house, run)


def test_price_that_changes_inside_an_hour_needs_a_run(house: House) -> None:
    furnished(house, ("n1", 2)).price("2.5", 0)
    later = at("2026-10-15T12:30Z")
    found, _ = both(house, lambda agreed: replace(agreed, prices=(replace(agreed.prices[0], end_s=later),)))
    assert found is None


def test_other_owner_needs_a_run(house: House) -> None:
    furnished(house, ("n1", 2)).price("2.5", 0)
    owners = (OwnerFact("a", 0, None, "a", "team a"),)
    found, _ = both(house, lambda agreed: replace(at_rate("3")(agreed), owners=owners))
    assert found is None


def test_policy_of_time_needs_a_run_and_one_of_money_does_not(house: House) -> None:
    furnished(house, ("n1", 2)).price("2.5", 0)

    def choosing(policy: str, choice: str) -> Proposing:
        return lambda agreed: replace(agreed, policies=(PolicyFact(policy, 0, None, policy, choice),))

    assert both(house, choosing("time_slicing", "per_replica/1"))[0] is None
    found, run = both(house, choosing("bill_tolerance", "any/1"))
    assert lines(house, found) == lines(house, run)


def test_slot_that_is_of_two_kinds_in_a_month_needs_a_run(house: House) -> None:
    house.slot("n1", 0, OCTOBER, NOON, sku="small")
    house.slot("n1", 0, NOON, NOVEMBER, sku="large")
    house.price("2", 0, model="small", selector_kind="sku")
    house.price("3", 0, model="large", selector_kind="sku")
    house.through(NOVEMBER)
    assert both(house, at_rate("4"))[0] is None
