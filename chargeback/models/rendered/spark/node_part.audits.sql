-- Rendered by scripts/render from chargeback/models/node_part.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

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
  CAST(COUNT(*) AS BIGINT) > 1
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
  CAST(SUM(slot_count) AS BIGINT) > MAX(node_slots)
LIMIT 1;
