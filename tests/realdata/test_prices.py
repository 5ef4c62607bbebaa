"""Real price lists: each comes in with a count of what was read, and what was not and why, or is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from desktop import Desktop

from gpuledger.versions import Database, PriceFact, prices_in_force

pytestmark = pytest.mark.realdata

COUNT_APART = "the number of GPUs is not that of the SKU"
TWICE = "the list has several prices of one thing"
WITHOUT_GPUS = "the price of a node without its GPUs, which the list prices by themselves"


@dataclass(frozen=True)
class List:
    """A list, what is typed after its name, and what comes of it."""

    file: str
    shape: str
    rows: int
    prices: int
    skipped: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    options: tuple[str, ...] = ()


LISTS = [
    List("aws_on_demand.csv", "aws-on-demand", 3002, 152, {"no GPU": 2845, COUNT_APART: 5}),
    List(
        "aws_spot_price_capture_5regions.csv",
        "aws-spot",
        1945,
        97,
        {"no GPU": 1825, "the region has no spot price for it": 23},
        options=("--from", "2022-01-01T00:00Z"),
    ),
    List("azure_gpu_on_demand.csv", "azure-on-demand", 1391, 1391),
    List(
        "gcp_accelerator_machine_types_2026-07-30.csv",
        "gcp-machine-types",
        984,
        3609,
        left_out={
            "month_1y is empty: it is not sold with that commitment": 167,
            "month_3y is empty: it is not sold with that commitment": 160,
        },
        options=("--from", "2026-07-30T00:00Z"),
    ),
    List(
        "cloud-gpus_2025-03.csv",
        "cloud-gpus",
        257,
        182,
        {
            "On-demand and Per-GPU are not of one price": 30,
            COUNT_APART: 17,
            "On-demand is empty, and nothing confirms that Per-GPU is for one GPU": 6,
            TWICE: 2,
        },
        options=("--from", "2025-03-01T00:00Z"),
    ),
    List(
        "serverless-gpus_2025-03.csv",
        "serverless-gpus",
        72,
        32,
        {TWICE: 13, "Per-Hour and Per-GPU are not of one price": 3},
        options=("--from", "2025-03-01T00:00Z"),
    ),
    List("opencost/pricing_schema.csv", "opencost", 3, 2, {WITHOUT_GPUS: 1}),
    List("opencost/pricing_schema_mixed_gpu_ondemand.csv", "opencost", 4, 2, {WITHOUT_GPUS: 2}),
    List("opencost/pricing_schema_region.csv", "opencost", 3, 3),
    List(
        "../focus/focus_sample.csv",
        "focus",
        1000,
        2,
        {
            "it is not priced per hour": 890,
            "nothing says that it has a GPU": 81,
            "no GPU": 16,
            "it is no usage": 3,
        },
        {"ContractedUnitPrice does not make what was billed": 10},
    ),
]

REFUSED = {
    "aws_spot_advisor_gpu_linux_2025-06.csv": "percentages below the price on demand, and no price",
    "llm_token_prices_genai-prices.json.gz": "prices of tokens of language models, not of GPUs",
    "opencost/aws.json": "a configuration of OpenCost",
    "opencost/azure.json": "a configuration of OpenCost",
    "opencost/default.json": "a configuration of OpenCost",
    "opencost/gcp.json": "a configuration of OpenCost",
}


@pytest.fixture
def desktop(tmp_path: Path) -> Desktop:
    return Desktop(tmp_path)


@pytest.fixture(scope="module")
def lists(realdata: Path) -> Path:
    return realdata / "prices"


def bring_in(desktop: Desktop, path: Path, *options: str) -> dict[str, Any]:
    code, out, err = desktop.type("import", "prices", str(path), *options, "--format", "json")
    assert code == 0, err
    said: dict[str, Any] = json.loads(out)
    return said


def in_force(desktop: Desktop) -> list[PriceFact]:
    database = Database.open(f"sqlite:///{desktop.folder / 'home' / 'gpuledger.db'}")
    with database.read() as connection:
        known = prices_in_force(connection, database.latest_seq())
    database.close()
    return known


def test_no_list_of_the_folder_is_passed_over(lists: Path) -> None:
    there = {path.relative_to(lists).as_posix() for path in lists.rglob("*") if path.is_file()}
    known = {one.file for one in LISTS} | set(REFUSED) | {"SOURCE.txt", "../focus/focus_sample.csv"}
    assert there | {"../focus/focus_sample.csv"} == known


@pytest.mark.parametrize("one", LISTS, ids=lambda one: one.file)
def test_every_row_of_a_list_is_read_or_skipped_with_its_reason(
    desktop: Desktop, lists: Path, one: List
) -> None:
    said = bring_in(desktop, lists / one.file, *one.options)
    assert (said["shape"], said["rows"]) == (one.shape, one.rows)
    assert {reason["reason"]: reason["rows"] for reason in said["skipped"]} == one.skipped
    assert said["read"] == one.rows - sum(one.skipped.values())
    assert {reason["reason"]: reason["prices"] for reason in said["left_out"]} == one.left_out
    assert (said["new"], said["changed"], said["unchanged"], said["ended"]) == (one.prices, 0, 0, 0)
    again = bring_in(desktop, lists / one.file, *one.options)
    assert (again["new"], again["unchanged"], again["seq"]) == (0, one.prices, said["seq"])


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_price_is_refused_by_name(desktop: Desktop, lists: Path, name: str) -> None:
    code, out, err = desktop.type("import", "prices", str(lists / name))
    assert (code, out) == (3, "")
    assert REFUSED[name] in err
    assert "do: " in err


def test_lists_of_two_dates_follow_one_another(desktop: Desktop, lists: Path) -> None:
    path = lists / "gcp_accelerator_machine_types_2026-07-30.csv"
    newer = bring_in(desktop, path, "--from", "2026-08-30T00:00Z")
    older = bring_in(desktop, path, "--from", "2026-07-30T00:00Z")
    assert (newer["ended"], older["new"], older["ended"]) == (0, 3609, 0)
    ends = [fact.end_s is None for fact in in_force(desktop)]
    assert (ends.count(True), ends.count(False)) == (3609, 3609)


def test_prices_stand_as_the_lists_write_them(desktop: Desktop, lists: Path) -> None:
    for one in LISTS:
        bring_in(desktop, lists / one.file, *one.options)
    found = {
        (fact.selector, fact.region, fact.purchase_option, fact.provider): fact for fact in in_force(desktop)
    }
    for key, said in {
        ("p4d.24xlarge", "us-east-1", "spot", ""): ("9.8318", "USD", "node_hour", ""),
        ("g4dn.xlarge", "cn-north-1", "on_demand", ""): ("5.223", "CNY", "node_hour", ""),
        ("g6f.xlarge", "us-east-1", "on_demand", ""): None,
        ("a2-highgpu-1g", "africa-south1", "committed_3y", ""): ("1227.64575595", "USD", "node_month", "730"),
        ("g5.4xlarge", "us-east-1", "on_demand", "AWS"): ("1.624", "USD", "node_hour", ""),
        ("A100 (40 GB)", "", "spot", "Jarvislabs"): ("0.69", "USD", "gpu_hour", ""),
        ("Quadro_RTX_4000", "", "", ""): ("0.75", "USD", "gpu_hour", ""),
    }.items():
        fact = found.get(key)
        assert (fact and (fact.rate, fact.currency, fact.unit, fact.month_rule)) == said, key
