-- Rendered by scripts/render from chargeback/models/money_piece.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no key stands twice.
SELECT
  life_no,
  from_s
FROM money_piece
GROUP BY
  life_no,
  from_s
HAVING
  CAST(COUNT(*) AS BIGINT) > 1
LIMIT 1;

-- No row: a piece's weight squared stays below 2^63, so that shares are exact.
SELECT
  life_no,
  from_s
FROM money_piece
WHERE
  to_s <= from_s OR (
    to_s - from_s
  ) * slot_ticks > 3037000499
LIMIT 1;
