-- holder: who holds a slot, or units of a node, over which stretch, and whose team that is at the time.
-- Grain: holding claim or assumed slot x stretch of one team. An empty slot is a claim on the node's free slots.
-- A device is held where it is on the node that the holding names; while it is elsewhere, nothing is held.
-- Units: held_ticks in ticks per second (of one slot, or of all the units claimed on the node); cap_ticks is what a
-- shared slot is divided by at least (0 = by what is held); from_s and to_s in UTC seconds.
with claim as (
    select
        h.slot as slot,
        h.node as node,
        h.run as run,
        h.who_no as who_no,
        h.is_exclusive as is_exclusive,
        h.claimed_ticks as held_ticks,
        case when h.is_exclusive = 1 then 0 else 720720 end as cap_ticks,
        h.from_s as claim_from_s,
        h.to_s as claim_to_s
    from holding_claim as h
    where h.is_assumed = 0 and h.device = ''
    union all
    select
        d.slot as slot,
        h.node as node,
        h.run as run,
        h.who_no as who_no,
        h.is_exclusive as is_exclusive,
        h.claimed_ticks as held_ticks,
        case when h.is_exclusive = 1 then 0 else 720720 end as cap_ticks,
        greatest(h.from_s, d.from_s) as claim_from_s,
        least(h.to_s, d.to_s) as claim_to_s
    from holding_claim as h
    inner join device_life as d
        on h.device = d.device and h.node = d.node and d.from_s < h.to_s and d.to_s > h.from_s
    where h.is_assumed = 0
    union all
    select
        m.slot as slot,
        m.slot as node,
        m.run as run,
        m.who_no as who_no,
        cast(1 as bigint) as is_exclusive,
        m.slot_ticks as held_ticks,
        cast(0 as bigint) as cap_ticks,
        m.from_s as claim_from_s,
        m.to_s as claim_to_s
    from assumed_slot as m
),

resolved as (
    select
        c.slot as slot,
        c.node as node,
        c.run as run,
        o.owner as owner,
        o.team as team_then,
        o.cost_centre as cost_centre_then,
        c.is_exclusive as is_exclusive,
        c.held_ticks as held_ticks,
        c.cap_ticks as cap_ticks,
        greatest(c.claim_from_s, o.from_s) as held_from_s,
        least(c.claim_to_s, o.to_s) as held_to_s
    from claim as c
    inner join owner_span as o
        on c.who_no = o.who_no and o.from_s < c.claim_to_s and o.to_s > c.claim_from_s
)

select
    r.slot as slot,
    r.node as node,
    r.run as run,
    r.owner as owner,
    r.team_then as team,
    r.cost_centre_then as cost_centre,
    r.is_exclusive as is_exclusive,
    r.held_ticks as held_ticks,
    r.cap_ticks as cap_ticks,
    r.held_from_s as from_s,
    r.held_to_s as to_s
from resolved as r
