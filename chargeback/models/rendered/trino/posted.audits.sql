-- Rendered by scripts/render from chargeback/models/posted.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: the time of a slot's money piece carries exactly its amount.
WITH given AS (
  SELECT
    price_no,
    life_no,
    from_s,
    SUM(amount) AS amount
  FROM posted
  GROUP BY
    price_no,
    life_no,
    from_s
)
SELECT
  a.price_no,
  a.life_no,
  a.from_s
FROM slot_amount AS a
LEFT JOIN given AS p
  ON a.price_no = p.price_no AND a.life_no = p.life_no AND a.from_s = p.from_s
WHERE
  p.life_no IS NULL OR p.amount <> a.amount
LIMIT 1;
