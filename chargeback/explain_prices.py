"""Which prices made the money: by record at its rate, and under the pooled layer through the pool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from chargeback.explain_ground import Ground
from chargeback.explanation import Row, Step, told
from chargeback.money_parts import TICKS
from chargeback.node_cost import GPU, NO_RESOURCES, weights_of
from chargeback.policies import RESOURCE_WEIGHTS
from chargeback.units import Terms
from gpuledger.calendars import calendar_pieces
from gpuledger.instants import format_utc
from gpuledger.money import half_up

__all__ = ["price_steps"]


def price_steps(ground: Ground) -> Iterator[Step]:
    """The price records, and where pools are charged what went into them and whose part it was."""
    yield _prices(ground)
    if ground.terms.charged == "pooled":
        yield _pool(ground)
        yield _pool_shares(ground)


_BY_RECORD = """
with beside as (
    select node, piece_s, from_s, to_s, count(distinct slot) as node_slots from kept_time group by all
)
select p.price_record, b.node_slots, p.piece_s, cast(sum(p.ticks) as bigint), cast(sum(p.amount) as bigint)
from part as p
inner join beside as b
    on p.node = b.node and p.piece_s = b.piece_s and b.from_s <= p.from_s and p.to_s <= b.to_s
group by p.price_record, b.node_slots, p.piece_s
order by p.price_record, b.node_slots, p.piece_s
"""


def _prices(ground: Ground) -> Step:
    """By tariff: the time, what the listed rate alone makes of it, and what was booked for it."""
    terms = ground.terms
    days = {one.start_s: one.day for one in calendar_pieces(terms.zone, terms.start_s, terms.end_s)}
    sums: dict[str, list[Fraction]] = defaultdict(lambda: [Fraction(0)] * 3)
    for record, node_slots, piece_s, time, money in ground.bench.rows(_BY_RECORD):
        found = _at_rate(terms, record, node_slots, days[piece_s]) * time
        sums[record] = [old + new for old, new in zip(sums[record], (time, found, money), strict=True)]
    rows = []
    for record, (time, found, money) in sorted(sums.items()):
        figures = {"time": int(time), "at_rate": half_up(found), "unrounded": int(money)}
        rows.append(Row(_said(terms, record), figures))
    return told(
        "prices",
        "the prices and lots that pay for it; `at rate` is what the price alone makes of the time",
        rows,
        labels=["lot", "rate", "from", "to"],
        figures=["time", "at_rate", "unrounded"],
        wanted=ground.wanted,
        most=ground.most,
    )


def _at_rate(terms: Terms, record: str, node_slots: int, day: str) -> Fraction:
    """Quanta for a tick of time, by the price alone; 0 where a lot takes its place, or there is none."""
    tariff = terms.tariffs.records.get(record)
    if tariff is None or tariff.meter is None or tariff.is_superseded:
        return Fraction(0)
    meter = tariff.meter
    exchange = terms.fx.per_quantum(meter.currency, terms.currency, day)
    rate = meter.rate * exchange / TICKS / (node_slots if meter.is_per_node else 1)
    if tariff.resources == NO_RESOURCES:
        return rate
    weights = weights_of(terms.policies[RESOURCE_WEIGHTS], node_slots, tariff.resources)
    return rate * weights[GPU] / sum(weights.values())


def _said(terms: Terms, record: str) -> dict[str, str]:
    tariff = terms.tariffs.records.get(record)
    if tariff is None:
        return {"lot": "unpriced", "rate": "", "from": "", "to": ""}
    spans = [span for span in terms.tariffs.spans if span.price_record == record]
    meter = tariff.meter
    lots = ([meter.lot] if meter and not tariff.is_superseded else []) + list(tariff.lots)
    lots += [name for name, _ in tariff.commitments]
    rate = f"{meter.price} {meter.currency}" if meter else ""
    if meter and meter.unit != "gpu_hour":
        rate += f" per {meter.unit.replace('_', ' ')}{tariff.resources}"
    return {
        "lot": " + ".join(lots),
        "rate": f"{rate} (not charged)" if tariff.is_superseded and rate else rate,
        "from": format_utc(min(span.from_s for span in spans)),
        "to": format_utc(max(span.to_s for span in spans)),
    }


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
