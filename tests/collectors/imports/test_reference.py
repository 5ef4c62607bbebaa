"""The reference page of imports has every key, field and figure, and its examples are maps that load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chargeback.terms import owners, prices
from collectors.imports import CapacityMap, ColumnMap, HoldingMap, InventoryMap, load_map
from collectors.imports.cells import FractionCell, HeldCell, TextCell
from collectors.imports.column_map import CapacityColumns, HoldingColumns, InventoryColumns, RowChoice

PAGE = (Path(__file__).parents[3] / "docs" / "import.md").read_text(encoding="utf-8")
KINDS: dict[str, type[ColumnMap]] = {
    "holdings": HoldingMap,
    "inventory": InventoryMap,
    "capacity": CapacityMap,
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
    for heading, model in (("Holdings", HoldingMap), ("Capacity", CapacityMap), ("Inventory", InventoryMap)):
        own = set(model.model_fields) - set(ColumnMap.model_fields) - {"kind", "columns"}
        assert not missing(section(heading), own)


@pytest.mark.parametrize(
    ("heading", "columns"),
    [("Holdings", HoldingColumns), ("Inventory", InventoryColumns), ("Capacity", CapacityColumns)],
)
def test_every_field_has_its_entry(heading: str, columns: type) -> None:
    assert not missing(
        section(heading) + section("Holdings").split("\n\n**Versions")[0], columns.model_fields
    )  # type: ignore[attr-defined]


def test_every_column_of_the_terms_has_its_entry() -> None:
    assert not missing(section("Prices"), [*prices.REQUIRED, *prices.OPTIONAL])
    assert not missing(section("Owners"), [*owners.REQUIRED, *owners.OPTIONAL])


def test_every_example_is_a_map_that_loads() -> None:
    examples = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 5
    for example in examples:
        (kind,) = re.findall(r"^kind: (\w+)", example, re.MULTILINE)
        load_map(example, KINDS[kind], file="docs/import.md")
