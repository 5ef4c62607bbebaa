"""A year of money beside its truth: owners, lots, invoices and balances; and bills as they come in life.

Twelve months of as many seeds as GPULEDGER_SEEDS says; without it the first two of one.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from money_years import QUANTA, Year, by_key, made_year, stated
from simulated import Row, type_in

from simulator.money.world import Bill, Line
from simulator.money.written import bill_command, write_bill

pytestmark = pytest.mark.books

SEEDS = range(1, 1 + int(os.environ.get("GPULEDGER_SEEDS", "1")))
MONTHS = 12 if "GPULEDGER_SEEDS" in os.environ else 2
SPLITS = 4
"""To slots, to claims, to accounts, and after others: each moves an entry by less than a quantum."""
MONTH = "2026-01"


@pytest.fixture(scope="module", params=SEEDS)
def kept(request: pytest.FixtureRequest) -> Iterator[Year]:
    """A year with its books kept."""
    with TemporaryDirectory() as folder:
        year = made_year(Path(folder), request.param, MONTHS).bring_facts()
        year.bring_bills(year.world.money.bills[: MONTHS + 1])
        yield year.run()


@pytest.fixture(scope="module")
def facts() -> Iterator[Year]:
    """The first month of a year of which no bill has come, and no books are kept yet."""
    with TemporaryDirectory() as folder:
        yield made_year(Path(folder), SEEDS[0], 1).bring_facts()


@pytest.fixture(scope="module")
def billed(facts: Year) -> Iterator[Year]:
    """The same with its bill, and its books kept."""
    with TemporaryDirectory() as folder:
        year = copied(facts, Path(folder, "year"))
        year.bring_bills(year.world.money.bills[:1])
        yield year.run()


@pytest.fixture
def unbilled_year(facts: Year, tmp_path: Path) -> Year:
    """A copy of the month without a bill."""
    return copied(facts, tmp_path / "year")


@pytest.fixture
def year(billed: Year, tmp_path: Path) -> Year:
    """A copy of the month with its bill."""
    return copied(billed, tmp_path / "year")


def copied(year: Year, folder: Path) -> Year:
    shutil.copytree(year.folder, folder)
    return replace(year, folder=folder, _kept={})


def assert_true(year: Year, truth: dict[str, Fraction], said: dict[str, Fraction], month: str) -> None:
    """Every key has its exact money, to a quantum for each split of each of its entries."""
    entries = Counter(key_of(row) for row in year.rows("entry", month) if row["layer"] != "billed")
    for key in truth.keys() | said.keys():
        apart = abs(said.get(key, Fraction(0)) - truth.get(key, Fraction(0)))
        assert apart <= SPLITS * (1 + entries[key]), (month, key)


def key_of(row: Row) -> str:
    """The team of an entry, or the account of what no team owns."""
    return f"__{row['to_account']}__" if row["team"] == "__account__" else row["team"]


def test_every_owners_money_is_true_to_the_quantum_and_cents_add_up(kept: Year) -> None:
    for month in kept.months:
        truth = by_key(kept.known, month)
        said = kept.statement(month)
        assert_true(kept, truth, stated(said), month)
        assert Fraction(said["unpriced_gpu_hours"]) == 0, "invariant 9: free spot time has a price too"
        assert sum(line["amount"] for line in said["lines"]) == said["total"]
        pools = len(said["rounding_pools"])
        assert abs(said["total"] - sum(truth.values(), Fraction(0)) * 100 / QUANTA) < pools
        for line in said["lines"]:
            assert abs(line["amount"] - truth[line["key"]] * 100 / QUANTA) < 2 * pools, line["key"]


def test_each_pool_has_the_money_of_its_devices(kept: Year) -> None:
    if kept.charged != "pooled":
        pytest.skip("this year charges what each lot recognised")
    for month in kept.months:
        found: Counter[tuple[str, str]] = Counter()
        for row in kept.rows("recognised_entry", month):
            found[month, row["pool"]] += row["amount"]
        pools = {key: amount for key, amount in kept.known.pools.items() if key[0] == month}
        assert found.keys() == pools.keys()
        for key, amount in pools.items():
            assert abs(found[key] - amount) < len(kept.rows("recognised_entry", month)), key


def test_lots_recognise_and_owe_what_their_contracts_say(kept: Year) -> None:
    """Invariant 1: the amount of each month, and prepaid + accrued + cost = billed, at each month's end."""
    balances: Counter[tuple[str, str]] = Counter()
    for month in kept.months:
        for key, amount in kept.balances(month).items():
            balances[key] += amount
        found: Counter[str] = Counter()
        for row in kept.recognised(month):
            if row["to_account"] != "fx":
                found[row["lot"]] += row["amount"]
        true = {one.name: one for one in kept.known.balances if one.month == month}
        lots = {name for name in {*true, *found} if not name.startswith("meter:")}
        assert lots <= true.keys()
        for name in lots:
            one = true[name]
            assert found[name] == int(one.recognised) - int(one.recognised - one.cost), (month, name)
            assert abs(balances[name, "prepaid"] - one.prepaid) < 2, (month, name)
            assert abs(balances[name, "accrued"] + one.accrued) < 2, (month, name)
        assert abs(balances["lot:vat", "tax_recoverable"] - true["lot:vat"].billed) < 2


