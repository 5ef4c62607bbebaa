-- resource_day: the entries of what a unit's nodes have besides GPUs, summed by local day.
-- Grain: day x lot x account x owner x team x cost centre x cluster. Keys: day, lot, account, owner, team, cost_centre,
-- cluster. Units: amount in the currency's quanta.
with summed as (
    select
        c.day as day,
        n.lot as lot,
        p.account as account,
        p.owner as owner,
        p.team as team,
        p.cost_centre as cost_centre,
        p.cluster as cluster,
        cast(sum(p.amount) as bigint) as day_amount
    from resource_posted as p
    inner join calendar_piece as c on p.piece_s = c.start_s
    inner join charge_name as n on p.charge_no = n.charge_no
    group by c.day, n.lot, p.account, p.owner, p.team, p.cost_centre, p.cluster
)

select
    s.day as day,
    'recognised' as layer,
    s.lot as lot,
    s.account as account,
    '' as state,
    s.owner as owner,
    s.team as team,
    s.cost_centre as cost_centre,
    '__no_device__' as model,
    s.cluster as cluster,
    s.day_amount as amount
from summed as s
