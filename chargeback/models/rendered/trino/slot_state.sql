-- Rendered by scripts/render from chargeback/models/slot_state.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- slot_state: the state of each slot where a source says one, the version in force, cut to the run's window.
-- Grain: slot x fact in force. Units: from_s and to_s in UTC seconds. A slot without a row is available.
WITH ranked AS (
  SELECT
    s.withdrawn AS withdrawn,
    s.start_s AS start_s,
    COALESCE(s.end_s, w.end_s) AS until_s,
    s.slot AS slot,
    s.state AS state,
    CAST(ROW_NUMBER() OVER (PARTITION BY s.identity ORDER BY s.seq DESC) AS BIGINT) AS newest
  FROM source_state AS s
  INNER JOIN run_window AS w
    ON s.seq <= w.seq
), cut AS (
  SELECT
    r.slot AS slot,
    r.state AS state,
    GREATEST(r.start_s, w.start_s) AS from_s,
    LEAST(r.until_s, w.end_s) AS to_s
  FROM ranked AS r
  INNER JOIN run_window AS w
    ON r.start_s < w.end_s
  WHERE
    r.newest = 1 AND r.withdrawn = 0 AND r.state <> 'available'
)
SELECT
  c.slot AS slot,
  c.state AS state,
  c.from_s AS from_s,
  c.to_s AS to_s
FROM cut AS c
WHERE
  c.from_s < c.to_s
