-- Rendered by scripts/render from chargeback/models/orphaned_time.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- orphaned_time: what holdings claim where nothing is: outside the life of their slot or partition, while their device is
-- elsewhere, on a node without a free slot.
-- Grain: cluster. Keys: cluster. Units: ticks, in 1/720720 of a device-second.
-- What is claimed of a lane, or of free slots, that others claim too is contested or shared, and not orphaned.
WITH claimed AS (
  SELECT
    h.cluster AS cluster,
    h.claimed_ticks * (
      h.to_s - h.from_s
    ) AS part_claimed
  FROM holding_claim AS h
), free AS (
  SELECT DISTINCT
    g.life_no AS life_no,
    g.node AS node,
    g.from_s AS from_s,
    g.to_s AS to_s
  FROM segment AS g
  LEFT JOIN holder AS h
    ON g.lane_no = h.lane_no AND h.from_s <= g.from_s AND h.to_s >= g.to_s
  WHERE
    h.lane_no IS NULL AND g.state = 'available' AND g.is_whole = 1
), free_node AS (
  SELECT DISTINCT
    l.cluster AS cluster,
    f.node AS node,
    f.from_s AS from_s,
    f.to_s AS to_s
  FROM free AS f
  INNER JOIN slot_life AS l
    ON f.life_no = l.life_no
), unplaced AS (
  SELECT
    p.node AS node,
    p.claimed_ticks AS claimed_ticks,
    p.from_s AS from_s,
    p.to_s AS to_s
  FROM placement AS p
  WHERE
    p.slot = '' AND p.lane = ''
), found AS (
  SELECT
    p.cluster AS cluster,
    p.claimed_ticks * (
      LEAST(p.to_s, l.to_s) - GREATEST(p.from_s, l.from_s)
    ) AS found_ticks
  FROM placement AS p
  INNER JOIN slot_life AS l
    ON p.slot = l.slot AND l.from_s < p.to_s AND l.to_s > p.from_s
  WHERE
    p.lane = ''
  UNION ALL
  SELECT
    p.cluster AS cluster,
    p.claimed_ticks * (
      LEAST(p.to_s, v.to_s) - GREATEST(p.from_s, v.from_s)
    ) AS found_ticks
  FROM placement AS p
  INNER JOIN lane_life AS v
    ON p.lane = v.lane AND v.from_s < p.to_s AND v.to_s > p.from_s
  WHERE
    p.lane <> ''
  UNION ALL
  SELECT
    n.cluster AS cluster,
    u.claimed_ticks * (
      LEAST(n.to_s, u.to_s) - GREATEST(n.from_s, u.from_s)
    ) AS found_ticks
  FROM free_node AS n
  INNER JOIN unplaced AS u
    ON n.node = u.node AND u.from_s < n.to_s AND u.to_s > n.from_s
), balance AS (
  SELECT
    c.cluster AS cluster,
    c.part_claimed AS part_ticks
  FROM claimed AS c
  UNION ALL
  SELECT
    f.cluster AS cluster,
    0 - f.found_ticks AS part_ticks
  FROM found AS f
)
SELECT
  b.cluster AS cluster,
  CAST(SUM(b.part_ticks) AS BIGINT) AS ticks
FROM balance AS b
GROUP BY
  b.cluster
