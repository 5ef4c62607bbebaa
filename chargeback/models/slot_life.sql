-- slot_life: when each slot is there: inventory in force without its absent time, and assumed slots.
-- Grain: slot x longest stretch of equal attributes. Keys: life_no.
-- Units: life_no and pool_no number the unit's rows and pools in the order of their keys; slot_ticks in ticks per second (720720 = a whole device); from_s and to_s in UTC seconds.
with ranked as (
    select
        s.identity as identity,
        s.withdrawn as withdrawn,
        s.start_s as start_s,
        coalesce(s.end_s, w.end_s) as until_s,
        s.cluster as cluster,
        s.node as node,
        s.slot as slot,
        s.slot_no as slot_no,
        s.sku as sku,
        s.model as model,
        s.region as region,
        s.purchase_option as purchase_option,
        s.compute_total as compute_total,
        s.memory_total as memory_total,
        row_number() over (partition by s.identity order by s.seq desc) as newest
    from source_slot as s
    inner join run_window as w on s.seq <= w.seq
),

present as (
    select
        r.cluster as cluster,
        r.node as node,
        r.slot as slot,
        r.slot_no as slot_no,
        r.sku as sku,
        r.model as model,
        r.region as region,
        r.purchase_option as purchase_option,
        r.compute_total as compute_total,
        r.memory_total as memory_total,
        greatest(r.start_s, w.start_s) as from_s,
        least(r.until_s, w.end_s, coalesce(t.through_s, w.end_s)) as to_s
    from ranked as r
    inner join run_window as w on r.start_s < w.end_s
    left join cluster_through as t on r.cluster = t.cluster
    where r.newest = 1 and r.withdrawn = 0
),

absent as (
    select s.slot as slot, s.from_s as from_s, s.to_s as to_s
    from slot_state as s
    where s.state = 'absent'
),

edge as (
    select p.slot as slot, p.from_s as at_s from present as p
    union distinct
    select p.slot as slot, p.to_s as at_s from present as p
    union distinct
    select a.slot as slot, a.from_s as at_s from absent as a
    union distinct
    select a.slot as slot, a.to_s as at_s from absent as a
),

stretch as (
    select
        e.slot as slot,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.slot order by e.at_s) as to_s,
        lead(e.slot) over (partition by e.slot order by e.at_s) as next_slot
    from edge as e
),

there as (
    select distinct
        p.cluster as cluster,
        p.node as node,
        p.slot as slot,
        p.slot_no as slot_no,
        p.sku as sku,
        p.model as model,
        p.region as region,
        p.purchase_option as purchase_option,
        p.compute_total as compute_total,
        p.memory_total as memory_total,
        cast(720720 as bigint) as slot_ticks,
        cast(0 as bigint) as is_assumed,
        s.from_s as from_s,
        s.to_s as to_s
    from stretch as s
    inner join present as p on s.slot = p.slot and p.from_s <= s.from_s and p.to_s >= s.to_s
    left join absent as a on s.slot = a.slot and a.from_s <= s.from_s and a.to_s >= s.to_s
    where s.next_slot = s.slot and a.slot is null
    union all
    select
        m.cluster as cluster,
        m.slot as node,
        m.slot as slot,
        m.slot_no as slot_no,
        '' as sku,
        m.model as model,
        m.region as region,
        '' as purchase_option,
        cast(1 as bigint) as compute_total,
        cast(1 as bigint) as memory_total,
        m.slot_ticks as slot_ticks,
        cast(1 as bigint) as is_assumed,
        m.from_s as from_s,
        m.to_s as to_s
    from assumed_slot as m
),

opened as (
    select
        t.cluster as cluster,
        t.node as node,
        t.slot as slot,
        t.slot_no as slot_no,
        t.sku as sku,
        t.model as model,
        t.region as region,
        t.purchase_option as purchase_option,
        t.compute_total as compute_total,
        t.memory_total as memory_total,
        t.slot_ticks as slot_ticks,
        t.is_assumed as is_assumed,
        t.from_s as part_from_s,
        t.to_s as part_to_s,
        lag(t.to_s) over (
            partition by
                t.slot, t.cluster, t.node, t.slot_no, t.sku, t.model, t.region, t.purchase_option,
                t.compute_total, t.memory_total, t.slot_ticks
            order by t.from_s
        ) as before_s
    from there as t
),

island as (
    select
        o.cluster as cluster,
        o.node as node,
        o.slot as slot,
        o.slot_no as slot_no,
        o.sku as sku,
        o.model as model,
        o.region as region,
        o.purchase_option as purchase_option,
        o.compute_total as compute_total,
        o.memory_total as memory_total,
        o.slot_ticks as slot_ticks,
        o.is_assumed as is_assumed,
        o.part_from_s as part_from_s,
        o.part_to_s as part_to_s,
        sum(case when o.before_s = o.part_from_s then 0 else 1 end) over (
            partition by
                o.slot, o.cluster, o.node, o.slot_no, o.sku, o.model, o.region, o.purchase_option,
                o.compute_total, o.memory_total, o.slot_ticks
            order by o.part_from_s
            rows between unbounded preceding and current row
        ) as island_no
    from opened as o
),

life as (
    select
        i.cluster as cluster,
        i.node as node,
        i.slot as slot,
        i.slot_no as slot_no,
        i.sku as sku,
        i.model as model,
        i.region as region,
        i.purchase_option as purchase_option,
        i.compute_total as compute_total,
        i.memory_total as memory_total,
        i.slot_ticks as slot_ticks,
        i.is_assumed as is_assumed,
        min(i.part_from_s) as from_s,
        max(i.part_to_s) as to_s
    from island as i
    group by
        i.cluster, i.node, i.slot, i.slot_no, i.sku, i.model, i.region, i.purchase_option, i.compute_total,
        i.memory_total, i.slot_ticks, i.is_assumed, i.island_no
)

select
    l.cluster as cluster,
    l.node as node,
    l.slot as slot,
    row_number() over (order by l.slot, l.from_s) as life_no,
    dense_rank() over (order by l.model, l.region) as pool_no,
    l.slot_no as slot_no,
    l.sku as sku,
    l.model as model,
    l.region as region,
    l.model || '/' || l.region as pool,
    l.purchase_option as purchase_option,
    l.compute_total as compute_total,
    l.memory_total as memory_total,
    l.slot_ticks as slot_ticks,
    l.is_assumed as is_assumed,
    l.from_s as from_s,
    l.to_s as to_s
from life as l
