"""The folder that holds the lake's files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuledger.errors import StorageError
from gpuledger.lake import FileStore, LocalFiles


@pytest.fixture
def files(tmp_path: Path) -> LocalFiles:
    return LocalFiles(tmp_path / "lake")


def test_folder_is_a_file_store(files: LocalFiles) -> None:
    store: FileStore = files
    store.put("holding/0000/a.parquet", b"one")
    found = store.find("holding/0000/a.parquet")
    assert found is not None
    assert (found.path, found.bytes) == ("holding/0000/a.parquet", 3)
    assert store.read("holding/0000/a.parquet") == b"one"
    assert Path(store.local_path("holding/0000/a.parquet")).read_bytes() == b"one"


def test_file_is_written_once_unless_it_is_to_be_replaced(files: LocalFiles) -> None:
    files.put("a", b"one")
    with pytest.raises(StorageError, match="never changes"):
        files.put("a", b"two")
    assert files.read("a") == b"one"
    files.put("a", memoryview(b"two"), replace=True)
    assert files.read("a") == b"two"


def test_file_that_was_not_written_to_its_end_is_not_there(
    files: LocalFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("os.replace", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            files.put("holding/a.parquet", b"one")
    assert files.find("holding/a.parquet") is None
    files.put("holding/a.parquet", b"two")
    assert files.read("holding/a.parquet") == b"two"


def test_file_is_durable_before_it_has_its_name_and_the_folder_after(
    files: LocalFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.put("holding/warm", b"")
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def spy_fsync(handle: int) -> None:
        done.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")
        fsync(handle)

    def spy_replace(source: Path, target: Path) -> None:
        done.append("rename")
        replace(source, target)

    monkeypatch.setattr("os.fsync", spy_fsync)
    monkeypatch.setattr("os.replace", spy_replace)
    files.put("holding/a", b"one")
    assert done == ["file", "rename", "folder"]


def test_list_gives_all_files_below_a_folder_by_path(files: LocalFiles) -> None:
    for path in ("b/2", "a/x/1", "b/1"):
        files.put(path, b"")
    assert [found.path for found in files.list()] == ["a/x/1", "b/1", "b/2"]
    assert [found.path for found in files.list("b")] == ["b/1", "b/2"]
    assert list(files.list("c")) == []


def test_deleting_what_is_not_there_changes_nothing(files: LocalFiles) -> None:
    files.put("a", b"")
    files.delete("a")
    files.delete("a")
    assert files.find("a") is None


def test_place_that_fails_is_a_storage_error(files: LocalFiles, tmp_path: Path) -> None:
    (tmp_path / "lake").touch()
    with pytest.raises(StorageError, match="lake"):
        files.put("holding/a", b"")
    with pytest.raises(StorageError):
        files.read("holding/a")
