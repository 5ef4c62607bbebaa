"""Prices in the rows of a bill in FOCUS: what a node's hour costs by contract, else by list.

A row's contracted price counts where it makes what the row was billed, else the list price where that does;
some exports round the one or the other to nothing. A price begins with the first row that has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby

from chargeback.price_lists.quote import (
    NO_GPU,
    LeftOut,
    Quote,
    Read,
    Shape,
    Wanted,
    amount,
    checked_gpus,
    instant,
    rows_read,
)
from chargeback.price_lists.table import Table
from gpuledger.errors import InputError
from gpuledger.money import parse_amount

__all__ = ["SHAPE"]

_UNITS = {
    "hours": "node_hour",
    "hour": "node_hour",
    "hrs": "node_hour",
    "instance-hours": "node_hour",
    "gpu-hours": "gpu_hour",
    "gpu-hour": "gpu_hour",
}
_OPTIONS = {"": "on_demand", "Standard": "on_demand", "Dynamic": "spot"}
_INSTANCE = re.compile(r"\b([a-z][a-z0-9-]*\.[a-z0-9-]+) Instance Hour\b")

Cells = Mapping[str, str]


def _quotes(table: Table, wanted: Wanted) -> Iterator[Read]:
    """What each row says; rows with a price come last, since their time is known when all were read."""
    priced: list[Read] = []
    for number, said in groupby(
        rows_read(table, lambda cells: _of_row(_said(cells), wanted)), key=lambda one: one[0]
    ):
        of_row = list(said)
        if any(isinstance(one, Quote) for _, one in of_row):
            priced += of_row
        else:
            yield number, of_row[0][1]
    yield from _since_first(priced)


def _said(cells: Cells) -> dict[str, str]:
    """The cells, empty where an export writes NULL."""
    return {name: "" if text.upper() == "NULL" else text for name, text in cells.items()}


def _of_row(cells: Cells, wanted: Wanted) -> Iterator[Quote | LeftOut]:
    if (category := cells.get("ChargeCategory", "Usage")) != "Usage" or cells.get("ChargeClass"):
        raise LeftOut("it is no usage", cells.get("ChargeClass") or category)
    unit = _UNITS.get(cells["PricingUnit"].lower().replace(" ", "-"))
    if unit is None:
        raise LeftOut("it is not priced per hour", cells["PricingUnit"] or "PricingUnit is empty")
    sku = _sku(cells, wanted)
    pricing = cells.get("PricingCategory", "")
    if pricing not in _OPTIONS:
        raise LeftOut("a commitment prices it, and no meter", f"PricingCategory {pricing}")
    rate, doubts = _rate(cells)
    option = _OPTIONS[pricing]
    yield Quote(
        selector_kind="sku",
        selector=sku,
        rate=rate,
        region=cells.get("RegionId", ""),
        zone=cells.get("AvailabilityZone", "") if option == "spot" else "",
        purchase_option=option,
        provider=_provider(cells),
        currency=cells.get("BillingCurrency", ""),
        unit=unit,
        start_s=instant(cells["ChargePeriodStart"], "ChargePeriodStart"),
    )
    yield from doubts


def _sku(cells: Cells, wanted: Wanted) -> str:
    """The instance type where the row says it, else the provider's id of what is sold."""
    details = _details(cells.get("SkuPriceDetails", ""))
    told = _INSTANCE.search(cells.get("ChargeDescription", ""))
    sku = (
        details.get("InstanceType")
        or (told[1] if told else "")
        or cells.get("SkuId")
        or cells.get("SkuPriceId", "")
    )
    if not sku:
        raise LeftOut("the row has no SKU")
    try:
        checked_gpus(sku, _provider(cells), wanted, listed=details.get("GpuCount", ""))
    except LeftOut as reason:
        if reason.reason == NO_GPU and not told and not details:
            raise LeftOut("nothing says that it has a GPU", cells.get("ChargeDescription") or sku) from None
        raise
    return sku


