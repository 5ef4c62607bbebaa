-- Rendered by scripts/render from chargeback/models/posted.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: the time of a slot's money piece carries exactly its amount.
WITH given AS (
  SELECT
    charge_no,
    life_no,
    from_s,
    SUM(amount) AS amount
  FROM posted
  GROUP BY
    charge_no,
    life_no,
    from_s
)
SELECT
  a.charge_no,
  a.life_no,
  a.from_s
FROM slot_amount AS a
LEFT JOIN given AS p
  ON a.charge_no = p.charge_no AND a.life_no = p.life_no AND a.from_s = p.from_s
WHERE
  p.life_no IS NULL OR p.amount <> a.amount
LIMIT 1;
