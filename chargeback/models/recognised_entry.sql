-- recognised_entry: what each lot recognises, where a pool is charged: accrued or prepaid to clearing.
-- Grain: lot x pool x calendar piece x the account that it comes from. Keys: lot, pool, piece_s, from_account.
-- Units: amount in the currency's quanta; piece_s in UTC seconds. An empty text means "none".
select
    'recognised' as layer,
    r.lot as lot,
    r.pool as pool,
    r.utc_day as utc_day,
    r.day as day,
    r.piece_s as piece_s,
    r.piece_s as from_s,
    '' as cluster,
    r.model as model,
    '' as slot,
    '' as lane,
    '' as run,
    '' as phase,
    r.from_account as from_account,
    '' as from_owner,
    'clearing' as to_account,
    '' as to_owner,
    '' as team,
    '' as cost_centre,
    '' as state,
    r.amount as amount,
    b.policy as policy,
    b.cause as cause,
    b.service_period as service_period,
    b.booking_period as booking_period
from recognised_part as r
cross join book_terms as b
where r.amount <> 0
