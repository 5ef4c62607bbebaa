"""A map is checked before any row is read, and says in which line it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from collectors.imports import (
    CapacityMap,
    HoldingMap,
    InventoryMap,
    PartitionMap,
    PhaseMap,
    StateMap,
    load_map,
    read_map,
)
from gpuledger.errors import ColumnMapError

HOLDINGS = """\
kind: holdings
source: sacct
identity: [cluster, job]
capacity: assumed
columns:
  owner_key: account
  start: {first_of: [scheduled, created], missing: window_start}
  end: {column: deleted, missing: open}
constants:
  model: A100
  region: no
window: {start: 0, end: 2677541}
"""

INVENTORY = "kind: inventory\ncolumns: {node: host, slot: bus, start: since}\n"
CAPACITY = "kind: capacity\ncolumns: {group: vc, at: time, total: gpus}\n"


def refused(text: str, kind: type = HoldingMap) -> ColumnMapError:
    with pytest.raises(ColumnMapError) as caught:
        load_map(text, kind, file="m.yaml")
    return caught.value


def test_scalars_stay_the_text_that_was_written() -> None:
    loaded = load_map(HOLDINGS, HoldingMap, file="m.yaml")
    assert loaded.columns.region is not None
    assert loaded.columns.region.constant == "no"
    assert loaded.window is not None
    assert loaded.window.end == "2677541"
    assert loaded.columns_read() == ("cluster", "job", "scheduled", "created", "deleted", "account")


@pytest.mark.parametrize(
    ("change", "message", "line"),
    [
        (("source:", "sorce:"), "sorce is not a key of a map", 2),
        (("owner_key: account", "owner_key: {colum: account}"), "columns.owner_key.colum is not a key", 6),
        (("  model: A100", "  modle: A100"), "columns.modle is not a key", 10),
        (("  end: {column: deleted, missing: open}\n", ""), "columns.end is missing", 5),
        (("[cluster, job]", "[cluster, deleted]"), "identity and run cannot name deleted", None),
        (("capacity: assumed\n", ""), "no node is mapped", None),
        (("owner_key: account", "node: host"), "capacity: assumed is for holdings that name no node", None),
        (("owner_key: account", "slot: bus"), "a slot or a device needs its node", None),
        (("missing: window_start", "missing: open"), "start cannot be open", None),
        (("window: {start: 0, end: 2677541}", ""), "no window says what they are", None),
        (("kind: holdings", "kind: inventory"), "the map is of kind 'inventory'", 1),
        (("kind: holdings\n", ""), "the map does not say its kind", None),
        (("owner_key: account", "owner_key: {column: a, constant: b}"), "say exactly one of", 6),
        (("owner_key: account", "model: gpu_model"), "model is both a constant and a column", 10),
        (("owner_key: account", "labels: {team: {colum: a}}"), "columns.labels.team.colum is not a key", 6),
        (("owner_key: account", "labels: {team: a, team: b}"), "'team' is given twice", 6),
        (("owner_key: account", "labels: team"), "columns.labels: Input should be", 6),
        (("owner_key: account", 'labels: {"": a}'), "a label has a printable name", 6),
        (("owner_key: account", 'labels: {"a\\tb": a}'), "a label has a printable name", 6),
        (("owner_key: account", "labels: {team: [a]}"), "columns.labels.team: Input should be", 6),
        (("owner_key: account", "labels: {team: {column: a, times: 2}}"), "times is not a key", 6),
        (("  model: A100", "  labels: {team: x}"), "labels is no constant", 10),
        (("  region: no", "  labels: x"), "labels is no constant", 11),
        (("kind: holdings", "kind: ["), "the map is no YAML", None),
        (("identity: [cluster, job]", "identity: []"), "identity: name at least one column", 3),
        (("capacity: assumed", "capacity: assumed\ncapacity: assumed"), "'capacity' is given twice", 5),
        (("capacity: assumed", "capacity: assumed\nzone: Mars/Olympus"), "zone: time zone 'Mars/Olympus'", 5),
        (("capacity: assumed", "capacity: assumed\ntime_unit: h"), "time_unit: Input should be", 5),
    ],
)
def test_what_is_wrong_is_said_with_its_line(change: tuple[str, str], message: str, line: int | None) -> None:
    error = refused(HOLDINGS.replace(*change))
    assert message in error.message
    assert error.mend
    assert error.place is not None
    assert error.place.file == "m.yaml"
    if line is not None:
        assert error.place.line == line


def test_a_misspelt_key_is_told_the_right_one() -> None:
    assert refused(HOLDINGS.replace("source:", "sorce:")).mend == "write source"
    assert "column" in refused(HOLDINGS.replace("owner_key: account", "owner_key: {x: y}")).mend


def test_a_misspelt_key_of_a_label_is_told_the_right_one() -> None:
    assert (
        refused(HOLDINGS.replace("owner_key: account", "labels: {team: {colum: a}}")).mend == "write column"
    )


def test_columns_of_labels_are_read() -> None:
    labels = "labels: {team: squad, app: {first_of: [app, svc]}, env: {constant: prod}}"
    loaded = load_map(HOLDINGS.replace("owner_key: account", labels), HoldingMap, file="m.yaml")
    assert loaded.columns_read() == (
        "cluster",
        "job",
        "scheduled",
        "created",
        "deleted",
        "squad",
        "app",
        "svc",
    )


def test_an_empty_map_is_refused() -> None:
    assert "empty" in refused("").message


def test_a_map_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ColumnMapError, match="cannot be read"):
        read_map(tmp_path / "absent.yaml", HoldingMap)


def test_inventory_maps_slots_or_a_count_and_not_both() -> None:
    assert load_map(INVENTORY, InventoryMap, file="m.yaml").columns.slot is not None
    assert "either slot" in refused(INVENTORY.replace("slot: bus, ", ""), InventoryMap).message
    assert (
        "either slot" in refused(INVENTORY.replace("slot: bus", "slot: bus, units: n"), InventoryMap).message
    )
    counted = INVENTORY.replace("slot: bus", "units: n, device: uuid")
    assert "cannot name a device" in refused(counted, InventoryMap).message


def test_capacity_share_needs_its_places() -> None:
    assert load_map(CAPACITY, CapacityMap, file="m.yaml").columns.held is None
    shared = CAPACITY.replace("total: gpus", "total: gpus, held: {share: used}")
    assert "share and places go together" in refused(shared, CapacityMap).message
    owned = CAPACITY.replace("total: gpus", "total: gpus, owner_key: vc")
    assert "nothing is held" in refused(owned, CapacityMap).message


PODS = """\
kind: holdings
identity: [uid, gpu]
columns:
  node: host
  slot: gpu
  share: {mode: time_slicing, replicas: n}
  start: begin
  end: {column: end, missing: open}
