"""The lists of many clouds that people keep by hand: nodes by cloud, and GPUs of serverless vendors.

A row has the price of a node and of one of its GPUs, rounded; they must be of one price. Where a node has a
name its price is the node's; without one the price is that of a GPU of its model at that cloud.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Context, Decimal, Inexact
from fractions import Fraction

from chargeback.price_lists.quote import (
    LeftOut,
    Quote,
    Read,
    Shape,
    Wanted,
    amount,
    checked_gpus,
    refuse_others,
    rows_read,
)
from chargeback.price_lists.table import Table

__all__ = ["CLOUDS", "SERVERLESS"]

_EXACT = Context(prec=48, traps=[Inexact])


def _of_clouds(table: Table, wanted: Wanted) -> Iterator[Read]:
    return rows_read(
        table, lambda cells: _of_row(cells, wanted, cells["Cloud"], "On-demand", _sku(cells), cells["Spot"])
    )


def _of_serverless(table: Table, wanted: Wanted) -> Iterator[Read]:
    return rows_read(table, lambda cells: _of_row(cells, wanted, cells["Vendor"], "Per-Hour", "", ""))


def _sku(cells: Mapping[str, str]) -> str:
    """The name as the provider's API has it: Azure's is written in words here."""
    name = cells["Name"]
    return f"Standard_{name.replace(' ', '_')}" if name and cells["Cloud"] == "Azure" else name


def _of_row(
    cells: Mapping[str, str], wanted: Wanted, provider: str, column: str, sku: str, spot: str
) -> Iterator[Quote]:
    refuse_others("provider", provider, wanted.provider)
    model = cells["GPU Type"]
    count = checked_gpus(sku, provider, wanted, listed=cells["GPUs"], model=model)
    if not count:
        raise LeftOut("the number of GPUs is not said")
    if not cells[column] and cells["Per-GPU"]:
        raise LeftOut(
            f"{column} is empty, and nothing confirms that Per-GPU is for one GPU", cells["Per-GPU"]
        )
    node = amount(cells[column], column)
    per_gpu = amount(cells["Per-GPU"], "Per-GPU")
    _check_rounded(cells[column], cells["Per-GPU"], count, column)
    for option, rate, fallback in (("on_demand", node, per_gpu), ("spot", spot and amount(spot, "Spot"), "")):
        if not rate:
            continue
        if sku:
            yield Quote("sku", sku, rate, provider=provider, purchase_option=option)
        else:
            one = _parted(rate, count) or fallback
            yield Quote("model", model, one, provider=provider, purchase_option=option, unit="gpu_hour")


def _check_rounded(node: str, per_gpu: str, count: Fraction, column: str) -> None:
    """Raise `LeftOut` unless some price rounds to both: the node's, and its part for one GPU."""
    price, part = (Fraction(text.removeprefix("$")) for text in (node, per_gpu))
    if (
        abs(price - count * part) >= _half_digit(node) + count * _half_digit(per_gpu)
        and price != count * part
    ):
        raise LeftOut(
            f"{column} and Per-GPU are not of one price",
            f"{node} for {count} GPUs at {per_gpu} is {_plain(count * part)}",
        )


def _half_digit(text: str) -> Fraction:
    return Fraction(1, 2 * 10 ** len(text.partition(".")[2]))


def _plain(value: Fraction) -> str:
    return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"


def _parted(rate: str, count: Fraction) -> str:
    """The price of one of so many GPUs as exact decimal text; "" where there is none."""
    try:
        part = _EXACT.divide(Decimal(rate) * count.denominator, Decimal(count.numerator))
    except Inexact:
        return ""
    return f"{part.normalize():f}"


CLOUDS = Shape(
    name="cloud-gpus",
    what="GPU nodes of many clouds, on demand and spot",
    columns=frozenset({"Cloud", "GPU Type", "GPUs", "On-demand", "Per-GPU", "Spot", "Name"}),
    quotes=_of_clouds,
)

SERVERLESS = Shape(
    name="serverless-gpus",
    what="GPUs of serverless vendors, per hour",
    columns=frozenset({"Vendor", "GPU Type", "GPUs", "Per-Hour", "Per-GPU"}),
    quotes=_of_serverless,
)
