"""A home and the commands that are run on it: in this process, or in one of their own that can be killed."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuledger.cli import invoke
from gpuledger.session import Edge

__all__ = ["Ended", "Ledger", "kill"]

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Ledger:
    """A home, and the time at which commands are run on it."""

    home: Path
    now: str

    def call(self, *words: str, now: str = "") -> str:
        """Run a command, which must end well, and give what it printed."""
        with redirect_stdout(io.StringIO()) as printed:
            assert invoke(words, edge=self._edge(now or self.now)) == 0, words
        return printed.getvalue()

    def refused(self, *words: str) -> tuple[int, str]:
        """Run a command that does not end well, and give its exit code and what it complained of."""
        with redirect_stderr(io.StringIO()) as complaints:
            code = invoke(words, edge=self._edge(self.now))
        assert code, words
        return code, complaints.getvalue()

    def read(self, *words: str) -> Any:
        return json.loads(self.call(*words, "--format", "json"))

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Begin a command in a process of its own."""
        command = [sys.executable, "-m", "gpuledger", "--home", str(self.home), "--now", self.now, *words]
        environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=environ, cwd=self.home.parent, **pipes)

    def statement(self, month: str) -> dict[str, Any]:
        found: dict[str, Any] = self.read("statement", "--month", month)
        return found

    def copy(self, home: Path) -> Ledger:
        shutil.copytree(self.home, home)
        return Ledger(home, self.now)

    def _edge(self, now: str) -> Edge:
        flags = {"home": str(self.home), "now": now}
        return Edge(environ={}, cwd=self.home.parent, flags=flags, announced={self.home})


@dataclass(frozen=True)
class Ended:
    """How a process that was to be killed ended: whether it came to its end before, and what it printed."""

    done: bool
    printed: str


def kill(child: subprocess.Popen[str], after_s: float) -> Ended:
    """Kill a command so long from now, if it still runs then."""
    with suppress(subprocess.TimeoutExpired):
        child.wait(after_s)
    child.kill()
    printed, notices = child.communicate(timeout=60)
    assert child.returncode in (0, -signal.SIGKILL), notices
    return Ended(child.returncode == 0, printed)
