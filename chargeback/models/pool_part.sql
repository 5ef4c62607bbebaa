-- pool_part: how many slots of one size, on nodes with as many slots, stand at one price over one stretch of a piece. Small; Python turns it into money.
-- Grain: model x region x piece x price x slot size x slots of the node x stretch.
-- Keys: model, region, piece_s, price_record, slot_ticks, node_slots, from_s, to_s.
-- Units: slot_ticks in ticks per second; from_s, to_s and piece_s in UTC seconds.
with counted as (
    select
        m.pool_no as pool_no,
        m.price_no as price_no,
        m.slot_ticks as slot_ticks,
        m.node_slots as node_slots,
        m.piece_s as piece_s,
        m.from_s as from_s,
        m.to_s as to_s,
        count(m.life_no) as slot_count
    from money_piece as m
    where m.price_no > 0
    group by m.pool_no, m.price_no, m.slot_ticks, m.node_slots, m.piece_s, m.from_s, m.to_s
),

pool as (
    select distinct l.pool_no as pool_no, l.model as model, l.region as region
    from slot_life as l
)

select
    p.model as model,
    p.region as region,
    n.piece_s as piece_s,
    c.utc_day as utc_day,
    c.day as day,
    r.price_record as price_record,
    n.slot_ticks as slot_ticks,
    n.node_slots as node_slots,
    n.from_s as from_s,
    n.to_s as to_s,
    n.slot_count as slot_count
from counted as n
inner join pool as p on n.pool_no = p.pool_no
inner join calendar_piece as c on n.piece_s = c.start_s
inner join price_name as r on n.price_no = r.price_no
