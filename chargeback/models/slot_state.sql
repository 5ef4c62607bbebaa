-- slot_state: the state of each slot where a source says one, cut to the run's window: one at each instant.
-- Grain: slot x longest stretch of one state. Keys: slot, from_s.
-- Units: from_s and to_s in UTC seconds. A slot without a row is available. What is said of a node holds for each of its
-- slots. Where several states are said at once, the gravest counts: absent, failed, drained, maintenance, system,
-- provisioning; so the order and the number of the sources say nothing.
with ranked as (
    select
        s.withdrawn as withdrawn,
        s.start_s as start_s,
        coalesce(s.end_s, w.end_s) as until_s,
        s.node as node,
        s.slot as slot,
        s.state as state,
        row_number() over (partition by s.identity order by s.seq desc) as newest
    from source_state as s
    inner join run_window as w on s.seq <= w.seq
),

cut as (
    select
        r.node as node,
        r.slot as slot,
        case
            when r.state = 'absent' then 6
            when r.state = 'failed' then 5
            when r.state = 'drained' then 4
            when r.state = 'maintenance' then 3
            when r.state = 'system' then 2
            when r.state = 'provisioning' then 1
            else 0
        end as grade,
        greatest(r.start_s, w.start_s) as from_s,
        least(r.until_s, w.end_s) as to_s
    from ranked as r
    inner join run_window as w on r.start_s < w.end_s
    where r.newest = 1 and r.withdrawn = 0 and r.state <> 'available'
),

node_slot as (
    select distinct s.node as node, s.slot as slot from source_slot as s
),

said as (
    select c.slot as slot, c.grade as grade, c.from_s as from_s, c.to_s as to_s
    from cut as c
    where c.slot <> '' and c.from_s < c.to_s
    union all
    select n.slot as slot, c.grade as grade, c.from_s as from_s, c.to_s as to_s
    from cut as c
    inner join node_slot as n on c.node = n.node
    where c.slot = '' and c.from_s < c.to_s
),

edge as (
    select s.slot as slot, s.from_s as at_s from said as s
    union distinct
    select s.slot as slot, s.to_s as at_s from said as s
),

stretch as (
    select
        e.slot as slot,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.slot order by e.at_s) as to_s,
        lead(e.slot) over (partition by e.slot order by e.at_s) as next_slot
    from edge as e
),

graded as (
    select x.slot as slot, x.from_s as from_s, x.to_s as to_s, max(s.grade) as gravest
    from stretch as x
    inner join said as s on x.slot = s.slot and s.from_s <= x.from_s and s.to_s >= x.to_s
    where x.next_slot = x.slot
    group by x.slot, x.from_s, x.to_s
),

opened as (
    select
        g.slot as slot,
        g.gravest as gravest,
        g.from_s as part_from_s,
        g.to_s as part_to_s,
        lag(g.to_s) over (partition by g.slot, g.gravest order by g.from_s) as before_s
    from graded as g
),

island as (
    select
        o.slot as slot,
        o.gravest as gravest,
        o.part_from_s as part_from_s,
        o.part_to_s as part_to_s,
        sum(case when o.before_s = o.part_from_s then 0 else 1 end) over (
            partition by o.slot, o.gravest order by o.part_from_s
            rows between unbounded preceding and current row
        ) as island_no
    from opened as o
)

select
    i.slot as slot,
    case
        when i.gravest = 6 then 'absent'
        when i.gravest = 5 then 'failed'
        when i.gravest = 4 then 'drained'
        when i.gravest = 3 then 'maintenance'
        when i.gravest = 2 then 'system'
        when i.gravest = 1 then 'provisioning'
        else 'unknown'
    end as state,
    min(i.part_from_s) as from_s,
    max(i.part_to_s) as to_s
from island as i
group by i.slot, i.gravest, i.island_no
