-- Rendered by scripts/render from chargeback/models/resource_piece.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: the money of a unit's pieces is that of its nodes.
WITH given AS (
  SELECT
    COALESCE(toInt64(SUM(amount)), toInt64(0)) AS amount
  FROM resource_piece
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