def test_clearing_is_empty_and_a_distribution_changes_no_total(year: Year) -> None:
    """Invariant 5: in each pool and piece, and by lot whoever pays."""
    pooled, recognised = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    for row in year.rows("recognised_entry", MONTH):
        recognised[row["pool"], row["piece_s"]] += row["amount"]
    for row in year.rows("entry", MONTH):
        if row["layer"] == "pooled":
            pooled[row["pool"], row["piece_s"]] += row["amount"]
    assert pooled == recognised and pooled
    before, lots = year.statement(MONTH), by_lot(year)
    chosen = [f"  - {{policy: distribute_{one}, choice: proportional/1}}" for one in ("idle_free", "shared")]
    (year.folder / "terms" / "policies.yaml").write_text("\n".join(["policies:", *chosen, ""]), "utf-8")
    type_in(year.folder, "apply", "-f", "terms", "--no-money")
    year.run()
    after = year.statement(MONTH)
    assert after["total"] == before["total"] and by_lot(year) == lots
    nobody = {line["key"]: Fraction(line["unrounded"]) for line in after["lines"]}
    stood = {line["key"]: Fraction(line["unrounded"]) for line in before["lines"]}
    for key in ("__shared__", "__idle_free__"):
        assert nobody[key] < stood[key] / 2, "only what no team was charged beside stays"


def by_lot(year: Year) -> Counter[tuple[str, str]]:
    """What each lot and pool comes to, but for what is moved between owners."""
    found: Counter[tuple[str, str]] = Counter()
    for row in (*year.rows("entry", MONTH), *year.rows("recognised_entry", MONTH)):
        if row["layer"] != "distributed":
            found[row["layer"], row["lot"] or row["pool"]] += row["amount"]
    return found


def test_entries_and_what_is_left_out_come_to_the_invoice(kept: Year) -> None:
    """Invariant 8: by invoice, at the rate of its day; and all else that `verify` proves."""
    entered: Counter[str] = Counter()
    for month in kept.months:
        type_in(kept.folder, "verify", "--month", month)
        for row in kept.rows("entry", month):
            if row["layer"] == "billed":
                entered[row["lot"]] += row["amount"]
    come = [bill for bill in kept.world.money.bills if bill.invoiced_s < kept.until_s]
    assert come
    for bill in come:
        flows = [flow for flow in kept.known.flows if bill.name in flow.name]
        whole = sum(entered[flow.name] for flow in flows)
        rate = Fraction(1)
        if bill.currency == "EUR":
            paid = next(flow for flow in flows if flow.account == "shared")
            (line,) = (one for one in bill.lines if one.category == "Purchase")
            rate = paid.amount / QUANTA / Fraction(line.amount)
        out = sum(Fraction(line.amount) for line in bill.lines if line.sub_account != "gpu")
        assert abs(whole - (Fraction(bill.total) - out) * rate * QUANTA) <= 2 * len(flows), bill.name


def test_time_without_a_price_is_no_money(year: Year) -> None:
    """Invariant 9: a price that is not known is never 0."""
    path = year.folder / "terms" / "lots.yaml"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if "asset: dgx" not in line]
    path.write_text("".join(kept).replace("assets:\n", "assets: []\n"), "utf-8")
    type_in(year.folder, "apply", "-f", "terms", "--no-money")
    year.run()
    unpriced = Fraction(year.statement(MONTH)["unpriced_gpu_hours"])
    owned = [run for run in year.world.runs if run.kind == "owned"]
    until_s = next(run.start_s for run in owned) + (31 - 8) * 86_400
    assert unpriced == sum((until_s - run.start_s) * 2 for run in owned) / Fraction(3600)


