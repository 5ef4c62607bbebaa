-- Rendered by scripts/render from chargeback/models/segment.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- segment: each lane's life cut where its slot's state or the set of its holders changes, among its node's unplaced claims too.
-- Grain: lane x segment. Keys: lane_no, from_s.
-- Units: lane_ticks in ticks per second; from_s and to_s in UTC seconds.
WITH unplaced_node AS (
  SELECT DISTINCT
    h.node AS node
  FROM holder AS h
  WHERE
    h.lane_no = 0
), whole AS (
  SELECT
    v.lane_no AS lane_no,
    v.node AS node,
    v.slot AS slot,
    v.from_s AS from_s,
    v.to_s AS to_s
  FROM lane_life AS v
  INNER JOIN unplaced_node AS u
    ON v.node = u.node
  WHERE
    v.is_whole = 1
), node_edge AS (
  SELECT
    h.node AS node,
    h.from_s AS at_s
  FROM holder AS h
  INNER JOIN unplaced_node AS u
    ON h.node = u.node
  UNION DISTINCT
  SELECT
    h.node AS node,
    h.to_s AS at_s
  FROM holder AS h
  INNER JOIN unplaced_node AS u
    ON h.node = u.node
  UNION DISTINCT
  SELECT
    w.node AS node,
    w.from_s AS at_s
  FROM whole AS w
  UNION DISTINCT
  SELECT
    w.node AS node,
    w.to_s AS at_s
  FROM whole AS w
  UNION DISTINCT
  SELECT
    w.node AS node,
    s.from_s AS at_s
  FROM whole AS w
  INNER JOIN slot_state AS s
    ON w.slot = s.slot
  UNION DISTINCT
  SELECT
    w.node AS node,
    s.to_s AS at_s
  FROM whole AS w
  INNER JOIN slot_state AS s
    ON w.slot = s.slot
), edge AS (
  SELECT
    v.lane_no AS lane_no,
    v.from_s AS at_s
  FROM lane_life AS v
  UNION DISTINCT
  SELECT
    v.lane_no AS lane_no,
    v.to_s AS at_s
  FROM lane_life AS v
  UNION DISTINCT
  SELECT
    h.lane_no AS lane_no,
    h.from_s AS at_s
  FROM holder AS h
  WHERE
    h.lane_no > 0
  UNION DISTINCT
  SELECT
    h.lane_no AS lane_no,
    h.to_s AS at_s
  FROM holder AS h
  WHERE
    h.lane_no > 0
  UNION DISTINCT
  SELECT
    v.lane_no AS lane_no,
    s.from_s AS at_s
  FROM lane_life AS v
  INNER JOIN slot_state AS s
    ON v.slot = s.slot AND s.from_s > v.from_s AND s.from_s < v.to_s
  UNION DISTINCT
  SELECT
    v.lane_no AS lane_no,
    s.to_s AS at_s
  FROM lane_life AS v
  INNER JOIN slot_state AS s
    ON v.slot = s.slot AND s.to_s > v.from_s AND s.to_s < v.to_s
  UNION DISTINCT
  SELECT
    w.lane_no AS lane_no,
    n.at_s AS at_s
  FROM whole AS w
  INNER JOIN node_edge AS n
    ON w.node = n.node
  WHERE
    n.at_s > w.from_s AND n.at_s < w.to_s
), stretch AS (
  SELECT
    e.lane_no AS lane_no,
    e.at_s AS from_s,
    lead(e.at_s) OVER (PARTITION BY e.lane_no ORDER BY e.at_s) AS to_s,
    lead(e.lane_no) OVER (PARTITION BY e.lane_no ORDER BY e.at_s) AS next_no
  FROM edge AS e
), stated AS (
  SELECT
    x.lane_no AS lane_no,
    v.life_no AS life_no,
    v.node AS node,
    v.slot AS slot,
    v.is_whole AS is_whole,
    v.free_account AS free_account,
    v.lane_ticks AS lane_ticks,
    CASE WHEN s.slot IS NULL THEN 'available' ELSE s.state END AS state_then,
    x.from_s AS from_s,
    x.to_s AS to_s
  FROM stretch AS x
  INNER JOIN lane_life AS v
    ON x.lane_no = v.lane_no
  LEFT JOIN slot_state AS s
    ON v.slot = s.slot AND s.from_s <= x.from_s AND s.to_s >= x.to_s
  WHERE
    x.next_no = x.lane_no
)
SELECT
  t.lane_no AS lane_no,
  t.life_no AS life_no,
  t.node AS node,
  t.slot AS slot,
  t.is_whole AS is_whole,
  t.free_account AS free_account,
  t.lane_ticks AS lane_ticks,
  t.state_then AS state,
  t.from_s AS from_s,
  t.to_s AS to_s
FROM stated AS t
