"""Reading bills: the shapes, the digits, what is odd, and what cannot be right."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from focus_rows import NOVEMBER_S, OCTOBER_S, ROW, cur, focus, hours

from chargeback.bills.amounts import define_amounts, exact, plain_amount, shown
from chargeback.bills.names import bill_identity, billing_time
from chargeback.bills.reading import Given, Reading, read_bills
from gpuledger.engine import connect
from gpuledger.errors import ColumnMapError, InputError
from gpuledger.lake.arrow import pa, pq

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@pytest.fixture
def engine() -> Iterator[DuckDBPyConnection]:
    with connect() as connection:
        yield connection


class Reader:
    """Reads files of a folder, each time with an engine of its own; `lines` are of the last."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: list[dict[str, Any]] = []

    def read(self, *texts: str | bytes, given: Given | None = None, name: str = "bill") -> Reading:
        paths = []
        for number, text in enumerate(texts):
            path = self.folder / f"{name}-{number}"
            path.write_bytes(text.encode() if isinstance(text, str) else text)
            paths.append(path)
        return self.read_files(*paths, given=given)

    def read_files(self, *paths: Path, given: Given | None = None) -> Reading:
        with connect() as connection:
            reading = read_bills(connection, paths, given or Given())
            found = connection.sql("select * exclude (content, wrong) from line order by line")
            self.lines = found.to_arrow_table().to_pylist()
        return reading


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


@pytest.mark.parametrize(
    ("columns", "version"),
    [
        ((), "focus/1.0"),
        (("ServiceSubcategory",), "focus/1.1"),
        (("InvoiceId",), "focus/1.2"),
        (("InvoiceId", "HostProviderName"), "focus/1.3"),
    ],
)
def test_the_version_of_focus_is_told_by_its_columns(
    reader: Reader, columns: tuple[str, ...], version: str
) -> None:
    text = focus(dict.fromkeys(columns, "x"), without=() if "InvoiceId" in columns else ("InvoiceId",))
    assert reader.read(text).format == version


def test_focus_1_3_names_the_provider_by_its_new_column(reader: Reader) -> None:
    reader.read(
        focus({"ServiceProviderName": "Red Hat", "HostProviderName": "AWS"}, without=["ProviderName"])
    )
    assert reader.lines[0]["provider"] == "Red Hat"


def test_a_line_says_what_its_row_says(reader: Reader) -> None:
    tags = '{"team": "ml", "a": true, "n": 1.50}'
    reading = reader.read(focus({"Tags": tags, "ResourceName": "NULL", "ChargeClass": "Correction"}))
    (line,) = reader.lines
    assert reading.bad == ()
    assert line["tags"] == '{"a":"true","n":"1.50","team":"ml"}'
    assert (line["resource_name"], line["zone"], line["charge_class"]) == (None, None, "Correction")
    assert (line["start_s"], line["end_s"]) == (OCTOBER_S + 345_600, OCTOBER_S + 349_200)
    assert (line["category"], line["resource"], line["sub_account"]) == ("Usage", "i-0abc", "sub")
    assert (line["billed"], line["effective"], line["list"], line["contracted"]) == ("2", "2", "2", "2")


def test_a_bill_may_be_packed_and_may_begin_with_a_byte_order_mark(reader: Reader) -> None:
    text = focus(*hours(2))
    plain = reader.read(text).bills
    assert reader.read(gzip.compress(text.encode())).bills == plain
    assert reader.read(b"\xef\xbb\xbf" + text.encode()).bills == plain
    assert reader.read(text.replace("\n", "\r\n")).bills == plain


def test_parquet_says_what_csv_says(reader: Reader) -> None:
    """Decimals are exact, instants with a zone are instants, and maps are tags."""
    plain = reader.read(focus({"BilledCost": "0.10", "Tags": '{"team":"ml"}'})).bills
    row: dict[str, Any] = {name: value or None for name, value in ROW.items()}
    row |= {name: _instant(ROW[name]) for name in ROW if "Period" in name}
    row |= {"BilledCost": Decimal("0.10"), "Tags": [("team", "ml")]}
    kinds = {name: pa.timestamp("us", tz="UTC") for name in ROW if "Period" in name}
    kinds |= {"BilledCost": pa.decimal128(38, 2), "Tags": pa.map_(pa.string(), pa.string())}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in ROW])
    path = reader.folder / "bill.parquet"
    pq.write_table(pa.Table.from_pylist([row], schema), path)
    reading = reader.read_files(path)
    assert reading.bills == plain
    assert reader.lines[0]["billed"] == "0.10"
    assert not [said for said in reading.warnings if "float" in said]


