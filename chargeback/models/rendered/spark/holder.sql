-- Rendered by scripts/render from chargeback/models/holder.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- holder: who holds a slot, or units of a node, over which stretch, and whose team that is at the time.
-- Grain: holding claim or assumed slot x stretch of one team. An empty slot is a claim on the node's free slots.
-- A device is held where it is on the node that the holding names; while it is elsewhere, nothing is held.
-- Units: held_ticks in ticks per second (of one slot, or of all the units claimed on the node); cap_ticks is what a
-- shared slot is divided by at least (0 = by what is held); from_s and to_s in UTC seconds.
WITH claim AS (
  SELECT
    h.slot AS slot,
    h.node AS node,
    h.run AS run,
    h.who_no AS who_no,
    h.is_exclusive AS is_exclusive,
    h.claimed_ticks AS held_ticks,
    CASE WHEN h.is_exclusive = 1 THEN CAST(0 AS BIGINT) ELSE CAST(720720 AS BIGINT) END AS cap_ticks,
    h.from_s AS claim_from_s,
    h.to_s AS claim_to_s
  FROM holding_claim AS h
  WHERE
    h.is_assumed = 0 AND h.device = ''
  UNION ALL
  SELECT
    d.slot AS slot,
    h.node AS node,
    h.run AS run,
    h.who_no AS who_no,
    h.is_exclusive AS is_exclusive,
    h.claimed_ticks AS held_ticks,
    CASE WHEN h.is_exclusive = 1 THEN CAST(0 AS BIGINT) ELSE CAST(720720 AS BIGINT) END AS cap_ticks,
    GREATEST(h.from_s, d.from_s) AS claim_from_s,
    LEAST(h.to_s, d.to_s) AS claim_to_s
  FROM holding_claim AS h
  INNER JOIN device_life AS d
    ON h.device = d.device AND h.node = d.node AND d.from_s < h.to_s AND d.to_s > h.from_s
  WHERE
    h.is_assumed = 0
  UNION ALL
  SELECT
    m.slot AS slot,
    m.slot AS node,
    m.run AS run,
    m.who_no AS who_no,
    CAST(1 AS BIGINT) AS is_exclusive,
    m.slot_ticks AS held_ticks,
    CAST(0 AS BIGINT) AS cap_ticks,
    m.from_s AS claim_from_s,
    m.to_s AS claim_to_s
  FROM assumed_slot AS m
), resolved AS (
  SELECT
    c.slot AS slot,
    c.node AS node,
    c.run AS run,
    o.owner AS owner,
    o.team AS team_then,
    o.cost_centre AS cost_centre_then,
    c.is_exclusive AS is_exclusive,
    c.held_ticks AS held_ticks,
    c.cap_ticks AS cap_ticks,
    GREATEST(c.claim_from_s, o.from_s) AS held_from_s,
    LEAST(c.claim_to_s, o.to_s) AS held_to_s
  FROM claim AS c
  INNER JOIN owner_span AS o
    ON c.who_no = o.who_no AND o.from_s < c.claim_to_s AND o.to_s > c.claim_from_s
)
SELECT
  r.slot AS slot,
  r.node AS node,
  r.run AS run,
  r.owner AS owner,
  r.team_then AS team,
  r.cost_centre_then AS cost_centre,
  r.is_exclusive AS is_exclusive,
  r.held_ticks AS held_ticks,
  r.cap_ticks AS cap_ticks,
  r.held_from_s AS from_s,
  r.held_to_s AS to_s
FROM resolved AS r
