"""A price list comes in whole or not at all, and an error names file, row and both records."""

from __future__ import annotations

import pytest

from chargeback.terms.prices import OPTIONAL, REQUIRED, parse_prices, price_claim
from chargeback.terms.records import parse_records
from chargeback.terms.validity import Clock, refuse_overlaps, terms_by_identity
from gpuledger.errors import ColumnMapError, InputError, OverlapError
from gpuledger.instants import format_utc
from gpuledger.versions import PriceFact

HEADER = "model,region,rate,currency,from,to\n"
OCTOBER = "2026-10-01T00:00:00Z"


def parsed(rows: str, header: str = HEADER, zone: str = "UTC") -> list[PriceFact]:
    records = parse_records(header + rows, "prices.csv", REQUIRED, OPTIONAL)
    terms = terms_by_identity(parse_prices(records, Clock(lambda: zone), "prices"))
    refuse_overlaps(terms, [], price_claim)
    return [term.fact for term in terms.values()]


def refused(rows: str, header: str = HEADER, kind: type[InputError] = InputError) -> InputError:
    with pytest.raises(kind) as caught:
        parsed(rows, header)
    assert caught.value.place is not None
    assert caught.value.place.file == "prices.csv"
    assert caught.value.mend
    return caught.value


def test_a_price_is_read_exactly() -> None:
    (fact,) = parsed(f"H100,eu,2.7447050,USD,{OCTOBER},2026-10-15T15:50:00+05:30\n")
    assert fact == PriceFact(
        identity="model/H100/eu//2026-10-01T00:00:00Z",
        start_s=1_790_812_800,
        end_s=1_792_059_600,
        selector_kind="model",
        selector="H100",
        region="eu",
        purchase_option="",
        rate="2.744705",
        currency="USD",
        source="prices",
    )


def test_columns_may_stand_in_any_order_and_be_left_out() -> None:
    (fact,) = parsed(
        f"USD,{OCTOBER},,p5.48xlarge,spot,contract-7,3\n",
        "Currency,From,To,SKU,Purchase Option,source,rate\n",
    )
    assert (fact.selector_kind, fact.selector, fact.region, fact.purchase_option, fact.source) == (
        "sku",
        "p5.48xlarge",
        "",
        "spot",
        "contract-7",
    )


def test_a_star_is_any_model_and_any_region() -> None:
    (fact,) = parsed(f"*,*,1,USD,{OCTOBER},\n")
    assert (fact.selector, fact.region) == ("*", "")


# T40 and T41: a price of 0 is a price, and a sentinel for "not known" is none.
def test_a_true_zero_is_a_price_and_a_sentinel_is_an_error() -> None:
    assert [fact.rate for fact in parsed(f"H100,eu,0.00,USD,{OCTOBER},\n")] == ["0"]
    error = refused(f"A100,eu,1,USD,{OCTOBER},\nH100,eu,-1,USD,{OCTOBER},\n")
    assert error.message == "rate -1 is negative"
    assert str(error.place) == "prices.csv, row 2, column rate"


@pytest.mark.parametrize("rate", ["NaN", "inf", "", "1,5", '"1,500.00"', "$2", "2.7.1", "1e400"])
def test_a_rate_that_is_no_number_is_an_error(rate: str) -> None:
    refused(f"H100,eu,{rate},USD,{OCTOBER},\n")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (f"H100,eu,1,XXX,{OCTOBER},", "currency 'XXX' is not known"),
        (f"H100,eu,1,usd,{OCTOBER},", "currency 'usd' is not known"),
        ("H100,eu,1,USD,,", "from is empty"),
        ("H100,eu,1,USD,soon,", "'soon' is not an instant"),
        (f"H100,eu,1,USD,{OCTOBER},{OCTOBER}", "is not after from"),
        (f"H100,eu,1,USD,{OCTOBER},2026-09-01T00:00:00Z", "is not after from"),
        (f",eu,1,USD,{OCTOBER},", "neither sku nor model is given"),
        ("H100,eu,1,USD", "4 cells under 6 columns"),
    ],
)
def test_a_row_that_cannot_be_right_refuses_the_file(row: str, message: str) -> None:
    error = refused(f"A100,eu,1,USD,{OCTOBER},\n{row}\n")
    assert message in error.message
    assert error.place is not None
    assert error.place.row == 2


