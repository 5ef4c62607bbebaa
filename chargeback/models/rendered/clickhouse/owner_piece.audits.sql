-- Rendered by scripts/render from chargeback/models/owner_piece.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no key stands twice.
SELECT
  piece_s,
  lot,
  model,
  region,
  cluster,
  account,
  state,
  owner,
  team,
  cost_centre
FROM owner_piece
GROUP BY
  piece_s,
  lot,
  model,
  region,
  cluster,
  account,
  state,
  owner,
  team,
  cost_centre
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;

-- No row: the money of a unit's pieces is that of its entries.
WITH given AS (
  SELECT
    COALESCE(toInt64(SUM(amount)), toInt64(0)) AS amount
  FROM owner_piece
), money AS (
  SELECT
    COALESCE(toInt64(SUM(amount)), toInt64(0)) AS amount
  FROM posted
)
SELECT
  g.amount AS amount,
  m.amount AS posted_amount
FROM given AS g
CROSS JOIN money AS m
WHERE
  g.amount <> m.amount;
