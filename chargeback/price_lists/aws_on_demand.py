"""AWS's prices of instance types on demand, by region, as karpenter's generated tables have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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

__all__ = ["SHAPE"]

_CHINA = "aws-cn"


def _quotes(table: Table, wanted: Wanted) -> Iterator[Read]:
    return rows_read(table, lambda cells: [_quote(cells, wanted)])


def _quote(cells: Mapping[str, str], wanted: Wanted) -> Quote:
    sku, other = cells["instance_type"], cells.get("accelerator_name", "")
    if other and not cells.get("gpu_count") and not wanted.everything:
        raise LeftOut(NO_GPU, f"{sku} has accelerators of another kind: {other}")
    checked_gpus(sku, "AWS", wanted, listed=cells.get("gpu_count", ""), model=cells.get("gpu_name", ""))
    since = cells.get("generated_at", "")
    return Quote(
        selector_kind="sku",
        selector=sku,
        rate=amount(cells["on_demand_per_hour"], "on_demand_per_hour"),
        region=cells["region"],
        currency=_currency(cells),
        start_s=instant(since, "generated_at") if since else None,
    )


def _currency(cells: Mapping[str, str]) -> str:
    """The currency that is said; the regions of China are sold in yuan alone."""
    said = cells.get("currency", "")
    if cells.get("partition") != _CHINA:
        return said
    if said not in ("", "CNY"):
        raise LeftOut("prices of aws-cn are in CNY", f"the row says {said}")
    return "CNY"


SHAPE = Shape(
    name="aws-on-demand",
    what="AWS on demand, per node and hour",
    columns=frozenset({"region", "instance_type", "on_demand_per_hour"}),
    optional=frozenset(
        {"partition", "generated_at", "currency", "accelerator_name", "gpu_count", "gpu_name"}
    ),
    quotes=_quotes,
)
