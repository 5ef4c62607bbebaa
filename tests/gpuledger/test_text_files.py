"""Text is UTF-8, and what is not is told by what it is and by its line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gpuledger.errors import SettingsError
from gpuledger.text_files import NoText, read_text, text_lines


def written(folder: Path, data: bytes) -> Path:
    path = folder / "a.txt"
    path.write_bytes(data)
    return path


def test_a_mark_is_passed_over_and_line_ends_are_one(tmp_path: Path) -> None:
    assert read_text(written(tmp_path, b"\xef\xbb\xbfa\r\nb\n")) == "a\nb\n"


@pytest.mark.parametrize(
    ("data", "what", "line"),
    [
        (b"a\nb\n\xfc\n", "the text is not UTF-8: byte 0xfc", 3),
        (b"a\r\n" * 30_000 + b"\xfc", "the text is not UTF-8: byte 0xfc", 30_001),
        (b"a\rb\r\xfc", "the text is not UTF-8: byte 0xfc", 3),
        (b"a\n\xc3", "the text is not UTF-8: byte 0xc3", 2),
        (b"a\nb\0\n", "the text has a NUL byte", 2),
        ("a\n".encode("utf-16-le"), "the text has a NUL byte", 1),
        ("a\n".encode("utf-16"), "it is UTF-16", None),
        (gzip.compress(b"a", mtime=0), "it is gzip", None),
        (b"PK\x03\x04\0\0", "it is a zip file or a workbook", None),
        (b"PAR1\0\0", "it is Parquet", None),
    ],
)
def test_what_is_no_text_is_told(tmp_path: Path, data: bytes, what: str, line: int | None) -> None:
    path = written(tmp_path, data)
    with pytest.raises(SettingsError, match="the page cannot be read") as caught:
        read_text(path, noun="page", error=SettingsError, mend="name a page")
    assert what in caught.value.message
    assert caught.value.place is not None and caught.value.place.line == line
    assert caught.value.mend and caught.value.mend != "name a page"


def test_lines_before_what_is_no_text_are_given(tmp_path: Path) -> None:
    lines = text_lines(["a\n", "b\0\n"])
    assert next(lines) == "a\n"
    with pytest.raises(NoText):
        next(lines)


def test_what_cannot_be_opened_has_the_mend_of_its_reader(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="the page cannot be read: No such file") as caught:
        read_text(tmp_path / "absent", noun="page", error=SettingsError, mend="name a page")
    assert caught.value.mend == "name a page"
