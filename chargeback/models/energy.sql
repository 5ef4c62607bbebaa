-- energy: what each device used in an hour, as far as it is known, cut to the unit's window and to what is complete.
-- Grain: device x hour. Keys: device, hour_s.
-- Units: joules over [start_s, end_s), of which known_s seconds are known; every second of it has the same part. [from_s, to_s)
-- is what the run is about, and cut_joules what was used in it: the difference of what was used up to its end and up to its
-- begin, each rounded down, so that windows which touch add up. UTC seconds.
-- What no row is about is not known, which is not 0. More than 10^12 J in an hour is no device's, and not known either.
with cut as (
    select
        e.cluster as cluster,
        e.device as device,
        e.hour_s as hour_s,
        e.start_s as start_s,
        e.end_s as end_s,
        e.joules as joules,
        least(e.known_s, e.end_s - e.start_s) as sure_s,
        e.end_s - e.start_s as length_s,
        greatest(e.start_s, w.start_s) - e.start_s as after_s,
        least(e.end_s, w.end_s, coalesce(t.through_s, w.end_s)) - e.start_s as until_s
    from source_energy as e
    inner join run_window as w on e.start_s < w.end_s and e.end_s > w.start_s
    left join cluster_through as t on e.cluster = t.cluster
    where e.known_s > 0 and e.joules >= 0 and e.joules <= cast(1000000000000 as bigint)
)

select
    c.cluster as cluster,
    c.device as device,
    c.hour_s as hour_s,
    c.start_s as start_s,
    c.end_s as end_s,
    c.sure_s as known_s,
    c.joules as joules,
    c.start_s + c.after_s as from_s,
    c.start_s + c.until_s as to_s,
    c.joules * c.until_s // c.length_s - c.joules * c.after_s // c.length_s as cut_joules
from cut as c
where c.until_s > c.after_s
