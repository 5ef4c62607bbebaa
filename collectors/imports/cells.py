"""What a map may say about one field: where its text comes from, and how a number is worked out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

__all__ = [
    "FractionCell",
    "Held",
    "HeldCell",
    "Part",
    "Quantity",
    "QuantityCell",
    "Share",
    "SharingCells",
    "Text",
    "TextCell",
]


_NATURAL = re.compile("[1-9][0-9]{0,17}")


class Part(BaseModel):
    """A part of a map: a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _natural(text: str) -> str:
    if not _NATURAL.fullmatch(text):
        raise ValueError(f"{text!r} is no whole number from 1 up, of at most 18 digits")
    return text


Natural = Annotated[str, AfterValidator(_natural)]


def _short(value: object) -> object:
    return {"column": value} if isinstance(value, str) else value


class TextCell(Part):
    """Where a field's text comes from: one column, the first of several that is not empty, or a constant.

    `missing` is what an empty cell means; without it an empty cell is empty.
    """

    ways: ClassVar[tuple[str, ...]] = ("column", "first_of", "constant")

    column: str | None = None
    first_of: tuple[str, ...] = ()
    constant: str | None = None
    missing: str | None = None

    @model_validator(mode="after")
    def _one_way(self) -> TextCell:
        if sum(getattr(self, way) not in (None, ()) for way in self.ways) != 1:
            raise ValueError(f"say exactly one of {', '.join(self.ways)}")
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that its text is read from, in order of preference."""
        return (self.column,) if self.column is not None else self.first_of

    @property
    def columns_read(self) -> tuple[str, ...]:
        """Every column that is read for it."""
        return self.columns


class QuantityCell(TextCell):
    """A number, multiplied by `times` and divided by `per`; `tres` takes it out of a Slurm TRES list."""

    times: Natural = "1"
    per: Natural = "1"
    tres: str | None = None

    def scaled(self, factor: int) -> QuantityCell:
        """The same quantity in a unit that is `factor` times smaller."""
        return self if factor == 1 else self.model_copy(update={"times": str(int(self.times) * factor)})


class FractionCell(TextCell):
    """A share of each unit, the number divided by `per`; it must come out above 0 and at most 1.

    `per_column` names a column to divide by instead; `greatest_of` is the greatest of several shares.
    """

    ways: ClassVar[tuple[str, ...]] = ("column", "first_of", "constant", "greatest_of")

    per: Natural = "1"
    per_column: str | None = None
    greatest_of: tuple[Annotated[FractionCell, BeforeValidator(_short)], ...] = ()

    @model_validator(mode="after")
    def _divided_once(self) -> FractionCell:
        if self.per_column is not None and self.per != "1":
            raise ValueError("a share is divided by per or by per_column: keep one of the two")
        if self.greatest_of and (self.per_column is not None or self.per != "1" or self.missing is not None):
            raise ValueError("greatest_of is of shares: put per, per_column and missing into each of them")
        return self

    @property
    def columns_read(self) -> tuple[str, ...]:
        of_parts = tuple(column for part in self.greatest_of for column in part.columns_read)
        return (*self.columns, *of_parts, *([self.per_column] if self.per_column is not None else ()))


class HeldCell(QuantityCell):
    """Units held: a count, or `share`, a column with their share of the total in `places` decimals."""

    ways: ClassVar[tuple[str, ...]] = ("column", "first_of", "constant", "share")

    share: str | None = None
    places: Annotated[int, Field(ge=1, le=18)] | None = None

    @model_validator(mode="after")
    def _share_has_places(self) -> HeldCell:
        if (self.share is None) != (self.places is None):
            raise ValueError("share and places go together: places is the number of decimals of the share")
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.share,) if self.share is not None else super().columns


Text = Annotated[TextCell, BeforeValidator(_short)]
Quantity = Annotated[QuantityCell, BeforeValidator(_short)]
Share = Annotated[FractionCell, BeforeValidator(_short)]
Held = Annotated[HeldCell, BeforeValidator(_short)]


class SharingCells(Part):
    """How a row shares its device with others: in turns, of which there are `replicas`, or by MPS."""

    mode: Literal["time_slicing", "mps"]
    replicas: Quantity | None = None
    percentage: Quantity | None = None

    @field_validator("replicas", "percentage")
    @classmethod
    def _of_its_mode(cls, cell: QuantityCell | None, info: ValidationInfo) -> QuantityCell | None:
        mode = info.data.get("mode")
        if info.field_name == "replicas" and mode == "mps":
            raise ValueError("replicas are of time_slicing: an MPS client has a percentage, if any")
        if info.field_name == "percentage" and mode == "time_slicing":
            raise ValueError("a percentage is of mps: holders that take turns are equal")
        return cell

    def cells(self) -> Iterator[tuple[str, TextCell]]:
        """Each part that the map gives, with its cell."""
        for name in ("replicas", "percentage"):
            if isinstance(cell := getattr(self, name), TextCell):
                yield f"share.{name}", cell
