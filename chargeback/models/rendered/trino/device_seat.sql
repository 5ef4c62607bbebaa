-- Rendered by scripts/render from chargeback/models/device_seat.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- device_seat: in which slot each device sat whose energy is known: in one at each instant.
-- Grain: device x longest stretch in one slot. Keys: device, from_s. Units: from_s and to_s in UTC seconds.
-- Where a device is said to be in several slots at once, the first by name has it, so its energy is never counted twice.
WITH reported AS (
  SELECT DISTINCT
    e.device AS device
  FROM energy AS e
), said AS (
  SELECT
    d.device AS device,
    d.slot AS slot,
    d.from_s AS from_s,
    d.to_s AS to_s
  FROM device_life AS d
  INNER JOIN reported AS r
    ON d.device = r.device
), edge AS (
  SELECT
    s.device AS device,
    s.from_s AS at_s
  FROM said AS s
  UNION
  SELECT
    s.device AS device,
    s.to_s AS at_s
  FROM said AS s
), stretch AS (
  SELECT
    e.device AS device,
    e.at_s AS from_s,
    LEAD(e.at_s) OVER (PARTITION BY e.device ORDER BY e.at_s) AS to_s,
    LEAD(e.device) OVER (PARTITION BY e.device ORDER BY e.at_s) AS next_device
  FROM edge AS e
), seated AS (
  SELECT
    x.device AS device,
    x.from_s AS from_s,
    x.to_s AS to_s,
    MIN(s.slot) AS first_slot
  FROM stretch AS x
  INNER JOIN said AS s
    ON x.device = s.device AND s.from_s <= x.from_s AND s.to_s >= x.to_s
  WHERE
    x.next_device = x.device
  GROUP BY
    x.device,
    x.from_s,
    x.to_s
), opened AS (
  SELECT
    t.device AS device,
    t.first_slot AS slot,
    t.from_s AS part_from_s,
    t.to_s AS part_to_s,
    LAG(t.to_s) OVER (PARTITION BY t.device, t.first_slot ORDER BY t.from_s) AS before_s
  FROM seated AS t
), island AS (
  SELECT
    o.device AS device,
    o.slot AS slot,
    o.part_from_s AS part_from_s,
    o.part_to_s AS part_to_s,
    SUM(
      CASE
        WHEN o.before_s = o.part_from_s
        THEN CAST(0 AS BIGINT)
        ELSE CAST(1 AS BIGINT)
      END
    ) OVER (
      PARTITION BY o.device, o.slot
      ORDER BY o.part_from_s
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS island_no
  FROM opened AS o
)
SELECT
  i.device AS device,
  i.slot AS slot,
  MIN(i.part_from_s) AS from_s,
  MAX(i.part_to_s) AS to_s
FROM island AS i
GROUP BY
  i.device,
  i.slot,
  i.island_no
