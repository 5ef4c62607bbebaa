-- Rendered by scripts/render from chargeback/models/node_part.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- node_part: the slots of a node that one tariff pays for over a money piece, where its price is for more than GPUs.
-- Grain: node x money piece x tariff. Keys: node, from_s, price_no.
-- Units: from_s, to_s and piece_s in UTC seconds; node_slots counts all slots of the node that are there, slot_count
-- those at this tariff; node_no is where the node begins its running splits.
WITH weighed AS (
  SELECT DISTINCT
    r.price_no AS price_no
  FROM tariff_resource AS r
)
SELECT
  l.node AS node,
  l.cluster AS cluster,
  m.price_no AS price_no,
  m.piece_s AS piece_s,
  m.from_s AS from_s,
  m.to_s AS to_s,
  m.node_slots AS node_slots,
  toInt64(COUNT(m.life_no)) AS slot_count,
  MIN(l.slot_no) AS node_no
FROM money_piece AS m
INNER JOIN weighed AS w
  ON m.price_no = w.price_no
INNER JOIN slot_life AS l
  ON m.life_no = l.life_no
GROUP BY
  l.node,
  l.cluster,
  m.price_no,
  m.piece_s,
  m.from_s,
  m.to_s,
  m.node_slots
