"""The steps below a line's cents: entries, time rows, holdings, and the rows of the sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chargeback.explain_ground import Ground, picked_totals
from chargeback.explain_lots import lot_steps
from chargeback.explain_pick import key_sql, picked_where
from chargeback.explain_prices import price_steps
from chargeback.explanation import Step

__all__ = ["steps_down", "steps_up"]


_OWNER_KEY = "owner_key || coalesce(' (from ' || found.owner_from || ')', '')"
"""The owner key, with where it was found if the source has several places for it."""

_CLAIM = "claim left join found using (identity)"


def steps_up(ground: Ground) -> Iterator[Step]:
    """From a holding, device or slot to the lines that it ended in."""
    if ground.asked.kind == "holding":
        yield _claimed(ground)
    by = ground.asked.by
    query = f"""
        select line, sum(ticks) as time, sum(amount) as unrounded from (
            select {key_sql(by)} as line, ticks, amount from part
            union all
            select {key_sql(by)}, 0, amount from picked where slot = ''
        ) group by line
    """
    before = ", before free devices are distributed" if ground.terms.distribution else ""
    yield ground.step(
        "lines", f"the statement's lines by {by.value} that it ended in{before}", query, ["line"]
    )


def steps_down(ground: Ground) -> Iterator[Step]:
    """From the entries of what is explained to the rows of the sources."""
    yield _entries(ground)
    yield from lot_steps(ground)
    ground = replace(ground, wanted=picked_totals(ground.bench))
    yield _time_rows(ground)
    yield from _energy(ground)
    yield _holdings(ground)
    yield from price_steps(ground)
    yield _sources(ground)
    yield _terms(ground, "price", _NO_PRICE)
    yield _terms(
        ground,
        "owner",
        """
            when owner = '__account__' then 'nobody holds it'
            when owner = '__conflict__' then 'it is claimed twice'
            when owner = '__unknown_owner__' then 'the holding names no owner'
            when team = '__unknown_owner__' then 'no rule and no row: unmatched_owner=unknown/1'
        """,
    )


_NO_PRICE = "when price_record = '' then 'unpriced' else 'lots pay for it'"

_PLACE = """
case
    when device <> '' then device when lane <> '' then lane when slot <> '' then slot
    when prefix <> '' then 'assumed'
    else node || '/*'
end
"""


def _claimed(ground: Ground) -> Step:
    """What the run's facts claim in the month, and what of it is not its own in the end."""
    query = f"""
        with mine as (
            select identity, utc(from_s) as claimed_from, utc(to_s) as claimed_to, {_PLACE} as place,
                {_OWNER_KEY} as owner_key, units(weight) as units, weight * (to_s - from_s) as claimed
            from {_CLAIM} where run = $key
        )
        select * from mine
        union all
        select 'orphaned, shared or contested', '', '', '', '', '',
            {ground.wanted["time"]} - coalesce(sum(claimed), 0)
        from mine having coalesce(sum(claimed), 0) <> {ground.wanted["time"]}
    """
    labels = ["identity", "claimed_from", "claimed_to", "place", "owner_key", "units"]
    says = "what its facts claim in the month, cut where its sources end"
    wanted = {"claimed": ground.wanted["time"]}
    return ground.step("claims", says, query, labels, ("claimed",), wanted, {"key": ground.asked.key})


def _entries(ground: Ground) -> Step:
    lot = "''" if ground.terms.charged == "pooled" else "price_record"
    source = (
        f"(select {lot} as lot, model || '/' || region as pool, account, state, amount "
        "from part where amount <> 0)"
        if ground.asked.kind == "device"
        else "picked"
    )
    query = f"""
        select lot, pool, account, state, count(*) as entries, sum(amount) as unrounded
        from {source} group by lot, pool, account, state
    """
    says = "what was posted, by lot or pool and account"
    return ground.step("entries", says, query, ["lot", "pool", "account", "state"], ("entries", "unrounded"))


def _time_rows(ground: Ground) -> Step:
    query = """
        select slot, run as holding, account, count(*) as pieces, sum(ticks) as time,
            sum(case when price_record = '' then ticks else 0 end) as unpriced, sum(amount) as unrounded
        from part group by slot, run, account
    """
    figures = ("pieces", "time", "unpriced", "unrounded")
    return ground.step(
        "time rows", "whose time each slot's was", query, ["slot", "holding", "account"], figures
    )


