-- Rendered by scripts/render from chargeback/models/resource_posted.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- resource_posted: the money of each kind of a node by whose it was.
-- Grain: meter x node x money piece x kind x run (or none) x owner x account. Keys: charge_no, node, kind, from_s, run,
-- owner, team, cost_centre, account.
-- Units: amount in the currency's quanta; weights in ticks. The split is by running differences with the phase
-- (hour + 7919 * node number) * 2654435761 mod W, so that no key is favoured.
WITH node_amount AS (
  SELECT
    n.node AS node,
    n.from_s AS from_s,
    n.piece_s AS piece_s,
    r.kind AS kind,
    r.charge_no AS charge_no,
    MIN(n.node_no) AS first_no,
    CAST(SUM(r.amount * n.slot_count) AS BIGINT) AS whole_amount
  FROM node_part AS n
  INNER JOIN resource_amount AS r
    ON n.price_no = r.price_no
    AND n.node_slots = r.node_slots
    AND n.from_s = r.from_s
    AND n.to_s = r.to_s
  GROUP BY
    n.node,
    n.from_s,
    n.piece_s,
    r.kind,
    r.charge_no
), running AS (
  SELECT
    a.charge_no AS charge_no,
    t.node AS node,
    t.cluster AS cluster,
    t.kind AS kind,
    t.piece_s AS piece_s,
    t.from_s AS from_s,
    t.run AS run,
    t.owner AS owner,
    t.team AS team,
    t.cost_centre AS cost_centre,
    t.account AS account,
    t.ticks AS ticks,
    t.whole_ticks AS whole,
    a.whole_amount AS whole_amount,
    (
      t.piece_s DIV 3600 + 7919 * a.first_no
    ) * CAST(2654435761 AS BIGINT) % t.whole_ticks AS phase,
    CAST(SUM(t.ticks) OVER (
      PARTITION BY a.charge_no, t.node, t.kind, t.from_s
      ORDER BY t.run NULLS LAST, t.owner NULLS LAST, t.team NULLS LAST, t.cost_centre NULLS LAST, t.account NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached
  FROM node_amount AS a
  INNER JOIN resource_time AS t
    ON a.node = t.node AND a.kind = t.kind AND a.from_s = t.from_s
)
SELECT
  r.charge_no AS charge_no,
  r.node AS node,
  r.cluster AS cluster,
  r.kind AS kind,
  r.piece_s AS piece_s,
  r.from_s AS from_s,
  r.run AS run,
  r.owner AS owner,
  r.team AS team,
  r.cost_centre AS cost_centre,
  r.account AS account,
  r.whole_amount DIV r.whole * r.ticks + (
    r.whole_amount % r.whole * r.reached + r.phase
  ) DIV r.whole - (
    r.whole_amount % r.whole * (
      r.reached - r.ticks
    ) + r.phase
  ) DIV r.whole AS amount
FROM running AS r
