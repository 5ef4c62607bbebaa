"""A fresh database for each test, as a copy of one that was made once."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from gpuledger.versions import Database
from gpuledger.versions.tables import knowledge

# Each commit notes the greatest seq that it can see: it must be the one just before its own.
WRITER = """
import sys
from sqlalchemy import func, select, update
from gpuledger.versions import Database
from gpuledger.versions.tables import knowledge

url, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
database = Database.open(url)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(count):
    with database.commit(name, at_s=1_790_000_000) as commit:
        at = knowledge.c
        seen = commit.connection.scalar(select(func.max(at.seq)).where(at.seq < commit.seq)) or 0
        commit.connection.execute(update(knowledge).where(at.seq == commit.seq).values(note=str(seen)))
    print(commit.seq, flush=True)
database.close()
"""


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database that nobody writes to."""
    path = tmp_path_factory.mktemp("made") / "empty.db"
    Database.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def url(made_once: Path, tmp_path: Path) -> str:
    """The address of a fresh SQLite database."""
    shutil.copy(made_once, tmp_path / "gpuledger.db")
    return f"sqlite:///{tmp_path / 'gpuledger.db'}"


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """A fresh SQLite database."""
    database = Database.open(url)
    yield database
    database.close()


@pytest.fixture
def commit_from_two_processes() -> Callable[[str, int], tuple[list[int], list[int], list[int]]]:
    """Let two writers commit at once: the seqs that each got, and what each commit saw, in their order."""
    return _commit_from_two_processes


def _commit_from_two_processes(url: str, count: int) -> tuple[list[int], list[int], list[int]]:
    writers = [_start_writer(url, name, count) for name in ("one", "two")]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    one, two = ([int(line) for line in writer.communicate()[0].split()] for writer in writers)
    database = Database.open(url)
    with database.read() as connection:
        notes = connection.execute(select(knowledge.c.note).order_by(knowledge.c.seq)).scalars().all()
    database.close()
    return one, two, [int(note) for note in notes]


def _start_writer(url: str, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, url, name, str(count)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
