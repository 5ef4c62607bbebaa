"""The legacy AWS cost and usage report in CSV: columns like `lineItem/UnblendedCost`."""

from __future__ import annotations

from chargeback.bills.cur_lines import aws_fields, needed_columns
from chargeback.bills.shapes import Header, Shape, quoted

__all__ = ["CUR"]


def _named(group: str, name: str) -> str:
    return f"{group}/{name}"


def _fields(header: Header) -> dict[str, str]:
    return aws_fields(header, _named) | {"tags": _tags(header)}


def _tags(header: Header) -> str:
    """The columns of tags as one JSON object, without those that are null."""
    columns = header.starting("resourcetags/")
    if not columns:
        return header.sql()
    for column in columns:
        header.sql(column)
    words = ", ".join("'" + name.partition("/")[2].replace("'", "''") + "'" for name in columns)
    values = ", ".join(map(quoted, columns))
    pairs = f"list_filter(list_zip([{words}], [{values}]), lambda p: p[2] is not null)"
    return f"cast(to_json(map_from_entries({pairs})) as varchar)"


CUR = Shape(
    name="cur",
    marks=("lineItem/LineItemType", "lineItem/UnblendedCost"),
    version=lambda header: "1",
    fields=_fields,
    columns=needed_columns(_named),
)
