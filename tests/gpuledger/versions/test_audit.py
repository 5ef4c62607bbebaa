"""The audit log as a chain of digests."""

from __future__ import annotations

import hashlib

import pytest
from sqlalchemy import select, text

from gpuledger.versions import Database, append_audit, audit_chain
from gpuledger.versions.tables import audit_log

AT_S = 1_790_000_000


@pytest.fixture
def logged(database: Database) -> Database:
    """A database with four commits, and so four rows."""
    for number in range(4):
        with database.commit("import", at_s=AT_S + number, note=f"file-{number}.csv", actor="ann"):
            pass
    return database


def broken(database: Database, tampering: str) -> int | None:
    with database.engine.begin() as connection:
        connection.execute(text(tampering))
    with database.read() as connection:
        return audit_chain(connection).broken


def test_chain_of_an_untouched_log_is_whole(logged: Database) -> None:
    with logged.read() as connection:
        chain = audit_chain(connection)
        last = connection.scalar(select(audit_log.c.digest).order_by(audit_log.c.id.desc()))
    assert (chain.rows, chain.broken, chain.digest) == (4, None, last)


def test_chain_of_an_empty_log_is_whole(database: Database) -> None:
    with database.read() as connection:
        assert audit_chain(connection).broken is None


def test_digest_is_what_the_docs_say(database: Database) -> None:
    with database.commit("import", at_s=5, note='é "x"', actor="ann"):
        pass
    with database.read() as connection:
        found = connection.scalar(select(audit_log.c.digest))
    said = '{"action":"import","actor":"ann","at_s":5,"detail":"é \\"x\\"","id":1,"previous":"","seq":1}'
    assert found == hashlib.sha256(said.encode()).hexdigest()


@pytest.mark.parametrize(
    ("tampering", "row"),
    [
        ("update audit_log set actor = 'bob' where id = 1", 1),
        ("update audit_log set detail = 'file-2.cs' where id = 3", 3),
        ("update audit_log set at_s = at_s + 1 where id = 4", 4),
        ("update audit_log set seq = null where id = 2", 2),
        ("update audit_log set id = 9 where id = 4", 9),
        ("update audit_log set digest = '' where id = 2", 2),
        ("delete from audit_log where id = 1", 2),
        ("delete from audit_log where id = 3", 4),
        ("delete from audit_log where id = 4", 4),
        ("delete from audit_log where id > 2", 3),
        ("delete from audit_log", 1),
        ("delete from audit_head", 5),
        ("insert into audit_log (at_s, actor, action, detail) values (1, 'bob', 'close', '')", 5),
    ],
)
def test_changed_or_deleted_row_is_found(logged: Database, tampering: str, row: int) -> None:
    assert broken(logged, tampering) == row


def test_row_without_a_seq_is_in_the_chain_too(logged: Database) -> None:
    with logged.write() as connection:
        assert append_audit(connection, at_s=AT_S, action="close", detail="2026-10", actor="ann") == 5
    assert broken(logged, "update audit_log set detail = '2026-11' where id = 5") == 5


def test_row_that_was_rolled_back_leaves_no_gap(logged: Database) -> None:
    with pytest.raises(ZeroDivisionError), logged.commit("import", at_s=AT_S):
        raise ZeroDivisionError
    with logged.commit("import", at_s=AT_S):
        pass
    with logged.read() as connection:
        chain = audit_chain(connection)
    assert (chain.rows, chain.broken) == (5, None)
