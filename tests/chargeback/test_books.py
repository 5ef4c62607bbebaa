"""Books from facts to statement: who held what, to the second and to the cent."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from house import House, at, make_house

from chargeback.measure import HANDED_ON
from chargeback.model_files import MODELS, model
from chargeback.statement import By
from chargeback.workbench import Workbench
from gpuledger.calendars import month_bounds
from gpuledger.errors import BooksError, InvariantError, StorageError

pytestmark = pytest.mark.books

DAY = at("2026-10-05T00:00Z")
HOUR = 3600


def node_of(house: House, slots: int = 4, start: int = DAY, end: int | None = DAY + 24 * HOUR) -> None:
    for index in range(slots):
        house.slot("n1", index, start, end)
    house.price("3", 0)
    house.through(DAY + 24 * HOUR)


def test_a_held_slot_goes_to_its_owner_and_a_free_one_to_idle(house: House) -> None:
    node_of(house, slots=2)
    house.holding("j1", DAY, DAY + 6 * HOUR, "ml", node="n1", slot="n1/0")
    house.keep()
    assert house.amounts() == {"ml": 1800, "__idle_free__": 48 * 300 - 1800}
    assert house.hours() == {"ml": "6.000000", "__idle_free__": "42.000000"}


def test_a_team_is_named_by_its_owner_row_at_the_time(house: House) -> None:
    node_of(house, slots=1)
    house.owner("ml", "search", end=DAY + 6 * HOUR, cost_centre="CC-1")
    house.owner("ml", "vision", start=DAY + 6 * HOUR)
    house.holding("j1", DAY, DAY + 24 * HOUR, "ml", node="n1", slot="n1/0")
    house.keep()
    assert house.amounts(by=By.team) == {"search": 1800, "vision": 5400}
    assert house.amounts(by=By.owner) == {"ml": 7200}
    assert house.amounts(by=By.cost_centre) == {"CC-1": 1800, "__no_cost_centre__": 5400}
    assert house.amounts(by=By.model) == {"H100": 7200}
    assert house.amounts(by=By.cluster) == {"c": 7200}


def test_a_holding_without_an_owner_key_is_everybodys_to_see(house: House) -> None:
    node_of(house, slots=1)
    house.holding("j1", DAY, DAY + 24 * HOUR, "", node="n1", slot="n1/0")
    house.keep()
    assert house.amounts() == {"__unknown_owner__": 7200}


def test_unplaced_units_share_the_free_slots_and_never_exceed_them(house: House) -> None:
    node_of(house, slots=4)
    house.holding("placed", DAY, DAY + 12 * HOUR, "a", node="n1", slot="n1/3")
    house.holding("unplaced", DAY + 6 * HOUR, DAY + 18 * HOUR, "b", node="n1", units=2)
    house.keep()
    assert house.hours() == {"a": "12.000000", "b": "24.000000", "__idle_free__": "60.000000"}
    rows = time_rows(house)
    for slot_s in {(row["slot"], row["from_s"]) for row in rows}:
        mine = [row for row in rows if (row["slot"], row["from_s"]) == slot_s]
        assert sum(row["ticks"] for row in mine) == (mine[0]["to_s"] - mine[0]["from_s"]) * 720720
    assert {row["slot"] for row in rows if row["owner"] == "b"} == {"c/n1/0", "c/n1/1", "c/n1/2", "c/n1/3"}


def test_a_later_version_that_names_the_device_changes_no_total(house: House) -> None:
    node_of(house, slots=4)
    house.device("n1", 1, "GPU-1", DAY, None)
    house.holding("j", DAY + 100, DAY + 5 * HOUR, "a", node="n1", units=1, identity="j")
    house.holding("k", DAY + 900, DAY + 9 * HOUR, "b", node="n1", units=2)
    first = house.keep()
    before = house.statement()
    house.holding("j", DAY + 100, DAY + 5 * HOUR, "a", node="n1", device="GPU-1", identity="j")
    house.keep()
    after = house.statement()
    assert {row["owner"] for row in time_rows(house) if row["slot"] == "c/n1/1" and row["run"] == "c/j"} == {
        "a"
    }
    assert (before["total"], before["gpu_microseconds"]) == (after["total"], after["gpu_microseconds"])
    for old, new in zip(before["lines"], after["lines"], strict=True):
        assert (old["key"], old["gpu_hours"], old["amount"]) == (new["key"], new["gpu_hours"], new["amount"])
    assert house.statement(seq=first)["lines"] == before["lines"]


# T6: more held than there is is a conflict to be seen, and no negative idle time.
def test_more_units_than_free_slots_are_contested(house: House) -> None:
    node_of(house, slots=2)
    house.holding("j", DAY, DAY + HOUR, "a", node="n1", units=2)
    house.holding("k", DAY, DAY + HOUR, "b", node="n1", units=1)
    house.keep()
    found = house.statement()
    assert found["contested_gpu_hours"] == "2.000000"
    assert {line["key"]: line["gpu_hours"] for line in found["lines"]}["__conflict__"] == "2.000000"


def test_two_whole_holders_of_one_slot_are_contested(house: House) -> None:
    node_of(house, slots=1)
    house.holding("j", DAY, DAY + 2 * HOUR, "a", node="n1", slot="n1/0")
    house.holding("k", DAY + HOUR, DAY + 3 * HOUR, "b", node="n1", slot="n1/0")
    house.keep()
    assert house.hours() == {
        "a": "1.000000",
        "b": "1.000000",
        "__conflict__": "1.000000",
        "__idle_free__": "21.000000",
    }


def test_two_facts_of_one_run_on_one_slot_hold_it_once(house: House) -> None:
    node_of(house, slots=1)
    house.holding("j", DAY, DAY + 2 * HOUR, "a", node="n1", slot="n1/0", identity="x")
    house.holding("j", DAY + HOUR, DAY + 3 * HOUR, "a", node="n1", slot="n1/0", identity="y")
    house.keep()
    assert house.hours()["a"] == "3.000000"


# T4: a quarter of a GPU is charged as a quarter.
def test_four_quarters_of_a_gpu_are_one(house: House) -> None:
    node_of(house, slots=1)
    for run in "wxyz":
        share = {"share_mode": "fraction", "weight": 25, "weight_cap": 100}
        house.holding(run, DAY, DAY + 4 * HOUR, run, node="n1", slot="n1/0", **share)
    house.keep()
    assert house.hours() == dict.fromkeys("wxyz", "1.000000") | {"__idle_free__": "20.000000"}


def test_a_fraction_leaves_the_rest_of_its_slot_idle(house: House) -> None:
    node_of(house, slots=1)
    share = {"share_mode": "fraction", "weight": 1, "weight_cap": 4}
    house.holding("j", DAY, DAY + 4 * HOUR, "a", node="n1", slot="n1/0", **share)
    house.keep()
    assert house.amounts() == {"a": 300, "__idle_free__": 24 * 300 - 300}


def test_fractions_of_assumed_capacity_assume_no_more_than_is_held(house: House) -> None:
    house.price("4", 0)
    house.through(DAY + 24 * HOUR)
    for run in "wxyz":
        house.holding(run, DAY, DAY + HOUR, run, share_mode="fraction", weight=1, weight_cap=4)
    house.keep()
    found = house.statement()
    assert found["gpu_hours"] == "1.000000"
    assert found["total"] == 400
    assert {line["key"]: line["amount"] for line in found["lines"]} == dict.fromkeys("wxyz", 100)


def test_assumed_capacity_knows_no_idle_time(house: House) -> None:
    house.price("4", 0)
    house.through(DAY + 24 * HOUR)
    house.holding("j", DAY, DAY + HOUR, "a", units=3)
    house.keep()
    found = house.statement()
    assert found["idle_free_gpu_hours"] is None
    assert [line["key"] for line in found["lines"]] == ["a"]
    assert {row["slot"] for row in time_rows(house)} == {"c//c/j/0", "c//c/j/1", "c//c/j/2"}


def test_held_time_outside_the_life_of_its_slot_is_orphaned_and_costs_nothing(house: House) -> None:
    node_of(house, slots=1, end=DAY + 2 * HOUR)
    house.holding("j", DAY, DAY + 5 * HOUR, "a", node="n1", slot="n1/0")
    house.holding("k", DAY, DAY + HOUR, "b", node="gone", units=1)
    house.keep()
    found = house.statement()
    assert found["orphaned_gpu_hours"] == "4.000000"
    assert {line["key"]: line["amount"] for line in found["lines"]} == {"a": 600}


def test_a_failed_slot_is_overhead_and_an_absent_one_has_no_time(house: House) -> None:
    node_of(house, slots=1)
    place = {"node": "n1", "slot": "n1/0"}
    house.fact("state", "s1", DAY, DAY + HOUR, state="failed", **place)
    house.fact("state", "s2", DAY + HOUR, DAY + 3 * HOUR, state="absent", **place)
    house.holding("j", DAY, DAY + HOUR // 2, "a", **place)
    house.keep()
    assert house.hours() == {"a": "0.500000", "__overhead__": "0.500000", "__idle_free__": "21.000000"}


def test_a_corrected_export_replaces_and_a_withdrawal_ends(house: House) -> None:
    node_of(house, slots=1)
    house.holding("j", DAY, DAY + 2 * HOUR, "a", node="n1", slot="n1/0", identity="j")
    one = house.keep()
    house.holding("j", DAY, DAY + 3 * HOUR, "a", node="n1", slot="n1/0", identity="j")
    two = house.keep()
    house.holding("j", DAY, DAY + 3 * HOUR, "a", node="n1", slot="n1/0", identity="j")
    house.withdraw("holding", "j")
    three = house.keep()
    hours = {seq: lines_of(house.statement(seq=seq)).get("a") for seq in (one, two, three)}
    assert hours == {one: "2.000000", two: "3.000000", three: None}


def test_an_open_holding_is_cut_where_its_source_is_no_longer_complete(house: House) -> None:
    house.slot("n1", 0, DAY, None)
    house.price("3", 0)
    house.holding("j", DAY, None, "a", node="n1", slot="n1/0", identity="j")
    house.through(DAY + 10 * HOUR)
    mid = house.keep()
    early = house.statement(seq=mid)
    house.holding("j", DAY, DAY + 20 * HOUR, "a", node="n1", slot="n1/0", identity="j")
    house.through(DAY + 24 * HOUR)
    house.keep()
    assert lines_of(early) == {"a": "10.000000"}
    assert lines_of(house.statement()) == {"a": "20.000000", "__idle_free__": "4.000000"}
    assert house.statement(seq=mid) == early


def test_the_slowest_source_of_a_cluster_bounds_it_and_no_other_cluster(house: House) -> None:
    house.price("3", 0)
    for cluster, source, through in (("c", "slow", 2), ("c", "fast", 9), ("d", "only", 9)):
        house.through(DAY + through * HOUR, source, cluster)
        house.holding(f"{cluster}-{source}", DAY, None, source, cluster=cluster)
    house.keep()
    assert house.hours() == {"slow": "2.000000", "fast": "2.000000", "only": "9.000000"}


def test_time_without_a_price_is_unpriced_and_never_free_of_charge(house: House) -> None:
    """T40: an unknown price is a state with its own total, and not a price of 0."""
    house.slot("n1", 0, DAY, DAY + 4 * HOUR)
    house.slot("n1", 1, DAY, DAY + 4 * HOUR, model="B200")
    house.price("3", 0)
    house.through(DAY + 24 * HOUR)
    house.holding("j", DAY, DAY + 4 * HOUR, "a", node="n1", slot="n1/0")
    house.holding("k", DAY, DAY + 4 * HOUR, "b", node="n1", slot="n1/1")
    house.keep()
    found = house.statement()
    assert found["unpriced_gpu_hours"] == "4.000000"
    assert {line["key"]: line["amount"] for line in found["lines"]} == {"a": 1200, "b": None}
    assert found["total"] == 1200


def test_a_price_of_zero_is_a_price(house: House) -> None:
    """T40: a true price of 0 is another thing than none."""
    house.slot("n1", 0, DAY, DAY + 4 * HOUR)
    house.price("0", 0)
    house.through(DAY + 24 * HOUR)
    house.holding("j", DAY, DAY + 4 * HOUR, "a", node="n1", slot="n1/0")
    house.keep()
    found = house.statement()
    assert found["unpriced_gpu_hours"] == "0.000000"
    assert {line["key"]: line["amount"] for line in found["lines"]} == {"a": 0}


@pytest.mark.parametrize(
    "zone", ["Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"]
)
@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_price_job_and_month_that_end_inside_an_hour_are_charged_to_the_second(
    tmp_path: Path, zone: str, charged: str
) -> None:
    house = make_house(tmp_path, zone=zone, charged=charged)
    month_end = month_bounds(zone, "2026-10")[1]
    assert month_end % HOUR or zone == "Australia/Lord_Howe"
    change, job_end = month_end - 1001, month_end + 777
    house.price("3", 0, change)
    house.price("5", change)
    house.holding("j", month_end - 2 * HOUR, job_end, "a")
    house.through(month_end + 24 * HOUR)
    house.keep()
    october = 3 * Fraction(2 * HOUR - 1001, HOUR) + 5 * Fraction(1001, HOUR)
    november = 5 * Fraction(777, HOUR)
    for period, exact in (("2026-10", october), ("2026-11", november)):
        found = house.statement(period)
        assert found["total"] == int(exact * 100 + Fraction(1, 2))
        (line,) = found["lines"]
        assert abs(Fraction(line["unrounded"]) - exact) < Fraction(1, 10**7)
    house.desk.database.close()


def test_charged_as_recognised_each_second_costs_its_own_price(tmp_path: Path) -> None:
    house = make_house(tmp_path, charged="recognised")
    house.slot("n1", 0, DAY, DAY + HOUR)
    house.price("3", 0, DAY + 1200)
    house.price("6", DAY + 1200)
    house.holding("j", DAY, DAY + 1200, "a", node="n1", slot="n1/0")
    house.holding("k", DAY + 1200, DAY + HOUR, "b", node="n1", slot="n1/0")
    house.through(DAY + HOUR)
    house.keep()
    assert house.amounts() == {"a": 100, "b": 400}
    house.desk.database.close()


def test_charged_by_pool_every_device_second_of_the_hour_costs_the_same(house: House) -> None:
    house.slot("n1", 0, DAY, DAY + HOUR)
    house.price("3", 0, DAY + 1200)
    house.price("6", DAY + 1200)
    house.holding("j", DAY, DAY + 1200, "a", node="n1", slot="n1/0")
    house.holding("k", DAY + 1200, DAY + HOUR, "b", node="n1", slot="n1/0")
    house.through(DAY + HOUR)
    house.keep()
    assert house.amounts() == {"a": 167, "b": 333}


def test_the_same_pod_name_used_again_is_two_lives(house: House) -> None:
    """T13: 12-17 h and 19-22 h under one name, two UIDs: eight hours and not ten."""
    node_of(house, slots=1)
    house.holding("ns/pod/uid-1", DAY + 12 * HOUR, DAY + 17 * HOUR, "a", node="n1", slot="n1/0")
    house.holding("ns/pod/uid-2", DAY + 19 * HOUR, DAY + 22 * HOUR, "a", node="n1", slot="n1/0")
    house.keep()
    assert house.hours()["a"] == "8.000000"


def test_a_requeued_job_is_charged_for_each_of_its_runs(house: House) -> None:
    """T24: one job id, two starts: both runs are paid."""
    node_of(house, slots=1)
    house.holding("42@1", DAY, DAY + HOUR, "a", node="n1", units=1)
    house.holding("42@2", DAY + 3 * HOUR, DAY + 5 * HOUR, "a", node="n1", units=1)
    house.keep()
    assert house.hours()["a"] == "3.000000"


def test_a_holding_delivered_by_two_watchers_is_paid_once(house: House) -> None:
    """T22: two kube-state-metrics tell of one pod: one identity, one charge."""
    node_of(house, slots=1)
    for source in ("ksm-0", "ksm-1"):
        house.holding("pod", DAY, DAY + HOUR, "a", node="n1", units=1, identity="pod", source=source)
        house.keep()
    assert house.amounts()["a"] == 300


def test_the_window_of_a_statement_is_half_open_and_printed(house: House) -> None:
    """T56: what ends at the month's end is in it, what starts there is not, and the window is printed."""
    house.price("3", 0)
    end = at("2026-11-01T00:00Z")
    house.holding("j", end - HOUR, end, "a")
    house.holding("k", end, end + HOUR, "b")
    house.through(end + 24 * HOUR)
    house.keep()
    found = house.statement()
    assert found["window"] == {"start": "2026-10-01T00:00:00Z", "end": "2026-11-01T00:00:00Z"}
    assert lines_of(found) == {"a": "1.000000"}
    assert lines_of(house.statement("2026-11")) == {"b": "1.000000"}


