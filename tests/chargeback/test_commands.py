"""`run`, `statement` and `verify` as people type them."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

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


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    monkeypatch.chdir(tmp_path)
    made = Desktop(tmp_path)
    made.write("jobs.csv", JOBS)
    made.write("map.yaml", MAP)
    made.write("prices.csv", PRICES)
    return made


def filled(desktop: Desktop, through: str = "2026-10-05T08:00Z") -> None:
    words = ("import", "holdings", "jobs.csv", "--map", "map.yaml", "--through", through)
    assert desktop.type(*words)[0] == 0
    assert desktop.type("import", "prices", "prices.csv")[0] == 0


def test_without_facts_or_books_the_next_step_is_said(desktop: Desktop) -> None:
    code, _, err = desktop.type("run")
    assert code == 6 and "import holdings or an inventory first" in err
    code, _, err = desktop.type("statement", "--month", "2026-10")
    assert code == 6 and "gpuledger run --month 2026-10" in err
    code, _, err = desktop.type("statement", "--month", "10/2026")
    assert code == 3 and "is not a month" in err


def test_run_makes_every_month_with_facts(desktop: Desktop) -> None:
    filled(desktop, "2026-11-02T00:00Z")
    code, _, err = desktop.type("run")
    assert code == 0
    assert "2026-10: seq" in err and "2026-11: seq" in err
    code, out, _ = desktop.type("statement", "--month", "2026-11", "--format", "json")
    assert code == 0 and json.loads(out)["gpu_hours"] == "24.000000"


def test_books_that_lack_later_facts_say_so(desktop: Desktop) -> None:
    filled(desktop)
    assert desktop.type("run", "--month", "2026-10")[0] == 0
    desktop.write("prices.csv", PRICES.replace(",2,", ",3,"))
    desktop.type("import", "prices", "prices.csv")
    _, _, err = desktop.type("statement", "--month", "2026-10")
    assert "are not in them: `gpuledger run`" in err


def test_as_of_an_earlier_seq_or_instant_prints_the_earlier_bytes(desktop: Desktop) -> None:
    filled(desktop)
    desktop.type("run", "--month", "2026-10")
    words = ("statement", "--month", "2026-10", "--format", "json")
    first = desktop.type(*words)[1]
    desktop.clock += 86_400
    desktop.write("jobs.csv", JOBS.replace("01:00Z,,", "01:00Z,2026-10-05T20:00Z,"))
    filled(desktop, "2026-10-06T00:00Z")
    desktop.type("run", "--month", "2026-10")
    second = desktop.type(*words)[1]
    assert json.loads(first)["gpu_hours"] == "19.000000"
    assert json.loads(second)["gpu_hours"] == "31.000000"
    assert desktop.type(*words, "--as-of", str(json.loads(first)["seq"]))[1] == first
    assert desktop.type(*words, "--as-of", "2026-09-22T00:00Z")[1] == first
    assert desktop.type(*words)[1] == second


def test_as_of_a_seq_without_a_run_is_computed_and_not_put_in_force(desktop: Desktop) -> None:
    filled(desktop)
    desktop.write("prices.csv", PRICES.replace(",2,", ",3,"))
    desktop.type("import", "prices", "prices.csv")
    desktop.type("run", "--month", "2026-10")
    words = ("statement", "--month", "2026-10", "--format", "json")
    now = json.loads(desktop.type(*words)[1])
    computed = desktop.type(*words, "--as-of", str(now["seq"] - 2))[1]
    assert (json.loads(computed)["total"], now["total"]) == (3800, 5700)
    assert desktop.type(*words, "--as-of", str(now["seq"] - 2))[1] == computed, "as it was kept"
    assert json.loads(desktop.type(*words)[1]) == now
    code, _, err = desktop.type(*words, "--as-of", "99")
    assert code == 6 and "nothing was known at seq 99" in err


def test_verify_fails_where_a_file_of_the_books_was_changed(desktop: Desktop) -> None:
    filled(desktop)
    desktop.type("run", "--month", "2026-10")
    code, out, _ = desktop.type("verify", "--month", "2026-10")
    assert code == 0 and "FAILED" not in out
    (path,) = (desktop.folder / "home" / "books").rglob("2026-10-05/**/entry.parquet")
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(data)
    code, out, err = desktop.type("verify", "--month", "2026-10")
    assert code in (5, 6) and "error: " in err
    path.unlink()
    code, _, err = desktop.type("verify", "--month", "2026-10")
    assert code == 5 and "cannot be read" in err and "Traceback" not in err


def test_superseded_runs_are_swept_a_day_later(desktop: Desktop) -> None:
    filled(desktop)
    desktop.type("run", "--month", "2026-10")
    old, *_ = (desktop.folder / "home" / "books").rglob("2026-10-05/**/run=*")
    desktop.type("run", "--month", "2026-10")
    assert old.exists()
    desktop.clock = old.stat().st_mtime + 90_000
    desktop.type("run", "--month", "2026-10")
    assert not old.exists()
    assert desktop.type("verify", "--month", "2026-10")[0] == 0
