-- Rendered by scripts/render from chargeback/models/money_piece.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- money_piece: each slot's time cut where money may change: clock hours of the billing zone, prices and lots,
-- the slots of its node, and the partitions that they are cut into.
-- Grain: slot x money piece. Keys: life_no, from_s.
-- Units: from_s and to_s in UTC seconds; piece_s names the calendar piece; slot_ticks in ticks per second; node_slots
-- counts the slots of its node that are there; price_no 0 means that no price and no lot covers the time.
-- Numbers only: what they name is in slot_life and price_name.
WITH classed AS (
  SELECT
    l.life_no AS life_no,
    l.pool_no AS pool_no,
    l.slot_ticks AS slot_ticks,
    l.node AS node,
    l.from_s AS from_s,
    l.to_s AS to_s,
    c.class_no AS class_no
  FROM slot_life AS l
  INNER JOIN slot_class AS c
    ON c.slot = CASE WHEN l.is_assumed = 1 THEN '' ELSE l.slot END
    AND l.sku = c.sku
    AND l.model = c.model
    AND l.region = c.region
    AND l.purchase_option = c.purchase_option
), node_edge AS (
  SELECT
    l.node AS node,
    l.from_s AS at_s
  FROM classed AS l
  UNION
  SELECT
    l.node AS node,
    l.to_s AS at_s
  FROM classed AS l
  UNION
  SELECT
    v.node AS node,
    v.from_s AS at_s
  FROM lane_life AS v
  WHERE
    v.is_whole = 0
  UNION
  SELECT
    v.node AS node,
    v.to_s AS at_s
  FROM lane_life AS v
  WHERE
    v.is_whole = 0
  UNION
  SELECT
    l.node AS node,
    p.from_s AS at_s
  FROM classed AS l
  INNER JOIN price_span AS p
    ON l.class_no = p.class_no
  WHERE
    p.from_s > l.from_s AND p.from_s < l.to_s
  UNION
  SELECT
    l.node AS node,
    p.to_s AS at_s
  FROM classed AS l
  INNER JOIN price_span AS p
    ON l.class_no = p.class_no
  WHERE
    p.to_s > l.from_s AND p.to_s < l.to_s
), node_span AS (
  SELECT
    e.node AS node,
    e.at_s AS from_s,
    LEAD(e.at_s) OVER (PARTITION BY e.node ORDER BY e.at_s NULLS LAST) AS to_s,
    LEAD(e.node) OVER (PARTITION BY e.node ORDER BY e.at_s NULLS LAST) AS next_node
  FROM node_edge AS e
), slot_span AS (
  SELECT
    l.life_no AS life_no,
    l.pool_no AS pool_no,
    l.slot_ticks AS slot_ticks,
    CAST(COUNT(l.life_no) OVER (PARTITION BY n.node, n.from_s) AS BIGINT) AS node_slots,
    CASE WHEN p.price_no IS NULL THEN CAST(0 AS BIGINT) ELSE p.price_no END AS price_in_force,
    n.from_s AS span_from_s,
    n.to_s AS span_to_s
  FROM node_span AS n
  INNER JOIN classed AS l
    ON n.node = l.node AND l.from_s <= n.from_s AND l.to_s >= n.to_s
  LEFT JOIN price_span AS p
    ON l.class_no = p.class_no AND p.from_s <= n.from_s AND p.to_s >= n.to_s
  WHERE
    n.next_node = n.node
)
SELECT
  s.life_no AS life_no,
  s.pool_no AS pool_no,
  s.slot_ticks AS slot_ticks,
  s.node_slots AS node_slots,
  s.price_in_force AS price_no,
  c.start_s AS piece_s,
  GREATEST(s.span_from_s, c.start_s) AS from_s,
  LEAST(s.span_to_s, c.end_s) AS to_s
FROM slot_span AS s
INNER JOIN calendar_piece AS c
  ON c.start_s < s.span_to_s AND c.end_s > s.span_from_s
