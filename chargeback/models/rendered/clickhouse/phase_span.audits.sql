-- Rendered by scripts/render from chargeback/models/phase_span.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no key stands twice.
SELECT
  run,
  from_s
FROM phase_span
GROUP BY
  run,
  from_s
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;
