-- Rendered by scripts/render from chargeback/models/used_share.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- used_share: shared lanes whose holders a policy weighs by use, where enough is known of each: the time in which any of
-- them was busy by their seconds busy, the rest as idle, apart from them or by the same weights.
-- Grain: money piece x lane x taker in held_unobserved; taker_no 0 is idle time that is nobody's. Keys: lane_no, from_s,
-- taker_no.
-- Units: used_ticks and idle_ticks in 1/720720 of a device-second, by running differences.
WITH timed AS (
  SELECT
    g.lane_no AS lane_no,
    g.from_s AS from_s,
    g.taker_no AS taker_no,
    g.given_ticks AS given_ticks,
    CASE WHEN u.lane_no IS NULL THEN CAST(0 AS BIGINT) ELSE u.busy_s END AS own_busy_s,
    CASE WHEN u.lane_no IS NULL THEN CAST(0 AS BIGINT) ELSE u.observed_s END AS own_observed_s,
    g.held_s * s.coverage_permille AS needed,
    s.time_slicing AS choice
  FROM given_part AS g
  CROSS JOIN sharing AS s
  LEFT JOIN use_part AS u
    ON g.lane_no = u.lane_no AND g.from_s = u.from_s AND g.taker_no = u.taker_no
  WHERE
    g.all_alike = 1 AND s.time_slicing >= 2
), weighed AS (
  SELECT
    t.lane_no AS lane_no,
    t.from_s AS from_s,
    t.choice AS choice,
    CAST(SUM(t.given_ticks) AS BIGINT) AS shared_ticks,
    CAST(SUM(t.own_busy_s) AS BIGINT) AS all_busy_s,
    MIN(
      CASE
        WHEN t.own_observed_s * 1000 >= t.needed
        THEN CAST(1 AS BIGINT)
        ELSE CAST(0 AS BIGINT)
      END
    ) AS is_known
  FROM timed AS t
  GROUP BY
    t.lane_no,
    t.from_s,
    t.choice
), busy AS (
  SELECT
    p.lane_no AS lane_no,
    p.from_s AS from_s,
    p.seen_from_s AS busy_from_s,
    p.seen_to_s AS busy_to_s
  FROM seen_part AS p
  WHERE
    p.is_timed = 1 AND p.is_busy = 1
), edge AS (
  SELECT
    b.lane_no AS lane_no,
    b.from_s AS from_s,
    b.busy_from_s AS at_s
  FROM busy AS b
  UNION
  SELECT
    b.lane_no AS lane_no,
    b.from_s AS from_s,
    b.busy_to_s AS at_s
  FROM busy AS b
), stretch AS (
  SELECT
    e.lane_no AS lane_no,
    e.from_s AS from_s,
    e.at_s AS part_from_s,
    LEAD(e.at_s) OVER (PARTITION BY e.lane_no, e.from_s ORDER BY e.at_s NULLS LAST) AS part_to_s,
    LEAD(e.lane_no) OVER (PARTITION BY e.lane_no, e.from_s ORDER BY e.at_s NULLS LAST) AS next_no
  FROM edge AS e
), covered AS (
  SELECT DISTINCT
    x.lane_no AS lane_no,
    x.from_s AS from_s,
    x.part_from_s AS part_from_s,
    x.part_to_s AS part_to_s
  FROM stretch AS x
  INNER JOIN busy AS b
    ON x.lane_no = b.lane_no
    AND x.from_s = b.from_s
    AND b.busy_from_s <= x.part_from_s
    AND b.busy_to_s >= x.part_to_s
  WHERE
    x.next_no = x.lane_no
), anyone AS (
  SELECT
    c.lane_no AS lane_no,
    c.from_s AS from_s,
    CAST(SUM((
      c.part_to_s - c.part_from_s
    ) * v.lane_ticks) AS BIGINT) AS busy_ticks
  FROM covered AS c
  INNER JOIN lane_life AS v
    ON c.lane_no = v.lane_no
  GROUP BY
    c.lane_no,
    c.from_s
), known AS (
  SELECT
    w.lane_no AS lane_no,
    w.from_s AS from_s,
    w.choice AS choice,
    w.all_busy_s AS all_busy_s,
    CASE WHEN a.lane_no IS NULL THEN CAST(0 AS BIGINT) ELSE a.busy_ticks END AS any_ticks,
    CASE
      WHEN a.lane_no IS NULL
      THEN w.shared_ticks
      ELSE w.shared_ticks - a.busy_ticks
    END AS rest_ticks
  FROM weighed AS w
  LEFT JOIN anyone AS a
    ON w.lane_no = a.lane_no AND w.from_s = a.from_s
  WHERE
    w.is_known = 1 AND (
      w.all_busy_s > 0 OR w.choice = 2
    )
), running AS (
  SELECT
    t.lane_no AS lane_no,
    t.from_s AS from_s,
    t.taker_no AS taker_no,
    t.own_busy_s AS weight,
    k.all_busy_s AS whole,
    k.choice AS choice,
    k.any_ticks AS any_ticks,
    k.rest_ticks AS rest_ticks,
    CAST(SUM(t.own_busy_s) OVER (
      PARTITION BY t.lane_no, t.from_s
      ORDER BY t.taker_no NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached
  FROM timed AS t
  INNER JOIN known AS k
    ON t.lane_no = k.lane_no AND t.from_s = k.from_s
)
SELECT
  r.lane_no AS lane_no,
  r.from_s AS from_s,
  r.taker_no AS taker_no,
  CASE
    WHEN r.whole = 0
    THEN CAST(0 AS BIGINT)
    ELSE r.any_ticks * r.reached DIV r.whole - r.any_ticks * (
      r.reached - r.weight
    ) DIV r.whole
  END AS used_ticks,
  CASE
    WHEN r.choice = 2
    THEN CAST(0 AS BIGINT)
    ELSE r.rest_ticks * r.reached DIV r.whole - r.rest_ticks * (
      r.reached - r.weight
    ) DIV r.whole
  END AS idle_ticks
FROM running AS r
UNION ALL
SELECT
  k.lane_no AS lane_no,
  k.from_s AS from_s,
  CAST(0 AS BIGINT) AS taker_no,
  CAST(0 AS BIGINT) AS used_ticks,
  k.rest_ticks AS idle_ticks
FROM known AS k
WHERE
  k.choice = 2
