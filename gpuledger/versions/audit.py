"""The audit log as a chain: each row's digest covers its columns and the digest of the row before it.

`audit_head`, a single row, keeps the digest of the last row, so that a log that was cut short is found too.
Who can write to the database can also write a whole new chain; a digest that was noted elsewhere finds that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from gpuledger.canonical import canonical_json, text_digest
from gpuledger.versions.tables import audit_head, audit_log

__all__ = ["AuditChain", "append_audit", "audit_chain"]

_SIGNED = ("id", "at_s", "seq", "actor", "action", "detail")


@dataclass(frozen=True)
class AuditChain:
    """What recomputing the log found: its rows, its last digest, and the first row that is not in order.

    `broken` is None where the chain is whole, and the number of a row that is gone where the end is.
    """

    rows: int
    digest: str
    broken: int | None
    why: str


def append_audit(
    connection: Connection, *, at_s: int, action: str, detail: str, actor: str, seq: int | None = None
) -> int:
    """Add a row to the log and give its number; the caller's transaction has the database's lock."""
    head = connection.execute(select(audit_head.c.last_id, audit_head.c.digest)).one()
    row: dict[str, Any] = {"id": int(head.last_id) + 1, "at_s": at_s, "seq": seq}
    row |= {"actor": actor, "action": action, "detail": detail}
    digest = _digest(row, head.digest)
    connection.execute(insert(audit_log).values(**row, digest=digest))
    connection.execute(update(audit_head).values(last_id=row["id"], digest=digest))
    return int(row["id"])


def audit_chain(connection: Connection) -> AuditChain:
    """Recompute the whole chain; it ends at the first row that is not what was written."""
    previous, last_id, rows = "", 0, 0
    for found in connection.execute(select(audit_log).order_by(audit_log.c.id)).mappings():
        if found["digest"] != _digest({name: found[name] for name in _SIGNED}, previous):
            why = "it is not what was written, or a row before it is gone"
            return AuditChain(rows, previous, int(found["id"]), why)
        previous, last_id, rows = found["digest"], int(found["id"]), rows + 1
    head = connection.execute(select(audit_head.c.last_id, audit_head.c.digest)).one_or_none()
    if head is None or (head.last_id, head.digest) != (last_id, previous):
        return AuditChain(rows, previous, last_id + 1, "it was the end of the log, and is gone")
    return AuditChain(rows, previous, None, "")


def _digest(row: dict[str, Any], previous: str) -> str:
    return text_digest(canonical_json({**row, "previous": previous}))
