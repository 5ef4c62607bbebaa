"""Money: exact text, exact shares, splits that conserve, and cents that add up (DESIGN.md section 6)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuledger.errors import InputError, InvariantError
from gpuledger.money import (
    Currency,
    currency,
    format_minor,
    format_quanta,
    half_up,
    largest_remainder,
    meter_amount,
    nested_cents,
    parse_amount,
    rate_per_second,
    recognised_to,
    round_cents,
    running_split,
    share,
    split_phase,
)

USD = currency("USD")
CENT = USD.quanta_per_minor
INT64 = 2**63
TICKS_PER_HOUR = 720720 * 3600

currencies = st.sampled_from([currency(code) for code in ("USD", "JPY", "KRW", "IDR", "VND", "KWD", "INR")])
keys = st.text("abé", min_size=1, max_size=3)
remainders = st.sampled_from(
    [0, 0, 1, 49, 50, 51, CENT // 3, CENT // 2 - 1, CENT // 2, CENT // 2 + 1, CENT - 1]
)
amounts_near_cents = st.builds(lambda whole, rest: whole * CENT + rest, st.integers(-3, 3), remainders)
pools = st.dictionaries(keys, amounts_near_cents | st.integers(-(10**13), 10**13), min_size=1, max_size=8)
weights = st.dictionaries(keys, st.integers(0, 10**9), min_size=1, max_size=8).filter(
    lambda w: sum(w.values())
)
amounts = st.integers(-(10**18), 10**18)
instants = st.integers(946_684_800, 4_102_444_800)
rates = st.builds(Fraction, st.integers(0, 10**12), st.integers(1, 10**6))


# ---------- currencies and text


@pytest.mark.parametrize(
    ("code", "minor", "quantum"),
    [("USD", 2, 9), ("EUR", 2, 9), ("JPY", 0, 7), ("KRW", 0, 6), ("IDR", 2, 5), ("VND", 0, 5)],
)
def test_currency_keeps_the_digits_of_the_table(code: str, minor: int, quantum: int) -> None:
    cur = currency(code)
    assert (cur.minor_digits, cur.quantum_digits) == (minor, quantum)
    assert cur.quantum == 10**quantum
    assert cur.quanta_per_minor * 10**minor == cur.quantum


@pytest.mark.parametrize("code", ["usd", "BTC", "", "US"])
def test_unknown_currency_is_refused(code: str) -> None:
    with pytest.raises(InputError, match="not known"):
        currency(code)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2.744705", "2.744705"), (" 0 ", "0"), ("-12.", "-12"), (".5", "0.5"), ("+1e-6", "0.000001")],
)
def test_amount_is_read_exactly(text: str, value: str) -> None:
    assert parse_amount(text) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    ["NaN", "inf", "-Infinity", "sNaN", "1,234.56", "1_000", "$5", "5 USD", "", " ", "1e999", "0x10", "١٢"],
)
def test_text_that_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not an amount") as refused:
        parse_amount(text)
    assert refused.value.mend


@pytest.mark.parametrize("text", ["1e30", "-1.97e25", "9" * 19, "1e-31", "0." + "0" * 30 + "1"])
def test_an_amount_that_no_price_can_be_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="out of bounds"):
        parse_amount(text)


@given(st.decimals(-(10**17), 10**17, allow_nan=False, allow_infinity=False, places=9))
def test_amount_survives_its_text(value: Decimal) -> None:
    assert parse_amount(f"{value:f}") == value


@given(currencies, st.integers(-(10**19), 10**19))
def test_printed_quanta_and_cents_read_back(cur: Currency, amount: int) -> None:
    assert Decimal(format_quanta(amount, cur)) * cur.quantum == amount
    assert Decimal(format_minor(amount, cur)) * 10**cur.minor_digits == amount


def test_amounts_print_with_the_digits_of_their_currency() -> None:
    assert format_minor(-1234, USD) == "-12.34"
    assert format_minor(-4, USD) == "-0.04"
    assert format_minor(1234, currency("JPY")) == "1234"
    assert format_quanta(12_345_678_901, USD) == "12.345678901"
    assert format_quanta(-1, USD) == "-0.000000001"


# ---------- rates, meters, recognition


def test_rate_is_exact_quanta_per_second() -> None:
    assert rate_per_second(Decimal("2.744705"), USD) == Fraction(2_744_705_000, 3600)
    assert rate_per_second(Decimal("730"), USD, 730 * 3600) == Fraction(10**9, 3600)
    with pytest.raises(InputError):
        rate_per_second(Decimal(1), USD, 0)


@given(rates, st.lists(instants, min_size=2, max_size=8))
def test_meter_adds_up_over_every_cut(rate: Fraction, edges: list[int]) -> None:
    edges.sort()
    parts = [meter_amount(rate, start, end) for start, end in pairwise(edges)]
    assert sum(parts) == meter_amount(rate, edges[0], edges[-1])
    assert all(part >= 0 for part in parts)
    assert abs(meter_amount(rate, edges[0], edges[-1]) - rate * (edges[-1] - edges[0])) < 1


@given(amounts, instants, st.integers(0, 10**8), st.lists(instants, max_size=8))
def test_recognition_adds_up_to_the_lot_over_every_cut(
    amount: int, start: int, length: int, cuts: list[int]
) -> None:
    end = start + length
    edges = sorted([start - 1, *cuts, end, 2 * 10**10])
    reached = [recognised_to(amount, start, end, at) for at in edges]
    assert sum(after - before for before, after in pairwise(reached)) == amount
    assert [abs(value) for value in reached] == sorted(abs(value) for value in reached)


@given(amounts, instants, st.integers(1, 10**8), st.fractions(0, 1))
def test_recognition_is_linear_within_a_quantum(amount: int, start: int, length: int, part: Fraction) -> None:
    at = start + int(part * length)
    exact = Fraction(amount * (at - start), length)
    reached = recognised_to(amount, start, start + length, at)
    assert abs(exact - reached) < 1
    assert abs(reached) <= abs(exact)


def test_a_lot_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(InvariantError):
        recognised_to(1, 10, 9, 10)


# ---------- shares and splits


@given(amounts, st.integers(1, 3_037_000_499), st.fractions(0, 1))
def test_share_is_exact_and_never_leaves_64_bits_while_the_square_fits(
    amount: int, total: int, part: Fraction
) -> None:
    weight = int(part * total)
    taken = share(amount, weight, total)
    assert abs(taken) == abs(amount) * weight // total
    assert taken * amount >= 0
    assert total * total < INT64
    assert abs(amount) // total * weight < INT64
    assert abs(amount) % total * weight < INT64


def test_an_hour_of_ticks_fits_the_share() -> None:
    assert 0.72 < TICKS_PER_HOUR**2 / INT64 < 0.74


@pytest.mark.parametrize(("weight", "total"), [(1, 0), (-1, 2), (1, -2)])
def test_share_of_no_total_is_refused(weight: int, total: int) -> None:
    with pytest.raises(InvariantError):
        share(1, weight, total)


@given(amounts, weights, st.integers(0, 10**12))
def test_running_split_conserves_and_stays_within_a_quantum(
    amount: int, by: dict[str, int], phase: int
) -> None:
    parts = running_split(amount, by, phase)
    total = sum(by.values())
    assert list(parts) == sorted(by)
    assert sum(parts.values()) == amount
    assert all(abs(parts[key] - Fraction(amount * by[key], total)) < 1 for key in by)
    assert all(parts[key] == 0 for key in by if by[key] == 0)
    assert all(part * amount >= 0 for part in parts.values())


@given(amounts, weights, st.integers(0, 10**12))
def test_splits_ignore_the_order_of_their_input(amount: int, by: dict[str, int], phase: int) -> None:
    other = dict(reversed(by.items()))
    assert running_split(amount, by, phase) == running_split(amount, other, phase)
    assert largest_remainder(amount, by) == largest_remainder(amount, other)


@given(amounts, weights, st.integers(0, 10**12))
def test_splits_of_a_credit_mirror_those_of_its_absolute_value(
    amount: int, by: dict[str, int], phase: int
) -> None:
    mirrored = {key: -part for key, part in running_split(-amount, by, phase).items()}
    assert running_split(amount, by, phase) == mirrored
    assert largest_remainder(amount, by) == {
        key: -part for key, part in largest_remainder(-amount, by).items()
    }


@given(amounts, weights, st.integers(0, 10**12), st.fractions(0, 1))
def test_a_harmless_cut_of_a_key_moves_no_other_key(
    amount: int, by: dict[str, int], phase: int, part: Fraction
) -> None:
    first = max(by)
    left = int(by[first] * part)
    cut = {key: weight for key, weight in by.items() if key != first}
    cut |= {first: left, first + "\0": by[first] - left}
    whole, parts = running_split(amount, by, phase), running_split(amount, cut, phase)
    assert parts[first] + parts[first + "\0"] == whole[first]
    assert all(parts[key] == whole[key] for key in by if key != first)


def test_the_phase_keeps_first_keys_from_being_favoured() -> None:
    by, amount = {"a": 1, "b": 1, "c": 1}, 1_000_000_007

    def worst(phased: bool) -> int:
        off = dict.fromkeys(by, 0)
        for slot in range(100):
            for hour in range(24):
                phase = split_phase(496_000 + hour, slot, 3) if phased else 0
                for key, part in running_split(amount, by, phase).items():
                    off[key] += 3 * part - amount
        return max(abs(value) for value in off.values()) // 3

    assert worst(phased=False) > 1000
    assert worst(phased=True) < 100


@given(amounts, weights)
def test_largest_remainder_conserves_and_stays_within_a_quantum(amount: int, by: dict[str, int]) -> None:
    parts = largest_remainder(amount, by)
    total = sum(by.values())
    assert list(parts) == sorted(by)
    assert sum(parts.values()) == amount
    assert all(abs(parts[key] - Fraction(amount * by[key], total)) < 1 for key in by)


def test_equal_remainders_go_by_key_in_code_point_order() -> None:
    assert largest_remainder(2, {"é": 1, "b": 1, "a": 1, "B": 1}) == {"B": 1, "a": 1, "b": 0, "é": 0}
    assert largest_remainder(-1, {("b", 1): 1, ("a", 2): 1}) == {("a", 2): -1, ("b", 1): 0}


def test_an_amount_without_weights_is_refused_and_nothing_splits_into_nothing() -> None:
    for split in (running_split, largest_remainder):
        assert split(0, {"a": 0}) == {"a": 0}
        assert split(0, {}) == {}
        with pytest.raises(InvariantError, match="no weight"):
            split(1, {"a": 0})
        with pytest.raises(InvariantError, match="below 0"):
            split(1, {"a": -1, "b": 2})


# ---------- cents


@given(st.fractions(-1000, 1000, max_denominator=20))
def test_halves_go_away_from_zero(value: Fraction) -> None:
    rounded = half_up(value)
    assert abs(value - rounded) <= Fraction(1, 2)
    assert half_up(-value) == -rounded
    if abs(value - rounded) == Fraction(1, 2):
        assert abs(rounded) > abs(value)


@pytest.mark.parametrize(
    ("pool", "expected"),
    [(1000, [334, 333, 333]), (1, [1, 0, 0]), (-1000, [-334, -333, -333])],
)
def test_three_equal_shares_give_the_odd_cent_to_the_first_key(pool: int, expected: list[int]) -> None:
    by = running_split(pool * CENT, {"a": 1, "b": 1, "c": 1}, phase=1)
    assert list(round_cents(by, USD).values()) == expected


def test_noise_of_a_few_quanta_decides_no_cent() -> None:
    for noise in permutations([-2, 0, 3]):
        pool = dict(zip("abc", (3_333_333_333 + n for n in noise), strict=True))
        assert round_cents(pool, USD) == {"a": 334, "b": 333, "c": 333}


def test_a_credit_and_the_net_of_it_give_their_odd_cent_to_the_largest_remainder() -> None:
    usage = {"team-a": 60_000 * CENT, "team-b": 40_000 * CENT}
    credit = running_split(-10_001 * CENT, usage)
    assert round_cents(credit, USD) == {"team-a": -6001, "team-b": -4000}
    net = {key: usage[key] + credit[key] for key in usage}
    assert round_cents(net, USD) == {"team-a": 53_999, "team-b": 36_000}


@given(pools, currencies)
def test_cents_add_up_to_the_pool_rounded_once(pool: dict[str, int], cur: Currency) -> None:
    cents = round_cents(pool, cur)
    assert list(cents) == sorted(pool)
    assert sum(cents.values()) == half_up(Fraction(sum(pool.values()), cur.quanta_per_minor))


@given(pools, st.booleans())
def test_each_key_gets_the_floor_or_the_ceiling_so_whole_amounts_never_move(
    pool: dict[str, int], up: bool
) -> None:
    whole, rest = divmod(sum(pool.values()), CENT)
    cents = round_cents(pool, USD, whole + (1 if up and rest else 0))
    assert sum(cents.values()) == whole + (1 if up and rest else 0)
    for key, amount in pool.items():
        assert amount // CENT <= cents[key] <= -(-amount // CENT)


@given(pools, st.integers(-5, 5))
def test_cents_add_up_to_a_total_that_was_computed_elsewhere(pool: dict[str, int], away: int) -> None:
    total = half_up(Fraction(sum(pool.values()), CENT)) + away
    cents = round_cents(pool, USD, total)
    assert sum(cents.values()) == total
    assert cents == round_cents(dict(reversed(pool.items())), USD, total)


def test_a_whole_positive_stays_where_the_net_of_mixed_signs_is_a_half() -> None:
    half = CENT // 2
    assert round_cents({"a": 10 * CENT, "b": -half}, USD) == {"a": 10, "b": 0}
    assert round_cents({"a": CENT, "b": -2 * CENT - half}, USD) == {"a": 1, "b": -3}
    assert round_cents({"a": CENT, "b": -half, "c": -half}, USD) == {"a": 1, "b": -1, "c": 0}


def test_a_distant_total_never_charges_who_has_nothing() -> None:
    assert round_cents({"a": 0, "b": 10 * CENT, "c": 0}, USD, 9) == {"a": 0, "b": 9, "c": 0}
    assert round_cents({"a": 0, "b": -10 * CENT, "c": 0}, USD, -11) == {"a": 0, "b": -11, "c": 0}
    assert round_cents({"a": 0, "b": 0}, USD, 1) == {"a": 1, "b": 0}


def test_an_empty_pool_has_no_cents_to_give() -> None:
    assert round_cents({}, USD) == {}
    with pytest.raises(InvariantError, match="nobody"):
        round_cents({}, USD, 1)


@given(st.dictionaries(st.tuples(keys, keys, keys), amounts_near_cents | amounts, min_size=1, max_size=12))
def test_nested_cents_follow_the_first_level_and_add_up_at_every_level(
    pool: dict[tuple[str, str, str], int],
) -> None:
    owners: dict[str, int] = {}
    for key, amount in pool.items():
        owners[key[0]] = owners.get(key[0], 0) + amount
    cents = nested_cents(pool, USD)
    assert list(cents) == sorted(pool)
    for owner, expected in round_cents(owners, USD).items():
        assert sum(value for key, value in cents.items() if key[0] == owner) == expected
    for key, amount in pool.items():
        assert amount // CENT <= cents[key] <= -(-amount // CENT)


def test_nested_cents_of_one_level_are_the_cents() -> None:
    pool = {("a",): CENT // 2, ("b",): CENT // 2, ("c",): CENT}
    assert nested_cents(pool, USD) == {(key,): cents for key, cents in zip("abc", (1, 0, 1), strict=True)}
    assert nested_cents({}, USD) == {}
