"""The command `gpuledger lots`, as a user types it."""

from __future__ import annotations

import json

from desktop import Desktop

TERMS = """\
lots:
- {lot: year, kind: purchase, amount: 365.00, currency: USD, from: 2026-10-01, to: 2027-10-01,
   account: shared, invoiced: 2026-09-20}
- {lot: help, kind: fee, every: month, amount: 31.00, currency: USD, from: 2026-09-01, account: shared,
   invoiced: in_arrears}
- {lot: thanks, kind: credit, amount: -3.10, currency: USD, from: 2026-10-01, to: 2026-11-01, account: shared}
- {lot: vat, kind: tax, amount: 5.00, currency: USD, from: 2026-10-01, to: 2026-11-01, recoverable: true}
assets: []
energy: []
"""


def listed(desktop: Desktop, month: str) -> dict[str, dict[str, str]]:
    code, out, err = desktop.type("lots", "--month", month, "--format", "json")
    assert code == 0, err
    document = json.loads(out)
    return {one["lot"]: one for one in document["lots"]} | {"total": document["total"]}


def figures(one: dict[str, str]) -> list[str]:
    return [
        one[name].removesuffix("0000000")
        for name in ("month", "recognised", "invoiced", "prepaid", "accrued")
    ]


def test_each_lot_says_what_is_recognised_invoiced_prepaid_and_accrued(desktop: Desktop) -> None:
    (desktop.folder / "terms").mkdir()
    desktop.write("terms/lots.yaml", TERMS)
    assert desktop.type("apply")[0] == 0
    found = listed(desktop, "2026-10")
    assert figures(found["lot:year"]) == ["31.00", "31.00", "365.00", "334.00", "0.00"]
    assert figures(found["lot:help"]) == ["31.00", "62.00", "31.00", "0.00", "31.00"]
    assert figures(found["lot:thanks"]) == ["-3.10", "-3.10", "0.00", "0.00", "-3.10"]
    assert "lot:vat" not in found, "tax that comes back is no cost, and has no balance of its own"
    assert figures(found["total"]) == ["58.90", "89.90", "396.00", "334.00", "27.90"]
    assert figures(listed(desktop, "2026-09")["lot:year"]) == ["0.00", "0.00", "365.00", "365.00", "0.00"]


def test_a_month_without_lots_says_so_and_the_table_adds_up(desktop: Desktop) -> None:
    code, out, _ = desktop.type("lots", "--month", "2026-10")
    assert code == 0 and "2026-10 has no lots" in out
    (desktop.folder / "terms").mkdir()
    desktop.write("terms/lots.yaml", TERMS)
    assert desktop.type("apply")[0] == 0
    _, out, _ = desktop.type("lots", "--month", "2026-10")
    assert "lot:year" in out and "334.00" in out and "58.90" in out
