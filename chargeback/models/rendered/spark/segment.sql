-- Rendered by scripts/render from chargeback/models/segment.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- segment: each slot's life cut where its state or the set of holders changes, on it or among its node's unplaced claims.
-- Grain: slot x segment. Keys: slot, from_s.
-- Units: slot_ticks in ticks per second; from_s and to_s in UTC seconds.
WITH unplaced_node AS (
  SELECT DISTINCT
    h.node AS node
  FROM holder AS h
  WHERE
    h.slot = ''
), node_edge AS (
  SELECT
    h.node AS node,
    h.from_s AS at_s
  FROM holder AS h
  INNER JOIN unplaced_node AS u
    ON h.node = u.node
  UNION
  SELECT
    h.node AS node,
    h.to_s AS at_s
  FROM holder AS h
  INNER JOIN unplaced_node AS u
    ON h.node = u.node
  UNION
  SELECT
    l.node AS node,
    l.from_s AS at_s
  FROM slot_life AS l
  INNER JOIN unplaced_node AS u
    ON l.node = u.node
  UNION
  SELECT
    l.node AS node,
    l.to_s AS at_s
  FROM slot_life AS l
  INNER JOIN unplaced_node AS u
    ON l.node = u.node
  UNION
  SELECT
    l.node AS node,
    s.from_s AS at_s
  FROM slot_life AS l
  INNER JOIN unplaced_node AS u
    ON l.node = u.node
  INNER JOIN slot_state AS s
    ON l.slot = s.slot
  UNION
  SELECT
    l.node AS node,
    s.to_s AS at_s
  FROM slot_life AS l
  INNER JOIN unplaced_node AS u
    ON l.node = u.node
  INNER JOIN slot_state AS s
    ON l.slot = s.slot
), edge AS (
  SELECT
    l.slot AS slot,
    l.from_s AS at_s
  FROM slot_life AS l
  UNION
  SELECT
    l.slot AS slot,
    l.to_s AS at_s
  FROM slot_life AS l
  UNION
  SELECT
    h.slot AS slot,
    h.from_s AS at_s
  FROM holder AS h
  WHERE
    h.slot <> ''
  UNION
  SELECT
    h.slot AS slot,
    h.to_s AS at_s
  FROM holder AS h
  WHERE
    h.slot <> ''
  UNION
  SELECT
    s.slot AS slot,
    s.from_s AS at_s
  FROM slot_state AS s
  UNION
  SELECT
    s.slot AS slot,
    s.to_s AS at_s
  FROM slot_state AS s
  UNION
  SELECT
    l.slot AS slot,
    n.at_s AS at_s
  FROM slot_life AS l
  INNER JOIN node_edge AS n
    ON l.node = n.node
  WHERE
    n.at_s > l.from_s AND n.at_s < l.to_s
), stretch AS (
  SELECT
    e.slot AS slot,
    e.at_s AS from_s,
    LEAD(e.at_s) OVER (PARTITION BY e.slot ORDER BY e.at_s NULLS LAST) AS to_s,
    LEAD(e.slot) OVER (PARTITION BY e.slot ORDER BY e.at_s NULLS LAST) AS next_slot
  FROM edge AS e
), stated AS (
  SELECT
    l.life_no AS life_no,
    l.node AS node,
    l.slot AS slot,
    l.slot_ticks AS slot_ticks,
    CASE WHEN s.slot IS NULL THEN 'available' ELSE s.state END AS state_then,
    x.from_s AS from_s,
    x.to_s AS to_s
  FROM stretch AS x
  INNER JOIN slot_life AS l
    ON x.slot = l.slot AND l.from_s <= x.from_s AND l.to_s >= x.to_s
  LEFT JOIN slot_state AS s
    ON x.slot = s.slot AND s.from_s <= x.from_s AND s.to_s >= x.to_s
  WHERE
    x.next_slot = x.slot
)
SELECT
  t.life_no AS life_no,
  t.node AS node,
  t.slot AS slot,
  t.slot_ticks AS slot_ticks,
  t.state_then AS state,
  t.from_s AS from_s,
  t.to_s AS to_s
FROM stated AS t
