"""The settings that a book fixes when it is begun, and what is said when a later command sets them otherwise.

Facts are cut into shards once for all books of a home: the first book, or the first import, decides.
"""

from __future__ import annotations

from sqlalchemy import func, select

from gpuledger.errors import Place, SettingsError
from gpuledger.sources import Sourced
from gpuledger.versions import Database
from gpuledger.versions.book import Book, find_book, open_book
from gpuledger.versions.tables import book, lake_file

__all__ = ["planned_book", "session_book", "shards_in_use"]

_FIXED = ("zone", "currency", "charged", "shards")


def session_book(database: Database, sourced: Sourced, *, at_s: int) -> Book:
    """The book that is set, begun as set where there is none yet.

    Raises SettingsError where a flag, variable or file says something else than the book was begun with.
    """
    begun = open_book(database, _wanted(database, sourced), at_s=at_s)
    _refuse_others(sourced, begun, _FIXED)
    return begun


def planned_book(database: Database, sourced: Sourced) -> Book:
    """The book that is set, or as it would be begun: for who only looks, nothing is written.

    Raises SettingsError as `session_book` does.
    """
    wanted = _wanted(database, sourced)
    found = find_book(database, wanted.name) or wanted
    _refuse_others(sourced, found, _FIXED)
    return found


def _wanted(database: Database, sourced: Sourced) -> Book:
    settings = sourced.settings
    shards = shards_in_use(database)
    wanted = Book(
        name=settings.book,
        zone=settings.zone,
        currency=settings.currency,
        shards=shards or settings.shards,
        charged=settings.charged,
    )
    if shards is not None:
        _refuse_others(sourced, wanted, ("shards",))
    return wanted


def shards_in_use(database: Database) -> int | None:
    """How many shards the facts of this home are cut into; None while nothing has decided it."""
    with database.read() as connection:
        decided = connection.scalar(select(func.max(book.c.shards)))
        greatest = connection.scalar(select(func.max(lake_file.c.shard)))
    return int(decided) if decided is not None else 1 if greatest == 0 else None


def _refuse_others(sourced: Sourced, begun: Book, names: tuple[str, ...]) -> None:
    for name in names:
        wanted, fixed = getattr(sourced.settings, name), getattr(begun, name)
        if wanted != fixed and sourced.sources[name] != "default":
            raise SettingsError(
                f"{name} = {wanted!r}: book {begun.name} is kept with {name} = {fixed!r}",
                place=Place(file=sourced.sources[name]),
                mend=f"leave {name} out"
                + ("" if name == "shards" else ", or begin another book: --book NAME"),
            )
