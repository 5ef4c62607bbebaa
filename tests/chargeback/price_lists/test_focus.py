"""Prices in a bill in FOCUS: the one that makes what was billed, since the first row that has it."""

from __future__ import annotations

import json

from price_lists import prices, rates, read, reasons

from chargeback.price_lists.price_list import PriceList
from gpuledger.instants import format_utc

COLUMNS = (
    "ChargePeriodStart",
    "ChargeCategory",
    "ChargeDescription",
    "SkuId",
    "SkuPriceDetails",
    "PricingUnit",
    "PricingCategory",
    "PricingQuantity",
    "ListUnitPrice",
    "ContractedUnitPrice",
    "BilledCost",
    "BillingCurrency",
    "RegionId",
    "AvailabilityZone",
    "ProviderName",
)
ROW = {
    "ChargePeriodStart": "2026-09-01T05:00:00Z",
    "ChargeCategory": "Usage",
    "ChargeDescription": "$1.624 per On Demand Linux g5.4xlarge Instance Hour",
    "SkuId": "H9ZN7",
    "SkuPriceDetails": "NULL",
    "PricingUnit": "Hours",
    "PricingCategory": "Standard",
    "PricingQuantity": "2.000",
    "ListUnitPrice": "1.624",
    "ContractedUnitPrice": "1.5",
    "BilledCost": "3.00",
    "BillingCurrency": "USD",
    "RegionId": "us-east-1",
    "AvailabilityZone": "us-east-1a",
    "ProviderName": "AWS",
}


def row(**cells: str) -> str:
    return ",".join('"' + (ROW | cells)[name].replace('"', '""') + '"' for name in COLUMNS)


def bill(*rows: str, everything: bool = False, from_s: int | None = None) -> PriceList:
    return read(",".join(COLUMNS), *rows, from_s=from_s, everything=everything)


def test_the_contracted_price_counts_where_it_makes_what_was_billed() -> None:
    (fact,) = prices(bill(row()))
    assert (fact.selector, fact.region, fact.zone, fact.provider) == ("g5.4xlarge", "us-east-1", "", "AWS")
    assert (fact.rate, fact.currency, fact.unit, fact.purchase_option) == (
        "1.5",
        "USD",
        "node_hour",
        "on_demand",
    )


def test_the_list_price_counts_where_the_contracted_one_was_rounded_away() -> None:
    found = bill(
        row(ContractedUnitPrice="0.00000", BilledCost="3.248"),
        row(ContractedUnitPrice="2", BilledCost="3.25"),
    )
    assert rates(found) == {"g5.4xlarge/us-east-1/on_demand": "1.624"}
    (doubt,) = found.left_out
    assert (doubt.reason, doubt.count) == ("ContractedUnitPrice does not make what was billed", 2)
    assert doubt.said == "0.00000 × 2.000 is not 3.248"


def test_a_row_whose_prices_make_nothing_of_what_was_billed_is_skipped() -> None:
    found = bill(row(BilledCost="9.99"))
    assert reasons(found.skipped) == {"ContractedUnitPrice does not make what was billed": 1}


def test_a_price_begins_with_the_first_row_that_has_it_and_holds_until_another() -> None:
    later = {"ChargePeriodStart": "2026-09-20T00:00:00Z", "ContractedUnitPrice": "1.4", "BilledCost": "2.8"}
    again = {"ChargePeriodStart": "2026-09-25 00:00:00"}
    found = bill(row(**again), row(**later), row(), row(ChargePeriodStart="2026-09-03T00:00:00Z"))
    assert sorted((format_utc(fact.start_s)[:10], fact.rate) for fact in prices(found)) == [
        ("2026-09-01", "1.5"),
        ("2026-09-20", "1.4"),
        ("2026-09-25", "1.5"),
    ]
    assert found.read == 4


def test_the_details_of_the_price_name_the_instance_before_the_words_do() -> None:
    details = json.dumps({"InstanceType": "p5.48xlarge", "GpuCount": 8})
    assert [fact.selector for fact in prices(bill(row(SkuPriceDetails=details)))] == ["p5.48xlarge"]
    wrong = json.dumps({"InstanceType": "p5.48xlarge", "GpuCount": 4})
    assert reasons(bill(row(SkuPriceDetails=wrong)).skipped) == {
        "the number of GPUs is not that of the SKU": 1
    }
    counted = json.dumps({"GpuCount": 1})
    assert [fact.selector for fact in prices(bill(row(SkuPriceDetails=counted, ChargeDescription="x")))] == [
        "H9ZN7"
    ]


def test_spot_is_priced_by_zone() -> None:
    (fact,) = prices(bill(row(PricingCategory="Dynamic")))
    assert (fact.purchase_option, fact.zone) == ("spot", "us-east-1a")


def test_what_is_no_price_of_a_node_with_gpus_says_so() -> None:
    found = bill(
        row(PricingUnit="GB"),
        row(ChargeCategory="Credit"),
        row(PricingCategory="Committed"),
        row(ChargeDescription="$0.34 per On Demand Linux c5.2xlarge Instance Hour"),
        row(ChargeDescription="NAT gateway"),
        row(ListUnitPrice="NULL", ContractedUnitPrice="NULL"),
        row(BilledCost="0", ListUnitPrice="0", ContractedUnitPrice="0"),
    )
    assert prices(found) == []
    assert reasons(found.skipped) == {
        "it is not priced per hour": 1,
        "it is no usage": 1,
        "a commitment prices it, and no meter": 1,
        "no GPU": 1,
        "nothing says that it has a GPU": 1,
        "the row has no price per unit": 1,
        "ContractedUnitPrice is 0, which lists write for what is not known": 1,
    }


def test_all_rows_are_keyed_by_sku_where_no_instance_is_named() -> None:
    (fact,) = prices(bill(row(ChargeDescription="NAT gateway"), everything=True))
    assert (fact.selector_kind, fact.selector) == ("sku", "H9ZN7")
