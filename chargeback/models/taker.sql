-- taker: who or what a unit's time can go to, numbered, so that the large tables hold numbers only.
-- Grain: run x owner x account. Keys: taker_no.
-- Units: claim_no numbers (owner, team, cost centre, run) and taker_no each account in it, in the order of their keys.
with seen as (
    select distinct
        s.owner as owner,
        s.team as team,
        s.cost_centre as cost_centre,
        s.run as run,
        s.account as account,
        s.state as state
    from share as s
)

select
    row_number() over (order by s.owner, s.team, s.cost_centre, s.run, s.account, s.state) as taker_no,
    dense_rank() over (order by s.owner, s.team, s.cost_centre, s.run) as claim_no,
    s.owner as owner,
    s.team as team,
    s.cost_centre as cost_centre,
    s.run as run,
    '' as phase,
    s.account as account,
    s.state as state
from seen as s
