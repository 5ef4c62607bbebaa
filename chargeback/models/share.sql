-- share: how a lane's time is divided over a segment: its holders, the claims on its node's free slots, and what is left.
-- Grain: segment x run (or none) x owner x account. Keys: lane_no, from_s, run, owner, team, cost_centre, phase, account,
-- state. The account `held` becomes used, idle_held or held_unobserved by what is known of the time.
-- Units: share_ticks in ticks per second; the shares of one segment add up to its lane_ticks. is_sole 1 is a holder that
-- has the lane for itself, is_timed 1 one that shares it equally and that a policy may weigh by use.
-- A run that claims a lane twice holds it once; two whole holders of one lane are contested (`__conflict__`).
-- Free slots are taken by running differences over the node, so U units take exactly U slots' time; who alone has all of
-- a node's free slots has each of them for itself, though nothing names them.
with placed as (
    select
        g.lane_no as lane_no,
        g.from_s as from_s,
        g.to_s as to_s,
        g.lane_ticks as lane_ticks,
        h.run as run,
        h.run_name as run_name,
        h.owner as owner,
        h.team as team,
        h.cost_centre as cost_centre,
        h.phase as phase,
        max(h.held_ticks) as most_ticks,
        max(h.cap_ticks) as most_cap_ticks,
        max(h.is_exclusive) as any_whole,
        min(h.is_equal) as all_equal
    from segment as g
    inner join holder as h on g.lane_no = h.lane_no and h.from_s <= g.from_s and h.to_s >= g.to_s
    group by
        g.lane_no, g.from_s, g.to_s, g.lane_ticks, h.run, h.run_name, h.owner, h.team, h.cost_centre, h.phase
),

