-- Rendered by scripts/render from chargeback/models/energy.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- energy: what each device used in an hour, as far as it is known, cut to the unit's window and to what is complete.
-- Grain: device x hour. Keys: device, hour_s.
-- Units: joules over [start_s, end_s), of which known_s seconds are known; every second of it has the same part. [from_s, to_s)
-- is what the run is about, and cut_joules what was used in it: the difference of what was used up to its end and up to its
-- begin, each rounded down, so that windows which touch add up. UTC seconds.
-- What no row is about is not known, which is not 0. More than 10^12 J in an hour is no device's, and not known either.
WITH cut AS (
  SELECT
    e.cluster AS cluster,
    e.device AS device,
    e.hour_s AS hour_s,
    e.start_s AS start_s,
    e.end_s AS end_s,
    e.joules AS joules,
    LEAST(e.known_s, e.end_s - e.start_s) AS sure_s,
    e.end_s - e.start_s AS length_s,
    GREATEST(e.start_s, w.start_s) - e.start_s AS after_s,
    LEAST(e.end_s, w.end_s, COALESCE(t.through_s, w.end_s)) - e.start_s AS until_s
  FROM source_energy AS e
  INNER JOIN run_window AS w
    ON e.start_s < w.end_s AND e.end_s > w.start_s
  LEFT JOIN cluster_through AS t
    ON e.cluster = t.cluster
  WHERE
    e.known_s > 0 AND e.joules >= 0 AND e.joules <= CAST(1000000000000 AS BIGINT)
)
SELECT
  c.cluster AS cluster,
  c.device AS device,
  c.hour_s AS hour_s,
  c.start_s AS start_s,
  c.end_s AS end_s,
  c.sure_s AS known_s,
  c.joules AS joules,
  c.start_s + c.after_s AS from_s,
  c.start_s + c.until_s AS to_s,
  c.joules * c.until_s DIV c.length_s - c.joules * c.after_s DIV c.length_s AS cut_joules
FROM cut AS c
WHERE
  c.until_s > c.after_s
