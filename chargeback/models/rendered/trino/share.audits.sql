-- Rendered by scripts/render from chargeback/models/share.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: the shares of a segment are its lane, none below 0.
WITH given AS (
  SELECT
    lane_no,
    from_s,
    SUM(share_ticks) AS ticks,
    MIN(share_ticks) AS least_ticks
  FROM share
  GROUP BY
    lane_no,
    from_s
)
SELECT
  g.slot,
  g.from_s
FROM segment AS g
LEFT JOIN given AS s
  ON g.lane_no = s.lane_no AND g.from_s = s.from_s
WHERE
  s.lane_no IS NULL OR s.ticks <> g.lane_ticks OR s.least_ticks < 0
LIMIT 1;
