"""Holdings come in through a map: each row is accepted, repeated, left out, or in quarantine."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from collectors.imports.facts import (
    DeviceFact,
    HoldingFact,
    NodeFact,
    PartitionFact,
    PhaseFact,
    SlotFact,
    StateFact,
)
from gpuledger.errors import ColumnMapError, InputError, RejectedRows
from gpuledger.lake import TABLES

from .conftest import Books

ASSUMED = """
kind: holdings
source: trace
identity: [id]
columns:
  owner_key: app
  start: {column: start, missing: window_start}
  end: {column: end, missing: open}
  units: gpus
constants: {model: A100}
capacity: assumed
epoch: 2026-10-15T00:00Z
window: {start: 0, end: 100000}
"""
EPOCH_S = 1_792_022_400
HEADER = "id,app,start,end,gpus\n"

PLACED = """
kind: holdings
source: kubelet
identity: [namespace, pod, uid, gpu]
run: [namespace, pod, uid]
columns:
  owner_key: namespace
  namespace: namespace
  node: node
  slot: gpu
  start: start
  end: {column: end, missing: open}
"""
PODS = "namespace,pod,uid,node,gpu,start,end\n"

SACCT = """
kind: holdings
source: sacct
delimiter: "|"
identity: [Cluster, JobID, Start]
columns:
  owner_key: Account
  node: NodeList
  units: {column: AllocTRES, tres: gres/gpu, missing: 0}
  cpus: {column: AllocTRES, tres: cpu}
  memory_bytes: {column: AllocTRES, tres: mem}
  start: Start
  end: {column: End, missing: open}
