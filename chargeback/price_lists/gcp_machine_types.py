"""Google Cloud's accelerator machine types: on demand, spot, and per month with a commitment of 1 or 3 years.

The columns `month` and `month_spot` are the hour's price times 730 and so the same price once more: taken as
a price per month they would cost other amounts in February than in March. They are only checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

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

_HOURS = {"on_demand": ("hour", "month"), "spot": ("hour_spot", "month_spot")}
_MONTHS = {"committed_1y": "month_1y", "committed_3y": "month_3y"}
_HOURS_OF_A_MONTH = 730


def _quotes(table: Table, wanted: Wanted) -> Iterator[Read]:
    return rows_read(table, lambda cells: _of_row(cells, wanted))


def _of_row(cells: Mapping[str, str], wanted: Wanted) -> Iterator[Quote | LeftOut]:
    sku = cells["machine_type"]
    checked_gpus(sku, "GCP", wanted, listed=cells.get("gpu_count", ""), model=cells.get("gpu_name", ""))
    for option, (hour, month) in _HOURS.items():
        try:
            rate = amount(cells[hour], hour)
            _check_month(rate, cells.get(month, ""), hour, month)
            yield Quote("sku", sku, rate, cells["region"], purchase_option=option)
        except LeftOut as reason:
            yield reason
    for option, month in _MONTHS.items():
        if not (price := cells.get(month, "")):
            yield LeftOut(
                f"{month} is empty: it is not sold with that commitment", f"{sku} in {cells['region']}"
            )
            continue
        try:
            rate = amount(price, month)
            yield Quote(
                "sku", sku, rate, cells["region"], purchase_option=option, unit="node_month", month_rule="730"
            )
        except LeftOut as reason:
            yield reason


def _check_month(hour: str, month: str, name: str, month_name: str) -> None:
    """Raise `LeftOut` unless the hour's price is the month's divided by 730, to the digits that it has."""
    if month:
        last = Fraction(1, 10 ** max(-int(Decimal(hour).as_tuple().exponent), 0))
        price = Fraction(amount(month, month_name)) / _HOURS_OF_A_MONTH
        if abs(price - Fraction(hour)) > last:
            raise LeftOut(f"{name} is not {month_name} / 730", f"{hour} against {month}")


SHAPE = Shape(
    name="gcp-machine-types",
    what="Google Cloud on demand, spot and committed, per node",
    columns=frozenset({"machine_type", "region", "hour", "hour_spot", "month_1y", "month_3y"}),
    optional=frozenset({"gpu_name", "gpu_count", "month", "month_spot"}),
    quotes=_quotes,
)
