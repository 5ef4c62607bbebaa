-- slot_amount: the money of each slot's money piece under the layer that is charged.
-- Grain: slot x money piece x lot or pool. Keys: price_no, life_no, from_s.
-- Units: amount in the currency's quanta; price_no 0 is the slot's pool, else the meter;
-- share_no the part of the pool that the slot is in. Pooled: the part's amount by
-- running differences of whole seconds over its slots in key order, phase by hour; recognised: the meter's own amount.
with part as (
    select distinct
        p.share_no as share_no,
        l.pool_no as pool_no,
        p.piece_s as piece_s,
        p.slot_ticks as slot_ticks,
        p.slot_seconds as whole,
        p.amount as part_amount,
        p.piece_s // 3600 * cast(2654435761 as bigint) % p.slot_seconds as phase
    from pool_share as p
    inner join slot_life as l on p.model = l.model and p.region = l.region
),

pooled as (
    select
        p.share_no as share_no,
        m.life_no as life_no,
        m.from_s as from_s,
        m.to_s - m.from_s as seconds,
        p.part_amount as part_amount,
        p.whole as whole,
        p.phase as phase,
        cast(
            sum(m.to_s - m.from_s) over (
                partition by p.share_no order by m.life_no, m.from_s
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached
    from money_piece as m
    inner join part as p
        on m.pool_no = p.pool_no and m.piece_s = p.piece_s and m.slot_ticks = p.slot_ticks
    where m.price_no > 0
)

select
    cast(0 as bigint) as price_no,
    p.share_no as share_no,
    p.life_no as life_no,
    p.from_s as from_s,
    p.part_amount // p.whole * p.seconds
    + (p.part_amount % p.whole * p.reached + p.phase) // p.whole
    - (p.part_amount % p.whole * (p.reached - p.seconds) + p.phase) // p.whole as amount
from pooled as p
union all
select
    m.price_no as price_no,
    cast(0 as bigint) as share_no,
    m.life_no as life_no,
    m.from_s as from_s,
    a.amount as amount
from money_piece as m
inner join meter_amount as a
    on
        m.price_no = a.price_no and m.slot_ticks = a.slot_ticks
        and m.from_s = a.from_s and m.to_s = a.to_s
