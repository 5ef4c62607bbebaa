-- Rendered by scripts/render from chargeback/models/resource_day.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: the days of a unit's nodes have the money of its pieces.
WITH given AS (
  SELECT
    COALESCE(CAST(SUM(amount) AS BIGINT), CAST(0 AS BIGINT)) AS amount
  FROM resource_day
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
