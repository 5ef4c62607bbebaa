"""The instants of one file: its zone, epoch and unit, and what its map means by `open` and the window."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from collectors.imports.cells import TextCell
from collectors.imports.column_map import OPEN, WINDOW_END, WINDOW_START, ColumnMap, Window
from collectors.imports.readings import text_of
from collectors.imports.rows import Cells, refuse
from gpuledger.errors import ColumnMapError, InputError, Place
from gpuledger.instants import Unit, parse_instant

__all__ = ["Times"]

_LOCAL = re.compile(r"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9:.,]*)?\s*")
_REMEMBERED = 1 << 16


@dataclass
class Times:
    """How the times of a file are read: a number counts units from the epoch, local time is of the zone.

    An instant is whole Unix seconds. `file` is what an error of a cell names, `map_file` one of the map.
    """

    zone: str | None
    epoch_s: int | None
    unit: Unit
    window: Window | None
    file: str
    map_file: str = ""
    _known: dict[str, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, column_map: ColumnMap, file: str, epoch: str | None = None) -> Times:
        """The times of a map's file; `epoch` overrides the map's.

        Raises `ColumnMapError` for an epoch or window that is no instant.
        """
        said, map_file = epoch or column_map.epoch, column_map.read_from
        epoch_s = None
        if said is not None:
            plain = cls(column_map.zone, None, "s", None, file, map_file)
            epoch_s = plain.declared(said, "--epoch" if epoch else "epoch")
        window = column_map.window
        times = cls(column_map.zone, epoch_s, column_map.time_unit, window, file, map_file)
        if window and times.declared(window.start, "window") > times.declared(window.end, "window"):
            raise ColumnMapError(
                "the window ends before it starts",
                place=Place(map_file or file),
                mend="swap its start and end",
            )
        return times

    def read(self, text: str) -> int:
        """The instant of a cell.

        Raises `InputError` for what is no instant, `ColumnMapError` for local time without a zone.
        """
        if (known := self._known.get(text)) is not None:
            return known
        if self.zone is None and _LOCAL.fullmatch(text):
            raise ColumnMapError(
                f"{text!r} is local time, and the map declares no zone",
                place=Place(self.file),
                mend="write zone: in the map, with the zone of these times, such as UTC or Asia/Shanghai",
            )
        at_s = parse_instant(text, zone=self.zone, epoch_s=self.epoch_s, unit=self.unit)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[text] = at_s
        return at_s

    def declared(self, text: str, key: str) -> int:
        """The instant that a key of the map (or an option) says, which may be an end of the window."""
        if self.window is not None and text in (WINDOW_START, WINDOW_END):
            text = self.window.start if text == WINDOW_START else self.window.end
        try:
            return self.read(text)
        except InputError as error:
            named = self.file if key.startswith("--") else self.map_file or self.file
            raise ColumnMapError(f"{key}: {error.message}", place=Place(named), mend=error.mend) from error

    def reading(self, cell: TextCell, name: str, nulls: frozenset[str]) -> Callable[[Cells], int | None]:
        """A function that gives a row's instant, None where it is open."""
        text_at = text_of(cell, nulls, fill=False)
        missing = cell.missing
        if missing not in (None, OPEN):
            meant: int | None = self.declared(missing or "", f"{name}: missing")
        else:
            meant = None

        def read(cells: Cells) -> int | None:
            text = text_at(cells)
            if not text:
                if missing is None:
                    refuse(f"{name} is empty")
                return meant
            try:
                return self.read(text)
            except ColumnMapError:
                raise
            except InputError as error:
                refuse(f"{name} is no instant", f"{error.message}; {error.mend}")

        return read

    def reading_or_open(
        self, cell: TextCell | None, name: str, nulls: frozenset[str]
    ) -> Callable[[Cells], int | None]:
        """As `reading`; what is not mapped at all is open."""
        return (lambda cells: None) if cell is None else self.reading(cell, name, nulls)
