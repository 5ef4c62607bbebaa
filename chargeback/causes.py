"""Why books differ: what became known between two seqs, taken one cause after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlalchemy import select

from chargeback.desk import Desk
from chargeback.outline import Outline, outline
from chargeback.period_terms import come_to_the_same, terms_at
from chargeback.terms.in_force import Seqs
from chargeback.units import Terms
from chargeback.workbench import FACT_SOURCES, SourceFile, Workbench
from gpuledger.calendars import month_bounds
from gpuledger.errors import InputError
from gpuledger.versions.tables import source_through

__all__ = ["CAUSES", "ENGINE", "Cause", "causes_between", "read_order"]

CAUSES = ("usage", "samples", "owner", "commitment", "price", "bill", "lot", "fx", "policy")
"""The causes in the order in which they are taken: facts of the lake, samples, owners and rules, commitments,
prices, bills with their rules, lots, exchange rates, policies."""

ENGINE = "engine"
"""Another version of gpuledger. It goes first: there is one engine here, so the others are taken with it."""


_SINCE = f"""
with fact as ({" union all ".join(f"select seq from source_{name}" for name in FACT_SOURCES)})
select 1 from fact where seq > $base_seq and seq <= $seq limit 1
"""


@dataclass(frozen=True)
class Cause:
    """A cause that may change a period: its books are to be computed of these terms and this outline."""

    name: str
    terms: Terms
    known: Outline


def read_order(text: str) -> tuple[str, ...]:
    """An order of causes from names with commas; those that are not named follow in their usual order.

    >>> read_order("price,owner")
    ('price', 'owner', 'usage', 'samples', 'commitment', 'bill', 'lot', 'fx', 'policy')
    """
    named = [name.strip() for name in text.split(",")] if text else []
    for name in named:
        if name not in CAUSES or named.count(name) > 1:
            what = "named twice" if name in CAUSES else "no cause that can be put in an order"
            raise InputError(f"{name!r} is {what}", mend=f"the causes are {', '.join(CAUSES)}")
    return (*named, *(name for name in CAUSES if name not in named))


def causes_between(
    desk: Desk, period: str, base_seq: int, seq: int, order: tuple[str, ...], *, engine: bool
) -> Iterator[Cause]:
    """The causes by which a period's books at `seq` may differ from those at `base_seq`, in this order.

    Each keeps the changes before it: step k reads the facts of causes 1 to k at `seq` and the others at
    `base_seq`. A cause whose terms come out the same is left out. `engine` says that the books at `base_seq`
    were made by another version.
    """
    bounds = month_bounds(desk.book.zone, period)
    seqs = Seqs.at(base_seq)
    known = outline(desk, base_seq, *bounds)
    terms = terms_at(desk, period, seqs, known)
    if engine:
        yield Cause(ENGINE, terms, known)
    for name in order:
        if name in _OF_THE_LAKE and not _OF_THE_LAKE[name](desk, base_seq, seq):
            continue
        seqs = replace(seqs, **{name: seq})
        if name in _OF_THE_LAKE:
            known = outline(desk, seqs.usage, *bounds, samples_seq=seqs.samples)
        then = terms_at(desk, period, seqs, known)
        if name in _OF_THE_LAKE or not come_to_the_same(then, terms):
            yield Cause(name, then, known)
        terms = then


def _lake_changed(desk: Desk, base_seq: int, seq: int) -> bool:
    return _more_is_complete(desk, base_seq, seq) or _has_facts_since(desk, base_seq, seq)


def _samples_changed(desk: Desk, base_seq: int, seq: int) -> bool:
    """Whether other files say what was reported: they are made anew a day at a time, and never compacted."""
    then, now = ({file.path for file in desk.lake.files("activity", at)} for at in (base_seq, seq))
    return then != now


def _more_is_complete(desk: Desk, base_seq: int, seq: int) -> bool:
    at = source_through.c.seq
    with desk.database.read() as connection:
        found = connection.execute(select(at).where(at > base_seq, at <= seq).limit(1))
        return found.first() is not None


def _has_facts_since(desk: Desk, base_seq: int, seq: int) -> bool:
    """Whether a fact is of a seq between; a compacted file has rows of many, and counts since the oldest."""
    files = [file for name in FACT_SOURCES for file in desk.lake.files(name, seq)]
    if any(file.added_seq > base_seq for file in files):
        return True
    compacted = [
        SourceFile(file.table, desk.lake.store.local_path(file.path), file.added_seq)
        for file in files
        if file.part
    ]
    if not compacted:
        return False
    with Workbench(desk.limits) as bench:
        bench.sources(compacted)
        return bool(bench.rows(_SINCE, {"base_seq": base_seq, "seq": seq}))


_OF_THE_LAKE = {"usage": _lake_changed, "samples": _samples_changed}
"""Whether a cause that is in the lake, and not in the terms, may have changed."""
