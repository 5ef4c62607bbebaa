-- Rendered by scripts/render from chargeback/models/resource_piece.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- resource_piece: what distribution goes by of what nodes have besides GPUs: what nobody asked for, and what owners were
-- charged. All nodes are one window.
-- Grain: piece x lot x cluster x account for what is __account__'s; piece x owner x team x cost centre for what owners
-- have, its other columns empty. Keys: piece_s, lot, cluster, account, owner, team, cost_centre.
-- Units: amount in the currency's quanta; piece_s, from_s and to_s in UTC seconds; ticks are those of slots, and 0.
WITH bounds AS (
  SELECT
    n.piece_s AS piece_s,
    MIN(n.from_s) AS first_s,
    MAX(n.to_s) AS last_s
  FROM node_part AS n
  GROUP BY
    n.piece_s
), merged AS (
  SELECT
    p.piece_s AS piece_s,
    n.lot AS lot,
    p.cluster AS cluster,
    p.account AS account,
    p.owner AS owner,
    p.team AS team,
    p.cost_centre AS cost_centre,
    CAST(SUM(p.amount) AS BIGINT) AS part_amount
  FROM resource_posted AS p
  INNER JOIN charge_name AS n
    ON p.charge_no = n.charge_no
  WHERE
    p.owner = '__account__'
  GROUP BY
    p.piece_s,
    n.lot,
    p.cluster,
    p.account,
    p.owner,
    p.team,
    p.cost_centre
  HAVING
    CAST(SUM(p.amount) AS BIGINT) <> 0
  UNION ALL
  SELECT
    p.piece_s AS piece_s,
    '' AS lot,
    '' AS cluster,
    '' AS account,
    p.owner AS owner,
    p.team AS team,
    p.cost_centre AS cost_centre,
    CAST(SUM(p.amount) AS BIGINT) AS part_amount
  FROM resource_posted AS p
  WHERE
    p.owner <> '__account__'
  GROUP BY
    p.piece_s,
    p.owner,
    p.team,
    p.cost_centre
)
SELECT
  m.piece_s AS piece_s,
  b.first_s AS from_s,
  b.last_s AS to_s,
  c.utc_day AS utc_day,
  c.day AS day,
  m.lot AS lot,
  '__no_device__' AS model,
  '' AS region,
  m.cluster AS cluster,
  m.account AS account,
  '' AS state,
  m.owner AS owner,
  m.team AS team,
  m.cost_centre AS cost_centre,
  m.part_amount AS amount,
  CAST(0 AS BIGINT) AS ticks
FROM merged AS m
INNER JOIN calendar_piece AS c
  ON m.piece_s = c.start_s
INNER JOIN bounds AS b
  ON m.piece_s = b.piece_s
