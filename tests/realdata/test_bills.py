"""Real and exemplary bills: the sample of FOCUS 1.0, and every worked example of its specification."""

from __future__ import annotations

import csv
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from chargeback.bills import bill_lines, bill_lots
from chargeback.bills.amounts import shown
from chargeback.bills.listing import Instance
from chargeback.bills.reading import CONTENT, Given, Reading, read_bills
from chargeback.fx import fx_rates
from gpuledger.engine import connect
from gpuledger.errors import InputError
from gpuledger.lake.arrow import pa
from gpuledger.versions import BillFact, Book

pytestmark = pytest.mark.realdata

DEFECTS = (
    "column Id is no column of FOCUS, and not marked as the provider's own by x_: not read",
    "cells that say NULL in words, read as not said: 5199",
    "EffectiveCost is rounded to whole units of the currency, where BilledCost has a fraction: "
    "620 rows (AWS 614, Oracle 6)",
    "ContractedCost is rounded to whole units of the currency, where BilledCost has a fraction: "
    "614 rows (AWS 614)",
    "ContractedCost is null: 7 rows (Oracle 7)",
    "AvailabilityZone is a number: 51 rows (Microsoft 51)",
    "PricingCategory is null for Usage or Purchase: 5 rows (Oracle 5)",
    "ChargeFrequency has a value that FOCUS does not know: 7 rows (Usage-based 7)",
    "instants have no offset from UTC, such as 2024-09-01 00:00:00: read in UTC",
    "usage is charged outside the billing period: 1 row (Oracle 1)",
)

US_DATES = Given(date_format="%m/%d/%y")
ALL_SAID = Given({"provider": "Acme", "issuer": "Acme", "billing_account": "1", "currency": "USD"})

# (rows, total) of an example that is read; of another why it is refused.
EXAMPLES: dict[str, tuple[Given, tuple[int, str] | str]] = {
    "commitment_discount_purchase_scenario_1": (ALL_SAID, (1, "8760")),
    "commitment_discount_purchase_scenario_2": (ALL_SAID, "'2023-02-01T30:00:00Z' is not an instant"),
    "commitment_discount_purchase_scenario_3": (ALL_SAID, "'2023-02-01T30:00:00Z' is not an instant"),
    "commitment_discount_usage_scenario_1": (ALL_SAID, (1, "0")),
    "commitment_discount_usage_scenario_2": (ALL_SAID, (1, "0")),
    "commitment_discount_usage_scenario_3": (ALL_SAID, (2, "0")),
    "commitment_discount_usage_scenario_4": (ALL_SAID, (2, "0.5")),
    "one_hundred_percent_utilization_with_commitment_discount_flexibility_with_1_resource": (
        ALL_SAID,
        (3, "2.75"),
    ),
    "one_hundred_percent_utilization_with_commitment_discount_flexibility_with_2_resources": (
        ALL_SAID,
        (3, "2"),
    ),
    "one_hundred_percent_utilization_without_commitment_discount_flexibility": (ALL_SAID, (2, "1.5")),
    "zero_percent_utilization_without_commitment_discount_flexibility": (ALL_SAID, (3, "3.5")),
    "saas_spend_agreements_a1": (US_DATES, (4, "1200")),
    "saas_spend_agreements_a2": (US_DATES, (13, "1200")),
    "saas_spend_agreements_b1": (US_DATES, (5, "1200")),
    "saas_spend_agreements_b2": (US_DATES, (14, "1200")),
    "virtual_currency_pricing_model_a1": (US_DATES, (1, "200000")),
    "virtual_currency_pricing_model_a2": (US_DATES, (3, "0")),
    "virtual_currency_pricing_model_b1": (US_DATES, (1, "100000")),
    "virtual_currency_pricing_model_b2": (US_DATES, (3, "0")),
    "virtual_currency_pricing_model_b3": (US_DATES, (3, "0")),
    "virtual_currency_pricing_model_c": (US_DATES, (2, "53000")),
    "simple_saas_agreements_a1": (US_DATES, (1, "10000")),
    "simple_saas_agreements_a2": (US_DATES, (1, "50000")),
    "simple_saas_agreements_a3": (US_DATES, (1, "1000")),
    "simple_saas_agreements_b": (US_DATES, (1, "50000")),
    "simple_saas_agreements_c": (US_DATES, (3, "35800")),
}


def read(path: Path, given: Given | None = None) -> tuple[Reading, pa.Table]:
    with connect() as connection:
        reading = read_bills(connection, [path], given or Given())
        columns = ", ".join(f'"{name}"' for name in ("bill", "line", *CONTENT))
        return reading, connection.sql(f"select {columns} from line").to_arrow_table()


@pytest.fixture(scope="module")
def sample(realdata: Path) -> Path:
    return realdata / "focus" / "focus_sample.csv"


@pytest.fixture(scope="module")
def rows(sample: Path) -> list[dict[str, str]]:
    with sample.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_sample_is_read_whole_with_its_known_defects_named(sample: Path) -> None:
    reading, _ = read(sample)
    assert (reading.format, reading.bad, list(reading.rows.values())) == ("focus/1.0", (), [1000])
    assert reading.warnings == DEFECTS


