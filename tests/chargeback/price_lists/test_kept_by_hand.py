"""Lists of many clouds: the price of a node, and that of one of its GPUs, must be of one price."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from price_lists import prices, rates, read, reasons

CLOUDS = "Cloud,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,On-demand,Per-GPU,Spot,Name"
SERVERLESS = "Vendor,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,Per-Hour,Per-GPU"
APART = "On-demand and Per-GPU are not of one price"


def node(
    on_demand: str, per_gpu: str, gpus: str = "8", name: str = "x.8", cloud: str = "Small", spot: str = ""
) -> str:
    return f"{cloud},A100 (80 GB),Ampere,{gpus},80,96,1152,{on_demand},{per_gpu},{spot},{name}"


def test_a_named_node_has_a_price_of_its_own_at_its_cloud() -> None:
    found = read(CLOUDS, node("40.97", "5.12", spot="12.3", cloud="AWS", name="p4de.24xlarge"))
    assert rates(found) == {"p4de.24xlarge//on_demand": "40.97", "p4de.24xlarge//spot": "12.3"}
    assert {(fact.provider, fact.unit) for fact in prices(found)} == {("AWS", "node_hour")}


def test_a_node_without_a_name_prices_its_gpus_by_their_model() -> None:
    found = read(
        CLOUDS, *(node(price, "1.1", gpus, "", spot="") for price, gpus in (("1.1", "1"), ("8.8", "8")))
    )
    (fact,) = prices(found)
    assert (fact.selector_kind, fact.selector, fact.provider) == ("model", "A100 (80 GB)", "Small")
    assert (fact.rate, fact.unit) == ("1.1", "gpu_hour")
    assert found.read == 2


def test_the_price_of_a_gpu_is_the_exact_part_of_the_node_where_there_is_one() -> None:
    assert [fact.rate for fact in prices(read(CLOUDS, node("12.83", "1.60", "8", "")))] == ["1.60375"]
    assert [fact.rate for fact in prices(read(CLOUDS, node("10.00", "3.33", "3", "")))] == ["3.33"]


@pytest.mark.parametrize(
    ("on_demand", "per_gpu", "gpus", "agree"),
    [
        ("40.97", "5.12", "8", True),
        ("37.18", "4.64", "8", False),
        ("0.30", "0.29", "1", False),
        ("0.63", "0.64", "1", False),
        ("5.67", "1.42", "4", True),
        ("10.92", "5.45", "2", False),
        ("1", "1", "1", True),
        ("24.4", "3.05", "8", True),
    ],
)
def test_two_prices_agree_where_one_price_rounds_to_both(
    on_demand: str, per_gpu: str, gpus: str, agree: bool
) -> None:
    found = read(CLOUDS, node(on_demand, per_gpu, gpus))
    assert reasons(found.skipped) == ({} if agree else {APART: 1})


@given(st.integers(1, 10**6), st.sampled_from([1, 2, 4, 8, 16]), st.integers(1, 3), st.integers(1, 3))
def test_prices_that_were_rounded_from_one_always_agree(
    tenths: int, gpus: int, digits: int, other: int
) -> None:
    exact = Fraction(tenths, 10_000)

    def rounded(value: Fraction, behind: int) -> str:
        return f"{round(value * 10**behind)}e-{behind}" if value else "0"

    def plain(text: str) -> str:
        number, behind = text.split("e-")
        padded = number.rjust(int(behind) + 1, "0")
        return f"{padded[: -int(behind)]}.{padded[-int(behind) :]}"

    on_demand, per_gpu = plain(rounded(exact * gpus, digits)), plain(rounded(exact, other))
    found = read(CLOUDS, node(on_demand, per_gpu, str(gpus)))
    assert APART not in reasons(found.skipped)


def test_a_price_per_gpu_alone_is_confirmed_by_nothing() -> None:
    found = read(CLOUDS, node("", "1.70868", "2"))
    assert reasons(found.skipped) == {
        "On-demand is empty, and nothing confirms that Per-GPU is for one GPU": 1,
    }


def test_azures_sizes_are_written_in_words_and_general_machine_types_price_no_gpu() -> None:
    found = read(
        CLOUDS,
        node("14.69", "3.67", "4", "NC96ads A100 v4", "Azure"),
        node("2.95", "2.95", "1", "n1-highmem-8", "GCP"),
        node("4.40", "4.40", "1", "g3.small.x86", "Latitude.sh"),
    )
    assert rates(found) == {"Standard_NC96ads_A100_v4//on_demand": "14.69", "g3.small.x86//on_demand": "4.4"}
    assert reasons(found.skipped) == {"the number of GPUs is not that of the SKU": 1}


def test_a_provider_picks_its_rows() -> None:
    found = read(
        CLOUDS, node("8.8", "1.1", name=""), node("16", "2", name="", cloud="Other"), provider="Other"
    )
    assert [fact.rate for fact in prices(found)] == ["2"]
    assert reasons(found.skipped) == {"another provider than Other": 1}


def test_serverless_prices_of_one_model_that_differ_by_node_are_no_price_of_the_model() -> None:
    found = read(
        SERVERLESS,
        "Baseten,A10G (24 GB),Ampere,1,24,8,32,1.45,1.45",
        "Baseten,A10G (24 GB),Ampere,2,48,24,96,3.40,1.70",
        "Mystic AI,Nvidia T4,Turing,1,16GB,0,0,$0.4,$0.4",
        "Modal,A100 (40 GB),Ampere,2,40,16,80,10.92,5.45",
    )
    assert rates(found) == {"Nvidia T4//on_demand": "0.4"}
    assert reasons(found.skipped) == {
        "the list has several prices of one thing": 2,
        "Per-Hour and Per-GPU are not of one price": 1,
    }
