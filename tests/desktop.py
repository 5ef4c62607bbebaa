"""A folder of a user, and the commands that are typed there."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from gpuledger.cli import invoke
from gpuledger.session import Edge

JOBS = "job,start,end,owner,gpus\n1,2026-10-05T00:00Z,2026-10-05T06:00Z,ml,2\n2,2026-10-05T01:00Z,,nlp,1\n"
MAP = """\
kind: holdings
source: jobs
identity: job
columns: {owner_key: owner, start: start, end: {column: end, missing: open}, units: gpus}
constants: {cluster: c, model: H100}
capacity: assumed
"""
PRICES = "model,rate,currency,from,to\nH100,2,USD,2026-01-01T00:00Z,\n"


class Desktop:
    """A folder of a user, and the commands typed there at a time that the test sets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = 1_790_000_000.0

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, "utf-8")

    def type(self, *words: str) -> tuple[int, str, str]:
        edge = Edge(environ={}, cwd=self.folder, clock=lambda: self.clock)
        edge.flags["home"] = str(self.folder / "home")
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            code = invoke(words, edge=edge)
        return code, out.getvalue(), err.getvalue()


def filled(desktop: Desktop, through: str = "2026-10-05T08:00Z") -> None:
    words = ("import", "holdings", "jobs.csv", "--map", "map.yaml", "--through", through)
    assert desktop.type(*words)[0] == 0
    assert desktop.type("import", "prices", "prices.csv")[0] == 0
