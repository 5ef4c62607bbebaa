"""Closing a month: what it refuses, what it freezes, and what it holds against."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from house import House, at, make_house
from sqlalchemy import event, select, text

import chargeback.closing
from chargeback.checks import FAILED
from chargeback.closes import PeriodClose, find_close
from chargeback.closing import Asked, close_period
from chargeback.frozen_facts import FACTS, facts_folder
from chargeback.frozen_statement import thaw_statement
from chargeback.ledger import load_run, run_in_force
from chargeback.obstacles import Signable
from chargeback.printing import as_csv, as_json
from chargeback.statement import By, state_statement
from chargeback.sweep import sweep_runs
from chargeback.verify import verify_close, verify_database, verify_period
from chargeback.workbench import Workbench
from gpuledger.errors import BooksError, InputError, StorageError
from gpuledger.lake.arrow import pq
from gpuledger.versions import Database
from gpuledger.versions.tables import audit_log, run

pytestmark = pytest.mark.books

MONTH = "2026-10"
START, END = at("2026-10-01T00:00Z"), at("2026-11-01T00:00Z")
NOW = at("2026-11-03T09:00Z")
GOLDEN = Path(__file__).parent / "golden" / "closed_statement.json"


def settle(house: House) -> None:
    """A fleet of two GPUs over two days with everything known, and its books as run1."""
    for index in (0, 1):
        house.slot("n", index, at("2026-10-05T00:00Z"), at("2026-10-07T00:00Z"))
        house.device("n", index, f"GPU-{index}", at("2026-10-05T00:00Z"), at("2026-10-07T00:00Z"))
    house.holding("a", at("2026-10-05T01:10Z"), at("2026-10-06T02:00Z"), "ml", node="n")
    house.holding("b", at("2026-10-05T03:00Z"), at("2026-10-05T04:20Z"), "nlp", node="n")
    house.price("2.744705", START)
    house.through(END)
    house.keep()
    house.books(MONTH)


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("settled") / "home"
    folder.mkdir()
    house = make_house(folder)
    settle(house)
    house.desk.database.close()
    return folder


def reopened(folder: Path) -> House:
    shutil.rmtree(folder / "scratch")
    house = make_house(folder)
    house.runs = 1
    return house


@pytest.fixture
def settled(made_once: Path, tmp_path: Path) -> Iterator[House]:
    """A month whose books are in force and in order."""
    shutil.copytree(made_once, tmp_path / "home")
    house = reopened(tmp_path / "home")
    yield house
    house.desk.database.close()


def close(house: House, close_id: str = "c1", **asked: Any) -> PeriodClose:
    made, _ = close_period(house.desk, MONTH, Asked(**{"actor": "ann", "at_s": NOW} | asked), close_id)
    return made


def closed(house: House) -> PeriodClose | None:
    with house.desk.database.read() as connection:
        return find_close(connection, "main", MONTH)


def failed(house: House) -> list[str]:
    """What `verify` says does not hold."""
    with house.desk.database.read() as connection:
        run_id = run_in_force(connection, "main", MONTH)
        assert run_id is not None
        result = load_run(connection, run_id)
    checks = [*verify_period(house.desk, MONTH, result), *verify_database(house.desk.database)]
    return [check.says for check in checks if check.status == FAILED]


def not_as_closed(house: House) -> list[str]:
    """What of the close itself and of the log does not hold, without reading the partitions."""
    checks = [*verify_close(house.desk, MONTH), *verify_database(house.desk.database)]
    return [check.says for check in checks if check.status == FAILED]


def tamper(house: House, *statements: str) -> None:
    """Write past the triggers, as whoever owns the database can."""
    with house.desk.database.engine.begin() as connection:
        names = connection.scalars(text("select name from sqlite_master where type = 'trigger'")).all()
        for name in names:
            connection.execute(text(f"drop trigger {name}"))
        for statement in statements:
            assert connection.execute(text(statement)).rowcount > 0


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def test_month_without_books_or_of_no_calendar_is_refused(house: House) -> None:
    with pytest.raises(BooksError, match="there are no books of 2026-10"):
        close(house)
    with pytest.raises(InputError, match="is not a month"):
        close_period(house.desk, "2026-13", Asked("ann", NOW), "c1")


def test_settled_month_closes_with_the_lines_it_had(settled: House) -> None:
    with settled.desk.database.read() as connection:
        result = load_run(connection, "run1")
    before = {by: state_statement(settled.desk.book, result, by) for by in By}
    made = close(settled)
    assert (made.state, made.run_id, made.seq, made.actor) == ("closed", "run1", 2, "ann")
    assert made.statement + "\n" == GOLDEN.read_text("utf-8"), "frozen lines are a format: see FORMAT_VERSION"
    for by, living in before.items():
        frozen = thaw_statement(made.statement, by)
        assert as_csv(frozen) == as_csv(living)
        document = json.loads(as_json(frozen))
        signature = {"at": "2026-11-03T09:00:00Z", "by": "ann", "reason": "", "unsettled": []}
        assert document.pop("close") == signature
        assert document == json.loads(as_json(living)) | {"state": "closed"}
    with settled.desk.database.read() as connection:
        assert connection.scalar(select(run.c.state).where(run.c.id == "run1")) == "closed"
    assert failed(settled) == []


def test_every_obstacle_is_named_and_nothing_has_changed(settled: House) -> None:
    settled.holding("a2", at("2026-10-06T03:00Z"), at("2026-10-06T05:00Z"), "x", node="m")
    settled.slot("p", 0, at("2026-10-05T00:00Z"), at("2026-10-05T03:00Z"), model="L4")
    settled.through(END - 60, source="late", cluster="d")
    settled.keep()
    settled.books(MONTH)
    settled.owner("nlp", "Language")
    settled.keep()
    with pytest.raises(BooksError) as caught:
        close(settled, at_s=END - 1)
    said = caught.value.message
    assert "the books are of seq 3, and facts of seq 4 are not in them" in said
    assert "3.000000 GPU-hours have no price" in said
    assert "2.000000 GPU-hours are claimed where no slot was" in said
    assert "cluster d is complete to 2026-10-31T23:59:00Z only" in said
    assert "the period ends at 2026-11-01T00:00:00Z" in said
    assert "--sign not-yet-known --sign orphaned --sign unpriced --reason" in caught.value.mend
    assert closed(settled) is None and failed(settled) == []


def test_what_is_signed_for_stands_in_the_statement_and_in_the_log(settled: House) -> None:
    settled.slot("p", 0, at("2026-10-05T00:00Z"), at("2026-10-05T03:00Z"), model="L4")
    settled.keep()
    settled.books(MONTH)
    with pytest.raises(BooksError, match="000 GPU-hours have no price"):
        close(settled, signed=frozenset({Signable.contested}), reason="why not")
    made = close(settled, "c2", signed=frozenset({Signable.unpriced}), reason="a loan, agreed with finance")
    signed = {"what": "unpriced", "figure": "3.000000 GPU-hours have no price", "signed": True}
    assert made.frozen["summary"]["close"]["unsettled"] == [signed]
    with settled.desk.database.read() as connection:
        logged = connection.execute(select(audit_log).order_by(audit_log.c.id.desc()).limit(1)).one()
    assert (logged.actor, logged.action, logged.at_s, logged.seq) == ("ann", "close", NOW, None)
    for part in ("2026-10 of main: ", "a loan, agreed with finance", "3.000000", made.statement_digest):
        assert part in logged.detail


def test_failed_check_cannot_be_signed_for(settled: House) -> None:
    path = max((settled.desk.books / "main" / MONTH).rglob("recognised_entry.parquet"))
    shutil.copy(next(path.parent.glob("entry.parquet")), path)
    with pytest.raises(BooksError, match=r"check 7 failed \(no file of the books has changed\)"):
        close(settled, signed=frozenset(Signable), reason="hurry")


def test_provisional_close_only_warns_and_a_run_opens_the_month_again(settled: House) -> None:
    asked = Asked("ann", at("2026-10-20T00:00Z"), provisional=True)
    made, unsettled = close_period(settled.desk, MONTH, asked, "c1")
    assert (made.state, [one.signable for one in unsettled]) == ("provisional", [Signable.not_yet_known])
    assert made.frozen["summary"]["close"]["unsettled"][0]["signed"] is False
    settled.books(MONTH)
    assert closed(settled) is None and not_as_closed(settled) == []
    close(settled, "c2", provisional=True)
    assert close(settled, "c3").state == "closed"
    with settled.desk.database.read() as connection:
        actions = connection.scalars(select(audit_log.c.action).where(audit_log.c.seq.is_(None))).all()
    assert actions == ["close provisionally", "open again", "close provisionally", "close"]


def test_books_of_a_closed_month_stay_whatever_becomes_known(settled: House) -> None:
    made = close(settled)
    settled.owner("ml", "Vision")
    seq = settled.keep()
    with pytest.raises(BooksError, match="2026-10 is closed, at seq 2 by ann"):
        settled.books(MONTH)
    with pytest.raises(BooksError, match="2026-10 is closed"):
        close(settled, "c2")
    with pytest.raises(BooksError, match="2026-10 is closed"):
        close(settled, "c3", provisional=True)
    assert closed(settled) == made and failed(settled) == []
    assert seq == 3


def test_of_two_closes_at_once_one_closes_and_the_other_is_told(settled: House) -> None:
    other = beside(settled)
    together, ends = Barrier(2), []

    def one(house: House, name: str) -> None:
        together.wait()
        try:
            ends.append(close(house, name, actor=name).actor)
        except BooksError as error:
            ends.append(error.message)

    threads = [Thread(target=one, args=each) for each in ((settled, "ann"), (other, "bob"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = closed(settled)
    assert made is not None
    assert sorted(ends) == sorted(
        [made.actor, f"2026-10 is closed, at seq 2 by {made.actor}: its books do not change any more"]
    )
    assert failed(settled) == []
    other.desk.database.close()


def beside(house: House) -> House:
    """A second user of the same home."""
    return House(replace(house.desk, database=Database.open(house.desk.database.name)))


def put_another_in_force(house: House) -> None:
    """What a run does at its end."""
    with house.desk.database.write() as connection:
        connection.execute(
            text("insert into run select 'run2', book, period, seq, 1, '', 'open', 1, 1, '' from run")
        )
        connection.execute(text("update book_head set run_id = 'run2'"))


@pytest.mark.parametrize("meanwhile", ["close", "run", "fact"])
def test_what_happens_between_checking_and_closing_is_seen(
    settled: House, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    freeze = chargeback.closing.freeze_facts

    def interrupted(*given: Any) -> str:
        monkeypatch.setattr(chargeback.closing, "freeze_facts", freeze)
        if meanwhile == "close":
            close(settled, "other", actor="bob")
        elif meanwhile == "run":
            put_another_in_force(settled)
        else:
            settled.owner("ml", "Vision")
            settled.keep()
        return freeze(*given)

    monkeypatch.setattr(chargeback.closing, "freeze_facts", interrupted)
    says = {"close": "is closed, at seq 2 by bob"}.get(meanwhile, "changed while it was being closed")
    with pytest.raises(BooksError, match=says):
        close(settled)
    made = closed(settled)
    assert (made is None) == (meanwhile != "close") and not_as_closed(settled) == []


def test_disk_that_is_full_for_the_facts_leaves_the_month_open(
    settled: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, written = Workbench.write, []

    def filling(bench: Workbench, query: str, path: Path) -> int:
        written.append(path)
        if len(written) == 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(bench, query, path)

    monkeypatch.setattr(Workbench, "write", filling)
    with pytest.raises(StorageError, match="No space left"):
        close(settled)
    assert closed(settled) is None and failed(settled) == []
    monkeypatch.undo()
    assert close(settled, "c2").state == "closed" and failed(settled) == []


def test_disk_that_is_full_for_the_database_leaves_the_month_open(settled: House) -> None:
    engine = settled.desk.database.engine
    engine.dispose()

    def no_more_pages(connection: Any, _record: Any) -> None:
        (pages,) = connection.execute("pragma page_count").fetchone()
        connection.execute(f"pragma max_page_count = {pages}")

    event.listen(engine, "connect", no_more_pages)
    with pytest.raises(StorageError, match="database or disk is full"):
        close(settled, reason="long " * 10_000)
    event.remove(engine, "connect", no_more_pages)
    engine.dispose()
    assert closed(settled) is None and failed(settled) == []
    assert close(settled, "c2").state == "closed" and failed(settled) == []


def test_facts_that_the_run_read_are_kept_and_those_of_a_broken_close_swept(settled: House) -> None:
    close(settled)
    folder = facts_folder(settled.desk, MONTH, "c1", 0)
    assert sorted(path.stem for path in folder.iterdir()) == sorted(FACTS)
    claims = pq.read_table(folder / "holding_claim.parquet", partitioning=None).to_pylist()
    assert [(row["run"], row["from_s"]) for row in claims] == [
        ("c/a", at("2026-10-05T01:10Z")),
        ("c/b", at("2026-10-05T03:00Z")),
    ]
    broken = facts_folder(settled.desk, MONTH, "never", 0)
    shutil.copytree(folder, broken)
    assert sweep_runs(settled.desk, int(folder.stat().st_mtime) + 90_000) == 1
    assert folder.exists() and not broken.exists() and failed(settled) == []


def test_what_is_frozen_stays_the_same_when_the_lake_is_compacted_and_the_home_moved(settled: House) -> None:
    made = close(settled)
    for table in ("slot", "device", "holding"):
        settled.desk.lake.compact(table, 0, NOW)
    settled.desk.lake.sweep(NOW + 90_000)
    assert failed(settled) == []
    settled.desk.database.close()
    home = settled.desk.books.parent
    home.rename(home.with_name("moved"))
    moved = reopened(home.with_name("moved"))
    assert closed(moved) == made and failed(moved) == []
    moved.desk.database.close()


@pytest.mark.parametrize(
    ("tampering", "says"),
    [
        (
            "update period_close set statement = replace(statement, '\"nlp\"', '\"nlq\"')",
            "the frozen statement is",
        ),
        ("update period_close set actor = 'bob'", "the audit log says the same"),
        ("update period_close set state = 'provisional'", "the audit log says the same"),
        ("update period_close set statement_digest = facts_digest", "the frozen statement is"),
        ("delete from period_close", "a period that was closed stays closed"),
        ("update entry_day set owner = 'nlq' where owner = 'nlp'", "the database's rows of the books"),
        ("update time_day set cost_centre = 'cc' where owner = 'nlp'", "the database's rows of the books"),
        ("update pool_total set cents = cents + 1", "the database's rows of the books"),
        ("update run set engine_version = '9'", "the database's rows of the books"),
        ("update audit_log set actor = 'bob' where action = 'close'", "no row of the audit log"),
        ("delete from audit_log where action = 'close'", "the audit log says the same"),
    ],
)
def test_change_in_the_database_is_found(closed_once: House, tampering: str, says: str) -> None:
    tamper(closed_once, tampering)
    assert any(one.startswith(says) for one in not_as_closed(closed_once))


@pytest.fixture(scope="module")
def frozen_once(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("closed") / "home"
    shutil.copytree(made_once, folder)
    house = reopened(folder)
    close(house)
    house.desk.database.close()
    return folder


@pytest.fixture
def closed_once(frozen_once: Path, tmp_path: Path) -> Iterator[House]:
    """A month that is closed."""
    shutil.copytree(frozen_once, tmp_path / "home")
    house = reopened(tmp_path / "home")
    yield house
    house.desk.database.close()


@pytest.mark.parametrize("wrong", ["'{' || summary", "replace(summary, 'charged', 'chbrged')"])
def test_damaged_summary_of_a_run_is_an_error_and_no_traceback(closed_once: House, wrong: str) -> None:
    tamper(closed_once, f"update run set summary = {wrong}")
    with pytest.raises(BooksError, match="what the database says of run run1 of 2026-10 is damaged"):
        failed(closed_once)


def test_damaged_page_of_the_database_is_found(closed_once: House) -> None:
    closed_once.desk.database.close()
    path = closed_once.desk.books.parent / "gpuledger.db"
    data = path.read_bytes()
    head = data.rindex(b"main2026-102026-10-05")
    flip(path, head + 9)
    assert "the database's tables and indexes agree" in not_as_closed(closed_once)


def test_flipped_byte_in_frozen_facts_is_found(closed_once: House) -> None:
    for name in sorted(FACTS):
        path = facts_folder(closed_once.desk, MONTH, "c1", 0) / f"{name}.parquet"
        whole = path.read_bytes()
        flip(path, len(whole) // 2)
        assert not_as_closed(closed_once) == ["the frozen facts are as they were closed"]
        path.unlink()
        assert not_as_closed(closed_once) == ["the frozen facts are as they were closed"]
        path.write_bytes(whole)
        assert not_as_closed(closed_once) == []


def test_flipped_byte_in_a_partition_is_found(closed_once: House) -> None:
    path = max((closed_once.desk.books / "main" / MONTH).rglob("time_row.parquet"))
    whole = path.read_bytes()
    flip(path, len(whole) // 3)
    for wrong in (path.read_bytes(), whole[:-1], b"", whole + b"x"):
        path.write_bytes(wrong)
        assert failed(closed_once) == ["no file of the books has changed"]
    path.unlink()
    assert failed(closed_once) == ["no file of the books has changed"]
    path.write_bytes(whole)
    assert failed(closed_once) == []
