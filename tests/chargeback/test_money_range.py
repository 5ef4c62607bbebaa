"""More money or time than 64-bit integers hold is refused by name, and what they hold is added up."""

from __future__ import annotations

from pathlib import Path

import pytest
from lot_books import ALL, DAY, HOUR, USD, NewHouse, held, slots

from chargeback.model_files import model
from chargeback.money_range import MOST_QUANTA
from chargeback.workbench import Limits, Workbench
from gpuledger.errors import BooksError

pytestmark = pytest.mark.books

TOO_MUCH = {
    "one lot": ["9000000000"],
    "several lots": ["500000000"] * 5,
    "what would cancel out": ["9000000000", "-9000000000"],
    "more than 64 bits at once": ["99999999999999999"],
}


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
@pytest.mark.parametrize("target", [ALL, None])
@pytest.mark.parametrize("amounts", TOO_MUCH.values(), ids=TOO_MUCH)
def test_more_money_than_can_be_added_up_is_refused_and_never_wraps(
    new_house: NewHouse, charged: str, target: dict[str, list[str]] | None, amounts: list[str]
) -> None:
    house = new_house(charged=charged)
    slots(house)
    for number, amount in enumerate(amounts):
        house.lot(f"l{number}", "purchase", amount, DAY, DAY + 24 * HOUR, slots=target)
    house.keep()
    with pytest.raises(
        BooksError, match=r"no more than 2305843009\.21 USD can be added up; most of it is lot"
    ):
        house.books()


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_a_price_that_no_sum_can_hold_is_refused_by_its_name(new_house: NewHouse, charged: str) -> None:
    house = new_house(charged=charged)
    slots(house, count=2)
    house.price("999999999999999999", 0)
    house.keep()
    with pytest.raises(BooksError, match=r"most of it is meter:model:H100"):
        house.books()


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_all_the_money_that_can_be_added_up_is_added_up(new_house: NewHouse, charged: str) -> None:
    house = new_house(charged=charged)
    slots(house, count=2)
    held(house, "team")
    house.lot("rack", "purchase", f"{MOST_QUANTA // USD}", DAY, DAY + 24 * HOUR, slots=ALL)
    house.policy("distribute_idle_free", "proportional/1")
    house.keep()
    assert house.statement()["total"] == MOST_QUANTA // USD * 100


@pytest.mark.parametrize(
    ("table", "audit"), [("pool_share", "pool_weights_fit"), ("lot_share", "lot_weights_fit")]
)
@pytest.mark.parametrize(
    ("seconds", "fits"), [(1, True), (3_037_000_499, True), (3_037_000_500, False), (0, False)]
)
def test_slot_seconds_whose_square_is_beyond_64_bits_are_found(
    tmp_path: Path, table: str, audit: str, seconds: int, fits: bool
) -> None:
    (found,) = (one for one in model("slot_amount").audits if one.name == audit)
    with Workbench(Limits("100MB", 1, tmp_path)) as bench:
        bench.connection.execute(
            f"create table {table} as select 'H100/' as pool, 1 as charge_no, 0 as piece_s, "
            f"cast({seconds} as bigint) as slot_seconds"
        )
        assert (bench.rows(found.sql) == []) == fits
    assert (seconds**2 < 2**63) == fits or seconds == 0
