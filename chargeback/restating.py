"""Restating: what became known of a closed month is carried into an open one, cause by cause.

The closed books stay as they are. A restatement starts from them, or from the last restatement that was
itself closed, and ends at a fresh computation of what is known now. While the month that collects it is open
another restatement takes its place; when that month is closed it stays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection

from chargeback.causes import CAUSES, causes_between
from chargeback.closes import CLOSED, PeriodClose, find_close, open_again
from chargeback.desk import Desk, Progressing, silent
from chargeback.differences import (
    Computed,
    Difference,
    files_digest,
    follow,
    read_differences,
    sums_of,
    write_differences,
)
from chargeback.ledger import Result, begun_run, engine_of, heads, load_run, save_run
from chargeback.partitions import run_folders, to_disk
from chargeback.post import partition_digest
from chargeback.restatements import (
    Restatement,
    booking_period,
    keep_restatement,
    logged_as,
    replace_restatement,
    restatements_of,
)
from gpuledger.calendars import month_bounds
from gpuledger.errors import BooksError, InvariantError
from gpuledger.versions import append_audit, latest_fact_seq

__all__ = ["AskedAgain", "Ground", "ground_of", "is_renewed", "renew", "restate", "restated_folder"]


@dataclass(frozen=True)
class AskedAgain:
    """A restatement as it is asked for: by whom, when, in which order of causes and why.

    `reopen` asks that each run of the books renews it, until the month that collects it is closed.
    """

    actor: str
    at_s: int
    order: tuple[str, ...] = CAUSES
    reason: str = ""
    reopen: bool = False


@dataclass(frozen=True)
class Ground:
    """What a restatement of a month stands on.

    `kept` are the restatements that are closed, `open` the one whose place another may take, `booking` the
    month that collects it. It starts from the run `base`, which the version `made_by` computed.
    """

    close: PeriodClose
    kept: tuple[Restatement, ...]
    open: Restatement | None
    booking: str
    base: Result
    made_by: str

    @property
    def counted(self) -> tuple[Restatement, ...]:
        """All restatements that count, in order."""
        return (*self.kept, self.open) if self.open else self.kept


def ground_of(desk: Desk, period: str) -> Ground:
    """What a restatement of a closed month stands on now; BooksError where the month is not closed."""
    month_bounds(desk.book.zone, period)
    with desk.database.read() as connection:
        return _ground(connection, desk, period)


def _ground(connection: Connection, desk: Desk, period: str) -> Ground:
    close = find_close(connection, desk.book.name, period)
    if close is None or close.state != CLOSED:
        raise BooksError(
            f"{period} is not closed: nothing of it is restated",
            mend=f"`gpuledger run --month {period}` makes its books of what is known now",
        )
    there = restatements_of(connection, desk.book.name, period)
    booking = booking_period(connection, desk.book.name, period)
    kept = tuple(one for one in there if one.booking_period != booking)
    base_id = kept[-1].run_id if kept else close.run_id
    return Ground(
        close=close,
        kept=kept,
        open=next((one for one in there if one.booking_period == booking), None),
        booking=booking,
        base=replace(load_run(connection, base_id), seq=kept[-1].seq if kept else close.seq),
        made_by=engine_of(connection, base_id),
    )


def is_renewed(desk: Desk, ground: Ground, asked: AskedAgain) -> bool:
    """Whether the open restatement has all that is known, as this version computes it and in that order."""
    there = ground.open
    if there is None or there.causes != ",".join(asked.order):
        return False
    with desk.database.read() as connection:
        known = latest_fact_seq(connection) <= there.seq
        same = engine_of(connection, there.run_id) == desk.engine_version
    return known and same and (bool(there.reopened) or not asked.reopen)


def restate(
    desk: Desk, ground: Ground, asked: AskedAgain, name: str, *, progress: Progressing = silent
) -> Difference:
    """Carry what became known of a closed month into the month that collects it, under this name.

    Nothing is kept where nothing differs; a restatement that was open is taken back then. All of it becomes
    known in one transaction at the end. Raises BooksError, also where the books changed meanwhile.
    """
    _ensure_unchanged(desk, ground)
    period, seq = ground.close.period, desk.database.latest_seq()
    base = Computed(ground.base, desk.books / desk.book.name / period)
    again = ground.made_by != desk.engine_version
    causes = list(causes_between(desk, period, ground.base.seq, seq, asked.order, engine=again))
    writer = _Writer(desk, ground, name)
    if not causes:
        found = Difference(ground.base, ground.base, ())
    else:
        with begun_run(desk.database, desk.book, name, period, seq, desk.engine_version, asked.at_s):
            found = follow(
                desk, base, causes, run_id=name, books=base.books, stepped=writer.write, progress=progress
            )
            writer.ensure_whole(found)
            to_disk(writer.folders, desk.books)
            to_disk(run_folders(desk, found.after), desk.books)
            save_run(desk.database, desk.book, found.after, at_s=asked.at_s, in_force=False)
    _keep(desk, ground, _row(writer, asked, found, seq), found)
    return found


def renew(desk: Desk, period: str, at_s: int, name: str, *, progress: Progressing = silent) -> Ground | None:
    """Restate a closed month that was reopened; give what it stands on then, None where it was not."""
    ground = ground_of(desk, period)
    there = ground.open
    if there is None or not there.reopened:
        return None
    asked = AskedAgain(there.actor, at_s, tuple(there.causes.split(",")), there.reason)
    if is_renewed(desk, ground, asked):
        return ground
    restate(desk, ground, asked, name, progress=progress)
    return ground_of(desk, period)


def restated_folder(desk: Desk, period: str) -> Path:
    """Where the entries of a month's restatements lie, by day and shard."""
    return desk.books / desk.book.name / period / "restated"


