-- slot_state: the state of each slot where a source says one, the version in force, cut to the run's window.
-- Grain: slot x fact in force. Units: from_s and to_s in UTC seconds. A slot without a row is available.
with ranked as (
    select
        s.withdrawn as withdrawn,
        s.start_s as start_s,
        coalesce(s.end_s, w.end_s) as until_s,
        s.slot as slot,
        s.state as state,
        row_number() over (partition by s.identity order by s.seq desc) as newest
    from source_state as s
    inner join run_window as w on s.seq <= w.seq
),

cut as (
    select
        r.slot as slot,
        r.state as state,
        greatest(r.start_s, w.start_s) as from_s,
        least(r.until_s, w.end_s) as to_s
    from ranked as r
    inner join run_window as w on r.start_s < w.end_s
    where r.newest = 1 and r.withdrawn = 0 and r.state <> 'available'
)

select c.slot as slot, c.state as state, c.from_s as from_s, c.to_s as to_s
from cut as c
where c.from_s < c.to_s
