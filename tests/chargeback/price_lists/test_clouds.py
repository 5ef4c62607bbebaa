"""Lists of AWS, Azure and Google Cloud: prices of nodes, and a reason for every row that has none."""

from __future__ import annotations

import pytest
from price_lists import JANUARY_S, prices, rates, read, reasons

from gpuledger.errors import InputError
from gpuledger.instants import format_utc

AWS = (
    "partition,region,instance_type,on_demand_per_hour,generated_at,currency,"
    "accelerator_name,gpu_count,gpu_name"
)
SPOT = "region_alias,instance_type,os,usd_per_hour"
AZURE = "region,sku,on_demand_usd_per_hour,generated_at"
GCP = "machine_type,region,gpu_name,gpu_count,hour,hour_spot,month,month_1y,month_3y,month_spot"
JULY = "2026-07-20T13:44:30Z"


def aws(rest: str, partition: str = "aws", currency: str = "USD", sku: str = "p5.48xlarge") -> str:
    return f"{partition},us-east-1,{sku},55.04,{JULY},{currency},,{rest}"


def test_a_node_on_demand_is_priced_per_node_and_hour_since_the_list_was_made() -> None:
    (fact,) = prices(read(AWS, aws("8,h100"), from_s=None))
    assert (fact.selector_kind, fact.selector, fact.region) == ("sku", "p5.48xlarge", "us-east-1")
    assert (fact.rate, fact.currency, fact.unit, fact.purchase_option) == (
        "55.04",
        "USD",
        "node_hour",
        "on_demand",
    )
    assert (format_utc(fact.start_s), fact.end_s, fact.origin) == (JULY, None, "import")
    assert fact.identity == f"sku/p5.48xlarge/us-east-1/on_demand/{JULY}"


def test_an_instant_that_is_given_goes_before_that_of_the_list() -> None:
    (fact,) = prices(read(AWS, aws("8,h100")))
    assert fact.start_s == JANUARY_S


def test_a_list_without_a_time_needs_one() -> None:
    with pytest.raises(InputError, match="does not say since when") as caught:
        read(SPOT, "us-east,p4d.24xlarge,linux,9.8318", from_s=None)
    assert "--from" in caught.value.mend


# T49: a node without a GPU prices no GPU, so it is not read unless it is asked for.
def test_nodes_without_a_gpu_are_skipped_unless_all_are_wanted() -> None:
    rows = (aws(",", sku="m5.large"), f"aws,us-east-1,trn1.2xlarge,1.34,{JULY},USD,trainium,,")
    found = read(AWS, *rows, aws("8,h100"))
    assert reasons(found.skipped) == {"no GPU": 2}
    assert (found.skipped[0].first_row, found.skipped[0].said) == (1, "m5.large")
    assert len(prices(read(AWS, *rows, aws("8,h100"), everything=True))) == 3


def test_the_count_of_a_sku_that_the_list_has_not_is_known_by_its_name() -> None:
    assert len(prices(read(AWS, aws(",", sku="p3.8xlarge")))) == 1


@pytest.mark.parametrize(
    ("row", "reason", "said"),
    [
        (
            aws("4,h100"),
            "the number of GPUs is not that of the SKU",
            "p5.48xlarge has 4 in the list, 8 H100 by its name",
        ),
        (
            aws("0,l4", sku="g6f.large"),
            "the number of GPUs is not that of the SKU",
            "g6f.large has 0 in the list, 1/8 L4 by its name",
        ),
        (
            aws("8,a100"),
            "the model of the GPUs is not that of the SKU",
            "p5.48xlarge has a100 in the list, H100 by its name",
        ),
        (aws("x,h100"), "the number of GPUs is no number", "'x'"),
        (aws("8,h100", "aws-cn"), "prices of aws-cn are in CNY", "the row says USD"),
        (aws("8,h100", currency="XXX"), "the currency is not known", "currency 'XXX' is not known"),
        (aws("8,h100") + ",x", "another number of cells than the header has", "10 cells"),
        (aws("8,h100").replace("55.04", "-1"), "on_demand_per_hour is no price", "'-1'"),
        (aws("8,h100").replace("55.04", ""), "on_demand_per_hour is no price", "it is empty"),
        (aws("8,h100").replace("55.04", "NaN"), "on_demand_per_hour is no price", "'NaN'"),
        (
            aws("8,h100").replace("55.04", "0.0"),
            "on_demand_per_hour is 0, which lists write for what is not known",
            "",
        ),
        (aws("8,h100").replace(JULY, "July"), "generated_at is no instant", "'July' is not an instant"),
    ],
)
def test_a_row_that_cannot_be_right_is_skipped_and_says_why(row: str, reason: str, said: str) -> None:
    found = read(AWS, aws("8,h100", sku="p5en.48xlarge").replace("h100", "h200"), row, from_s=None)
    assert [fact.selector for fact in prices(found)] == ["p5en.48xlarge"]
    (one,) = found.skipped
    assert (one.reason, one.count, one.first_row, one.said) == (reason, 1, 2, said)


