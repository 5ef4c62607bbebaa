-- holder: who holds a lane, or units of a node, over which stretch, whose team that is at the time, and in which phase.
-- Grain: placement x lane x stretch of one team and phase. lane_no 0 is a claim on the node's free slots.
-- A claim on a slot that is cut into partitions is one on each of its lanes.
-- Units: held_ticks and cap_ticks as in holding_claim (of one lane, or of all the units claimed on the node); from_s and
-- to_s in UTC seconds.
with laned as (
    select
        v.lane_no as lane_no,
        p.node as node,
        p.run as run,
        p.run_name as run_name,
        p.who_no as who_no,
        p.is_exclusive as is_exclusive,
        p.held_ticks as held_ticks,
        p.cap_ticks as cap_ticks,
        p.is_equal as is_equal,
        greatest(p.from_s, v.from_s) as claim_from_s,
        least(p.to_s, v.to_s) as claim_to_s
    from placement as p
    inner join lane_life as v on p.slot = v.slot and v.from_s < p.to_s and v.to_s > p.from_s
    where p.lane = '' and p.slot <> ''
    union all
    select
        v.lane_no as lane_no,
        p.node as node,
        p.run as run,
        p.run_name as run_name,
        p.who_no as who_no,
        p.is_exclusive as is_exclusive,
        p.held_ticks as held_ticks,
        p.cap_ticks as cap_ticks,
        p.is_equal as is_equal,
        greatest(p.from_s, v.from_s) as claim_from_s,
        least(p.to_s, v.to_s) as claim_to_s
    from placement as p
    inner join lane_life as v on p.lane = v.lane and v.from_s < p.to_s and v.to_s > p.from_s
    where p.lane <> ''
    union all
    select
        cast(0 as bigint) as lane_no,
        p.node as node,
        p.run as run,
        p.run_name as run_name,
        p.who_no as who_no,
        p.is_exclusive as is_exclusive,
        p.held_ticks as held_ticks,
        p.cap_ticks as cap_ticks,
        p.is_equal as is_equal,
        p.from_s as claim_from_s,
        p.to_s as claim_to_s
    from placement as p
    where p.lane = '' and p.slot = ''
),

owned as (
    select
        c.lane_no as lane_no,
        c.node as node,
        c.run as run,
        c.run_name as run_name,
        o.owner as owner,
        o.team as team,
        o.cost_centre as cost_centre,
        c.is_exclusive as is_exclusive,
        c.held_ticks as held_ticks,
        c.cap_ticks as cap_ticks,
        c.is_equal as is_equal,
        greatest(c.claim_from_s, o.from_s) as owned_from_s,
        least(c.claim_to_s, o.to_s) as owned_to_s
    from laned as c
    inner join owner_span as o
        on c.who_no = o.who_no and o.from_s < c.claim_to_s and o.to_s > c.claim_from_s
),

phased as (
    select
        n.lane_no as lane_no,
        n.node as node,
        n.run as run,
        n.run_name as run_name,
        n.owner as owner,
        n.team as team,
        n.cost_centre as cost_centre,
        case when s.run is null then '' else s.phase end as phase_then,
        n.is_exclusive as is_exclusive,
        n.held_ticks as held_ticks,
        n.cap_ticks as cap_ticks,
        n.is_equal as is_equal,
        case when s.run is null then n.owned_from_s else greatest(n.owned_from_s, s.from_s) end as held_from_s,
        case when s.run is null then n.owned_to_s else least(n.owned_to_s, s.to_s) end as held_to_s
    from owned as n
    left join phase_span as s on n.run = s.run and s.from_s < n.owned_to_s and s.to_s > n.owned_from_s
)

select
    p.lane_no as lane_no,
    p.node as node,
    p.run as run,
    p.run_name as run_name,
    p.owner as owner,
    p.team as team,
    p.cost_centre as cost_centre,
    p.phase_then as phase,
    p.is_exclusive as is_exclusive,
    p.held_ticks as held_ticks,
    p.cap_ticks as cap_ticks,
    p.is_equal as is_equal,
    p.held_from_s as from_s,
    p.held_to_s as to_s
from phased as p