def test_a_binary_float_in_parquet_is_read_by_its_shortest_text_and_named(reader: Reader) -> None:
    values = [0.1, 1e-7, 123456789.12345679, -2.5e-22, 1e22 / 1e6]
    table = {name: [value] * len(values) for name, value in ROW.items()} | {"BilledCost": values}
    path = reader.folder / "bill.parquet"
    pq.write_table(pa.table(table), path)
    reading = reader.read_files(path)
    assert [said for said in reading.warnings if said.startswith("BilledCost is a binary float in Parquet")]
    read = [Decimal(line["billed"]) for line in reader.lines]
    assert read == [Decimal(repr(value)) for value in values]
    assert "e" not in "".join(line["billed"] for line in reader.lines).lower()


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def test_a_legacy_cost_and_usage_report_is_read(reader: Reader) -> None:
    reading = reader.read(cur({}, {"lineItem/LineItemType": "Tax", "lineItem/UnblendedCost": "1.1"}))
    assert reading.format == "cur/1"
    (bill,) = reading.bills
    assert (bill.identity, bill.total) == ("Amazon Web Services, Inc./1234/2026-10/77/USD", "56.14")
    usage, tax = reader.lines
    assert (usage["category"], tax["category"]) == ("Usage", "Tax")
    assert (usage["billed"], usage["resource"], usage["sub_account"]) == ("55.0400000000", "i-0abc", "5678")
    assert (usage["service"], usage["region"]) == ("Amazon Elastic Compute Cloud", "us-east-1")
    assert (usage["tags"], usage["pricing_category"]) == ('{"user:team":"ml"}', "Standard")


def test_lines_of_a_savings_plan_keep_what_is_billed_and_what_is_amortised(reader: Reader) -> None:
    plan = {"savingsPlan/SavingsPlanARN": "arn:sp", "bill/InvoicingEntity": "AWS"}
    covered = {"lineItem/LineItemType": "SavingsPlanCoveredUsage", **plan}
    covered |= {"savingsPlan/SavingsPlanEffectiveCost": "30.00"}
    negation = {"lineItem/LineItemType": "SavingsPlanNegation", "lineItem/UnblendedCost": "-55.0400000000"}
    fee = {"lineItem/LineItemType": "SavingsPlanRecurringFee", "lineItem/UnblendedCost": "40", **plan}
    reading = reader.read(cur(covered, negation | plan, fee))
    assert [(one["category"], one["billed"], one["effective"]) for one in reader.lines] == [
        ("Usage", "55.0400000000", "30.00"),
        ("Credit", "-55.0400000000", "0"),
        ("Purchase", "40", None),
    ]
    assert reader.lines[0]["commitment"] == "arn:sp"
    assert reading.bills[0].total == "40"


def test_cur_2_0_is_read_with_its_maps(reader: Reader) -> None:
    row = {
        "bill_payer_account_id": "1234",
        "bill_billing_entity": "AWS",
        "bill_billing_period_start_date": "2026-10-01T00:00:00.000Z",
        "bill_billing_period_end_date": "2026-11-01T00:00:00.000Z",
        "line_item_line_item_type": "DiscountedUsage",
        "line_item_usage_start_date": "2026-10-05T00:00:00.000Z",
        "line_item_usage_end_date": "2026-10-05T01:00:00.000Z",
        "line_item_currency_code": "USD",
        "line_item_unblended_cost": "0.0",
        "line_item_product_code": "AmazonEC2",
        "line_item_resource_id": "i-0abc",
        "reservation_effective_cost": "20.5",
        "reservation_reservation_a_r_n": "arn:ri",
        "product": '{"product_name": "Amazon Elastic Compute Cloud"}',
        "product_region_code": "eu-west-1",
        "resource_tags": '{"user_team": "ml"}',
    }
    cells = ",".join('"' + value.replace('"', '""') + '"' for value in row.values())
    reading = reader.read(",".join(row) + "\n" + cells + "\n")
    (line,) = reader.lines
    assert reading.format == "cur2/2"
    assert reading.bills[0].identity == "AWS/1234/2026-10/USD"
    assert (line["billed"], line["effective"], line["commitment"]) == ("0.0", "20.5", "arn:ri")
    assert (line["service"], line["tags"]) == ("Amazon Elastic Compute Cloud", '{"user_team":"ml"}')
    assert (line["region"], line["commitment_status"]) == ("eu-west-1", "Used")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"BilledCost": ""}, "BilledCost is empty"),
        ({"BilledCost": "10.000,00 "}, "BilledCost: '10.000,00' is not an amount"),
        ({"BilledCost": "NaN"}, "BilledCost: 'NaN' is not an amount"),
        ({"BilledCost": "1e40"}, "BilledCost: '1e40' is out of bounds for an amount"),
        ({"ListCost": "cheap"}, "ListCost: 'cheap' is not an amount"),
        ({"BillingCurrency": "XXX"}, "currency 'XXX' is not known"),
        ({"BillingCurrency": ""}, "the billing currency is empty"),
        ({"BillingAccountId": "NULL"}, "the billing account is empty"),
        ({"BillingPeriodStart": ""}, "the billing period does not begin"),
        (
            {"BillingPeriodEnd": "2026-09-01T00:00:00Z"},
            "the billing period ends, 2026-09-01T00:00:00Z, before",
        ),
        ({"ChargePeriodStart": "5/1/25"}, "ChargePeriodStart: '5/1/25' is not an instant"),
        ({"ChargePeriodEnd": ""}, "ChargePeriodEnd is empty"),
        ({"ChargePeriodEnd": "2026-10-01T00:00:00Z"}, "the charge period ends, 2026-10-01T00:00:00Z, before"),
        ({"ChargeCategory": "Gift"}, "ChargeCategory is Gift, which is no category of charges"),
        ({"ChargeCategory": ""}, "ChargeCategory is empty"),
    ],
)
def test_a_row_that_cannot_be_right_is_told_by_its_number_and_why(
    reader: Reader, said: dict[str, str], reason: str
) -> None:
    reading = reader.read(focus({}, said, {}))
    assert [(one.row, one.reason[: len(reason)]) for one in reading.bad] == [(2, reason)]
    assert len(reader.lines) == 2
    assert json.loads(reading.bad[0].raw)["service"] == "EC2"


