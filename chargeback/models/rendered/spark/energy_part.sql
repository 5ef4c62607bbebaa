-- Rendered by scripts/render from chargeback/models/energy_part.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- energy_part: whose each device's energy is, by the rows of `time_part`: inside each share by the time of its accounts.
-- Grain: money piece x lane x taker. Keys: lane_no, from_s, taker_no. What has no row has no energy that is known.
-- Units: joules in J; known_ticks, the part of the row's time for which they are known, in 1/720720 of a device-second.
-- Samples of use move energy between the accounts of one holder only; of a lane that is weighed by use, what all who share
-- it have is split as their time is (group_no 0). Splits are running differences.
WITH weighed AS (
  SELECT DISTINCT
    u.lane_no AS lane_no,
    u.from_s AS from_s
  FROM used_share AS u
), alike AS (
  SELECT
    g.lane_no AS lane_no,
    g.from_s AS from_s,
    g.taker_no AS taker_no
  FROM given_part AS g
  INNER JOIN weighed AS w
    ON g.lane_no = w.lane_no AND g.from_s = w.from_s
  WHERE
    g.all_alike = 1
), base AS (
  SELECT
    u.taker_no AS taker_no,
    CASE
      WHEN u.owner = '__account__' AND u.account = 'idle_held'
      THEN CAST(0 AS BIGINT)
      WHEN b.taker_no IS NULL
      THEN u.taker_no
      ELSE b.taker_no
    END AS given_no
  FROM taker AS u
  LEFT JOIN taker AS b
    ON u.claim_no = b.claim_no
    AND u.phase = b.phase
    AND u.state = b.state
    AND b.account = 'held_unobserved'
    AND u.account IN ('used', 'idle_held')
), shared AS (
  SELECT
    s.lane_no AS lane_no,
    s.from_s AS from_s,
    CASE WHEN a.lane_no IS NULL THEN s.taker_no ELSE CAST(0 AS BIGINT) END AS group_no,
    s.joules AS part_joules,
    s.known_ticks AS part_ticks
  FROM energy_share AS s
  LEFT JOIN alike AS a
    ON s.lane_no = a.lane_no AND s.from_s = a.from_s AND s.taker_no = a.taker_no
), grouped AS (
  SELECT
    s.lane_no AS lane_no,
    s.from_s AS from_s,
    s.group_no AS group_no,
    CAST(SUM(s.part_joules) AS BIGINT) AS joules,
    CAST(SUM(s.part_ticks) AS BIGINT) AS group_ticks
  FROM shared AS s
  GROUP BY
    s.lane_no,
    s.from_s,
    s.group_no
), powered AS (
  SELECT DISTINCT
    s.lane_no AS lane_no,
    s.from_s AS from_s
  FROM energy_share AS s
), placed AS (
  SELECT
    t.life_no AS life_no,
    t.lane_no AS lane_no,
    t.from_s AS from_s,
    t.taker_no AS taker_no,
    t.piece_s AS piece_s,
    t.ticks AS ticks,
    t.whole_ticks AS piece_ticks,
    CASE WHEN a.lane_no IS NULL THEN b.given_no ELSE CAST(0 AS BIGINT) END AS group_no
  FROM time_part AS t
  INNER JOIN powered AS w
    ON t.lane_no = w.lane_no AND t.from_s = w.from_s
  INNER JOIN base AS b
    ON t.taker_no = b.taker_no
  LEFT JOIN alike AS a
    ON t.lane_no = a.lane_no AND t.from_s = a.from_s AND b.given_no = a.taker_no
), running AS (
  SELECT
    p.lane_no AS lane_no,
    p.from_s AS from_s,
    p.taker_no AS taker_no,
    p.ticks AS weight,
    (
      p.piece_s DIV 3600 + 7919 * l.slot_no
    ) * CAST(2654435761 AS BIGINT) AS spread,
    g.joules AS joules,
    g.group_ticks AS group_ticks,
    CAST(SUM(p.ticks) OVER (PARTITION BY p.lane_no, p.from_s, p.group_no) AS BIGINT) AS whole,
    CAST(SUM(p.ticks) OVER (
      PARTITION BY p.lane_no, p.from_s, p.group_no
      ORDER BY p.taker_no NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached
  FROM placed AS p
  INNER JOIN grouped AS g
    ON p.lane_no = g.lane_no AND p.from_s = g.from_s AND p.group_no = g.group_no
  INNER JOIN slot_life AS l
    ON p.life_no = l.life_no
  WHERE
    p.ticks < p.piece_ticks
), bounded AS (
  SELECT
    r.lane_no AS lane_no,
    r.from_s AS from_s,
    r.taker_no AS taker_no,
    r.weight AS weight,
    r.whole AS whole,
    r.reached AS reached,
    r.spread % r.whole AS phase,
    r.joules AS part_joules,
    LEAST(r.group_ticks, r.whole) AS sure_ticks
  FROM running AS r
)
SELECT
  p.lane_no AS lane_no,
  p.from_s AS from_s,
  p.taker_no AS taker_no,
  g.joules AS joules,
  LEAST(g.group_ticks, p.ticks) AS known_ticks
FROM placed AS p
INNER JOIN grouped AS g
  ON p.lane_no = g.lane_no AND p.from_s = g.from_s AND p.group_no = g.group_no
WHERE
  p.ticks = p.piece_ticks
UNION ALL
SELECT
  b.lane_no AS lane_no,
  b.from_s AS from_s,
  b.taker_no AS taker_no,
  b.part_joules DIV b.whole * b.weight + (
    b.part_joules % b.whole * b.reached + b.phase
  ) DIV b.whole - (
    b.part_joules % b.whole * (
      b.reached - b.weight
    ) + b.phase
  ) DIV b.whole AS joules,
  b.sure_ticks DIV b.whole * b.weight + (
    b.sure_ticks % b.whole * b.reached + b.phase
  ) DIV b.whole - (
    b.sure_ticks % b.whole * (
      b.reached - b.weight
    ) + b.phase
  ) DIV b.whole AS known_ticks
FROM bounded AS b
