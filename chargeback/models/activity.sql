-- activity: what was reported of devices, partitions and processes in the unit's window: busy or not.
-- Grain: subject x stretch of one band in an hour. Keys: subject, start_s.
-- Units: start_s and end_s in UTC seconds; is_busy 1 from the idle threshold on. What no row is about is not known.
select
    a.subject as subject,
    a.hour_s as hour_s,
    a.start_s as start_s,
    a.end_s as end_s,
    cast(case when a.band >= s.idle_band then 1 else 0 end as bigint) as is_busy
from source_activity as a
inner join run_window as w on a.start_s < w.end_s and a.end_s > w.start_s
cross join sharing as s
