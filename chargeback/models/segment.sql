-- segment: each lane's life cut where its slot's state or the set of its holders changes, among its node's unplaced claims too.
-- Grain: lane x segment. Keys: lane_no, from_s.
-- Units: lane_ticks in ticks per second; from_s and to_s in UTC seconds.
with unplaced_node as (
    select distinct h.node as node from holder as h where h.lane_no = 0
),

whole as (
    select v.lane_no as lane_no, v.node as node, v.slot as slot, v.from_s as from_s, v.to_s as to_s
    from lane_life as v
    inner join unplaced_node as u on v.node = u.node
    where v.is_whole = 1
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
    select w.node as node, w.from_s as at_s from whole as w
    union distinct
    select w.node as node, w.to_s as at_s from whole as w
    union distinct
    select w.node as node, s.from_s as at_s
    from whole as w
    inner join slot_state as s on w.slot = s.slot
    union distinct
    select w.node as node, s.to_s as at_s
    from whole as w
    inner join slot_state as s on w.slot = s.slot
),

edge as (
    select v.lane_no as lane_no, v.from_s as at_s from lane_life as v
    union distinct
    select v.lane_no as lane_no, v.to_s as at_s from lane_life as v
    union distinct
    select h.lane_no as lane_no, h.from_s as at_s from holder as h where h.lane_no > 0
    union distinct
    select h.lane_no as lane_no, h.to_s as at_s from holder as h where h.lane_no > 0
    union distinct
    select v.lane_no as lane_no, s.from_s as at_s
    from lane_life as v
    inner join slot_state as s on v.slot = s.slot and s.from_s > v.from_s and s.from_s < v.to_s
    union distinct
    select v.lane_no as lane_no, s.to_s as at_s
    from lane_life as v
    inner join slot_state as s on v.slot = s.slot and s.to_s > v.from_s and s.to_s < v.to_s
    union distinct
    select w.lane_no as lane_no, n.at_s as at_s
    from whole as w
    inner join node_edge as n on w.node = n.node
    where n.at_s > w.from_s and n.at_s < w.to_s
),

stretch as (
    select
        e.lane_no as lane_no,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.lane_no order by e.at_s) as to_s,
        lead(e.lane_no) over (partition by e.lane_no order by e.at_s) as next_no
    from edge as e
),

stated as (
    select
        x.lane_no as lane_no,
        v.life_no as life_no,
        v.node as node,
        v.slot as slot,
        v.is_whole as is_whole,
        v.free_account as free_account,
        v.lane_ticks as lane_ticks,
        case when s.slot is null then 'available' else s.state end as state_then,
        x.from_s as from_s,
        x.to_s as to_s
    from stretch as x
    inner join lane_life as v on x.lane_no = v.lane_no
    left join slot_state as s on v.slot = s.slot and s.from_s <= x.from_s and s.to_s >= x.to_s
    where x.next_no = x.lane_no
)

select
    t.lane_no as lane_no,
    t.life_no as life_no,
    t.node as node,
    t.slot as slot,
    t.is_whole as is_whole,
    t.free_account as free_account,
    t.lane_ticks as lane_ticks,
    t.state_then as state,
    t.from_s as from_s,
    t.to_s as to_s
from stated as t
