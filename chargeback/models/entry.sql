-- entry: what is charged. One row moves an amount from (from_account, from_owner) to (to_account, to_owner).
-- Grain: lot or pool x money piece x slot x lane x run x owner x phase x account.
-- Units: amount in the currency's quanta; piece_s and from_s in UTC seconds. An empty text means "none".
-- Charged by pool: clearing to the owners, the lot empty. Charged as recognised: accrued or prepaid to the owners,
-- by lot.
select
    b.charged as layer,
    n.lot as lot,
    l.pool as pool,
    c.utc_day as utc_day,
    c.day as day,
    p.piece_s as piece_s,
    p.from_s as from_s,
    l.cluster as cluster,
    l.model as model,
    l.slot as slot,
    v.lane as lane,
    k.run as run,
    k.phase as phase,
    n.from_account as from_account,
    b.from_owner as from_owner,
    k.account as to_account,
    k.owner as to_owner,
    k.team as team,
    k.cost_centre as cost_centre,
    k.state as state,
    p.amount as amount,
    b.policy as policy,
    b.cause as cause,
    b.service_period as service_period,
    b.booking_period as booking_period
from posted as p
inner join slot_life as l on p.life_no = l.life_no
inner join lane_name as v on p.lane_no = v.lane_no
inner join taker as k on p.taker_no = k.taker_no
inner join calendar_piece as c on p.piece_s = c.start_s
inner join charge_name as n on p.charge_no = n.charge_no
cross join book_terms as b
where p.amount <> 0