def test_the_bills_of_the_sample_come_to_what_its_rows_do(sample: Path, rows: list[dict[str, str]]) -> None:
    sums: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    for row in rows:
        sums[row["InvoiceIssuerName"], row["BillingPeriodStart"][:7]].append(Decimal(row["BilledCost"]))
    reading, _ = read(sample)
    assert {
        (bill.provider, bill.identity.split("/")[2]): (bill.rows, Decimal(bill.total))
        for bill in reading.bills
    } == {key: (len(amounts), sum(amounts)) for key, amounts in sums.items()}
    assert len(reading.bills) == 6


def test_the_lines_of_the_sample_keep_every_digit(sample: Path, rows: list[dict[str, str]]) -> None:
    _, lines = read(sample)
    by_line = {line["line"]: line for line in lines.to_pylist()}
    for number, row in enumerate(rows, 1):
        assert by_line[number]["billed"] == row["BilledCost"]
        assert by_line[number]["list"] == row["ListCost"]
        assert (by_line[number]["resource"] or "NULL") == (row["ResourceId"] or "NULL")


def test_the_lots_of_the_sample_are_the_bills_to_the_last_digit(
    sample: Path, rows: list[dict[str, str]]
) -> None:
    reading, lines = read(sample)
    bills = [
        BillFact(**vars(bill), stated_rows=None, stated_total="", invoiced_s=None, format="", source="")
        for bill in reading.bills
    ]
    of_nodes = [row for row in rows if row["ResourceId"].startswith("i-")]
    dearest = max(of_nodes, key=lambda row: Decimal(row["BilledCost"]))
    node = Instance("c/n1", dearest["ResourceId"], 0, None)
    made = bill_lots(bill_lines(bills, lines), [node], [], fx_rates([]), Book("m", "UTC", "USD", 1, "pooled"))
    for bill in bills:
        of_bill = [lot for lot in made.lots if lot.rounding_pool == f"bill:{bill.identity}"]
        total = sum((lot.amount for lot in of_bill), Fraction(0))
        assert shown(total / 10**9) == bill.total
    (of_node,) = [lot for lot in made.lots if lot.target.slots]
    mine = [Decimal(row["BilledCost"]) for row in rows if row["ResourceId"] == dearest["ResourceId"]]
    assert of_node.amount == Fraction(sum(mine)) * 10**9


def test_every_example_of_the_specification_is_in_the_table(realdata: Path) -> None:
    folder = realdata / "focus" / "spec-scenarios"
    assert {path.stem for path in folder.glob("*.csv")} == set(EXAMPLES)
    assert len(EXAMPLES) == 26


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_example_of_the_specification_is_read_or_refused_by_name(realdata: Path, name: str) -> None:
    """As they stand all 26 are refused: they lack who bills, or write dates that could be two."""
    path = realdata / "focus" / "spec-scenarios" / f"{name}.csv"
    given, wanted = EXAMPLES[name]
    if given is ALL_SAID:
        with pytest.raises(InputError, match="the header lacks ProviderName, BillingAccountId, BillingCurr"):
            read(path)
    else:
        unsaid, _ = read(path)
        reasons = [one.reason for one in unsaid.bad]
        assert unsaid.bills == ()
        assert all("is not an instant" in one or "is not an amount" in one for one in reasons)
    reading, _ = read(path, given)
    if isinstance(wanted, str):
        assert wanted in reading.bad[0].reason
        return
    assert reading.bad == ()
    total = sum((Fraction(bill.total) for bill in reading.bills), Fraction(0))
    assert (sum(bill.rows for bill in reading.bills), shown(total)) == wanted


@pytest.mark.parametrize("name", sorted(name for name in EXAMPLES if "_percent_utilization_" in name))
def test_used_and_unused_of_a_commitment_come_to_what_was_paid_for_it(realdata: Path, name: str) -> None:
    lines = lines_of_example(realdata, name)
    effective = [
        Decimal(line["effective"]) for line in lines if line["commitment_status"] in ("Used", "Unused")
    ]
    paid = [Decimal(line["billed"]) for line in lines if line["category"] == "Purchase"]
    assert effective and paid and sum(effective) == sum(paid)


@pytest.mark.parametrize("name", sorted(name for name in EXAMPLES if "commitment_discount_usage_" in name))
def test_used_and_unused_are_the_hour_that_is_committed(realdata: Path, name: str) -> None:
    hours: dict[int, Decimal] = defaultdict(Decimal)
    for line in lines_of_example(realdata, name):
        if line["commitment_status"] in ("Used", "Unused"):
            hours[line["start_s"]] += Decimal(line["effective"])
    assert hours and set(hours.values()) == {Decimal("1.00")}


def lines_of_example(realdata: Path, name: str) -> list[dict[str, Any]]:
    _, lines = read(realdata / "focus" / "spec-scenarios" / f"{name}.csv", ALL_SAID)
    found: list[dict[str, Any]] = lines.to_pylist()
    return found
