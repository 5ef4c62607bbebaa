"""Intervals: the algebra agrees with sets of seconds, and cuts tile."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuledger.errors import InvariantError
from gpuledger.intervals import Interval, cut, intersect, merge, subtract, total_seconds

intervals = st.builds(
    lambda start, length: Interval(start, start + length), st.integers(0, 30), st.integers(0, 9)
)
several = st.lists(intervals, max_size=6)


def seconds(of: Iterable[Interval]) -> set[int]:
    return {second for interval in of for second in range(interval.start_s, interval.end_s)}


def assert_in_order_and_apart(found: list[Interval]) -> None:
    assert all(interval.seconds for interval in found)
    assert all(before.end_s < after.start_s for before, after in pairwise(found))


@given(several, several)
def test_the_algebra_agrees_with_sets_of_seconds(a: list[Interval], b: list[Interval]) -> None:
    for found, expected in (
        (merge(a), seconds(a)),
        (intersect(a, b), seconds(a) & seconds(b)),
        (subtract(a, b), seconds(a) - seconds(b)),
    ):
        assert seconds(found) == expected
        assert total_seconds(found) == len(expected)
        assert_in_order_and_apart(found)


@given(several, several)
def test_what_is_shared_and_what_is_left_make_the_whole(a: list[Interval], b: list[Interval]) -> None:
    assert merge(intersect(a, b) + subtract(a, b)) == merge(a)


@given(intervals, st.lists(st.integers(-5, 50), max_size=8))
def test_the_pieces_of_a_cut_tile_the_interval(interval: Interval, edges: list[int]) -> None:
    pieces = cut(interval, edges)
    assert merge(pieces) == merge([interval])
    assert all(before.end_s == after.start_s for before, after in pairwise(pieces))
    assert not any(piece.start_s < edge < piece.end_s for piece in pieces for edge in edges)
    assert pieces == cut(interval, reversed(edges))


@given(intervals, intervals)
def test_overlap_and_clip_agree_with_shared_seconds(a: Interval, b: Interval) -> None:
    shared = seconds([a]) & seconds([b])
    clipped = a.clip(b)
    assert a.overlaps(b) == b.overlaps(a) == bool(shared)
    assert seconds([clipped] if clipped else []) == shared
    assert clipped == b.clip(a)


def test_touching_intervals_share_nothing_and_merge_into_one() -> None:
    before, after = Interval(0, 10), Interval(10, 20)
    assert not before.overlaps(after)
    assert before.clip(after) is None
    assert merge([after, before]) == [Interval(0, 20)]


def test_an_interval_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(InvariantError, match="before it starts"):
        Interval(1, 0)
