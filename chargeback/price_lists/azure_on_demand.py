"""Azure's prices of GPU sizes on demand, by region; which GPUs a size has is only in its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chargeback.price_lists.quote import (
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

__all__ = ["SHAPE"]


def _quotes(table: Table, wanted: Wanted) -> Iterator[Read]:
    return rows_read(table, lambda cells: [_quote(cells, wanted)])


def _quote(cells: Mapping[str, str], wanted: Wanted) -> Quote:
    checked_gpus(cells["sku"], "Azure", wanted)
    since = cells.get("generated_at", "")
    return Quote(
        selector_kind="sku",
        selector=cells["sku"],
        rate=amount(cells["on_demand_usd_per_hour"], "on_demand_usd_per_hour"),
        region=cells["region"],
        currency="USD",
        start_s=instant(since, "generated_at") if since else None,
    )


SHAPE = Shape(
    name="azure-on-demand",
    what="Azure on demand, per node and hour",
    columns=frozenset({"region", "sku", "on_demand_usd_per_hour"}),
    optional=frozenset({"generated_at"}),
    quotes=_quotes,
)
