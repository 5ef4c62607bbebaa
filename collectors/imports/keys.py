"""Keys made of text: identities, runs and the names of slots."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from zlib import crc32

__all__ = ["join_key", "lane_name", "number_of", "slot_name", "time_key"]

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{0,40})?", re.ASCII)
_PCI = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])", re.ASCII | re.IGNORECASE)

_INSTANCE = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,63}", re.ASCII)


def join_key(parts: Iterable[str]) -> str:
    """One key of several parts, `/` between them; parts that hold `/` themselves never give the same key.

    >>> join_key(["a/b", "c"]), join_key(["a", "b/c"])
    ('a%2Fb/c', 'a/b%2Fc')
    """
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


def number_of(key: str) -> int:
    """Where a slot or run begins its running splits: crc32 modulo 65,536."""
    return crc32(key.encode()) % 65_536


def slot_name(node: str, place: str) -> str:
    """The slot `<node>/<place>`; PCI addresses are brought to one spelling, whoever wrote them.

    >>> slot_name("n1", "00000000:3B:00.0"), slot_name("n1", "0000:3b:00.0"), slot_name("n1", "3")
    ('n1/0000:3b:00.0', 'n1/0000:3b:00.0', 'n1/3')
    """
    place = place.removeprefix(f"{node}/")
    written = _PCI.fullmatch(place)
    if not written:
        return f"{node}/{place}"
    domain, bus, unit, function = written.groups()
    address = f"{(domain or '').lstrip('0').rjust(4, '0')}:{bus}:{unit}.{function}"
    return f"{node}/{address.lower()}"


def lane_name(node: str, slot: str, number: str) -> str | None:
    """The lane `<slot>/<number>` of a partition by its number on the device; None for what is no number.

    It may be words, such as `7` or `gi-7`, or the lane's own name; `rest` is what partitions leave over.

    >>> lane_name("n1", "n1/0000:3b:00.0", "07"), lane_name("n1", "n1/0000:3b:00.0", "n1/00000000:3B:00.0/7")
    ('n1/0000:3b:00.0/7', 'n1/0000:3b:00.0/7')
    >>> lane_name("n1", "n1/0", "n1/1/7"), lane_name("n1", "n1/0", "rest")
    (None, None)
    """
    place, _, last = number.rpartition("/")
    if place and slot_name(node, place) != slot:
        return None
    if not _INSTANCE.fullmatch(last) or last == "rest":
        return None
    return f"{slot}/{int(last) if last.isdecimal() else last}"


def time_key(text: str) -> str:
    """The text of a time as part of a key: a number loses the noise of floats, other text stays.

    >>> time_key("32709.000000000004"), time_key("2026-10-01T00:00:00Z")
    ('32709', '2026-10-01T00:00:00Z')
    """
    if not _NUMBER.fullmatch(text):
        return text
    return format(round(Decimal(text), 6).normalize(), "f")
