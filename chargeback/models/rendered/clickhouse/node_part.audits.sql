-- Rendered by scripts/render from chargeback/models/node_part.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no key stands twice.
SELECT
  node,
  from_s,
  price_no
FROM node_part
GROUP BY
  node,
  from_s,
  price_no
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;

-- No row: a node's tariffs pay for no more slots than it has.
SELECT
  node,
  from_s
FROM node_part
GROUP BY
  node,
  from_s
HAVING
  toInt64(SUM(slot_count)) > MAX(node_slots)
LIMIT 1;
