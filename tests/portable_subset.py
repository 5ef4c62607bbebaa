"""The portable subset of DuckDB's dialect (DESIGN.md section 7), as a reading of the syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import sqlglot
from sqlglot import exp

_TYPES = {
    exp.DataType.Type.DOUBLE,
    exp.DataType.Type.FLOAT,
    exp.DataType.Type.DECIMAL,
    exp.DataType.Type.INT128,
    exp.DataType.Type.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPTZ,
    exp.DataType.Type.TIMESTAMPNTZ,
    exp.DataType.Type.DATE,
}
_NODES: dict[type[exp.Expression], str] = {
    exp.AtTimeZone: "at time zone",
    exp.TimestampTrunc: "date_trunc",
    exp.DateTrunc: "date_trunc",
    exp.CurrentTimestamp: "now()",
    exp.CurrentDate: "current_date",
    exp.GenerateSeries: "generate_series",
    exp.Unnest: "unnest",
    exp.Explode: "unnest",
    exp.Div: "division with /",
    exp.ArrayAgg: "an ordered list",
    exp.GroupConcat: "string_agg",
    exp.BitwiseAnd: "a bit operator",
    exp.BitwiseOr: "a bit operator",
    exp.BitwiseXor: "a bit operator",
    exp.BitwiseLeftShift: "a bit operator",
    exp.BitwiseRightShift: "a bit operator",
    exp.Qualify: "qualify",
    exp.Struct: "a struct",
    exp.Interval: "an interval",
}
_FUNCTIONS = {
    "hash",
    "md5",
    "epoch_us",
    "epoch",
    "time_bucket",
    "list",
    "range",
    "now",
    "date_trunc",
    "random",
}
_BIGINT = exp.DataType.Type.BIGINT
_INT32 = 2**31


def departures(sql: str) -> list[str]:
    """What in a model's text is outside the subset, in words; empty where it keeps to it."""
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    return sorted(
        {*_forbidden(tree), *_uncast(tree), *_selects(tree), *_unions(sql), *_joins(tree), *_leads(tree)}
    )


def _forbidden(tree: exp.Expression) -> Iterator[str]:
    for node in tree.walk():
        for kind, name in _NODES.items():
            if type(node) is kind:
                yield name
        if isinstance(node, exp.DataType) and node.this in _TYPES:
            yield f"type {node.this.value}"
        if isinstance(node, exp.Anonymous) and node.name.lower() in _FUNCTIONS:
            yield f"function {node.name.lower()}"
        if isinstance(node, exp.Group) and node.args.get("all"):
            yield "group by all"
        if isinstance(node, exp.Join) and (node.args.get("method") or "").upper() == "ASOF":
            yield "asof join"


def _uncast(tree: exp.Expression) -> Iterator[str]:
    for total in tree.find_all(exp.Sum):
        outer = total.parent if isinstance(total.parent, exp.Window) else total
        if not _is_bigint_cast(outer.parent) and not _only_compared(outer):
            yield f"a sum without a cast to bigint: {total.sql()}"
    for literal in tree.find_all(exp.Literal):
        if literal.is_int and int(literal.this) > _INT32 and not _is_bigint_cast(literal.parent):
            yield f"a literal above 2^31 without a cast: {literal.this}"


def _is_bigint_cast(node: exp.Expression | None) -> bool:
    return isinstance(node, exp.Cast) and node.to.this == _BIGINT


def _only_compared(node: exp.Expression) -> bool:
    """Whether a running count of small numbers only names an island: it is an alias that ends in `_no`."""
    return isinstance(node.parent, exp.Alias) and node.parent.alias.endswith("_no")


def _selects(tree: exp.Expression) -> Iterator[str]:
    for select in tree.find_all(exp.Select):
        inputs = {
            column.name
            for column in select.find_all(exp.Column)
            if column.find_ancestor(exp.Select) is select
        }
        for projection in select.expressions:
            if isinstance(projection, exp.Star) or projection.find(exp.Star):
                yield "select *"
            elif not isinstance(projection, exp.Alias):
                yield f"an output without an alias: {projection.sql()}"
            elif not isinstance(projection.this, exp.Column) and projection.alias in inputs:
                yield f"an alias that equals an input column: {projection.alias}"
            elif isinstance(projection.this, exp.Column) and not projection.this.table:
                yield f"a column without its table: {projection.sql()}"


def _unions(sql: str) -> Iterator[str]:
    """The tree reads a bare `union` as distinct, and other engines refuse it: so the tokens are asked."""
    tokens = sqlglot.tokenize(sql, dialect="duckdb")
    for token, following in pairwise(tokens):
        if token.text.lower() == "union" and following.text.lower() not in ("all", "distinct"):
            yield "a union that does not say all or distinct"


def _joins(tree: exp.Expression) -> Iterator[str]:
    """A join without an equality key is allowed on the small tables only."""
    small = {"run_window", "calendar_piece", "counting", "book_terms", "sharing", "held_account"}
    for join in tree.find_all(exp.Join):
        condition = join.args.get("on")
        equal = condition is not None and condition.find(exp.EQ) is not None
        if not equal and isinstance(join.this, exp.Table) and join.this.name not in small:
            yield f"a join without an equality key: {join.sql()}"


def _leads(tree: exp.Expression) -> Iterator[str]:
    """The end of `lead` is told by a key: beside each lead of an instant stands one of a key."""
    for select in tree.find_all(exp.Select):
        leads = [lead for lead in select.find_all(exp.Lead) if lead.find_ancestor(exp.Select) is select]
        if leads and len(leads) < 2:
            yield f"a lead whose end no key tells: {leads[0].sql()}"
