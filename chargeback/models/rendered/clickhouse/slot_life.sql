-- Rendered by scripts/render from chargeback/models/slot_life.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- slot_life: when each slot is there: inventory in force without its absent time, and assumed slots.
-- Grain: slot x longest stretch of equal attributes. Keys: life_no.
-- Units: life_no and pool_no number the unit's rows and pools in the order of their keys; slot_ticks in ticks per second (720720 = a whole device); from_s and to_s in UTC seconds.
WITH ranked AS (
  SELECT
    s.identity AS identity,
    s.withdrawn AS withdrawn,
    s.start_s AS start_s,
    COALESCE(s.end_s, w.end_s) AS until_s,
    s.cluster AS cluster,
    s.node AS node,
    s.slot AS slot,
    s.slot_no AS slot_no,
    s.sku AS sku,
    s.model AS model,
    s.region AS region,
    s.purchase_option AS purchase_option,
    s.compute_total AS compute_total,
    s.memory_total AS memory_total,
    toInt64(ROW_NUMBER() OVER (PARTITION BY s.identity ORDER BY s.seq DESC)) AS newest
  FROM source_slot AS s
  INNER JOIN run_window AS w
    ON s.seq <= w.seq
), present AS (
  SELECT
    r.cluster AS cluster,
    r.node AS node,
    r.slot AS slot,
    r.slot_no AS slot_no,
    r.sku AS sku,
    r.model AS model,
    r.region AS region,
    r.purchase_option AS purchase_option,
    r.compute_total AS compute_total,
    r.memory_total AS memory_total,
    GREATEST(r.start_s, w.start_s) AS from_s,
    LEAST(r.until_s, w.end_s, COALESCE(t.through_s, w.end_s)) AS to_s
  FROM ranked AS r
  INNER JOIN run_window AS w
    ON r.start_s < w.end_s
  LEFT JOIN cluster_through AS t
    ON r.cluster = t.cluster
  WHERE
    r.newest = 1 AND r.withdrawn = 0
), absent AS (
  SELECT
    s.slot AS slot,
    s.from_s AS from_s,
    s.to_s AS to_s
  FROM slot_state AS s
  WHERE
    s.state = 'absent'
), edge AS (
  SELECT
    p.slot AS slot,
    p.from_s AS at_s
  FROM present AS p
  UNION DISTINCT
  SELECT
    p.slot AS slot,
    p.to_s AS at_s
  FROM present AS p
  UNION DISTINCT
  SELECT
    a.slot AS slot,
    a.from_s AS at_s
  FROM absent AS a
  UNION DISTINCT
  SELECT
    a.slot AS slot,
    a.to_s AS at_s
  FROM absent AS a
), stretch AS (
  SELECT
    e.slot AS slot,
    e.at_s AS from_s,
    lead(e.at_s) OVER (PARTITION BY e.slot ORDER BY e.at_s) AS to_s,
    lead(e.slot) OVER (PARTITION BY e.slot ORDER BY e.at_s) AS next_slot
  FROM edge AS e
), there AS (
  SELECT DISTINCT
    p.cluster AS cluster,
    p.node AS node,
    p.slot AS slot,
    p.slot_no AS slot_no,
    p.sku AS sku,
    p.model AS model,
    p.region AS region,
    p.purchase_option AS purchase_option,
    p.compute_total AS compute_total,
    p.memory_total AS memory_total,
    toInt64(720720) AS slot_ticks,
    toInt64(0) AS is_assumed,
    s.from_s AS from_s,
    s.to_s AS to_s
  FROM stretch AS s
  INNER JOIN present AS p
    ON s.slot = p.slot AND p.from_s <= s.from_s AND p.to_s >= s.to_s
  LEFT JOIN absent AS a
    ON s.slot = a.slot AND a.from_s <= s.from_s AND a.to_s >= s.to_s
  WHERE
    s.next_slot = s.slot AND a.slot IS NULL
  UNION ALL
  SELECT
    m.cluster AS cluster,
    m.slot AS node,
    m.slot AS slot,
    m.slot_no AS slot_no,
    '' AS sku,
    m.model AS model,
    m.region AS region,
    '' AS purchase_option,
    toInt64(1) AS compute_total,
    toInt64(1) AS memory_total,
    m.slot_ticks AS slot_ticks,
    toInt64(1) AS is_assumed,
    m.from_s AS from_s,
    m.to_s AS to_s
  FROM assumed_slot AS m
), opened AS (
  SELECT
    t.cluster AS cluster,
    t.node AS node,
    t.slot AS slot,
    t.slot_no AS slot_no,
    t.sku AS sku,
    t.model AS model,
    t.region AS region,
    t.purchase_option AS purchase_option,
    t.compute_total AS compute_total,
    t.memory_total AS memory_total,
    t.slot_ticks AS slot_ticks,
    t.is_assumed AS is_assumed,
    t.from_s AS part_from_s,
    t.to_s AS part_to_s,
    lag(t.to_s) OVER (
      PARTITION BY t.slot, t.cluster, t.node, t.slot_no, t.sku, t.model, t.region, t.purchase_option, t.compute_total, t.memory_total, t.slot_ticks
      ORDER BY t.from_s
    ) AS before_s
  FROM there AS t
), island AS (
  SELECT
    o.cluster AS cluster,
    o.node AS node,
    o.slot AS slot,
    o.slot_no AS slot_no,
    o.sku AS sku,
    o.model AS model,
    o.region AS region,
    o.purchase_option AS purchase_option,
    o.compute_total AS compute_total,
    o.memory_total AS memory_total,
    o.slot_ticks AS slot_ticks,
    o.is_assumed AS is_assumed,
    o.part_from_s AS part_from_s,
    o.part_to_s AS part_to_s,
    SUM(CASE WHEN o.before_s = o.part_from_s THEN toInt64(0) ELSE toInt64(1) END) OVER (
      PARTITION BY o.slot, o.cluster, o.node, o.slot_no, o.sku, o.model, o.region, o.purchase_option, o.compute_total, o.memory_total, o.slot_ticks
      ORDER BY o.part_from_s
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS island_no
  FROM opened AS o
), life AS (
  SELECT
    i.cluster AS cluster,
    i.node AS node,
    i.slot AS slot,
    i.slot_no AS slot_no,
    i.sku AS sku,
    i.model AS model,
    i.region AS region,
    i.purchase_option AS purchase_option,
    i.compute_total AS compute_total,
    i.memory_total AS memory_total,
    i.slot_ticks AS slot_ticks,
    i.is_assumed AS is_assumed,
    MIN(i.part_from_s) AS from_s,
    MAX(i.part_to_s) AS to_s
  FROM island AS i
  GROUP BY
    i.cluster,
    i.node,
    i.slot,
    i.slot_no,
    i.sku,
    i.model,
    i.region,
    i.purchase_option,
    i.compute_total,
    i.memory_total,
    i.slot_ticks,
    i.is_assumed,
    i.island_no
)
SELECT
  l.cluster AS cluster,
  l.node AS node,
  l.slot AS slot,
  toInt64(ROW_NUMBER() OVER (ORDER BY l.slot, l.from_s)) AS life_no,
  toInt64(DENSE_RANK() OVER (ORDER BY l.model, l.region)) AS pool_no,
  l.slot_no AS slot_no,
  l.sku AS sku,
  l.model AS model,
  l.region AS region,
  l.model || '/' || l.region AS pool,
  l.purchase_option AS purchase_option,
  l.compute_total AS compute_total,
  l.memory_total AS memory_total,
  l.slot_ticks AS slot_ticks,
  l.is_assumed AS is_assumed,
  l.from_s AS from_s,
  l.to_s AS to_s
FROM life AS l
