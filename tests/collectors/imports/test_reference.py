"""The reference page of imports has every key, field and figure, and its examples are maps that load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chargeback.terms import owners, prices
from collectors.imports import (
    CapacityMap,
    CheckpointMap,
    ColumnMap,
    HoldingMap,
    InventoryMap,
    PartitionMap,
    PhaseMap,
    StateMap,
    load_map,
)
from collectors.imports.cells import FractionCell, HeldCell, SharingCells, TextCell
from collectors.imports.column_map import CapacityColumns, HoldingColumns, InventoryColumns, RowChoice
from collectors.imports.outcomes import OUTCOMES, WORDS
from collectors.imports.phases import PHASES
from collectors.imports.slices import DEVICES, VERSION
from collectors.imports.track_maps import (
    STATES,
    CheckpointColumns,
    PartitionColumns,
    PhaseColumns,
    StateColumns,
)
from collectors.samples.sample_map import SampleColumns, SampleMap

PAGE = (Path(__file__).parents[3] / "docs" / "import.md").read_text(encoding="utf-8")
KINDS: dict[str, type[ColumnMap]] = {
    "holdings": HoldingMap,
    "inventory": InventoryMap,
    "capacity": CapacityMap,
    "states": StateMap,
    "partitions": PartitionMap,
    "phases": PhaseMap,
    "checkpoints": CheckpointMap,
    "samples": SampleMap,
}


def section(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def missing(text: str, names: object) -> list[str]:
    return [name for name in names if f"`{name}`" not in text and f"`{name}:" not in text]  # type: ignore[attr-defined]


def test_every_key_of_every_map_has_its_entry() -> None:
    common = section("A map")
    assert not missing(common, ColumnMap.model_fields)
    assert not missing(common, [*TextCell.model_fields, *HeldCell.model_fields, *FractionCell.model_fields])
    assert not missing(common, RowChoice.model_fields)
    assert not missing(common, KINDS)
    for kind, model in KINDS.items():
        own = set(model.model_fields) - set(ColumnMap.model_fields) - {"kind", "columns"}
        assert not missing(section(kind.capitalize()), own)


@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        ("Holdings", HoldingColumns),
        ("Inventory", InventoryColumns),
        ("Capacity", CapacityColumns),
        ("States", StateColumns),
        ("Partitions", PartitionColumns),
        ("Phases", PhaseColumns),
        ("Checkpoints", CheckpointColumns),
        ("Samples", SampleColumns),
    ],
)
def test_every_field_has_its_entry(heading: str, columns: type) -> None:
    assert not missing(
        section(heading) + section("Holdings").split("\n\n**Versions")[0], columns.model_fields
    )  # type: ignore[attr-defined]


def test_every_word_of_ours_and_every_way_to_share_has_its_entry() -> None:
    assert not missing(section("States"), STATES)
    assert not missing(section("Phases"), PHASES)
    sharing = section("Holdings").split("**Sharing.**")[1]
    assert not [name for name in (*SharingCells.model_fields, "time_slicing", "mps") if name not in sharing]


def test_every_word_for_how_a_run_ended_is_in_the_row_of_its_outcome() -> None:
    table = section("Holdings").split("**How a run ended**")[1].split("**Suspended.**")[0]
    rows = [row.split("|") for row in table.splitlines() if row.startswith("| `")]
    said = {
        word.lower(): outcome.strip().replace("none", "")
        for _, words, outcome, *_ in rows
        for word in re.findall("`(\\w+)`", words)
    }
    assert said == {word: outcome for word, outcome in WORDS.items() if word not in OUTCOMES} | {
        word: word for word in OUTCOMES if word in said
    }
    assert not missing(table, OUTCOMES)


def test_the_table_of_slices_is_on_the_page() -> None:
    text = section("Partitions")
    assert f"(version {VERSION})" in text
    for device in DEVICES:
        (line,) = [one for one in text.splitlines() if f"{device.model} {device.memory_gb} GB" in one]
        assert f"({device.whole.compute}, {device.whole.memory})" in line
        said = line.replace(" and ", ": ").replace("|", "·")
        for profile, slices in device.profiles.items():
            (part,) = [one for one in said.split("·") if f" {profile}:" in one]
            assert part.strip().endswith(f": {slices.compute}, {slices.memory}")


def test_every_column_of_the_terms_has_its_entry() -> None:
    assert not missing(section("Prices"), [*prices.REQUIRED, *prices.OPTIONAL])
    assert not missing(section("Owners"), [*owners.REQUIRED, *owners.OPTIONAL])


def test_every_example_is_a_map_that_loads() -> None:
    examples = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 12
    for example in examples:
        (kind,) = re.findall(r"^kind: (\w+)", example, re.MULTILINE)
        load_map(example, KINDS[kind], file="docs/import.md")
