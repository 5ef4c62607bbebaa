-- segment: each slot's life cut where its state or the set of holders changes, on it or among its node's unplaced claims.
-- Grain: slot x segment. Keys: slot, from_s.
-- Units: slot_ticks in ticks per second; from_s and to_s in UTC seconds.
with unplaced_node as (
    select distinct h.node as node from holder as h where h.slot = ''
),

node_edge as (
    select h.node as node, h.from_s as at_s
    from holder as h
    inner join unplaced_node as u on h.node = u.node
    union distinct
    select h.node as node, h.to_s as at_s
    from holder as h
    inner join unplaced_node as u on h.node = u.node
    union distinct
    select l.node as node, l.from_s as at_s
    from slot_life as l
    inner join unplaced_node as u on l.node = u.node
    union distinct
    select l.node as node, l.to_s as at_s
    from slot_life as l
    inner join unplaced_node as u on l.node = u.node
    union distinct
    select l.node as node, s.from_s as at_s
    from slot_life as l
    inner join unplaced_node as u on l.node = u.node
    inner join slot_state as s on l.slot = s.slot
    union distinct
    select l.node as node, s.to_s as at_s
    from slot_life as l
    inner join unplaced_node as u on l.node = u.node
    inner join slot_state as s on l.slot = s.slot
),

edge as (
    select l.slot as slot, l.from_s as at_s from slot_life as l
    union distinct
    select l.slot as slot, l.to_s as at_s from slot_life as l
    union distinct
    select h.slot as slot, h.from_s as at_s from holder as h where h.slot <> ''
    union distinct
    select h.slot as slot, h.to_s as at_s from holder as h where h.slot <> ''
    union distinct
    select s.slot as slot, s.from_s as at_s from slot_state as s
    union distinct
    select s.slot as slot, s.to_s as at_s from slot_state as s
    union distinct
    select l.slot as slot, n.at_s as at_s
    from slot_life as l
    inner join node_edge as n on l.node = n.node
    where n.at_s > l.from_s and n.at_s < l.to_s
),

stretch as (
    select
        e.slot as slot,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.slot order by e.at_s) as to_s,
        lead(e.slot) over (partition by e.slot order by e.at_s) as next_slot
    from edge as e
),

stated as (
    select
        l.life_no as life_no,
        l.node as node,
        l.slot as slot,
        l.slot_ticks as slot_ticks,
        case when s.slot is null then 'available' else s.state end as state_then,
        x.from_s as from_s,
        x.to_s as to_s
    from stretch as x
    inner join slot_life as l on x.slot = l.slot and l.from_s <= x.from_s and l.to_s >= x.to_s
    left join slot_state as s on x.slot = s.slot and s.from_s <= x.from_s and s.to_s >= x.to_s
    where x.next_slot = x.slot
)

select
    t.life_no as life_no,
    t.node as node,
    t.slot as slot,
    t.slot_ticks as slot_ticks,
    t.state_then as state,
    t.from_s as from_s,
    t.to_s as to_s
from stated as t