"""
STATES = """\
kind: states
columns: {node: host, state: state, start: since}
states:
  DOWN: failed
  "DRAIN*": drained
"""
PARTITIONS = (
    "kind: partitions\ncolumns: {node: n, slot: bus, instance: gi, profile: p, start: since, model: m}\n"
)
PHASES = """\
kind: phases
run: [job, begin]
run_times: begin
columns: {phase: word, start: since}
phases:
  PD: waiting
"""


@pytest.mark.parametrize(
    ("text", "kind", "change", "message", "line"),
    [
        (PODS, HoldingMap, ("mode: time_slicing", "mode: slices"), "columns.share.mode: Input should be", 6),
        (PODS, HoldingMap, ("mode: time_slicing, ", ""), "columns.share.mode is missing", 6),
        (PODS, HoldingMap, ("time_slicing", "mps"), "replicas are of time_slicing", 6),
        (PODS, HoldingMap, ("replicas: n", "percentage: p"), "a percentage is of mps", 6),
        (PODS, HoldingMap, ("replicas: n", "replica: n"), "columns.share.replica is not a key", 6),
        (PODS, HoldingMap, ("replicas: n", "replicas: {colum: n}"), "replicas.colum is not a key", 6),
        (PODS, HoldingMap, ("{mode: time_slicing, replicas: n}", "mps"), "columns.share: Input should be", 6),
        (PODS, HoldingMap, ("  share", "  fraction: f\n  share"), "by fraction or by time_slicing", 7),
        (PODS, HoldingMap, ("slot: gpu", "lane: gi"), "a lane needs its slot", None),
        (PODS, HoldingMap, ("  node: host\n  slot: gpu\n", ""), "no node is mapped", None),
        (
            PODS + "capacity: assumed\n",
            HoldingMap,
            ("  node: host\n  slot: gpu\n", ""),
            "capacity: assumed knows no device that others share: time_slicing needs a node",
            None,
        ),
        (STATES, StateMap, ("drained", "draining"), "states.DRAIN*: Input should be 'available'", 5),
        (STATES, StateMap, ("states:", "state:"), "state is not a key of a map", 3),
        (STATES, StateMap, ("state: state, ", ""), "columns.state is missing", 2),
        (STATES, StateMap, ("node: host, ", ""), "columns.node is missing", 2),
        (STATES, StateMap, ('"DRAIN*"', "DOWN"), "'DOWN' is given twice", 5),
        (
            STATES,
            StateMap,
            ("start: since", "start: {column: since, missing: open}"),
            "start cannot be open",
            None,
        ),
        (STATES, StateMap, ("kind: states", "kind: phases"), "the map is of kind 'phases'", 1),
        (PARTITIONS, PartitionMap, (", model: m", ""), "nothing says how many slices", None),
        (PARTITIONS, PartitionMap, ("model: m", "compute_slices: c"), "go together", None),
        (PARTITIONS, PartitionMap, ("profile: p, ", ""), "columns.profile is missing", 2),
        (PARTITIONS, PartitionMap, ("instance: gi", "instances: gi"), "columns.instances is not a key", 2),
        (PHASES, PhaseMap, ("run: [job, begin]\n", ""), "run is missing", None),
        (PHASES, PhaseMap, ("run: [job, begin]", "run: []"), "run: name at least one column", 2),
        (PHASES, PhaseMap, ("run_times: begin", "run_times: start"), "start is no column of run", 3),
        (PHASES, PhaseMap, ("PD: waiting", 'PD: " "'), "phases.PD: a phase has a printable name", 6),
    ],
)
def test_what_is_wrong_with_the_other_kinds_is_said_with_its_line(
    text: str, kind: type, change: tuple[str, str], message: str, line: int | None
) -> None:
    load_map(text.replace("capacity: assumed\n", ""), kind, file="m.yaml")
    error = refused(text.replace(*change), kind)
    assert message in error.message
    assert error.mend
    assert error.place is not None
    assert error.place.file == "m.yaml"
    if line is not None:
        assert error.place.line == line


def test_columns_of_the_other_kinds_are_read() -> None:
    assert load_map(PODS, HoldingMap, file="m").columns_read() == ("uid", "gpu", "begin", "end", "host", "n")
    assert load_map(STATES, StateMap, file="m").columns_read() == ("host", "state", "since")
    assert load_map(PHASES, PhaseMap, file="m").columns_read() == ("job", "begin", "word", "since")
