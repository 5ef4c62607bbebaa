"""Statements as people get them: golden files, cents that add up, keys that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path

import pytest
from house import House, at
from hypothesis import given
from hypothesis import strategies as st

from chargeback.cents import cells_of
from chargeback.ledger import Result
from chargeback.printing import as_csv, as_json, notes, print_table, spreadsheet_safe
from chargeback.statement import By, state_statement
from chargeback.units import EntryDay
from gpuledger.console import make_console
from gpuledger.money import currency, half_up

GOLDEN = Path(__file__).with_name("golden")
DAY = at("2026-10-05T00:00Z")
HOUR = 3600


def small(house: House) -> Result:
    """Two owners, one nobody knows, a formula for a name, idle time, a failed slot, one without a price."""
    for index in range(3):
        house.slot("n1", index, DAY, DAY + 10 * HOUR)
    house.slot("n2", 0, DAY, DAY + 10 * HOUR, model="B200")
    house.price("3.1", 0, DAY + HOUR + 1200)
    house.price("3.3", DAY + HOUR + 1200)
    house.owner("ns-a", "search", cost_centre="CC-1")
    house.holding("j1", DAY, DAY + 5 * HOUR + 7, "ns-a", node="n1", slot="n1/0")
    house.holding("j2", DAY + 100, DAY + 9 * HOUR, "=HYPERLINK(1)", node="n1", units=1)
    house.holding("j3", DAY, DAY + 2 * HOUR, "", node="n1", slot="n1/2")
    house.holding("j4", DAY, DAY + 2 * HOUR, "ns-a", node="n2", slot="n2/0")
    house.fact("state", "s", DAY + 6 * HOUR, DAY + 7 * HOUR, state="failed", node="n1", slot="n1/0")
    house.through(DAY + 10 * HOUR)
    house.keep()
    return house.books()


def test_the_statement_of_a_small_month_is_the_golden_one(house: House) -> None:
    made = state_statement(house.desk.book, small(house), By.owner)
    assert as_json(made) == (GOLDEN / "statement.json").read_text("utf-8")
    assert as_csv(made) == (GOLDEN / "statement.csv").read_bytes().decode()
    console = make_console()
    with console.capture() as printed:
        print_table(made, console)
    assert printed.get() == (GOLDEN / "statement.txt").read_text("utf-8")


def test_every_view_of_a_month_has_one_total_and_one_time(house: House) -> None:
    result = small(house)
    views = [state_statement(house.desk.book, result, by) for by in By]
    assert {(made.total, made.ticks) for made in views} == {(views[0].total, views[0].ticks)}
    for made in views:
        assert sum(line.minor or 0 for line in made.lines) == made.total


def test_the_total_is_the_exact_amount_of_each_pool_rounded_once(house: House) -> None:
    result = small(house)
    hours = Fraction(HOUR + 1200, HOUR) * Fraction("3.1") + Fraction(9 * HOUR - 1200, HOUR) * Fraction("3.3")
    assert result.exact == {"H100": 3 * hours * 10**9}
    assert state_statement(house.desk.book, result, By.owner).total == half_up(3 * hours * 100)


def test_the_notes_say_what_is_not_settled(house: House) -> None:
    said = notes(state_statement(house.desk.book, small(house), By.owner))
    assert any(note.startswith("UNPRICED: 10.000000 GPU-hours") for note in said)


def test_csv_reads_back_as_it_was(house: House) -> None:
    text = as_csv(state_statement(house.desk.book, small(house), By.owner))
    assert text.count("\r\n") == text.count("\n")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert {row["owner"] for row in rows} >= {"'=HYPERLINK(1)", "ns-a", "__idle_free__", "__unknown_owner__"}
    assert sum(round(float(row["amount"]) * 100) for row in rows) == 9820


@pytest.mark.parametrize("key", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])
def test_a_key_that_a_spreadsheet_would_run_is_quoted(key: str) -> None:
    assert spreadsheet_safe(key) == f"'{key}"
    assert spreadsheet_safe("team-a") == "team-a"


def result_of(amounts: list[tuple[str, str, str, int]]) -> Result:
    entries = [
        EntryDay("2026-10-01", "pooled", "", account, "", owner, team, "", "H100", "c", amount)
        for team, owner, account, amount in amounts
    ]
    exact = {"H100": Fraction(sum(amount for *_, amount in amounts))}
    cents = {"H100": half_up(exact["H100"] / 10**7)}
    return Result("r", "2026-10", 1, 0, [], entries, [], exact, cents, {}, {"charged": "pooled"})


teams = st.sampled_from(["a", "b", "__account__"])
owners = st.sampled_from(["x", "y", "__account__"])
accounts = st.sampled_from(["used", "idle_held", "idle_free"])


@given(st.lists(st.tuples(teams, owners, accounts, st.integers(0, 10**12)), min_size=1, max_size=12))
def test_a_teams_cents_are_within_one_of_its_exact_amount(amounts: list[tuple[str, str, str, int]]) -> None:
    cells = cells_of(result_of(amounts), currency("USD"))
    assert sum(cell.minor for cell in cells) == half_up(Fraction(sum(row[3] for row in amounts), 10**7))
    for team in {row[0] for row in amounts}:
        exact = Fraction(sum(row[3] for row in amounts if row[0] == team), 10**7)
        assert abs(sum(cell.minor for cell in cells if cell.team == team) - exact) < 1


@given(st.lists(st.tuples(teams, owners, accounts, st.integers(-(10**12), 10**12)), min_size=1))
def test_the_order_of_entries_moves_no_cent(amounts: list[tuple[str, str, str, int]]) -> None:
    assert cells_of(result_of(amounts), currency("USD")) == cells_of(
        result_of(amounts[::-1]), currency("USD")
    )
