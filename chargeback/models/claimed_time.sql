-- claimed_time: what holdings claim of a unit's time, to compare with what was found for them.
-- Grain: cluster. Units: ticks in 1/720720 of a device-second.
select
    h.cluster as cluster,
    cast(sum(h.claimed_ticks * (h.to_s - h.from_s)) as bigint) as ticks
from holding_claim as h
group by h.cluster
