"""Restating: what became known of a closed month, by cause, to the cent, collected once."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from house import House, at, make_house
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from chargeback.bridge import Bridge
from chargeback.causes import CAUSES, causes_between, read_order
from chargeback.checks import FAILED
from chargeback.closing import Asked, close_period
from chargeback.differences import Difference
from chargeback.frozen_statement import thaw_statement
from chargeback.ledger import load_run
from chargeback.printing import as_csv, as_json
from chargeback.restated import as_restated, bridges_of, collecting
from chargeback.restatements import Known, booked_in, load_steps, restatements_of
from chargeback.restating import AskedAgain, ground_of, is_renewed, renew, restate
from chargeback.statement import By, Statement, state_statement
from chargeback.sweep import sweep_runs
from chargeback.verify import verify_period
from chargeback.workbench import FACT_SOURCES
from gpuledger.errors import BooksError, InputError, InvariantError
from gpuledger.versions import Book, open_book, withdraw_prices

pytestmark = pytest.mark.books

OCTOBER, NOVEMBER, DECEMBER = "2026-10", "2026-11", "2026-12"
DAY, HOUR = at("2026-10-05T00:00Z"), 3600
NOW = at("2027-02-01T00:00Z")
SLOTS = 4


def fleet(house: House) -> None:
    """Four GPUs that three keys hold through October and November, a part of it free, at an odd price."""
    for index in range(SLOTS):
        house.slot("n", index, DAY, DAY + 48 * HOUR)
        house.slot("n", index, at("2026-11-02T00:00Z"), at("2026-11-03T00:00Z"))
    house.holding("a", DAY, DAY + 10 * HOUR, "ml", node="n", slot="n/0")
    house.holding("b", DAY + HOUR, DAY + 7 * HOUR + 11, "nlp", node="n", slot="n/1")
    house.holding("c", DAY, DAY + 20 * HOUR, "web", node="n", slot="n/2", namespace="shop")
    house.holding("d", at("2026-11-02T00:00Z"), at("2026-11-03T00:00Z"), "ml", node="n", slot="n/0")
    house.price("2.744705", 0)
    house.owner("ml", "research", cost_centre="CC-1")
    house.owner("nlp", "language")
    house.through(at("2027-01-01T00:00Z"))
    house.keep()


def close(house: House, period: str, at_s: int = NOW) -> None:
    house.books(period)
    close_period(house.desk, period, Asked("ann", at_s), f"c-{period}")


@pytest.fixture(scope="module", params=["pooled", "recognised"])
def made_once(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("restating") / "home"
    folder.mkdir()
    house = make_house(folder, charged=request.param)
    fleet(house)
    close(house, OCTOBER)
    house.books(NOVEMBER)
    house.desk.database.close()
    shutil.rmtree(folder / "scratch")
    return folder, request.param


@pytest.fixture
def house(made_once: tuple[Path, str], tmp_path: Path) -> Iterator[House]:
    """October is closed, November open with books."""
    folder, charged = made_once
    shutil.copytree(folder, tmp_path / "home")
    house = make_house(tmp_path / "home", charged=charged)
    house.runs = 2
    yield house
    house.desk.database.close()


def another_price(house: House) -> None:
    house.price("3.1", 0)


def another_owner(house: House) -> None:
    house.owner("nlp", "speech", cost_centre="CC-2")


def another_holding(house: House) -> None:
    house.holding("b", DAY + HOUR, DAY + 9 * HOUR, "nlp", node="n", slot="n/1")


def another_policy(house: House) -> None:
    house.policy("unmatched_owner", "unknown/1", at("2026-10-01T00:00Z"))


def another_lot(house: House) -> None:
    house.lot("rent", "fee", "31.00", at("2026-09-01T00:00Z"), None, slots={"node": ["n"]}, currency="EUR")
    house.lot("help", "fee", "8", at("2026-10-01T00:00Z"), None)
    for month, days in (("09", 30), ("10", 31), ("11", 30)):
        for day in range(1, days + 1):
            house.fx(f"2026-{month}-{day:02}", "EUR", "USD", "1.10")


def another_rate(house: House) -> None:
    another_lot(house)
    house.keep()
    again(house)
    house.fx("2026-10-05", "EUR", "USD", "1.25")


def another_commitment(house: House) -> None:
    start, end = at("2026-10-01T00:00Z"), at("2026-11-01T00:00Z")
    covers = {"slots": {"node": ("c/n",)}}
    house.commitment("two", "reserved_nodes", start, end, "2", covers, measure="gpu", each_hour="1.1")


CHANGES: dict[str, Callable[[House], None]] = {
    "price": another_price,
    "owner": another_owner,
    "usage": another_holding,
    "commitment": another_commitment,
    "policy": another_policy,
    "lot": another_lot,
    "fx": another_rate,
}


def again(house: House, period: str = OCTOBER, **asked: Any) -> Difference:
    house.runs += 1
    given = AskedAgain(**{"actor": "ann", "at_s": NOW} | asked)
    return restate(house.desk, ground_of(house.desk, period), given, f"r{house.runs}")


def bridge(house: House, by: By = By.owner, period: str = OCTOBER) -> Bridge:
    with house.desk.database.read() as connection:
        return bridges_of(connection, ground_of(house.desk, period), by)[-1]


def charged(house: House, period: str = NOVEMBER, by: By = By.owner) -> Statement:
    """The statement of an open month, with what it collects."""
    made = state_statement(house.desk.book, house.books(period), by)
    with house.desk.database.read() as connection:
        return collecting(connection, made)


def frozen(house: House, period: str = OCTOBER, by: By = By.owner) -> Statement:
    return thaw_statement(ground_of(house.desk, period).close.statement, by)


def restated(house: House, by: By = By.owner, period: str = OCTOBER) -> Statement:
    with house.desk.database.read() as connection:
        return as_restated(connection, ground_of(house.desk, period), by)


def minor(made: Statement) -> dict[str, int]:
    return {line.key: line.minor or 0 for line in made.lines}


def failed(house: House, period: str = OCTOBER) -> list[str]:
    with house.desk.database.read() as connection:
        result = load_run(connection, ground_of(house.desk, period).close.run_id)
    return [c.says for c in verify_period(house.desk, period, result) if c.status == FAILED]


@pytest.mark.parametrize(
    "causes",
    [["price"], ["owner"], ["usage"], ["policy"], ["commitment"], ["usage", "owner", "commitment", "price"]],
)
def test_causes_telescope_from_the_closed_month_to_a_fresh_computation(
    house: House, causes: list[str]
) -> None:
    before = {by: as_json(frozen(house, by=by)) for by in By}
    for cause in causes:
        CHANGES[cause](house)
    house.keep()
    again(house)
    known = house.books_aside()
    for by in By:
        made = bridge(house, by)
        assert set(made.causes) == set(causes)
        assert {line.key: line.before for line in made.lines if line.before} == minor(frozen(house, by=by))
        assert {line.key: line.after for line in made.lines if line.after} == minor(restated(house, by))
        fresh = minor(state_statement(house.desk.book, known, by))
        assert {line.key: line.after + line.rounding for line in made.lines if line.fresh} == fresh
        assert all(abs(line.rounding) <= 1 + len(made.causes) for line in made.lines)
        assert (
            made.totals.before == frozen(house, by=by).total
            and made.totals.after == restated(house, by).total
        )
        assert as_json(frozen(house, by=by)) == before[by], "what was closed prints as it was closed"
    assert failed(house) == []


def test_owner_without_a_difference_keeps_every_cent(house: House) -> None:
    another_owner(house)
    another_holding(house)
    house.keep()
    again(house)
    for line in bridge(house, By.owner).lines:
        if line.key in ("ml", "web"):
            assert not line.causes and line.before == line.after
    teams = {line.key: line for line in bridge(house, By.team).lines}
    assert not teams["research"].causes and not teams["web"].causes
    assert teams["language"].after == 0 and teams["speech"].before == 0


def test_next_month_collects_a_difference_once(house: House) -> None:
    own = charged(house)
    another_price(house)
    house.keep()
    again(house)
    again(house, reason="asked twice")
    made = charged(house)
    difference = restated(house).total - frozen(house).total
    assert difference > 0 and made.collected - made.total == difference
    assert [one.period for one in made.restated] == [OCTOBER]
    close(house, NOVEMBER)
    later = charged(house, DECEMBER)
    assert later.restated == () and later.collected == later.total
    with pytest.raises(BooksError, match="is closed"):
        house.books(NOVEMBER)
    assert frozen(house, NOVEMBER).collected == made.collected
    assert own.total < made.total, "the price holds for November too"


def test_every_view_of_a_month_collects_the_same(house: House) -> None:
    for change in CHANGES.values():
        change(house)
    house.keep()
    again(house)
    assert len({charged(house, by=by).collected for by in By}) == 1
    assert len({restated(house, by).total for by in By}) == 1


def test_another_order_is_another_reading_of_the_same_total(house: House) -> None:
    for change in CHANGES.values():
        change(house)
    house.keep()
    ends, readings = set(), set()
    for order in list(permutations(CAUSES))[::9001]:
        again(house, order=order)
        made = bridge(house)
        assert [cause for cause in order if cause in made.causes] == list(made.causes)
        ends.add(tuple((line.key, line.after, line.fresh) for line in made.lines))
        readings.add(tuple(tuple(sorted(line.causes.items())) for line in made.lines))
    assert len(ends) == 1 and len(readings) > 1


def test_order_is_names_of_causes_each_once() -> None:
    assert read_order("") == CAUSES
    assert read_order("price, owner") == (
        "price",
        "owner",
        "usage",
        "samples",
        "commitment",
        "bill",
        "lot",
        "fx",
        "policy",
    )
    for wrong in ("engine", "price,price", "weather", ","):
        with pytest.raises(InputError, match=r"no cause|named twice"):
            read_order(wrong)


def test_change_that_is_taken_back_leaves_nothing_to_collect(house: House) -> None:
    another_price(house)
    house.keep()
    again(house)
    house.price("2.744705", 0)
    house.keep()
    again(house)
    assert ground_of(house.desk, OCTOBER).counted == ()
    assert charged(house).restated == ()
    assert as_json(restated(house)) == as_json(frozen(house))


def test_nothing_is_kept_where_nothing_differs(house: House) -> None:
    house.owner("nobody", "nowhere")
    house.keep()
    assert again(house).steps == ()
    assert ground_of(house.desk, OCTOBER).counted == ()


def test_restatement_after_its_month_is_closed_starts_from_it(house: House) -> None:
    another_price(house)
    house.keep()
    again(house)
    close(house, NOVEMBER)
    first = restated(house)
    another_owner(house)
    house.price("3.2", 0)
    house.keep()
    again(house)
    assert [one.number for one in ground_of(house.desk, OCTOBER).counted] == [1, 2]
    assert {one.booking_period for one in ground_of(house.desk, OCTOBER).counted} == {NOVEMBER, DECEMBER}
    second = bridge(house)
    assert second.totals.before == first.total and second.causes == ("owner", "price")
    again(house, NOVEMBER)
    made = charged(house, DECEMBER)
    assert [one.period for one in made.restated] == [OCTOBER, NOVEMBER]
    assert made.collected == made.total + (restated(house).total - first.total) + made.restated[1].total
    assert failed(house) == [] and failed(house, NOVEMBER) == []


def test_what_was_charged_prints_as_of_any_time_as_it_was_then(house: House) -> None:
    early = house.desk.database.latest_seq()
    another_price(house)
    known = house.keep(at_s=NOW)
    again(house, at_s=NOW)
    first = as_json(charged(house))
    another_holding(house)
    house.keep(at_s=NOW + 100)
    again(house, at_s=NOW + 100)
    with house.desk.database.read() as connection:
        there = booked_in(connection, "main", NOVEMBER, Known(at_s=NOW + 99))
        assert [one.seq for one in there] == [known]
        assert booked_in(connection, "main", NOVEMBER, Known(seq=early)) == []
        assert booked_in(connection, "main", NOVEMBER, Known(at_s=NOW - 1)) == []
    made = state_statement(house.desk.book, house.books_aside(NOVEMBER, known), By.owner)
    with house.desk.database.read() as connection:
        assert as_json(collecting(connection, made, Known(seq=known))) == first


def test_open_month_is_not_restated(house: House) -> None:
    with pytest.raises(BooksError, match="2026-11 is not closed: nothing of it is restated"):
        again(house, NOVEMBER)
    with pytest.raises(InputError, match="is not a month"):
        again(house, "2026-13")


def test_reopened_month_is_renewed_by_each_run_until_the_month_that_collects_it_closes(house: House) -> None:
    again(house, reopen=True, reason="the invoice was late")
    (there,) = ground_of(house.desk, OCTOBER).counted
    assert (there.reopened, there.reason, there.rows) == (1, "the invoice was late", 0)
    assert charged(house).restated == ()
    another_price(house)
    house.keep()
    ground = renew(house.desk, OCTOBER, NOW, "r-renewed")
    assert ground is not None and ground.open is not None and ground.open.rows > 0
    assert ground.open.reason == "the invoice was late"
    assert renew(house.desk, OCTOBER, NOW, "r-none") == ground, "nothing became known since"
    close(house, NOVEMBER)
    another_owner(house)
    house.keep()
    assert renew(house.desk, OCTOBER, NOW, "r-after") is None


def test_month_is_not_closed_while_what_it_collects_lacks_facts(house: House) -> None:
    another_price(house)
    house.keep()
    again(house)
    another_owner(house)
    house.keep()
    stale = r"the restatement of 2026-10 is of seq .* not in it: run `gpuledger restate --month 2026-10`"
    with pytest.raises(BooksError, match=stale):
        close(house, NOVEMBER)
    again(house)
    close(house, NOVEMBER)


def test_month_is_not_closed_while_a_reopened_one_lacks_facts_that_differ_nowhere_yet(house: House) -> None:
    again(house, reopen=True, reason="the invoice is late")
    another_price(house)
    house.keep()
    with pytest.raises(BooksError, match="the restatement of 2026-10 is of seq"):
        close(house, NOVEMBER)
    assert renew(house.desk, OCTOBER, NOW, "r-renewed") is not None
    close(house, NOVEMBER)


def test_restating_opens_a_month_again_that_was_closed_provisionally(house: House) -> None:
    house.books(NOVEMBER)
    close_period(house.desk, NOVEMBER, Asked("ann", NOW, provisional=True), "p1")
    another_price(house)
    house.keep()
    again(house)
    with pytest.raises(BooksError, match="not closed"):
        ground_of(house.desk, NOVEMBER)
    close(house, NOVEMBER)


def test_another_engine_is_a_cause_of_its_own_and_goes_first(house: House) -> None:
    another_owner(house)
    house.keep()
    with house.desk.database.write() as connection:
        connection.execute(text("drop trigger run_update_closed"))
        connection.execute(text("update run set engine_version = 'earlier'"))
    again(house)
    ground = ground_of(house.desk, OCTOBER)
    assert bridge(house).causes == ("owner",), "this engine computes what that one did"
    assert ground.made_by == "earlier" and ground.open is not None


def test_renewed_says_whether_all_that_is_known_is_in_it(house: House) -> None:
    asked = AskedAgain("ann", NOW)
    assert not is_renewed(house.desk, ground_of(house.desk, OCTOBER), asked)
    another_price(house)
    house.keep()
    again(house)
    ground = ground_of(house.desk, OCTOBER)
    assert is_renewed(house.desk, ground, asked)
    assert not is_renewed(house.desk, ground, AskedAgain("ann", NOW, order=read_order("price")))
    assert not is_renewed(house.desk, ground, AskedAgain("ann", NOW, reason="x", reopen=True))
    another_owner(house)
    house.keep()
    assert not is_renewed(house.desk, ground_of(house.desk, OCTOBER), asked)


def test_statement_says_what_it_collects_in_every_format(house: House) -> None:
    another_owner(house)
    house.keep()
    again(house)
    made = charged(house, by=By.team)
    document = json.loads(as_json(made))
    (one,) = document["restated"]
    assert (one["period"], one["total"], document["lines_total"]) == (OCTOBER, 0, document["total"])
    assert {line["key"]: line["causes"] for line in one["lines"]}.keys() == {"language", "speech"}
    assert sum(line["amount"] for line in one["lines"]) == 0
    rows = as_csv(made).splitlines()
    assert len([row for row in rows if row.startswith("2026-10,")]) == 2
    close(house, NOVEMBER)
    assert json.loads(as_json(frozen(house, NOVEMBER, By.team)))["restated"] == document["restated"]


def test_closed_restatement_is_not_written_to(house: House) -> None:
    another_price(house)
    another_holding(house)
    house.keep()
    again(house)
    close(house, NOVEMBER)
    for statement in (
        "update restatement set seq = 0",
        "delete from restated_entry_day",
        "update restated_time_day set ticks = 0",
        "insert into restated_entry_day select * from restated_entry_day",
    ):
        with pytest.raises(DBAPIError, match="closed"), house.desk.database.engine.begin() as connection:
            connection.execute(text(statement))


@pytest.mark.parametrize(
    ("tampering", "found"),
    [
        ("update restated_entry_day set amount = amount + 1", "closed + restated = a fresh computation"),
        ("update restated_time_day set ticks = ticks + 1", "closed + restated = a fresh computation"),
        ("update restatement set digest = 'x'", "its entries are as they were written"),
        ("update restatement set reason = 'another'", "the audit log says the same of the restatements"),
        ("delete from restated_entry_day", "its entries are as they were written"),
    ],
)
def test_changed_restatement_is_found(house: House, tampering: str, found: str) -> None:
    another_price(house)
    another_holding(house)
    house.keep()
    again(house)
    assert failed(house) == []
    with house.desk.database.engine.begin() as connection:
        connection.execute(text(tampering))
    assert any(found in says for says in failed(house))


def test_flipped_byte_in_the_entries_of_a_restatement_is_found(house: House) -> None:
    another_price(house)
    house.keep()
    again(house)
    path = next((house.desk.books / "main" / OCTOBER / "restated").rglob("*.parquet"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert any("its entries are as they were written" in says for says in failed(house))


def test_nothing_is_restated_from_closed_books_that_changed(house: House) -> None:
    another_price(house)
    house.keep()
    path = next((house.desk.books / "main" / OCTOBER).glob("2026-*/0/run=run1/entry.parquet"))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvariantError, match="the closed books of 2026-10 are not as they were: 2026-10-"):
        again(house)
    with house.desk.database.read() as connection:
        assert restatements_of(connection, "main", OCTOBER) == []


def test_restatement_in_another_transaction_meanwhile_is_refused(house: House) -> None:
    another_price(house)
    house.keep()
    ground = ground_of(house.desk, OCTOBER)
    again(house)
    with pytest.raises(BooksError, match="changed meanwhile"):
        restate(house.desk, ground, AskedAgain("bob", NOW), "late")
    assert [one.id for one in ground_of(house.desk, OCTOBER).counted] == [f"r{house.runs}"]


def test_facts_are_restated_also_when_their_files_were_compacted_and_swept(house: House) -> None:
    """A compacted file says since when its oldest row is known; the files before it go a day later."""
    another_holding(house)
    house.keep(at_s=NOW)
    for table in FACT_SOURCES:
        house.desk.lake.compact(table, 0, at_s=NOW)
    assert house.desk.lake.sweep(NOW + 2 * 86_400)
    again(house)
    assert bridge(house).causes == ("usage",)
    assert restated(house).ticks == sum(row.ticks for row in house.books_aside().times)


def test_compaction_alone_is_no_cause(house: House) -> None:
    another_holding(house)
    house.keep()
    again(house)
    close(house, NOVEMBER)
    for table in FACT_SOURCES:
        house.desk.lake.compact(table, 0, at_s=NOW)
    another_price(house)
    house.keep()
    ground = ground_of(house.desk, OCTOBER)
    seqs = ground.base.seq, house.desk.database.latest_seq()
    causes = causes_between(house.desk, OCTOBER, *seqs, CAUSES, engine=False)
    assert [cause.name for cause in causes] == ["price"]


def test_what_was_taken_back_is_not_collected_as_of_any_seq_since(house: House) -> None:
    another_price(house)
    known = house.keep()
    again(house)
    house.price("2.744705", 0)
    back = house.keep()
    again(house, at_s=NOW + 1)
    for seq, there in ((known, 1), (back, 0), (back + 1, 0)):
        made = state_statement(house.desk.book, house.books_aside(NOVEMBER, back), By.owner)
        with house.desk.database.read() as connection:
            assert len(collecting(connection, made, Known(seq=seq)).restated) == there
            assert len(collecting(connection, made, Known(at_s=NOW + 1)).restated) == 0
    assert failed(house) == []


def test_restatement_of_an_earlier_version_is_not_renewed_already(house: House) -> None:
    another_price(house)
    house.keep()
    again(house)
    asked = AskedAgain("ann", NOW)
    assert is_renewed(house.desk, ground_of(house.desk, OCTOBER), asked)
    upgraded = replace(house.desk, engine_version="later")
    assert not is_renewed(upgraded, ground_of(upgraded, OCTOBER), asked)


def test_line_without_a_price_is_unknown_and_never_nothing(house: House) -> None:
    """Time that loses its price, and time whose price turns out to be 0, as a statement of them would say."""
    house.slot("m", 0, DAY, DAY + HOUR, model="B200")
    house.slot("m", 1, DAY, DAY + HOUR, model="A100")
    house.keep()
    again(house)
    close(house, NOVEMBER)
    views = {line.key: line for line in restated(house, By.model).lines}
    assert (views["B200"].minor, views["B200"].quanta) == (None, None)
    with house.desk.database.commit("test", at_s=0) as commit:
        withdraw_prices(commit, ["model/H100/@0"])
    house.price("0", 0, model="B200")
    house.price("1.5", 0, model="A100")
    house.keep()
    again(house)
    fresh = state_statement(house.desk.book, house.books_aside(), By.model)
    assert [(line.key, line.minor, line.quanta) for line in fresh.lines] == [
        ("A100", 150, 1_500_000_000),
        ("B200", 0, 0),
        ("H100", None, None),
    ]
    assert restated(house, By.model).lines == fresh.lines


def test_restated_month_says_in_how_many_pools_it_was_rounded(house: House) -> None:
    for change in (another_price, another_holding):
        change(house)
        house.keep()
        again(house)
        close(house, NOVEMBER if change is another_price else DECEMBER)
    made = restated(house)
    assert len(made.pools) == len(frozen(house).pools) + 2
    assert sum(cents for _, cents in made.pools.values()) == made.total


def test_other_book_of_the_same_home_is_restated_apart(house: House) -> None:
    book = open_book(house.desk.database, Book("other", "Asia/Kathmandu", "USD", 1, "pooled"), at_s=0)
    other = House(replace(house.desk, book=book), runs=50)
    close(other, OCTOBER)
    another_price(house)
    house.keep()
    again(house)
    assert ground_of(other.desk, OCTOBER).counted == ()
    again(other)
    (mine,), (theirs,) = (ground_of(one.desk, OCTOBER).counted for one in (house, other))
    assert (mine.book, theirs.book) == ("main", "other")
    close(house, NOVEMBER)
    assert ground_of(other.desk, OCTOBER).open == theirs, "its November is open"
    assert failed(house) == [] and failed(other) == []


def test_several_workers_write_the_same_restatement(house: House) -> None:
    another_holding(house)
    house.keep()
    again(house)
    (one,) = ground_of(house.desk, OCTOBER).counted
    house.desk = replace(house.desk, workers=2)
    again(house)
    (other,) = ground_of(house.desk, OCTOBER).counted
    assert (one.rows, one.digest) == (other.rows, other.digest)


def test_sweep_leaves_what_counts_and_takes_what_was_replaced(house: House) -> None:
    another_price(house)
    house.keep()
    again(house)
    again(house, order=read_order("price"))
    close(house, NOVEMBER)
    another_owner(house)
    house.keep()
    sweep_runs(house.desk, int(time.time()) + 10**8)
    assert not list((house.desk.books / "main" / OCTOBER).glob("*/*/run=r3"))
    again(house)
    assert [one.number for one in ground_of(house.desk, OCTOBER).counted] == [1, 2]
    assert failed(house) == []


def test_month_without_any_time_is_restated_when_some_becomes_known(house: House) -> None:
    close(house, "2026-08")
    house.slot("late", 0, at("2026-08-31T20:00Z"), None)
    house.keep()
    again(house, "2026-08")
    made = restated(house, period="2026-08")
    assert made.lines == state_statement(house.desk.book, house.books_aside("2026-08"), By.owner).lines
    assert (minor(made), failed(house, "2026-08")) == ({"__idle_free__": 1098}, [])
    (there,) = ground_of(house.desk, "2026-08").counted
    assert there.booking_period == "2026-09", "the earliest month after it that is not closed"


def test_late_samples_are_a_cause_of_their_own_and_move_no_owner(house: House) -> None:
    house.device("n", 0, "GPU-0", DAY, None)
    house.keep()
    again(house)
    house.activity("GPU-0", DAY, DAY + 10 * HOUR, 900, node="n")
    house.keep()
    again(house)
    made = bridge(house)
    assert made.totals.before == made.totals.after and not any(line.causes for line in made.lines)
    with house.desk.database.read() as connection:
        (one,) = restatements_of(connection, "main", OCTOBER)
        (step,) = load_steps(connection, one)
    assert step.cause == "samples"
    assert {row.account for row in step.times} == {"held_unobserved", "used"}
