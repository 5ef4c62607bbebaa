"""A folder of terms to begin with: commented files that can be applied as they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from chargeback.owners import Who
from chargeback.terms.folder import FILES
from gpuledger.errors import InputError, Place

__all__ = ["refuse_existing", "starter_files", "write_folder"]

_LISTED = 20
_WIDTH = 108


def starter_files(whos: Iterable[Who]) -> dict[str, str]:
    """The text of each file by its name; that of teams lists what holdings say of themselves."""
    folder = files("chargeback.terms") / "starter"
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in FILES}
    listed = "".join(f"{line}\n" for line in _seen_lines(list(whos)))
    texts["teams.yaml"] += f"{listed}\nteams: []\n\nrules: []\n"
    return texts


def refuse_existing(folder: Path) -> None:
    """Raise `InputError` where a file of the folder is there already, or the folder is no folder."""
    for path in (folder / name for name in FILES):
        if path.exists() or path.is_symlink():
            raise InputError(
                f"{path.name} is there already, and is not overwritten; nothing was written",
                place=Place(str(path)),
                mend="name another folder, or move the file away",
            )


def write_folder(folder: Path, texts: dict[str, str]) -> None:
    """Write the files, none over another; raises `InputError` where that cannot be done."""
    refuse_existing(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise InputError(
            f"the folder cannot be written: {error.strerror}",
            place=Place(str(folder)),
            mend="name a folder that you may write",
        ) from error


def _seen_lines(whos: list[Who]) -> Iterator[str]:
    """Comments that list, by attribute, what there is to match; none where nothing is held."""
    seen = {
        name: sorted({getattr(who, name) for who in whos} - {""})
        for name in ("cluster", "namespace", "account", "owner_key")
    }
    seen["label"] = sorted({label for who in whos if who.labels for label in json.loads(who.labels)})
    if any(seen.values()):
        yield "#"
        yield "# What the holdings in this home say of themselves:"
    for name, texts in seen.items():
        more = [f"and {len(texts) - _LISTED} more"] if len(texts) > _LISTED else []
        if texts:
            yield from _wrapped(f"#   {name}: ", [*map(_quoted, texts[:_LISTED]), *more])


def _quoted(text: str) -> str:
    """The text as YAML has it; in quotes, with escapes, where it would not print on its line."""
    return text if text.isprintable() else json.dumps(text)


def _wrapped(head: str, words: Iterable[str]) -> Iterator[str]:
    """The words with commas, in as many lines as they need; no word is parted."""
    line, blank = head, "#" + " " * (len(head) - 1)
    for word in words:
        if line not in (head, blank) and len(line) + len(word) > _WIDTH:
            yield line.rstrip()
            line = blank
        line += word + ", "
    yield line.removesuffix(", ")
