"""The book: the zone, currency, shards and charged layer of its periods, fixed when it is begun."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from gpuledger.versions.database import Database
from gpuledger.versions.tables import book

__all__ = ["Book", "find_book", "open_book"]


@dataclass(frozen=True)
class Book:
    """What a book is kept in: billing zone, currency, number of shards, and the layer that is charged."""

    name: str
    zone: str
    currency: str
    shards: int
    charged: str


def find_book(database: Database, name: str) -> Book | None:
    """The book of that name, None where it was not begun."""
    with database.read() as connection:
        return _find(connection, name)


def open_book(database: Database, wanted: Book, *, at_s: int) -> Book:
    """The book of that name as it was begun; begun now, as wanted, where there is none."""
    if (found := find_book(database, wanted.name)) is not None:
        return found
    with database.commit("begin book", at_s=at_s, note=wanted.name) as commit:
        begun = _find(commit.connection, wanted.name)
        if begun is None:
            commit.connection.execute(insert(book).values(**vars(wanted), created_seq=commit.seq))
    return begun or wanted


def _find(connection: Connection, name: str) -> Book | None:
    columns = book.c.name, book.c.zone, book.c.currency, book.c.shards, book.c.charged
    row = connection.execute(select(*columns).where(book.c.name == name)).one_or_none()
    return Book(*row) if row else None
