"""A map is drafted from a header and a few rows: what it finds imports, what it misses is said by name."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from collectors.imports import HoldingMap, InventoryMap, load_map, read_map
from collectors.imports.guess import Guess, Kind, Sample, guess_map
from collectors.imports.guess_page import map_text
from collectors.imports.guess_times import time_form
from gpuledger.cli import invoke
from gpuledger.errors import ColumnMapError, InputError
from gpuledger.lake.arrow import pa, pq
from gpuledger.session import Edge
from simulator import generate, write_exports

from .conftest import Books

SACCT = """\
JobID|User|Account|Cluster|Submit|Start|End|State|NodeList|AllocTRES
7|ann|vision|c1|2026-10-01T00:00:00|2026-10-01T01:00:00|2026-10-01T05:00:00|COMPLETED|n1|cpu=4,gres/gpu=2
7.batch||vision|c1|2026-10-01T00:00:00|2026-10-01T01:00:00|2026-10-01T05:00:00|COMPLETED|n1|cpu=4,gres/gpu=2
8|bob|speech|c1|2026-10-01T00:00:00|2026-10-01T02:00:00|Unknown|RUNNING|n2|cpu=4,mem=8G
"""
KUBE = """\
namespace,pod,uid,node,created,deleted,gpu_num,label_team,label_app.kubernetes.io/name
a,p0,u1,n1,1790812800000,,1,vision,web
a,p0,u2,n1,1790812801000,1790816801000,2,,web
"""
ALIBABA = """\
instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,\
memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time
i1,CN,app_1,12,16,1,1,1,100,120.0,120.0,1,1,-1,10,20.000000000000004,30.5
i2,HN,app_2,12,16,0,0,1,100,120.0,120.0,1,1,-1,,,40
"""


def sample(text: str, delimiter: str = ",") -> Sample:
    header, *rows = [line.split(delimiter) for line in text.splitlines()]
    return Sample(tuple(header), [dict(zip(header, row, strict=True)) for row in rows])


def guessed(text: str, kind: Kind | None = None, delimiter: str = ",", zone: str = "UTC") -> Guess:
    return guess_map(sample(text, delimiter), kind, zone)


def drafted(guess: Guess, delimiter: str | None = None) -> str:
    return map_text(guess, source="export", delimiter=delimiter, heading=("A guess.",))


def fields(guess: Guess) -> dict[str, str]:
    return {found.field: found.column for found in guess.fields}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here: Path) -> Callable[..., int]:
    edge = Edge(environ={"GPULEDGER_HOME": str(here / "home")}, cwd=here, clock=lambda: 1_793_000_000)
    return lambda *words: invoke(["import", "map", *words], edge=edge)


@pytest.mark.parametrize(
    ("name", "kind"), [("slurm", HoldingMap), ("pods", HoldingMap), ("inventory", InventoryMap)]
)
def test_the_simulators_exports_import_by_their_guessed_maps(
    name: str, kind: type, here: Path, run: Callable[..., int], books: Books
) -> None:
    file = write_exports(generate(1), here / "exports")[f"{name}.csv"]
    assert run(str(file)) == 0
    draft = here / f"{name}.map.yaml"
    own = here / "exports" / f"{name}.map.yaml"
    summary = books.bring_in_file(file, draft.read_text(encoding="utf-8"), kind)
    assert (summary.quarantined, summary.rows["accepted"]) == ({}, summary.rows["read"])
    again = books.bring_in_file(file, own.read_text(encoding="utf-8"), kind)
    figures = [
        {name: one.figures[name] for name in one.figures if name != "owners"} for one in (summary, again)
    ]
    assert figures[0] == figures[1]


def test_sacct_is_read_without_its_steps(books: Books) -> None:
    guess = guessed(SACCT, delimiter="|", zone="Asia/Tokyo")
    summary = books.bring_in(SACCT, drafted(guess, "|"))
    assert summary.rows == {"read": 3, "accepted": 2, "repeated": 0, "left_out": 1, "quarantined": 0}
    rows = books.facts("holding", "run", "owner_key", "node", "units", "start_s", "end_s", "cluster")
    assert rows == [
        ("7/2026-10-01T01:00:00", "vision", "n1", 2, 1790784000, 1790798400, "c1"),
        ("8/2026-10-01T02:00:00", "speech", "n2", 0, 1790787600, None, "c1"),
    ]
    assert guess.left == ["Submit", "State"]
    assert guess.keys["zone"][0] == "Asia/Tokyo"


def test_pods_bring_their_labels_and_milliseconds(books: Books) -> None:
    guess = guessed(KUBE)
    summary = books.bring_in(KUBE, drafted(guess))
    assert summary.quarantined == {}
    assert books.facts("holding", "run", "units", "start_s", "end_s", "labels") == [
        ("a/p0/u1", 1, 1790812800, None, '{"app.kubernetes.io/name":"web","team":"vision"}'),
        ("a/p0/u2", 2, 1790812801, 1790816801, '{"app.kubernetes.io/name":"web"}'),
    ]
    assert guess.left == []


def test_a_trace_without_nodes_and_epoch_waits_for_both(books: Books) -> None:
    draft = drafted(guessed(ALIBABA))
    with pytest.raises(ColumnMapError, match=r"columns\.start is missing"):
        load_map(draft, HoldingMap, file="draft.yaml")
    for line in ("start: scheduled_time", "end: deletion_time"):
        draft = draft.replace(f"  # {line}", f"  {line}")
    with pytest.raises(ColumnMapError, match="no node is mapped: map node, or say capacity: assumed"):
        load_map(draft, HoldingMap, file="draft.yaml")
    draft = draft.replace("# capacity: assumed", "capacity: assumed") + "epoch: 2026-10-15T00:00Z\n"
    summary = books.bring_in(ALIBABA, draft)
    assert summary.quarantined == {"start is empty": 1}
    assert books.facts("holding", "run", "owner_key", "units") == [("i1", "app_1", 1)]


@pytest.mark.parametrize(
    ("cells", "unit", "local", "problem"),
    [
        (["1790812800", "1790812801.5"], "s", False, ""),
        (["1790812800000"], "ms", False, ""),
        (["1790812800000000"], "us", False, ""),
        (["1790812800000000000"], "ns", False, ""),
        (["0", "1790812800", "1790812801"], "s", False, ""),
        (["2026-10-01T00:00:00Z", "2026-10-01 00:00:00+02:00"], None, False, ""),
        (["2026-10-01T00:00:00"], None, True, ""),
        (["2026-10-01"], None, True, ""),
        ([], None, False, ""),
        (["17", "2677541"], None, False, "17 counts from another instant than 1970"),
        (["soon", "2026-10-01"], None, False, "'soon' is no instant"),
        (["10/01/2026"], None, False, "'10/01/2026' is no instant"),
    ],
)
def test_times_are_told_by_their_cells(cells: list[str], unit: str | None, local: bool, problem: str) -> None:
    form = time_form(cells)
    assert (form.unit, form.local, form.problem) == (unit, local, problem)


def test_a_column_of_the_right_name_and_other_cells_is_not_taken() -> None:
    guess = guessed(
        "job_id,node,begin,start,finished,gpu,account\n"
        "1,n1,never,2026-10-01T00:00Z,2026-10-02T00:00Z,H100,a\n"
    )
    assert fields(guess) == {
        "start": "start",
        "end": "finished",
        "node": "node",
        "account": "account",
        "owner_key": "account",
    }
    assert guess.left == ["begin", "gpu"]
    assert guess.warnings == ["no column says how many GPUs a row holds: each row counts as one"]


def test_ends_in_another_unit_than_starts_are_to_be_filled_in() -> None:
    guess = guessed("job_id,node,start,end,user\n1,n1,1790812800,1790812800000,a\n")
    (wanted,) = guess.wanted
    assert (wanted.field, wanted.column) == ("end", "end")
    assert wanted.why == "it is Unix time in ms, and 'start' Unix time in s"


@pytest.mark.parametrize(
    ("column", "cells", "field", "more"),
    [
        ("gpu_milli", ("250", "1000"), "fraction", {"per": "1000"}),
        ("gpus", ("0.5", "1"), "fraction", {}),
        ("gpus", ("1.0", "8"), "units", {}),
        ("ReqTRES", ("gres/gpu=1", "cpu=1"), "units", {"tres": "gres/gpu", "missing": "0"}),
        ("memory_gib", ("4", "8"), "memory_bytes", {"times": "1073741824"}),
    ],
)
def test_quantities_are_told_by_name_and_cells(
    column: str, cells: tuple[str, str], field: str, more: dict[str, str]
) -> None:
    head, rest = "job_id,node,start,end,user", "n1,2026-10-01T00:00Z,2026-10-02T00:00Z,ann"
    text = f"{head};{column}\n1,{rest};{cells[0]}\n2,{rest};{cells[1]}\n".replace(",", ";")
    found = {one.field: one for one in guessed(text, delimiter=";").fields}
    assert (found[field].column, found[field].more) == (column, more)


def test_an_inventory_counts_nodes_where_no_slot_is_named(books: Books) -> None:
    text = "hostname,instance_type,gpu_model,gpus,zone,created\nn1,p5.48xlarge,H100,8,a,2026-10-01T00:00Z\n"
    summary = books.bring_in(text, drafted(guessed(text)), InventoryMap)
    assert summary.quarantined == {}
    assert set(books.facts("slot", "node", "model", "sku")) == {("n1", "H100", "p5.48xlarge")}
    assert summary.figures["slots"] == 8


@pytest.mark.parametrize(
    ("text", "kind", "missing"),
    [
        ("hostname,sku,created\nn1,p5,2026-10-01\n", "inventory", "map either slot"),
        ("hostname,sku,gpus\nn1,p5,8\n", "inventory", "columns.start is missing"),
        ("node,start,end,user\nn1,2026-10-01,,a\n", "holdings", "identity is missing"),
        ("job_id,node,start,user\n1,n1,2026-10-01,a\n", "holdings", "columns.end is missing"),
        ("job_id,start,end,user\n1,2026-10-01,,a\n", "holdings", "no node is mapped"),
    ],
)
def test_a_draft_that_lacks_a_field_is_refused_with_its_name(text: str, kind: Kind, missing: str) -> None:
    guess = guessed(text)
    assert guess.kind == kind
    assert len(guess.wanted) == 1
    with pytest.raises(ColumnMapError, match=missing):
        load_map(drafted(guess), HoldingMap if kind == "holdings" else InventoryMap, file="draft.yaml")


@pytest.mark.parametrize("text", ["when,what\n", "node,start,end,gpus\n", "node,user,gpu_model,start\n"])
def test_without_a_kind_it_says_when_it_cannot_tell(text: str) -> None:
    with pytest.raises(InputError, match="do not tell") as caught:
        guessed(text)
    assert "--kind holdings" in caught.value.mend
    assert guessed(text, "inventory").kind == "inventory"


def test_cells_that_name_several_devices_are_told() -> None:
    guess = guessed("pod;uid;node;gpu_uuid;start;end\np;u;n1;GPU-1,GPU-2;2026-10-01T00:00Z;\n", delimiter=";")
    assert (
        "cells of 'gpu_uuid' name several devices, which no row may: export a row for each" in guess.warnings
    )


def test_two_columns_of_one_label_are_one_label() -> None:
    guess = guessed("job_id,node,start,end,gpus,user,label_a,labels.a\n1,n1,2026-10-01T00:00Z,,1,a,x,y\n")
    assert load_map(drafted(guess), HoldingMap, file="draft.yaml").columns.labels["a"].column == "label_a"
    assert guess.left == ["labels.a"]


def test_rows_that_share_an_identity_are_told() -> None:
    row = "1,n1,2026-10-01T00:00Z,,a,{}\n"
    guess = guessed("job_id,node,start,end,user,gpus\n" + row.format(1) + row.format(1) + row.format(2))
    assert guess.warnings == [
        "2 of the first rows share an identity and differ, so they go to quarantine: name more columns"
    ]


def test_names_of_columns_stay_what_they_are_in_yaml() -> None:
    header = ("job id", "node", "[start]", "end ", "user", "label_a: {b} # c", "yes")
    cells = ("1", "n1", "2026-10-01T00:00Z", "", "ann", "x", "y")
    guess = guess_map(Sample(header, [dict(zip(header, cells, strict=True))]))
    loaded = load_map(drafted(guess), HoldingMap, file="draft.yaml")
    assert loaded.columns.start.column == "[start]"
    assert loaded.columns.labels["a: {b} # c"].column == "label_a: {b} # c"


def test_the_command_writes_a_draft_and_says_what_comes_next(
    here: Path, run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "my jobs.csv.gz").write_bytes(gzip.compress(SACCT.encode()))
    assert run("my jobs.csv.gz") == 0
    printed = capsys.readouterr().out
    assert "  units: column AllocTRES  (by its name; its list of TRES names gres/gpu)\n" in printed
    assert "mapped nowhere: Submit, State\n" in printed
    assert "gpuledger import holdings 'my jobs.csv.gz' --map 'my jobs.map.yaml'" in printed
    loaded = read_map(here / "my jobs.map.yaml", HoldingMap)
    assert (loaded.source, loaded.delimiter, loaded.zone) == ("my jobs", "|", "UTC")
    text = (here / "my jobs.map.yaml").read_text(encoding="utf-8")
    assert "  node: NodeList  # column 'NodeList': by its name\n" in text


def test_no_file_is_overwritten(
    here: Path, run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "jobs.csv").write_text(KUBE, encoding="utf-8")
    (here / "jobs.map.yaml").write_text("mine", encoding="utf-8")
    assert run("jobs.csv") == 3
    assert "it is not overwritten" in capsys.readouterr().err
    assert (here / "jobs.map.yaml").read_text(encoding="utf-8") == "mine"
    assert run("jobs.csv", "--out", "other.yaml", "--zone", "Asia/Tokyo") == 0
    assert run("jobs.csv", "--out", "absent/other.yaml") == 3


def test_a_parquet_file_is_drafted_too(here: Path, run: Callable[..., int]) -> None:
    columns = {
        "job_id": ["1"],
        "node": ["n1"],
        "start": [1790812800],
        "end": [None],
        "user": ["a"],
        "gpus": [2],
    }
    pq.write_table(pa.table(columns), here / "jobs.parquet")
    assert run("jobs.parquet") == 0
    assert read_map(here / "jobs.map.yaml", HoldingMap).columns.units is not None


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b",,\n1,2,3\n", "the header names no column"),
        (b"node,node,start\n", "names node more than once"),
        (b"job_id,\x01,start\n", "the header is no text"),
        (b"PK\x03\x04\xff\xfe\x00", "not UTF-8"),
        (b"17,n1,2026-10-01\n", "has numbers and is no header"),
        (b"this,that\n1,2\n", "do not tell"),
    ],
)
def test_a_header_that_cannot_be_read_is_an_error(
    data: bytes, says: str, here: Path, run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "jobs.csv").write_bytes(data)
    assert run("jobs.csv") == 3
    assert says in capsys.readouterr().err
    assert not (here / "jobs.map.yaml").exists()


def test_lists_of_nodes_beside_a_count_are_parted_and_beside_a_device_no_row_may_have_them(
    books: Books,
) -> None:
    jobs = (
        "JobID,Account,Start,End,NodeList,GPUs\n"
        "1,ml,2026-10-01T00:00:00Z,2026-10-01T01:00:00Z,n[1-2],4\n"
        "2,ml,2026-10-01T00:00:00Z,2026-10-01T01:00:00Z,n1,4\n"
    )
    made = guessed(jobs)
    text = drafted(made)
    assert "  nodes: NodeList  # column 'NodeList': by its name; its cells list several nodes" in text
    assert not [warning for warning in made.warnings if "several nodes" in warning]
    summary = books.bring_in(jobs, text)
    assert (summary.figures["gpu_hours_held"], summary.facts["holding"]["new"]) == ("8.000000", 3)
    devices = "uid,owner,node,gpu_uuid,start,end\nu,ml,n[1-2],GPU-1,2026-10-01T00:00Z,2026-10-01T01:00Z\n"
    warnings = guessed(devices, "holdings").warnings
    assert [warning for warning in warnings if "name several nodes, which no row may" in warning]