def test_china_is_priced_in_yuan_and_a_currency_picks_its_rows() -> None:
    rows = (aws("8,h100"), aws("8,h100", "aws-cn", "CNY").replace("us-east-1", "cn-north-1"))
    assert [fact.currency for fact in prices(read(AWS, *rows))] == ["USD", "CNY"]
    found = read(AWS, *rows, currency="CNY")
    assert [fact.region for fact in prices(found)] == ["cn-north-1"]
    assert reasons(found.skipped) == {"another currency than CNY": 1}


def test_rows_that_contradict_one_another_are_none_of_them_taken() -> None:
    found = read(
        AWS, aws("8,h100"), aws("8,h100").replace("55.04", "98.32"), aws("8,h200", sku="p5en.48xlarge")
    )
    assert [fact.selector for fact in prices(found)] == ["p5en.48xlarge"]
    (one,) = found.skipped
    assert (one.reason, one.count) == ("the list has several prices of one thing", 2)
    assert one.said == "p5.48xlarge us-east-1: 55.04 and 98.32 in rows 1, 2"


def test_a_row_that_is_said_twice_is_one_price() -> None:
    found = read(AWS, aws("8,h100"), aws("8,h100"))
    assert (found.read, len(found.terms)) == (2, 1)
    assert found.terms[0].place.row == 1


def test_spot_prices_have_the_region_of_today_and_none_where_it_is_not_sold() -> None:
    found = read(
        SPOT,
        "us-east,p4d.24xlarge,linux,9.8318",
        "apac-syd,p3.2xlarge,linux,1.2702",
        "us-east-2,g2.2xlarge,linux,N/A*",
        "us-east,p4d.24xlarge,mswin,14",
        "us-east,m5.large,linux,0.03",
    )
    assert rates(found) == {
        "p4d.24xlarge/us-east-1/spot": "9.8318",
        "p3.2xlarge/ap-southeast-2/spot": "1.2702",
    }
    assert reasons(found.skipped) == {
        "the region has no spot price for it": 1,
        "another system than Linux, whose licence is in the price": 1,
        "no GPU": 1,
    }


def test_a_part_of_a_gpu_is_a_node_with_a_price_like_any() -> None:
    found = read(AZURE, f"westus3,Standard_NV6ads_A10_v5,0.454,{JULY}", f"westus3,Standard_D8s_v5,0.4,{JULY}")
    assert rates(found) == {"Standard_NV6ads_A10_v5/westus3/on_demand": "0.454"}
    assert reasons(found.skipped) == {"no GPU": 1}


def test_google_has_prices_per_hour_and_commitments_per_month_of_730_hours() -> None:
    found = read(GCP, "a2-highgpu-1g,europe-west4,a100,1,3.67,1.1,2679.1,1687.833,937.685,803")
    assert {fact.purchase_option: (fact.rate, fact.unit, fact.month_rule) for fact in prices(found)} == {
        "on_demand": ("3.67", "node_hour", ""),
        "spot": ("1.1", "node_hour", ""),
        "committed_1y": ("1687.833", "node_month", "730"),
        "committed_3y": ("937.685", "node_month", "730"),
    }
    assert found.assumed_currency == "USD"


# T53: the price per hour stands, and the month is not a second price of the same thing.
def test_an_hour_that_its_month_divided_by_730_does_not_make_is_left_out() -> None:
    found = read(
        GCP,
        "a2-highgpu-1g,europe-west4,a100,1,3.67,1.1,2731,,937.685,803",
        "a3-highgpu-8g,europe-west4,h100-80gb,8,6.61733049041096,1.1,4830.651258,,,803",
    )
    assert rates(found) == {
        "a2-highgpu-1g/europe-west4/spot": "1.1",
        "a2-highgpu-1g/europe-west4/committed_3y": "937.685",
        "a3-highgpu-8g/europe-west4/on_demand": "6.61733049041096",
        "a3-highgpu-8g/europe-west4/spot": "1.1",
    }
    assert reasons(found.left_out) == {
        "hour is not month / 730": 1,
        "month_1y is empty: it is not sold with that commitment": 2,
        "month_3y is empty: it is not sold with that commitment": 1,
    }


def test_a_provider_that_is_given_stands_on_each_price() -> None:
    (fact,) = prices(read(AZURE, f"westus3,Standard_NC6,0.9,{JULY}", provider="azure"))
    assert fact.provider == "azure"
    assert fact.identity.startswith("sku/Standard_NC6/westus3/on_demand/azure//")
