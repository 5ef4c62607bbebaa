"""`explain` as people type it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from desktop import PRICES, Desktop, filled

pytestmark = pytest.mark.books

MONTH = ("--month", "2026-10")


def explained(desktop: Desktop, *words: str) -> dict[str, Any]:
    code, out, err = desktop.type("explain", *words, *MONTH, "--format", "json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def steps(made: dict[str, Any]) -> list[Any]:
    """All but what only the run itself has."""
    return [made["explains"], made["seq"], made["steps"]]


def test_explain_prints_the_steps_of_a_line(desktop: Desktop) -> None:
    filled(desktop)
    desktop.type("run", *MONTH)
    code, out, _ = desktop.type("explain", "ml", *MONTH)
    assert code == 0
    assert "1. line: ml: 24.00 USD" in out
    assert "source rows" in out and "assumed" in out
    assert out.count("adds up") == 11 and "DOES NOT" not in out
    made = explained(desktop, "--holding", "1")
    assert made["explains"] == {"holding": "c/1"} and made["adds_up"]


def test_an_explanation_as_of_then_is_of_the_run_of_then_also_when_its_files_were_swept(
    desktop: Desktop,
) -> None:
    filled(desktop)
    desktop.type("run", *MONTH)
    before = explained(desktop, "ml")
    old = max((desktop.folder / "home" / "books").rglob("run=*"))
    desktop.write("prices.csv", PRICES.replace(",2,", ",3,"))
    desktop.clock = old.stat().st_mtime + 3_600
    desktop.type("import", "prices", "prices.csv")
    desktop.type("run", *MONTH)
    assert explained(desktop, "ml", "--as-of", "2026-09-22T00:00Z") == before
    desktop.clock += 90_000
    desktop.type("run", *MONTH)
    assert not old.exists()
    again = explained(desktop, "ml", "--as-of", str(before["seq"]))
    assert again["run"] != before["run"] and steps(again) == steps(before)


def test_a_closed_month_is_explained_as_it_was_closed(desktop: Desktop) -> None:
    filled(desktop, "2026-11-02T00:00Z")
    desktop.clock = 1_794_000_000.0
    desktop.type("run", *MONTH)
    code, _, err = desktop.type("close", *MONTH)
    assert code == 0, err
    before = explained(desktop, "ml")
    desktop.write("prices.csv", PRICES.replace(",2,", ",3,"))
    desktop.clock += 3600
    desktop.type("import", "prices", "prices.csv")
    assert explained(desktop, "ml") == before
    assert explained(desktop, "ml", "--as-of", "2026-12-31T00:00Z") == before


def test_a_file_of_the_books_that_was_changed_does_not_add_up(desktop: Desktop) -> None:
    filled(desktop)
    desktop.type("run", *MONTH)
    for path in (desktop.folder / "home" / "books").rglob("entry.parquet"):
        empty = path.with_name("recognised_entry.parquet")
        path.write_bytes(empty.read_bytes())
    code, out, err = desktop.type("explain", "ml", *MONTH)
    assert code == 6 and "DOES NOT ADD UP: unrounded by" in out
    assert "do not add up: " in err and "gpuledger verify" in err
    for path in (desktop.folder / "home" / "books").rglob("entry.parquet"):
        path.unlink()
    code, _, err = desktop.type("explain", "ml", *MONTH)
    assert code == 5 and "cannot be read" in err and "Traceback" not in err


def test_what_cannot_be_explained_says_what_to_give(desktop: Desktop) -> None:
    for words, said in (
        ((), "give the key of a LINE"),
        (("ml", "--holding", "1"), "give a LINE, --holding or --device"),
        (("--device", "GPU-1", "--slot", "n1/0"), "give a LINE, --holding or --device"),
    ):
        code, _, err = desktop.type("explain", *words, *MONTH)
        assert code == 3 and said in err, err
    code, _, err = desktop.type("explain", "ml", *MONTH)
    assert code == 6 and "gpuledger run --month 2026-10" in err