zone: UTC
nulls: [Unknown, None assigned]
rows: {without: {User: [""]}}
constants: {workload_kind: job}
"""


def test_the_facts_are_the_tables_of_the_lake() -> None:
    kinds = {"holding": HoldingFact, "slot": SlotFact, "device": DeviceFact, "node": NodeFact}
    kinds |= {"state": StateFact, "partition": PartitionFact, "phase": PhaseFact}
    for table, kind in kinds.items():
        assert tuple(name for name in TABLES[table].names if name != "seq") == kind._fields


def test_each_row_ends_in_exactly_one_place(books: Books) -> None:
    summary = books.bring_in(
        HEADER
        + "a,x,0,10,1\n"  # accepted
        + "a,x,0,10,1\n"  # said again
        + "b,x,20,10,1\n"  # end before start
        + "c,x,0,10,0.5\n"  # not whole
        + "d,x,0,10,nan\n"
        + "e,x,0,10,\n"  # no count
        + ",x,0,10,1\n"  # no identity
        + "f,x,0\n"  # short
        + "g,skip,0,10,1\n"  # left out
        + "h,x,1e12,,1\n"  # no year of ours
        + "i,x,,,0\n",  # holds no GPU, from the window's start, still open
        ASSUMED + "rows: {without: {app: [skip]}}\n",
    )
    assert summary.rows == {"read": 11, "accepted": 2, "repeated": 1, "left_out": 1, "quarantined": 7}
    assert summary.quarantined == {
        "end is before start": 1,
        "fewer cells than the header": 1,
        "identity is empty": 1,
        "start is no instant": 1,
        "units is empty": 1,
        "units is no number": 1,
        "units is not whole: map it as fraction": 1,
    }
    assert summary.figures == {"owners": 1, "with_gpu": 1, "gpu_hours_held": "0.002778"}
    rows = books.facts("holding", "run", "units", "start_s", "end_s", "assumed", "model", "node")
    assert rows == [
        ("a", 1, EPOCH_S, EPOCH_S + 10, True, "A100", None),
        ("i", 0, EPOCH_S, None, True, "A100", None),
    ]


def test_a_row_in_quarantine_has_its_file_number_reason_and_cells(books: Books) -> None:
    books.bring_in(HEADER + "a,x,0,10,1\nb,x,20,10,1\nc,x,0\n", ASSUMED)
    first, second = books.quarantine()
    assert (first["source"], first["row"], first["at_s"]) == ("trace", 2, books.at_s)
    assert first["file"].endswith("export.csv")
    assert first["reason"] == "end is before start: 2026-10-15T00:00:20Z to 2026-10-15T00:00:10Z"
    assert first["raw"] == '{"id": "b", "app": "x", "start": "20", "end": "10", "gpus": "1"}'
    assert (second["row"], second["raw"]) == (3, '["c", "x", "0"]')


def test_bad_rows_that_come_again_are_in_quarantine_once(books: Books) -> None:
    rows = HEADER + "b,x,20,10,1\n"
    first = books.bring_in(rows, ASSUMED)
    again = books.bring_in(rows, ASSUMED)
    assert (first.seq, again.seq) == (1, 1)
    assert len(books.quarantine()) == 1


def test_strict_fails_before_anything_is_known(books: Books) -> None:
    with pytest.raises(
        RejectedRows, match=r"1 of 2 rows cannot be right: end is before start \(1\)"
    ) as caught:
        books.bring_in(HEADER + "a,x,0,10,1\nb,x,20,10,1\n", ASSUMED, strict=True)
    assert caught.value.place is not None
    assert caught.value.place.row == 2
    assert books.database.latest_seq() == 0
    assert books.quarantine() == []


def test_a_holding_without_length_stays(books: Books) -> None:
    summary = books.bring_in(HEADER + "a,x,5,5,1\n", ASSUMED)
    assert (summary.rows["accepted"], summary.figures["gpu_hours_held"]) == (1, "0.000000")


def test_a_file_that_breaks_off_leaves_nothing(books: Books) -> None:
    with pytest.raises(InputError, match="no CSV"):
        books.bring_in(HEADER + 'a,x,0,10,1\nb,"x,0,10,1\n', ASSUMED)
    assert books.database.latest_seq() == 0


# T43: one garbage time must not become millions of minutes.
@pytest.mark.parametrize(
    "garbage", ["-9223372036854775808", "9e18", "nan", "inf", "0000-00-00T00:00:00Z", "0"]
)
def test_garbage_times_go_to_quarantine(books: Books, garbage: str) -> None:
    summary = books.bring_in(
        HEADER + f"a,x,2026-10-15T00:00:00Z,{garbage},1\nb,x,2026-10-15T00:00:00Z,2026-10-15T01:00:00Z,1\n",
        ASSUMED.replace("epoch: 2026-10-15T00:00Z\n", "")
        .replace("window_start", "open")
        .replace("  start: {column: start, missing: open}", "  start: start")
        .replace("window: {start: 0, end: 100000}\n", ""),
    )
    assert summary.rows["quarantined"] == 1
    assert summary.figures["gpu_hours_held"] == "1.000000"


# T13: one pod name, two lives; the hours between them belong to nobody.
def test_a_pod_name_used_again_is_two_runs(books: Books) -> None:
    books.bring_in(
        PODS
        + "ml,web-0,uid-1,n1,0000:3b:00.0,2026-10-01T12:00:00Z,2026-10-01T17:00:00Z\n"
        + "ml,web-0,uid-2,n1,0000:3b:00.0,2026-10-01T19:00:00Z,2026-10-01T22:00:00Z\n",
        PLACED,
    )
    rows = books.facts("holding", "run", "slot", "start_s", "end_s")
    assert [(run, slot, (end - start) // 3600) for run, slot, start, end in rows] == [
        ("ml/web-0/uid-1", "n1/0000:3b:00.0", 5),
        ("ml/web-0/uid-2", "n1/0000:3b:00.0", 3),
    ]


# T24: a requeued job has one id and two starts, and each run is paid.
def test_a_requeued_job_is_two_runs(books: Books) -> None:
    header = "Cluster|JobID|User|Account|Start|End|AllocTRES|NodeList\n"
    two = "cpu=1,gres/gpu:h100=2,gres/gpu=2,mem=500M"
    summary = books.bring_in(
        header
        + "c1|5|root|teama|2026-11-30T12:00:00|2026-11-30T13:00:00|"
        + two
        + "|g2\n"
        + "c1|5.batch|||2026-11-30T12:00:00|2026-11-30T13:00:00|cpu=1,gres/gpu=2|g2\n"
        + "c1|5|root|teama|2026-11-30T15:00:00|Unknown|"
        + two
        + "|g3\n"
        + "c1|8|root|teama|2026-11-30T15:00:00|2026-11-30T15:00:00||None assigned\n",
        SACCT,
        through="2026-11-30T18:00:00Z",
    )
    assert summary.rows["left_out"] == 1
    assert summary.figures["gpu_hours_held"] == "8.000000"
    rows = books.facts("holding", "node", "units", "cpus_milli", "memory_bytes", "workload_kind")
    assert sorted(rows, key=str) == [
        ("g2", 2, 1000, 524288000, "job"),
        ("g3", 2, 1000, 524288000, "job"),
        (None, 0, None, None, "job"),
    ]


def test_a_mid_month_and_a_full_export_pay_each_run_once(books: Books) -> None:
    header = HEADER
    early = books.bring_in(header + "a,x,0,3600,1\nb,x,0,,2\n", ASSUMED, through="7200")
    full = books.bring_in(header + "a,x,0,3600,1\nb,x,0,10800,2\nc,y,9000,,1\n", ASSUMED, through="12600")
    assert early.facts["holding"] == {"new": 2, "changed": 0, "unchanged": 0, "withdrawn": 0}
    assert full.facts["holding"] == {"new": 1, "changed": 1, "unchanged": 1, "withdrawn": 0}
    assert full.figures["gpu_hours_held"] == "8.000000"
    assert [end for _, end in books.facts("holding", "run", "end_s", seq=1)] == [EPOCH_S + 3600, None]


def test_an_earlier_export_that_comes_late_takes_nothing_back(books: Books) -> None:
    header = HEADER
    books.bring_in(header + "b,x,0,10800,2\n", ASSUMED, through="12600")
    late = books.bring_in(header + "b,x,0,,2\n", ASSUMED, through="7200")
    assert late.facts["holding"]["unchanged"] == 1
    assert late.seq == 1
    assert books.facts("holding", "end_s") == [(EPOCH_S + 10800,)]
    assert books.throughs() == {("trace", "main"): EPOCH_S + 12600}


def test_an_end_that_proves_wrong_is_opened_again(books: Books) -> None:
    header = HEADER
    books.bring_in(header + "b,x,0,3600,2\n", ASSUMED, through="7200")
    later = books.bring_in(header + "b,x,0,,2\n", ASSUMED, through="10800")
    assert later.facts["holding"]["changed"] == 1
    assert books.facts("holding", "end_s") == [(None,)]


# T22: one pod seen by two exporters is one holding, and the books say who else saw it.
def test_the_same_holding_counts_once_within_a_source_and_across_sources(books: Books) -> None:
    rows = HEADER + "a,x,0,3600,1\n"
    books.bring_in(rows, ASSUMED)
    again = books.bring_in(rows, ASSUMED, name="again.csv")
    other = books.bring_in(rows, ASSUMED, source="second-exporter")
    assert again.facts["holding"]["unchanged"] == other.facts["holding"]["unchanged"] == 1
    assert other.also_delivered_by == {"trace": 1}
    assert "counted once" in other.warnings[0]
    assert books.facts("holding", "source") == [("trace",)]


def test_another_source_that_knows_more_of_an_open_holding_takes_it_over(books: Books) -> None:
    rows = HEADER + "a,x,0,,1\n"
    books.bring_in(rows, ASSUMED, through="3600")
    behind = books.bring_in(rows, ASSUMED, source="second", through="1800")
    ahead = books.bring_in(rows, ASSUMED, source="third", through="7200")
    assert behind.facts["holding"]["unchanged"] == 1
    assert ahead.facts["holding"]["changed"] == 1
    assert books.facts("holding", "source") == [("third",)]


def test_rows_of_one_identity_that_differ_all_go_to_quarantine_in_any_order(
    new_books: Callable[..., Books],
) -> None:
    lines = ["a,x,0,10,1\n", "a,x,0,20,1\n", "a,x,0,10,1\n", "b,x,0,10,1\n"]
    for order in (lines, lines[::-1], lines[1:] + lines[:1]):
        books = new_books()
        summary = books.bring_in(HEADER + "".join(order), ASSUMED)
        assert summary.rows == {"read": 4, "accepted": 1, "repeated": 0, "left_out": 0, "quarantined": 3}
        assert summary.quarantined == {"rows of one identity differ": 3}
        assert books.facts("holding", "run") == [("b",)]
        assert "add a column to identity" in books.quarantine()[0]["reason"]


def test_shuffled_split_and_repeated_input_gives_the_same_facts(new_books: Callable[..., Books]) -> None:
    lines = [
        f"{number},app{number % 3},{number},{number + 100 if number % 4 else ''},{number % 5}\n"
        for number in range(60)
    ]
    columns = ("identity", "start_s", "end_s", "units", "owner_key", "source")
    whole = new_books()
    whole.bring_in(HEADER + "".join(lines), ASSUMED, through="window_end")
    shuffled = list(lines)
    random.Random(7).shuffle(shuffled)
    parts = new_books(shards=3)
    for part in (shuffled[:20], shuffled[40:], shuffled[20:40], shuffled[:20]):
        parts.bring_in(HEADER + "".join(part), ASSUMED, through="window_end")
    assert parts.facts("holding", *columns) == whole.facts("holding", *columns)
    assert parts.throughs() == whole.throughs()
    assert parts.database.latest_seq() == 3


def test_a_holding_that_is_named_a_node_later_is_one_fact_in_any_number_of_shards(
    new_books: Callable[..., Books],
) -> None:
    books = new_books(shards=4)
    mapped = PLACED.replace("  slot: gpu\n", "  units: gpu\n").replace("uid, gpu]", "uid]")
    books.bring_in(PODS + "ml,web-0,u1,n1,2,2026-10-01T12:00:00Z,\n", mapped)
    books.bring_in(PODS + "ml,web-0,u1,n7,2,2026-10-01T12:00:00Z,\n", mapped)
    assert books.facts("holding", "node", "units") == [("n7", 2)]


def test_the_option_the_map_and_the_file_say_how_far_the_source_reaches(
    new_books: Callable[..., Books],
) -> None:
    rows = HEADER + "a,x,0,10,1\nb,x,50,,1\n"
    said = [
        (ASSUMED, {}, "the latest instant in the file", 50),
        (ASSUMED + "data_through: window_end\n", {}, "the map", 100_000),
        (ASSUMED + "data_through: window_end\n", {"through": "60"}, "--through", 60),
    ]
    for column_map, options, said_by, after in said:
        books = new_books()
        summary = books.bring_in(rows, column_map, **options)
        assert summary.data_through_from == said_by
        assert books.throughs() == {("trace", "main"): EPOCH_S + after}


def test_a_reach_in_the_future_is_told(books: Books) -> None:
    summary = books.bring_in(HEADER + "a,x,0,2099-01-01T00:00:00Z,1\n", ASSUMED)
    assert "is in the future" in summary.warnings[0]


def test_a_file_in_which_nobody_holds_a_gpu_is_told(books: Books) -> None:
    summary = books.bring_in(HEADER + "a,x,0,10,0\n", ASSUMED)
    assert "no row holds a GPU" in summary.warnings[0]


def test_clusters_are_apart(books: Books) -> None:
    column_map = ASSUMED.replace("  units: gpus\n", "  units: gpus\n  cluster: app\n")
    books.bring_in(HEADER + "a,east,0,10,1\na,west,0,20,1\n", column_map)
    assert books.facts("holding", "cluster", "identity") == [("east", "east/a"), ("west", "west/a")]
    assert books.throughs() == {("trace", "east"): EPOCH_S + 20, ("trace", "west"): EPOCH_S + 20}


def test_the_source_is_named_for_the_file_when_nobody_names_it(books: Books) -> None:
    summary = books.bring_in(
        HEADER + "a,x,0,10,1\n", ASSUMED.replace("source: trace\n", ""), name="gpu.jobs.csv"
    )
    assert summary.source == "gpu.jobs"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("ml,p,u,,0,2026-10-01T12:00:00Z,\n", "a slot or device without its node"),
        ("ml,p,u,,,2026-10-01T12:00:00Z,\n", "identity is empty"),
        ("ml,p,u,gpu[1-2],0,2026-10-01T12:00:00Z,\n", "node is no single node"),
        ("ml,p,u,n1,0,,\n", "start is empty"),
        ("ml,p,u,n1,0,soon,\n", "start is no instant"),
    ],
)
def test_a_placed_row_that_cannot_be_right_is_in_quarantine(books: Books, row: str, reason: str) -> None:
    assert books.bring_in(PODS + row, PLACED).quarantined == {reason: 1}


def test_a_named_slot_is_one_unit_and_a_share_of_it_is_exact(books: Books) -> None:
    column_map = PLACED.replace(
        "  slot: gpu\n", "  slot: gpu\n  units: pod\n  fraction: {column: uid, per: 1000}\n"
    )
    summary = books.bring_in(
        PODS
        + "a,1,250,n1,0,2026-10-01T12:00:00Z,2026-10-01T13:00:00Z\n"
        + "b,1,1000,n1,1,2026-10-01T12:00:00Z,2026-10-01T13:00:00Z\n"
        + "c,2,1000,n1,2,2026-10-01T12:00:00Z,2026-10-01T13:00:00Z\n",
        column_map,
    )
    assert summary.quarantined == {"a slot or device is one unit": 1}
    assert summary.figures["gpu_hours_held"] == "1.250000"
    assert books.facts("holding", "units", "share_mode", "weight", "weight_cap") == [
        (1, "fraction", 1, 4),
        (1, None, 1, 1),
    ]


def test_local_time_without_a_zone_refuses_the_whole_file(books: Books) -> None:
    with pytest.raises(ColumnMapError, match="declares no zone"):
        books.bring_in(PODS + "ml,p,u,n1,0,2026-10-01 12:00:00,\n", PLACED)
    assert books.database.latest_seq() == 0


def test_a_column_that_the_file_has_not_refuses_the_whole_file(books: Books) -> None:
    with pytest.raises(ColumnMapError, match="the map names gpus"):
        books.bring_in("id,app,start,end\na,x,0,10\n", ASSUMED)


def test_time_noise_never_makes_two_identities(books: Books) -> None:
    column_map = ASSUMED.replace("identity: [id]", "identity: [id, start]")
    first = books.bring_in(HEADER + "a,x,32709.000000000004,40000,1\n", column_map)
    again = books.bring_in(HEADER + "a,x,32709.0,40000,1\n", column_map)
    assert first.figures["gpu_hours_held"] == "2.025278"
    assert again.facts["holding"]["unchanged"] == 1


def test_a_corrected_epoch_moves_the_holdings_and_doubles_none(books: Books) -> None:
    column_map = ASSUMED.replace("identity: [id]", "identity: [id, start]")
    books.bring_in(HEADER + "a,x,0,10,1\n", column_map)
    moved = books.bring_in(HEADER + "a,x,0,10,1\n", column_map, epoch="2026-10-16T00:00Z")
    assert moved.facts["holding"] == {"new": 0, "changed": 1, "unchanged": 0, "withdrawn": 0}
    assert books.facts("holding", "start_s") == [(EPOCH_S + 86_400,)]


def test_a_commit_that_comes_between_is_seen(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, came = books.lake.stage, []

    def stage_late(table: str, rows: object) -> object:
        staged = stage(table, rows)
        if not came:
            came.append(True)
            books.bring_in(HEADER + "a,x,0,10,1\n", ASSUMED, name="other.csv")
        return staged

    monkeypatch.setattr(books.lake, "stage", stage_late)
    summary = books.bring_in(HEADER + "a,x,0,10,1\nb,x,0,10,1\n", ASSUMED)
    assert summary.facts["holding"] == {"new": 1, "changed": 0, "unchanged": 1, "withdrawn": 0}
    assert summary.seq == 2
    assert books.facts("holding", "run") == [("a",), ("b",)]


def test_a_failing_commit_leaves_nothing_known(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("collectors.imports.deliver.set_through", fail)
    with pytest.raises(OSError, match="disk full"):
        books.bring_in(HEADER + "a,x,0,10,1\nb,x,20,10,1\n", ASSUMED)
    assert books.database.latest_seq() == 0
    assert books.facts("holding", "run") == []
    assert books.quarantine() == []


LABELLED = ASSUMED.replace(
    "  units: gpus\n", "  units: gpus\n  labels: {team: squad, app: {column: svc, missing: none}}\n"
)
LABELLED_HEADER = "id,app,start,end,gpus,squad,svc\n"


def test_labels_are_canonical_json_and_an_empty_cell_is_no_label(books: Books) -> None:
    without_app = LABELLED.replace("{column: svc, missing: none}", "svc") + "nulls: [None]\n"
    rows = "a,x,0,10,1,vision, web \nb,x,0,10,1,,ünï\nc,x,0,10,1,,\nd,x,0,10,1,None,None\n"
    books.bring_in(LABELLED_HEADER + rows, without_app)
    assert books.facts("holding", "run", "labels") == [
        ("a", '{"app":"web","team":"vision"}'),
        ("b", '{"app":"ünï"}'),
        ("c", None),
        ("d", None),
    ]


def test_a_missing_label_is_what_the_map_says(books: Books) -> None:
    books.bring_in(LABELLED_HEADER + "a,x,0,10,1,,\n", LABELLED)
    assert books.facts("holding", "labels") == [('{"app":"none"}',)]


def test_a_changed_label_is_a_new_version_of_the_same_holding(books: Books) -> None:
    first = books.bring_in(LABELLED_HEADER + "a,x,0,10,1,vision,web\nb,x,0,10,1,vision,web\n", LABELLED)
    second = books.bring_in(LABELLED_HEADER + "a,x,0,10,1,speech,web\nb,x,0,10,1,vision,web\n", LABELLED)
    assert second.facts["holding"] == {"new": 0, "changed": 1, "unchanged": 1, "withdrawn": 0}
    labels = [books.facts("holding", "run", "labels", seq=one.seq)[0] for one in (first, second)]
    assert labels == [("a", '{"app":"web","team":"vision"}'), ("a", '{"app":"web","team":"speech"}')]


def test_a_column_of_a_label_must_be_in_the_file(books: Books) -> None:
    with pytest.raises(ColumnMapError, match="squad"):
        books.bring_in(HEADER + "a,x,0,10,1\n", LABELLED)
