"""Prices as versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gpuledger.errors import InputError, OverlapError
from gpuledger.versions import Database, PriceFact, PutCount, prices_in_force, put_prices, withdraw_prices

H100 = PriceFact(
    identity="prices.csv/H100/1",
    start_s=1_000_000_000,
    end_s=1_100_000_000,
    selector_kind="model",
    selector="H100",
    region="",
    purchase_option="",
    rate="2.744705",
    currency="USD",
    source="prices.csv",
)
H100_LATER = replace(H100, identity="prices.csv/H100/2", start_s=1_100_000_000, end_s=None, rate="2.5")

Put = Callable[..., tuple[int, PutCount]]


@pytest.fixture
def put(database: Database) -> Put:
    """Put prices in a commit of their own: its seq, and what was counted."""

    def put(*facts: PriceFact) -> tuple[int, PutCount]:
        with database.commit("import prices", at_s=1) as commit:
            return commit.seq, put_prices(commit, facts)

    return put


def known(database: Database, seq: int) -> list[PriceFact]:
    with database.read() as connection:
        return prices_in_force(connection, seq)


def test_price_that_changes_in_time_is_two_identities(database: Database, put: Put) -> None:
    assert put(H100, H100_LATER) == (1, PutCount(2, 0))
    assert known(database, 1) == [H100, H100_LATER]


def test_same_rate_spelled_otherwise_makes_no_version(database: Database, put: Put) -> None:
    put(H100_LATER)
    assert put(replace(H100_LATER, rate="2.500")) == (2, PutCount(0, 1))
    assert known(database, 2) == [H100_LATER]


@pytest.mark.parametrize(("rate", "kept"), [("100", "100"), ("1e2", "100"), ("0.00", "0"), ("-0", "0")])
def test_rate_is_kept_as_plain_decimal_text(database: Database, put: Put, rate: str, kept: str) -> None:
    put(replace(H100, rate=rate))
    assert known(database, 1)[0].rate == kept


@pytest.mark.parametrize("rate", ["-1", "-0.01", "free", "", "NaN", "inf", "1,50"])
def test_rate_that_is_negative_or_no_number_is_refused(database: Database, put: Put, rate: str) -> None:
    with pytest.raises(InputError, match=H100.identity):
        put(H100_LATER, replace(H100, rate=rate))
    assert known(database, database.latest_seq()) == []


def test_unknown_currency_and_unknown_selector_are_refused(put: Put) -> None:
    with pytest.raises(InputError, match=H100.identity):
        put(replace(H100, currency="XXX"))
    with pytest.raises(InputError, match="sku or model"):
        put(replace(H100, selector_kind="colour"))


def test_one_thing_with_two_prices_at_once_is_refused_naming_both(database: Database, put: Put) -> None:
    put(H100)
    with pytest.raises(OverlapError) as caught:
        put(replace(H100_LATER, start_s=1_050_000_000))
    assert H100.identity in caught.value.message
    assert H100_LATER.identity in caught.value.message
    assert known(database, database.latest_seq()) == [H100]


@pytest.mark.parametrize(
    "other",
    [
        {"selector": "A100"},
        {"selector_kind": "sku"},
        {"region": "eu"},
        {"purchase_option": "spot"},
    ],
)
def test_prices_of_different_things_may_hold_at_once(put: Put, other: dict[str, str]) -> None:
    assert put(H100, replace(H100, identity="other", **other)) == (1, PutCount(2, 0))  # type: ignore[arg-type]


def test_corrected_price_replaces_the_one_before_and_leaves_what_was_known(
    database: Database, put: Put
) -> None:
    put(H100)
    put(replace(H100, rate="3"))
    assert [fact.rate for seq in (1, 2) for fact in known(database, seq)] == ["2.744705", "3"]


def test_withdrawn_price_makes_room_for_another(database: Database, put: Put) -> None:
    put(H100)
    with database.commit("withdraw", at_s=2) as commit:
        assert withdraw_prices(commit, [H100.identity]) == 1
    rival = replace(H100, identity="other")
    put(rival)
    assert known(database, 3) == [rival]
