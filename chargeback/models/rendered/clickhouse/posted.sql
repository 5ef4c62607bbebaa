-- Rendered by scripts/render from chargeback/models/posted.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- posted: each slot's money by whose time it was: first over claims (lane, run, owner), then inside each over accounts.
-- Grain: lot or pool x money piece x lane x taker. Keys: charge_no, lane_no, from_s, taker_no.
-- Units: amount in the currency's quanta; weights in ticks. Splits are running differences with the phase
-- (hour + 7919 * slot number) * 2654435761 mod W, so that no key is favoured; samples never move an owner's money.
-- A row that has all of its money piece takes all of the amount: that is what both splits give it.
WITH shared AS (
  SELECT
    t.life_no AS life_no,
    t.lane_no AS lane_no,
    t.claim_no AS claim_no,
    t.taker_no AS taker_no,
    t.piece_s AS piece_s,
    t.from_s AS from_s,
    t.ticks AS ticks,
    t.whole_ticks AS whole,
    (
      intDiv(toInt64(t.piece_s), toInt64(3600)) + 7919 * l.slot_no
    ) * toInt64(2654435761) AS spread
  FROM time_part AS t
  INNER JOIN slot_life AS l
    ON t.life_no = l.life_no
  WHERE
    t.ticks < t.whole_ticks
), claim_time AS (
  SELECT
    s.life_no AS life_no,
    s.lane_no AS lane_no,
    s.claim_no AS claim_no,
    s.from_s AS from_s,
    s.whole AS whole,
    s.spread AS spread,
    toInt64(SUM(s.ticks)) AS weight
  FROM shared AS s
  GROUP BY
    s.life_no,
    s.lane_no,
    s.claim_no,
    s.from_s,
    s.whole,
    s.spread
), first_running AS (
  SELECT
    a.charge_no AS charge_no,
    h.life_no AS life_no,
    h.lane_no AS lane_no,
    h.claim_no AS claim_no,
    h.from_s AS from_s,
    h.whole AS whole,
    h.spread AS spread,
    h.weight AS weight,
    CASE WHEN a.amount < 0 THEN -toInt64(1) ELSE toInt64(1) END AS sign,
    toInt64(ABS(a.amount)) AS part_amount,
    toInt64(
      SUM(h.weight) OVER (
        PARTITION BY a.charge_no, h.life_no, h.from_s
        ORDER BY h.lane_no, h.claim_no
        rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
      )
    ) AS reached
  FROM slot_amount AS a
  INNER JOIN claim_time AS h
    ON a.life_no = h.life_no AND a.from_s = h.from_s
), first_split AS (
  SELECT
    r.charge_no AS charge_no,
    r.life_no AS life_no,
    r.lane_no AS lane_no,
    r.claim_no AS claim_no,
    r.from_s AS from_s,
    r.spread AS spread,
    r.sign AS sign,
    r.weight AS weight,
    intDiv(toInt64(r.part_amount), toInt64(r.whole)) * r.weight + intDiv(
      toInt64(r.part_amount % r.whole * r.reached + r.spread % r.whole),
      toInt64(r.whole)
    ) - intDiv(
      toInt64(r.part_amount % r.whole * (
        r.reached - r.weight
      ) + r.spread % r.whole),
      toInt64(r.whole)
    ) AS amount
  FROM first_running AS r
), second_running AS (
  SELECT
    f.charge_no AS charge_no,
    f.sign AS sign,
    f.amount AS part_amount,
    f.weight AS whole,
    f.spread AS spread,
    s.life_no AS life_no,
    s.lane_no AS lane_no,
    s.taker_no AS taker_no,
    s.piece_s AS piece_s,
    s.from_s AS from_s,
    s.ticks AS weight,
    toInt64(
      SUM(s.ticks) OVER (
        PARTITION BY f.charge_no, s.life_no, s.from_s, s.lane_no, s.claim_no
        ORDER BY s.taker_no
        rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
      )
    ) AS reached
  FROM first_split AS f
  INNER JOIN shared AS s
    ON f.life_no = s.life_no
    AND f.from_s = s.from_s
    AND f.lane_no = s.lane_no
    AND f.claim_no = s.claim_no
)
SELECT
  a.charge_no AS charge_no,
  t.life_no AS life_no,
  t.lane_no AS lane_no,
  t.taker_no AS taker_no,
  t.piece_s AS piece_s,
  t.from_s AS from_s,
  a.amount AS amount
FROM time_part AS t
INNER JOIN slot_amount AS a
  ON t.life_no = a.life_no AND t.from_s = a.from_s
WHERE
  t.ticks = t.whole_ticks
UNION ALL
SELECT
  r.charge_no AS charge_no,
  r.life_no AS life_no,
  r.lane_no AS lane_no,
  r.taker_no AS taker_no,
  r.piece_s AS piece_s,
  r.from_s AS from_s,
  r.sign * (
    intDiv(toInt64(r.part_amount), toInt64(r.whole)) * r.weight + intDiv(
      toInt64(r.part_amount % r.whole * r.reached + r.spread % r.whole),
      toInt64(r.whole)
    ) - intDiv(
      toInt64(r.part_amount % r.whole * (
        r.reached - r.weight
      ) + r.spread % r.whole),
      toInt64(r.whole)
    )
  ) AS amount
FROM second_running AS r
