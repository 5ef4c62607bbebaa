"""Prices as spans: without overlap, the most specific first."""

from __future__ import annotations

from fractions import Fraction

import pytest

from chargeback.spans import SlotClass, meter_of, price_spans
from gpuledger.errors import BooksError
from gpuledger.versions import PriceFact


def price(
    selector: str, rate: str, start: int = 0, end: int | None = None, kind: str = "model", **values: str
) -> PriceFact:
    given = {"region": "", "purchase_option": "", "currency": "USD", "source": "list"} | values
    return PriceFact(f"{kind}/{selector}/{given}@{start}", start, end, kind, selector, rate=rate, **given)


H100 = SlotClass("", "H100", "eu", "")


def test_the_price_changes_where_its_record_does() -> None:
    spans = price_spans([H100], [price("H100", "2", 0, 120), price("H100", "3", 120)], 0, 300)
    assert [(span.price_record.rsplit("@")[1], span.from_s, span.to_s) for span in spans] == [
        ("2", 0, 120),
        ("3", 120, 300),
    ]


def test_a_record_cut_in_two_at_one_rate_is_one_span() -> None:
    spans = price_spans([H100], [price("H100", "2", 0, 120), price("H100", "2.00", 120)], 0, 300)
    assert [(span.from_s, span.to_s) for span in spans] == [(0, 300)]


def test_no_price_is_no_span_and_never_a_price_of_nothing() -> None:
    assert price_spans([H100], [price("A100", "2")], 0, 300) == []
    (span,) = price_spans([H100], [price("H100", "0")], 0, 300)
    assert span.price_record.endswith("@0")


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        (price("*", "1"), price("H100", "2")),
        (price("H100", "1"), price("H100", "2", region="eu")),
        (price("H100", "1", region="eu"), price("p5", "2", kind="sku")),
        (price("H100", "1"), price("H100", "2", purchase_option="spot")),
    ],
)
def test_the_more_specific_price_counts(weaker: PriceFact, stronger: PriceFact) -> None:
    slot = SlotClass("p5", "H100", "eu", "spot")
    for order in ([weaker, stronger], [stronger, weaker]):
        (span,) = price_spans([slot], order, 0, 10)
        assert span.price_record.endswith("@2")


def test_a_price_of_another_region_or_purchase_option_does_not_fit() -> None:
    assert price_spans([H100], [price("H100", "2", region="us")], 0, 10) == []
    assert price_spans([H100], [price("H100", "2", purchase_option="spot")], 0, 10) == []


def test_a_meter_is_an_exact_rational_per_second() -> None:
    meter = meter_of(price("H100", "2.744705"), "USD")
    assert meter.rate == Fraction(2_744_705_000, 3600)
    assert meter.lot == "meter:model:H100:*:*:USD"


def test_a_price_in_another_currency_than_the_book_is_refused() -> None:
    with pytest.raises(BooksError, match=r"model H100 is priced in EUR, the book in USD"):
        meter_of(price("H100", "2", currency="EUR"), "USD")
