"""Runs of the books: one computation of a period at one seq, and the heads that name the run in force."""

from __future__ import annotations

import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from chargeback.closes import ensure_not_closed
from chargeback.desk import Desk, Progressing, silent
from chargeback.direct import post_direct
from chargeback.distribute import distribute
from chargeback.landing import Priced
from chargeback.layers import POOLED
from chargeback.ledger import Result, begun_run, save_run
from chargeback.measure import measure
from chargeback.money_range import ensure_in_range
from chargeback.outline import Outline, outline
from chargeback.period_terms import terms_at
from chargeback.policies import RESOURCE_WEIGHTS, bill_tolerance
from chargeback.post import Charges, post
from chargeback.pricing import PricingTerms, price
from chargeback.terms.in_force import Seqs
from chargeback.units import EntryDay, Measured, Partition, PoolPart, Posted, Terms, Unit, units_of
from gpuledger.calendars import calendar_pieces, month_bounds
from gpuledger.console import Progress
from gpuledger.errors import BooksError, StorageError
from gpuledger.instants import format_utc
from gpuledger.money import currency
from gpuledger.versions import Database

__all__ = [
    "compute_books",
    "ensure_known",
    "make_books",
    "price_period",
    "pricing_terms",
    "scratch_folder",
]

R = TypeVar("R")


def make_books(
    desk: Desk,
    period: str,
    *,
    seq: int,
    run_id: str,
    at_s: int,
    in_force: bool = True,
    progress: Progressing = silent,
) -> Result:
    """Compute a period as known at `seq` and keep the run.

    With `in_force` the period's heads are flipped to it in the same commit; nothing that is in force changes
    before that. `at_s` is the clock. Raises BooksError, also for a period that is closed, and InvariantError
    where an audit finds rows.
    """
    start_s, end_s = month_bounds(desk.book.zone, period)
    if in_force:
        with desk.database.read() as connection:
            ensure_not_closed(connection, desk.book.name, period)
    known = outline(desk, seq, start_s, end_s)
    terms = terms_at(desk, period, Seqs.at(seq), known)
    books = desk.books / desk.book.name / period
    with begun_run(desk.database, desk.book, run_id, period, seq, desk.engine_version, at_s):
        result = compute_books(desk, terms, known, run_id=run_id, books=books, progress=progress)
        save_run(desk.database, desk.book, result, at_s=at_s, in_force=in_force)
    return result


def compute_books(
    desk: Desk, terms: Terms, known: Outline, *, run_id: str, books: Path, progress: Progressing = silent
) -> Result:
    """Compute a period by these terms; its partitions come under the folder `books`, nothing in the database.

    `known` is the outline of the period at the seq of the terms. Raises InvariantError where an audit finds
    rows.
    """
    with scratch_folder(desk, run_id) as scratch:
        units = _units(desk, terms, known, scratch, run_id, books)
        with _workers(desk) as spread, progress(2 * len(units), f"books of {terms.period}") as bar:
            measured: list[Measured] = _stepped(spread(partial(measure, terms), units), bar)
            priced = price_period(terms, (part for one in measured for part in one.parts))
            charges = [_charges(priced, unit) for unit in units]
            posted: list[Posted] = _stepped(spread(partial(post, terms), units, charges), bar)
        limits = replace(desk.limits, spill=scratch)
        posted.append(post_direct(terms, priced, books, run_id, limits))
        partitions, distributed = distribute(terms, posted, books, run_id, limits)
    entries = [*(row for one in posted for row in one.entries), *distributed]
    summary = {**_unplaced(measured), **_astray(terms, posted)}
    return _result(terms, run_id, measured, priced, partitions, entries, summary)


def price_period(terms: Terms, parts: Iterable[PoolPart]) -> Priced:
    """Price a period's parts by its terms; BooksError where its money does not fit into 64 bits."""
    pricing = pricing_terms(terms)
    priced = price(parts, pricing)
    ensure_in_range(priced, pricing.currency)
    return priced


def pricing_terms(terms: Terms) -> PricingTerms:
    """What the price pass takes of a period's terms."""
    return PricingTerms(
        pooled=terms.charged == POOLED,
        currency=currency(terms.currency),
        pieces=calendar_pieces(terms.zone, terms.start_s, terms.end_s),
        tariffs=terms.tariffs.records,
        numbers=terms.tariff_numbers,
        lots=terms.lots,
        throughs=terms.lot_throughs,
        fx=terms.fx,
        tolerance=bill_tolerance(terms.policies),
        weights=terms.policies.get(RESOURCE_WEIGHTS, ""),
        commitments={one.name: one for one in terms.commitments},
    )


def ensure_known(database: Database, seq: int) -> None:
    """Raise BooksError for a seq that was never committed."""
    latest = database.latest_seq()
    if not 0 < seq <= latest:
        raise BooksError(
            f"nothing was known at seq {seq}; the seqs are 1 to {latest}",
            mend="give a seq that a statement printed, or an instant",
        )


def _units(desk: Desk, terms: Terms, known: Outline, scratch: Path, run_id: str, books: Path) -> list[Unit]:
    files = {shard.number: shard.files for shard in known.shards}
    lanes = [(shard.number, shard.lanes) for shard in known.shards]
    return [
        Unit(
            shard=shard,
            start_s=start_s,
            end_s=end_s,
            files=files[shard],
            books=books,
            scratch=scratch,
            run_id=run_id,
            limits=replace(desk.limits, spill=scratch),
        )
        for shard, start_s, end_s in units_of(lanes, terms.start_s, terms.end_s)
    ]


