-- Rendered by scripts/render from chargeback/models/time_day.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- time_day: the time rows of a unit summed by local day.
-- Grain: day x account x state x owner x team x cost centre x model x cluster x whether capacity is assumed.
-- Units: ticks and unpriced_ticks in 1/720720 of a device-second; observed_ticks is the part with known activity.
WITH summed AS (
  SELECT
    t.life_no AS life_no,
    t.taker_no AS taker_no,
    c.day AS day,
    toInt64(SUM(t.ticks)) AS part_ticks,
    toInt64(SUM(CASE WHEN p.is_priced = 0 THEN t.ticks ELSE toInt64(0) END)) AS part_unpriced_ticks,
    toInt64(SUM(t.observed_ticks)) AS part_observed_ticks
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
  toInt64(SUM(s.part_ticks)) AS ticks,
  toInt64(SUM(s.part_unpriced_ticks)) AS unpriced_ticks,
  toInt64(SUM(s.part_observed_ticks)) AS observed_ticks
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
