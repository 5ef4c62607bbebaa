-- entry_day: the entries of a unit summed by local day.
-- Grain: day x layer x lot x pool x account x state x owner x team x cost centre x model x cluster.
-- Units: amount in the currency's quanta.
with recognised as (
    select
        r.day as day,
        r.lot as lot,
        r.model as model,
        cast(sum(r.amount) as bigint) as lot_amount
    from recognised_part as r
    group by r.day, r.lot, r.model
),

summed as (
    select
        p.charge_no as charge_no,
        p.life_no as life_no,
        p.taker_no as taker_no,
        c.day as day,
        cast(sum(p.amount) as bigint) as part_amount
    from posted as p
    inner join calendar_piece as c on p.piece_s = c.start_s
    group by p.charge_no, p.life_no, p.taker_no, c.day
)

select
    s.day as day,
    b.charged as layer,
    n.lot as lot,
    k.account as account,
    k.state as state,
    k.owner as owner,
    k.team as team,
    k.cost_centre as cost_centre,
    l.model as model,
    l.cluster as cluster,
    cast(sum(s.part_amount) as bigint) as amount
from summed as s
inner join slot_life as l on s.life_no = l.life_no
inner join taker as k on s.taker_no = k.taker_no
inner join charge_name as n on s.charge_no = n.charge_no
cross join book_terms as b
group by
    s.day, b.charged, n.lot, k.account, k.state, k.owner, k.team, k.cost_centre, l.model, l.cluster
union all
select
    r.day as day,
    'recognised' as layer,
    r.lot as lot,
    'clearing' as account,
    '' as state,
    '' as owner,
    '' as team,
    '' as cost_centre,
    r.model as model,
    '' as cluster,
    r.lot_amount as amount
from recognised as r
