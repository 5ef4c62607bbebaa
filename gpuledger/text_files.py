"""Text that people give, which must be UTF-8: read, or refused by the line in which it is something else.

A byte order mark is passed over. A NUL byte is no text: PostgreSQL cannot keep it, and it comes from UTF-16
or from a file that was never written to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpuledger.errors import GpuledgerError, InputError, Place

__all__ = ["NoText", "read_text", "text_lines"]

_MEND = "save or export the file again as UTF-8"
_BOOK = "it is a zip file or a workbook", "unpack it, or save its sheet as CSV in UTF-8"
_UTF16 = "it is UTF-16", _MEND
_OTHERS = {
    b"PK\x03\x04": _BOOK,
    b"\xd0\xcf\x11\xe0": _BOOK,
    b"\xff\xfe": _UTF16,
    b"\xfe\xff": _UTF16,
    b"\x1f\x8b": ("it is gzip", "unpack the file with gunzip"),
    b"PAR1": ("it is Parquet", "export the file as text in UTF-8"),
}
_LINE_ENDS = re.compile(rb"\r\n|\r|\n")


class NoText(Exception):
    """What is given as text is none: what it is instead, in which line, and what to do."""

    def __init__(self, what: str, line: int | None, mend: str) -> None:
        super().__init__(what)
        self.what, self.line, self.mend = what, line, mend


def text_lines(text: Iterable[str]) -> Iterator[str]:
    """The lines of an open text file as they are; raises `NoText` at the first that is no UTF-8.

    >>> list(text_lines(["a,b\\n", "1,2\\n"]))
    ['a,b\\n', '1,2\\n']
    """
    number = 0
    try:
        for number, line in enumerate(text, 1):
            if "\0" in line:
                raise _nul(line, number)
            yield line
    except UnicodeDecodeError as error:
        # The file was decoded up to the lines that came, and `object` is what follows them.
        data, at = error.object, error.start
        before = number + len(_LINE_ENDS.findall(data[:at]))
        other = _other(data) if not number else None
        what, mend = other or (f"byte 0x{data[at]:02x}", _MEND)
        raise NoText(f"the text is not UTF-8: {what}", None if other else before + 1, mend) from error


def read_text(
    path: Path, *, noun: str = "file", error: type[GpuledgerError] = InputError, mend: str = ""
) -> str:
    """The text of a file; raises `error` with file and line, and this mend where it cannot be opened."""
    try:
        with path.open(encoding="utf-8-sig") as text:
            return "".join(text_lines(text))
    except OSError as raised:
        what, place = raised.strerror or str(raised), Place(str(path))
        mend = mend or f"name a {noun} that you may read"
    except NoText as raised:
        what, place, mend = raised.what, Place(str(path), line=raised.line), raised.mend
    raise error(f"the {noun} cannot be read: {what}", place=place, mend=mend)


def _nul(line: str, number: int) -> NoText:
    if number == 1 and (other := _other(line.encode())):
        return NoText(f"the text is not UTF-8: {other[0]}", None, other[1])
    return NoText("the text has a NUL byte, as UTF-16 has", number, _MEND)


def _other(data: bytes) -> tuple[str, str] | None:
    """What the first bytes of a file say that it is, and what to do."""
    return next((said for begin, said in _OTHERS.items() if data.startswith(begin)), None)