def test_two_lives_of_one_slot_at_once_stop_the_run_and_name_the_slot(house: House) -> None:
    house.slot("n1", 0, DAY, DAY + HOUR, identity="x")
    house.slot("n1", 0, DAY, DAY + HOUR, identity="y", model="A100")
    house.through(DAY + HOUR)
    house.keep()
    with pytest.raises(InvariantError, match=r"one set of attributes at a time.*slot = c/n1/0"):
        house.books()


# T60: a board that is exchanged has a UUID of its own, and capacity is counted in slots.
def test_a_swapped_board_is_one_slot(house: House) -> None:
    node_of(house, slots=1)
    house.device("n1", 0, "GPU-old", DAY, DAY + 5 * HOUR)
    house.device("n1", 0, "GPU-new", DAY + 5 * HOUR, None)
    house.holding("j", DAY, DAY + 24 * HOUR, "a", node="n1", device="GPU-old", identity="j1")
    house.holding("k", DAY + 5 * HOUR, DAY + 24 * HOUR, "b", node="n1", device="GPU-new")
    house.keep()
    found = house.statement()
    assert lines_of(found) == {"a": "5.000000", "b": "19.000000"}
    assert found["gpu_hours"] == "24.000000"


@pytest.mark.books
def test_several_workers_and_another_bundling_of_days_make_the_same_books(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    node_of(house, slots=3, end=DAY + 60 * HOUR)
    house.holding("j", DAY + 5, DAY + 40 * HOUR + 7, "a", node="n1", units=1)
    house.holding("k", DAY + 999, DAY + 50 * HOUR, "b", node="n1", slot="n1/2")
    house.through(DAY + 60 * HOUR)
    house.keep()
    house.books()
    one = house.entries()
    monkeypatch.setattr("chargeback.units._PIECES_AT_ONCE", 24 * 3 * 8)
    house.books()
    assert house.entries() == one
    house.books(workers=2)
    assert house.entries() == one


def test_every_staged_table_holds_text_and_64_bit_integers_and_says_what_each_column_means(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, dict[str, str]] = {}
    run = Workbench.run

    def spied(bench: Workbench, names: Any) -> None:
        run(bench, names)
        for (name,) in bench.rows("select table_name from information_schema.tables"):
            seen[name] = {row[0]: row[1] for row in bench.rows(f"describe {name}")}

    monkeypatch.setattr(Workbench, "run", spied)
    node_of(house, slots=2)
    house.holding("j", DAY, DAY + HOUR, "a", node="n1", units=1)
    given = {"node": "n2", "resource": "cpu", "quantity": 2000, "unit": "milli"}
    house.fact("node_resource", "n2/cpu", DAY, None, **given)
    house.slot("n2", 0, DAY, DAY + HOUR, model="B200")
    house.price("8", 0, model="B200", unit="node_hour")
    house.policy("node_cost", "by_resource/1")
    house.policy("distribute_idle_free", "even/1")
    house.keep()
    house.books()
    assert set(MODELS) <= set(seen)
    for name, columns in seen.items():
        kinds = {kind.partition("(")[0] for kind in columns.values()}
        assert kinds <= {"VARCHAR", "ENUM", "BIGINT", "INTEGER", "BOOLEAN"}, (name, columns)
    for name in MODELS:
        assert list(seen[name]) == list(model(name).columns), name
        assert set(model(name).keys) <= set(seen[name]), name


def test_a_run_leaves_no_scratch_behind(house: House) -> None:
    node_of(house)
    house.keep()
    house.books()
    assert list(house.desk.scratch.iterdir()) == []
    assert HANDED_ON


def test_the_text_of_an_audit_says_what_to_do() -> None:
    for name in MODELS:
        for audit in model(name).audits:
            assert re.fullmatch(r"[a-z_]+", audit.name) and audit.holds[0].islower(), (name, audit.name)


def test_a_period_that_is_no_month_is_refused(house: House) -> None:
    with pytest.raises(Exception, match="is not a month"):
        house.books("October")
    assert issubclass(InvariantError, BooksError)


def time_rows(house: House, period: str = "2026-10") -> list[dict[str, Any]]:
    return house.rows_of("time_row", period)


def lines_of(found: dict[str, Any]) -> dict[str, str]:
    return {line["key"]: line["gpu_hours"] for line in found["lines"]}


@pytest.mark.parametrize("place", ["scratch", "books"])
def test_folder_that_cannot_be_made_says_to_look_at_the_disk(house: House, place: str) -> None:
    node_of(house)
    house.keep()
    folder = house.desk.scratch.with_name(place)
    if folder.exists():
        folder.rmdir()
    folder.write_text("in the way")
    with pytest.raises(StorageError) as caught:
        house.books()
    assert caught.value.mend.startswith("look at the disk, then try again")
    folder.unlink()
    assert house.amounts()
