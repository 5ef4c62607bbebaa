-- money_piece: each slot's time cut where money may change: clock hours of the billing zone, prices and lots,
-- the slots of its node, and the partitions that they are cut into.
-- Grain: slot x money piece. Keys: life_no, from_s.
-- Units: from_s and to_s in UTC seconds; piece_s names the calendar piece; slot_ticks in ticks per second; node_slots
-- counts the slots of its node that are there; price_no 0 means that no price and no lot covers the time.
-- Numbers only: what they name is in slot_life and price_name.
with classed as (
    select
        l.life_no as life_no,
        l.pool_no as pool_no,
        l.slot_ticks as slot_ticks,
        l.node as node,
        l.from_s as from_s,
        l.to_s as to_s,
        c.class_no as class_no
    from slot_life as l
    inner join slot_class as c
        on
            c.slot = case when l.is_assumed = 1 then '' else l.slot end
            and l.sku = c.sku and l.model = c.model and l.region = c.region
            and l.purchase_option = c.purchase_option
),

node_edge as (
    select l.node as node, l.from_s as at_s from classed as l
    union distinct
    select l.node as node, l.to_s as at_s from classed as l
    union distinct
    select v.node as node, v.from_s as at_s from lane_life as v where v.is_whole = 0
    union distinct
    select v.node as node, v.to_s as at_s from lane_life as v where v.is_whole = 0
    union distinct
    select l.node as node, p.from_s as at_s
    from classed as l
    inner join price_span as p on l.class_no = p.class_no
    where p.from_s > l.from_s and p.from_s < l.to_s
    union distinct
    select l.node as node, p.to_s as at_s
    from classed as l
    inner join price_span as p on l.class_no = p.class_no
    where p.to_s > l.from_s and p.to_s < l.to_s
),

node_span as (
    select
        e.node as node,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.node order by e.at_s) as to_s,
        lead(e.node) over (partition by e.node order by e.at_s) as next_node
    from node_edge as e
),

slot_span as (
    select
        l.life_no as life_no,
        l.pool_no as pool_no,
        l.slot_ticks as slot_ticks,
        cast(count(l.life_no) over (partition by n.node, n.from_s) as bigint) as node_slots,
        case when p.price_no is null then 0 else p.price_no end as price_in_force,
        n.from_s as span_from_s,
        n.to_s as span_to_s
    from node_span as n
    inner join classed as l on n.node = l.node and l.from_s <= n.from_s and l.to_s >= n.to_s
    left join price_span as p on l.class_no = p.class_no and p.from_s <= n.from_s and p.to_s >= n.to_s
    where n.next_node = n.node
)

select
    s.life_no as life_no,
    s.pool_no as pool_no,
    s.slot_ticks as slot_ticks,
    s.node_slots as node_slots,
    s.price_in_force as price_no,
    c.start_s as piece_s,
    greatest(s.span_from_s, c.start_s) as from_s,
    least(s.span_to_s, c.end_s) as to_s
from slot_span as s
inner join calendar_piece as c on c.start_s < s.span_to_s and c.end_s > s.span_from_s
