-- Rendered by scripts/render from chargeback/models/share_part.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- share_part: what `share` says, in numbers.
-- Grain: segment x taker. Keys: lane_no, from_s, taker_no.
-- Units: part_ticks in ticks per second; UTC seconds. Held time stands under its taker in held_unobserved, is_held 1.
-- A run that claims a lane for two owners at once has one taker there, `__conflict__`.
SELECT
  s.life_no AS life_no,
  s.lane_no AS lane_no,
  s.from_s AS from_s,
  s.to_s AS to_s,
  k.claim_no AS claim_no,
  k.taker_no AS taker_no,
  CAST(CASE WHEN s.account = 'held' THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS BIGINT) AS is_held,
  MIN(s.is_sole) AS has_lane,
  MIN(s.is_timed) AS is_alike,
  CAST(SUM(s.share_ticks) AS BIGINT) AS part_ticks
FROM share AS s
INNER JOIN taker AS k
  ON s.run = k.run
  AND s.owner = k.owner
  AND s.team = k.team
  AND s.cost_centre = k.cost_centre
  AND s.phase = k.phase
  AND s.state = k.state
  AND k.account = CASE WHEN s.account = 'held' THEN 'held_unobserved' ELSE s.account END
GROUP BY
  s.life_no,
  s.lane_no,
  s.from_s,
  s.to_s,
  k.claim_no,
  k.taker_no,
  CAST(CASE WHEN s.account = 'held' THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS BIGINT)