def test_a_bill_that_comes_after_the_close_is_a_restatement_of_cause_bill(unbilled_year: Year) -> None:
    year = unbilled_year.run()
    before = by_key(year.truth([]), MONTH)
    assert_true(year, before, stated(year.statement(MONTH)), MONTH)
    type_in(year.folder, "close", "--month", MONTH, "--actor", "a")
    year.bring_bills(year.world.money.bills[:1])
    printed = year.statement(MONTH, "--view", "closed")
    bridge = json.loads(
        type_in(year.folder, "restate", "--month", MONTH, "--by", "team", "--format", "json", "--actor", "a")
    )
    assert year.statement(MONTH, "--view", "closed") == printed
    after = by_key(year.truth(year.world.money.bills[:1]), MONTH)
    assert bridge["causes"] == ["bill"] and bridge["total"]["causes"]["bill"] > 0
    most = SPLITS * len(year.rows("entry", MONTH))
    restated = stated(year.statement(MONTH, "--view", "restated"))
    assert all(abs(restated[key] - amount) <= most for key, amount in after.items() if amount)
    assert any(abs(after[key] - before.get(key, 0)) > QUANTA for key in after)


def test_a_bill_that_comes_twice_changes_nothing(year: Year) -> None:
    bills = year.world.money.bills[:1]
    before = year.statement(MONTH)
    again = json.loads(type_in(year.folder, *bill_command(bills[0]), "--format", "json"))
    assert "unchanged" in json.dumps(again)
    assert year.statement(MONTH) == before


def test_a_corrected_bill_takes_the_place_of_the_first(year: Year) -> None:
    bill = year.world.money.bills[0]
    corrected = with_lines(bill, [corrected_line(line) for line in bill.lines])
    year.bring_bills([corrected])
    year.run()
    assert_true(year, by_key(year.truth([corrected]), MONTH), stated(year.statement(MONTH)), MONTH)
    plain, other = by_key(year.truth([bill]), MONTH), by_key(year.truth([corrected]), MONTH)
    assert any(abs(plain[key] - other[key]) > QUANTA for key in plain)


def corrected_line(line: Line) -> Line:
    if line.category != "Usage":
        return line
    return replace(line, amount=f"{Decimal(line.amount) * Decimal('0.96'):.10f}")


def with_lines(bill: Bill, lines: list[Line]) -> Bill:
    """The bill with these lines, and the total that they come to."""
    total = sum((Decimal(line.amount) for line in lines), Decimal(0))
    return replace(bill, lines=tuple(lines), total=f"{total:.2f}")


def test_a_bill_that_lacks_a_line_is_refused_by_its_total(unbilled_year: Year) -> None:
    year = unbilled_year
    bill = year.world.money.bills[0]
    missing = bill.lines[3]
    short = replace(bill, lines=tuple(line for line in bill.lines if line != missing))
    write_bill(year.folder / "bills" / f"{bill.month}.csv", short)
    said = " ".join(year.refused(*bill_command(bill)).split())
    assert f"should come to {bill.total}" in said and "nothing was stored" in said
    assert json.loads(type_in(year.folder, "bills", "--format", "json")).get("bills") == []


def test_a_resource_that_nobody_knows_stands_in_reconciliation(year: Year) -> None:
    bill = year.world.money.bills[0]
    at_s = bill.start_s + 5 * 86_400
    line = Line("Usage", "Nimbus Compute", "i-dead", at_s, at_s + 86_400, "77.7700000000")
    odd = with_lines(bill, [*bill.lines, line])
    year.bring_bills([odd])
    year.run()
    truth = by_key(year.truth([odd]), MONTH)
    assert_true(year, truth, stated(year.statement(MONTH)), MONTH)
    assert truth["__reconciliation__"] > 70 * QUANTA
    assert "i-dead" in type_in(year.folder, "bills")


def test_focus_files_have_a_line_for_each_charge_and_the_lines_digits(year: Year) -> None:
    bill = year.world.money.bills[1]
    rows = list(csv.DictReader(io.StringIO((year.folder / "bills" / f"{bill.month}.csv").read_text("utf-8"))))
    assert [row["BilledCost"] for row in rows] == [line.amount for line in bill.lines]
