"""Columns that tables of the database share, each with what it means, and the tables' common ground."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, MetaData, Table, Text

__all__ = [
    "WHO",
    "default",
    "flag",
    "integer",
    "metadata",
    "refers",
    "restated",
    "seq",
    "table",
    "text",
    "totals",
    "version",
]

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def table(name: str, meaning: str, *parts: Any) -> Table:
    """A table of the database, with what it is for."""
    return Table(name, metadata, *parts, info={"meaning": meaning})


def text(name: str, meaning: str, *, key: bool = False, null: bool = False) -> Column[Any]:
    """A text, with what it means."""
    return Column(name, Text, primary_key=key, nullable=null, doc=meaning)


def integer(name: str, meaning: str, *, key: bool = False, null: bool = False) -> Column[Any]:
    """An integer of 64 bits."""
    return Column(name, BigInteger, primary_key=key, autoincrement=False, nullable=null, doc=meaning)


def default(name: str, default: str, meaning: str) -> Column[Any]:
    """A text that older rows have by default."""
    return Column(name, Text, nullable=False, server_default=default, doc=meaning)


def flag(name: str, meaning: str) -> Column[Any]:
    """Yes or no."""
    return Column(name, Boolean, nullable=False, doc=meaning)


def refers(name: str, to: str, meaning: str, *, key: bool = False) -> Column[Any]:
    """A text that is the key of another table, `to` that column."""
    return Column(name, Text, ForeignKey(to), primary_key=key, nullable=False, doc=meaning)


def seq(name: str, meaning: str, *, key: bool = False, null: bool = False) -> Column[Any]:
    """A seq that was committed."""
    known = ForeignKey("knowledge.seq")
    return Column(name, BigInteger, known, primary_key=key, autoincrement=False, nullable=null, doc=meaning)


def version(*parts: Any) -> tuple[Any, ...]:
    """The columns of a versioned fact, and its own."""
    return (
        text("identity", "what makes two versions the same fact", key=True),
        seq("seq", "when this version became known", key=True),
        flag("withdrawn", "the fact never held; this version takes it back"),
        integer("start_s", "since when it holds, inclusive"),
        integer("end_s", "until when it holds, exclusive; null: still open", null=True),
        *parts,
    )


def totals(*parts: Any) -> tuple[Any, ...]:
    """The columns that a run's daily totals are kept by, and its own."""
    return (
        refers("run_id", "run.id", "the run that computed it"),
        text("book", "its book"),
        text("period", "its month, YYYY-MM"),
        text("day", "the day in the book's zone, YYYY-MM-DD"),
        *parts,
        Index(None, "run_id"),
        Index(None, "book", "period", "day"),
    )


def restated(*parts: Any) -> tuple[Any, ...]:
    """The columns that a restatement's daily differences are kept by, and its own."""
    return (
        refers("restatement_id", "restatement.id", "the restatement"),
        text("cause", "what changed: engine, or usage, owner, price and so on, in their order"),
        text("day", "the day in the book's zone, YYYY-MM-DD"),
        *parts,
        Index(None, "restatement_id"),
    )


WHO = (
    ("account", "the cost or balance account"),
    ("state", "the state of the slot, where the account has states; else ''"),
    ("owner", "the owner key, or a name in double underscores"),
    ("team", "the owner's team"),
    ("cost_centre", "the owner's cost centre; '': none"),
    ("model", "the accelerator's model; '': not known, or no device"),
    ("cluster", "the cluster"),
)