def test_a_row_with_too_few_cells_is_told_and_the_others_keep_their_numbers(reader: Reader) -> None:
    header, first, second = focus({}, {}).splitlines()
    reading = reader.read("\n".join([header, first, "1,2", "", second]) + "\n")
    assert [(one.row, one.reason) for one in reading.bad] == [(2, f"2 cells under {len(ROW)} columns")]
    assert [line["line"] for line in reader.lines] == [1, 3]
    assert list(reading.rows.values()) == [3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n1,2\n", "the header is that of no bill"),
        (focus({}, without=["BilledCost"]), "the header is that of no bill"),
        (focus({}, without=["BillingCurrency"]), "the header lacks BillingCurrency, without which"),
        (focus({}).replace("eu-west-1", '"eu'), "the text is no CSV"),
        (focus({}).encode("utf-16"), "the text is not UTF-8"),
        (focus({}).encode().replace(b"EC2", b"EC\xff"), "the text is not UTF-8: byte 0xff"),
        (gzip.compress(focus({}).encode())[:-9], "the file cannot be unpacked"),
        (b"PAR1" + b"x" * 40, "the Parquet file cannot be read"),
    ],
)
def test_a_file_that_is_no_bill_is_refused(reader: Reader, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        reader.read(text)
    assert "bill-0" in str(caught.value.place)
    assert caught.value.mend


def test_pages_must_be_of_one_shape_and_be_named_once(reader: Reader) -> None:
    with pytest.raises(ColumnMapError, match=r"the header lacks ProviderName, .* a focus bill has no lines"):
        reader.read(focus({}), cur({}))
    reader.read(focus({}))
    path = reader.folder / "bill-0"
    with pytest.raises(InputError, match="the file is named twice"):
        reader.read_files(path, path)


def test_what_no_column_says_may_be_said_beside_the_file(reader: Reader) -> None:
    without = ["ProviderName", "InvoiceIssuerName", "BillingAccountId", "BillingCurrency"]
    text = focus({}, without=without)
    with pytest.raises(
        ColumnMapError, match="lacks ProviderName, BillingAccountId, BillingCurrency"
    ) as caught:
        reader.read(text)
    assert "--provider, --account, --currency" in caught.value.mend
    said = {"provider": "Acme", "issuer": "Acme", "billing_account": "o'1", "currency": "USD"}
    assert reader.read(text, given=Given(said)).bills[0].identity == "Acme/o'1/2026-10/INV-7/USD"
    assert reader.read(focus({}), given=Given(said)).bills[0].identity.startswith("AWS/1234/")


def test_instants_are_read_in_a_zone_and_by_a_format_that_are_named(reader: Reader) -> None:
    local = {name: ROW[name].removesuffix("Z").replace("T", " ") for name in ROW if "Period" in name}
    utc = reader.read(focus(local))
    assert [said for said in utc.warnings if "no offset from UTC" in said]
    assert utc.bills[0].start_s == OCTOBER_S
    assert reader.read(focus(local), given=Given(zone="Asia/Tokyo")).bills[0].start_s == OCTOBER_S - 32_400
    american = {"BillingPeriodStart": "10/1/26", "BillingPeriodEnd": "11/1/26"}
    american |= {"ChargePeriodStart": "10/1/26", "ChargePeriodEnd": "10/2/26"}
    read = reader.read(focus(american), given=Given(date_format="%m/%d/%y"))
    assert (read.bills[0].start_s, read.bills[0].end_s, read.bad) == (OCTOBER_S, NOVEMBER_S, ())


def test_what_is_odd_is_named_with_how_many_rows_and_whose(reader: Reader) -> None:
    odd = {
        "BilledCost": "0.5",
        "EffectiveCost": "0.00",
        "ContractedCost": "1",
        "AvailabilityZone": "0.05",
        "ChargeFrequency": "Usage-based",
        "ChargePeriodEnd": "2026-12-01T00:00:00Z",
        "Tags": "team=ml",
        "Id": "1",
        "x_own": "1",
    }
    twice = {"Tags": '{"a": "1", "a": "2"}', "ChargePeriodEnd": ROW["ChargePeriodStart"]}
    reading = reader.read(focus(odd, twice, {"ResourceName": "NULL"}, without=["ServiceName"]))
    assert reading.bad == ()
    assert list(reading.warnings) == [
        "the header lacks ServiceName, which FOCUS makes mandatory",
        "column Id is no column of FOCUS, and not marked as the provider's own by x_: not read",
        "cells that say NULL in words, read as not said: 1",
        "EffectiveCost is rounded to whole units of the currency, where BilledCost has a fraction: "
        "1 row (AWS 1)",
        "ContractedCost is rounded to whole units of the currency, where BilledCost has a fraction: "
        "1 row (AWS 1)",
        "AvailabilityZone is a number: 1 row (AWS 1)",
        "ChargeFrequency has a value that FOCUS does not know: 1 row (Usage-based 1)",
        "tags that are no JSON object, and are left out: 1",
        "tags with a name twice, of which the last counts: 1",
        "usage is charged outside the billing period: 1 row (AWS 1)",
        "the charge period has no length, and is taken for its first second: 1 row (AWS 1)",
    ]
    assert [line["tags"] for line in reader.lines] == [None, '{"a":"2"}', None]


def test_the_amounts_of_many_digits_add_up_exactly(engine: DuckDBPyConnection) -> None:
    define_amounts(engine)
    texts = ["123456789012345678.000000000000000000000000000001", "-0.5", "-0", "0.123456789012345678", "7"]
    engine.register("said", pa.table({"t": texts}))
    ((hi, lo),) = engine.execute("select sum(amount_hi(t)), sum(amount_lo(t)) from said").fetchall()
    assert exact(hi, lo) == sum(Fraction(text) for text in texts)
    assert shown(exact(hi, lo)) == "123456789012345684.623456789012345678000000000001"


@pytest.mark.parametrize(
    ("text", "plain"),
    [("8e-07", "0.0000008"), ("+1.50", "1.50"), (".5", "0.5"), ("1.", "1"), ("-0.0", "0.0"), ("2E3", "2000")],
)
def test_other_spellings_of_an_amount_become_plain_digits(text: str, plain: str) -> None:
    assert plain_amount(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("$10,000.00", "10000.00"),
        ("-$5", "-5"),
        ("1,234,567.8", "1234567.8"),
        ("$.5", ""),
        ("1,234", ""),
        ("12,34.5", ""),
    ],
)
def test_dollar_signs_and_groups_of_digits_are_read_where_they_cannot_be_anything_else(
    text: str, plain: str
) -> None:
    if plain:
        assert plain_amount(text) == plain
    else:
        with pytest.raises(InputError, match="is not an amount"):
            plain_amount(text)


def test_what_a_float_has_beyond_the_thirtieth_digit_is_rounded_off() -> None:
    assert plain_amount("1.2345678901234567e-20") == "0.000000000000000000012345678901"
    assert Decimal(plain_amount("4.9e-324")) == 0
    with pytest.raises(InputError):
        plain_amount("1e20")


def test_a_billing_period_is_named_by_its_month_in_any_zone_and_by_its_days_otherwise() -> None:
    assert billing_time(OCTOBER_S, NOVEMBER_S) == "2026-10"
    assert billing_time(OCTOBER_S + 7 * 3600, NOVEMBER_S + 8 * 3600) == "2026-10"
    assert billing_time(OCTOBER_S, OCTOBER_S + 7 * 86_400) == "2026-10-01..2026-10-08"
    assert bill_identity("A/B", "%", OCTOBER_S, NOVEMBER_S, None, "USD") == "A%2FB/%25/2026-10/USD"
