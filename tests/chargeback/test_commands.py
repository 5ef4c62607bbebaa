"""`run`, `statement` and `verify` as people type them."""

from __future__ import annotations

import json

import pytest
from desktop import JOBS, PRICES, Desktop, filled

pytestmark = pytest.mark.books


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
    path = max((desktop.folder / "home" / "books").rglob("entry.parquet"))
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(data)
    code, _, err = desktop.type("verify", "--month", "2026-10")
    assert code == 6 and "2026-10: 7 no file of the books has changed" in err and path.parent.name in err
    path.unlink()
    code, _, err = desktop.type("verify", "--month", "2026-10")
    assert code == 6 and "no file of the books has changed" in err


def test_superseded_runs_are_swept_a_day_later(desktop: Desktop) -> None:
    filled(desktop)
    desktop.type("run", "--month", "2026-10")
    old = max((desktop.folder / "home" / "books").rglob("run=*"))
    desktop.type("run", "--month", "2026-10")
    assert old.exists()
    desktop.clock = old.stat().st_mtime + 90_000
    desktop.type("run", "--month", "2026-10")
    assert not old.exists()
    assert desktop.type("verify", "--month", "2026-10")[0] == 0
