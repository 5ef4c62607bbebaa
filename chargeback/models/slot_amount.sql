-- slot_amount: the money of each slot's money piece under the layer that is charged.
-- Grain: slot x money piece x lot or pool. Keys: charge_no, life_no, from_s.
-- Units: amount in the currency's quanta; charge_no 0 is the slot's pool, else the lot or meter, from one account;
-- share_no the part of the pool, or of what the lot pays for, that the slot is in. Of a part the amount goes by
-- running differences of whole seconds over its slots in key order, phase by hour; a meter's is its own amount.
with part as (
    select distinct
        p.share_no as share_no,
        l.pool_no as pool_no,
        p.piece_s as piece_s,
        p.slot_ticks as slot_ticks,
        p.slot_seconds as whole,
        abs(p.amount) as part_amount,
        case when p.amount < 0 then -1 else 1 end as sign,
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
        p.sign as sign,
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
),

lot_part as (
    select distinct
        q.share_no as share_no,
        q.charge_no as charge_no,
        q.price_no as price_no,
        l.pool_no as pool_no,
        q.piece_s as piece_s,
        q.slot_ticks as slot_ticks,
        q.slot_seconds as whole,
        abs(q.amount) as part_amount,
        case when q.amount < 0 then -1 else 1 end as sign,
        q.piece_s // 3600 * cast(2654435761 as bigint) % q.slot_seconds as phase
    from lot_share as q
    inner join slot_life as l on q.model = l.model and q.region = l.region
),

by_lot as (
    select
        p.share_no as share_no,
        p.charge_no as charge_no,
        m.life_no as life_no,
        m.from_s as from_s,
        m.to_s - m.from_s as seconds,
        p.part_amount as part_amount,
        p.sign as sign,
        p.whole as whole,
        p.phase as phase,
        cast(
            sum(m.to_s - m.from_s) over (
                partition by p.share_no order by m.life_no, m.from_s
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached
    from money_piece as m
    inner join lot_part as p
        on
            m.price_no = p.price_no and m.pool_no = p.pool_no and m.piece_s = p.piece_s
            and m.slot_ticks = p.slot_ticks
)

select
    cast(0 as bigint) as charge_no,
    p.share_no as share_no,
    p.life_no as life_no,
    p.from_s as from_s,
    p.sign * (
        p.part_amount // p.whole * p.seconds
        + (p.part_amount % p.whole * p.reached + p.phase) // p.whole
        - (p.part_amount % p.whole * (p.reached - p.seconds) + p.phase) // p.whole
    ) as amount
from pooled as p
union all
select
    q.charge_no as charge_no,
    q.share_no as share_no,
    q.life_no as life_no,
    q.from_s as from_s,
    q.sign * (
        q.part_amount // q.whole * q.seconds
        + (q.part_amount % q.whole * q.reached + q.phase) // q.whole
        - (q.part_amount % q.whole * (q.reached - q.seconds) + q.phase) // q.whole
    ) as amount
from by_lot as q
union all
select
    a.charge_no as charge_no,
    cast(0 as bigint) as share_no,
    m.life_no as life_no,
    m.from_s as from_s,
    a.amount as amount
from money_piece as m
inner join meter_amount as a
    on
        m.price_no = a.price_no and m.slot_ticks = a.slot_ticks and m.node_slots = a.node_slots
        and m.from_s = a.from_s and m.to_s = a.to_s
