-- Rendered by scripts/render from chargeback/models/lane_life.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- lane_life: what can be held of a slot when: its partitions and what they leave over, or the whole device.
-- Grain: lane x stretch of one set of partitions. Keys: lane_no.
-- Units: lane_no numbers the unit's rows in the order of slot, lane and start; lane_ticks in ticks per second, together
-- the slot's; from_s and to_s in UTC seconds. A partition weighs by the larger of its parts of compute and memory (by the
-- policy mig_share by one of the two), of all there is, or of all that is cut where that is more. What is left over is
-- idle_free where a smallest slice still fits, else stranded; by the policy stranded the partitions take the latter.
WITH edge AS (
  SELECT
    l.life_no AS life_no,
    l.from_s AS at_s
  FROM slot_life AS l
  UNION
  SELECT
    l.life_no AS life_no,
    l.to_s AS at_s
  FROM slot_life AS l
  UNION
  SELECT
    l.life_no AS life_no,
    p.from_s AS at_s
  FROM slot_life AS l
  INNER JOIN partition_life AS p
    ON l.slot = p.slot AND p.from_s > l.from_s AND p.from_s < l.to_s
  UNION
  SELECT
    l.life_no AS life_no,
    p.to_s AS at_s
  FROM slot_life AS l
  INNER JOIN partition_life AS p
    ON l.slot = p.slot AND p.to_s > l.from_s AND p.to_s < l.to_s
), stretch AS (
  SELECT
    e.life_no AS life_no,
    e.at_s AS from_s,
    LEAD(e.at_s) OVER (PARTITION BY e.life_no ORDER BY e.at_s) AS to_s,
    LEAD(e.life_no) OVER (PARTITION BY e.life_no ORDER BY e.at_s) AS next_no
  FROM edge AS e
), part AS (
  SELECT
    x.life_no AS life_no,
    x.from_s AS from_s,
    x.to_s AS to_s,
    p.lane AS lane,
    p.device AS device,
    p.number AS number,
    l.slot_ticks AS slot_ticks,
    l.compute_total AS compute_total,
    l.memory_total AS memory_total,
    p.compute_slices AS compute_slices,
    p.memory_slices AS memory_slices,
    CASE
      WHEN g.mig_share = 1
      THEN p.compute_slices * l.memory_total
      WHEN g.mig_share = 2
      THEN p.memory_slices * l.compute_total
      ELSE GREATEST(p.compute_slices * l.memory_total, p.memory_slices * l.compute_total)
    END AS weight,
    g.stranded AS absorbs
  FROM stretch AS x
  INNER JOIN slot_life AS l
    ON x.life_no = l.life_no
  INNER JOIN partition_life AS p
    ON l.slot = p.slot AND p.from_s <= x.from_s AND p.to_s >= x.to_s
  CROSS JOIN sharing AS g
  WHERE
    x.next_no = x.life_no AND l.is_assumed = 0
), summed AS (
  SELECT
    p.life_no AS life_no,
    p.from_s AS from_s,
    p.to_s AS to_s,
    p.slot_ticks AS slot_ticks,
    p.absorbs AS absorbs,
    p.compute_total * p.memory_total AS full_weight,
    CAST(SUM(p.weight) AS BIGINT) AS set_weight,
    CASE
      WHEN p.compute_total > CAST(SUM(p.compute_slices) AS BIGINT)
      AND p.memory_total > CAST(SUM(p.memory_slices) AS BIGINT)
      THEN CAST(1 AS BIGINT)
      ELSE CAST(0 AS BIGINT)
    END AS is_fitting
  FROM part AS p
  GROUP BY
    p.life_no,
    p.from_s,
    p.to_s,
    p.slot_ticks,
    p.absorbs,
    p.compute_total,
    p.memory_total
), divided AS (
  SELECT
    s.life_no AS life_no,
    s.from_s AS from_s,
    s.to_s AS to_s,
    s.slot_ticks AS slot_ticks,
    s.set_weight AS set_weight,
    s.is_fitting AS is_fitting,
    CASE
      WHEN s.set_weight > s.full_weight OR (
        s.absorbs = 1 AND s.is_fitting = 0
      )
      THEN s.set_weight
      ELSE s.full_weight
    END AS whole_weight
  FROM summed AS s
), running AS (
  SELECT
    p.life_no AS life_no,
    p.from_s AS from_s,
    p.to_s AS to_s,
    p.lane AS lane,
    p.device AS device,
    p.number AS number,
    p.weight AS weight,
    d.slot_ticks AS slot_ticks,
    d.whole_weight AS whole_weight,
    CAST(SUM(p.weight) OVER (
      PARTITION BY p.life_no, p.from_s
      ORDER BY p.lane, p.device
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached
  FROM part AS p
  INNER JOIN divided AS d
    ON p.life_no = d.life_no AND p.from_s = d.from_s
), lane AS (
  SELECT
    r.life_no AS life_no,
    r.lane AS lane,
    r.device AS device,
    r.number AS number,
    CAST(0 AS BIGINT) AS is_whole,
    'idle_free' AS free_account,
    r.slot_ticks * r.reached / r.whole_weight - r.slot_ticks * (
      r.reached - r.weight
    ) / r.whole_weight AS lane_ticks,
    r.from_s AS from_s,
    r.to_s AS to_s
  FROM running AS r
  UNION ALL
  SELECT
    d.life_no AS life_no,
    CONCAT(CAST(l.slot AS VARCHAR), CAST('/rest' AS VARCHAR)) AS lane,
    '' AS device,
    '' AS number,
    CAST(0 AS BIGINT) AS is_whole,
    CASE WHEN d.is_fitting = 1 THEN 'idle_free' ELSE 'stranded' END AS free_account,
    d.slot_ticks - d.slot_ticks * d.set_weight / d.whole_weight AS lane_ticks,
    d.from_s AS from_s,
    d.to_s AS to_s
  FROM divided AS d
  INNER JOIN slot_life AS l
    ON d.life_no = l.life_no
  WHERE
    d.slot_ticks > d.slot_ticks * d.set_weight / d.whole_weight
  UNION ALL
  SELECT
    x.life_no AS life_no,
    l.slot AS lane,
    '' AS device,
    '' AS number,
    CAST(1 AS BIGINT) AS is_whole,
    'idle_free' AS free_account,
    l.slot_ticks AS lane_ticks,
    x.from_s AS from_s,
    x.to_s AS to_s
  FROM stretch AS x
  INNER JOIN slot_life AS l
    ON x.life_no = l.life_no
  LEFT JOIN divided AS d
    ON x.life_no = d.life_no AND x.from_s = d.from_s
  WHERE
    x.next_no = x.life_no AND d.life_no IS NULL
)
SELECT
  CAST(ROW_NUMBER() OVER (ORDER BY l.slot, n.lane, n.from_s, n.device) AS BIGINT) AS lane_no,
  n.life_no AS life_no,
  l.node AS node,
  l.slot AS slot,
  n.lane AS lane,
  n.device AS device,
  n.number AS number,
  n.is_whole AS is_whole,
  n.free_account AS free_account,
  n.lane_ticks AS lane_ticks,
  n.from_s AS from_s,
  n.to_s AS to_s
FROM lane AS n
INNER JOIN slot_life AS l
  ON n.life_no = l.life_no
