"""The one folder that holds a ledger: its lake, its database, its books and its scratch space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuledger.errors import Place, StorageError

__all__ = ["Home", "find_home"]


@dataclass(frozen=True)
class Home:
    """A home folder and the places in it; nothing is made on disk before `open`.

    `address` is the setting `database_url`: empty for SQLite inside the folder.
    """

    path: Path
    address: str = ""

    @property
    def lake(self) -> Path:
        return self.path / "lake"

    @property
    def books(self) -> Path:
        return self.path / "books"

    @property
    def scratch(self) -> Path:
        return self.path / "scratch"

    @property
    def settings_file(self) -> Path:
        return self.path / "gpuledger.toml"

    @property
    def database_url(self) -> str:
        return self.address or f"sqlite:///{self.path / 'gpuledger.db'}"

    def open(self) -> None:
        """Make the folder and its places; raise StorageError where that cannot be done."""
        try:
            for place in (self.path, self.lake, self.books, self.scratch):
                place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"the home folder cannot be made: {error.strerror}",
                place=Place(file=str(self.path)),
                mend="name a folder that you may write to with --home or GPULEDGER_HOME",
            ) from error


def find_home(asked: str, *, cwd: Path, environ: Mapping[str, str]) -> tuple[Path, str]:
    """The home folder, absolute, and why it is that one when nobody asked (else "").

    `asked` is the setting `home`, relative to `cwd`. Without it: `.gpuledger` in `cwd` if there is one, else
    `gpuledger` in the user's data folder (`XDG_DATA_HOME`, or `~/.local/share`).
    """
    if asked:
        return _absolute(asked, cwd, environ), ""
    if (cwd / ".gpuledger").is_dir():
        return cwd / ".gpuledger", "./.gpuledger"
    data = environ.get("XDG_DATA_HOME", "")
    if not Path(data).is_absolute():
        data = "~/.local/share"
    return _absolute(data, cwd, environ) / "gpuledger", "the user's data folder"


def _absolute(text: str, cwd: Path, environ: Mapping[str, str]) -> Path:
    if text == "~" or text.startswith("~/"):
        user = environ.get("HOME") or str(Path.home())
        return Path(user + text[1:])
    return cwd / text
