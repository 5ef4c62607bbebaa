"""OpenCost's CSV of prices: of nodes by an id that one of their fields has, of GPUs by the value of a label.

OpenCost adds the price of a node's GPUs to that of the node, so in a list that has both a node's price is the
one without its GPUs. It takes the last row of an asset; here that is the one with the last EndTimestamp, and
of these the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from chargeback.price_lists.quote import LeftOut, Quote, Read, Shape, Wanted, amount, instant, rows_read
from chargeback.price_lists.table import Table

__all__ = ["SHAPE"]

_NAMED_BY = ("spec.providerID", "metadata.name")
_TYPE_LABELS = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_LABELS = "metadata.labels."

Cells = Mapping[str, str]


def _quotes(table: Table, wanted: Wanted) -> Iterator[Read]:
    table = replace(table, rows=iter(rows := list(table.rows)))
    has_gpus = any(row.cells and row.cells["AssetClass"] == "gpu" for row in rows)
    of_class: dict[str, Callable[[Cells], Quote]] = {
        "gpu": _gpu,
        "node": lambda cells: _node(cells, has_gpus and not wanted.everything),
    }

    def quotes(cells: Cells) -> list[Quote | LeftOut]:
        kind = cells["AssetClass"] or "node"
        if kind not in of_class:
            raise LeftOut("it is no node and no GPU", f"AssetClass {kind}")
        quote = of_class[kind](cells)
        rate = amount(cells["MarketPriceHourly"], "MarketPriceHourly")
        since = instant(cells["EndTimestamp"], "EndTimestamp") if cells["EndTimestamp"] else None
        return [replace(quote, rate=rate, region=cells["Region"], start_s=since)]

    yield from _last_of_each(list(rows_read(table, quotes)))


def _gpu(cells: Cells) -> Quote:
    return Quote("model", cells["InstanceID"], "", purchase_option="", unit="gpu_hour")


def _node(cells: Cells, has_gpus: bool) -> Quote:
    """The price of a node by its instance, or of an instance type; with `has_gpus` it is without its GPUs."""
    field, named = cells["InstanceIDField"], cells["InstanceID"]
    if has_gpus:
        raise LeftOut(
            "the price of a node without its GPUs, which the list prices by themselves",
            f"{named}: bring it in as a fee, or with --all if its node has no GPU",
        )
    if field.removeprefix(_LABELS) in _TYPE_LABELS or (not named and cells["InstanceType"]):
        return Quote("sku", named or cells["InstanceType"], "", purchase_option="")
    if field not in _NAMED_BY:
        raise LeftOut("nodes are told apart by a field that inventories have not", field)
    return Quote("contract", named.rpartition("/")[2], "", purchase_option="")


def _last_of_each(found: list[Read]) -> Iterator[Read]:
    """The prices of assets of which no later row has one."""
    last: dict[tuple[str, ...], tuple[int, int]] = {}
    for number, one in found:
        if isinstance(one, Quote):
            last[_asset(one)] = max(last.get(_asset(one), (-1, 0)), (one.start_s or 0, number))
    for number, one in found:
        if isinstance(one, Quote) and last[_asset(one)][1] != number:
            yield (
                number,
                LeftOut("a later row prices the same", f"{one.selector}: row {last[_asset(one)][1]}"),
            )
        else:
            yield number, one


def _asset(quote: Quote) -> tuple[str, ...]:
    return (quote.selector_kind, quote.selector.lower(), quote.region.lower())


SHAPE = Shape(
    name="opencost",
    what="OpenCost's CSV, nodes and GPUs per hour",
    columns=frozenset(
        {
            "EndTimestamp",
            "InstanceID",
            "Region",
            "AssetClass",
            "InstanceIDField",
            "InstanceType",
            "MarketPriceHourly",
        }
    ),
    quotes=_quotes,
)
