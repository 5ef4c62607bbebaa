-- phase_span: what each run was at, for runs of which a source says it: one phase at each instant of the run's window.
-- Grain: run x stretch of one phase. Keys: run, from_s.
-- Units: from_s and to_s in UTC seconds; phase '' where nothing is said. Of several at once the one that began last counts.
with ranked as (
    select
        p.withdrawn as withdrawn,
        p.start_s as start_s,
        coalesce(p.end_s, w.end_s) as until_s,
        p.run as run,
        p.phase as phase,
        row_number() over (partition by p.identity order by p.seq desc) as newest
    from source_phase as p
    inner join run_window as w on p.seq <= w.seq
),

said as (
    select
        r.run as run,
        r.phase as phase,
        r.start_s as began_s,
        greatest(r.start_s, w.start_s) as from_s,
        least(r.until_s, w.end_s) as to_s
    from ranked as r
    inner join run_window as w on r.start_s < w.end_s and r.until_s > w.start_s
    where r.newest = 1 and r.withdrawn = 0 and r.start_s < r.until_s
),

edge as (
    select s.run as run, s.from_s as at_s from said as s
    union distinct
    select s.run as run, s.to_s as at_s from said as s
    union distinct
    select s.run as run, w.start_s as at_s from said as s cross join run_window as w
    union distinct
    select s.run as run, w.end_s as at_s from said as s cross join run_window as w
),

stretch as (
    select
        e.run as run,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.run order by e.at_s) as to_s,
        lead(e.run) over (partition by e.run order by e.at_s) as next_run
    from edge as e
),

chosen as (
    select
        x.run as run,
        x.from_s as from_s,
        x.to_s as to_s,
        case when s.run is null then '' else s.phase end as phase_then,
        row_number() over (partition by x.run, x.from_s order by s.began_s desc, s.phase) as newest
    from stretch as x
    left join said as s on x.run = s.run and s.from_s <= x.from_s and s.to_s >= x.to_s
    where x.next_run = x.run
)

select c.run as run, c.phase_then as phase, c.from_s as from_s, c.to_s as to_s
from chosen as c
where c.newest = 1