class _Writer:
    """Writes by how much entries changed, step by step, and holds the files against the daily totals."""

    def __init__(self, desk: Desk, ground: Ground, name: str) -> None:
        self.desk, self.ground, self.name = desk, ground, name
        self.folder = restated_folder(desk, ground.close.period)
        self.rows = 0

    def write(self, cause: str, before: Computed, after: Computed) -> None:
        booking = self.ground.booking
        self.rows += write_differences(
            self.desk, cause, before, after, booking, self.folder, f"restatement={self.name}"
        )

    @property
    def folders(self) -> list[Path]:
        """The folders that were written to."""
        return list(self.folder.glob(f"*/*/restatement={self.name}"))

    @property
    def digest(self) -> str:
        return files_digest(self.folder, f"restatement={self.name}")

    def ensure_whole(self, found: Difference) -> None:
        """Raise InvariantError where the files and the daily differences do not have the same sums."""
        files = read_differences(self.desk, self.folder, f"restatement={self.name}")
        if files != sums_of(found.steps):
            raise InvariantError(
                f"the entries of {self.ground.close.period} in files are not those of the daily totals",
                mend="run `gpuledger verify`; if that is in order, report a fault of gpuledger",
            )


def _row(writer: _Writer, asked: AskedAgain, found: Difference, seq: int) -> Restatement:
    ground, exact = writer.ground, found.exact
    before = ground.open
    return Restatement(
        id=writer.name,
        book=writer.desk.book.name,
        service_period=ground.close.period,
        booking_period=ground.booking,
        number=len(ground.kept) + 1,
        base_run_id=ground.base.run_id,
        run_id=found.after.run_id,
        base_seq=ground.base.seq,
        seq=seq,
        causes=",".join(asked.order),
        reopened=int(asked.reopen or bool(before and before.reopened)),
        reason=asked.reason or (before.reason if before else ""),
        actor=asked.actor,
        made_at_s=asked.at_s,
        replaced_at_s=None,
        rows=writer.rows,
        digest=writer.digest,
        exact_num=str(exact.numerator),
        exact_den=str(exact.denominator),
    )


def _keep(desk: Desk, ground: Ground, made: Restatement, found: Difference) -> None:
    """Put a restatement in the place of the open one; one that says and asks nothing counts for nothing.

    It is still kept where it takes a restatement back: as of its seq there is none any more.
    """
    counts = bool(made.reopened or found.steps)
    if not counts and ground.open is None:
        return
    with desk.database.write() as connection:
        now = _ground(connection, desk, made.service_period)
        if (now.close, now.counted, now.booking) != (ground.close, ground.counted, ground.booking):
            raise BooksError(
                f"the books of {made.service_period} or {made.booking_period} changed meanwhile",
                mend="restate again",
            )
        open_again(connection, made.book, made.booking_period, made.made_at_s)
        if ground.open is not None:
            replace_restatement(connection, ground.open, made.made_at_s)
        keep_restatement(
            connection, made if counts else replace(made, replaced_at_s=made.made_at_s), found.steps
        )
        append_audit(
            connection,
            at_s=made.made_at_s,
            actor=made.actor,
            action="reopen" if made.reopened and not (ground.open and ground.open.reopened) else "restate",
            detail=logged_as(made if counts else replace(made, id="")),
        )


def _ensure_unchanged(desk: Desk, ground: Ground) -> None:
    """Raise InvariantError where a file of the closed books is not what it was."""
    close = ground.close
    root = desk.books / desk.book.name / close.period
    with desk.database.read() as connection:
        rows = heads(connection, desk.book.name, close.period)
    for row in rows:
        folder = root / row.day / str(row.shard) / f"run={row.run_id}"
        if not folder.is_dir() or partition_digest(folder) != row.digest:
            raise InvariantError(
                f"the closed books of {close.period} are not as they were: {row.day}, shard {row.shard}",
                mend="bring the books back from a backup; `gpuledger verify` says what else was changed",
            )