def _provider(cells: Cells) -> str:
    return cells.get("ServiceProviderName") or cells.get("ProviderName", "")


def _details(text: str) -> dict[str, str]:
    try:
        said = json.loads(text) if text else {}
    except ValueError:
        return {}
    return {name: str(value) for name, value in said.items()} if isinstance(said, dict) else {}


@dataclass(frozen=True)
class _Billed:
    """What a row was billed, and for how much of its unit, as text; "" is not said."""

    cost: str
    quantity: str

    def is_made_by(self, rate: Fraction) -> bool:
        """Whether that price makes the cost, to the last digit of cost and quantity.

        So it does where nothing can be checked.
        """
        cost, quantity = _exact(self.cost), _exact(self.quantity)
        if cost is None or quantity is None:
            return True
        return abs(cost - rate * quantity) <= _last_digit(self.cost) + abs(rate) * _last_digit(self.quantity)


def _rate(cells: Cells) -> tuple[str, list[LeftOut]]:
    """The price that made what was billed, and what is to be said of the other."""
    billed = _Billed(cells.get("BilledCost", ""), cells.get("PricingQuantity", ""))
    doubts: list[LeftOut] = []
    for column in ("ContractedUnitPrice", "ListUnitPrice"):
        text = cells.get(column, "")
        rate = _exact(text)
        if rate is not None and billed.is_made_by(rate):
            return amount(text, column), doubts
        if text:
            doubts.append(
                LeftOut(
                    f"{column} does not make what was billed",
                    f"{text} × {billed.quantity} is not {billed.cost}",
                )
            )
    if doubts:
        raise doubts[0]
    raise LeftOut("the row has no price per unit")


def _exact(text: str) -> Fraction | None:
    try:
        return Fraction(parse_amount(text)) if text else None
    except InputError:
        return None


def _last_digit(text: str) -> Fraction:
    """One of the last digit behind the point; a number without a point is exact."""
    behind = len(text.partition(".")[2])
    return Fraction(1, 10**behind) if behind else Fraction(0)


def _since_first(found: list[Read]) -> Iterator[Read]:
    """Each price as of the first of the rows, in the order of time, that say it without another between."""
    since: dict[int, int] = {}
    running: dict[tuple[str, ...], tuple[str, int]] = {}
    for index, quote in sorted(_quoted(found), key=lambda one: (one[1].start_s or 0, one[0])):
        rate, start_s = running.get(_thing(quote), ("", 0))
        if rate != quote.rate:
            start_s = quote.start_s or 0
        running[_thing(quote)] = (quote.rate, start_s)
        since[index] = start_s
    for index, (number, one) in enumerate(found):
        yield number, replace(one, start_s=since[index]) if isinstance(one, Quote) else one


def _quoted(found: Iterable[Read]) -> Iterator[tuple[int, Quote]]:
    for index, (_, one) in enumerate(found):
        if isinstance(one, Quote):
            yield index, one


def _thing(quote: Quote) -> tuple[str, ...]:
    where = (quote.region, quote.zone, quote.provider, quote.currency)
    return (quote.selector, quote.purchase_option, quote.unit, *where)


SHAPE = Shape(
    name="focus",
    what="a bill in FOCUS, its prices per hour",
    columns=frozenset({"ChargePeriodStart", "PricingUnit", "SkuId", "ListUnitPrice"}),
    optional=frozenset(
        {
            "AvailabilityZone",
            "BilledCost",
            "BillingCurrency",
            "ChargeCategory",
            "ChargeClass",
            "ChargeDescription",
            "ContractedUnitPrice",
            "PricingCategory",
            "PricingQuantity",
            "ProviderName",
            "RegionId",
            "ServiceProviderName",
            "SkuPriceDetails",
            "SkuPriceId",
        }
    ),
    quotes=_quotes,
)
