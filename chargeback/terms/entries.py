"""Entries of a file of terms in YAML: checked against a model, each with the lines it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from chargeback.terms.records import Record
from gpuledger.errors import InputError, Place
from gpuledger.yaml_files import Document, Loc, explained

__all__ = ["Dated", "Entry", "Faults", "Name", "Text", "checked", "place_of", "record_of"]

M = TypeVar("M", bound=BaseModel)


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"{text!r} has characters that do not print")
    return text


def _given(text: str) -> str:
    if not text:
        raise ValueError("it is empty")
    return text


Text = Annotated[str, AfterValidator(_printable)]
Name = Annotated[Text, AfterValidator(_given)]


class Entry(BaseModel):
    """What one entry may say; a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Dated(Entry):
    """An entry that holds from an instant, or always, to another one, or open."""

    begins: Text = Field("", alias="from")
    ends: Text = Field("", alias="to")


class Faults:
    """Keeps every error that it meets, so that all of a folder's are said at once."""

    def __init__(self) -> None:
        self.found: list[InputError] = []

    def note(self, error: InputError) -> None:
        """Keep an error."""
        self.found.append(error)

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Go on after an `InputError`, and keep it."""
        try:
            yield
        except InputError as error:
            self.note(error)

    def refuse(self, folder: Path) -> None:
        """Raise what was found: the error itself where it is one, else one error that says all of them."""
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            said = "".join(
                f"\n  {one.place or folder}: {one.message}" + f"\n    do: {one.mend}" * bool(one.mend)
                for one in self.found
            )
            raise InputError(
                f"{len(self.found)} things are wrong:{said}",
                place=Place(str(folder)),
                mend="mend each, and apply again; nothing was stored",
            )


def checked(document: Document, model: type[M]) -> M:
    """What a document says, by its model; raises `InputError`, with the line, for the first that is wrong."""
    keys = " and ".join(f"{name}: []" for name in model.model_fields)
    if not isinstance(document.value, dict):
        raise document.wrong(
            "the file is empty, or no mapping",
            mend=f"write {keys} if none are to hold, or remove the file to leave what is in force as it is",
        )
    try:
        return model.model_validate(document.value)
    except ValidationError as error:
        mend = f"docs/terms.md shows each key with an example; none at all is written {keys}"
        raise explained(error, model, document, missing=mend, other=mend) from error


def place_of(document: Document, loc: Loc) -> Place:
    """Where a part of a document stands."""
    return Place(document.file, line=document.line(loc))


def record_of(document: Document, loc: Loc, entry: Entry) -> Record:
    """The values of an entry that are text, as a record with the line of each."""
    cells = {key: text for key, text in entry.model_dump(by_alias=True).items() if isinstance(text, str)}
    lines = {key: line for key in cells if (line := document.line((*loc, key))) is not None}
    return Record(place_of(document, loc), cells, lines)
