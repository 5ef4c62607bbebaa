-- partition_life: which hardware slices a device in a slot has when, the version in force, cut to the run's window.
-- Grain: lane x longest stretch of equal slices. Keys: lane, from_s.
-- Units: compute_slices and memory_slices of the slice itself; from_s and to_s in UTC seconds.
with ranked as (
    select
        p.withdrawn as withdrawn,
        p.start_s as start_s,
        coalesce(p.end_s, w.end_s) as until_s,
        p.cluster as cluster,
        p.node as node,
        p.slot as slot,
        p.lane as lane,
        p.device as device,
        p.number as number,
        p.compute_slices as compute_slices,
        p.memory_slices as memory_slices,
        row_number() over (partition by p.identity order by p.seq desc) as newest
    from source_partition as p
    inner join run_window as w on p.seq <= w.seq
),

cut as (
    select distinct
        r.node as node,
        r.slot as slot,
        r.lane as lane,
        r.device as device,
        r.number as number,
        r.compute_slices as compute_slices,
        r.memory_slices as memory_slices,
        greatest(r.start_s, w.start_s) as from_s,
        least(r.until_s, w.end_s, coalesce(t.through_s, w.end_s)) as to_s
    from ranked as r
    inner join run_window as w on r.start_s < w.end_s
    left join cluster_through as t on r.cluster = t.cluster
    where r.newest = 1 and r.withdrawn = 0
),

opened as (
    select
        c.node as node,
        c.slot as slot,
        c.lane as lane,
        c.device as device,
        c.number as number,
        c.compute_slices as compute_slices,
        c.memory_slices as memory_slices,
        c.from_s as part_from_s,
        c.to_s as part_to_s,
        max(c.to_s) over (
            partition by c.node, c.slot, c.lane, c.device, c.number, c.compute_slices, c.memory_slices
            order by c.from_s, c.to_s
            rows between unbounded preceding and 1 preceding
        ) as before_s
    from cut as c
    where c.from_s < c.to_s
),

island as (
    select
        o.node as node,
        o.slot as slot,
        o.lane as lane,
        o.device as device,
        o.number as number,
        o.compute_slices as compute_slices,
        o.memory_slices as memory_slices,
        o.part_from_s as part_from_s,
        o.part_to_s as part_to_s,
        sum(case when o.before_s >= o.part_from_s then 0 else 1 end) over (
            partition by o.node, o.slot, o.lane, o.device, o.number, o.compute_slices, o.memory_slices
            order by o.part_from_s, o.part_to_s
            rows between unbounded preceding and current row
        ) as island_no
    from opened as o
)

select
    i.node as node,
    i.slot as slot,
    i.lane as lane,
    i.device as device,
    i.number as number,
    i.compute_slices as compute_slices,
    i.memory_slices as memory_slices,
    min(i.part_from_s) as from_s,
    max(i.part_to_s) as to_s
from island as i
group by i.node, i.slot, i.lane, i.device, i.number, i.compute_slices, i.memory_slices, i.island_no
