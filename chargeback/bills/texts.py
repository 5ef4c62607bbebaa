"""What is understood of the texts in cells, each read once: instants, amounts, the parts of a bill, tags."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from chargeback.bills.amounts import PLAIN, plain_amount
from chargeback.bills.names import bill_identity
from chargeback.bills.shapes import quoted
from gpuledger.canonical import canonical_json
from gpuledger.errors import InputError
from gpuledger.instants import parse_instant
from gpuledger.lake.arrow import pa
from gpuledger.money import currency

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "AMOUNTS",
    "PARTS",
    "AddedUp",
    "Given",
    "map_amounts",
    "map_bills",
    "map_instants",
    "map_tags",
    "texts_of",
]

T = TypeVar("T")

AMOUNTS = ("billed", "effective", "list", "contracted", "quantity")
"""The fields that are numbers."""

PARTS = ("issuer", "billing_account", "billing_start", "billing_end", "invoice", "currency")

"""What makes rows the lines of one bill."""


@dataclass(frozen=True)
class Given:
    """What the user says that the files do not: what their columns lack, and how their instants are written.

    `fields` are values by field, for fields without a column; `zone` is that of instants without an offset,
    `date_format` a format of strptime.
    """

    fields: dict[str, str] = field(default_factory=dict)
    zone: str = "UTC"
    date_format: str = ""


@dataclass(frozen=True)
class AddedUp:
    """A bill that its lines make: its parts, how many lines it has, what they come to, and their digest."""

    identity: str
    start_s: int
    end_s: int
    provider: str
    billing_account: str
    invoice: str
    currency: str
    rows: int
    total: str
    digest: str


def map_instants(connection: DuckDBPyConnection, given: Given) -> None:
    """Make the table `instant`: the Unix second of each text, or why there is none."""
    found = texts_of(connection, ("charge_start", "charge_end"))
    rows = [(text, *_tried(partial(_instant, text, given))) for text in found]
    _table(connection, "instant", ("text", "at_s", "wrong"), rows, pa.int64())


def _instant(text: str, given: Given) -> int:
    if given.date_format:
        try:
            text = datetime.strptime(text, given.date_format).isoformat()  # noqa: DTZ007
        except ValueError as error:
            raise InputError(f"{text!r} is not written like {given.date_format}") from error
    return parse_instant(text, zone=given.zone, epoch_s=None)


def map_amounts(connection: DuckDBPyConnection) -> list[str]:
    """Make the table `amount`: the plain digits of each number that is spelt otherwise, or why it is none.

    Says which have a dollar sign or groups of digits.
    """
    odd = texts_of(connection, AMOUNTS, f"not regexp_full_match(t, '{PLAIN}')")
    rows = [(text, *_tried(partial(plain_amount, text))) for text in odd]
    _table(connection, "amount", ("text", "plain", "wrong"), rows, pa.string())
    marked = [text for text, plain, _ in rows if plain is not None and ("$" in text or "," in text)]
    if not marked:
        return []
    return [f"numbers have a dollar sign or groups of digits, such as {marked[0]}: read without"]


def map_bills(connection: DuckDBPyConnection, given: Given) -> dict[str, AddedUp]:
    """Make the tables `bill`, of what rows say of theirs, and `span`, of when bills are for.

    Gives the bills by identity, not yet added up.
    """
    names = ", ".join(PARTS)
    found: dict[str, AddedUp] = {}
    rows = []
    for parts in connection.execute(f"select distinct {names} from cell order by all").fetchall():
        made, wrong = _tried(partial(_bill, dict(zip(PARTS, parts, strict=True)), given))
        if made is not None:
            found[made.identity] = made
        rows.append((*parts, None if made is None else made.identity, wrong))
    _table(connection, "bill", (*PARTS, "identity", "wrong"), rows, pa.string())
    spans = pa.table(
        {
            "identity": pa.array(list(found), pa.string()),
            "start_s": pa.array([one.start_s for one in found.values()], pa.int64()),
            "end_s": pa.array([one.end_s for one in found.values()], pa.int64()),
        }
    )
    connection.register("given_rows", spans)
    connection.execute("create table span as select * from given_rows")
    connection.unregister("given_rows")
    return found


def _bill(said: dict[str, str | None], given: Given) -> AddedUp:
    for name, what in (("billing_account", "billing account"), ("currency", "billing currency")):
        if said[name] is None:
            raise InputError(f"the {what} is empty")
    for name, what in (("billing_start", "begin"), ("billing_end", "end")):
        if said[name] is None:
            raise InputError(f"the billing period does not {what}")
    start_s, end_s = (_instant(str(said[name]), given) for name in ("billing_start", "billing_end"))
    if end_s <= start_s:
        raise InputError(f"the billing period ends, {said['billing_end']}, before it begins")
    if said["issuer"] is None:
        raise InputError("neither who bills nor who provides is named")
    issuer, account, code = (str(said[name]) for name in ("issuer", "billing_account", "currency"))
    currency(code)
    identity = bill_identity(issuer, account, start_s, end_s, said["invoice"], code)
    return AddedUp(identity, start_s, end_s, issuer, account, said["invoice"] or "", code, 0, "0", "")


def map_tags(connection: DuckDBPyConnection) -> list[str]:
    """Make the table `tag`: each text of tags as canonical JSON; say which were none or had a name twice."""
    rows: list[tuple[str, str | None]] = []
    twice = none = 0
    for text in texts_of(connection, ("tags",)):
        try:
            pairs = json.loads(text, object_pairs_hook=list, parse_float=str, parse_int=str)
            if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
                raise ValueError(text)
        except ValueError:
            none += 1
            rows.append((text, None))
            continue
        twice += len({name for name, _ in pairs}) < len(pairs)
        said = {name: _tag_value(value) for name, value in pairs}
        rows.append((text, canonical_json(said) if said else None))
    _table(connection, "tag", ("text", "plain"), rows, pa.string())
    said_so = [f"tags that are no JSON object, and are left out: {none}"] if none else []
    return said_so + ([f"tags with a name twice, of which the last counts: {twice}"] if twice else [])


def _tag_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def texts_of(connection: DuckDBPyConnection, fields: Sequence[str], only: str = "true") -> list[str]:
    """The different texts of some fields, in order; `only` is a condition on each, as `t`."""
    union = " union ".join(f"select {quoted(name)} as t from cell" for name in fields)
    query = f"select distinct t from ({union}) where t is not null and {only} order by t"
    return [str(row[0]) for row in connection.execute(query).fetchall()]


def _tried(read: Callable[[], T]) -> tuple[T | None, str | None]:
    """What reading gives, or why it gives nothing."""
    try:
        return read(), None
    except InputError as error:
        return None, error.message


def _table(
    connection: DuckDBPyConnection,
    name: str,
    columns: Sequence[str],
    rows: Iterable[tuple[Any, ...]],
    kind: Any,
) -> None:
    """Make a table of texts, but for the second column, which is of a kind."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    kinds = [kind if place == 1 else pa.string() for place in range(len(columns))]
    arrays = [pa.array(cells, of) for cells, of in zip(values, kinds, strict=True)]
    connection.register("given_rows", pa.table(arrays, names=list(columns)))
    connection.execute(f"create table {name} as select * from given_rows")
    connection.unregister("given_rows")
