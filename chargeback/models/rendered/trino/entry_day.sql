-- Rendered by scripts/render from chargeback/models/entry_day.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- entry_day: the entries of a unit summed by local day.
-- Grain: day x layer x lot x pool x account x state x owner x team x cost centre x model x cluster.
-- Units: amount in the currency's quanta.
WITH recognised AS (
  SELECT
    r.day AS day,
    r.lot AS lot,
    r.model AS model,
    CAST(SUM(r.amount) AS BIGINT) AS lot_amount
  FROM recognised_part AS r
  GROUP BY
    r.day,
    r.lot,
    r.model
), summed AS (
  SELECT
    p.charge_no AS charge_no,
    p.life_no AS life_no,
    p.taker_no AS taker_no,
    c.day AS day,
    CAST(SUM(p.amount) AS BIGINT) AS part_amount
  FROM posted AS p
  INNER JOIN calendar_piece AS c
    ON p.piece_s = c.start_s
  GROUP BY
    p.charge_no,
    p.life_no,
    p.taker_no,
    c.day
)
SELECT
  s.day AS day,
  b.charged AS layer,
  n.lot AS lot,
  k.account AS account,
  k.state AS state,
  k.owner AS owner,
  k.team AS team,
  k.cost_centre AS cost_centre,
  l.model AS model,
  l.cluster AS cluster,
  CAST(SUM(s.part_amount) AS BIGINT) AS amount
FROM summed AS s
INNER JOIN slot_life AS l
  ON s.life_no = l.life_no
INNER JOIN taker AS k
  ON s.taker_no = k.taker_no
INNER JOIN charge_name AS n
  ON s.charge_no = n.charge_no
CROSS JOIN book_terms AS b
GROUP BY
  s.day,
  b.charged,
  n.lot,
  k.account,
  k.state,
  k.owner,
  k.team,
  k.cost_centre,
  l.model,
  l.cluster
UNION ALL
SELECT
  r.day AS day,
  'recognised' AS layer,
  r.lot AS lot,
  'clearing' AS account,
  '' AS state,
  '' AS owner,
  '' AS team,
  '' AS cost_centre,
  r.model AS model,
  '' AS cluster,
  r.lot_amount AS amount
FROM recognised AS r
