"""The rows of a bill behind its lots: every row is behind exactly one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from focus_rows import NOVEMBER_S, OCTOBER_S, focus, hours

from chargeback.bills import bill_lots, matched_by, read_bill_lines
from chargeback.bills.behind import lines_behind
from chargeback.bills.listing import instances_in_force
from chargeback.fx import fx_rates
from gpuledger.canonical import canonical_json
from gpuledger.errors import BooksError
from gpuledger.versions import BillRuleFact

if TYPE_CHECKING:
    from bill_desk import BillDesk

INV_7 = "AWS/1234/2026-10/INV-7/USD"
EDGE = OCTOBER_S + 4 * 86_400 + 2 * 3600
RULES = [
    BillRuleFact(
        "r", 0, EDGE, 1, canonical_json({"service": ["EBS"]}), canonical_json({"account": "shared"})
    ),
    BillRuleFact(
        "s", EDGE, None, 2, canonical_json({"service": ["EBS"]}), canonical_json({"account": "overhead"})
    ),
]


def test_each_row_of_a_bill_is_behind_one_lot(bill_desk: BillDesk) -> None:
    bill_desk.node("n1", "i-0abc", OCTOBER_S)
    tax = {"ChargeCategory": "Tax", "ResourceId": "", "ServiceName": "", "BilledCost": "0.5"}
    unknown = {"ResourceId": "i-9", "BilledCost": "0.25"}
    bill_desk.bring(focus(*hours(3), *hours(4, ServiceName="EBS", ResourceId="vol-1"), tax, unknown))
    seq, desk = bill_desk.seq, bill_desk.desk
    nodes = instances_in_force(desk, seq)
    read = read_bill_lines(desk, seq, OCTOBER_S, NOVEMBER_S, matched_by(RULES))
    made = bill_lots(read, nodes, RULES, fx_rates([]), desk.book)
    behind = {lot.name: lines_behind(desk, seq, lot.name, nodes, RULES) for lot in made.lots}
    assert {
        name.removeprefix(f"bill:{INV_7}"): [one.line for one in found.lines]
        for name, found in behind.items()
    } == {
        "/i-0abc": [1, 2, 3],
        "/shared": [4, 5],
        "/overhead": [6, 7],
        f"tax:{INV_7}": [8],
        "/unknown": [9],
    }
    for lot in made.lots:
        assert sum(Fraction(one.billed) for one in behind[lot.name].lines) * 10**9 == lot.amount
    first = behind[f"bill:{INV_7}/i-0abc"]
    assert (first.bill.identity, first.count, first.lines[0].resource) == (INV_7, 3, "i-0abc")
    few = lines_behind(desk, seq, f"bill:{INV_7}/i-0abc", nodes, RULES, most=1)
    assert (len(few.lines), few.count) == (1, 3)


def test_a_lot_of_no_bill_has_no_rows(bill_desk: BillDesk) -> None:
    bill_desk.bring(focus({}))
    with pytest.raises(BooksError, match="lot:rack is the lot of no bill in force"):
        lines_behind(bill_desk.desk, bill_desk.seq, "lot:rack", [], [])
    assert lines_behind(bill_desk.desk, bill_desk.seq, f"bill:{INV_7}/difference", [], []).lines == ()
