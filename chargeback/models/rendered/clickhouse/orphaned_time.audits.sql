-- Rendered by scripts/render from chargeback/models/orphaned_time.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no more is found than is claimed.
SELECT
  cluster,
  ticks
FROM orphaned_time
WHERE
  ticks < 0
LIMIT 1;
