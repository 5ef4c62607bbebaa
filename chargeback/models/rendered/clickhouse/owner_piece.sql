-- Rendered by scripts/render from chargeback/models/owner_piece.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- owner_piece: what distribution goes by: the money that no team owns, and what each owner was charged and held.
-- Grain: piece x lot x model x region x cluster x account x state for what is __account__'s, with money alone;
-- piece x model x region x owner x team x cost centre for what owners have, its other columns empty.
-- Units: amount in the currency's quanta; ticks in 1/720720 of a device-second; piece_s, from_s and to_s in UTC
-- seconds. from_s to to_s is all of the pool's time in the piece that the unit knows of.
WITH part AS (
  SELECT
    p.charge_no AS charge_no,
    p.life_no AS life_no,
    p.taker_no AS taker_no,
    p.piece_s AS piece_s,
    p.amount AS amount,
    toInt64(0) AS ticks
  FROM posted AS p
  UNION ALL
  SELECT
    toInt64(0) AS charge_no,
    t.life_no AS life_no,
    t.taker_no AS taker_no,
    t.piece_s AS piece_s,
    toInt64(0) AS amount,
    t.ticks AS ticks
  FROM time_part AS t
), summed AS (
  SELECT
    p.charge_no AS charge_no,
    p.life_no AS life_no,
    p.taker_no AS taker_no,
    p.piece_s AS piece_s,
    toInt64(SUM(p.amount)) AS part_amount,
    toInt64(SUM(p.ticks)) AS part_ticks
  FROM part AS p
  GROUP BY
    p.charge_no,
    p.life_no,
    p.taker_no,
    p.piece_s
), bounds AS (
  SELECT
    l.model AS model,
    l.region AS region,
    m.piece_s AS piece_s,
    MIN(m.from_s) AS first_s,
    MAX(m.to_s) AS last_s
  FROM money_piece AS m
  INNER JOIN slot_life AS l
    ON m.life_no = l.life_no
  GROUP BY
    l.model,
    l.region,
    m.piece_s
), merged AS (
  SELECT
    s.piece_s AS piece_s,
    n.lot AS lot,
    l.model AS model,
    l.region AS region,
    l.cluster AS cluster,
    k.account AS account,
    k.state AS state,
    k.owner AS owner,
    k.team AS team,
    k.cost_centre AS cost_centre,
    toInt64(SUM(s.part_amount)) AS amount,
    toInt64(0) AS ticks
  FROM summed AS s
  INNER JOIN slot_life AS l
    ON s.life_no = l.life_no
  INNER JOIN taker AS k
    ON s.taker_no = k.taker_no
  INNER JOIN charge_name AS n
    ON s.charge_no = n.charge_no
  WHERE
    k.owner = '__account__'
  GROUP BY
    s.piece_s,
    n.lot,
    l.model,
    l.region,
    l.cluster,
    k.account,
    k.state,
    k.owner,
    k.team,
    k.cost_centre
  HAVING
    toInt64(SUM(s.part_amount)) <> 0
  UNION ALL
  SELECT
    s.piece_s AS piece_s,
    '' AS lot,
    l.model AS model,
    l.region AS region,
    '' AS cluster,
    '' AS account,
    '' AS state,
    k.owner AS owner,
    k.team AS team,
    k.cost_centre AS cost_centre,
    toInt64(SUM(s.part_amount)) AS amount,
    toInt64(SUM(s.part_ticks)) AS ticks
  FROM summed AS s
  INNER JOIN slot_life AS l
    ON s.life_no = l.life_no
  INNER JOIN taker AS k
    ON s.taker_no = k.taker_no
  WHERE
    k.owner <> '__account__'
  GROUP BY
    s.piece_s,
    l.model,
    l.region,
    k.owner,
    k.team,
    k.cost_centre
)
SELECT
  m.piece_s AS piece_s,
  b.first_s AS from_s,
  b.last_s AS to_s,
  c.utc_day AS utc_day,
  c.day AS day,
  m.lot AS lot,
  m.model AS model,
  m.region AS region,
  m.cluster AS cluster,
  m.account AS account,
  m.state AS state,
  m.owner AS owner,
  m.team AS team,
  m.cost_centre AS cost_centre,
  m.amount AS amount,
  m.ticks AS ticks
FROM merged AS m
INNER JOIN calendar_piece AS c
  ON m.piece_s = c.start_s
INNER JOIN bounds AS b
  ON m.piece_s = b.piece_s AND m.model = b.model AND m.region = b.region
