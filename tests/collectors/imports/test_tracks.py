"""Facts of which one holds at a time: exports of one truth, in any parts and order, come to that truth."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from collectors.imports.facts import StateFact
from collectors.imports.tracks import settle_tracks

CLUSTER = "c1"


def state(start_s: int, end_s: int | None, word: str = "failed", node: str = "n1") -> StateFact:
    identity = f"{CLUSTER}/{node}/*/{start_s}"
    return StateFact(identity, "source", False, start_s, end_s, CLUSTER, node, None, word, None)


def keyed(facts: Iterable[StateFact]) -> dict[str, StateFact]:
    return {fact.identity: fact for fact in facts}


def told(
    known: dict[str, StateFact], facts: Iterable[StateFact], latest_s: int | None = None
) -> dict[str, StateFact]:
    """What is known after a delivery."""
    delivered = keyed(facts)
    latest = max((fact.end_s or fact.start_s for fact in delivered.values()), default=0)
    changes = settle_tracks(delivered, known.values(), {CLUSTER: latest if latest_s is None else latest_s})
    now = dict(known)
    for version in changes.versions:
        assert isinstance(version, StateFact)
        if version.withdrawn:
            del now[version.identity]
        else:
            now[version.identity] = version
    return now


def spans(facts: dict[str, StateFact]) -> list[tuple[int, int | None, str]]:
    return sorted((fact.start_s, fact.end_s, fact.state) for fact in facts.values())


# The truth of one place: from each start on a state, until the next.
truths = st.dictionaries(st.integers(0, 30), st.sampled_from(["failed", "drained", "available"]), min_size=1)


@given(truths, st.data())
def test_a_log_of_changes_in_any_parts_and_order_is_the_truth(
    truth: dict[int, str], data: st.DataObject
) -> None:
    lines = [state(at, None, word) for at, word in truth.items()]
    known: dict[str, StateFact] = {}
    rest = data.draw(st.permutations(lines))
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        known = told(known, rest[:size])
        rest = rest[size:]
        if data.draw(st.booleans()):
            known = told(known, data.draw(st.lists(st.sampled_from(lines))) if not rest else [])
    starts = sorted(truth)
    ends = [*starts[1:], None]
    assert spans(known) == [(at, end, truth[at]) for at, end in zip(starts, ends, strict=True)]


@given(truths, st.lists(st.integers(0, 40), min_size=1, max_size=4))
def test_exports_of_one_truth_at_any_instants_come_to_what_the_latest_knows(
    truth: dict[int, str], instants: list[int]
) -> None:
    starts = sorted(truth)
    ends = dict(zip(starts, [*starts[1:], None], strict=True))

    def exported(at_s: int) -> list[StateFact]:
        begun = [start for start in starts if start <= at_s]
        return [
            state(start, end if (end := ends[start]) is not None and end <= at_s else None, truth[start])
            for start in begun
        ]

    known: dict[str, StateFact] = {}
    for at_s in instants:
        known = told(known, exported(at_s), at_s)
    assert spans(known) == spans(keyed(exported(max(instants))))


@given(truths, truths)
def test_one_state_at_a_time_whatever_comes(one: dict[int, str], other: dict[int, str]) -> None:
    known: dict[str, StateFact] = {}
    for truth in (one, other, one):
        known = told(known, [state(at, at + 7, word) for at, word in truth.items() if not (at % 8)])
        facts = spans(known)
        assert all(end is not None and end <= after for (_, end, _), (after, _, _) in pairwise(facts))


def test_what_reaches_into_a_delivered_one_ends_there_and_what_began_inside_it_goes() -> None:
    known = keyed([state(0, 20, "maintenance"), state(30, 40, "drained"), state(50, None, "drained")])
    now = told(known, [state(10, 15), state(25, 45)])
    assert spans(now) == [
        (0, 10, "maintenance"),
        (10, 15, "failed"),
        (25, 45, "failed"),
        (50, None, "drained"),
    ]


def test_a_fact_with_nothing_new_but_its_start_takes_the_place_of_the_known_one() -> None:
    assert spans(told(keyed([state(0, 20)]), [state(3, 20)])) == [(3, 20, "failed")]
    assert spans(told(keyed([state(3, 20)]), [state(0, 20)])) == [(0, 20, "failed")]


def test_what_has_no_length_ends_nothing() -> None:
    assert spans(told(keyed([state(0, None)]), [state(5, 5, "drained")])) == [
        (0, None, "failed"),
        (5, 5, "drained"),
    ]


def test_other_places_are_left_alone() -> None:
    known = keyed([state(0, 20, node="n2"), state(0, 20)])
    assert spans(told(known, [state(5, 10, "drained")])) == [
        (0, 5, "failed"),
        (0, 20, "failed"),
        (5, 10, "drained"),
    ]
