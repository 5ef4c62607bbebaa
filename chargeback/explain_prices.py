"""Which prices made the money: by record at its rate, and under the pooled layer through the pool."""

from __future__ import annotations

from collections.abc import Iterator

from chargeback.explain_ground import Ground
from chargeback.explanation import Row, Step, told
from chargeback.pricing import TICKS
from gpuledger.instants import format_utc
from gpuledger.money import half_up

__all__ = ["price_steps"]


def price_steps(ground: Ground) -> Iterator[Step]:
    """The price records, and where pools are charged what went into them and whose part it was."""
    yield _prices(ground)
    if ground.terms.charged == "pooled":
        yield _pool(ground)
        yield _pool_shares(ground)


def _prices(ground: Ground) -> Step:
    """By price record: the time, what the listed rate makes of it, and what was booked for it."""
    found = ground.bench.rows("""
        select price_record, cast(sum(ticks) as bigint), cast(sum(amount) as bigint)
        from part group by price_record order by price_record
    """)
    rows = []
    for record, time, money in found:
        meter = ground.terms.meters.get(record)
        spans = [span for span in ground.terms.prices if span.price_record == record]
        labels = {
            "lot": meter.lot if meter else "unpriced",
            "rate": f"{meter.price} {meter.currency}" if meter else "",
            "from": format_utc(min(span.from_s for span in spans)) if spans else "",
            "to": format_utc(max(span.to_s for span in spans)) if spans else "",
        }
        at_rate = half_up(meter.rate * time / TICKS) if meter else 0
        rows.append(Row(labels, {"time": time, "at_rate": at_rate, "unrounded": money}))
    return told(
        "prices",
        "the price records in force; `at rate` is what the rate alone makes of the time",
        rows,
        labels=["lot", "rate", "from", "to"],
        figures=["time", "at_rate", "unrounded"],
        wanted=ground.wanted,
        most=ground.most,
    )


_MINE = "select distinct model || '/' || region as pool, piece_s from part where price_record <> ''"


def _pool(ground: Ground) -> Step:
    """What went into the pools in the pieces that this has a part in, held against what came out."""
    query = f"""
        select r.pool as pool, r.lot as lot, sum(r.amount) as went_in
        from kept_recognised as r inner join ({_MINE}) as m on r.pool = m.pool and r.piece_s = m.piece_s
        group by r.pool, r.lot
    """
    out = ground.bench.rows(f"""
        select cast(coalesce(sum(e.amount), 0) as bigint)
        from kept_entry as e inner join ({_MINE}) as m on e.pool = m.pool and e.piece_s = m.piece_s
    """)[0][0]
    says = "what went into the pools, by lot, in the hours that this has a part in; as much came out"
    return ground.step("pools", says, query, ["pool", "lot"], ("went_in",), {"went_in": out})


_PIECE_SHARE = "cast(coalesce(w.amount, 0) as hugeint) * m.time // s.pool_time"


def _pool_shares(ground: Ground) -> Step:
    """Each pool's amount by whose device-seconds: exact but for the odd quanta of running differences."""
    query = f"""
        with mine as (
            select model || '/' || region as pool, piece_s, sum(ticks) as time, sum(amount) as unrounded
            from part where price_record <> '' group by all
        ),
        went_in as (
            select r.pool as pool, r.piece_s as piece_s, sum(r.amount) as amount
            from kept_recognised as r inner join mine as m on r.pool = m.pool and r.piece_s = m.piece_s
            group by r.pool, r.piece_s
        ),
        shared as (
            select m.pool as pool, m.piece_s as piece_s, sum(t.ticks) as pool_time
            from kept_time as t
            inner join mine as m on t.model || '/' || t.region = m.pool and t.piece_s = m.piece_s
            where t.price_record <> ''
            group by m.pool, m.piece_s
        )
        select m.pool as pool, count(*) as pieces, sum(s.pool_time) as pool_time, sum(m.time) as time,
            sum({_PIECE_SHARE}) as by_share, sum(m.unrounded) - sum({_PIECE_SHARE}) as odd_quanta,
            sum(m.unrounded) as unrounded
        from mine as m
        inner join shared as s on m.pool = s.pool and m.piece_s = s.piece_s
        left join went_in as w on m.pool = w.pool and m.piece_s = w.piece_s
        group by m.pool
    """
    figures = ("pieces", "pool_time", "time", "by_share", "odd_quanta", "unrounded")
    wanted = {"unrounded": ground.wanted["unrounded"]}
    says = "its part of the pool's priced time, hour by hour; odd quanta are what whole numbers leave"
    return ground.step("pool shares", says, query, ["pool"], figures, wanted)
