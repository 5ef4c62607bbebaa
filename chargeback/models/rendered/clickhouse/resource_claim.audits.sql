-- Rendered by scripts/render from chargeback/models/resource_claim.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no key stands twice.
SELECT
  identity,
  kind,
  from_s
FROM resource_claim
GROUP BY
  identity,
  kind,
  from_s
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;