def test_both_sku_and_model_are_an_error() -> None:
    header = "sku,model,rate,currency,from,to\n"
    assert "both sku and model" in refused(f"p5,H100,1,USD,{OCTOBER},\n", header).message
    assert "no selector" in refused(f"*,,1,USD,{OCTOBER},\n", header).message


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("model,region,currency,from,to\n", "the header lacks rate"),
        ("model,region,rate,currency,from,to,colour\n", "column 'colour' is not known"),
        ("model,model,rate,currency,from,to\n", "column 'model' is there twice"),
        ("model;region;rate;currency;from;to\n", "only one column was found"),
    ],
)
def test_a_header_that_does_not_fit_is_an_error(header: str, message: str) -> None:
    assert message in refused("", header, ColumnMapError).message


def test_prices_that_touch_do_not_overlap() -> None:
    rows = f"H100,eu,2,USD,{OCTOBER},2026-10-15T10:20:00Z\nH100,eu,3,USD,2026-10-15T10:20:00Z,\n"
    assert [fact.rate for fact in parsed(rows)] == ["2", "3"]


@pytest.mark.parametrize("end", ["", "2026-10-15T10:20:01Z"])
def test_prices_that_overlap_name_both_records(end: str) -> None:
    rows = f"H100,eu,3,USD,2026-10-15T10:20:00Z,\nA100,eu,2,USD,{OCTOBER},\nH100,eu,2,USD,{OCTOBER},{end}\n"
    error = refused(rows, kind=OverlapError)
    assert "row 3 (model/H100/eu//2026-10-01T00:00:00Z until" in error.message
    assert "row 1 (model/H100/eu//2026-10-15T10:20:00Z until open)" in error.message


def test_other_regions_and_purchase_options_do_not_overlap() -> None:
    header = "model,region,purchase_option,rate,currency,from,to\n"
    rows = [f"H100,{region},{option},1,USD,{OCTOBER},\n" for region in ("", "eu") for option in ("", "spot")]
    assert len(parsed("".join(rows), header)) == 4


def test_one_row_said_twice_is_one_price_and_two_that_differ_are_an_error() -> None:
    row = f"H100,eu,2,USD,{OCTOBER},\n"
    assert len(parsed(row * 2)) == 1
    error = refused(row + f"H100,eu,3,USD,{OCTOBER},\n", kind=OverlapError)
    assert "rows 1 and 2 say different things" in error.message


# T56: a date is local to the contract's zone, and the zone that was used is known.
def test_a_date_begins_where_the_zone_has_its_midnight() -> None:
    (fact,) = parsed("H100,eu,2,USD,2026-10-01,2026-11-01\n", zone="Asia/Kolkata")
    assert (format_utc(fact.start_s), fact.identity) == (
        "2026-09-30T18:30:00Z",
        "model/H100/eu//2026-09-30T18:30:00Z",
    )


def test_the_zone_is_asked_for_only_when_it_is_needed() -> None:
    asked = []
    clock = Clock(lambda: asked.append(True) or "UTC")  # type: ignore[func-returns-value]
    for row in (f"H100,eu,1,USD,{OCTOBER},\n", "H100,us,1,USD,2026-10-01,\n"):
        parse_prices(parse_records(HEADER + row, "p", REQUIRED, OPTIONAL), clock, "s")
    assert (len(asked), clock.used) == (1, "UTC")


NODES = "sku,model,contract,provider,zone,rate,currency,unit,month_rule,status,from,to\n"


def node_price(**cells: str) -> str:
    given = {"rate": "8", "currency": "USD", "from": OCTOBER} | cells
    return ",".join(given.get(name, "") for name in NODES.strip().split(",")) + "\n"


def test_a_price_may_be_of_a_node_a_contract_a_provider_and_a_zone() -> None:
    (fact,) = parsed(node_price(contract="cr-7", provider="AWS", zone="eu-1a", unit="node_hour"), NODES)
    assert (fact.selector_kind, fact.selector, fact.provider, fact.zone) == (
        "contract",
        "cr-7",
        "AWS",
        "eu-1a",
    )
    assert (fact.unit, fact.month_rule, fact.rules, fact.status) == ("node_hour", "", "", "final")
    assert fact.identity == "contract/cr-7///AWS/eu-1a/2026-10-01T00:00:00Z"