measured as (
    select
        p.lane_no as lane_no,
        p.from_s as from_s,
        p.to_s as to_s,
        p.lane_ticks as lane_ticks,
        p.run as run,
        p.run_name as run_name,
        p.owner as owner,
        p.team as team,
        p.cost_centre as cost_centre,
        p.phase as phase,
        p.most_ticks as held_ticks,
        cast(
            sum(p.most_ticks) over (
                partition by p.lane_no, p.from_s order by p.run, p.owner, p.team, p.cost_centre, p.phase
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached_ticks,
        greatest(
            cast(sum(p.most_ticks) over (partition by p.lane_no, p.from_s) as bigint),
            max(p.most_cap_ticks) over (partition by p.lane_no, p.from_s)
        ) as whole_ticks,
        max(p.any_whole) over (partition by p.lane_no, p.from_s) as any_exclusive,
        min(p.all_equal) over (partition by p.lane_no, p.from_s) as is_alike,
        count(p.run) over (partition by p.lane_no, p.from_s) as holder_count
    from placed as p
),

held as (
    select
        m.lane_no as lane_no,
        m.from_s as from_s,
        m.to_s as to_s,
        m.run as run,
        m.run_name as run_name,
        m.owner as owner,
        m.team as team,
        m.cost_centre as cost_centre,
        m.phase as phase,
        case when m.any_exclusive = 1 and m.holder_count > 1 then 1 else 0 end as is_contested,
        case when m.any_exclusive = 1 and m.holder_count = 1 then 1 else 0 end as has_it_all,
        m.is_alike as is_alike,
        m.lane_ticks * m.reached_ticks // m.whole_ticks
        - m.lane_ticks * (m.reached_ticks - m.held_ticks) // m.whole_ticks as share_ticks
    from measured as m
),

placed_count as (
    select h.lane_no as lane_no, h.from_s as from_s, count(h.run) as holder_count
    from held as h
    group by h.lane_no, h.from_s
),

free as (
    select
        g.node as node,
        g.lane_no as lane_no,
        g.from_s as from_s,
        g.to_s as to_s,
        row_number() over (partition by g.node, g.from_s order by g.slot) - 1 as place,
        count(g.slot) over (partition by g.node, g.from_s) as free_count
    from segment as g
    left join placed_count as c on g.lane_no = c.lane_no and g.from_s = c.from_s
    where c.lane_no is null and g.state = 'available' and g.is_whole = 1
),

node_segment as (
    select f.node as node, f.from_s as from_s, f.to_s as to_s, max(f.free_count) as node_free_count
    from free as f
    group by f.node, f.from_s, f.to_s
),

claimed as (
    select
        n.node as node,
        n.from_s as from_s,
        n.node_free_count as free_count,
        h.run as run,
        h.run_name as run_name,
        h.owner as owner,
        h.team as team,
        h.cost_centre as cost_centre,
        h.phase as phase,
        cast(sum(h.held_ticks) as bigint) as node_ticks
    from node_segment as n
    inner join holder as h on n.node = h.node and h.from_s <= n.from_s and h.to_s >= n.to_s
    where h.lane_no = 0
    group by
        n.node, n.from_s, n.node_free_count, h.run, h.run_name, h.owner, h.team, h.cost_centre, h.phase
),

queued as (
    select
        c.node as node,
        c.from_s as from_s,
        c.free_count as free_count,
        c.run as run,
        c.run_name as run_name,
        c.owner as owner,
        c.team as team,
        c.cost_centre as cost_centre,
        c.phase as phase,
        c.node_ticks as held_ticks,
        cast(
            sum(c.node_ticks) over (
                partition by c.node, c.from_s order by c.run, c.owner, c.team, c.cost_centre, c.phase
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached_ticks,
        cast(sum(c.node_ticks) over (partition by c.node, c.from_s) as bigint) as whole_ticks
    from claimed as c
),

fitted as (
    select
        q.node as node,
        q.from_s as from_s,
        q.free_count as free_count,
        q.run as run,
        q.run_name as run_name,
        q.owner as owner,
        q.team as team,
        q.cost_centre as cost_centre,
        q.phase as phase,
        case when q.whole_ticks > q.free_count * 720720 then 1 else 0 end as is_contested,
        case when q.held_ticks = q.whole_ticks and q.whole_ticks = q.free_count * 720720 then 1 else 0 end as has_all,
        case
            when q.whole_ticks > q.free_count * 720720
                then (q.reached_ticks - q.held_ticks) * (q.free_count * 720720) // q.whole_ticks
            else q.reached_ticks - q.held_ticks
        end as before_ticks,
        case
            when q.whole_ticks > q.free_count * 720720 then q.reached_ticks * (q.free_count * 720720) // q.whole_ticks
            else q.reached_ticks
        end as after_ticks
    from queued as q
),

unplaced as (
    select
        f.lane_no as lane_no,
        f.from_s as from_s,
        f.to_s as to_s,
        t.run as run,
        t.run_name as run_name,
        t.owner as owner,
        t.team as team,
        t.cost_centre as cost_centre,
        t.phase as phase,
        t.is_contested as is_contested,
        t.has_all as has_all,
        (t.after_ticks * (f.place + 1) // f.free_count - t.after_ticks * f.place // f.free_count)
        - (t.before_ticks * (f.place + 1) // f.free_count - t.before_ticks * f.place // f.free_count) as share_ticks
    from free as f
    inner join fitted as t on f.node = t.node and f.from_s = t.from_s
),

taken as (
    select
        h.lane_no as lane_no,
        h.from_s as from_s,
        h.to_s as to_s,
        h.run as run,
        h.run_name as run_name,
        h.owner as taker,
        h.team as taker_team,
        h.cost_centre as taker_cost_centre,
        h.phase as phase,
        h.is_contested as is_contested,
        h.has_it_all as has_it_all,
        h.is_alike as is_alike,
        h.share_ticks as share_ticks
    from held as h
    union all
    select
        u.lane_no as lane_no,
        u.from_s as from_s,
        u.to_s as to_s,
        u.run as run,
        u.run_name as run_name,
        u.owner as taker,
        u.team as taker_team,
        u.cost_centre as taker_cost_centre,
        u.phase as phase,
        u.is_contested as is_contested,
        u.has_all as has_it_all,
        0 as is_alike,
        u.share_ticks as share_ticks
    from unplaced as u
),

taken_sum as (
    select t.lane_no as lane_no, t.from_s as from_s, cast(sum(t.share_ticks) as bigint) as taken_ticks
    from taken as t
    group by t.lane_no, t.from_s
),

left_over as (
    select
        g.lane_no as lane_no,
        g.from_s as from_s,
        g.to_s as to_s,
        case when g.state = 'available' then g.free_account else 'overhead' end as account,
        case when g.state = 'available' then '' else g.state end as state_then,
        g.lane_ticks - coalesce(s.taken_ticks, 0) as share_ticks
    from segment as g
    left join taken_sum as s on g.lane_no = s.lane_no and g.from_s = s.from_s
    where s.lane_no is null or s.taken_ticks < g.lane_ticks
),

given as (
    select
        t.lane_no as lane_no,
        t.from_s as from_s,
        t.to_s as to_s,
        t.run as run,
        t.run_name as run_name,
        case when t.is_contested = 1 then '__conflict__' else t.taker end as owner,
        case when t.is_contested = 1 then '__conflict__' else t.taker_team end as team,
        case when t.is_contested = 1 then '' else t.taker_cost_centre end as cost_centre,
        t.phase as phase,
        'held' as account,
        '' as state,
        cast(t.has_it_all as bigint) as is_sole,
        cast(t.is_alike as bigint) as is_timed,
        t.share_ticks as share_ticks
    from taken as t
    where t.share_ticks > 0
    union all
    select
        l.lane_no as lane_no,
        l.from_s as from_s,
        l.to_s as to_s,
        '' as run,
        '' as run_name,
        '__account__' as owner,
        '__account__' as team,
        '' as cost_centre,
        '' as phase,
        l.account as account,
        l.state_then as state,
        cast(0 as bigint) as is_sole,
        cast(0 as bigint) as is_timed,
        l.share_ticks as share_ticks
    from left_over as l
)

select
    s.life_no as life_no,
    g.lane_no as lane_no,
    g.from_s as from_s,
    g.to_s as to_s,
    g.run as run,
    g.run_name as run_name,
    g.owner as owner,
    g.team as team,
    g.cost_centre as cost_centre,
    g.phase as phase,
    g.account as account,
    g.state as state,
    g.is_sole as is_sole,
    g.is_timed as is_timed,
    g.share_ticks as share_ticks
from given as g
inner join segment as s on g.lane_no = s.lane_no and g.from_s = s.from_s
