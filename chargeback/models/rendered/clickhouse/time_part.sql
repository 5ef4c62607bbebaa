-- Rendered by scripts/render from chargeback/models/time_part.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- time_part: whose each slot's time is, in numbers: what `time_row` says in words.
-- Grain: money piece x lane x taker. Keys: lane_no, from_s, taker_no.
-- Units: ticks, in 1/720720 of a device-second; observed_ticks, the part of it for which activity is known; whole_ticks,
-- the time of the whole money piece; UTC seconds.
-- Held time is used, idle_held or held_unobserved by what is known of it, where that is enough: else all of it is
-- held_unobserved, and observed_ticks says how much was known. Lanes that are weighed by use are as used_share says.
WITH weighed AS (
  SELECT DISTINCT
    u.lane_no AS lane_no,
    u.from_s AS from_s
  FROM used_share AS u
), told AS (
  SELECT
    g.life_no AS life_no,
    g.lane_no AS lane_no,
    g.claim_no AS claim_no,
    g.taker_no AS taker_no,
    g.price_no AS price_no,
    g.piece_s AS piece_s,
    g.from_s AS from_s,
    g.to_s AS to_s,
    g.whole_ticks AS whole_ticks,
    g.given_ticks AS given_ticks,
    CASE WHEN u.lane_no IS NULL THEN toInt64(0) ELSE u.busy_ticks END AS busy_part,
    CASE WHEN u.lane_no IS NULL THEN toInt64(0) ELSE u.observed_ticks END AS known_part,
    CASE
      WHEN u.lane_no IS NULL
      THEN toInt64(0)
      WHEN u.observed_ticks * 1000 >= g.given_ticks * s.coverage_permille
      THEN toInt64(1)
      ELSE toInt64(0)
    END AS is_known
  FROM given_part AS g
  CROSS JOIN sharing AS s
  LEFT JOIN use_part AS u
    ON g.lane_no = u.lane_no AND g.from_s = u.from_s AND g.taker_no = u.taker_no
  LEFT JOIN weighed AS w
    ON g.lane_no = w.lane_no AND g.from_s = w.from_s AND g.all_alike = 1
  WHERE
    w.lane_no IS NULL
), known_taker AS (
  SELECT
    b.taker_no AS taker_no,
    u.taker_no AS known_no,
    u.account AS account
  FROM taker AS b
  INNER JOIN taker AS u
    ON b.claim_no = u.claim_no AND b.phase = u.phase AND b.state = u.state
  WHERE
    b.account = 'held_unobserved' AND u.account IN ('used', 'idle_held')
), piece AS (
  SELECT
    g.life_no AS life_no,
    g.lane_no AS lane_no,
    g.price_no AS price_no,
    g.piece_s AS piece_s,
    g.from_s AS from_s,
    g.to_s AS to_s,
    g.whole_ticks AS whole_ticks
  FROM given_part AS g
  WHERE
    g.all_alike = 1
  GROUP BY
    g.life_no,
    g.lane_no,
    g.price_no,
    g.piece_s,
    g.from_s,
    g.to_s,
    g.whole_ticks
), split AS (
  SELECT
    t.life_no AS life_no,
    t.lane_no AS lane_no,
    t.taker_no AS taker_no,
    t.price_no AS price_no,
    t.piece_s AS piece_s,
    t.from_s AS from_s,
    t.to_s AS to_s,
    t.whole_ticks AS whole_ticks,
    CASE WHEN t.is_known = 1 THEN t.given_ticks - t.known_part ELSE t.given_ticks END AS ticks,
    CASE WHEN t.is_known = 1 THEN toInt64(0) ELSE t.known_part END AS observed_ticks
  FROM told AS t
  UNION ALL
  SELECT
    t.life_no AS life_no,
    t.lane_no AS lane_no,
    k.known_no AS taker_no,
    t.price_no AS price_no,
    t.piece_s AS piece_s,
    t.from_s AS from_s,
    t.to_s AS to_s,
    t.whole_ticks AS whole_ticks,
    CASE WHEN k.account = 'used' THEN t.busy_part ELSE t.known_part - t.busy_part END AS ticks,
    CASE WHEN k.account = 'used' THEN t.busy_part ELSE t.known_part - t.busy_part END AS observed_ticks
  FROM told AS t
  INNER JOIN known_taker AS k
    ON t.taker_no = k.taker_no
  WHERE
    t.is_known = 1
  UNION ALL
  SELECT
    p.life_no AS life_no,
    p.lane_no AS lane_no,
    k.known_no AS taker_no,
    p.price_no AS price_no,
    p.piece_s AS piece_s,
    p.from_s AS from_s,
    p.to_s AS to_s,
    p.whole_ticks AS whole_ticks,
    CASE WHEN k.account = 'used' THEN u.used_ticks ELSE u.idle_ticks END AS ticks,
    CASE WHEN k.account = 'used' THEN u.used_ticks ELSE u.idle_ticks END AS observed_ticks
  FROM used_share AS u
  INNER JOIN piece AS p
    ON u.lane_no = p.lane_no AND u.from_s = p.from_s
  INNER JOIN known_taker AS k
    ON u.taker_no = k.taker_no
  UNION ALL
  SELECT
    p.life_no AS life_no,
    p.lane_no AS lane_no,
    k.taker_no AS taker_no,
    p.price_no AS price_no,
    p.piece_s AS piece_s,
    p.from_s AS from_s,
    p.to_s AS to_s,
    p.whole_ticks AS whole_ticks,
    u.idle_ticks AS ticks,
    u.idle_ticks AS observed_ticks
  FROM used_share AS u
  INNER JOIN piece AS p
    ON u.lane_no = p.lane_no AND u.from_s = p.from_s
  INNER JOIN taker AS k
    ON u.taker_no = 0 AND k.owner = '__account__' AND k.account = 'idle_held'
)
SELECT
  s.life_no AS life_no,
  s.lane_no AS lane_no,
  k.claim_no AS claim_no,
  s.taker_no AS taker_no,
  s.price_no AS price_no,
  s.piece_s AS piece_s,
  s.from_s AS from_s,
  s.to_s AS to_s,
  s.whole_ticks AS whole_ticks,
  s.ticks AS ticks,
  s.observed_ticks AS observed_ticks
FROM split AS s
INNER JOIN taker AS k
  ON s.taker_no = k.taker_no
WHERE
  s.ticks > 0
