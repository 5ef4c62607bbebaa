"""YAML that people write is taken as text, and what is wrong in it is said with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from gpuledger.errors import ColumnMapError, InputError
from gpuledger.yaml_files import Document, explained, read_yaml, read_yaml_file

SITE = """\
zone: no
rooms:
  - name: a
    cost: 1e3
  - name: b
    until: 2026-10-15
tags: {team: x}
"""


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Even(Part):
    kind: Literal["even"]


class ByUse(Part):
    kind: Literal["by_use"]
    coverage: str


class Room(Part):
    name: str
    cost: str | None = None
    until: str | None = None
    share: Annotated[Even | ByUse, Field(discriminator="kind")] | None = None
    since: str | None = Field(default=None, alias="from")


class Tag(Part):
    column: str


class Site(Part):
    zone: str
    rooms: tuple[Room, ...] = ()
    tags: dict[str, Tag | str] = Field(default_factory=dict)

    @field_validator("zone")
    @classmethod
    def _known(cls, zone: str) -> str:
        if zone == "Mars":
            raise ValueError("nobody is there")
        return zone


def refused(text: str) -> InputError:
    with pytest.raises(ColumnMapError) as caught:
        read_yaml(text, "site.yaml", noun="site", error=ColumnMapError)
    return caught.value


def wrong(text: str) -> InputError:
    document = read_yaml(text, "site.yaml", noun="site", error=ColumnMapError)
    with pytest.raises(ValidationError) as caught:
        Site.model_validate(document.value)
    error = explained(caught.value, Site, document, missing="say it", other="read the docs")
    assert isinstance(error, ColumnMapError)
    return error


def line_of(error: InputError) -> int | None:
    assert error.place is not None
    assert error.place.file == "site.yaml"
    return error.place.line


def test_every_scalar_is_the_text_that_was_written() -> None:
    assert read_yaml(SITE, "site.yaml").value == {
        "zone": "no",
        "rooms": [{"name": "a", "cost": "1e3"}, {"name": "b", "until": "2026-10-15"}],
        "tags": {"team": "x"},
    }


@pytest.mark.parametrize(("text", "value"), [("", None), ("# only words\n", None), ("a:\n", {"a": ""})])
def test_nothing_is_none_and_an_empty_scalar_is_empty_text(text: str, value: Any) -> None:
    assert read_yaml(text, "site.yaml").value == value


@pytest.mark.parametrize(
    ("loc", "line"),
    [
        (("zone",), 1),
        (("rooms",), 2),
        (("rooms", 1), 5),
        (("rooms", 1, "until"), 6),
        (("rooms", 1, "absent"), 5),
        (("rooms", 7), 2),
        (("tags", "Tag", "team"), 7),
        (("absent",), None),
        ((), None),
    ],
)
def test_a_place_has_the_line_of_its_deepest_part_that_is_written(
    loc: tuple[int | str, ...], line: int | None
) -> None:
    assert read_yaml(SITE, "site.yaml").line(loc) == line


@pytest.mark.parametrize(
    ("text", "message", "line", "mend"),
    [
        ("a: b\nc:\n\td: e\n", "the site is no YAML: a tab", 3, "indented with blanks"),
        ("a:\n  b: 1\n\tc: 2\n", "the site is no YAML: a tab", 3, "indented with blanks"),
        ("a: 1\nb: [\n", "the site is no YAML", 3, "mend that line"),
        ("a: 1\nb: 2\na: 3\n", "'a' is given twice", 3, "keep one of the two"),
        ("a: 1\nb: {c: 1, c: 2}\n", "'c' is given twice", 2, "keep one of the two"),
        ("a: 1\nb: \x00\n", "special characters are not allowed", 2, "mend that line"),
        ("a: 1\n---\nb: 2\n", "the site is no YAML", 2, "mend that line"),
        ("a: &all [*all]\n", "nested too deeply, or in itself", None, "without anchors"),
    ],
)
def test_what_is_no_yaml_is_said_with_its_line(text: str, message: str, line: int | None, mend: str) -> None:
    error = refused(text)
    assert message in error.message
    assert line_of(error) == line
    assert mend in error.mend


@pytest.mark.parametrize(
    ("change", "message", "line", "mend"),
    [
        (("cost:", "cots:"), "rooms.0.cots is not a key of a site", 4, "write cost"),
        (("    cost: 1e3", "    xyzzy: 1"), "rooms.0.xyzzy is not", 4, "known here: name, cost, until"),
        (("- name: b\n", "- fromm: b\n"), "rooms.1.fromm is not", 5, "write from"),
        (("zone: no\n", ""), "zone is missing", None, "say it"),
        (("zone: no\n", "znoe: no\n"), "znoe is not a key", 1, "write zone"),
        (("zone: no", "zone: Mars"), "zone: nobody is there", 1, "read the docs"),
        (("cost: 1e3", "cost: [1]"), "rooms.0.cost: Input should be a valid string", 4, "read the docs"),
        (("cost: 1e3", "share: {kind: by_use, covrage: 1}"), "covrage is not", 4, "write coverage"),
        (("{team: x}", "{team: {colum: x}}"), "colum is not a key", 7, "write column"),
    ],
)
def test_what_a_model_refuses_is_said_with_its_line_and_the_nearest_key(
    change: tuple[str, str], message: str, line: int | None, mend: str
) -> None:
    error = wrong(SITE.replace(*change))
    assert message in error.message
    assert line_of(error) == line
    assert mend in error.mend


def test_a_place_of_the_model_may_be_written_elsewhere() -> None:
    document = read_yaml("site:\n  zone: Mars\n", "site.yaml")
    with pytest.raises(ValidationError) as caught:
        Site.model_validate(document.value["site"])
    error = explained(caught.value, Site, document, written=lambda loc: ("site", *loc))
    assert error.place is not None
    assert error.place.line == 2


def test_a_document_makes_errors_of_its_own_kind() -> None:
    document = read_yaml(SITE, "site.yaml", noun="site", error=ColumnMapError)
    error = document.wrong("two rooms of one name", ("rooms", 1), mend="rename one")
    assert isinstance(error, ColumnMapError)
    assert (str(error), error.mend) == ("two rooms of one name (site.yaml, line 5)", "rename one")


def test_a_file_is_read_and_one_that_cannot_be_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "site.yaml"
    path.write_text("zone: München\n", encoding="utf-8")
    document = read_yaml_file(path)
    assert isinstance(document, Document)
    assert (document.value, document.file) == ({"zone": "München"}, str(path))
    path.write_bytes(b"zone: M\xfcnchen\n")
    with pytest.raises(InputError, match="the file cannot be read"):
        read_yaml_file(path)
    with pytest.raises(ColumnMapError, match="the site cannot be read") as caught:
        read_yaml_file(tmp_path / "absent.yaml", noun="site", error=ColumnMapError)
    assert caught.value.mend == "name a site that you may read, as UTF-8 YAML"
