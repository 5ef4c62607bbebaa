"""MIG instances that an exporter names by their number on the device, as dcgm-exporter's GPU_I_ID does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from simulated import Fleet

from gpuledger.lake.arrow import pa, pq

pytestmark = pytest.mark.books


def test_samples_by_an_instances_number_are_those_of_its_uuid(make: Callable[..., Fleet]) -> None:
    fleet = make("steady", gpus=4)
    name_by_number(fleet)
    fleet.keep_books()
    for month in fleet.world.months:
        rows, truth = fleet.time_rows(month), fleet.truth(month).rows
        assert {key: row["ticks"] for key, row in rows.items() if key.slot in cut_slots(fleet)} == {
            key: one.ticks for key, one in truth.items() if key.slot in cut_slots(fleet)
        }


def name_by_number(fleet: Fleet) -> None:
    """Write each instance's number where its UUID stood in the samples."""
    path = fleet.folder / "dcgm.parquet"
    table = pq.read_table(path, partitioning=None)
    numbers = {one.uuid: str(one.number) for one in fleet.world.facts.instances}
    named = [numbers.get(uuid) for uuid in table["MIG_UUID"].to_pylist()]
    place = table.column_names.index("MIG_UUID")
    pq.write_table(table.set_column(place, "MIG_UUID", pa.array(named, pa.string())), path)


def cut_slots(fleet: Fleet) -> set[str]:
    """The slots of devices that are cut into instances."""
    devices = {one.device for one in fleet.world.facts.instances}
    return {board.slot for board in fleet.world.facts.boards if board.uuid in devices}
