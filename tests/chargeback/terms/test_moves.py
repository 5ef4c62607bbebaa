"""What other terms would move, computed beside the books and kept nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from house import House, at
from sqlalchemy import func, select

from chargeback.desk import silent
from chargeback.outline import outline
from chargeback.period_terms import terms_at
from chargeback.runs import compute_books
from chargeback.terms.apply_print import print_months
from chargeback.terms.in_force import Seqs, TermsInForce, terms_in_force
from chargeback.terms.moves import MonthMove, TeamMove, moved_months
from gpuledger.calendars import month_bounds
from gpuledger.console import make_console
from gpuledger.money import currency
from gpuledger.versions import OwnerFact, PriceFact
from gpuledger.versions.tables import run

pytestmark = pytest.mark.books

OCTOBER, NOVEMBER, DECEMBER = (at(f"2026-{month}-01T00:00Z") for month in (10, 11, 12))


def furnished(house: House) -> int:
    """A slot that a holds in October, and b in November, at 2.5 USD."""
    house.slot("n", 0, OCTOBER, DECEMBER)
    house.holding("r1", OCTOBER, NOVEMBER, "a", node="n", slot="n/0")
    house.holding("r2", NOVEMBER, DECEMBER, "b", node="n", slot="n/0")
    house.price("2.5", 0)
    house.through(DECEMBER)
    return house.keep()


def agreed(house: House, seq: int) -> TermsInForce:
    with house.desk.database.read() as connection:
        return terms_in_force(connection, Seqs.at(seq))


def moves(house: House, seq: int, proposed: TermsInForce) -> list[MonthMove]:
    return list(moved_months(house.desk, seq, DECEMBER, agreed(house, seq), proposed, silent))


def runs_kept(house: House) -> int:
    with house.desk.database.read() as connection:
        return int(connection.scalar(select(func.count()).select_from(run)) or 0)


def test_books_are_computed_into_a_folder_and_the_database_knows_nothing_of_it(house: House) -> None:
    seq = furnished(house)
    known = outline(house.desk, seq, *month_bounds("UTC", "2026-10"))
    terms = terms_at(house.desk, "2026-10", Seqs.at(seq), known)
    folder = house.desk.scratch.parent / "aside"
    result = compute_books(house.desk, terms, known, run_id="run1", books=folder)
    assert runs_kept(house) == 0
    assert not house.desk.books.exists()
    assert len(list(folder.rglob("run=run1/entry.parquet"))) == 31
    kept = house.books()
    assert replace(kept, run_id="run1") == result


def test_only_months_that_change_are_told(house: House) -> None:
    seq = furnished(house)
    before = agreed(house, seq)
    proposed = replace(before, owners=(OwnerFact("a", 0, None, "a", "team a"),))
    (month,) = moves(house, seq, proposed)
    assert (month.month, month.is_closed, month.totals) == ("2026-10", False, (186_000, 186_000))
    assert month.teams == (TeamMove("a", 186_000, None), TeamMove("team a", None, 186_000))
    assert moves(house, seq, before) == []
    assert runs_kept(house) == 0 and list(house.desk.scratch.iterdir()) == []


def test_hours_that_lose_their_price_are_told(house: House) -> None:
    seq = furnished(house)
    before = agreed(house, seq)
    ended = (replace(before.prices[0], end_s=NOVEMBER + 3_600),)
    (month,) = moves(house, seq, replace(before, prices=ended))
    assert (month.month, month.totals) == ("2026-11", (180_000, 250))
    assert [ticks // 720_720 // 3600 for ticks in month.unpriced if ticks is not None] == [0, 719]


def test_month_without_any_price_before_is_told_as_unpriced(house: House) -> None:
    seq = furnished(house)
    bare = replace(agreed(house, seq), prices=())
    priced = replace(bare, prices=(PriceFact("p", 0, None, "model", "*", "", "", "0", "USD", "x"),))
    (october, november) = list(moved_months(house.desk, seq, DECEMBER, bare, priced, silent))
    assert october.teams == (TeamMove("a", None, 0),)
    assert november.unpriced[1] == 0 and not november.is_still


def printed(month: MonthMove) -> Iterator[str]:
    console = make_console()
    with console.capture() as captured:
        print_months([month], currency("USD"), console)
    return iter(captured.get().splitlines())


def test_sentence_has_the_amount_in_groups_of_digits() -> None:
    teams = (TeamMove("language", 100, 1_241_122), TeamMove("vision", 1_241_122, 100))
    month = MonthMove("2026-10", True, (5, 5), (0, 0), teams)
    assert list(printed(month)) == [
        "2026-10 would move 12,410.22 USD from vision to language",
        "2026-10 is closed: `gpuledger restate --month 2026-10` carries the difference into an open month",
    ]


def test_total_that_changes_is_a_table_even_where_two_teams_change() -> None:
    month = MonthMove("2026-10", False, (300, 200), (0, 0), (TeamMove("a", 200, 0), TeamMove("b", 100, 200)))
    lines = list(printed(month))
    assert lines[0].strip() == "2026-10 would change, in USD"
    assert "│ total │   3.00 │  2.00 │      -1.00 │" in lines
