-- Rendered by scripts/render from chargeback/models/holder.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: each stretch has a length.
SELECT
  run,
  from_s
FROM holder
WHERE
  to_s <= from_s
LIMIT 1;
