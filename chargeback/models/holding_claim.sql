-- holding_claim: what each holding claims, the version in force at the run's seq, cut to the run's window.
-- Grain: one fact in force. Keys: identity.
-- Units: claimed_ticks in ticks per second over all units of the fact (720720 = one whole lane); held_ticks is what its
-- share of a lane is weighed by, cap_ticks what that is divided by at least (0 = by what is held); from_s and to_s in
-- UTC seconds, cut where the cluster's sources are no longer known to be complete.
-- Time slices are equal among the holders there, or by the policy one of as many as there are replicas. MPS goes by the
-- percentage of threads where one is set, else equally. is_equal 1 is what a policy may weigh by use.
with ranked as (
    select
        h.identity as identity,
        h.withdrawn as withdrawn,
        h.start_s as start_s,
        coalesce(h.end_s, w.end_s) as until_s,
        h.cluster as cluster,
        h.run as run,
        h.run_name as run_name,
        h.run_no as run_no,
        h.namespace as namespace,
        h.account as account,
        h.owner_key as owner_key,
        h.labels as labels,
        h.node as node,
        h.slot as slot,
        h.lane as lane,
        h.device as device,
        h.cluster || '/' || h.node_group as capacity_group,
        h.units as units,
        h.share_mode as share_mode,
        h.weight as weight,
        h.weight_cap as weight_cap,
        h.is_assumed as is_assumed,
        h.model as model,
        h.region as region,
        row_number() over (partition by h.identity order by h.seq desc) as newest
    from source_holding as h
    inner join run_window as w on h.seq <= w.seq
),

cut as (
    select
        r.identity as identity,
        r.cluster as cluster,
        r.run as run,
        r.run_name as run_name,
        r.run_no as run_no,
        q.who_no as who_no,
        q.outcome_no as outcome_no,
        r.owner_key as owner_key,
        r.node as node,
        r.slot as slot,
        r.lane as lane,
        r.device as device,
        r.capacity_group as capacity_group,
        r.share_mode as share_mode,
        case when r.share_mode = '' then 1 else 0 end as is_exclusive,
        case
            when r.weight = 0 or (r.share_mode = 'time_slicing' and g.time_slicing <> 1) then 1 else 0
        end as is_equal,
        case
            when r.weight = 0 then r.units * 720720 else r.units * (720720 * r.weight // r.weight_cap)
        end as claimed_ticks,
        r.units as units,
        r.is_assumed as is_assumed,
        r.model as model,
        r.region as region,
        greatest(r.start_s, w.start_s) as from_s,
        least(r.until_s, w.end_s, coalesce(t.through_s, w.end_s)) as to_s
    from ranked as r
    inner join run_window as w on r.start_s < w.end_s
    inner join who as q
        on
            r.cluster = q.cluster and r.namespace = q.namespace and r.account = q.account
            and r.owner_key = q.owner_key and r.labels = q.labels
    cross join sharing as g
    left join cluster_through as t on r.cluster = t.cluster
    where r.newest = 1 and r.withdrawn = 0 and r.units > 0
)

select
    c.identity as identity,
    c.cluster as cluster,
    c.run as run,
    c.run_name as run_name,
    c.run_no as run_no,
    c.who_no as who_no,
    c.outcome_no as outcome_no,
    c.owner_key as owner_key,
    c.node as node,
    c.slot as slot,
    c.lane as lane,
    c.device as device,
    c.capacity_group as capacity_group,
    c.share_mode as share_mode,
    c.is_exclusive as is_exclusive,
    c.claimed_ticks as claimed_ticks,
    case when c.is_equal = 1 then c.units * 720720 else c.claimed_ticks end as held_ticks,
    case when c.is_equal = 1 or c.is_exclusive = 1 then 0 else 720720 end as cap_ticks,
    c.is_equal as is_equal,
    c.is_assumed as is_assumed,
    c.model as model,
    c.region as region,
    c.from_s as from_s,
    c.to_s as to_s
from cut as c
where c.from_s < c.to_s
