-- Rendered by scripts/render from chargeback/models/energy_share.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- energy_share: each device's energy by whose share of its slot's lanes the time was, before what is known of held time.
-- Grain: money piece x lane x taker. Keys: lane_no, from_s, taker_no.
-- Units: joules in J; known_ticks, the time for which they are known, in 1/720720 of a device-second. Splits are running
-- differences over the time that each had while the device sat there, so the parts of a device's energy add up to it.
WITH weighed AS (
  SELECT
    p.cut_no AS cut_no,
    p.from_s AS from_s,
    p.spread AS spread,
    p.seat_ticks AS whole,
    p.joules AS joules,
    p.known_ticks AS known_ticks,
    n.lane_no AS lane_no,
    n.taker_no AS taker_no,
    toInt64(
      SUM(
        (
          LEAST(p.sit_to_s, n.to_s) - GREATEST(p.sit_from_s, n.from_s)
        ) * n.part_ticks
      )
    ) AS weight
  FROM energy_piece AS p
  INNER JOIN share_part AS n
    ON p.life_no = n.life_no AND n.from_s < p.sit_to_s AND n.to_s > p.sit_from_s
  GROUP BY
    p.cut_no,
    p.from_s,
    p.spread,
    p.seat_ticks,
    p.joules,
    p.known_ticks,
    n.lane_no,
    n.taker_no
), running AS (
  SELECT
    w.from_s AS from_s,
    w.spread % w.whole AS phase,
    w.whole AS whole,
    w.joules AS joules,
    w.known_ticks AS known_ticks,
    w.lane_no AS lane_no,
    w.taker_no AS taker_no,
    w.weight AS weight,
    toInt64(
      SUM(w.weight) OVER (
        PARTITION BY w.cut_no
        ORDER BY w.lane_no, w.taker_no
        rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
      )
    ) AS reached
  FROM weighed AS w
  WHERE
    w.weight < w.whole
), split AS (
  SELECT
    w.lane_no AS lane_no,
    w.from_s AS from_s,
    w.taker_no AS taker_no,
    w.joules AS part_joules,
    w.known_ticks AS part_ticks
  FROM weighed AS w
  WHERE
    w.weight = w.whole
  UNION ALL
  SELECT
    r.lane_no AS lane_no,
    r.from_s AS from_s,
    r.taker_no AS taker_no,
    intDiv(toInt64(r.joules), toInt64(r.whole)) * r.weight + intDiv(toInt64(r.joules % r.whole * r.reached + r.phase), toInt64(r.whole)) - intDiv(
      toInt64(r.joules % r.whole * (
        r.reached - r.weight
      ) + r.phase),
      toInt64(r.whole)
    ) AS part_joules,
    intDiv(toInt64(r.known_ticks), toInt64(r.whole)) * r.weight + intDiv(toInt64(r.known_ticks % r.whole * r.reached + r.phase), toInt64(r.whole)) - intDiv(
      toInt64(r.known_ticks % r.whole * (
        r.reached - r.weight
      ) + r.phase),
      toInt64(r.whole)
    ) AS part_ticks
  FROM running AS r
)
SELECT
  s.lane_no AS lane_no,
  s.from_s AS from_s,
  s.taker_no AS taker_no,
  toInt64(SUM(s.part_joules)) AS joules,
  toInt64(SUM(s.part_ticks)) AS known_ticks
FROM split AS s
GROUP BY
  s.lane_no,
  s.from_s,
  s.taker_no
