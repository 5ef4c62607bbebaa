-- Rendered by scripts/render from chargeback/models/taker.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no key stands twice.
SELECT
  owner,
  team,
  cost_centre,
  run,
  phase,
  account,
  state
FROM taker
GROUP BY
  owner,
  team,
  cost_centre,
  run,
  phase,
  account,
  state
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;
