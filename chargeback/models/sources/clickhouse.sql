-- Source views of ClickHouse: what the lake's Parquet files and Arrow tables hold, as integers and text.
-- `$holding_files` and the like are table expressions over explicit file lists, with the columns of docs/tables.md, those
-- that may be null Nullable, and `filename` (of `file` and `s3` it is `_path`); nothing else differs by engine.
-- A row's own seq wins (a compacted file holds rows of many commits), else the seq that added its file.
-- The models read names and missed joins as the standard has them: their session has these two settings as well.
set prefer_column_name_to_alias = 1, join_use_nulls = 1;

create or replace view source_holding as
select
    t.identity as identity,
    coalesce(t.seq, f.added_seq) as seq,
    toInt64(t.withdrawn) as withdrawn,
    t.start_s as start_s,
    t.end_s as end_s,
    t.cluster as cluster,
    t.cluster || '/' || t.run as run,
    t.run as run_name,
    t.run_no as run_no,
    coalesce(t.namespace, '') as namespace,
    coalesce(t.account, '') as account,
    t.owner_key as owner_key,
    coalesce(t.labels, '') as labels,
    case when t.node is null then '' else t.cluster || '/' || t.node end as node,
    case when t.slot is null then '' else t.cluster || '/' || t.slot end as slot,
    case when t.lane is null then '' else t.cluster || '/' || t.lane end as lane,
    coalesce(t.device, '') as device,
    t.node_group as node_group,
    t.units as units,
    coalesce(t.share_mode, '') as share_mode,
    t.weight as weight,
    t.weight_cap as weight_cap,
    coalesce(t.cpus_milli, 0) as cpus_milli,
    intDiv(coalesce(t.memory_bytes, 0) + 1048575, 1048576) as memory_mib,
    coalesce(t.licences, 0) as licences,
    toInt64(t.assumed) as is_assumed,
    t.model as model,
    t.region as region,
    coalesce(t.outcome, '') as outcome,
    coalesce(t.suspended_s, 0) as suspended_s,
    coalesce(t.owner_from, '') as owner_from
from $holding_files as t
inner join lake_file as f on t.filename = f.path;

create or replace view source_slot as
select
    t.identity as identity,
    coalesce(t.seq, f.added_seq) as seq,
    toInt64(t.withdrawn) as withdrawn,
    t.start_s as start_s,
    t.end_s as end_s,
    t.cluster as cluster,
    t.cluster || '/' || t.node as node,
    t.cluster || '/' || t.slot as slot,
    t.slot_no as slot_no,
    t.sku as sku,
    t.model as model,
    t.region as region,
    t.purchase_option as purchase_option,
    t.compute_slices as compute_total,
    t.memory_slices as memory_total
from $slot_files as t
inner join lake_file as f on t.filename = f.path;

create or replace view source_device as
select
    t.identity as identity,
    coalesce(t.seq, f.added_seq) as seq,
    toInt64(t.withdrawn) as withdrawn,
    t.start_s as start_s,
    t.end_s as end_s,
    t.cluster as cluster,
    t.cluster || '/' || t.node as node,
    t.cluster || '/' || t.slot as slot,
    t.uuid as device
from $device_files as t
inner join lake_file as f on t.filename = f.path;

create or replace view source_state as
select
    t.identity as identity,
    coalesce(t.seq, f.added_seq) as seq,
    toInt64(t.withdrawn) as withdrawn,
    t.start_s as start_s,
    t.end_s as end_s,
    t.cluster || '/' || t.node as node,
    case when t.slot is null then '' else t.cluster || '/' || t.slot end as slot,
    t.state as state
from $state_files as t
inner join lake_file as f on t.filename = f.path;

create or replace view source_partition as
select
    t.identity as identity,
    coalesce(t.seq, f.added_seq) as seq,
    toInt64(t.withdrawn) as withdrawn,
    t.start_s as start_s,
    t.end_s as end_s,
    t.cluster as cluster,
    t.cluster || '/' || t.node as node,
    t.cluster || '/' || t.slot as slot,
    t.cluster || '/' || t.lane as lane,
    coalesce(t.uuid, '') as device,
    '#' || substr(t.lane, length(t.slot) + 2) as number,
    t.compute_slices as compute_slices,
    t.memory_slices as memory_slices
from $partition_files as t
inner join lake_file as f on t.filename = f.path;

create or replace view source_phase as
select
    t.identity as identity,
    coalesce(t.seq, f.added_seq) as seq,
    toInt64(t.withdrawn) as withdrawn,
    t.start_s as start_s,
    t.end_s as end_s,
    t.cluster || '/' || t.run as run,
    t.phase as phase
from $phase_files as t
inner join lake_file as f on t.filename = f.path;

create or replace view source_node as
select
    t.identity as identity,
    coalesce(t.seq, f.added_seq) as seq,
    toInt64(t.withdrawn) as withdrawn,
    t.start_s as start_s,
    t.end_s as end_s,
    t.cluster as cluster,
    t.cluster || '/' || t.node as node,
    coalesce(t.provider, '') as provider,
    coalesce(t.billing_account, '') as billing_account,
    coalesce(t.region, '') as region,
    coalesce(t.zone, '') as zone,
    coalesce(t.sku, '') as sku,
    coalesce(t.purchase_option, '') as purchase_option,
    coalesce(t.instance_id, '') as instance,
    coalesce(t.reservation_id, '') as reservation,
    coalesce(t.ended_by, '') as ended_by
from $node_files as t
inner join lake_file as f on t.filename = f.path;

create or replace view source_node_resource as
select
    t.identity as identity,
    coalesce(t.seq, f.added_seq) as seq,
    toInt64(t.withdrawn) as withdrawn,
    t.start_s as start_s,
    t.end_s as end_s,
    t.cluster as cluster,
    t.cluster || '/' || t.node as node,
    t.resource as resource,
    t.quantity as quantity
from $node_resource_files as t
inner join lake_file as f on t.filename = f.path;

create or replace view source_activity as
select
    t.subject as subject,
    t.hour_s as hour_s,
    t.start_s as start_s,
    t.end_s as end_s,
    t.band as band
from $activity_files as t;

create or replace view source_energy as
select
    t.cluster as cluster,
    t.subject as device,
    t.hour_s as hour_s,
    t.start_s as start_s,
    t.end_s as end_s,
    t.joules as joules,
    t.known_s as known_s
from $energy_files as t;