def _charges(priced: Priced, unit: Unit) -> Charges:
    def mine(shard: int, at_s: int) -> bool:
        return shard == unit.shard and unit.start_s <= at_s < unit.end_s

    return Charges(
        shares=tuple(row for row in priced.shares if mine(row.shard, row.piece_s)),
        lot_shares=tuple(row for row in priced.lot_shares if mine(row.shard, row.piece_s)),
        charges=tuple(priced.charges),
        recognised=tuple(row for row in priced.recognised if mine(row.shard, row.piece_s)),
        amounts=tuple(row for row in priced.amounts if unit.start_s <= row.from_s < unit.end_s),
        resources=tuple(row for row in priced.resources if unit.start_s <= row.from_s < unit.end_s),
    )


def _result(
    terms: Terms,
    run_id: str,
    measured: Sequence[Measured],
    priced: Priced,
    partitions: list[Partition],
    entries: list[EntryDay],
    more: dict[str, Any],
) -> Result:
    orphaned: dict[str, int] = defaultdict(int)
    for one in measured:
        for cluster, ticks in one.orphaned.items():
            orphaned[cluster] += ticks
    return Result(
        run_id=run_id,
        period=terms.period,
        seq=terms.seq,
        through_s=min([terms.end_s, *terms.throughs.values()]),
        partitions=partitions,
        entries=entries,
        times=[row for one in measured for row in one.times],
        exact=priced.exact,
        cents=priced.cents,
        pools=priced.pools,
        summary={
            "charged": terms.charged,
            "data_through": dict(sorted(terms.sources.items())),
            "orphaned_ticks": dict(sorted(orphaned.items())),
            "policies": terms.policies,
            "prices": _prices(terms),
            **_rated(priced),
            **({"uncovered_ticks": priced.uncovered} if priced.uncovered else {}),
            **_unweighed(terms),
            **more,
        },
    )


def _astray(terms: Terms, posted: Sequence[Posted]) -> dict[str, list[str]]:
    """The pools of entitlements that have no time in the period; nothing where there are none."""
    pools = {(row.model, row.region) for one in posted for row in one.pieces}
    astray = terms.distribution.astray(pools) if terms.distribution else []
    return {"entitlements_astray": astray} if astray else {}


def _unplaced(measured: Sequence[Measured]) -> dict[str, dict[str, int]]:
    """What devices in no slot used, in joules by cluster, where there is any."""
    joules: Counter[str] = Counter()
    for one in measured:
        joules.update(one.unplaced_joules)
    return {"unplaced_joules": dict(sorted(joules.items()))} if joules else {}


def _prices(terms: Terms) -> list[dict[str, str]]:
    """The price records in force in the period, each over its stretches; what is superseded is none."""
    stretches: dict[tuple[str, str, str, str, str, str], list[tuple[int, int]]] = defaultdict(list)
    for span in sorted(terms.tariffs.spans, key=lambda span: span.from_s):
        tariff = terms.tariffs.records[span.price_record]
        if (meter := tariff.meter) is not None and not tariff.is_superseded:
            status = "provisional" if meter.is_provisional else ""
            unit = "" if meter.unit == "gpu_hour" else meter.unit
            key = (meter.record, meter.lot, meter.price, meter.currency, unit, status)
            stretches[key].append((span.from_s, span.to_s))
    return [
        {"lot": lot, "rate": rate, "currency": code, "from": format_utc(from_s), "to": format_utc(to_s)}
        | {name: value for name, value in (("unit", unit), ("status", status)) if value}
        for (_, lot, rate, code, unit, status), spans in sorted(stretches.items())
        for from_s, to_s in _joined(spans)
    ]


def _rated(priced: Priced) -> dict[str, dict[str, str]]:
    """What was estimated for what bills charge: quanta by lot, as exact text; nothing where there is none."""
    return {"rated": {lot: str(estimate) for lot, estimate in priced.rated.items()}} if priced.rated else {}


def _unweighed(terms: Terms) -> dict[str, list[str]]:
    """The nodes whose price is all for GPUs because nothing says what else they have; nothing without any."""
    nodes = terms.tariffs.unweighed
    return {"nodes_without_resources": list(nodes)} if nodes else {}


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches in order with those that touch or overlap in one."""
    found: list[tuple[int, int]] = []
    for from_s, to_s in sorted(spans):
        if found and from_s <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], to_s))
        else:
            found.append((from_s, to_s))
    return found


@contextmanager
def scratch_folder(desk: Desk, name: str) -> Iterator[Path]:
    """A folder in scratch that goes with the block; StorageError where it cannot be made."""
    folder = desk.scratch / name
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise StorageError(
            f"{folder} cannot be made: {error}", mend="look at the disk, then try again"
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _workers(desk: Desk) -> Iterator[Callable[..., Iterable[R]]]:
    """Spread units over processes of their own; one worker stays in this process."""
    if desk.workers == 1:
        yield map
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(desk.workers, mp_context=context, initializer=_end_with_parent) as pool:
        yield pool.map


def _end_with_parent() -> None:
    """Let a worker end when the process that gives it work is killed; it would wait for more for ever."""

    def watch(parent: BaseProcess) -> None:
        parent.join()
        os._exit(1)

    if (parent := parent_process()) is not None:
        Thread(target=watch, args=(parent,), daemon=True).start()


def _stepped(results: Iterable[R], bar: Progress) -> list[R]:
    kept = []
    for result in results:
        kept.append(result)
        bar.advance()
    return kept
