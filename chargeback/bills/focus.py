"""FOCUS 1.0 to 1.3: the FinOps Open Cost and Usage Specification."""

from __future__ import annotations

from chargeback.bills.shapes import Defect, Header, Shape

__all__ = ["FOCUS"]

_COLUMNS = {
    "provider": ("ServiceProviderName", "ProviderName", "InvoiceIssuerName"),
    "issuer": ("InvoiceIssuerName", "ProviderName", "ServiceProviderName"),
    "billing_account": ("BillingAccountId",),
    "billing_start": ("BillingPeriodStart",),
    "billing_end": ("BillingPeriodEnd",),
    "invoice": ("InvoiceId",),
    "currency": ("BillingCurrency",),
    "charge_start": ("ChargePeriodStart",),
    "charge_end": ("ChargePeriodEnd",),
    "sub_account": ("SubAccountId",),
    "category": ("ChargeCategory",),
    "charge_class": ("ChargeClass",),
    "frequency": ("ChargeFrequency",),
    "description": ("ChargeDescription",),
    "billed": ("BilledCost",),
    "effective": ("EffectiveCost",),
    "list": ("ListCost",),
    "contracted": ("ContractedCost",),
    "resource": ("ResourceId",),
    "resource_name": ("ResourceName",),
    "service": ("ServiceName",),
    "service_category": ("ServiceCategory",),
    "sku": ("SkuId",),
    "sku_price": ("SkuPriceId",),
    "region": ("RegionId",),
    "zone": ("AvailabilityZone",),
    "quantity": ("PricingQuantity",),
    "unit": ("PricingUnit",),
    "pricing_category": ("PricingCategory",),
    "commitment": ("CommitmentDiscountId",),
    "commitment_status": ("CommitmentDiscountStatus",),
    "reservation": ("CapacityReservationId",),
    "reservation_status": ("CapacityReservationStatus",),
    "tags": ("Tags",),
}

_MANDATORY = [
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "PricingQuantity",
    "PricingUnit",
    "ServiceCategory",
    "ServiceName",
]

_OTHERS = [
    "AvailabilityZone",
    "ChargeFrequency",
    "CommitmentDiscountCategory",
    "CommitmentDiscountId",
    "CommitmentDiscountName",
    "CommitmentDiscountStatus",
    "CommitmentDiscountType",
    "ConsumedQuantity",
    "ConsumedUnit",
    "ContractedUnitPrice",
    "ListUnitPrice",
    "PricingCategory",
    "ProviderName",
    "PublisherName",
    "RegionId",
    "RegionName",
    "ResourceId",
    "ResourceName",
    "ResourceType",
    "SkuId",
    "SkuPriceId",
    "SubAccountId",
    "SubAccountName",
    "Tags",
]

_NEW = {
    "1.3": "AllocatedMethodDetails AllocatedMethodId AllocatedResourceId AllocatedResourceName AllocatedTags "
    "ContractApplied HostProviderName ServiceProviderName",
    "1.2": "BillingAccountType InvoiceId PricingCurrency PricingCurrencyContractedUnitPrice "
    "PricingCurrencyEffectiveCost PricingCurrencyListUnitPrice SubAccountType",
    "1.1": "CapacityReservationId CapacityReservationStatus CommitmentDiscountQuantity "
    "CommitmentDiscountUnit ServiceSubcategory SkuMeter SkuPriceDetails",
}
"""What each version brought, the newest first."""

_KNOWN = {name.lower(): name for name in (*_MANDATORY, *_OTHERS, *" ".join(_NEW.values()).split())}


def _version(header: Header) -> str:
    """The oldest version that has all the columns which the header has of FOCUS."""
    newest = (version for version, names in _NEW.items() if any(name in header for name in names.split()))
    return next(newest, "1.0")


def _fields(header: Header) -> dict[str, str]:
    return {name: header.sql(*columns) for name, columns in _COLUMNS.items()}


def _said_of(header: Header) -> list[str]:
    said = []
    if absent := [name for name in _MANDATORY if name not in header]:
        said.append(f"the header lacks {', '.join(absent)}, which FOCUS makes mandatory")
    others = [name for name in header if name.strip().lower() not in _KNOWN]
    if unknown := [name for name in others if not name.lower().startswith("x_")]:
        said.append(
            f"{_column(unknown)} no column of FOCUS, and not marked as the provider's own by x_: not read"
        )
    if otherwise := [name for name in header if _KNOWN.get(name.strip().lower(), name) != name.strip()]:
        said.append(f"{_column(otherwise)} not written as FOCUS writes it")
    return said


def _column(names: list[str]) -> str:
    return f"column {names[0]} is" if len(names) == 1 else f"columns {', '.join(names)} are"


def _rounded(field: str, column: str) -> Defect:
    whole = f"regexp_full_match({field}, '-?[0-9]+([.]0*)?')"
    part = "not regexp_full_match(billed, '-?[0-9]+([.]0*)?')"
    return Defect(
        f"{column} is rounded to whole units of the currency, where BilledCost has a fraction",
        field,
        f"{whole} and {part} and commitment is null",
    )


def _spelt(field: str, column: str, words: str) -> Defect:
    listed = ", ".join(f"'{word}'" for word in words.split("|"))
    return Defect(
        f"{column} has a value that FOCUS does not know", field, f"{field} not in ({listed})", field
    )


_SPELT = (
    _spelt("frequency", "ChargeFrequency", "One-Time|Recurring|Usage-Based"),
    _spelt("charge_class", "ChargeClass", "Correction"),
    _spelt("pricing_category", "PricingCategory", "Standard|Dynamic|Committed|Other"),
    _spelt("commitment_status", "CommitmentDiscountStatus", "Used|Unused"),
    _spelt(
        "service_category",
        "ServiceCategory",
        "AI and Machine Learning|Analytics|Business Applications|Compute|Databases|Developer Tools|"
        "Multicloud|Identity|Integration|Internet of Things|Management and Governance|Media|Migration|"
        "Mobile|Networking|Security|Storage|Web|Other",
    ),
)

FOCUS = Shape(
    name="focus",
    marks=("BilledCost", "ChargeCategory", "ChargePeriodStart"),
    version=_version,
    fields=_fields,
    columns={name: columns[0] for name, columns in _COLUMNS.items()} | {"provider": "ProviderName"},
    said_of=_said_of,
    defects=(
        _rounded("effective", "EffectiveCost"),
        _rounded("contracted", "ContractedCost"),
        Defect("ContractedCost is null", "contracted", "contracted is null"),
        Defect("EffectiveCost is null", "effective", "effective is null"),
        Defect("ListCost is null", "list", '"list" is null'),
        Defect("AvailabilityZone is a number", "zone", "regexp_full_match(zone, '[0-9]+([.][0-9]+)?')"),
        Defect(
            "PricingCategory is null for Usage or Purchase",
            "pricing_category",
            "pricing_category is null and lower(category) in ('usage', 'purchase')",
        ),
        *_SPELT,
    ),
)
