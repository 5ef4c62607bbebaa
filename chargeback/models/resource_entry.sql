-- resource_entry: what is charged of what nodes have besides GPUs: from accrued to the owners, by meter. It stands in the
-- file of entries.
-- Grain: meter x node x money piece x kind x run x owner x account. Keys: lot, lane, from_s, run, to_owner, team,
-- cost_centre, to_account.
-- Units: amount in the currency's quanta; piece_s and from_s in UTC seconds. An empty text means "none"; the lane is the
-- kind of the node, and no slot's.
select
    'recognised' as layer,
    n.lot as lot,
    '' as pool,
    c.utc_day as utc_day,
    c.day as day,
    p.piece_s as piece_s,
    p.from_s as from_s,
    p.cluster as cluster,
    '__no_device__' as model,
    '' as slot,
    p.node || '/' || p.kind as lane,
    p.run as run,
    '' as phase,
    n.from_account as from_account,
    b.from_owner as from_owner,
    p.account as to_account,
    p.owner as to_owner,
    p.team as team,
    p.cost_centre as cost_centre,
    '' as state,
    p.amount as amount,
    b.policy as policy,
    b.cause as cause,
    b.service_period as service_period,
    b.booking_period as booking_period
from resource_posted as p
inner join calendar_piece as c on p.piece_s = c.start_s
inner join charge_name as n on p.charge_no = n.charge_no
cross join book_terms as b
where p.amount <> 0
