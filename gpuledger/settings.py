"""Everything that can be set, once, as data: the flags, the loader and the docs read it from here.

A setting is a field of `Settings`. Adding one there brings its flag (`--memory-limit`), its environment
variable (`GPULEDGER_MEMORY_LIMIT`), its key in the file (`memory_limit`) and its row in the docs. Where a
value comes from is found in `gpuledger.sources`; importing this module costs nothing, so `--help` is quick.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, Literal

__all__ = ["SETTINGS", "Refused", "Setting", "Settings", "nearest"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MEMORY = re.compile(r"[1-9][0-9]*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)")
_ADDRESS = re.compile(r"[a-z][a-z0-9+_.]*://.*")


class Refused(ValueError):
    """A value that a setting cannot have, with what to write instead."""

    def __init__(self, reason: str, mend: str) -> None:
        super().__init__(reason)
        self.mend = mend


def nearest(name: str, known: list[str]) -> str | None:
    """The known name that was probably meant, or None."""
    found = get_close_matches(name, known, n=1, cutoff=0.6)
    return found[0] if found else None


def _known_zone(text: str) -> str:
    from zoneinfo import ZoneInfo, available_timezones

    try:
        ZoneInfo(text)
    except (ValueError, OSError, LookupError):
        close = nearest(text, sorted(available_timezones()))
        mend = f"write {close}" if close else "write a name of the tz database, such as Asia/Kolkata"
        raise Refused("there is no such time zone", mend) from None
    return text


def _known_currency(text: str) -> str:
    from gpuledger.errors import InputError
    from gpuledger.money import currency

    try:
        return currency(text).code
    except InputError as error:
        raise Refused(error.message, error.mend or "write an ISO 4217 code, such as USD") from None


def _instant(text: str) -> str:
    from gpuledger.errors import InputError
    from gpuledger.instants import parse_instant

    try:
        if text:
            parse_instant(text, zone=None, epoch_s=None)
    except InputError as error:
        raise Refused(
            error.message, "write an instant such as 2026-11-01T00:00:00Z, or leave it out"
        ) from None
    return text


def _matching(pattern: re.Pattern[str], reason: str, mend: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise Refused(reason, mend)
        return text

    return check


def _at_least(least: int) -> Callable[[int], int]:
    def check(count: int) -> int:
        if count < least:
            raise Refused(f"it must be {least} or more", f"write a whole number from {least} up")
        return count

    return check


_plain_name = _matching(
    _NAME, "it is not a plain name", "use letters, digits, '.', '_' and '-', with a letter or digit first"
)
_memory = _matching(
    _MEMORY, "it is not an amount of memory", "write a number and its unit, such as 600MB or 2GB"
)
_address = _matching(
    re.compile(f"({_ADDRESS.pattern})?"),
    "it is not the address of a database",
    "write an SQLAlchemy address such as postgresql+psycopg://user@host/name, or leave it out",
)


@dataclass(frozen=True)
class Setting:
    """One thing that can be set: its name, default, help, placeholder and check.

    `in_file` is False for what a settings file cannot know, such as its own path.
    """

    name: str
    default: str | int
    help: str
    metavar: str
    check: Callable[[Any], Any] | None
    in_file: bool

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "GPULEDGER_" + self.name.upper()


def _set(
    default: str | int,
    help: str,
    metavar: str,
    check: Callable[[Any], Any] | None = None,
    in_file: bool = True,
) -> Any:
    return field(default=default, metadata={"rest": (default, help, metavar, check, in_file)})


@dataclass(frozen=True)
class Settings:
    """What is set for one command, after flags, environment and file were read and checked."""

    home: str = _set("", "Folder that holds the lake, the database and the books.", "DIR")
    settings: str = _set(
        "", "Settings file; without it gpuledger.toml in the home folder is read.", "FILE", None, False
    )
    cluster: str = _set(
        "main", "Cluster that imported facts belong to when they name none.", "NAME", _plain_name
    )
    book: str = _set("main", "Book that is kept and printed.", "NAME", _plain_name)
    currency: str = _set("USD", "Currency in which a new book is kept.", "CODE", _known_currency)
    zone: str = _set("UTC", "Time zone whose midnights and months bill.", "ZONE", _known_zone)
    charged: Literal["pooled", "recognised"] = _set(
        "pooled", "Layer that a new book charges: pooled or recognised.", "LAYER"
    )
    shards: int = _set(
        1, "Shards that a new book is cut into; one per 1,250 slots is a good number.", "COUNT", _at_least(1)
    )
    workers: int = _set(1, "Processes that compute days and shards side by side.", "COUNT", _at_least(1))
    memory_limit: str = _set(
        "600MB", "Memory that the engine may use before it writes to scratch.", "SIZE", _memory
    )
    threads: int = _set(0, "Threads of the engine; 0 takes one per processor.", "COUNT", _at_least(0))
    database_url: str = _set(
        "", "Address of the database; without it SQLite in the home folder.", "URL", _address
    )
    now: str = _set(
        "",
        "Instant to take as now, for demos and tests that must repeat; without it the machine's clock.",
        "INSTANT",
        _instant,
    )


SETTINGS: tuple[Setting, ...] = tuple(Setting(one.name, *one.metadata["rest"]) for one in fields(Settings))
