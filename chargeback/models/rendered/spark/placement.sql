-- Rendered by scripts/render from chargeback/models/placement.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- placement: where each claim is: on a lane, on a slot, or on any free slot of a node, and when.
-- Grain: holding claim or assumed slot x place x stretch. An empty slot and lane is a claim on the node's free slots.
-- A device is held where it is on the node that the holding names; while it is elsewhere, nothing is held. The same goes
-- for a partition that is named by its own UUID.
-- Units: claimed_ticks, held_ticks and cap_ticks as in holding_claim; from_s and to_s in UTC seconds.
WITH named AS (
  SELECT
    h.cluster AS cluster,
    h.node AS node,
    h.slot AS slot,
    h.lane AS lane,
    h.run AS run,
    h.run_name AS run_name,
    h.who_no AS who_no,
    h.is_exclusive AS is_exclusive,
    h.claimed_ticks AS claimed_ticks,
    h.held_ticks AS held_ticks,
    h.cap_ticks AS cap_ticks,
    h.is_equal AS is_equal,
    h.from_s AS place_from_s,
    h.to_s AS place_to_s
  FROM holding_claim AS h
  WHERE
    h.is_assumed = 0 AND h.device = ''
  UNION ALL
  SELECT
    h.cluster AS cluster,
    h.node AS node,
    d.slot AS slot,
    '' AS lane,
    h.run AS run,
    h.run_name AS run_name,
    h.who_no AS who_no,
    h.is_exclusive AS is_exclusive,
    h.claimed_ticks AS claimed_ticks,
    h.held_ticks AS held_ticks,
    h.cap_ticks AS cap_ticks,
    h.is_equal AS is_equal,
    GREATEST(h.from_s, d.from_s) AS place_from_s,
    LEAST(h.to_s, d.to_s) AS place_to_s
  FROM holding_claim AS h
  INNER JOIN device_life AS d
    ON h.device = d.device AND h.node = d.node AND d.from_s < h.to_s AND d.to_s > h.from_s
  WHERE
    h.is_assumed = 0
  UNION ALL
  SELECT
    h.cluster AS cluster,
    h.node AS node,
    p.slot AS slot,
    p.lane AS lane,
    h.run AS run,
    h.run_name AS run_name,
    h.who_no AS who_no,
    h.is_exclusive AS is_exclusive,
    h.claimed_ticks AS claimed_ticks,
    h.held_ticks AS held_ticks,
    h.cap_ticks AS cap_ticks,
    h.is_equal AS is_equal,
    GREATEST(h.from_s, p.from_s) AS place_from_s,
    LEAST(h.to_s, p.to_s) AS place_to_s
  FROM holding_claim AS h
  INNER JOIN partition_life AS p
    ON h.device = p.device AND h.node = p.node AND p.from_s < h.to_s AND p.to_s > h.from_s
  WHERE
    h.is_assumed = 0 AND h.device <> ''
  UNION ALL
  SELECT
    m.cluster AS cluster,
    m.slot AS node,
    m.slot AS slot,
    '' AS lane,
    m.run AS run,
    m.run_name AS run_name,
    m.who_no AS who_no,
    CAST(1 AS BIGINT) AS is_exclusive,
    m.slot_ticks AS claimed_ticks,
    m.slot_ticks AS held_ticks,
    CAST(0 AS BIGINT) AS cap_ticks,
    CAST(0 AS BIGINT) AS is_equal,
    m.from_s AS place_from_s,
    m.to_s AS place_to_s
  FROM assumed_slot AS m
)
SELECT
  n.cluster AS cluster,
  n.node AS node,
  n.slot AS slot,
  n.lane AS lane,
  n.run AS run,
  n.run_name AS run_name,
  n.who_no AS who_no,
  n.is_exclusive AS is_exclusive,
  n.claimed_ticks AS claimed_ticks,
  n.held_ticks AS held_ticks,
  n.cap_ticks AS cap_ticks,
  n.is_equal AS is_equal,
  n.place_from_s AS from_s,
  n.place_to_s AS to_s
FROM named AS n
