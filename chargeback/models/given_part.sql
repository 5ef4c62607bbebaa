-- given_part: each slot's time by whose share of its lanes it is, before what is known of held time is looked at.
-- Grain: money piece x lane x taker. Keys: lane_no, from_s, taker_no.
-- Units: given_ticks in 1/720720 of a device-second; held_s in seconds; whole_ticks, the time of the whole money piece.
select
    m.life_no as life_no,
    n.lane_no as lane_no,
    n.claim_no as claim_no,
    n.taker_no as taker_no,
    n.is_held as is_held,
    min(n.is_alike) as all_alike,
    m.price_no as price_no,
    m.piece_s as piece_s,
    m.from_s as from_s,
    m.to_s as to_s,
    (m.to_s - m.from_s) * m.slot_ticks as whole_ticks,
    cast(sum(least(m.to_s, n.to_s) - greatest(m.from_s, n.from_s)) as bigint) as held_s,
    cast(sum((least(m.to_s, n.to_s) - greatest(m.from_s, n.from_s)) * n.part_ticks) as bigint) as given_ticks
from money_piece as m
inner join share_part as n on m.life_no = n.life_no and n.from_s < m.to_s and n.to_s > m.from_s
group by
    m.life_no, n.lane_no, n.claim_no, n.taker_no, n.is_held, m.price_no, m.piece_s, m.from_s, m.to_s, m.slot_ticks
