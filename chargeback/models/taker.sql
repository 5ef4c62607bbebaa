-- taker: who or what a unit's time can go to, numbered, so that the large tables hold numbers only.
-- Grain: run x owner x phase x account. Keys: taker_no.
-- Units: claim_no numbers (owner, team, cost centre, run) and taker_no each phase and account in it, in the order of
-- their keys. Held time has a taker in each account that it may come to (held_account: what is known of the unit); time
-- of which the policy says that nobody used it has one that is nobody's.
with seen as (
    select distinct
        s.owner as owner,
        s.team as team,
        s.cost_centre as cost_centre,
        s.run as run,
        s.run_name as run_name,
        s.phase as phase,
        s.account as account,
        s.state as state
    from share as s
),

named as (
    select
        s.owner as owner,
        s.team as team,
        s.cost_centre as cost_centre,
        s.run as run,
        s.run_name as run_name,
        s.phase as phase,
        s.account as account,
        s.state as state
    from seen as s
    where s.account <> 'held'
    union all
    select
        s.owner as owner,
        s.team as team,
        s.cost_centre as cost_centre,
        s.run as run,
        s.run_name as run_name,
        s.phase as phase,
        a.account as account,
        s.state as state
    from seen as s
    cross join held_account as a
    where s.account = 'held'
    union all
    select
        '__account__' as owner,
        '__account__' as team,
        '' as cost_centre,
        '' as run,
        '' as run_name,
        '' as phase,
        'idle_held' as account,
        '' as state
    from sharing as g
    where g.time_slicing = 2
)

select
    row_number() over (order by n.owner, n.team, n.cost_centre, n.run, n.phase, n.account, n.state) as taker_no,
    dense_rank() over (order by n.owner, n.team, n.cost_centre, n.run) as claim_no,
    n.owner as owner,
    n.team as team,
    n.cost_centre as cost_centre,
    n.run as run,
    n.run_name as run_name,
    n.phase as phase,
    n.account as account,
    n.state as state
from named as n