def _energy(ground: Ground) -> Iterator[Step]:
    """What is known of the energy of the time rows; no step where nothing is, or of a device alone."""
    if ground.asked.kind == "device":
        return
    values = {"key": ground.asked.key}
    known = f"from kept_time where joules is not null and {picked_where(ground.asked)}"
    if not ground.bench.rows(f"select 1 {known} limit 1", values):
        return
    query = f"""
        select slot, run as holding, account, sum(energy_ticks) as with_energy, sum(joules) as joules
        {known} group by slot, run, account
    """
    says = "what its devices used in J, and for how much of the time that is known; the rest is not known"
    labels, figures = ["slot", "holding", "account"], ("with_energy", "joules")
    yield ground.step("energy", says, query, labels, figures, values=values)


def _holdings(ground: Ground) -> Step:
    query = f"""
        with held as (
            select case when run = '' then '(' || account || ')' else run end as holding, run,
                sum(ticks) as time, sum(amount) as unrounded
            from part group by all
        ),
        claimed as (
            select run, utc(min(from_s)) as claimed_from, utc(max(to_s)) as claimed_to,
                min({_PLACE}) as first_place, count(distinct {_PLACE}) as places,
                min({_OWNER_KEY}) as owner_key, units(max(weight)) as units
            from {_CLAIM} where run <> '' group by run
        ),
        owned as (
            select p.run as run, string_agg(distinct g.identity, ', ' order by g.identity) as owner_rows
            from given_owner as g inner join part as p on g.part_no = p.part_no group by p.run
        )
        select h.holding as holding, coalesce(c.claimed_from, '') as claimed_from,
            coalesce(c.claimed_to, '') as claimed_to, coalesce(c.units, '') as units,
            case when c.run is null then '' when c.places = 1 then c.first_place
                else c.first_place || ' and ' || (c.places - 1) || ' more' end as place,
            coalesce(c.owner_key, '') as owner_key, coalesce(o.owner_rows, '') as owner_rows,
            h.time as time, h.unrounded as unrounded
        from held as h
        left join claimed as c on h.run = c.run
        left join owned as o on h.run = o.run and h.run <> ''
    """
    labels = ["holding", "claimed_from", "claimed_to", "units", "place", "owner_key", "owner_rows"]
    return ground.step(
        "holdings", "who held it, and which rule or row of owners gave the team", query, labels
    )


def _sources(ground: Ground) -> Step:
    query = f"""
        with given as (
            select kind, identity, sum(ticks) as time, sum(amount) as unrounded from given_fact group by all
        ),
        said as (
            select kind, identity, string_agg(distinct case
                when kind = 'holding' then units(weight) || ' on ' || ({_PLACE}) else node end, ', ') as says
            from claim group by kind, identity
        )
        select g.kind as kind, g.identity as identity, s.says as says, f.source as source,
            cast(f.seq as varchar) as seq, utc(f.start_s) as "start", utc(f.end_s) as "end", f.file as file,
            g.time as time, g.unrounded as unrounded
        from given as g
        inner join fact as f on g.kind = f.kind and g.identity = f.identity
        inner join said as s on g.kind = s.kind and g.identity = s.identity
    """
    labels = ["kind", "identity", "says", "source", "seq", "start", "end", "file"]
    return ground.step("source rows", "the facts of the lake that it came from", query, labels)


def _terms(ground: Ground, kind: str, reasons: str) -> Step:
    """The versions of prices or owners; time that none is about is told by why."""
    other = " else 'no rule and no row: the key is its own team'" if kind == "owner" else ""
    query = f"""
        with told as (select distinct kind, identity, said, source, seq, start_s, end_s from term)
        select t.identity as identity, t.said as says, t.source as source, cast(t.seq as varchar) as seq,
            utc(t.start_s) as "start", utc(t.end_s) as "end", sum(g.ticks) as time, sum(g.amount) as unrounded
        from given_{kind} as g inner join told as t on g.kind = t.kind and g.identity = t.identity
        group by all
        union all
        select '', case {reasons}{other} end, '', '', '', '', sum(p.ticks), sum(p.amount)
        from part as p where p.part_no not in (select part_no from given_{kind}) group by all
    """
    labels = ["identity", "says", "source", "seq", "start", "end"]
    return ground.step(f"{kind} rows", f"the versions of {kind}s that it came from", query, labels)
