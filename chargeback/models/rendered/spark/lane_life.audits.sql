-- Rendered by scripts/render from chargeback/models/lane_life.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: the lanes of a slot are the slot, none below 0.
WITH edge AS (
  SELECT
    life_no,
    from_s AS at_s
  FROM lane_life
  UNION
  SELECT
    life_no,
    to_s AS at_s
  FROM lane_life
), stretch AS (
  SELECT
    life_no,
    at_s AS from_s,
    LEAD(at_s) OVER (PARTITION BY life_no ORDER BY at_s NULLS LAST) AS to_s,
    LEAD(life_no) OVER (PARTITION BY life_no ORDER BY at_s NULLS LAST) AS next_no
  FROM edge
), given AS (
  SELECT
    x.life_no,
    x.from_s,
    SUM(v.lane_ticks) AS ticks,
    MIN(v.lane_ticks) AS least_ticks
  FROM stretch AS x
  INNER JOIN lane_life AS v
    ON x.life_no = v.life_no AND v.from_s <= x.from_s AND v.to_s >= x.to_s
  WHERE
    x.next_no = x.life_no
  GROUP BY
    x.life_no,
    x.from_s
)
SELECT
  l.slot,
  g.from_s
FROM given AS g
INNER JOIN slot_life AS l
  ON g.life_no = l.life_no
WHERE
  g.ticks <> l.slot_ticks OR g.least_ticks <= 0
LIMIT 1;
