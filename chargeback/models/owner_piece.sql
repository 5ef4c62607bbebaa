-- owner_piece: what distribution goes by: the money that no team owns, and what each owner was charged and held.
-- Grain: piece x lot x model x region x cluster x account x state for what is __account__'s, with money alone;
-- piece x model x region x owner x team x cost centre for what owners have, its other columns empty.
-- Units: amount in the currency's quanta; ticks in 1/720720 of a device-second; piece_s, from_s and to_s in UTC
-- seconds. from_s to to_s is all of the pool's time in the piece that the unit knows of.
with part as (
    select
        p.charge_no as charge_no,
        p.life_no as life_no,
        p.taker_no as taker_no,
        p.piece_s as piece_s,
        p.amount as amount,
        cast(0 as bigint) as ticks
    from posted as p
    union all
    select
        cast(0 as bigint) as charge_no,
        t.life_no as life_no,
        t.taker_no as taker_no,
        t.piece_s as piece_s,
        cast(0 as bigint) as amount,
        t.ticks as ticks
    from time_part as t
),

summed as (
    select
        p.charge_no as charge_no,
        p.life_no as life_no,
        p.taker_no as taker_no,
        p.piece_s as piece_s,
        cast(sum(p.amount) as bigint) as part_amount,
        cast(sum(p.ticks) as bigint) as part_ticks
    from part as p
    group by p.charge_no, p.life_no, p.taker_no, p.piece_s
),

bounds as (
    select
        l.model as model,
        l.region as region,
        m.piece_s as piece_s,
        min(m.from_s) as first_s,
        max(m.to_s) as last_s
    from money_piece as m
    inner join slot_life as l on m.life_no = l.life_no
    group by l.model, l.region, m.piece_s
),

merged as (
    select
        s.piece_s as piece_s,
        n.lot as lot,
        l.model as model,
        l.region as region,
        l.cluster as cluster,
        k.account as account,
        k.state as state,
        k.owner as owner,
        k.team as team,
        k.cost_centre as cost_centre,
        cast(sum(s.part_amount) as bigint) as amount,
        cast(0 as bigint) as ticks
    from summed as s
    inner join slot_life as l on s.life_no = l.life_no
    inner join taker as k on s.taker_no = k.taker_no
    inner join charge_name as n on s.charge_no = n.charge_no
    where k.owner = '__account__'
    group by
        s.piece_s, n.lot, l.model, l.region, l.cluster, k.account, k.state, k.owner, k.team, k.cost_centre
    having cast(sum(s.part_amount) as bigint) <> 0
    union all
    select
        s.piece_s as piece_s,
        '' as lot,
        l.model as model,
        l.region as region,
        '' as cluster,
        '' as account,
        '' as state,
        k.owner as owner,
        k.team as team,
        k.cost_centre as cost_centre,
        cast(sum(s.part_amount) as bigint) as amount,
        cast(sum(s.part_ticks) as bigint) as ticks
    from summed as s
    inner join slot_life as l on s.life_no = l.life_no
    inner join taker as k on s.taker_no = k.taker_no
    where k.owner <> '__account__'
    group by s.piece_s, l.model, l.region, k.owner, k.team, k.cost_centre
)

select
    m.piece_s as piece_s,
    b.first_s as from_s,
    b.last_s as to_s,
    c.utc_day as utc_day,
    c.day as day,
    m.lot as lot,
    m.model as model,
    m.region as region,
    m.cluster as cluster,
    m.account as account,
    m.state as state,
    m.owner as owner,
    m.team as team,
    m.cost_centre as cost_centre,
    m.amount as amount,
    m.ticks as ticks
from merged as m
inner join calendar_piece as c on m.piece_s = c.start_s
inner join bounds as b on m.piece_s = b.piece_s and m.model = b.model and m.region = b.region
