"""Guess a map of columns from a file's header and first rows: by names, checked against the cells.

A guess is a first draft for a person to read: each part of it says why. What is not sure is left to fill in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from collectors.imports.guess_names import (
    HARDWARE,
    HOLDINGS,
    INVENTORY,
    MEANINGS,
    NULLS,
    OWNERS,
    RUN_IDS,
    RUNS,
    SCALES,
    TRES,
    plain_name,
)
from collectors.imports.guess_times import TimeForm, time_form
from collectors.imports.rows import Cells
from gpuledger.errors import InputError

__all__ = ["Guess", "Guessed", "Kind", "Sample", "Wanted", "guess_map"]

Kind = Literal["holdings", "inventory"]

_LABEL = re.compile(r"labels?[_.:/-](.+)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII)
_GPU_UUID = re.compile(r"(?:GPU|MIG)-", re.IGNORECASE)
_TIMES = ("start", "end")
_COUNTS = frozenset(
    {
        "units",
        "fraction",
        "cpus",
        "memory_bytes",
        "licences",
        "compute_slices",
        "memory_slices",
        "node_memory_bytes",
    }
)


@dataclass(frozen=True)
class Sample:
    """The header of a file and its first rows, as text."""

    header: tuple[str, ...]
    rows: Sequence[Cells]

    def cells(self, column: str) -> list[str]:
        """The cells of a column that say something."""
        found = (row.get(column, "").strip() for row in self.rows)
        return [text for text in found if text and text not in NULLS]

    def nulls(self, columns: Sequence[str]) -> list[str]:
        """The words for "empty" that stand in some columns."""
        found = {row.get(column, "").strip() for row in self.rows for column in columns}
        return [word for word in NULLS if word in found]


@dataclass(frozen=True)
class Guessed:
    """A field that was found: its column, what else the map says of the cell, and why."""

    field: str
    column: str
    more: dict[str, str]
    why: str


@dataclass(frozen=True)
class Wanted:
    """A required field that was not found: the column that it might be, if any, and why it is not taken."""

    field: str
    column: str
    why: str


@dataclass
class Guess:
    """A map as far as it was found; `keys` are those beside the columns, each with its value and why."""

    kind: Kind
    keys: dict[str, tuple[str | list[str], str]] = field(default_factory=dict)
    fields: list[Guessed] = field(default_factory=list)
    labels: list[Guessed] = field(default_factory=list)
    wanted: list[Wanted] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def column_of(self, name: str) -> str | None:
        """The column of a field, None where it was not found."""
        return next((found.column for found in self.fields if found.field == name), None)


def guess_map(sample: Sample, kind: Kind | None = None, zone: str = "UTC") -> Guess:
    """Guess the map of a file; `zone` is what times without an offset are read in.

    Raises `InputError` where no kind is given and the names do not tell holdings from inventory.
    """
    return _Guesser(sample, kind or _kind_of(sample.header), zone).guess()


def _kind_of(header: Sequence[str]) -> Kind:
    names = {plain_name(column) for column in header}
    owners, hardware = bool(names & OWNERS), bool(names & HARDWARE)
    if names & RUNS or (owners and not hardware):
        return "holdings"
    if hardware and not owners:
        return "inventory"
    raise InputError(
        "the names of the columns do not tell whether a row is a holding or a part of the inventory",
        mend="say --kind holdings (who held what, and when) or --kind inventory (nodes, slots, devices)",
    )


def _count_doubt(name: str, plain: str, cells: Sequence[str]) -> str:
    """Why the cells of a column with this plain name are no such count or share, "" if they may be."""
    if plain in TRES:
        return "" if all("=" in text for text in cells) else "its cells are no lists of TRES"
    other = next((text for text in cells if not _NUMBER.fullmatch(text)), None)
    if other is not None:
        return f"{other[:40]!r} is no number"
    numbers = [Decimal(text) for text in cells]
    if name == "units" and any(number % 1 for number in numbers):
        return "its numbers are not whole"
    whole = Decimal(SCALES[plain][1]) if plain in SCALES else Decimal(1)
    if name == "fraction" and not all(0 < number <= whole for number in numbers):
        return "its numbers are no shares"
    return ""


class _Guesser:
    def __init__(self, sample: Sample, kind: Kind, zone: str) -> None:
        self._sample, self._zone = sample, zone
        self._names = HOLDINGS if kind == "holdings" else INVENTORY
        self._plain = {column: plain_name(column) for column in sample.header}
        self._taken: set[str] = set()
        self._forms: dict[str, TimeForm] = {}
        self._made = Guess(kind)

    def guess(self) -> Guess:
        made = self._made
        for name in self._names:
            self._field(name)
        self._labels()
        if made.kind == "holdings":
            self._holdings()
        elif not {"slot", "units"} & {found.field for found in made.fields}:
            self._want("slot")
        self._time_keys()
        self._nulls()
        made.left = [column for column in self._sample.header if column not in self._taken]
        return made

    def _field(self, name: str) -> None:
        """Find the column of one field; a required one that is not found is wanted."""
        doubts: list[tuple[str, str]] = []
        for column in self._candidates(name):
            doubt = self._doubt(name, column)
            if not doubt:
                self._take(name, column)
                return
            doubts.append((column, doubt))
        if name in ("start", "node") or (name == "end" and self._made.kind == "holdings"):
            column, doubt = doubts[0] if doubts else ("", "")
            self._want(name, column, doubt)

    def _candidates(self, name: str) -> Iterator[str]:
        """The columns with a name of this field, the most usual name first."""
        if self._is_excluded(name):
            return
        synonyms = self._names[name]
        if name == "fraction" and self._made.column_of("units") is None:
            synonyms += self._names["units"]
        for synonym in synonyms:
            for column, plain in self._plain.items():
                if plain == synonym and (column not in self._taken or name == "owner_key"):
                    yield column

    def _is_excluded(self, name: str) -> bool:
        """Whether what was found leaves no room for a field."""
        found = {one.field for one in self._made.fields}
        if self._made.kind == "holdings":
            return ("node" in found and name in ("model", "region")) or (
                "node" not in found and name in ("slot", "device")
            )
        return (name == "units" and "slot" in found) or (name == "device" and "units" in found)

    def _doubt(self, name: str, column: str) -> str:
        """Why the cells of a column are not this field, "" if they may be."""
        if name in _TIMES:
            return self._time_doubt(column)
        cells, plain = self._sample.cells(column), self._plain[column]
        if name in _COUNTS:
            return _count_doubt(name, plain, cells)
        if name == "device" and plain == "uuid" and self._made.kind == "holdings":
            return "" if cells and all(map(_GPU_UUID.match, cells)) else "its cells are no UUIDs of GPUs"
        return ""

    def _time_doubt(self, column: str) -> str:
        form = self._forms[column] = time_form(self._sample.cells(column))
        start = self._made.column_of("start")
        begun = self._forms[start] if start is not None else TimeForm()
        if not form.problem and begun.unit and form.unit and form.unit != begun.unit:
            return f"it is {form.words}, and {start!r} {begun.words}"
        return form.problem

    def _take(self, name: str, column: str) -> None:
        self._taken.add(column)
        if name in ("slot", "device") or (name == "node" and self._made.kind != "holdings"):
            self._one_alone(name, column)
        self._made.fields.append(Guessed(name, column, self._more(name, column), self._why(name, column)))

    def _names_several(self, column: str) -> bool:
        return any("[" in text or "," in text for text in self._sample.cells(column))

    def _one_alone(self, name: str, column: str) -> None:
        if self._names_several(column):
            self._made.warnings.append(
                f"cells of {column!r} name several {name}s, which no row may: export a row for each"
            )

    def _node_lists(self) -> None:
        """A job on several nodes is a row with a count of units, which part evenly among them."""
        fields = {one.field: at for at, one in enumerate(self._made.fields)}
        column = self._made.column_of("node")
        if column is None or not self._names_several(column):
            return
        if "units" not in fields or {"slot", "device"} & fields.keys():
            self._one_alone("node", column)
            return
        why = f"{self._why('node', column)}; its cells list several nodes, among which units part evenly"
        self._made.fields[fields["node"]] = Guessed("nodes", column, {}, why)

    def _more(self, name: str, column: str) -> dict[str, str]:
        """What the map says of a cell beside its column."""
        plain = self._plain[column]
        if plain in TRES:
            return {"tres": "gres/gpu", "missing": "0"}
        if plain in SCALES:
            scale, number = SCALES[plain]
            return {scale: number}
        return {"missing": "open"} if name == "end" else {}

    def _why(self, name: str, column: str) -> str:
        reasons = ["by its name"]
        if name in _TIMES:
            reasons.append(self._forms[column].words)
        if self._plain[column] in TRES:
            reasons.append("its list of TRES names gres/gpu")
        if name == "end":
            reasons.append("an empty cell is still open")
        return "; ".join(reasons)

    def _want(self, name: str, column: str = "", doubt: str = "") -> None:
        self._made.wanted.append(Wanted(name, column, doubt or f"not found: {MEANINGS[name]}"))

    def _labels(self) -> None:
        if self._made.kind != "holdings":
            return
        for column in self._sample.header:
            found = _LABEL.fullmatch(column)
            if (
                found
                and column not in self._taken
                and found[1] not in {one.field for one in self._made.labels}
            ):
                self._taken.add(column)
                self._made.labels.append(Guessed(found[1], column, {}, "by its name"))

    def _holdings(self) -> None:
        """The keys of a map of holdings alone: identity and run, and the rows that are steps of a job."""
        self._node_lists()
        found = next(
            (column for name in RUN_IDS for column, plain in self._plain.items() if plain == name), None
        )
        if found is None:
            self._want("identity")
        else:
            self._identity(found)
            self._steps(found)
        if self._made.column_of("owner_key") is None:
            self._made.warnings.append("no column says who is charged: map owner_key, or nobody known is")
        if not {"units", "slot", "device"} & {one.field for one in self._made.fields}:
            self._made.warnings.append("no column says how many GPUs a row holds: each row counts as one")

    def _identity(self, run_id: str) -> None:
        """A job's id comes again when it is requeued, a UID does not; a row is one place of a run."""
        start = self._made.column_of("start")
        unique = self._plain[run_id] in ("uid", "poduid")
        run = [run_id] if unique or start is None else [run_id, start]
        place = self._made.column_of("device") or self._made.column_of("slot")
        if place is None and not unique:
            place = self._made.column_of("node")
        identity = [*run, place] if place is not None and place not in run else run
        self._taken.update(identity)
        if unique:
            why = "a UID is of one run"
        else:
            why = (
                "an id may come again with another start" if start else "the id alone, as no start was found"
            )
        self._made.keys["identity"] = (identity, why)
        named = [*self._pod(), *run] if unique else run
        if identity != named:
            self._taken.update(named)
            self._made.keys["run"] = (named, "what its holdings have in common, and people know it by")
        self._warn_of_twins(identity)

    def _pod(self) -> list[str]:
        """The columns with a pod's name and namespace, if there is a name."""
        plain = {name: column for column, name in self._plain.items()}
        pod, namespace = plain.get("pod") or plain.get("podname"), plain.get("namespace")
        return [] if pod is None else [column for column in (namespace, pod) if column is not None]

    def _warn_of_twins(self, identity: list[str]) -> None:
        rows = {tuple(row.items()) for row in self._sample.rows}
        keys = Counter(tuple(dict(row).get(column, "") for column in identity) for row in rows)
        twins = sum(count for count in keys.values() if count > 1)
        if twins:
            self._made.warnings.append(
                f"{twins} of the first rows share an identity and differ, so they go to quarantine: "
                "name more columns"
            )

    def _steps(self, run_id: str) -> None:
        """Leave out the steps of Slurm's jobs (`7.batch`), which have no user."""
        user = next((column for column, plain in self._plain.items() if plain == "user"), None)
        steps = [row for row in self._sample.rows if re.fullmatch(r"[0-9_]+\..+", row.get(run_id, ""))]
        if user is not None and steps and not any(row.get(user, "").strip() for row in steps):
            self._made.keys["rows"] = (user, "steps of jobs have no user")
            self._taken.add(user)

    def _time_keys(self) -> None:
        taken = [self._forms[column] for name in _TIMES if (column := self._made.column_of(name)) is not None]
        unit = next((form.unit for form in taken if form.unit), None)
        if unit not in (None, "s"):
            self._made.keys["time_unit"] = (str(unit), "by the size of the numbers")
        if any(form.local for form in taken):
            self._made.keys["zone"] = (
                self._zone,
                "the times name no offset: make sure that this is their zone",
            )

    def _nulls(self) -> None:
        slurm = {"jobid", "nodelist"} <= {*self._plain.values()}
        nulls = self._sample.nulls([found.column for found in (*self._made.fields, *self._made.labels)])
        words = [word for word in NULLS if word in nulls or (slurm and word in NULLS[:2])]
        if words:
            why = "as sacct writes empty cells" if slurm else "cells that look meant as empty"
            self._made.keys["nulls"] = (words, why)
