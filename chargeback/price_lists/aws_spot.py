"""AWS's spot prices as a capture of its page has them: by the old names of regions, of one instant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chargeback.price_lists.quote import (
    LeftOut,
    Quote,
    Read,
    Shape,
    Wanted,
    amount,
    checked_gpus,
    rows_read,
)
from chargeback.price_lists.table import Table

__all__ = ["SHAPE"]

_REGIONS = {
    "us-east": "us-east-1",
    "us-west": "us-west-1",
    "eu-ireland": "eu-west-1",
    "apac-sin": "ap-southeast-1",
    "apac-syd": "ap-southeast-2",
    "apac-tokyo": "ap-northeast-1",
}


def _quotes(table: Table, wanted: Wanted) -> Iterator[Read]:
    return rows_read(table, lambda cells: [_quote(cells, wanted)])


def _quote(cells: Mapping[str, str], wanted: Wanted) -> Quote:
    sku, os = cells["instance_type"], cells.get("os", "linux")
    if os.lower() != "linux":
        raise LeftOut("another system than Linux, whose licence is in the price", os)
    checked_gpus(sku, "AWS", wanted)
    price = cells["usd_per_hour"]
    if price.startswith("N/A"):
        raise LeftOut("the region has no spot price for it", f"{sku} is {price}")
    return Quote(
        selector_kind="sku",
        selector=sku,
        rate=amount(price, "usd_per_hour"),
        region=_REGIONS.get(cells["region_alias"], cells["region_alias"]),
        purchase_option="spot",
        currency="USD",
    )


SHAPE = Shape(
    name="aws-spot",
    what="AWS spot, per node and hour, at one instant",
    columns=frozenset({"region_alias", "instance_type", "usd_per_hour"}),
    optional=frozenset({"os"}),
    quotes=_quotes,
)
