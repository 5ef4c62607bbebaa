-- Rendered by scripts/render from chargeback/models/orphaned_time.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- orphaned_time: what holdings claim where no slot is: outside the life of their slot, on a node without a free one.
-- Grain: cluster. Keys: cluster. Units: ticks, in 1/720720 of a device-second.
-- What is claimed of a slot, or of free slots, that others claim too is contested or shared, and not orphaned.
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
    ON g.slot = h.slot AND h.from_s <= g.from_s AND h.to_s >= g.to_s
  WHERE
    h.slot IS NULL AND g.state = 'available'
), free_node AS (
  SELECT DISTINCT
    l.cluster AS cluster,
    f.node AS node,
    f.from_s AS from_s,
    f.to_s AS to_s
  FROM free AS f
  INNER JOIN slot_life AS l
    ON f.life_no = l.life_no
), found AS (
  SELECT
    l.cluster AS cluster,
    h.held_ticks * (
      g.to_s - g.from_s
    ) AS found_ticks
  FROM segment AS g
  INNER JOIN holder AS h
    ON g.slot = h.slot AND h.from_s <= g.from_s AND h.to_s >= g.to_s
  INNER JOIN slot_life AS l
    ON g.life_no = l.life_no
  UNION ALL
  SELECT
    n.cluster AS cluster,
    h.held_ticks * (
      n.to_s - n.from_s
    ) AS found_ticks
  FROM free_node AS n
  INNER JOIN holder AS h
    ON n.node = h.node AND h.from_s <= n.from_s AND h.to_s >= n.to_s
  WHERE
    h.slot = ''
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