def test_an_identity_is_as_it_was_where_no_provider_and_no_zone_is_named() -> None:
    rows = node_price(sku="p5", provider="*", zone="*", unit="node_hour", status="provisional")
    (fact,) = parsed(rows, NODES)
    assert fact.identity == "sku/p5///2026-10-01T00:00:00Z"


# T53: a month has the hours that a named rule says, and the rate stays as it was quoted.
@pytest.mark.parametrize(
    ("rule", "kept"), [("", "actual"), ("actual", "actual"), ("730", "730"), ("720", "720")]
)
def test_a_price_per_month_names_the_rule_of_its_hours(rule: str, kept: str) -> None:
    (fact,) = parsed(node_price(sku="p5", unit="node_month", month_rule=rule, rate="1460.00"), NODES)
    assert (fact.unit, fact.month_rule, fact.rate) == ("node_month", kept, "1460")


# T48: what is priced per GPU is not priced per node too.
def test_one_thing_has_no_two_prices_at_once_in_different_units() -> None:
    rows = node_price(sku="p5", unit="gpu_hour", rate="1") + node_price(sku="p5", unit="node_hour")
    assert "rows 1 and 2 say different things" in refused(rows, NODES, OverlapError).message
    later = node_price(sku="p5", unit="node_hour", **{"from": "2026-11-01T00:00:00Z"})
    assert "hold at the same time" in refused(node_price(sku="p5") + later, NODES, OverlapError).message


@pytest.mark.parametrize(
    ("cells", "message", "column"),
    [
        ({"sku": "p5", "unit": "hour"}, "unit 'hour' is not known", "unit"),
        (
            {"sku": "p5", "unit": "gpu_month", "month_rule": "28"},
            "month_rule '28' is not known",
            "month_rule",
        ),
        ({"sku": "p5", "month_rule": "730"}, "a price per gpu_hour has the month rule 730", "month_rule"),
        ({"sku": "p5", "status": "draft"}, "status 'draft' is not known", "status"),
        ({"sku": "p5", "contract": "cr-7"}, "both sku and contract are given", ""),
        ({"contract": "*"}, "contract * is no selector", "contract"),
        ({}, "neither sku nor model is given", ""),
    ],
)
def test_a_word_that_is_not_known_is_an_error(cells: dict[str, str], message: str, column: str) -> None:
    error = refused(node_price(**cells), NODES)
    assert error.message == message
    assert error.place is not None
    assert error.place.column == column


COUNTED = "sku,rate,currency,from,to,granularity,minimum,rounding,free_first,free_if_interrupted_within,"
COUNTED += "interrupted_rounding\n"


@pytest.mark.parametrize(
    ("cells", "rules"),
    [
        ("1s,,,,,", ""),
        (",,up,0s,,", ""),
        ("60s,,,,,", '{"granularity_s":60}'),
        ("1h,,down,,,as_used", '{"granularity_s":3600,"interrupted_rounding":"as_used","rounding":"down"}'),
        (",60s,,,1h,", '{"interrupted_free_s":3600,"minimum_s":60}'),
        (",,,10m,,", '{"free_s":600}'),
        (",,,10 min,,", '{"free_s":600}'),
    ],
)
def test_how_a_run_is_counted_is_kept_in_one_spelling(cells: str, rules: str) -> None:
    (fact,) = parsed(f"p5,8,USD,{OCTOBER},,{cells}\n", COUNTED)
    assert fact.rules == rules


@pytest.mark.parametrize(
    ("cells", "message", "column"),
    [
        ("1d,,,,,", "granularity '1d' is no length of time", "granularity"),
        ("60,,,,,", "granularity '60' is no length of time", "granularity"),
        ("-1s,,,,,", "granularity '-1s' is no length of time", "granularity"),
        ("0s,,,,,", "granularity_s is 0", ""),
        (",,near,,,", "rounding is 'near'", "rounding"),
        (",,,,,half", "interrupted_rounding is 'half'", "interrupted_rounding"),
        (",,,,soon,", "free_if_interrupted_within 'soon' is no length of time", "free_if_interrupted_within"),
        ("1h,60s,,,,", "a minimum of 60 s is shorter than a step of 3600 s", ""),
    ],
)
def test_a_rule_of_counting_that_cannot_be_is_an_error(cells: str, message: str, column: str) -> None:
    error = refused(f"p5,8,USD,{OCTOBER},,{cells}\n", COUNTED)
    assert error.message == message
    assert error.place is not None
    assert error.place.column == column
