"""`gpuledger import bill` and `gpuledger bills`, as they are typed."""

from __future__ import annotations

import json

from desktop import Desktop
from focus_rows import focus, hours

INV_7 = "AWS/1234/2026-10/INV-7/USD"
ROWS = hours(3)


def test_a_bill_is_brought_in_and_listed(desktop: Desktop) -> None:
    desktop.write("bill.csv", focus(*ROWS))
    code, out, _ = desktop.type("import", "bill", "bill.csv", "--rows", "3", "--total", "6.00")
    assert code == 0
    assert out.splitlines()[0] == (
        f"{INV_7}: new, 3 lines of 6 USD, proven by its number of rows and its total"
    )
    assert out.splitlines()[-1].startswith("read as focus/1.2; known at seq ")
    code, out, _ = desktop.type("bills", "--format", "json")
    (bill,) = json.loads(out)["bills"]
    assert code == 0
    assert (bill["bill"], bill["standing"], bill["unknown"], bill["lines"]) == (INV_7, "proven", "6", 3)
    assert json.loads(desktop.type("bills", "--month", "2026-09", "--format", "json")[1])["bills"] == []
    assert INV_7 in desktop.type("bills", "--month", "2026-10")[1].replace("\n", "")


def test_the_pages_of_a_bill_are_one_bill_and_the_first_alone_is_refused(desktop: Desktop) -> None:
    for number, row in enumerate(ROWS, 1):
        desktop.write(f"page-{number}.csv", focus(row))
    desktop.write("manifest.json", json.dumps({"dataFiles": [f"s3://b/page-{n}.csv" for n in (1, 2, 3)]}))
    code, out, err = desktop.type("import", "bill", "page-1.csv", "--manifest", "manifest.json")
    assert (code, out) == (3, "")
    assert "of its 3 files 2 were not given: page-2.csv, page-3.csv; nothing was stored" in err
    assert desktop.type("import", "bill", "page-1.csv", "--rows", "3")[0] == 3
    pages = [f"page-{number}.csv" for number in (1, 2, 3)]
    code, out, _ = desktop.type("import", "bill", *pages, "--manifest", "manifest.json", "--format", "json")
    said = json.loads(out)
    assert (code, said["bills"][0]["standing"], said["lines_written"]) == (0, "proven", 3)


def test_a_bill_that_lacks_a_line_is_no_bill_unless_that_is_allowed(desktop: Desktop) -> None:
    desktop.write("bill.csv", focus(*ROWS, {"BilledCost": "a lot"}))
    code, _, err = desktop.type("import", "bill", "bill.csv")
    assert code == 3
    assert "1 of 4 rows cannot be right, and a bill that lacks lines is no bill; nothing was stored" in err
    assert "bill.csv, row 4: BilledCost: 'a lot' is not an amount" in err
    assert "--allow-incomplete" in err
    assert json.loads(desktop.type("bills", "--format", "json")[1])["bills"] == []
    code, out, _ = desktop.type("import", "bill", "bill.csv", "--allow-incomplete", "--total", "9")
    assert code == 0
    assert f"{INV_7}: new, 3 lines of 6 USD, incomplete: 3 of 4 rows, 6 of 9 USD" in out
    (bill,) = json.loads(desktop.type("bills", "--format", "json")[1])["bills"]
    assert (bill["standing"], bill["difference"], bill["lots"]) == ("incomplete", "3", 2)


def test_a_file_without_a_good_row_is_refused_whatever_is_allowed(desktop: Desktop) -> None:
    desktop.write("bill.csv", focus({"BilledCost": "1.00 USD"}))
    code, _, err = desktop.type("import", "bill", "bill.csv", "--allow-incomplete")
    assert code == 3
    assert "1 of 1 rows cannot be right" in err
    desktop.write("bill.csv", focus())
    code, _, err = desktop.type("import", "bill", "bill.csv")
    assert (code, "the files have no rows" in err) == (3, True)


def test_two_sources_of_one_dollar_are_told_and_settled_by_who_asks(desktop: Desktop) -> None:
    desktop.write("bill.csv", focus(*ROWS))
    desktop.write("again.csv", focus(*({**row, "InvoiceId": ""} for row in ROWS)))
    assert desktop.type("import", "bill", "bill.csv")[0] == 0
    code, _, err = desktop.type("import", "bill", "again.csv")
    assert code == 3
    assert f"AWS/1234/2026-10/USD has 3 lines of 6 USD that {INV_7}, which is in force, has as well" in err
    code, out, _ = desktop.type("import", "bill", "again.csv", "--replace", INV_7)
    assert code == 0
    assert f"{INV_7}: withdrawn, another takes its place" in out
    (bill,) = json.loads(desktop.type("bills", "--format", "json")[1])["bills"]
    assert bill["bill"] == "AWS/1234/2026-10/USD"


def test_the_day_of_an_invoice_and_what_columns_lack_may_be_said(desktop: Desktop) -> None:
    desktop.write("bill.csv", focus({}, without=["BillingCurrency", "ProviderName", "InvoiceIssuerName"]))
    said = ("--provider", "Acme", "--currency", "EUR", "--invoiced", "2026-11-03")
    assert desktop.type("import", "bill", "bill.csv", *said)[0] == 0
    (bill,) = json.loads(desktop.type("bills", "--format", "json")[1])["bills"]
    assert (bill["bill"], bill["invoiced"]) == ("Acme/1234/2026-10/INV-7/EUR", "2026-11-03T00:00:00Z")


def test_a_shape_that_is_forced_is_held_to_its_columns(desktop: Desktop) -> None:
    desktop.write("bill.csv", focus({}))
    code, _, err = desktop.type("import", "bill", "bill.csv", "--shape", "cur")
    assert code == 3
    assert "the header lacks bill/PayerAccountId" in err
    assert desktop.type("import", "bill", "bill.csv", "--shape", "focus")[0] == 0


def test_a_file_that_is_not_there_is_named(desktop: Desktop) -> None:
    code, _, err = desktop.type("import", "bill", "nowhere.csv")
    assert code == 3
    assert "nowhere.csv" in err
