"""Versioned facts in the database: which hold at a seq, and how new ones become versions.

A fact has an `identity`, a valid interval and a `seq`. The greatest `seq` up to S counts and replaces the
identity's whole interval; a withdrawal is a version too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Row, Table, and_, bindparam, delete, func, insert, select

from gpuledger.errors import InputError, OverlapError
from gpuledger.instants import format_utc
from gpuledger.versions.database import Commit

__all__ = ["Fact", "PutCount", "put", "rows_in_force", "withdraw"]


class Fact(Protocol):
    """What every versioned fact has: who it is, and when it holds (Unix seconds; an end of None is open)."""

    @property
    def identity(self) -> str: ...
    @property
    def start_s(self) -> int: ...
    @property
    def end_s(self) -> int | None: ...


F = TypeVar("F", bound=Fact)
Claim = tuple[str, ...]


@dataclass(frozen=True)
class PutCount:
    """How many of the facts became versions, and how many said what was already known."""

    new: int
    unchanged: int


def rows_in_force(connection: Connection, table: Table, seq: int) -> Sequence[Row[Any]]:
    """The rows of each identity's greatest seq up to this one, without what was withdrawn, by identity.

    Sorted here, by code points: databases sort text by their own locale.
    """
    at = table.c
    newest = (
        select(at.identity, func.max(at.seq).label("seq"))
        .where(at.seq <= seq)
        .group_by(at.identity)
        .subquery()
    )
    counts = and_(at.identity == newest.c.identity, at.seq == newest.c.seq)
    known = select(table).join(newest, counts).where(at.withdrawn.is_(False))
    return sorted(connection.execute(known), key=lambda row: str(row.identity))


def put(
    commit: Commit,
    table: Table,
    known: Iterable[F],
    facts: Iterable[F],
    *,
    claim: Callable[[F], Claim],
    what: str,
) -> PutCount:
    """Write a version for each fact that differs from the known one of its identity.

    Two facts with the same `claim` (what they speak about) may not hold at the same time. Nothing is written
    if one is wrong: InputError for an empty interval or an identity that comes twice, OverlapError that names
    both facts.
    """
    before = {fact.identity: fact for fact in known}
    wanted = _by_identity(facts, what)
    changed = {key: fact for key, fact in wanted.items() if before.get(key) != fact}
    _refuse_overlaps((before | changed).values(), {claim(fact) for fact in changed.values()}, claim, what)
    _write(commit, table, changed.values(), withdrawn=False)
    return PutCount(new=len(changed), unchanged=len(wanted) - len(changed))


def withdraw(commit: Commit, table: Table, known: Iterable[F], identities: Iterable[str]) -> int:
    """Take facts back, as versions of their own; give how many of the identities were in force."""
    wanted = set(identities)
    taken = [fact for fact in known if fact.identity in wanted]
    _write(commit, table, taken, withdrawn=True)
    return len(taken)


def _by_identity(facts: Iterable[F], what: str) -> dict[str, F]:
    found: dict[str, F] = {}
    for fact in facts:
        if fact.end_s is not None and fact.end_s <= fact.start_s:
            raise InputError(f"{what} {fact.identity} ends before it begins: {_interval(fact)}")
        if found.setdefault(fact.identity, fact) != fact:
            raise InputError(f"{what} {fact.identity} comes twice, with different contents")
    return found


def _refuse_overlaps(facts: Iterable[F], touched: set[Claim], claim: Callable[[F], Claim], what: str) -> None:
    claimed: dict[Claim, list[F]] = {key: [] for key in touched}
    for fact in facts:
        if (key := claim(fact)) in claimed:
            claimed[key].append(fact)
    for key, rivals in claimed.items():
        rivals.sort(key=lambda fact: (fact.start_s, fact.identity))
        for one, other in pairwise(rivals):
            if one.end_s is None or one.end_s > other.start_s:
                raise OverlapError(
                    f"two {what}s of {' / '.join(part for part in key if part)} hold at the same time: "
                    f"{one.identity} {_interval(one)} and {other.identity} {_interval(other)}",
                    mend="end one where the other begins",
                )


def _interval(fact: Fact) -> str:
    until = "open" if fact.end_s is None else format_utc(fact.end_s)
    return f"[{format_utc(fact.start_s)}, {until})"


def _write(commit: Commit, table: Table, facts: Iterable[Any], *, withdrawn: bool) -> None:
    """One version each at this commit's seq, in place of what the same commit said before."""
    rows = [asdict(fact) | {"seq": commit.seq, "withdrawn": withdrawn} for fact in facts]
    if not rows:
        return
    same = and_(table.c.identity == bindparam("key"), table.c.seq == commit.seq)
    if commit.connection.scalar(select(func.count()).where(table.c.seq == commit.seq)):
        commit.connection.execute(delete(table).where(same), [{"key": row["identity"]} for row in rows])
    commit.connection.execute(insert(table), rows)
