-- Rendered by scripts/render from chargeback/models/resource_posted.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: the money of each kind of a node goes to whose it was, to the quantum.
WITH given AS (
  SELECT
    COALESCE(toInt64(SUM(amount)), toInt64(0)) AS amount
  FROM resource_posted
), money AS (
  SELECT
    COALESCE(toInt64(SUM(r.amount * n.slot_count)), toInt64(0)) AS amount
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
