"""Bills that come late, twice, corrected, in pages, with lines missing, and from two sources at once."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from focus_rows import NOVEMBER_S, OCTOBER_S, cur, focus, hours

from chargeback.bills.completeness import standing
from gpuledger.errors import InputError, OverlapError

if TYPE_CHECKING:
    from bill_desk import BillDesk

INV_7, INV_8 = "AWS/1234/2026-10/INV-7/USD", "AWS/1234/2026-10/INV-8/USD"


def test_a_bill_is_kept_with_the_providers_own_digits(bill_desk: BillDesk) -> None:
    bill_desk.bring(focus({"BilledCost": "0.00000080000"}, {"BilledCost": "-1.50"}, {"BilledCost": "3e-7"}))
    assert [line["billed"] for line in bill_desk.lines()] == ["0.00000080000", "-1.50", "0.0000003"]
    (bill,) = bill_desk.bills()
    assert (bill.identity, bill.rows, bill.total) == (INV_7, 3, "-1.4999989")
    assert (bill.start_s, bill.end_s, bill.format) == (OCTOBER_S, NOVEMBER_S, "focus/1.2")
    assert [line["identity"] for line in bill_desk.lines()] == [f"{INV_7}#{n}" for n in (1, 2, 3)]


def test_a_file_holds_a_bill_for_each_invoice_currency_account_and_period(bill_desk: BillDesk) -> None:
    rows = (
        {},
        {"InvoiceId": "INV-8"},
        {"BillingCurrency": "EUR"},
        {"BillingAccountId": "9/9"},
        {"BillingPeriodStart": "2026-09-01T00:00:00Z", "BillingPeriodEnd": "2026-10-01T00:00:00Z"},
        {"InvoiceId": ""},
        {"InvoiceIssuerName": "AWS EMEA"},
    )
    bill_desk.bring(focus(*rows))
    assert {bill.identity for bill in bill_desk.bills()} == {
        INV_7,
        INV_8,
        "AWS/1234/2026-10/INV-7/EUR",
        "AWS/9%2F9/2026-10/INV-7/USD",
        "AWS/1234/2026-09/INV-7/USD",
        "AWS/1234/2026-10/USD",
        "AWS EMEA/1234/2026-10/INV-7/USD",
    }


def test_a_bill_that_comes_twice_changes_nothing(bill_desk: BillDesk) -> None:
    text = focus(*hours(3))
    first = bill_desk.bring(text)
    again = bill_desk.bring(text)
    assert [change for _, change in first.bills] == ["new"]
    assert [change for _, change in again.bills] == ["unchanged"]
    assert (first.seq, again.seq, again.lines, again.withdrawn) == (1, 1, 0, 0)


def test_the_order_of_a_bills_rows_and_of_its_pages_changes_nothing(bill_desk: BillDesk) -> None:
    rows = hours(4)
    bill_desk.bring(focus(*rows[:2]), focus(*rows[2:]))
    again = bill_desk.bring(focus(*reversed(rows)))
    assert [change for _, change in again.bills] == ["unchanged"]
    assert bill_desk.seq == 1


def test_a_corrected_bill_takes_the_place_of_the_first_in_one_commit(bill_desk: BillDesk) -> None:
    rows = hours(3)
    bill_desk.bring(focus(*rows))
    rows[1]["BilledCost"] = "2.5"
    corrected = bill_desk.bring(focus(*rows[:2]))
    assert (corrected.seq, corrected.lines, corrected.withdrawn) == (2, 1, 1)
    assert [line["billed"] for line in bill_desk.lines()] == ["2", "2.5"]
    assert [line["billed"] for line in bill_desk.lines(seq=1)] == ["2", "2", "2"]
    assert [(bill.rows, bill.total) for bill in bill_desk.bills()] == [(2, "4.5")]
    assert [(bill.rows, bill.total) for bill in bill_desk.bills(seq=1)] == [(3, "6")]


def test_what_is_read_for_the_books_is_what_the_lake_has_in_force(bill_desk: BillDesk) -> None:
    rows = hours(5)
    bill_desk.bring(focus(*rows))
    bill_desk.bring(focus(*hours(2, InvoiceId="INV-8", ResourceId="i-1", BilledCost="7")))
    rows[0]["BilledCost"] = "9"
    bill_desk.bring(focus(*rows[:3]))
    for seq, total in ((1, 10), (2, 24), (3, 27)):
        read = bill_desk.read(OCTOBER_S, NOVEMBER_S, seq)
        sums = [row["hi"] * 10**18 + row["lo"] for row in read.amounts.to_pylist()]
        assert Fraction(int(sum(sums)), 10**30) == total
        assert sum(row["lines"] for row in read.amounts.to_pylist()) == len(bill_desk.lines(seq))


def test_a_corrected_bill_is_whole_where_its_lines_lie_in_many_shards(sharded: BillDesk) -> None:
    rows = [{**row, "ResourceId": f"i-{number}"} for number, row in enumerate(hours(8))]
    sharded.bring(focus(*rows))
    moved = [{**row, "ResourceId": f"i-{number + 1}"} for number, row in enumerate(rows)]
    sharded.bring(focus(*moved))
    read = sharded.read(OCTOBER_S, NOVEMBER_S)
    assert sorted(key.resource for key in read.keys) == [f"i-{number}" for number in range(1, 9)]
    assert sum(row["lines"] for row in read.amounts.to_pylist()) == 8


def test_a_late_bill_is_known_from_its_import_on_and_not_before(bill_desk: BillDesk) -> None:
    bill_desk.bring(focus(*hours(1)))
    bill_desk.bring(focus(*hours(1, InvoiceId="INV-8", ResourceId="i-late", BilledCost="100")))
    assert [bill.identity for bill in bill_desk.read(OCTOBER_S, NOVEMBER_S, seq=1).bills] == [INV_7]
    assert [bill.identity for bill in bill_desk.read(OCTOBER_S, NOVEMBER_S).bills] == [INV_7, INV_8]


def test_a_purchase_for_years_touches_each_of_their_months(bill_desk: BillDesk) -> None:
    years = {"ChargePeriodStart": "2026-10-01T00:00:00Z", "ChargePeriodEnd": "2029-10-01T00:00:00Z"}
    bill_desk.bring(focus({"ChargeCategory": "Purchase", **years}))
    in_2028 = bill_desk.read(OCTOBER_S + 700 * 86_400, OCTOBER_S + 730 * 86_400)
    assert [bill.identity for bill in in_2028.bills] == [INV_7]
    assert bill_desk.read(OCTOBER_S - 30 * 86_400, OCTOBER_S).bills == ()


def test_the_first_page_of_a_bill_is_refused_by_its_rows_and_by_its_total(bill_desk: BillDesk) -> None:
    """T58: who forgets to turn the page sees a quarter of the spend."""
    pages = [focus(*hours(8)[part : part + 2]) for part in range(0, 8, 2)]
    with pytest.raises(InputError, match="has 2 rows, and should have 8: 6 too few; nothing was stored"):
        bill_desk.bring(pages[0], stated=["8"])
    with pytest.raises(InputError, match=r"comes to 4 USD, and should come to 16.00: 12 less; nothing"):
        bill_desk.bring(pages[0], total=["16.00"])
    assert (bill_desk.seq, bill_desk.bills()) == (0, [])
    whole = bill_desk.bring(*pages, stated=["8"], total=["16.00"])
    assert [standing(bill) for bill, _ in whole.bills] == ["proven"]


def test_a_bill_of_which_nothing_is_stated_is_unproven_and_proven_later(bill_desk: BillDesk) -> None:
    text = focus(*hours(2))
    assert [standing(bill) for bill, _ in bill_desk.bring(text).bills] == ["unproven"]
    later = bill_desk.bring(text, total=["4"])
    assert [(standing(bill), change) for bill, change in later.bills] == [("proven", "changed")]
    assert later.lines == 0
    again = bill_desk.bring(text)
    assert [(standing(bill), change) for bill, change in again.bills] == [("proven", "unchanged")]


def test_what_was_stated_of_other_lines_proves_nothing_of_these(bill_desk: BillDesk) -> None:
    bill_desk.bring(focus(*hours(2)), total=["4"])
    assert [standing(bill) for bill, _ in bill_desk.bring(focus(*hours(3))).bills] == ["unproven"]


def test_each_bill_of_a_file_may_be_stated_apart(bill_desk: BillDesk) -> None:
    text = focus({}, {"InvoiceId": "INV-8", "BilledCost": "3", "ResourceId": "i-1"})
    made = bill_desk.bring(text, stated=["2", f"{INV_8}=1"], total=[f"{INV_8}=3"])
    assert [(bill.stated_rows, bill.stated_total) for bill, _ in made.bills] == [(1, ""), (1, "3")]
    with pytest.raises(InputError, match=r"AWS/1234/2026-10/INV-8/USD comes to 3 USD, and should come to 4"):
        bill_desk.bring(text, total=[f"{INV_8}=4"])
    with pytest.raises(InputError, match="nonsense is no bill of these files"):
        bill_desk.bring(text, total=["nonsense=4"])


def test_an_invoice_is_rounded_to_cents_and_agrees_with_its_lines(bill_desk: BillDesk) -> None:
    text = focus({"BilledCost": "1.004"}, {"BilledCost": "1.003"})
    (bill, _) = bill_desk.bring(text, total=["2.01"]).bills[0]
    assert standing(bill) == "proven"
    with pytest.raises(InputError, match=r"comes to 2.007 USD, and should come to 2.02: 0.013 less"):
        bill_desk.bring(text, total=["2.02"])
    with pytest.raises(InputError, match=r"comes to 2.007 USD, and should come to 2.0071"):
        bill_desk.bring(text, total=["2.0071"])


def test_two_sources_that_report_the_same_dollar_are_refused(bill_desk: BillDesk) -> None:
    """T57: a bill with the number of its invoice, and the same without, are one dollar."""
    bill_desk.bring(focus(*hours(3), {"ResourceId": "i-1", "BilledCost": "0"}, {"ResourceId": "vol-1"}))
    other = focus(*hours(2, InvoiceId="", BilledCost="2.000"), {"InvoiceId": "", "ResourceId": "i-9"})
    said = (
        r"AWS/1234/2026-10/USD has 2 lines of 4 USD that AWS/1234/2026-10/INV-7/USD, which is in force, has"
    )
    with pytest.raises(OverlapError, match=said) as caught:
        bill_desk.bring(other)
    assert f"--replace '{INV_7}'" in caught.value.mend
    assert [bill.identity for bill in bill_desk.bills()] == [INV_7]


def test_a_cost_and_usage_report_and_a_focus_export_of_one_month_are_one_dollar(bill_desk: BillDesk) -> None:
    """T57: what differs is who wrote it: the shape, the name of the invoice, the digits."""
    bill_desk.bring(focus({"InvoiceId": "", "BilledCost": "55.040"}, {"InvoiceId": "", "ResourceId": "i-1"}))
    report = cur({}, {"lineItem/ResourceId": "i-1", "lineItem/UnblendedCost": "2"})
    with pytest.raises(
        OverlapError, match=r"/77/USD has 2 lines of 57.04 USD that AWS/1234/2026-10/USD, which"
    ):
        bill_desk.bring(report)
    bill_desk.bring(report, replaced=["AWS/1234/2026-10/USD"])
    assert [(bill.format, bill.total) for bill in bill_desk.bills()] == [("cur/1", "57.04")]


def test_who_says_which_of_two_sources_counts_has_the_other_withdrawn(bill_desk: BillDesk) -> None:
    bill_desk.bring(focus(*hours(3)))
    made = bill_desk.bring(focus(*hours(3, InvoiceId="INV-8")), replaced=[INV_7])
    assert (made.replaced, made.lines, made.withdrawn) == ((INV_7,), 3, 3)
    assert [bill.identity for bill in bill_desk.bills()] == [INV_8]
    assert {line["bill"] for line in bill_desk.lines()} == {INV_8}
    back = bill_desk.bring(focus(*hours(3)), replaced=[INV_8])
    assert (back.lines, back.withdrawn) == (3, 3)
    assert {line["bill"] for line in bill_desk.lines()} == {INV_7}


def test_two_bills_that_are_both_owed_stand_beside_each_other_if_that_is_said(bill_desk: BillDesk) -> None:
    bill_desk.bring(focus(*hours(1)))
    bill_desk.bring(focus(*hours(1, InvoiceId="INV-8")), beside=[INV_7])
    assert [bill.identity for bill in bill_desk.bills()] == [INV_7, INV_8]


@pytest.mark.parametrize(
    "apart",
    [
        {"BillingAccountId": "other"},
        {"ResourceId": "i-other"},
        {"BilledCost": "2.01"},
        {"BilledCost": "0"},
        {"ChargePeriodEnd": "2026-10-05T00:30:00Z"},
        {"BillingCurrency": "EUR"},
    ],
)
def test_lines_that_are_not_the_same_dollar_are_no_overlap(
    bill_desk: BillDesk, apart: dict[str, str]
) -> None:
    first = {"BilledCost": "0"} if apart.get("BilledCost") == "0" else {}
    bill_desk.bring(focus(first))
    bill_desk.bring(focus({"InvoiceId": "INV-8", **apart}))
    assert len(bill_desk.bills()) == 2


def test_a_bill_that_is_to_give_way_must_be_one(bill_desk: BillDesk) -> None:
    bill_desk.bring(focus({}))
    with pytest.raises(InputError, match="nonsense is no bill in force") as caught:
        bill_desk.bring(focus({"InvoiceId": "INV-8"}), replaced=["nonsense"])
    assert INV_7 in caught.value.mend


def test_a_row_in_quarantine_is_there_once(bill_desk: BillDesk) -> None:
    text = focus({}, {"BilledCost": "none"})
    (bill, _) = bill_desk.bring(text).bills[0]
    assert (standing(bill), bill.rows, bill.stated_rows) == ("incomplete", 1, 2)
    bill_desk.bring(text)
    (row,) = bill_desk.lake.in_force("bill_line", bill_desk.seq).to_pylist()
    assert row["line"] == 1
    assert sum(file.rows for file in bill_desk.lake.files("quarantine", bill_desk.seq)) == 1


def test_a_commit_that_comes_between_is_seen(bill_desk: BillDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are staged before the lock is taken, and what is known may be more by then."""
    texts = focus(*hours(2)), focus(*hours(3))
    stage, calls = bill_desk.lake.stage, []

    def meanwhile(table: str, rows: object) -> object:
        calls.append(table)
        if len(calls) == 1:
            bill_desk.bring_files(bill_desk.write(texts[1], "other.csv"))
        return stage(table, rows)

    monkeypatch.setattr(bill_desk.lake, "stage", meanwhile)
    bill_desk.bring(texts[0])
    assert [(bill.rows, bill.total) for bill in bill_desk.bills()] == [(2, "4")]
    assert [line["line"] for line in bill_desk.lines()] == [1, 2]


def test_a_compaction_of_the_lake_changes_nothing_of_what_is_known(bill_desk: BillDesk) -> None:
    rows = hours(4)
    bill_desk.bring(focus(*rows))
    rows[2]["BilledCost"] = "3"
    bill_desk.bring(focus(*rows[:3]))
    before = [bill_desk.read(OCTOBER_S, NOVEMBER_S, seq).amounts.to_pylist() for seq in (1, 2)]
    bill_desk.lake.compact("bill_line", 0, bill_desk.now_s)
    assert [bill_desk.read(OCTOBER_S, NOVEMBER_S, seq).amounts.to_pylist() for seq in (1, 2)] == before
    rows[0]["BilledCost"] = "4"
    bill_desk.bring(focus(*rows[:3]))
    assert [line["billed"] for line in bill_desk.lines()] == ["4", "2", "3"]
