-- Rendered by scripts/render from chargeback/models/taker.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- taker: who or what a unit's time can go to, numbered, so that the large tables hold numbers only.
-- Grain: run x owner x phase x account. Keys: taker_no.
-- Units: claim_no numbers (owner, team, cost centre, run) and taker_no each phase and account in it, in the order of
-- their keys. Held time has a taker in each account that it may come to (held_account: what is known of the unit); time
-- of which the policy says that nobody used it has one that is nobody's.
WITH seen AS (
  SELECT DISTINCT
    s.owner AS owner,
    s.team AS team,
    s.cost_centre AS cost_centre,
    s.run AS run,
    s.run_name AS run_name,
    s.phase AS phase,
    s.account AS account,
    s.state AS state
  FROM share AS s
), named AS (
  SELECT
    s.owner AS owner,
    s.team AS team,
    s.cost_centre AS cost_centre,
    s.run AS run,
    s.run_name AS run_name,
    s.phase AS phase,
    s.account AS account,
    s.state AS state
  FROM seen AS s
  WHERE
    s.account <> 'held'
  UNION ALL
  SELECT
    s.owner AS owner,
    s.team AS team,
    s.cost_centre AS cost_centre,
    s.run AS run,
    s.run_name AS run_name,
    s.phase AS phase,
    a.account AS account,
    s.state AS state
  FROM seen AS s
  CROSS JOIN held_account AS a
  WHERE
    s.account = 'held'
  UNION ALL
  SELECT
    '__account__' AS owner,
    '__account__' AS team,
    '' AS cost_centre,
    '' AS run,
    '' AS run_name,
    '' AS phase,
    'idle_held' AS account,
    '' AS state
  FROM sharing AS g
  WHERE
    g.time_slicing = 2
)
SELECT
  toInt64(
    ROW_NUMBER() OVER (ORDER BY n.owner, n.team, n.cost_centre, n.run, n.phase, n.account, n.state)
  ) AS taker_no,
  toInt64(DENSE_RANK() OVER (ORDER BY n.owner, n.team, n.cost_centre, n.run)) AS claim_no,
  n.owner AS owner,
  n.team AS team,
  n.cost_centre AS cost_centre,
  n.run AS run,
  n.run_name AS run_name,
  n.phase AS phase,
  n.account AS account,
  n.state AS state
FROM named AS n
