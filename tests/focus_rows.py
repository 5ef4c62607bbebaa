"""Bills as a provider exports them: rows of FOCUS as text, and the lake's lines of bills as Arrow."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from gpuledger.instants import format_utc
from gpuledger.lake.arrow import pa
from gpuledger.lake.schema import table_schema
from gpuledger.versions import BillFact

OCTOBER_S, NOVEMBER_S, HOUR_S, DAY_S = 1_790_812_800, 1_793_491_200, 3600, 86_400

ROW = {
    "BilledCost": "2",
    "BillingAccountId": "1234",
    "BillingAccountName": "acme",
    "BillingCurrency": "USD",
    "BillingPeriodStart": "2026-10-01T00:00:00Z",
    "BillingPeriodEnd": "2026-11-01T00:00:00Z",
    "ChargeCategory": "Usage",
    "ChargeClass": "",
    "ChargeDescription": "an hour",
    "ChargeFrequency": "Usage-Based",
    "ChargePeriodStart": "2026-10-05T00:00:00Z",
    "ChargePeriodEnd": "2026-10-05T01:00:00Z",
    "ContractedCost": "2",
    "EffectiveCost": "2",
    "InvoiceId": "INV-7",
    "InvoiceIssuerName": "AWS",
    "ListCost": "2",
    "PricingCategory": "Standard",
    "PricingQuantity": "1",
    "PricingUnit": "Hours",
    "ProviderName": "AWS",
    "RegionId": "eu-west-1",
    "ResourceId": "i-0abc",
    "ServiceCategory": "Compute",
    "ServiceName": "EC2",
    "SkuId": "SKU",
    "SubAccountId": "sub",
    "Tags": "",
}
"""A row of FOCUS 1.2: an hour of an instance at 2 dollars, on invoice INV-7."""


def focus(*rows: Mapping[str, str], without: Iterable[str] = ()) -> str:
    """A file of FOCUS: each row is `ROW` with what it says otherwise."""
    names = [name for name in ROW if name not in without]
    names += [name for row in rows for name in row if name not in names and name not in without]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(names)), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({**ROW, **row} for row in rows)
    return text.getvalue()


CUR = {
    "identity/LineItemId": "x",
    "bill/InvoiceId": "77",
    "bill/InvoicingEntity": "Amazon Web Services, Inc.",
    "bill/BillingEntity": "AWS",
    "bill/BillType": "Anniversary",
    "bill/PayerAccountId": "1234",
    "bill/BillingPeriodStartDate": "2026-10-01T00:00:00Z",
    "bill/BillingPeriodEndDate": "2026-11-01T00:00:00Z",
    "lineItem/UsageAccountId": "5678",
    "lineItem/LineItemType": "Usage",
    "lineItem/UsageStartDate": "2026-10-05T00:00:00Z",
    "lineItem/UsageEndDate": "2026-10-05T01:00:00Z",
    "lineItem/ProductCode": "AmazonEC2",
    "lineItem/ResourceId": "i-0abc",
    "lineItem/UsageAmount": "1.0000000000",
    "lineItem/CurrencyCode": "USD",
    "lineItem/UnblendedCost": "55.0400000000",
    "lineItem/LineItemDescription": "an hour",
    "product/ProductName": "Amazon Elastic Compute Cloud",
    "product/region": "us-east-1",
    "pricing/term": "OnDemand",
    "pricing/publicOnDemandCost": "55.04",
    "savingsPlan/SavingsPlanARN": "",
    "savingsPlan/SavingsPlanEffectiveCost": "",
    "resourceTags/user:team": "ml",
    "resourceTags/user:o'env": "",
}


def cur(*rows: Mapping[str, str]) -> str:
    """A legacy cost and usage report: each row is `CUR` with what it says otherwise."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([list(CUR), *(list({**CUR, **row}.values()) for row in rows)])
    return text.getvalue()


def hours(count: int, **said: str) -> list[dict[str, str]]:
    """Rows of `count` hours from 5 October on."""
    start_s = OCTOBER_S + 4 * DAY_S
    return [
        {
            "ChargePeriodStart": format_utc(start_s + HOUR_S * hour),
            "ChargePeriodEnd": format_utc(start_s + HOUR_S * (hour + 1)),
            **said,
        }
        for hour in range(count)
    ]


def bill_fact(identity: str = "AWS/1234/2026-10/INV-7/USD", **said: Any) -> BillFact:
    """A bill of October."""
    given: dict[str, Any] = {
        "identity": identity,
        "start_s": OCTOBER_S,
        "end_s": NOVEMBER_S,
        "provider": "AWS",
        "billing_account": "1234",
        "invoice": "INV-7",
        "currency": "USD",
        "rows": 0,
        "total": "0",
        "stated_rows": None,
        "stated_total": "",
        "invoiced_s": None,
        "format": "focus/1.2",
        "digest": "",
        "source": "bill.csv",
    }
    return BillFact(**given | said)


def line_table(*lines: Mapping[str, Any]) -> Any:
    """Lines of the lake: each an hour of i-0abc at 2 on 1 October, with what it says otherwise."""
    given: dict[str, Any] = {
        "source": "bill",
        "seq": 1,
        "withdrawn": False,
        "start_s": OCTOBER_S,
        "end_s": OCTOBER_S + HOUR_S,
        "bill": "AWS/1234/2026-10/INV-7/USD",
        "provider": "AWS",
        "billing_account": "1234",
        "category": "Usage",
        "currency": "USD",
        "billed": "2",
        "resource": "i-0abc",
        "service": "EC2",
    }
    rows = [{**given, "line": number, **line} for number, line in enumerate(lines, 1)]
    rows = [{"identity": f"{row['bill']}#{row['line']}", **row} for row in rows]
    return pa.Table.from_pylist(rows, schema=table_schema("bill_line").arrow)
