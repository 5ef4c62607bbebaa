-- Rendered by scripts/render from chargeback/models/owner_piece.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

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
  CAST(COUNT(*) AS BIGINT) > 1
LIMIT 1;

-- No row: the money of a unit's pieces is that of its entries.
WITH given AS (
  SELECT
    COALESCE(CAST(SUM(amount) AS BIGINT), CAST(0 AS BIGINT)) AS amount
  FROM owner_piece
), money AS (
  SELECT
    COALESCE(CAST(SUM(amount) AS BIGINT), CAST(0 AS BIGINT)) AS amount
  FROM posted
)
SELECT
  g.amount AS amount,
  m.amount AS posted_amount
FROM given AS g
CROSS JOIN money AS m
WHERE
  g.amount <> m.amount;
