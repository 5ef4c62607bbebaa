-- Rendered by scripts/render from chargeback/models/holder.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- holder: who holds a lane, or units of a node, over which stretch, whose team that is at the time, and in which phase.
-- Grain: placement x lane x stretch of one team and phase. lane_no 0 is a claim on the node's free slots.
-- A claim on a slot that is cut into partitions is one on each of its lanes.
-- Units: held_ticks and cap_ticks as in holding_claim (of one lane, or of all the units claimed on the node); from_s and
-- to_s in UTC seconds.
WITH laned AS (
  SELECT
    v.lane_no AS lane_no,
    p.node AS node,
    p.run AS run,
    p.run_name AS run_name,
    p.who_no AS who_no,
    p.is_exclusive AS is_exclusive,
    p.held_ticks AS held_ticks,
    p.cap_ticks AS cap_ticks,
    p.is_equal AS is_equal,
    GREATEST(p.from_s, v.from_s) AS claim_from_s,
    LEAST(p.to_s, v.to_s) AS claim_to_s
  FROM placement AS p
  INNER JOIN lane_life AS v
    ON p.slot = v.slot AND v.from_s < p.to_s AND v.to_s > p.from_s
  WHERE
    p.lane = '' AND p.slot <> ''
  UNION ALL
  SELECT
    v.lane_no AS lane_no,
    p.node AS node,
    p.run AS run,
    p.run_name AS run_name,
    p.who_no AS who_no,
    p.is_exclusive AS is_exclusive,
    p.held_ticks AS held_ticks,
    p.cap_ticks AS cap_ticks,
    p.is_equal AS is_equal,
    GREATEST(p.from_s, v.from_s) AS claim_from_s,
    LEAST(p.to_s, v.to_s) AS claim_to_s
  FROM placement AS p
  INNER JOIN lane_life AS v
    ON p.lane = v.lane AND v.from_s < p.to_s AND v.to_s > p.from_s
  WHERE
    p.lane <> ''
  UNION ALL
  SELECT
    toInt64(0) AS lane_no,
    p.node AS node,
    p.run AS run,
    p.run_name AS run_name,
    p.who_no AS who_no,
    p.is_exclusive AS is_exclusive,
    p.held_ticks AS held_ticks,
    p.cap_ticks AS cap_ticks,
    p.is_equal AS is_equal,
    p.from_s AS claim_from_s,
    p.to_s AS claim_to_s
  FROM placement AS p
  WHERE
    p.lane = '' AND p.slot = ''
), owned AS (
  SELECT
    c.lane_no AS lane_no,
    c.node AS node,
    c.run AS run,
    c.run_name AS run_name,
    o.owner AS owner,
    o.team AS team,
    o.cost_centre AS cost_centre,
    c.is_exclusive AS is_exclusive,
    c.held_ticks AS held_ticks,
    c.cap_ticks AS cap_ticks,
    c.is_equal AS is_equal,
    GREATEST(c.claim_from_s, o.from_s) AS owned_from_s,
    LEAST(c.claim_to_s, o.to_s) AS owned_to_s
  FROM laned AS c
  INNER JOIN owner_span AS o
    ON c.who_no = o.who_no AND o.from_s < c.claim_to_s AND o.to_s > c.claim_from_s
), phased AS (
  SELECT
    n.lane_no AS lane_no,
    n.node AS node,
    n.run AS run,
    n.run_name AS run_name,
    n.owner AS owner,
    n.team AS team,
    n.cost_centre AS cost_centre,
    CASE WHEN s.run IS NULL THEN '' ELSE s.phase END AS phase_then,
    n.is_exclusive AS is_exclusive,
    n.held_ticks AS held_ticks,
    n.cap_ticks AS cap_ticks,
    n.is_equal AS is_equal,
    CASE
      WHEN s.run IS NULL
      THEN n.owned_from_s
      ELSE GREATEST(n.owned_from_s, s.from_s)
    END AS held_from_s,
    CASE WHEN s.run IS NULL THEN n.owned_to_s ELSE LEAST(n.owned_to_s, s.to_s) END AS held_to_s
  FROM owned AS n
  LEFT JOIN phase_span AS s
    ON n.run = s.run AND s.from_s < n.owned_to_s AND s.to_s > n.owned_from_s
)
SELECT
  p.lane_no AS lane_no,
  p.node AS node,
  p.run AS run,
  p.run_name AS run_name,
  p.owner AS owner,
  p.team AS team,
  p.cost_centre AS cost_centre,
  p.phase_then AS phase,
  p.is_exclusive AS is_exclusive,
  p.held_ticks AS held_ticks,
  p.cap_ticks AS cap_ticks,
  p.is_equal AS is_equal,
  p.held_from_s AS from_s,
  p.held_to_s AS to_s
FROM phased AS p
