-- Rendered by scripts/render from chargeback/models/taker.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- taker: who or what a unit's time can go to, numbered, so that the large tables hold numbers only.
-- Grain: run x owner x account. Keys: taker_no.
-- Units: claim_no numbers (owner, team, cost centre, run) and taker_no each account in it, in the order of their keys.
WITH seen AS (
  SELECT DISTINCT
    s.owner AS owner,
    s.team AS team,
    s.cost_centre AS cost_centre,
    s.run AS run,
    s.account AS account,
    s.state AS state
  FROM share AS s
)
SELECT
  toInt64(
    ROW_NUMBER() OVER (ORDER BY s.owner, s.team, s.cost_centre, s.run, s.account, s.state)
  ) AS taker_no,
  toInt64(DENSE_RANK() OVER (ORDER BY s.owner, s.team, s.cost_centre, s.run)) AS claim_no,
  s.owner AS owner,
  s.team AS team,
  s.cost_centre AS cost_centre,
  s.run AS run,
  '' AS phase,
  s.account AS account,
  s.state AS state
FROM seen AS s
