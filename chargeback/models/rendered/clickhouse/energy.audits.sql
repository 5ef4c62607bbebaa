-- Rendered by scripts/render from chargeback/models/energy.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no key stands twice.
SELECT
  device,
  hour_s
FROM energy
GROUP BY
  device,
  hour_s
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;
