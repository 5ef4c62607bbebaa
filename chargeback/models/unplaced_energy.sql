-- unplaced_energy: what devices used while no inventory says in which slot they sat, or while that slot is not there.
-- Grain: cluster. Keys: cluster. Units: joules, in J. It is told, and given to nobody.
with balance as (
    select e.cluster as cluster, e.cut_joules as part_joules from energy as e
    union all
    select e.cluster as cluster, 0 - p.joules as part_joules
    from energy_piece as p
    inner join energy as e on p.device = e.device and p.hour_s = e.hour_s
)

select b.cluster as cluster, cast(sum(b.part_joules) as bigint) as joules
from balance as b
group by b.cluster
