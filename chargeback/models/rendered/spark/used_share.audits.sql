-- Rendered by scripts/render from chargeback/models/used_share.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: what is weighed by use is given out whole.
WITH given AS (
  SELECT
    lane_no,
    from_s,
    SUM(used_ticks + idle_ticks) AS ticks,
    MIN(LEAST(used_ticks, idle_ticks)) AS least_ticks
  FROM used_share
  GROUP BY
    lane_no,
    from_s
), shared AS (
  SELECT
    lane_no,
    from_s,
    SUM(given_ticks) AS ticks
  FROM given_part
  WHERE
    all_alike = 1
  GROUP BY
    lane_no,
    from_s
)
SELECT
  g.lane_no,
  g.from_s
FROM given AS g
LEFT JOIN shared AS s
  ON g.lane_no = s.lane_no AND g.from_s = s.from_s
WHERE
  s.lane_no IS NULL OR s.ticks <> g.ticks OR g.least_ticks < 0
LIMIT 1;
