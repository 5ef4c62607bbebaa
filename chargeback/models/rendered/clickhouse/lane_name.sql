-- Rendered by scripts/render from chargeback/models/lane_name.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- lane_name: what the numbers of lanes name, for the written views.
-- Grain: lane x stretch of one set of partitions. Keys: lane_no. Units: none, numbers and names only.
SELECT
  v.lane_no AS lane_no,
  v.lane AS lane
FROM lane_life AS v
