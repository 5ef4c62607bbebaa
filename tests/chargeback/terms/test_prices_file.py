"""The file of prices has the records, checks and identities of a price list in CSV."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from chargeback.terms.entries import Faults
from chargeback.terms.prices import OPTIONAL, REQUIRED, parse_prices
from chargeback.terms.prices_file import gaps, read_prices
from chargeback.terms.records import parse_records
from chargeback.terms.validity import Clock, Term
from gpuledger.errors import InputError, OverlapError
from gpuledger.versions import PriceFact
from gpuledger.yaml_files import read_yaml

OCTOBER = "2026-10-01T00:00Z"


def read(entries: str, imported: Iterable[PriceFact] = ()) -> tuple[list[Term[PriceFact]], list[InputError]]:
    faults, terms = Faults(), []
    with faults.noted():
        document = read_yaml(f"prices:\n{entries}", "prices.yaml", noun="prices file")
        terms = read_prices(document, Clock(lambda: "UTC"), imported, faults)
    return terms, faults.found


def price(rate: str, begins: str = OCTOBER, ends: str = "", model: str = "H100") -> str:
    return f"- {{model: {model}, rate: {rate}, currency: USD, from: '{begins}', to: '{ends}'}}\n"


def test_entry_is_what_the_row_of_a_list_is() -> None:
    (term,), _ = read(
        f"- {{sku: p5, region: '*', purchase_option: spot, rate: 2.50, currency: USD, from: '{OCTOBER}'}}\n"
    )
    header = "sku,region,purchase_option,rate,currency,from,to\n"
    rows = parse_records(header + f"p5,*,spot,2.5,USD,{OCTOBER},\n", "l", REQUIRED, OPTIONAL)
    (row,) = parse_prices(rows, Clock(lambda: "UTC"), "prices")
    assert term.fact == replace(row.fact, origin="terms")


@pytest.mark.parametrize(
    ("written", "rate"),
    [("2.50", "2.5"), ("1e-3", "0.001"), ("0.10", "0.1"), ("2.744705", "2.744705"), ("0", "0")],
)
def test_rate_stays_the_text_that_was_written(written: str, rate: str) -> None:
    (term,), _ = read(price(written))
    assert term.fact.rate == rate


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (price("-1"), "rate -1 is negative"),
        (price(".inf"), "'.inf' is not an amount"),
        (price("'1,5'"), "'1,5' is not an amount"),
        (price("1").replace("USD", "XXX"), "currency 'XXX' is not known"),
        (price("1").replace("model", "modle"), "modle is not a key"),
        (price("1").replace("model: H100, ", ""), "neither sku nor model"),
        (price("1").replace("model: H100", "model: H100, sku: p5"), "both sku and model"),
        (price("1", ""), "from is empty"),
        (price("1", OCTOBER, OCTOBER), "is not after from"),
        ("- {model: H100, currency: USD, from: 2026-10-01}\n", "rate is missing"),
    ],
)
def test_mistake_is_named_with_its_line(entry: str, message: str) -> None:
    _, (error,) = read(price("1", model="A100") + entry)
    assert message in error.message
    assert str(error.place) == "prices.yaml, line 3"
    assert error.mend


def test_error_stands_in_the_line_of_its_key() -> None:
    _, (error,) = read(f"- model: H100\n  currency: USD\n  rate: -1\n  from: '{OCTOBER}'\n")
    assert str(error.place) == "prices.yaml, line 4"


def test_all_wrong_prices_are_found_at_once() -> None:
    _, errors = read(price("-1") + price("1") + price("x", model="A100"))
    assert [error.place and error.place.line for error in errors] == [2, 4]


def test_prices_that_overlap_name_both_lines() -> None:
    _, (error,) = read(price("2") + price("3", "2026-10-15T00:00Z"))
    assert isinstance(error, OverlapError)
    assert "line 2 (model/H100///2026-10-01T00:00:00Z until open)" in error.message
    assert "line 3 (model/H100///2026-10-15T00:00:00Z until open)" in error.message


def test_same_identity_with_other_words_names_both_lines() -> None:
    _, (error,) = read(price("2") + price("3"))
    assert error.message.startswith("lines 2 and 3 say different things of model/H100")
    assert len(read(price("2") * 2)[0]) == 1


def test_overlap_with_an_imported_price_names_it() -> None:
    (known,), _ = read(price("2", "2026-09-01T00:00Z"))
    imported = replace(known.fact, origin="import")
    _, (error,) = read(price("3"), [imported])
    assert "the record in force (model/H100///2026-09-01T00:00:00Z until open)" in error.message
    assert "line 2" in error.message
    assert read(price("2", "2026-09-01T00:00Z"), [imported])[1] == []


def test_gap_between_two_prices_is_a_warning_that_names_both_lines() -> None:
    terms, _ = read(
        price("3", "2026-10-20T00:00Z") + price("2", OCTOBER, "2026-10-15T00:00Z") + price("1", model="A100")
    )
    (warning,) = gaps(terms)
    assert warning.startswith(
        "prices.yaml: between lines 3 and 2 nothing holds from 2026-10-15T00:00:00Z to "
    )
    assert "2026-10-20T00:00:00Z: that time will be unpriced" in warning
    touching, _ = read(price("2", OCTOBER, "2026-10-15T00:00Z") + price("3", "2026-10-15T00:00Z"))
    assert list(gaps(touching)) == []


def test_price_of_a_node_or_a_contract_says_all_that_a_list_does() -> None:
    (term,), _ = read(
        "- contract: cr-7\n  provider: AWS\n  zone: eu-1a\n  rate: 1460\n  currency: USD\n"
        "  unit: node_month\n  month_rule: 730\n  status: provisional\n  minimum: 60s\n"
        f"  free_if_interrupted_within: 1h\n  from: '{OCTOBER}'\n"
    )
    fact = term.fact
    assert (fact.selector_kind, fact.selector, fact.provider, fact.zone) == (
        "contract",
        "cr-7",
        "AWS",
        "eu-1a",
    )
    assert (fact.unit, fact.month_rule, fact.status) == ("node_month", "730", "provisional")
    assert fact.rules == '{"interrupted_free_s":3600,"minimum_s":60}'
    assert fact.origin == "terms"


def test_wrong_unit_stands_in_its_own_line() -> None:
    _, (error,) = read(f"- model: H100\n  rate: 1\n  currency: USD\n  unit: day\n  from: '{OCTOBER}'\n")
    assert error.message == "unit 'day' is not known"
    assert str(error.place) == "prices.yaml, line 5"
