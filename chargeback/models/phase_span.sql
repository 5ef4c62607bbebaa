-- phase_span: what each run was at, for runs of which a source says it: one phase at each instant of the run's window.
-- Grain: run x stretch of one phase. Keys: run, from_s.
-- Units: from_s and to_s in UTC seconds; phase '' where nothing is said. Of several at once the one that began last counts.
-- Where a holding ended in a loss (failed, preempted, timeout), what its run was at since its last checkpoint before is
-- lost_work; that a source says another phase than running goes before it. Without a checkpoint nothing is known lost.
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

checkpoint as (
    select r.run as run, r.start_s as kept_s
    from ranked as r
    where r.newest = 1 and r.withdrawn = 0 and r.phase = 'checkpoint' and r.start_s = r.until_s
),

checked_run as (
    select distinct c.run as run from checkpoint as c
),

held as (
    select
        h.run as run,
        h.withdrawn as withdrawn,
        h.outcome as outcome,
        coalesce(h.end_s, 0) as ended_s,
        row_number() over (partition by h.identity order by h.seq desc) as newest
    from source_holding as h
    inner join checked_run as c on h.run = c.run
    inner join run_window as w on h.seq <= w.seq
),

ended as (
    select distinct h.run as run, h.ended_s as ended_s
    from held as h
    where h.newest = 1 and h.withdrawn = 0 and h.outcome in ('failed', 'preempted', 'timeout')
),

kept as (
    select e.run as run, e.ended_s as ended_s, max(c.kept_s) as last_s
    from ended as e
    inner join checkpoint as c on e.run = c.run and c.kept_s <= e.ended_s
    group by e.run, e.ended_s
),

lost as (
    select k.run as run, greatest(k.last_s, w.start_s) as from_s, least(k.ended_s, w.end_s) as to_s
    from kept as k
    inner join run_window as w on k.last_s < w.end_s and k.ended_s > w.start_s
    where k.last_s < k.ended_s
),

stated as (
    select s.run as run, s.from_s as from_s, s.to_s as to_s from said as s
    union all
    select l.run as run, l.from_s as from_s, l.to_s as to_s from lost as l
),

edge as (
    select s.run as run, s.from_s as at_s from stated as s
    union distinct
    select s.run as run, s.to_s as at_s from stated as s
    union distinct
    select s.run as run, w.start_s as at_s from stated as s cross join run_window as w
    union distinct
    select s.run as run, w.end_s as at_s from stated as s cross join run_window as w
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
),

lost_in as (
    select distinct c.run as run, c.from_s as from_s
    from chosen as c
    inner join lost as l on c.run = l.run and l.from_s <= c.from_s and l.to_s >= c.to_s
    where c.newest = 1 and c.phase_then in ('', 'running')
)

select
    c.run as run,
    case when l.run is null then c.phase_then else 'lost_work' end as phase,
    c.from_s as from_s,
    c.to_s as to_s
from chosen as c
left join lost_in as l on c.run = l.run and c.from_s = l.from_s
where c.newest = 1
