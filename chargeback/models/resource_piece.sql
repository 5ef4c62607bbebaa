-- resource_piece: what distribution goes by of what nodes have besides GPUs: what nobody asked for, and what owners were
-- charged. All nodes are one window.
-- Grain: piece x lot x cluster x account for what is __account__'s; piece x owner x team x cost centre for what owners
-- have, its other columns empty. Keys: piece_s, lot, cluster, account, owner, team, cost_centre.
-- Units: amount in the currency's quanta; piece_s, from_s and to_s in UTC seconds; ticks are those of slots, and 0.
with bounds as (
    select n.piece_s as piece_s, min(n.from_s) as first_s, max(n.to_s) as last_s
    from node_part as n
    group by n.piece_s
),

merged as (
    select
        p.piece_s as piece_s,
        n.lot as lot,
        p.cluster as cluster,
        p.account as account,
        p.owner as owner,
        p.team as team,
        p.cost_centre as cost_centre,
        cast(sum(p.amount) as bigint) as part_amount
    from resource_posted as p
    inner join charge_name as n on p.charge_no = n.charge_no
    where p.owner = '__account__'
    group by p.piece_s, n.lot, p.cluster, p.account, p.owner, p.team, p.cost_centre
    having cast(sum(p.amount) as bigint) <> 0
    union all
    select
        p.piece_s as piece_s,
        '' as lot,
        '' as cluster,
        '' as account,
        p.owner as owner,
        p.team as team,
        p.cost_centre as cost_centre,
        cast(sum(p.amount) as bigint) as part_amount
    from resource_posted as p
    where p.owner <> '__account__'
    group by p.piece_s, p.owner, p.team, p.cost_centre
)

select
    m.piece_s as piece_s,
    b.first_s as from_s,
    b.last_s as to_s,
    c.utc_day as utc_day,
    c.day as day,
    m.lot as lot,
    '__no_device__' as model,
    '' as region,
    m.cluster as cluster,
    m.account as account,
    '' as state,
    m.owner as owner,
    m.team as team,
    m.cost_centre as cost_centre,
    m.part_amount as amount,
    cast(0 as bigint) as ticks
from merged as m
inner join calendar_piece as c on m.piece_s = c.start_s
inner join bounds as b on m.piece_s = b.piece_s
