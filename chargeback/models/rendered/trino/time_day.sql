-- Rendered by scripts/render from chargeback/models/time_day.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- time_day: the time rows of a unit summed by local day.
-- Grain: day x account x state x owner x team x cost centre x model x cluster x whether capacity is assumed.
-- Units: ticks and unpriced_ticks in 1/720720 of a device-second; observed_ticks is the part with known activity.
WITH summed AS (
  SELECT
    t.life_no AS life_no,
    t.taker_no AS taker_no,
    c.day AS day,
    CAST(SUM(t.ticks) AS BIGINT) AS part_ticks,
    CAST(SUM(CASE WHEN p.is_priced = 0 THEN t.ticks ELSE CAST(0 AS BIGINT) END) AS BIGINT) AS part_unpriced_ticks,
    CAST(SUM(t.observed_ticks) AS BIGINT) AS part_observed_ticks
  FROM time_part AS t
  INNER JOIN calendar_piece AS c
    ON t.piece_s = c.start_s
  INNER JOIN price_name AS p
    ON t.price_no = p.price_no
  GROUP BY
    t.life_no,
    t.taker_no,
    c.day
)
SELECT
  s.day AS day,
  k.account AS account,
  k.state AS state,
  k.owner AS owner,
  k.team AS team,
  k.cost_centre AS cost_centre,
  l.model AS model,
  l.cluster AS cluster,
  l.is_assumed AS is_assumed,
  CAST(SUM(s.part_ticks) AS BIGINT) AS ticks,
  CAST(SUM(s.part_unpriced_ticks) AS BIGINT) AS unpriced_ticks,
  CAST(SUM(s.part_observed_ticks) AS BIGINT) AS observed_ticks
FROM summed AS s
INNER JOIN taker AS k
  ON s.taker_no = k.taker_no
INNER JOIN slot_life AS l
  ON s.life_no = l.life_no
GROUP BY
  s.day,
  k.account,
  k.state,
  k.owner,
  k.team,
  k.cost_centre,
  l.model,
  l.cluster,
  l.is_assumed
