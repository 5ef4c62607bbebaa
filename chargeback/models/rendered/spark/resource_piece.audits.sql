-- Rendered by scripts/render from chargeback/models/resource_piece.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: the money of a unit's pieces is that of its nodes.
WITH given AS (
  SELECT
    COALESCE(CAST(SUM(amount) AS BIGINT), CAST(0 AS BIGINT)) AS amount
  FROM resource_piece
), money AS (
  SELECT
    COALESCE(CAST(SUM(amount) AS BIGINT), CAST(0 AS BIGINT)) AS amount
  FROM resource_posted
)
SELECT
  g.amount AS amount,
  m.amount AS posted_amount
FROM given AS g
CROSS JOIN money AS m
WHERE
  g.amount <> m.amount;
