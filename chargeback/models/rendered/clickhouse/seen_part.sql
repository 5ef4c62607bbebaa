-- Rendered by scripts/render from chargeback/models/seen_part.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- seen_part: each stretch of held time of which something is known, cut by money pieces.
-- Grain: money piece x lane x taker in held_unobserved x stretch of activity. Keys: lane_no, taker_no, seen_from_s.
-- Units: share_ticks in ticks per second; is_busy 1 from the idle threshold on; UTC seconds.
-- Who has a lane for itself is known by what the device, or the partition, reported; who shares one by what was reported
-- of its own processes, `<device>/<run>`: what a shared device does is nobody's alone. A partition is named by its UUID,
-- and in an hour in which nothing is, by its device and number, `<device>#<number>`.
WITH held AS (
  SELECT
    p.life_no AS life_no,
    p.lane_no AS lane_no,
    p.taker_no AS taker_no,
    p.part_ticks AS share_ticks,
    p.is_alike AS is_timed,
    p.from_s AS from_s,
    p.to_s AS to_s,
    v.slot AS slot,
    v.device AS device,
    v.number AS number,
    v.is_whole AS is_whole,
    CASE WHEN p.has_lane = 1 THEN '' ELSE '/' || k.run_name END AS suffix
  FROM share_part AS p
  INNER JOIN lane_life AS v
    ON p.lane_no = v.lane_no
  INNER JOIN taker AS k
    ON p.taker_no = k.taker_no
  WHERE
    p.is_held = 1
), named AS (
  SELECT
    h.life_no AS life_no,
    h.lane_no AS lane_no,
    h.taker_no AS taker_no,
    h.share_ticks AS share_ticks,
    h.is_timed AS is_timed,
    d.device || h.suffix AS subject,
    '' AS instead_of,
    GREATEST(h.from_s, d.from_s) AS part_from_s,
    LEAST(h.to_s, d.to_s) AS part_to_s
  FROM held AS h
  INNER JOIN device_life AS d
    ON h.slot = d.slot AND d.from_s < h.to_s AND d.to_s > h.from_s
  WHERE
    h.is_whole = 1
  UNION ALL
  SELECT
    h.life_no AS life_no,
    h.lane_no AS lane_no,
    h.taker_no AS taker_no,
    h.share_ticks AS share_ticks,
    h.is_timed AS is_timed,
    h.device || h.suffix AS subject,
    '' AS instead_of,
    h.from_s AS part_from_s,
    h.to_s AS part_to_s
  FROM held AS h
  WHERE
    h.is_whole = 0 AND h.device <> ''
  UNION ALL
  SELECT
    h.life_no AS life_no,
    h.lane_no AS lane_no,
    h.taker_no AS taker_no,
    h.share_ticks AS share_ticks,
    h.is_timed AS is_timed,
    d.device || h.number || h.suffix AS subject,
    CASE WHEN h.device = '' THEN '' ELSE h.device || h.suffix END AS instead_of,
    GREATEST(h.from_s, d.from_s) AS part_from_s,
    LEAST(h.to_s, d.to_s) AS part_to_s
  FROM held AS h
  INNER JOIN device_life AS d
    ON h.slot = d.slot AND d.from_s < h.to_s AND d.to_s > h.from_s
  WHERE
    h.is_whole = 0 AND h.number <> ''
), life_day AS (
  SELECT DISTINCT
    m.life_no AS life_no,
    intDiv(toInt64(m.piece_s), toInt64(86400)) AS day_no
  FROM money_piece AS m
), dated AS (
  SELECT
    n.life_no AS life_no,
    n.lane_no AS lane_no,
    n.taker_no AS taker_no,
    n.share_ticks AS share_ticks,
    n.is_timed AS is_timed,
    n.subject AS subject,
    n.instead_of AS instead_of,
    d.day_no AS day_no,
    n.part_from_s AS part_from_s,
    n.part_to_s AS part_to_s
  FROM named AS n
  INNER JOIN life_day AS d
    ON n.life_no = d.life_no
    AND d.day_no * 86400 < n.part_to_s
    AND (
      d.day_no + 1
    ) * 86400 > n.part_from_s
), reported AS (
  SELECT DISTINCT
    a.subject AS subject,
    a.hour_s AS hour_s
  FROM activity AS a
), seen AS (
  SELECT
    n.life_no AS life_no,
    n.lane_no AS lane_no,
    n.taker_no AS taker_no,
    n.share_ticks AS share_ticks,
    n.is_timed AS is_timed,
    a.is_busy AS is_busy,
    intDiv(toInt64(a.hour_s), toInt64(3600)) AS hour_no,
    GREATEST(n.part_from_s, a.start_s) AS known_from_s,
    LEAST(n.part_to_s, a.end_s) AS known_to_s
  FROM activity AS a
  INNER JOIN dated AS n
    ON a.subject = n.subject
    AND intDiv(toInt64(a.hour_s), toInt64(86400)) = n.day_no
    AND n.part_from_s < a.end_s
    AND n.part_to_s > a.start_s
  LEFT JOIN reported AS r
    ON n.instead_of = r.subject AND a.hour_s = r.hour_s
  WHERE
    r.subject IS NULL
)
SELECT
  s.lane_no AS lane_no,
  s.taker_no AS taker_no,
  m.from_s AS from_s,
  s.share_ticks AS share_ticks,
  s.is_timed AS is_timed,
  s.is_busy AS is_busy,
  GREATEST(m.from_s, s.known_from_s) AS seen_from_s,
  LEAST(m.to_s, s.known_to_s) AS seen_to_s
FROM seen AS s
INNER JOIN money_piece AS m
  ON s.life_no = m.life_no
  AND intDiv(toInt64(m.piece_s), toInt64(3600)) = s.hour_no
  AND m.from_s < s.known_to_s
  AND m.to_s > s.known_from_s
