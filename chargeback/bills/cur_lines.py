"""What AWS cost and usage reports mean, whichever way they write the names of their columns.

`billed` is the unblended cost: the lines of an invoice add up to it, discounts being lines of their own. What
is amortised follows AWS's own rules per type of line.
"""

from __future__ import annotations

from collections.abc import Callable

from chargeback.bills.shapes import Header

__all__ = ["CATEGORIES", "Named", "aws_fields", "needed_columns"]

Named = Callable[[str, str], str]
"""The name of a column, of its group and its name there: `lineItem` and `UsageAccountId`."""

CATEGORIES = {
    "Usage": "Usage",
    "DiscountedUsage": "Usage",
    "SavingsPlanCoveredUsage": "Usage",
    "Fee": "Purchase",
    "RIFee": "Purchase",
    "SavingsPlanRecurringFee": "Purchase",
    "SavingsPlanUpfrontFee": "Purchase",
    "SavingsPlanNegation": "Credit",
    "Tax": "Tax",
    "Credit": "Credit",
    "Refund": "Credit",
    "Discount": "Credit",
    "BundledDiscount": "Credit",
    "EdpDiscount": "Credit",
    "PrivateRateDiscount": "Credit",
    "RiVolumeDiscount": "Credit",
    "SppDiscount": "Credit",
    "DistributorDiscount": "Credit",
}
"""The category of each type of line; a row of another type cannot be right."""

_ARN = ("ARN", "A_R_N")
"""How names end that have an ARN: Parquet writes it letter by letter."""

_FREQUENCIES = {
    "One-Time": ("Fee", "SavingsPlanUpfrontFee", "Tax", "Credit", "Refund"),
    "Recurring": ("RIFee", "SavingsPlanRecurringFee"),
    "Usage-Based": ("Usage", "DiscountedUsage", "SavingsPlanCoveredUsage", "SavingsPlanNegation"),
}


def aws_fields(header: Header, named: Named) -> dict[str, str]:
    """SQL by field; of a column that is not there, null."""

    def at(group: str, *names: str) -> str:
        return header.sql(*(named(group, name) for name in names))

    kind = at("lineItem", "LineItemType")
    billing = {
        "provider": f"coalesce({at('bill', 'BillingEntity')}, 'AWS')",
        "issuer": f"coalesce({at('bill', 'InvoicingEntity')}, {at('bill', 'BillingEntity')}, 'AWS')",
        "billing_account": at("bill", "PayerAccountId"),
        "billing_start": at("bill", "BillingPeriodStartDate"),
        "billing_end": at("bill", "BillingPeriodEndDate"),
        "invoice": at("bill", "InvoiceId"),
        "currency": at("lineItem", "CurrencyCode"),
    }
    return {
        **billing,
        "charge_start": at("lineItem", "UsageStartDate"),
        "charge_end": at("lineItem", "UsageEndDate"),
        "sub_account": at("lineItem", "UsageAccountId"),
        "category": f"coalesce({_cases(kind, CATEGORIES)}, {kind})",
        "charge_class": f"case when {at('bill', 'BillType')} = 'Refund' then 'Correction' end",
        "frequency": _cases(kind, {word: said for said, words in _FREQUENCIES.items() for word in words}),
        "description": at("lineItem", "LineItemDescription"),
        "billed": at("lineItem", "UnblendedCost"),
        "effective": _effective(kind, at),
        "list": at("pricing", "publicOnDemandCost"),
        "contracted": "cast(null as varchar)",
        "resource": at("lineItem", "ResourceId"),
        "resource_name": "cast(null as varchar)",
        "service": f"coalesce({at('product', 'ProductName')}, {at('lineItem', 'ProductCode')})",
        "service_category": "cast(null as varchar)",
        "sku": at("product", "sku"),
        "sku_price": at("pricing", "RateCode", "RateId"),
        "region": at("product", "regionCode", "region"),
        "zone": at("lineItem", "AvailabilityZone"),
        "quantity": at("lineItem", "UsageAmount"),
        "unit": at("pricing", "unit"),
        "pricing_category": _cases(
            at("pricing", "term"), {"OnDemand": "Standard", "Reserved": "Committed", "Spot": "Dynamic"}
        ),
        "commitment": header.sql(
            *(named("savingsPlan", f"SavingsPlan{arn}") for arn in _ARN),
            *(named("reservation", f"Reservation{arn}") for arn in _ARN),
        ),
        "commitment_status": _cases(
            kind, {"DiscountedUsage": "Used", "SavingsPlanCoveredUsage": "Used", "RIFee": "Unused"}
        ),
        "reservation": at("capacityReservation", "CapacityReservationArn"),
        "reservation_status": at("capacityReservation", "CapacityReservationStatus"),
        "tags": "cast(null as varchar)",
    }


def needed_columns(named: Named) -> dict[str, str]:
    """The columns of what no row can do without."""
    return {
        "provider": named("bill", "BillingEntity"),
        "billing_account": named("bill", "PayerAccountId"),
        "currency": named("lineItem", "CurrencyCode"),
        "billing_start": named("bill", "BillingPeriodStartDate"),
        "billing_end": named("bill", "BillingPeriodEndDate"),
        "charge_start": named("lineItem", "UsageStartDate"),
        "charge_end": named("lineItem", "UsageEndDate"),
        "category": named("lineItem", "LineItemType"),
        "billed": named("lineItem", "UnblendedCost"),
    }


def _cases(sql: str, words: dict[str, str]) -> str:
    whens = " ".join(f"when '{word}' then '{said}'" for word, said in words.items())
    return f"case {sql} {whens} end"


def _effective(kind: str, at: Callable[..., str]) -> str:
    """What is amortised, where one column has it; null where it would be a difference of several."""
    return (
        f"case {kind} when 'DiscountedUsage' then {at('reservation', 'EffectiveCost')} "
        f"when 'SavingsPlanCoveredUsage' then {at('savingsPlan', 'SavingsPlanEffectiveCost')} "
        f"when 'SavingsPlanNegation' then '0' when 'SavingsPlanUpfrontFee' then '0' "
        f"when 'RIFee' then null when 'SavingsPlanRecurringFee' then null "
        f"else {at('lineItem', 'UnblendedCost')} end"
    )
