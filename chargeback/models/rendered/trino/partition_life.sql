-- Rendered by scripts/render from chargeback/models/partition_life.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- partition_life: which hardware slices a device in a slot has when, the version in force, cut to the run's window.
-- Grain: lane x longest stretch of equal slices. Keys: lane, from_s.
-- Units: compute_slices and memory_slices of the slice itself; from_s and to_s in UTC seconds.
WITH ranked AS (
  SELECT
    p.withdrawn AS withdrawn,
    p.start_s AS start_s,
    COALESCE(p.end_s, w.end_s) AS until_s,
    p.cluster AS cluster,
    p.node AS node,
    p.slot AS slot,
    p.lane AS lane,
    p.device AS device,
    p.number AS number,
    p.compute_slices AS compute_slices,
    p.memory_slices AS memory_slices,
    CAST(ROW_NUMBER() OVER (PARTITION BY p.identity ORDER BY p.seq DESC) AS BIGINT) AS newest
  FROM source_partition AS p
  INNER JOIN run_window AS w
    ON p.seq <= w.seq
), cut AS (
  SELECT DISTINCT
    r.node AS node,
    r.slot AS slot,
    r.lane AS lane,
    r.device AS device,
    r.number AS number,
    r.compute_slices AS compute_slices,
    r.memory_slices AS memory_slices,
    GREATEST(r.start_s, w.start_s) AS from_s,
    LEAST(r.until_s, w.end_s, COALESCE(t.through_s, w.end_s)) AS to_s
  FROM ranked AS r
  INNER JOIN run_window AS w
    ON r.start_s < w.end_s
  LEFT JOIN cluster_through AS t
    ON r.cluster = t.cluster
  WHERE
    r.newest = 1 AND r.withdrawn = 0
), opened AS (
  SELECT
    c.node AS node,
    c.slot AS slot,
    c.lane AS lane,
    c.device AS device,
    c.number AS number,
    c.compute_slices AS compute_slices,
    c.memory_slices AS memory_slices,
    c.from_s AS part_from_s,
    c.to_s AS part_to_s,
    MAX(c.to_s) OVER (
      PARTITION BY c.node, c.slot, c.lane, c.device, c.number, c.compute_slices, c.memory_slices
      ORDER BY c.from_s, c.to_s
      rows BETWEEN UNBOUNDED preceding AND 1 preceding
    ) AS before_s
  FROM cut AS c
  WHERE
    c.from_s < c.to_s
), island AS (
  SELECT
    o.node AS node,
    o.slot AS slot,
    o.lane AS lane,
    o.device AS device,
    o.number AS number,
    o.compute_slices AS compute_slices,
    o.memory_slices AS memory_slices,
    o.part_from_s AS part_from_s,
    o.part_to_s AS part_to_s,
    SUM(
      CASE
        WHEN o.before_s >= o.part_from_s
        THEN CAST(0 AS BIGINT)
        ELSE CAST(1 AS BIGINT)
      END
    ) OVER (
      PARTITION BY o.node, o.slot, o.lane, o.device, o.number, o.compute_slices, o.memory_slices
      ORDER BY o.part_from_s, o.part_to_s
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS island_no
  FROM opened AS o
)
SELECT
  i.node AS node,
  i.slot AS slot,
  i.lane AS lane,
  i.device AS device,
  i.number AS number,
  i.compute_slices AS compute_slices,
  i.memory_slices AS memory_slices,
  MIN(i.part_from_s) AS from_s,
  MAX(i.part_to_s) AS to_s
FROM island AS i
GROUP BY
  i.node,
  i.slot,
  i.lane,
  i.device,
  i.number,
  i.compute_slices,
  i.memory_slices,
  i.island_no
