"""`gpuledger import fx`: rates by day from two shapes of file, all of them or none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chargeback.terms.fx_import import parse_fx
from gpuledger.cli import invoke
from gpuledger.errors import InputError, OverlapError
from gpuledger.session import Edge
from gpuledger.versions import Database, FxFact, fx_in_force

LONG = "date,base,quote,rate\n"
WIDE = "Date,USD,JPY,BGN,\n"


class Desk:
    """Imports files in a folder of its own, at a fixed time."""

    def __init__(self, folder: Path, printed: pytest.CaptureFixture[str]) -> None:
        self.folder, self.printed = folder, printed
        environ = {"GPULEDGER_HOME": str(folder / "home")}
        self.edge = Edge(environ=environ, cwd=folder, clock=lambda: 1_793_000_000)

    def bring_in(self, text: str, *options: str) -> int:
        (self.folder / "rates.csv").write_text(text, encoding="utf-8")
        return invoke(["import", "fx", str(self.folder / "rates.csv"), *options], edge=self.edge)

    def figures(self, text: str, *options: str) -> dict[str, Any]:
        assert self.bring_in(text, "--format", "json", *options) == 0
        read: dict[str, Any] = json.loads(self.printed.readouterr().out)
        return read

    def known(self) -> list[FxFact]:
        database = Database.open(f"sqlite:///{self.folder / 'home' / 'gpuledger.db'}")
        with database.read() as connection:
            found = fx_in_force(connection, database.latest_seq())
        database.close()
        return found


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def read(text: str) -> list[tuple[str, str, str, str]]:
    return [(fact.day, fact.base, fact.quote, fact.rate) for fact in parse_fx(text, "rates.csv", "s").facts]


def test_each_row_of_a_long_file_is_a_rate() -> None:
    text = "quote,date,rate,base,source\nUSD,2026-10-01,1.1700,EUR,bank\nEUR,2026-10-01,1e-3,KRW,\n"
    assert read(text) == [("2026-10-01", "EUR", "USD", "1.17"), ("2026-10-01", "KRW", "EUR", "0.001")]
    assert [fact.source for fact in parse_fx(text, "", "file").facts] == ["bank", "file"]
    (fact, _) = parse_fx(text, "", "file").facts
    assert (fact.identity, fact.start_s, fact.end_s) == ("EUR/USD/2026-10-01", 1_790_812_800, 1_790_899_200)


def test_wide_table_is_for_one_euro_and_counts_what_it_has_not() -> None:
    found = parse_fx(WIDE + "2026-10-02,1.17,N/A,1.9558,\n2026-10-01,1.16,172.5,,\n", "", "ecb")
    assert [(fact.day, fact.base, fact.quote, fact.rate) for fact in found.facts] == [
        ("2026-10-02", "EUR", "USD", "1.17"),
        ("2026-10-01", "EUR", "USD", "1.16"),
        ("2026-10-01", "EUR", "JPY", "172.5"),
    ]
    assert (found.shape, found.rows, found.absent, found.skipped) == ("wide", 2, 2, {"BGN": 1})


def test_daily_table_has_blanks_and_the_name_of_the_month() -> None:
    text = "Date, USD, JPY, \n16 October 2026, 1.1194, 163.05, \n"
    assert read(text) == [
        ("2026-10-16", "EUR", "USD", "1.1194"),
        ("2026-10-16", "EUR", "JPY", "163.05"),
    ]


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        (LONG + "2026-10-01,EUR,USD,0\n", "0 is no exchange rate", "rates.csv, row 1, column rate"),
        (LONG + "2026-10-01,EUR,USD,-1.1\n", "-1.1 is no exchange rate", "rates.csv, row 1, column rate"),
        (LONG + "2026-10-01,EUR,USD,1e9\n", "1e9 is no exchange rate", "rates.csv, row 1, column rate"),
        (LONG + "2026-10-01,EUR,USD,1e-9\n", "1e-9 is no exchange rate", "rates.csv, row 1, column rate"),
        (LONG + "2026-10-01,EUR,USD,NaN\n", "'NaN' is not an amount", "rates.csv, row 1, column rate"),
        (LONG + '2026-10-01,EUR,USD,"1,1"\n', "'1,1' is not an amount", "rates.csv, row 1, column rate"),
        (LONG + "2026-10-01,EUR,XYZ,1\n", "currency 'XYZ' is not known", "rates.csv, row 1, column quote"),
        (LONG + "2026-10-01,eur,USD,1\n", "currency 'eur' is not known", "rates.csv, row 1, column base"),
        (LONG + "2026-10-01,USD,USD,1\n", "a rate of USD in USD", "rates.csv, row 1"),
        (LONG + "2026-02-30,EUR,USD,1\n", "'2026-02-30' is no day", "rates.csv, row 1, column date"),
        (LONG + "01.10.2026,EUR,USD,1\n", "'01.10.2026' is no day", "rates.csv, row 1, column date"),
        (LONG + "2199-01-01,EUR,USD,1\n", "'2199-01-01' is no day", "rates.csv, row 1, column date"),
        ("date,base,rate\n", "the header lacks quote", "rates.csv, column quote"),
        ("", "the file is empty", "rates.csv"),
        (WIDE + "2026-10-01,0,1,1,\n", "0 is no exchange rate", "rates.csv, row 1, column USD"),
        (WIDE + "2026-10-01,x,1,1,\n", "'x' is not an amount", "rates.csv, row 1, column USD"),
        (WIDE + "2026-10-01,1,1,1,,7\n", "6 cells under 5 columns", "rates.csv, row 1"),
        ("Date,USD,USD\n", "column 'USD' is there twice", "rates.csv, column USD"),
        ("Date,USD,EUR\n", "column 'EUR' is no currency", "rates.csv, column EUR"),
        ("Date,USD,usd\n", "column 'usd' is no currency", "rates.csv, column usd"),
    ],
)
def test_what_cannot_be_right_is_refused_with_its_place(text: str, message: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_fx(text, "rates.csv", "s")
    assert message in caught.value.message
    assert caught.value.mend and str(caught.value.place) == place


def test_same_rate_twice_is_one_and_two_rates_of_a_day_are_refused() -> None:
    twice = LONG + "2026-10-01,EUR,USD,1.1\n2026-10-01,EUR,USD,1.10\n"
    assert len(read(twice)) == 1
    with pytest.raises(OverlapError) as caught:
        read(twice + "2026-10-01,EUR,USD,1.2\n")
    assert caught.value.message == "EUR in USD is 1.1 in row 1 and 1.2 in row 3, both on 2026-10-01"


def test_file_that_comes_twice_changes_nothing(desk: Desk) -> None:
    text = LONG + "2026-10-01,EUR,USD,1.1\n2026-10-02,EUR,USD,1.2\n"
    first, again = desk.figures(text), desk.figures(text, "--source", "another")
    assert (first["rows"], first["rates"], first["new"], first["seq"]) == (2, 2, 2, 1)
    assert (again["new"], again["changed"], again["unchanged"], again["seq"]) == (0, 0, 2, 1)
    assert (again["first"], again["last"]) == ("2026-10-01", "2026-10-02")


def test_correction_is_a_version_of_its_own(desk: Desk) -> None:
    desk.figures(LONG + "2026-10-01,EUR,USD,1.1\n")
    again = desk.figures(LONG + "2026-10-01,EUR,USD,1.15\n2026-10-02,EUR,USD,1.2\n")
    assert (again["new"], again["changed"], again["seq"]) == (1, 1, 2)
    assert [fact.rate for fact in desk.known()] == ["1.15", "1.2"]


def test_file_with_a_mistake_stores_nothing(desk: Desk) -> None:
    assert desk.bring_in(LONG + "2026-10-01,EUR,USD,1.1\n2026-10-02,EUR,USD,0\n") == 3
    said = desk.printed.readouterr().err
    assert "0 is no exchange rate" in said and "row 2" in said


def test_summary_says_what_was_read_and_left_out(desk: Desk) -> None:
    assert desk.bring_in(WIDE + "2026-10-01,1.17,N/A,1.9558,\n2026-10-02,1.18,170,1.9558,\n") == 0
    lines = desk.printed.readouterr().out.splitlines()
    assert lines[0].endswith("rows 2, rates 3, new 3, changed 0, unchanged 0, absent 1")
    assert lines[1:] == [
        "rates are of 2026-10-01 to 2026-10-02",
        "left out, since no currency is known by the code: BGN 2",
        "known at seq 1",
    ]


def test_rates_of_earlier_days_can_be_left_out(desk: Desk) -> None:
    text = LONG + "2026-10-01,EUR,USD,1.1\n2026-10-02,EUR,USD,1.2\n"
    found = desk.figures(text, "--from", "2026-10-02")
    assert (found["rows"], found["rates"], found["first"]) == (2, 1, "2026-10-02")
    assert desk.bring_in(text, "--from", "October") == 3
    assert "'October' is no day" in desk.printed.readouterr().err


def test_file_without_a_rate_makes_no_commit(desk: Desk) -> None:
    found = desk.figures(WIDE)
    assert (found["rows"], found["rates"], found["first"], found["seq"]) == (0, 0, None, 0)
