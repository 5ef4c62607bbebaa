"""What the sources of a simulated fleet write: plain CSV that says no more than the source knows."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import yaml

from simulator import Fleet, generate, write_exports
from simulator.exports import MAPS

FILES = ["inventory.csv", "slurm.csv", "pods.csv", "prices.csv", "owners.csv"]

# sha256 of the five exports of seed 7 in UTC, one after the other: the same on every machine and Python.
GOLDEN = "fead2db5af8faf0e7b1a0f2bea822b25a17caeb2571613097ee3f6ea1bf4ad81"


@pytest.fixture(scope="module")
def fleet() -> Fleet:
    return generate(7)


@pytest.fixture(scope="module")
def exports(fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_exports(fleet, tmp_path_factory.mktemp("exports"))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file, delimiter="|" if path.name == "slurm.csv" else ",", strict=True))
    assert all(None not in row and None not in row.values() for row in read), "cells fit the header"
    return read


def test_the_same_seed_writes_the_same_bytes_on_every_machine(exports: dict[str, Path]) -> None:
    written = b"".join(exports[name].read_bytes() for name in FILES)
    assert hashlib.sha256(written).hexdigest() == GOLDEN


def test_writing_twice_into_one_folder_changes_nothing(fleet: Fleet, tmp_path: Path) -> None:
    first = {name: path.read_bytes() for name, path in write_exports(fleet, tmp_path).items()}
    again = {name: path.read_bytes() for name, path in write_exports(fleet, tmp_path).items()}
    assert first == again
    assert sorted(first) == sorted(path.name for path in tmp_path.iterdir())


def test_every_file_is_csv_with_a_header_and_rows(exports: dict[str, Path]) -> None:
    assert len(rows(exports["inventory.csv"])) == 64
    assert len(rows(exports["prices.csv"])) == 3
    assert len(rows(exports["owners.csv"])) == 8
    assert len(rows(exports["slurm.csv"])) > 300
    assert len(rows(exports["pods.csv"])) > 200


def test_slurm_names_nodes_and_counts_and_never_a_gpu(fleet: Fleet, exports: dict[str, Path]) -> None:
    text = exports["slurm.csv"].read_text(encoding="utf-8")
    assert "GPU-" not in text
    units = Counter[str]()
    for row in rows(exports["slurm.csv"]):
        units[row["NodeList"]] += int(row["GPUs"])
    truth = Counter(gpu.node for work in fleet.workloads if work.scheduler == "slurm" for gpu in work.gpus)
    assert units == truth


def test_units_held_on_a_slurm_node_never_exceed_its_slots(exports: dict[str, Path]) -> None:
    steps: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for row in rows(exports["slurm.csv"]):
        steps[row["NodeList"]] += [(row["Start"], int(row["GPUs"])), (row["End"], -int(row["GPUs"]))]
    for changes in steps.values():
        held = 0
        for _, change in sorted(changes):
            held += change
            assert held <= 8


def test_pods_name_the_gpu_that_the_inventory_has_on_that_node(exports: dict[str, Path]) -> None:
    inventory = {(row["node"], row["uuid"]) for row in rows(exports["inventory.csv"])}
    assert {(row["node"], row["gpu_uuid"]) for row in rows(exports["pods.csv"])} <= inventory


def test_what_has_not_ended_is_open_in_the_export(fleet: Fleet, exports: dict[str, Path]) -> None:
    open_jobs = {row["JobID"] for row in rows(exports["slurm.csv"]) if row["End"] == "Unknown"}
    later = {work.name for work in fleet.workloads if work.end_s > fleet.exported_s}
    assert "40760" in open_jobs
    assert open_jobs <= later


def test_an_earlier_export_holds_the_same_facts_with_open_ends(fleet: Fleet, tmp_path: Path) -> None:
    middle = (fleet.start_s + fleet.end_s) // 2
    early = rows(write_exports(fleet, tmp_path / "early", at_s=middle)["pods.csv"])
    late = rows(write_exports(fleet, tmp_path / "late")["pods.csv"])
    ends = {(row["uid"], row["gpu_uuid"]): row["deleted_at"] for row in late}
    assert 0 < len(early) < len(late)
    assert any(row["deleted_at"] == "" for row in early)
    assert all(row["deleted_at"] in ("", ends[row["uid"], row["gpu_uuid"]]) for row in early)


@pytest.mark.parametrize("name", MAPS)
def test_each_map_names_columns_that_its_file_has(name: str, exports: dict[str, Path]) -> None:
    mapped = yaml.safe_load(exports[f"{name}.map.yaml"].read_text(encoding="utf-8"))
    header = set(rows(exports[f"{name}.csv"])[0])
    columns = {one["column"] if isinstance(one, dict) else one for one in mapped["columns"].values()}
    assert columns | set(mapped.get("identity", ())) <= header


@pytest.mark.parametrize("name", ["slurm", "pods"])
def test_the_identity_in_each_map_tells_every_row_apart(name: str, exports: dict[str, Path]) -> None:
    mapped = yaml.safe_load(exports[f"{name}.map.yaml"].read_text(encoding="utf-8"))
    identities = Counter(
        tuple(row[part] for part in mapped["identity"]) for row in rows(exports[f"{name}.csv"])
    )
    assert set(identities.values()) == {1}
