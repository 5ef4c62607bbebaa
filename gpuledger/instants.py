"""Instants: text of any export in, whole Unix seconds out, and nothing that could be two instants."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal
from zoneinfo import ZoneInfo

from gpuledger.calendars import day_start, time_zone
from gpuledger.errors import InputError

__all__ = ["SANE_END_S", "SANE_START_S", "Unit", "format_utc", "parse_instant"]

Unit = Literal["s", "ms", "us", "ns"]

SANE_START_S: Final = 946_684_800  # 2000-01-01T00:00:00Z
SANE_END_S: Final = 4_102_444_800  # 2100-01-01T00:00:00Z

_PER_SECOND: dict[Unit, int] = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?")
_HOUR, _SIXTY = "(?:[01][0-9]|2[0-3])", "[0-5][0-9]"
_ISO = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    rf"(?:[Tt ](?P<clock>{_HOUR}:{_SIXTY})(?::(?P<second>{_SIXTY})(?:[.,](?P<fraction>[0-9]{{1,30}}))?)?"
    rf" ?(?P<offset>[Zz]|UTC|[+-]{_HOUR}(?::?{_SIXTY})?)?)?"
)
_FIRST_YEAR, _LAST_YEAR = 1999, 2100  # of local clocks; the instant itself is checked later
_LONGEST = 80


def parse_instant(text: str, *, zone: str | None, epoch_s: int | None, unit: Unit = "s") -> int:
    """Read an instant as whole Unix seconds.

    A number counts `unit`s since `epoch_s` (the Unix epoch when None). Other text is ISO 8601: with an
    offset or Z it stands for itself; without one it is local time of `zone`, and a bare date is the beginning
    of that local day. Arithmetic is exact; the noise of floats is rounded to the microsecond, then floored to
    the second.

    Raises `InputError` for what is not one instant from 2000 up to 2100: garbage, NaN, no zone declared, a
    local time that the clocks skip or show twice.
    """
    stripped = text.strip()
    if len(stripped) <= _LONGEST and _NUMBER.fullmatch(stripped):
        seconds = Fraction(Decimal(stripped)) / _PER_SECOND[unit] + (epoch_s or 0)
    else:
        seconds = _parse_iso(stripped, zone)
    second = (2 * seconds * 10**6 + 1) // (2 * 10**6)
    if not SANE_START_S <= second < SANE_END_S:
        raise _outside(stripped)
    return second


def _outside(text: str) -> InputError:
    return InputError(
        f"{text!r} is not between 2000-01-01 and 2100-01-01 UTC",
        mend="write ISO 8601 with an offset, like 2026-10-31T18:30:00Z; a number counts seconds since 1970, "
        "unless another unit of time or epoch is declared for it",
    )


def _parse_iso(text: str, zone: str | None) -> Fraction:
    local, written = _read_clock(text)
    if not _FIRST_YEAR <= local.year <= _LAST_YEAR:
        raise _outside(text)
    beyond = Fraction(int(written["fraction"] or 0), 10 ** len(written["fraction"] or ""))
    if written["offset"]:
        return int(local.replace(tzinfo=UTC).timestamp()) - _offset_seconds(written["offset"]) + beyond
    if zone is None:
        raise InputError(f"{text!r} has no offset from UTC", mend="declare the zone whose local time it is")
    if written["clock"] is None:
        return Fraction(day_start(time_zone(zone), local.date()))
    return _the_one_instant(local, time_zone(zone)) + beyond


def _read_clock(text: str) -> tuple[datetime, re.Match[str]]:
    """What calendar and clock show, without a zone, and the parts of the text."""
    written = _ISO.fullmatch(text)
    try:
        if written is None:
            raise ValueError(text)
        clock = f"{written['clock'] or '00:00'}:{written['second'] or '00'}"
        return datetime.fromisoformat(f"{written['day']}T{clock}"), written
    except ValueError as error:
        raise InputError(
            f"{text[:_LONGEST]!r} is not an instant",
            mend="write ISO 8601 with an offset, like 2026-10-31T18:30:00Z, or a number since an epoch",
        ) from error


def _offset_seconds(text: str) -> int:
    if text in ("Z", "z", "UTC"):
        return 0
    digits = text[1:].replace(":", "").ljust(4, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -seconds if text.startswith("-") else seconds


def _the_one_instant(local: datetime, zone: ZoneInfo) -> int:
    """The instant at which the clocks of `zone` show `local`, if there is exactly one."""
    first, second = sorted(int(local.replace(tzinfo=zone, fold=fold).timestamp()) for fold in (0, 1))
    if first == second:
        return first
    twice = datetime.fromtimestamp(first, zone).replace(tzinfo=None) == local
    raise InputError(
        f"{local.isoformat(' ')} {'happens twice' if twice else 'does not exist'} in {zone.key}:"
        f" it may mean {format_utc(first)} or {format_utc(second)}",
        mend="write the offset from UTC behind it",
    )


def format_utc(at_s: int) -> str:
    """An instant in Unix seconds as ISO 8601 text: `2026-10-31T18:30:00Z`."""
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
