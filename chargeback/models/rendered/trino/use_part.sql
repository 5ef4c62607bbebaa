-- Rendered by scripts/render from chargeback/models/use_part.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- use_part: what is known of held time: in how much of it the holder was busy, and for how much anything is known.
-- Grain: money piece x lane x taker in held_unobserved. Keys: lane_no, from_s, taker_no.
-- Units: busy_ticks and observed_ticks in 1/720720 of a device-second, busy a part of observed; busy_s and observed_s in
-- seconds of the holder; from_s in UTC seconds.
SELECT
  s.lane_no AS lane_no,
  s.taker_no AS taker_no,
  s.from_s AS from_s,
  CAST(SUM(s.is_busy * (
    s.seen_to_s - s.seen_from_s
  )) AS BIGINT) AS busy_s,
  CAST(SUM(s.seen_to_s - s.seen_from_s) AS BIGINT) AS observed_s,
  CAST(SUM(s.is_busy * s.share_ticks * (
    s.seen_to_s - s.seen_from_s
  )) AS BIGINT) AS busy_ticks,
  CAST(SUM(s.share_ticks * (
    s.seen_to_s - s.seen_from_s
  )) AS BIGINT) AS observed_ticks
FROM seen_part AS s
GROUP BY
  s.lane_no,
  s.taker_no,
  s.from_s
