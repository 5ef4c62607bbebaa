"""AWS CUR 2.0, and the legacy report in Parquet: columns like `line_item_unblended_cost`."""

from __future__ import annotations

import re

from chargeback.bills.cur_lines import aws_fields, needed_columns
from chargeback.bills.shapes import Header, Shape

__all__ = ["CUR2"]

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _named(group: str, name: str) -> str:
    """`lineItem` and `UsageAccountId` as `line_item_usage_account_id`."""
    return "_".join(_HUMP.sub("_", part).lower() for part in (group, name))


def _fields(header: Header) -> dict[str, str]:
    found = aws_fields(header, _named)
    product = header.sql("product")
    name = f"case when json_valid({product}) then json_extract_string({product}, '$.product_name') end"
    return found | {"service": f"coalesce({name}, {found['service']})", "tags": header.sql("resource_tags")}


CUR2 = Shape(
    name="cur2",
    marks=("line_item_line_item_type", "line_item_unblended_cost"),
    version=lambda header: "2",
    fields=_fields,
    columns=needed_columns(_named),
)
