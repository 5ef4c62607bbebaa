-- device_life: which device is in which slot when, the version in force, cut to the run's window.
-- Grain: device x fact in force. Units: from_s and to_s in UTC seconds.
with ranked as (
    select
        d.withdrawn as withdrawn,
        d.start_s as start_s,
        coalesce(d.end_s, w.end_s) as until_s,
        d.cluster as cluster,
        d.node as node,
        d.slot as slot,
        d.device as device,
        row_number() over (partition by d.identity order by d.seq desc) as newest
    from source_device as d
    inner join run_window as w on d.seq <= w.seq
),

cut as (
    select
        r.cluster as cluster,
        r.node as node,
        r.slot as slot,
        r.device as device,
        greatest(r.start_s, w.start_s) as from_s,
        least(r.until_s, w.end_s) as to_s
    from ranked as r
    inner join run_window as w on r.start_s < w.end_s
    where r.newest = 1 and r.withdrawn = 0
)

select c.cluster as cluster, c.node as node, c.slot as slot, c.device as device, c.from_s as from_s, c.to_s as to_s
from cut as c
where c.from_s < c.to_s
