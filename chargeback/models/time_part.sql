-- time_part: whose each slot's time is, in numbers: what `time_row` says in words.
-- Grain: money piece x taker. Keys: life_no, from_s, taker_no.
-- Units: ticks, in 1/720720 of a device-second; whole_ticks, the same for the whole money piece; UTC seconds.
with numbered as (
    select
        s.life_no as life_no,
        s.from_s as from_s,
        s.to_s as to_s,
        s.share_ticks as share_ticks,
        k.taker_no as taker_no,
        k.claim_no as claim_no
    from share as s
    inner join taker as k
        on
            s.run = k.run and s.owner = k.owner and s.team = k.team and s.cost_centre = k.cost_centre
            and s.account = k.account and s.state = k.state
)

select
    m.life_no as life_no,
    n.claim_no as claim_no,
    n.taker_no as taker_no,
    m.price_no as price_no,
    m.piece_s as piece_s,
    m.from_s as from_s,
    m.to_s as to_s,
    (m.to_s - m.from_s) * m.slot_ticks as whole_ticks,
    cast(sum((least(m.to_s, n.to_s) - greatest(m.from_s, n.from_s)) * n.share_ticks) as bigint) as ticks
from money_piece as m
inner join numbered as n on m.life_no = n.life_no and n.from_s < m.to_s and n.to_s > m.from_s
group by m.life_no, n.claim_no, n.taker_no, m.price_no, m.piece_s, m.from_s, m.to_s, m.slot_ticks
