"""The book as it was begun."""

from __future__ import annotations

from dataclasses import replace

from gpuledger.versions import Book, Database, open_book

BOOK = Book("main", "Asia/Kolkata", "USD", 4, "pooled")


def test_book_is_begun_once_and_stays_as_it_was_begun(database: Database) -> None:
    assert open_book(database, BOOK, at_s=1) == BOOK
    assert open_book(database, replace(BOOK, zone="UTC", shards=9), at_s=2) == BOOK
    assert database.latest_seq() == 1
