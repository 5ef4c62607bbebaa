-- share: how a slot's time is divided over a segment: its holders, the claims on its node's free slots, and what is left.
-- Grain: segment x run (or none) x owner x account. Keys: life_no, from_s, run, owner, team, cost_centre, account, state.
-- Units: share_ticks in ticks per second; the shares of one segment add up to its slot_ticks.
-- A run that claims a slot twice holds it once; two whole holders of one slot are contested (`__conflict__`).
-- Free slots are taken by running differences over the node, so U units take exactly U slots' time.
with placed as (
    select
        g.node as node,
        g.slot as slot,
        g.from_s as from_s,
        g.to_s as to_s,
        g.slot_ticks as slot_ticks,
        h.run as run,
        h.owner as owner,
        h.team as team,
        h.cost_centre as cost_centre,
        max(h.held_ticks) as most_ticks,
        max(h.cap_ticks) as most_cap_ticks,
        max(h.is_exclusive) as any_whole
    from segment as g
    inner join holder as h on g.slot = h.slot and h.from_s <= g.from_s and h.to_s >= g.to_s
    group by g.node, g.slot, g.from_s, g.to_s, g.slot_ticks, h.run, h.owner, h.team, h.cost_centre
),

measured as (
    select
        p.node as node,
        p.slot as slot,
        p.from_s as from_s,
        p.to_s as to_s,
        p.slot_ticks as slot_ticks,
        p.run as run,
        p.owner as owner,
        p.team as team,
        p.cost_centre as cost_centre,
        p.most_ticks as held_ticks,
        cast(
            sum(p.most_ticks) over (
                partition by p.slot, p.from_s order by p.run, p.owner, p.team, p.cost_centre
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached_ticks,
        greatest(
            cast(sum(p.most_ticks) over (partition by p.slot, p.from_s) as bigint),
            max(p.most_cap_ticks) over (partition by p.slot, p.from_s)
        ) as whole_ticks,
        max(p.any_whole) over (partition by p.slot, p.from_s) as any_exclusive,
        count(p.run) over (partition by p.slot, p.from_s) as holder_count
    from placed as p
),

held as (
    select
        m.node as node,
        m.slot as slot,
        m.from_s as from_s,
        m.to_s as to_s,
        m.run as run,
        m.owner as owner,
        m.team as team,
        m.cost_centre as cost_centre,
        case when m.any_exclusive = 1 and m.holder_count > 1 then 1 else 0 end as is_contested,
        m.slot_ticks * m.reached_ticks // m.whole_ticks
        - m.slot_ticks * (m.reached_ticks - m.held_ticks) // m.whole_ticks as share_ticks
    from measured as m
),

placed_count as (
    select h.slot as slot, h.from_s as from_s, count(h.run) as holder_count
    from held as h
    group by h.slot, h.from_s
),

free as (
    select
        g.node as node,
        g.slot as slot,
        g.from_s as from_s,
        g.to_s as to_s,
        row_number() over (partition by g.node, g.from_s order by g.slot) - 1 as place,
        count(g.slot) over (partition by g.node, g.from_s) as free_count
    from segment as g
    left join placed_count as c on g.slot = c.slot and g.from_s = c.from_s
    where c.slot is null and g.state = 'available'
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
        h.owner as owner,
        h.team as team,
        h.cost_centre as cost_centre,
        cast(sum(h.held_ticks) as bigint) as node_ticks
    from node_segment as n
    inner join holder as h on n.node = h.node and h.from_s <= n.from_s and h.to_s >= n.to_s
    where h.slot = ''
    group by n.node, n.from_s, n.node_free_count, h.run, h.owner, h.team, h.cost_centre
),

queued as (
    select
        c.node as node,
        c.from_s as from_s,
        c.free_count as free_count,
        c.run as run,
        c.owner as owner,
        c.team as team,
        c.cost_centre as cost_centre,
        c.node_ticks as held_ticks,
        cast(
            sum(c.node_ticks) over (
                partition by c.node, c.from_s order by c.run, c.owner, c.team, c.cost_centre
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
        q.owner as owner,
        q.team as team,
        q.cost_centre as cost_centre,
        case when q.whole_ticks > q.free_count * 720720 then 1 else 0 end as is_contested,
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
        f.node as node,
        f.slot as slot,
        f.from_s as from_s,
        f.to_s as to_s,
        t.run as run,
        t.owner as owner,
        t.team as team,
        t.cost_centre as cost_centre,
        t.is_contested as is_contested,
        (t.after_ticks * (f.place + 1) // f.free_count - t.after_ticks * f.place // f.free_count)
        - (t.before_ticks * (f.place + 1) // f.free_count - t.before_ticks * f.place // f.free_count) as share_ticks
    from free as f
    inner join fitted as t on f.node = t.node and f.from_s = t.from_s
),

taken as (
    select
        h.slot as slot,
        h.from_s as from_s,
        h.to_s as to_s,
        h.run as run,
        h.owner as taker,
        h.team as taker_team,
        h.cost_centre as taker_cost_centre,
        h.is_contested as is_contested,
        h.share_ticks as share_ticks
    from held as h
    union all
    select
        u.slot as slot,
        u.from_s as from_s,
        u.to_s as to_s,
        u.run as run,
        u.owner as taker,
        u.team as taker_team,
        u.cost_centre as taker_cost_centre,
        u.is_contested as is_contested,
        u.share_ticks as share_ticks
    from unplaced as u
),

taken_sum as (
    select t.slot as slot, t.from_s as from_s, cast(sum(t.share_ticks) as bigint) as taken_ticks
    from taken as t
    group by t.slot, t.from_s
),

left_over as (
    select
        g.slot as slot,
        g.from_s as from_s,
        g.to_s as to_s,
        case when g.state = 'available' then 'idle_free' else 'overhead' end as account,
        case when g.state = 'available' then '' else g.state end as state_then,
        g.slot_ticks - coalesce(s.taken_ticks, 0) as share_ticks
    from segment as g
    left join taken_sum as s on g.slot = s.slot and g.from_s = s.from_s
    where s.slot is null or s.taken_ticks < g.slot_ticks
),

given as (
    select
        t.slot as slot,
        t.from_s as from_s,
        t.to_s as to_s,
        t.run as run,
        case when t.is_contested = 1 then '__conflict__' else t.taker end as owner,
        case when t.is_contested = 1 then '__conflict__' else t.taker_team end as team,
        case when t.is_contested = 1 then '' else t.taker_cost_centre end as cost_centre,
        'held_unobserved' as account,
        '' as state,
        t.share_ticks as share_ticks
    from taken as t
    where t.share_ticks > 0
    union all
    select
        l.slot as slot,
        l.from_s as from_s,
        l.to_s as to_s,
        '' as run,
        '__account__' as owner,
        '__account__' as team,
        '' as cost_centre,
        l.account as account,
        l.state_then as state,
        l.share_ticks as share_ticks
    from left_over as l
)

select
    s.life_no as life_no,
    g.from_s as from_s,
    g.to_s as to_s,
    g.run as run,
    g.owner as owner,
    g.team as team,
    g.cost_centre as cost_centre,
    g.account as account,
    g.state as state,
    g.share_ticks as share_ticks
from given as g
inner join segment as s on g.slot = s.slot and g.from_s = s.from_s
