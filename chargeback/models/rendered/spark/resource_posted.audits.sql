-- Rendered by scripts/render from chargeback/models/resource_posted.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: the money of each kind of a node goes to whose it was, to the quantum.
WITH given AS (
  SELECT
    COALESCE(CAST(SUM(amount) AS BIGINT), CAST(0 AS BIGINT)) AS amount
  FROM resource_posted
), money AS (
  SELECT
    COALESCE(CAST(SUM(r.amount * n.slot_count) AS BIGINT), CAST(0 AS BIGINT)) AS amount
  FROM node_part AS n
  INNER JOIN resource_amount AS r
    ON n.price_no = r.price_no
    AND n.node_slots = r.node_slots
    AND n.from_s = r.from_s
    AND n.to_s = r.to_s
)
SELECT
  g.amount AS amount,
  m.amount AS node_amount
FROM given AS g
CROSS JOIN money AS m
WHERE
  g.amount <> m.amount;

-- No row: a price of 0 or more gives no negative part.
SELECT
  node,
  kind,
  from_s
FROM resource_posted
WHERE
  amount < 0
LIMIT 1;
