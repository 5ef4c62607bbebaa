"""What the database keeps of a close: its state, the frozen statement, and the digests that hold it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from gpuledger.canonical import canonical_json, text_digest
from gpuledger.errors import BooksError, InvariantError
from gpuledger.versions import append_audit
from gpuledger.versions.tables import (
    audit_log,
    book_head,
    entry_day,
    period_close,
    pool_total,
    restated_entry_day,
    restated_time_day,
    restatement,
    run,
    time_day,
)

__all__ = [
    "CLOSED",
    "PROVISIONAL",
    "PeriodClose",
    "already_closed",
    "books_digest",
    "ensure_not_closed",
    "find_close",
    "keep_close",
    "logged_as",
    "logged_last",
    "open_again",
]

CLOSED, PROVISIONAL = "closed", "provisional"

_ACTIONS = {CLOSED: "close", PROVISIONAL: "close provisionally"}
_OPENED = "open again"


@dataclass(frozen=True)
class PeriodClose:
    """A close as the database keeps it: a row of `period_close`."""

    book: str
    period: str
    state: str
    close_id: str
    run_id: str
    seq: int
    closed_at_s: int
    actor: str
    format_version: int
    statement_digest: str
    books_digest: str
    facts_digest: str
    statement: str

    @property
    def frozen(self) -> dict[str, Any]:
        """The frozen statement, read."""
        found: dict[str, Any] = json.loads(self.statement)
        return found

    @property
    def is_intact(self) -> bool:
        """Whether the frozen text is what was frozen."""
        return text_digest(self.statement) == self.statement_digest

    def ensure_intact(self) -> None:
        """Raise InvariantError where the frozen text is not what was frozen."""
        if not self.is_intact:
            raise InvariantError(
                f"the frozen statement of {self.period} was changed after the close",
                mend="bring the database back from a backup; `gpuledger verify` says what else was changed",
            )


def find_close(connection: Connection, book: str, period: str) -> PeriodClose | None:
    """The close of a period, provisional or final; None while it is open."""
    columns = [period_close.c[name] for name in PeriodClose.__dataclass_fields__]
    mine = (period_close.c.book == book) & (period_close.c.period == period)
    row = connection.execute(select(*columns).where(mine)).one_or_none()
    return None if row is None else PeriodClose(*row)


def already_closed(close: PeriodClose) -> BooksError:
    """The error for whoever would write to a closed period."""
    return BooksError(
        f"{close.period} is closed, at seq {close.seq} by {close.actor}: its books do not change any more",
        mend=f"`gpuledger statement --month {close.period}` prints it as it was closed",
    )


def ensure_not_closed(connection: Connection, book: str, period: str) -> PeriodClose | None:
    """Raise BooksError where a period is closed; give its provisional close, if it has one."""
    close = find_close(connection, book, period)
    if close is not None and close.state == CLOSED:
        raise already_closed(close)
    return close


def keep_close(connection: Connection, close: PeriodClose) -> None:
    """Keep a close in place of a provisional one, with its line in the audit log."""
    connection.execute(update(run).where(run.c.id == close.run_id).values(state=close.state))
    connection.execute(delete(period_close).where(*_mine(close.book, close.period)))
    connection.execute(insert(period_close).values(**asdict(close)))
    append_audit(
        connection,
        at_s=close.closed_at_s,
        actor=close.actor,
        action=_ACTIONS[close.state],
        detail=logged_as(close),
    )


def open_again(connection: Connection, book: str, period: str, at_s: int) -> None:
    """Let a period be open again whose books change after a provisional close; BooksError if it is closed."""
    if ensure_not_closed(connection, book, period) is None:
        return
    connection.execute(delete(period_close).where(*_mine(book, period)))
    detail = f"{_subject(book, period)}a run put other books in force"
    append_audit(connection, at_s=at_s, actor="gpuledger", action=_OPENED, detail=detail)


def _mine(book: str, period: str) -> tuple[Any, Any]:
    return period_close.c.book == book, period_close.c.period == period


def _subject(book: str, period: str) -> str:
    return f"{period} of {book}: "


def logged_as(close: PeriodClose) -> str:
    """What the audit log says of a close: what was frozen, by its digests, and what was signed for."""
    frozen = close.frozen
    kept = asdict(close)
    del kept["statement"]
    said = kept | {"total": frozen["total"], "currency": frozen["currency"]["code"]}
    return _subject(close.book, close.period) + canonical_json(said | frozen["summary"]["close"])


def logged_last(connection: Connection, book: str, period: str) -> str | None:
    """What the log says last of a close of this period; None if it never was, or was opened again."""
    about = audit_log.c.action.in_([*_ACTIONS.values(), _OPENED]) & audit_log.c.detail.startswith(
        _subject(book, period), autoescape=True
    )
    last = select(audit_log.c.action, audit_log.c.detail).where(about).order_by(audit_log.c.id.desc())
    row = connection.execute(last.limit(1)).one_or_none()
    return None if row is None or row.action == _OPENED else str(row.detail)


def books_digest(connection: Connection, book: str, period: str, run_id: str) -> str:
    """The digest of all that the database keeps of a run in force: heads, daily totals, pools, summary."""
    return text_digest("\n".join(_rows(connection, book, period, run_id)))


def _rows(connection: Connection, book: str, period: str, run_id: str) -> Iterator[str]:
    heads = select(book_head).where(book_head.c.book == book, book_head.c.period == period)
    unchanging = [column for column in run.c if column.name != "state"]
    booked = restatement.c.book == book, restatement.c.booking_period == period
    collected = select(restatement.c.id).where(*booked, restatement.c.replaced_at_s.is_(None))
    queries = {
        "book_head": heads,
        "run": select(*unchanging).where(run.c.id == run_id),
        **{one.name: select(one).where(one.c.run_id == run_id) for one in (entry_day, time_day, pool_total)},
        "restatement": select(restatement).where(restatement.c.id.in_(collected)),
        **{
            one.name: select(one).where(one.c.restatement_id.in_(collected))
            for one in (restated_entry_day, restated_time_day)
        },
    }
    for name, query in queries.items():
        yield name
        yield from sorted(canonical_json([_plain(one) for one in row]) for row in connection.execute(query))


def _plain(value: Any) -> Any:
    """The value; a damaged file of SQLite can also yield bytes and fractions, which are no value of ours."""
    return value if isinstance(value, int | str | None) else repr(value)
