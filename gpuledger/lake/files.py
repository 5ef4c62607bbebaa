"""Where the lake's files lie: an interface that an object store fills too, and a local folder.

A file is written once and never changed. After `put` it is there whole, also after a power cut; before,
nobody sees it. Paths are relative, with "/" between their parts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from gpuledger.errors import StorageError

__all__ = ["FileStore", "LocalFiles", "StoredFile"]

_PART = ".part"
"""The ending of a file that is still being written."""


@dataclass(frozen=True)
class StoredFile:
    """A file in the store, published or not: its path, its bytes, when it was written (Unix seconds)."""

    path: str
    bytes: int
    modified_s: int


class FileStore(Protocol):
    """What the lake needs of a place for files; every method raises StorageError where the place fails."""

    def put(self, path: str, data: bytes | memoryview, *, replace: bool = False) -> None:
        """Write a file, whole and for good, if there is none of this path yet (or in its place)."""

    def read(self, path: str) -> bytes:
        """The bytes of a file."""

    def local_path(self, path: str) -> str:
        """A name under which every engine of this machine can open the file."""

    def find(self, path: str) -> StoredFile | None:
        """What lies at this path, None if nothing does."""

    def delete(self, path: str) -> None:
        """Remove a file; nothing happens if there is none."""

    def list(self, prefix: str = "") -> Iterator[StoredFile]:
        """All files below this folder, in the order of their paths; also those still being written."""


class LocalFiles:
    """A folder of this machine as a FileStore."""

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)

    def put(self, path: str, data: bytes | memoryview, *, replace: bool = False) -> None:
        """Write beside the place, fsync, rename into it, fsync the folder."""
        target = self.root / path
        with _mapped(target):
            if not replace and target.exists():
                raise StorageError(f"{target} is there already, and a file of the lake never changes")
            _make_folders(target.parent)
            part = target.with_name(target.name + _PART)
            with open(part, "wb") as file:
                _write(file, data)
            os.replace(part, target)
            _fsync_folder(target.parent)

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        with _mapped(self.root / path):
            return (self.root / path).read_bytes()

    def local_path(self, path: str) -> str:
        """The file's own absolute path."""
        return str((self.root / path).absolute())

    def find(self, path: str) -> StoredFile | None:
        """What lies at this path, None if nothing does."""
        with _mapped(self.root / path):
            try:
                found = (self.root / path).stat()
            except FileNotFoundError:
                return None
        return StoredFile(path, found.st_size, int(found.st_mtime))

    def delete(self, path: str) -> None:
        """Remove a file; nothing happens if there is none."""
        with _mapped(self.root / path), suppress(FileNotFoundError):
            (self.root / path).unlink()

    def list(self, prefix: str = "") -> Iterator[StoredFile]:
        """All files below this folder, in the order of their paths; also those still being written."""
        with _mapped(self.root / prefix):
            for path in sorted((self.root / prefix).rglob("*")):
                if path.is_file() and (found := self.find(path.relative_to(self.root).as_posix())):
                    yield found


@contextmanager
def _mapped(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error


def _write(file: BinaryIO, data: bytes | memoryview) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def _make_folders(folder: Path) -> None:
    """Make the folder and those above it, each durable in the one that holds it."""
    if folder.exists():
        return
    _make_folders(folder.parent)
    folder.mkdir(exist_ok=True)
    _fsync_folder(folder.parent)


def _fsync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
