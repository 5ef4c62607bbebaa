"""Which rate of exchange counts on a day: carried over holidays, turned round, or over a third currency."""

from __future__ import annotations

from fractions import Fraction

import pytest
from lots_said import day_after, rates

from chargeback.fx import DAYS_KEPT
from gpuledger.errors import BooksError
from gpuledger.money import currency

FRIDAY = "2026-10-02"


def test_rate_is_carried_over_a_weekend_and_for_seven_days_at_most() -> None:
    found = rates((FRIDAY, "EUR", "USD", "1.25"))
    assert [found.rate("EUR", "USD", day_after(FRIDAY, after)) for after in (0, 2, DAYS_KEPT)] == [
        Fraction(5, 4)
    ] * 3
    with pytest.raises(BooksError) as caught:
        found.rate("EUR", "USD", day_after(FRIDAY, DAYS_KEPT + 1))
    assert "of EUR in USD is known for 2026-10-10, nor for the 7 days before it" in caught.value.message
    assert "gpuledger import fx" in caught.value.mend


def test_rate_of_a_later_day_never_counts() -> None:
    with pytest.raises(BooksError):
        rates((FRIDAY, "EUR", "USD", "1.25")).rate("EUR", "USD", day_after(FRIDAY, -1))


def test_newest_rate_up_to_a_day_counts() -> None:
    found = rates((FRIDAY, "EUR", "USD", "1.25"), ("2026-10-05", "EUR", "USD", "1.5"))
    days = ("2026-10-04", "2026-10-05", "2026-10-06")
    assert [found.rate("EUR", "USD", day) for day in days] == [Fraction(5, 4), Fraction(3, 2), Fraction(3, 2)]


def test_other_direction_is_the_exact_reciprocal() -> None:
    found = rates((FRIDAY, "EUR", "USD", "1.1"))
    assert found.rate("USD", "EUR", FRIDAY) == Fraction(10, 11)
    assert found.rate("USD", "EUR", FRIDAY) * found.rate("EUR", "USD", FRIDAY) == 1


def test_own_direction_goes_before_the_reciprocal_of_the_other() -> None:
    found = rates((FRIDAY, "EUR", "USD", "1.1"), (day_after(FRIDAY), "USD", "EUR", "0.5"))
    assert found.rate("EUR", "USD", day_after(FRIDAY)) == Fraction("1.1")
    assert found.rate("USD", "EUR", day_after(FRIDAY)) == Fraction("0.5")
    assert found.rate("USD", "EUR", FRIDAY) == Fraction(10, 11)


def test_two_currencies_are_crossed_over_a_third_one() -> None:
    found = rates((FRIDAY, "EUR", "USD", "1.2"), (FRIDAY, "EUR", "JPY", "180"))
    assert found.rate("JPY", "USD", FRIDAY) == Fraction("1.2") / 180
    assert found.rate("USD", "JPY", FRIDAY) == 150


def test_direct_rate_goes_before_a_cross_and_the_newest_cross_before_an_older_one() -> None:
    older = [(FRIDAY, "EUR", "USD", "1.2"), (FRIDAY, "EUR", "JPY", "180")]
    newer = [("2026-10-05", "GBP", "USD", "1.5"), ("2026-10-05", "GBP", "JPY", "240")]
    crossed = rates(*older, *newer)
    assert crossed.rate("USD", "JPY", "2026-10-05") == 160
    assert crossed.rate("USD", "JPY", FRIDAY) == 150
    assert rates(*older, *newer, (FRIDAY, "USD", "JPY", "1")).rate("USD", "JPY", "2026-10-05") == 1


def test_no_rate_is_crossed_over_two_currencies() -> None:
    found = rates((FRIDAY, "EUR", "USD", "1.2"), (FRIDAY, "EUR", "GBP", "0.8"), (FRIDAY, "GBP", "JPY", "200"))
    with pytest.raises(BooksError, match="of USD in JPY"):
        found.rate("USD", "JPY", FRIDAY)


def test_currency_is_worth_itself_without_any_rate() -> None:
    assert rates().rate("USD", "USD", FRIDAY) == 1
    with pytest.raises(BooksError):
        rates().rate("USD", "EUR", FRIDAY)


def test_quanta_of_currencies_that_keep_other_digits_are_scaled() -> None:
    found = rates((FRIDAY, "USD", "KRW", "1400"), (FRIDAY, "USD", "JPY", "150"))
    assert currency("KRW").quantum == 10**6 and currency("JPY").quantum == 10**7
    assert found.per_quantum("USD", "KRW", FRIDAY) == Fraction(1400, 1000)
    assert found.per_quantum("JPY", "USD", FRIDAY) == Fraction(100, 150)


def test_rates_that_are_equal_compare_equal_whatever_was_looked_up() -> None:
    one, other = (rates((FRIDAY, "EUR", "USD", "1.25")) for _ in range(2))
    one.rate("USD", "EUR", FRIDAY)
    assert one == other
