"""Which folder is home, and what stands in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuledger.errors import StorageError
from gpuledger.home import Home, find_home


def test_asked_home_is_relative_to_the_current_folder(tmp_path: Path) -> None:
    assert find_home("ledger", cwd=tmp_path, environ={}) == (tmp_path / "ledger", "")
    assert find_home("/data/ledger", cwd=tmp_path, environ={}) == (Path("/data/ledger"), "")


def test_tilde_is_the_users_folder(tmp_path: Path) -> None:
    assert find_home("~/ledger", cwd=tmp_path, environ={"HOME": "/home/ada"})[0] == Path("/home/ada/ledger")


def test_folder_in_the_current_one_comes_before_the_users(tmp_path: Path) -> None:
    environ = {"HOME": "/home/ada"}
    assert find_home("", cwd=tmp_path, environ=environ)[0] == Path("/home/ada/.local/share/gpuledger")
    (tmp_path / ".gpuledger").mkdir()
    assert find_home("", cwd=tmp_path, environ=environ) == (tmp_path / ".gpuledger", "./.gpuledger")


def test_data_folder_that_is_not_absolute_is_ignored(tmp_path: Path) -> None:
    environ = {"HOME": "/home/ada", "XDG_DATA_HOME": "share"}
    assert find_home("", cwd=tmp_path, environ=environ)[0] == Path("/home/ada/.local/share/gpuledger")
    environ["XDG_DATA_HOME"] = "/share"
    assert find_home("", cwd=tmp_path, environ=environ)[0] == Path("/share/gpuledger")


def test_opening_makes_the_places_and_may_be_repeated(tmp_path: Path) -> None:
    home = Home(tmp_path / "deep" / "home")
    home.open()
    home.open()
    assert sorted(place.name for place in home.path.iterdir()) == ["books", "lake", "scratch"]
    assert (home.lake.name, home.books.name, home.scratch.name) == ("lake", "books", "scratch")


def test_home_that_cannot_be_made_says_where_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError) as caught:
        Home(tmp_path / "file" / "home").open()
    assert str(caught.value.place) == str(tmp_path / "file" / "home")
    assert "--home" in caught.value.mend


def test_database_is_in_the_home_unless_its_address_is_set(tmp_path: Path) -> None:
    assert Home(tmp_path).database_url == f"sqlite:///{tmp_path}/gpuledger.db"
    assert Home(tmp_path, "postgresql+psycopg://db/ledger").database_url == "postgresql+psycopg://db/ledger"
