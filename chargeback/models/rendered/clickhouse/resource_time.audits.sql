-- Rendered by scripts/render from chargeback/models/resource_time.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no key stands twice.
SELECT
  node,
  kind,
  from_s,
  run,
  owner,
  team,
  cost_centre,
  account
FROM resource_time
GROUP BY
  node,
  kind,
  from_s,
  run,
  owner,
  team,
  cost_centre,
  account
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;

-- No row: each kind of a node is given out exactly once, whoever asks for more.
SELECT
  node,
  kind,
  from_s
FROM resource_time
GROUP BY
  node,
  kind,
  from_s
HAVING
  toInt64(SUM(ticks)) <> MAX(whole_ticks) OR MIN(ticks) <= 0
LIMIT 1;
