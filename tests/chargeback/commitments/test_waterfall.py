"""One window of the waterfall: what covers what, in which turn, and what is lost."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from chargeback.commitments.waterfall import Asked, Option, Outcome, Usage, waterfall

HOUR = 3600


def usage(slots: int, *options: Option, start: int = 0, end: int = HOUR) -> Usage:
    return Usage(start, end, slots, options)


def by(name: str, units: int | Fraction = 1, *rank: int | Fraction) -> Option:
    return Option(name, Fraction(units), tuple(map(Fraction, rank)))


def asked(name: str, units: int, *, start: int = 0, end: int = HOUR, **values: bool) -> Asked:
    return Asked(name, ((start, end, Fraction(units)),), **values)


def left(found: Outcome) -> list[Fraction]:
    return list(found.left)


def test_what_is_above_a_commitment_is_left_and_what_is_below_is_lost() -> None:
    found = waterfall([usage(11, by("c"))], [asked("c", 8)])
    assert found.covered == {"c": {0: 8 * HOUR}} and left(found) == [3 * HOUR]
    found = waterfall([usage(4, by("c"))], [asked("c", 8)])
    assert found.used == {"c": {0: 4 * HOUR}} and found.capacity == {"c": 8 * HOUR}
    assert left(found) == [0]


def test_four_instances_of_a_quarter_of_an_hour_use_an_hour_but_not_an_instant() -> None:
    quarters = [usage(4, by("c"), end=900)]
    assert left(waterfall(quarters, [asked("c", 1)])) == [0]
    found = waterfall(quarters, [asked("c", 1, is_instant=True)])
    assert found.covered == {"c": {0: 900}} and left(found) == [2700]


def test_usage_of_one_rank_is_covered_in_equal_parts() -> None:
    found = waterfall([usage(9, by("c")), usage(6, by("c"))], [asked("c", 10)])
    assert found.covered == {"c": {0: 6 * HOUR, 1: 4 * HOUR}}


def test_commitments_are_asked_in_their_turn() -> None:
    usages = [usage(3, by("first"), by("second"))]
    found = waterfall(usages, [asked("first", 2), asked("second", 2)])
    assert found.covered == {"first": {0: 2 * HOUR}, "second": {0: HOUR}}
    assert waterfall(usages, [asked("second", 2), asked("first", 2)]).covered["first"] == {0: HOUR}


def test_money_covers_the_greatest_saving_first() -> None:
    """E15: ten dollars an hour, x at 6.00 for 12.00 and y at 7.00 for 10.00."""
    x = Option("plan", Fraction(6, HOUR), (Fraction(-1, 2), Fraction(6)))
    y = Option("plan", Fraction(7, HOUR), (Fraction(-3, 10), Fraction(7)))
    plan = Asked("plan", ((0, HOUR, Fraction(10, HOUR)),))
    found = waterfall([usage(1, y), usage(1, x)], [plan])
    assert found.used == {"plan": {1: 6, 0: 4}} and found.capacity == {"plan": 10}
    assert left(found) == [Fraction(3, 7) * HOUR, 0]
    assert waterfall([usage(1, x)], [plan]).used == {"plan": {0: 6}}


def test_nodes_that_count_for_less_are_covered_first() -> None:
    small, large = by("c", 1, 1), by("c", 8, 8)
    found = waterfall([usage(1, large), usage(2, small)], [asked("c", 4)])
    assert found.covered == {"c": {1: 2 * HOUR, 0: Fraction(HOUR, 4)}}


def test_what_adds_to_the_price_leaves_its_usage_to_others() -> None:
    found = waterfall([usage(2, by("hold"), by("c"))], [asked("hold", 3, adds=True), asked("c", 1)])
    assert found.used == {"hold": {0: 2 * HOUR}, "c": {0: HOUR}} and left(found) == [HOUR]


def test_commitment_that_begins_inside_the_hour_has_the_rest_of_it() -> None:
    late = asked("c", 2, start=1800)
    found = waterfall([usage(5, start=0, end=1800), usage(5, by("c"), start=1800)], [late])
    assert found.capacity == {"c": HOUR} and left(found) == [5 * 1800, 5 * 1800 - HOUR]


OPTIONS = st.lists(
    st.builds(
        lambda name, units, rank: Option(name, units, (rank,)),
        st.sampled_from("abc"),
        st.fractions(Fraction(1, 4), 4, max_denominator=8),
        st.fractions(-1, 1, max_denominator=2),
    ),
    max_size=3,
    unique_by=lambda option: option.commitment,
).map(tuple)
TIMES = st.lists(st.integers(0, HOUR), min_size=2, max_size=2, unique=True).map(sorted)
USAGES = st.lists(
    st.builds(lambda at, slots, some: Usage(at[0], at[1], slots, some), TIMES, st.integers(1, 9), OPTIONS)
)
ASKED = st.permutations("abc").flatmap(
    lambda names: st.tuples(
        *(
            st.builds(
                lambda at, units, instant, adds, name=name: Asked(name, ((*at, units),), instant, adds),
                TIMES,
                st.fractions(0, 20, max_denominator=4),
                st.booleans(),
                st.booleans(),
            )
            for name in names
        )
    )
)


@given(USAGES, ASKED)
def test_no_second_is_covered_twice_and_no_commitment_gives_more_than_it_has(
    usages: list[Usage], asked: tuple[Asked, ...]
) -> None:
    found = waterfall(usages, asked)
    whole = [Fraction(one.slots * (one.to_s - one.from_s)) for one in usages]
    for one in asked:
        assert sum(found.used[one.name].values()) <= found.capacity[one.name]
        for place, seconds in found.covered[one.name].items():
            (option,) = (option for option in usages[place].options if option.commitment == one.name)
            assert 0 <= seconds <= whole[place]
            assert found.used[one.name][place] == seconds * option.units
    exclusive = [found.covered[one.name] for one in asked if not one.adds]
    for place, seconds in enumerate(whole):
        assert sum(one.get(place, 0) for one in exclusive) + found.left[place] == seconds
        assert found.left[place] >= 0


@given(USAGES, ASKED, st.integers(1, 8))
def test_harmless_cuts_of_usage_change_nothing(
    usages: list[Usage], asked: tuple[Asked, ...], place: int
) -> None:
    cut = [
        part
        for one in usages
        for part in (
            [
                Usage(one.from_s, one.from_s + place, one.slots, one.options),
                Usage(one.from_s + place, one.to_s, one.slots, one.options),
            ]
            if one.from_s + place < one.to_s
            else [one]
        )
    ]
    before, after = waterfall(usages, asked), waterfall(cut, asked)
    for one in asked:
        assert sum(before.used[one.name].values()) == sum(after.used[one.name].values())
        assert sum(before.covered[one.name].values()) == sum(after.covered[one.name].values())
    assert sum(before.left) == sum(after.left)
