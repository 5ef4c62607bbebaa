-- placement: where each claim is: on a lane, on a slot, or on any free slot of a node, and when.
-- Grain: holding claim or assumed slot x place x stretch. An empty slot and lane is a claim on the node's free slots.
-- A device is held where it is on the node that the holding names; while it is elsewhere, nothing is held. The same goes
-- for a partition that is named by its own UUID.
-- Units: claimed_ticks, held_ticks and cap_ticks as in holding_claim; from_s and to_s in UTC seconds.
with named as (
    select
        h.cluster as cluster,
        h.node as node,
        h.slot as slot,
        h.lane as lane,
        h.run as run,
        h.run_name as run_name,
        h.who_no as who_no,
        h.is_exclusive as is_exclusive,
        h.claimed_ticks as claimed_ticks,
        h.held_ticks as held_ticks,
        h.cap_ticks as cap_ticks,
        h.is_equal as is_equal,
        h.from_s as place_from_s,
        h.to_s as place_to_s
    from holding_claim as h
    where h.is_assumed = 0 and h.device = ''
    union all
    select
        h.cluster as cluster,
        h.node as node,
        d.slot as slot,
        '' as lane,
        h.run as run,
        h.run_name as run_name,
        h.who_no as who_no,
        h.is_exclusive as is_exclusive,
        h.claimed_ticks as claimed_ticks,
        h.held_ticks as held_ticks,
        h.cap_ticks as cap_ticks,
        h.is_equal as is_equal,
        greatest(h.from_s, d.from_s) as place_from_s,
        least(h.to_s, d.to_s) as place_to_s
    from holding_claim as h
    inner join device_life as d
        on h.device = d.device and h.node = d.node and d.from_s < h.to_s and d.to_s > h.from_s
    where h.is_assumed = 0
    union all
    select
        h.cluster as cluster,
        h.node as node,
        p.slot as slot,
        p.lane as lane,
        h.run as run,
        h.run_name as run_name,
        h.who_no as who_no,
        h.is_exclusive as is_exclusive,
        h.claimed_ticks as claimed_ticks,
        h.held_ticks as held_ticks,
        h.cap_ticks as cap_ticks,
        h.is_equal as is_equal,
        greatest(h.from_s, p.from_s) as place_from_s,
        least(h.to_s, p.to_s) as place_to_s
    from holding_claim as h
    inner join partition_life as p
        on h.device = p.device and h.node = p.node and p.from_s < h.to_s and p.to_s > h.from_s
    where h.is_assumed = 0 and h.device <> ''
    union all
    select
        m.cluster as cluster,
        m.slot as node,
        m.slot as slot,
        '' as lane,
        m.run as run,
        m.run_name as run_name,
        m.who_no as who_no,
        cast(1 as bigint) as is_exclusive,
        m.slot_ticks as claimed_ticks,
        m.slot_ticks as held_ticks,
        cast(0 as bigint) as cap_ticks,
        0 as is_equal,
        m.from_s as place_from_s,
        m.to_s as place_to_s
    from assumed_slot as m
)

select
    n.cluster as cluster,
    n.node as node,
    n.slot as slot,
    n.lane as lane,
    n.run as run,
    n.run_name as run_name,
    n.who_no as who_no,
    n.is_exclusive as is_exclusive,
    n.claimed_ticks as claimed_ticks,
    n.held_ticks as held_ticks,
    n.cap_ticks as cap_ticks,
    n.is_equal as is_equal,
    n.place_from_s as from_s,
    n.place_to_s as to_s
from named as n
