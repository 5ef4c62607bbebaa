"""The same sources exported in mid-month and after its end: the books grow, and nothing is paid twice."""

from __future__ import annotations

import io
import json
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuledger.cli import invoke
from gpuledger.session import Edge
from simulator import Fleet, compute_truth, generate, write_exports
from simulator.comparison import compare
from simulator.exports import utc

pytestmark = pytest.mark.e2e

STATEMENT = ("statement", "--month", "2026-10", "--by", "team", "--format", "json")


@dataclass(frozen=True)
class Ledger:
    """A home into which a fleet's exports are brought; its clock stands where they were taken."""

    home: Path
    fleet: Fleet

    def bring_in(self, folder: Path, at_s: int) -> None:
        """Export everything as of an instant, import it in that folder, and run October."""
        write_exports(self.fleet, folder, at_s=at_s)
        through = ("--through", utc(at_s))
        with chdir(folder):
            for kind, name in (("inventory", "inventory"), ("holdings", "slurm"), ("holdings", "pods")):
                self.run("import", kind, f"{name}.csv", "--map", f"{name}.map.yaml", *through, at_s=at_s)
            self.run("import", "prices", "prices.csv", at_s=at_s)
            self.run("import", "owners", "owners.csv", at_s=at_s)
        self.run("run", "--month", "2026-10", at_s=at_s)

    def run(self, *words: str, at_s: int) -> str:
        edge = Edge(environ={}, cwd=self.home, flags={"home": str(self.home), "now": utc(at_s)})
        with redirect_stdout(io.StringIO()) as printed:
            assert invoke(words, edge=edge) == 0
        return printed.getvalue()


def test_a_later_export_completes_the_books_and_the_earlier_ones_print_as_they_were(tmp_path: Path) -> None:
    fleet = generate(19)
    ledger = Ledger(tmp_path / "home", fleet)
    ledger.home.mkdir()
    middle_s = fleet.start_s + 13 * 86400 + 4321

    ledger.bring_in(tmp_path / "early", middle_s)
    early = ledger.run(*STATEMENT, at_s=middle_s)
    ledger.bring_in(tmp_path / "late", fleet.exported_s)
    late = json.loads(ledger.run(*STATEMENT, at_s=fleet.exported_s))

    assert compare(late, compute_truth(fleet)).differing == []
    seq = json.loads(early)["seq"]
    assert 0 < json.loads(early)["total"] < late["total"]
    assert ledger.run(*STATEMENT, "--as-of", str(seq), at_s=fleet.exported_s) == early
    assert ledger.run(*STATEMENT, "--as-of", utc(middle_s), at_s=fleet.exported_s) == early


def test_delivering_the_same_export_again_changes_no_figure(tmp_path: Path) -> None:
    fleet = generate(23)
    ledger = Ledger(tmp_path / "home", fleet)
    ledger.home.mkdir()

    ledger.bring_in(tmp_path / "once", fleet.exported_s)
    once = ledger.run(*STATEMENT, at_s=fleet.exported_s)
    ledger.bring_in(tmp_path / "twice", fleet.exported_s)
    twice = ledger.run(*STATEMENT, at_s=fleet.exported_s)

    assert json.loads(twice) | {"seq": 0} == json.loads(once) | {"seq": 0}
