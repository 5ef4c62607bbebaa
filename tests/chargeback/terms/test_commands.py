"""The commands `import prices` and `import owners` against a ledger of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuledger.cli import invoke
from gpuledger.instants import format_utc
from gpuledger.session import Edge
from gpuledger.versions import Database, owners_in_force, prices_in_force

PRICES = "model,region,rate,currency,from,to\n"
OWNERS = "owner_key,team,cost_centre,from,to\n"
OCTOBER, NOVEMBER = "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"


class Desk:
    """Runs the commands in a folder of its own, at a fixed time."""

    def __init__(self, folder: Path, printed: pytest.CaptureFixture[str], zone: str = "UTC") -> None:
        self.folder, self.printed = folder, printed
        environ = {"GPULEDGER_HOME": str(folder / "home"), "GPULEDGER_ZONE": zone}
        self.edge = Edge(environ=environ, cwd=folder, clock=lambda: 1_793_000_000)

    def bring_in(self, kind: str, text: str, *options: str, name: str = "list.csv") -> int:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return invoke(["import", kind, str(path), *options], edge=self.edge)

    def figures(self, kind: str, text: str, *options: str, name: str = "list.csv") -> dict[str, Any]:
        assert self.bring_in(kind, text, "--format", "json", *options, name=name) == 0
        read: dict[str, Any] = json.loads(self.printed.readouterr().out)
        return read

    def known(self, kind: str) -> list[Any]:
        database = Database.open(f"sqlite:///{self.folder / 'home' / 'gpuledger.db'}")
        in_force = prices_in_force if kind == "prices" else owners_in_force
        with database.read() as connection:
            found: list[Any] = in_force(connection, database.latest_seq())
        database.close()
        return found


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_a_list_that_comes_twice_is_known_already(desk: Desk) -> None:
    rows = PRICES + f"H100,eu,2.50,USD,{OCTOBER},\nA100,eu,0,USD,{OCTOBER},\n"
    first = desk.figures("prices", rows)
    again = desk.figures("prices", rows.replace("2.50", "2.5"), name="renamed.csv")
    assert (first["new"], first["unchanged"], first["rate_of_0"], first["seq"]) == (2, 0, 1, 1)
    assert (again["new"], again["unchanged"], again["seq"]) == (0, 2, 1)


def test_a_later_list_corrects_records_of_the_same_start(desk: Desk) -> None:
    desk.figures("prices", PRICES + f"H100,eu,2.50,USD,{OCTOBER},\n")
    later = desk.figures(
        "prices", PRICES + f"H100,eu,2.60,USD,{OCTOBER},{NOVEMBER}\nH100,eu,3,USD,{NOVEMBER},\n"
    )
    assert (later["new"], later["changed"]) == (1, 1)
    assert [fact.rate for fact in desk.known("prices")] == ["2.6", "3"]


def test_an_overlap_with_what_is_in_force_refuses_the_whole_list(desk: Desk) -> None:
    desk.figures("prices", PRICES + f"H100,eu,2.50,USD,{OCTOBER},\n")
    assert desk.bring_in("prices", PRICES + f"A100,eu,1,USD,{OCTOBER},\nH100,eu,3,USD,{NOVEMBER},\n") == 3
    printed = desk.printed.readouterr()
    assert "the record in force (model/H100/eu//2026-10-01T00:00:00Z until open)" in printed.err
    assert "and row 2 (model/H100/eu//2026-11-01T00:00:00Z until open) hold at the same time" in printed.err
    assert "list.csv, row 2" in printed.err
    assert [fact.selector for fact in desk.known("prices")] == ["H100"]


def test_the_zone_of_local_times_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk(tmp_path, capsys, zone="Asia/Kolkata")
    rows = PRICES + "H100,{},2.50,USD,2026-10-01,\n"
    assert desk.figures("prices", rows.format("eu"))["times_read_in"] == "Asia/Kolkata"
    assert (
        desk.figures("prices", rows.format("us"), "--zone", "Europe/Berlin")["times_read_in"]
        == "Europe/Berlin"
    )
    assert [format_utc(fact.start_s) for fact in desk.known("prices")] == [
        "2026-09-30T18:30:00Z",
        "2026-09-30T22:00:00Z",
    ]
    assert desk.bring_in("prices", rows.format("ap")) == 0
    assert "times without an offset were read in Asia/Kolkata" in desk.printed.readouterr().out


def test_owners_say_who_a_key_is(desk: Desk) -> None:
    assert desk.bring_in("owners", OWNERS + f"nlp,language,CC-1,{OCTOBER},\n") == 0
    assert "owners from" in desk.printed.readouterr().out
    assert [(fact.owner_key, fact.team, fact.cost_centre) for fact in desk.known("owners")] == [
        ("nlp", "language", "CC-1")
    ]
    moved = desk.figures("owners", OWNERS + f"nlp,speech,CC-2,{OCTOBER},\n")
    assert (moved["changed"], moved["seq"]) == (1, 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("prices", PRICES + f"H100,eu,-1,USD,{OCTOBER},\n"), "rate -1 is negative"),
        (("owners", OWNERS + f"nlp,,,{OCTOBER},\n"), "team is empty"),
        (("prices", PRICES + "H100,eu,1,USD,2026-10-01,\n", "--zone", "Mars/X"), "time zone 'Mars/X'"),
        (("prices", "\xff"), "the header lacks"),
        (("prices", ""), "the file is empty"),
        (("prices", PRICES + 'H100,eu,"1\n'), "the text is no CSV"),
    ],
)
def test_terms_that_cannot_be_right_are_refused_and_nothing_is_written(
    desk: Desk, words: tuple[str, ...], message: str
) -> None:
    assert desk.bring_in(*words) == 3
    printed = desk.printed.readouterr()
    assert message in printed.err
    assert printed.out == ""
    assert desk.known("prices") == desk.known("owners") == []
