"""Exports of one truth, taken at any instants and imported in any order, come to the same facts."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from collectors.imports.changes import settle, settle_holdings
from collectors.imports.facts import HoldingFact
from collectors.imports.spans import joined, overlap, replaced, starting

CLUSTER, SOURCE = "c1", "sacct"


def holding(name: str, start_s: int, end_s: int | None, source: str = SOURCE, units: int = 1) -> HoldingFact:
    nothing = dict.fromkeys(HoldingFact._fields)
    return HoldingFact(
        **nothing
        | {
            "identity": f"{CLUSTER}/{name}",
            "source": source,
            "withdrawn": False,
            "start_s": start_s,
            "end_s": end_s,
            "cluster": CLUSTER,
            "units": units,
        }  # type: ignore[arg-type]
    )


def exported(truth: dict[str, tuple[int, int]], at_s: int) -> dict[str, HoldingFact]:
    """What a scheduler knows at an instant: what has begun, with the ends that have come."""
    facts = [
        holding(name, start_s, end_s if end_s <= at_s else None)
        for name, (start_s, end_s) in truth.items()
        if start_s <= at_s
    ]
    return {fact.identity: fact for fact in facts}


def imported(exports: list[tuple[int, dict[str, HoldingFact]]]) -> dict[str, HoldingFact]:
    known: dict[str, HoldingFact] = {}
    reached: dict[tuple[str, str], int] = {}
    for at_s, facts in exports:
        changes = settle_holdings(facts, known, {CLUSTER: at_s}, reached)
        known |= {fact.identity: fact for fact in changes.versions if isinstance(fact, HoldingFact)}
        reached[SOURCE, CLUSTER] = max(at_s, reached.get((SOURCE, CLUSTER), at_s))
    return known


truths = st.dictionaries(
    st.sampled_from("abcd"),
    st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda one: (min(one), max(one))),
    max_size=4,
)


@given(truths, st.lists(st.integers(0, 25), min_size=1, max_size=3))
def test_the_order_in_which_exports_come_does_not_matter(
    truth: dict[str, tuple[int, int]], instants: list[int]
) -> None:
    exports = [(at_s, exported(truth, at_s)) for at_s in instants]
    wanted = exported(truth, max(instants))
    for order in permutations(exports):
        assert imported(list(order)) == wanted
        assert imported([*order, *order]) == wanted


def test_a_correction_of_an_earlier_export_keeps_the_end_that_is_known() -> None:
    known = {"c1/a": holding("a", 0, 50)}
    late = {"c1/a": holding("a", 0, None, units=2)}
    changes = settle_holdings(late, known, {CLUSTER: 20}, {})
    assert changes.versions == [holding("a", 0, 50, units=2)]


def test_settling_withdraws_what_is_not_said_any_more() -> None:
    known = {fact.identity: fact for fact in (holding("a", 0, 5), holding("b", 0, 5))}
    changes = settle({"c1/a": holding("a", 0, 6)}, known)
    assert (changes.new, changes.changed, changes.unchanged, changes.withdrawn) == (0, 1, 0, 1)
    assert changes.versions == [holding("a", 0, 6), holding("b", 0, 5)._replace(withdrawn=True)]


def test_touching_facts_of_equal_attributes_are_one_and_others_stay_apart() -> None:
    track = [
        holding("t/5", 5, 9),
        holding("t/0", 0, 5),
        holding("t/9", 9, 12, units=2),
        holding("t/20", 20, None),
    ]
    assert joined(track) == [holding("t/0", 0, 9), track[2], track[3]]


def test_a_window_cuts_what_reaches_over_its_edges() -> None:
    known = [holding("t/0", 0, None)]
    fresh = [holding("t/10", 10, 20, units=2)]
    assert replaced(known, fresh, 10, 20) == [
        holding("t/0", 0, 10),
        holding("t/10", 10, 20, units=2),
        holding("t/20", 20, None),
    ]
    assert replaced(known, [], 10, 20) == [holding("t/0", 0, 10), holding("t/20", 20, None)]
    assert starting(known[0], 7) == holding("t/7", 7, None)


def test_touching_is_no_overlap() -> None:
    assert not overlap(0, 5, 5, None)
    assert overlap(0, None, 5, 6)
    assert not overlap(5, 5, 0, 10)
