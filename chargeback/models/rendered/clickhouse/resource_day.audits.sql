-- Rendered by scripts/render from chargeback/models/resource_day.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: the days of a unit's nodes have the money of its pieces.
WITH given AS (
  SELECT
    COALESCE(toInt64(SUM(amount)), toInt64(0)) AS amount
  FROM resource_day
), money AS (
  SELECT
    COALESCE(toInt64(SUM(amount)), toInt64(0)) AS amount
  FROM resource_posted
)
SELECT
  g.amount AS amount,
  m.amount AS posted_amount
FROM given AS g
CROSS JOIN money AS m
WHERE
  g.amount <> m.amount;
