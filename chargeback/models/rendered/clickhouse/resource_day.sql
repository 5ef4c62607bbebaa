-- Rendered by scripts/render from chargeback/models/resource_day.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- resource_day: the entries of what a unit's nodes have besides GPUs, summed by local day.
-- Grain: day x lot x account x owner x team x cost centre x cluster. Keys: day, lot, account, owner, team, cost_centre,
-- cluster. Units: amount in the currency's quanta.
WITH summed AS (
  SELECT
    c.day AS day,
    n.lot AS lot,
    p.account AS account,
    p.owner AS owner,
    p.team AS team,
    p.cost_centre AS cost_centre,
    p.cluster AS cluster,
    toInt64(SUM(p.amount)) AS day_amount
  FROM resource_posted AS p
  INNER JOIN calendar_piece AS c
    ON p.piece_s = c.start_s
  INNER JOIN charge_name AS n
    ON p.charge_no = n.charge_no
  GROUP BY
    c.day,
    n.lot,
    p.account,
    p.owner,
    p.team,
    p.cost_centre,
    p.cluster
)
SELECT
  s.day AS day,
  'recognised' AS layer,
  s.lot AS lot,
  s.account AS account,
  '' AS state,
  s.owner AS owner,
  s.team AS team,
  s.cost_centre AS cost_centre,
  '__no_device__' AS model,
  s.cluster AS cluster,
  s.day_amount AS amount
FROM summed AS s
