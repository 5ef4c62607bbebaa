-- holding_claim: what each holding claims, the version in force at the run's seq, cut to the run's window.
-- Grain: one fact in force. Keys: identity.
-- Units: claimed_ticks in ticks per second over all units of the fact (720720 = one whole device);
-- from_s and to_s in UTC seconds, cut where the cluster's sources are no longer known to be complete.
with ranked as (
    select
        h.identity as identity,
        h.withdrawn as withdrawn,
        h.start_s as start_s,
        coalesce(h.end_s, w.end_s) as until_s,
        h.cluster as cluster,
        h.run as run,
        h.run_no as run_no,
        h.namespace as namespace,
        h.account as account,
        h.owner_key as owner_key,
        h.labels as labels,
        h.node as node,
        h.slot as slot,
        h.device as device,
        h.cluster || '/' || h.node_group as capacity_group,
        h.units as units,
        h.is_exclusive as is_exclusive,
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
        r.run_no as run_no,
        q.who_no as who_no,
        q.outcome_no as outcome_no,
        r.owner_key as owner_key,
        r.node as node,
        r.slot as slot,
        r.device as device,
        r.capacity_group as capacity_group,
        r.is_exclusive as is_exclusive,
        r.units * (720720 * r.weight // r.weight_cap) as claimed_ticks,
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
    left join cluster_through as t on r.cluster = t.cluster
    where r.newest = 1 and r.withdrawn = 0 and r.units > 0
)

select
    c.identity as identity,
    c.cluster as cluster,
    c.run as run,
    c.run_no as run_no,
    c.who_no as who_no,
    c.outcome_no as outcome_no,
    c.owner_key as owner_key,
    c.node as node,
    c.slot as slot,
    c.device as device,
    c.capacity_group as capacity_group,
    c.is_exclusive as is_exclusive,
    c.claimed_ticks as claimed_ticks,
    c.is_assumed as is_assumed,
    c.model as model,
    c.region as region,
    c.from_s as from_s,
    c.to_s as to_s
from cut as c
where c.from_s < c.to_s
