"""`close` and `books`, and what other commands do with a closed month, as people type them."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from desktop import JOBS, MAP, PRICES, Desktop, filled
from sqlalchemy import text

from gpuledger.cli import invoke
from gpuledger.session import Edge
from gpuledger.versions import Database

pytestmark = pytest.mark.books

OCTOBER = ("--month", "2026-10")
PRINTED = ("statement", *OCTOBER)


def closed_desktop(folder: Path) -> Desktop:
    """October closed by ann with its unpriced hours signed for, and November open, on 3 December."""
    desktop = Desktop(folder)
    desktop.write("jobs.csv", JOBS)
    desktop.write("map.yaml", MAP)
    desktop.write("prices.csv", PRICES.replace("2026-01-01T00:00Z", "2026-10-05T02:00Z"))
    desktop.clock = datetime(2026, 12, 3, tzinfo=UTC).timestamp()
    filled(desktop, "2026-12-01T00:00Z")
    assert desktop.type("run")[0] == 0
    words = ("--sign", "unpriced", "--reason", "a trial", "--actor", "ann")
    assert desktop.type("close", *OCTOBER, *words)[0] == 0
    return desktop


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        closed_desktop(folder)
    return folder


@pytest.fixture
def closed(made_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    shutil.copytree(made_once, tmp_path / "desktop")
    monkeypatch.chdir(tmp_path / "desktop")
    desktop = Desktop(tmp_path / "desktop")
    desktop.clock = datetime(2026, 12, 4, tzinfo=UTC).timestamp()
    return desktop


def printed(desktop: Desktop, *words: str) -> list[str]:
    """The statement of October as table, CSV and JSON."""
    forms = ("table", "csv", "json")
    return [desktop.type(*PRINTED, "--by", "team", "--format", form, *words)[1] for form in forms]


def listed(desktop: Desktop) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(desktop.type("books", "--format", "json")[1])
    return found


def test_signing_without_a_reason_is_refused(closed: Desktop) -> None:
    for reason in ((), ("--reason", "  ")):
        code, _, err = closed.type("close", "--month", "2026-11", "--sign", "unpriced", *reason)
        assert code == 3 and "--sign needs a reason" in err
    for unprintable in ("a\x1b[2Jb", "a\nb"):
        code, _, err = closed.type("close", "--month", "2026-11", "--reason", unprintable)
        assert code == 3 and "--reason has characters that do not print" in err
    code, _, err = closed.type("close", "--month", "2026-11", "--sign", "anything", "--reason", "x")
    assert code == 2 and "anything" in err


def test_statement_of_a_closed_month_says_so_and_what_was_signed_for(closed: Desktop) -> None:
    table, _, document = printed(closed)
    assert "2026-10 by team (closed)" in table and "closed at 2026-12-03T00:00:00Z by ann" in table
    assert "SIGNED FOR: unpriced: 5.000000 GPU-hours have no price" in table and "reason: a trial" in table
    assert json.loads(document)["state"] == "closed"
    assert json.loads(document)["close"]["by"] == "ann"


def test_closed_month_prints_the_same_bytes_whatever_comes_after(closed: Desktop) -> None:
    before = printed(closed)
    closed.write("jobs.csv", JOBS.replace("06:00Z,ml", "23:00Z,robots"))
    closed.write("prices.csv", PRICES.replace(",2,", ",3,").replace("2026-01-01T00:00Z", "2026-10-05T02:00Z"))
    filled(closed, "2026-12-01T00:00Z")
    said = "of seq 3; facts of seq 5 are not in them: `gpuledger diff --month 2026-10`\n"
    assert said in closed.type(*PRINTED)[2]
    assert printed(closed) == before
    assert printed(closed, "--as-of", "3") == before, "the seq of the close"
    assert printed(closed, "--as-of", "2026-12-03T00:00Z") == before, "an instant after it"
    assert printed(closed, "--as-of", "5") != before
    closed.type("lake", "compact", "holding")
    shutil.move(closed.folder / "home", closed.folder / "elsewhere")
    (closed.folder / "home").symlink_to(closed.folder / "elsewhere")
    assert printed(closed) == before
    assert closed.type("verify")[0] == 0


def test_run_leaves_a_closed_month_as_it_is(closed: Desktop) -> None:
    code, _, err = closed.type("run", *OCTOBER)
    assert code == 6 and "2026-10 is closed, at seq 3 by ann" in err and "restate" not in err
    code, _, err = closed.type("run")
    assert code == 0 and "2026-10: closed at seq 3, left as it is" in err and "2026-11: seq" in err
    assert [month["state"] for month in listed(closed)] == ["closed", "open"]
    code, _, err = closed.type("close", *OCTOBER)
    assert code == 6 and "2026-10 is closed" in err


def test_books_say_of_each_month_its_state_and_what_is_in_the_way(closed: Desktop) -> None:
    october, november = listed(closed)
    assert october == {
        "period": "2026-10",
        "state": "closed",
        "seq": 3,
        "at": "2026-12-03T00:00:00Z",
        "by": "ann",
        "total": october["total"],
        "in_the_way": [],
        "restated": {},
    }
    assert (november["state"], november["at"], november["in_the_way"]) == ("open", None, [])
    closed.write("prices.csv", PRICES.replace(",2,", ",3,").replace("2026-01-01T00:00Z", "2026-10-05T02:00Z"))
    closed.type("import", "prices", "prices.csv")
    assert listed(closed)[1]["in_the_way"] == [
        "the books are of seq 3, and facts of seq 4 are not in them",
    ]
    table = closed.type("books")[1]
    assert "closed" in table and "ann" in table and "in the way of a close" in table


def test_provisional_close_warns_of_what_is_not_settled(closed: Desktop) -> None:
    closed.clock = datetime(2026, 11, 28, tzinfo=UTC).timestamp()
    code, out, err = closed.type("close", "--month", "2026-11", "--provisional")
    assert code == 0 and "2026-11 is closed provisionally at seq 3 by" in out
    assert "not settled: the period ends at 2026-12-01T00:00:00Z" in err
    assert listed(closed)[1]["state"] == "provisional"


def test_month_without_books_is_listed_with_the_next_step(
    closed: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {"home": str(closed.folder / "home"), "book": "other"}
    edge = Edge(environ={}, cwd=closed.folder, clock=lambda: closed.clock, flags=other)
    with pytest.MonkeyPatch.context() as patch:
        said: list[str] = []
        patch.setattr("gpuledger.session.Session.write", lambda _, text: said.append(text))
        assert invoke(("books", "--format", "json"), edge=edge) == 0
    first = json.loads(said[0])[0]
    assert (first["state"], first["seq"]) == ("open", None)
    assert first["in_the_way"] == ["no books: `gpuledger run --month 2026-10`"]


def test_audit_verify_names_the_row_that_was_changed(closed: Desktop) -> None:
    code, out, _ = closed.type("audit", "verify")
    assert code == 0 and out.startswith("the audit log is whole: 4 rows, digest ")
    database = Database.open(f"sqlite:///{closed.folder}/home/gpuledger.db")
    with database.engine.begin() as connection:
        connection.execute(text("update audit_log set actor = 'bob' where id = 4"))
    database.close()
    code, _, err = closed.type("audit", "verify")
    assert code == 6 and "row 4 of the audit log" in err
    code, _, err = closed.type("verify")
    assert code == 6 and "no row of the audit log was changed or is gone" in err


def test_statement_that_was_changed_after_the_close_is_not_printed(closed: Desktop) -> None:
    database = Database.open(f"sqlite:///{closed.folder}/home/gpuledger.db")
    with database.engine.begin() as connection:
        connection.execute(text("drop trigger period_close_update_closed"))
        connection.execute(text("update period_close set statement = replace(statement, 'nlp', 'nlq')"))
    database.close()
    code, out, err = closed.type(*PRINTED)
    assert code == 6 and out == "" and "the frozen statement of 2026-10 was changed" in err
    code, _, err = closed.type("verify", *OCTOBER)
    assert code == 6 and "the frozen statement is as it was closed" in err
