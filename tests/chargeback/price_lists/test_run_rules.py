"""A run is counted in started steps, after what is free, as who ended it."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.price_lists.run_rules import OPEN_END_S, RunRules, charged_spans, read_rules, write_rules
from gpuledger.errors import InputError

HOUR = 3600


def billed(rules: RunRules, length_s: int, ended_by: str = "user") -> Fraction:
    spans = charged_spans(rules, 0, length_s, ended_by)
    return sum(((end - begin) * multiple for begin, end, multiple in spans), Fraction(0))


@st.composite
def rules(draw: st.DrawFn) -> RunRules:
    granularity = draw(st.sampled_from([1, 60, 300, HOUR]))
    return RunRules(
        granularity_s=granularity,
        minimum_s=draw(st.sampled_from([0, granularity, granularity + 30, 2 * HOUR])),
        rounding=draw(st.sampled_from(["up", "down"])),
        free_s=draw(st.sampled_from([0, 1, 120, HOUR])),
        interrupted_free_s=draw(st.sampled_from([0, 60, HOUR])),
        interrupted_rounding=draw(st.sampled_from(["", "up", "down", "as_used"])),
    )


LENGTHS = st.integers(1, 5 * HOUR)
ENDERS = st.sampled_from(["user", "provider", "failure", ""])


def seconds_by_counting(rules: RunRules, length: int, ended_by: str) -> int:
    """The billed seconds, found by walking through the steps one by one."""
    stopped_by_provider = ended_by == "provider"
    if stopped_by_provider and length <= rules.interrupted_free_s:
        return 0
    left, step, total, first = length - rules.free_s, rules.minimum_s or rules.granularity_s, 0, True
    while left > 0:
        if left >= step:
            total += step
        else:
            how = "up" if first and rules.minimum_s else rules.rounding
            if stopped_by_provider and rules.interrupted_rounding != "":
                how = rules.interrupted_rounding
            total += {"up": step, "down": 0, "as_used": left}[how]
        left, step, first = left - step, rules.granularity_s, False
    return total


@given(rules(), LENGTHS, ENDERS, st.integers(0, 10**9))
def test_stretches_add_up_to_the_billed_seconds_and_cover_the_run(
    rules: RunRules, length: int, ended_by: str, start: int
) -> None:
    spans = charged_spans(rules, start, start + length, ended_by)
    total = sum(((end - begin) * multiple for begin, end, multiple in spans), Fraction(0))
    assert total == seconds_by_counting(rules, length, ended_by)
    assert (spans[0][0], spans[-1][1]) == (start, start + length)
    assert all(one[1] == other[0] and one[2] != other[2] for one, other in pairwise(spans))
    assert all(begin < end and multiple >= 0 for begin, end, multiple in spans)


@given(rules(), LENGTHS, LENGTHS, ENDERS)
def test_what_is_before_the_last_step_does_not_change_when_a_run_goes_on(
    rules: RunRules, length: int, more: int, ended_by: str
) -> None:
    def at(spans: list[tuple[int, int, Fraction]], second: int) -> Fraction:
        return next(multiple for begin, end, multiple in spans if begin <= second < end)

    steady = RunRules(**{**vars(rules), "interrupted_free_s": 0})
    short = charged_spans(steady, 0, length, ended_by)
    longest_step = max(steady.minimum_s, steady.granularity_s)
    for other in (charged_spans(steady, 0, length + more, ended_by), charged_spans(steady, 0, None, "")):
        for second in {0, length // 2, length - longest_step - 1}:
            if 0 <= second < length - longest_step:
                assert at(short, second) == at(other, second)


@given(rules())
def test_rules_are_what_they_are_read_back_as(rules: RunRules) -> None:
    assert read_rules(write_rules(rules)) == rules


def test_only_keys_that_say_something_are_written_in_one_spelling() -> None:
    assert write_rules(RunRules()) == ""
    assert read_rules("") == RunRules()
    assert (
        write_rules(RunRules(rounding="down", granularity_s=60)) == '{"granularity_s":60,"rounding":"down"}'
    )
    assert write_rules(read_rules('{"minimum_s": 0, "granularity_s": 3600}')) == '{"granularity_s":3600}'


# E06: a provider that ends a run in its first hour takes nothing for it; the user's own stop is charged.
def test_who_ended_a_spot_run_decides_whether_its_first_hour_is_free() -> None:
    ec2 = RunRules(interrupted_free_s=HOUR)
    assert charged_spans(ec2, 0, 45 * 60, "provider") == [(0, 2700, Fraction(0))]
    assert charged_spans(ec2, 0, 45 * 60, "user") == [(0, 2700, Fraction(1))]
    assert charged_spans(ec2, 0, 105 * 60, "provider") == [(0, 6300, Fraction(1))]
    assert charged_spans(ec2, 0, 45 * 60, "") == charged_spans(ec2, 0, 45 * 60, "user")


@pytest.mark.parametrize(("length", "seconds"), [(HOUR, 0), (HOUR + 1, HOUR + 1)])
def test_what_is_free_after_an_interruption_ends_with_the_hour(length: int, seconds: int) -> None:
    assert billed(RunRules(interrupted_free_s=HOUR), length, "provider") == seconds


def test_full_hours_are_charged_to_a_user_and_the_started_one_not_after_an_interruption() -> None:
    suse = RunRules(granularity_s=HOUR, interrupted_rounding="down")
    assert billed(suse, HOUR + 600) == 2 * HOUR
    assert billed(suse, HOUR + 600, "provider") == HOUR
    assert charged_spans(suse, 0, HOUR + 600, "user") == [
        (0, HOUR, Fraction(1)),
        (HOUR, HOUR + 600, Fraction(6)),
    ]


@pytest.mark.parametrize(("length", "seconds"), [(1, 60), (59, 60), (60, 60), (61, 61), (3600, 3600)])
def test_a_minimum_per_start_counts_and_then_every_second(length: int, seconds: int) -> None:
    assert billed(RunRules(minimum_s=60), length) == seconds


@pytest.mark.parametrize(("rounding", "seconds"), [("up", 180), ("down", 120)])
def test_the_same_run_costs_what_the_direction_of_rounding_says(rounding: str, seconds: int) -> None:
    assert billed(RunRules(granularity_s=60, rounding=rounding), 121) == seconds


def test_a_minimum_counts_even_where_started_steps_do_not() -> None:
    rules = RunRules(granularity_s=60, minimum_s=300, rounding="down")
    assert [billed(rules, length) for length in (1, 300, 359, 360)] == [300, 300, 300, 360]


def test_steps_begin_after_what_is_free() -> None:
    boot = RunRules(granularity_s=60, free_s=90)
    assert charged_spans(boot, 1000, 1060, "user") == [(1000, 1060, Fraction(0))]
    assert charged_spans(boot, 1000, 1150, "user") == [(1000, 1090, Fraction(0)), (1090, 1150, Fraction(1))]
    assert charged_spans(boot, 1000, 1180, "user")[-1] == (1150, 1180, Fraction(2))


def test_a_run_that_goes_on_is_charged_without_rounding() -> None:
    assert charged_spans(RunRules(granularity_s=HOUR, free_s=60), 0, None, "") == [
        (0, 60, Fraction(0)),
        (60, OPEN_END_S, Fraction(1)),
    ]


def test_a_run_of_no_length_has_no_stretch() -> None:
    assert charged_spans(RunRules(minimum_s=60), 5, 5, "user") == []


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"granularity":60}',
        '{"granularity_s":"60"}',
        '{"granularity_s":1.5}',
        '{"minimum_s":true}',
    ],
)
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no rules of counting"):
        read_rules(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"granularity_s":0}', "granularity_s is 0"),
        ('{"free_s":-1}', "free_s is -1"),
        ('{"rounding":"nearest"}', "rounding is 'nearest'"),
        ('{"interrupted_rounding":"half"}', "interrupted_rounding is 'half'"),
        ('{"granularity_s":3600,"minimum_s":60}', "shorter than a step"),
    ],
)
def test_a_rule_that_cannot_be_says_why(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_rules(text)
    assert message in caught.value.message
    assert caught.value.mend
