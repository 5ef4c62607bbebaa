"""The reference pages: everything has its entry, and the pages say what the code says."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from gpuledger.catalogue import catalogue
from gpuledger.commands import COMMANDS
from gpuledger.errors import GpuledgerError
from gpuledger.lake.schema import TABLES
from gpuledger.settings import SETTINGS
from gpuledger.versions.tables import metadata

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    """The module that fills the pages."""
    spec = importlib.util.spec_from_file_location("docs_pages", DOCS / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands under a heading, to the next one of its kind or above."""
    return text.split(f"\n{heading}\n", 1)[1].split("\n##", 1)[0]


@pytest.mark.parametrize("name", sorted(path.name for path in DOCS.glob("*.md")))
def test_page_says_what_the_code_says(pages: ModuleType, name: str) -> None:
    assert pages.filled(page(name)) == page(name), "run scripts/docs"


def test_every_block_stands_in_a_page(pages: ModuleType) -> None:
    text = "".join(page(path.name) for path in DOCS.glob("*.md"))
    assert not [name for name in pages.BLOCKS if f"<!-- begin {name} -->" not in text]


def test_every_setting_has_an_entry() -> None:
    text = page("settings.md")
    assert not [s.name for s in SETTINGS if f"| `{s.name}` | `{s.flag}` | `{s.variable}` |" not in text]


def test_every_command_has_an_entry() -> None:
    text = page("commands.md")
    assert not [
        c.name for c in COMMANDS if c.help not in " ".join(section(text, f"## gpuledger {c.name}").split())
    ]


def test_every_metric_has_an_entry() -> None:
    text = page("metrics.md")
    assert not [metric.name for metric in catalogue() if f"| `{metric.name}` |" not in text]


def test_every_table_and_column_of_the_lake_has_an_entry() -> None:
    text = page("tables.md")
    for table in TABLES.values():
        entry = section(text, f"### {table.name}")
        assert not [c.name for c in table.columns if f"| `{c.name}` |" not in entry or not c.meaning]


def test_every_table_and_column_of_the_database_has_an_entry() -> None:
    text = page("tables.md")
    for table in metadata.tables.values():
        entry = section(text, f"### database: {table.name}")
        assert not [column.name for column in table.columns if f"| `{column.name}` |" not in entry]


def test_every_error_and_exit_code_has_an_entry() -> None:
    text = page("errors.md")
    kinds: list[type[GpuledgerError]] = [GpuledgerError, *GpuledgerError.__subclasses__()]
    kinds += [kind for parent in kinds[1:] for kind in parent.__subclasses__()]
    assert not [kind for kind in kinds if f"| {kind.exit_code} | `{kind.__name__}` |" not in text]
    assert not [
        code for code in {0, 130, *(kind.exit_code for kind in kinds)} if f"\n| {code} | " not in text
    ]


def test_stale_page_fails_the_check_and_is_mended(
    pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(DOCS / "settings.md", tmp_path)
    monkeypatch.setattr(pages, "_FOLDER", tmp_path)
    (tmp_path / "settings.md").write_text(page("settings.md").replace("| `zone` |", "| `zoen` |"))
    assert pages.main(["--check"]) == 1
    assert capsys.readouterr().err == "docs: stale: settings.md; run scripts/docs\n"
    assert pages.main([]) == 0
    assert pages.main(["--check"]) == 0
    assert (tmp_path / "settings.md").read_text() == page("settings.md")
