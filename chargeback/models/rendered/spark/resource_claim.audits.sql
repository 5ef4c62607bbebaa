-- Rendered by scripts/render from chargeback/models/resource_claim.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no key stands twice.
SELECT
  identity,
  kind,
  from_s
FROM resource_claim
GROUP BY
  identity,
  kind,
  from_s
HAVING
  CAST(COUNT(*) AS BIGINT) > 1
LIMIT 1;
