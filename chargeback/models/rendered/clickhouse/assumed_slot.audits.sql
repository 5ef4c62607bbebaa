-- Rendered by scripts/render from chargeback/models/assumed_slot.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no key stands twice.
SELECT
  slot,
  from_s
FROM assumed_slot
GROUP BY
  slot,
  from_s
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;
