"""Years of money in folders of their own: written, imported by the real commands, their books read back."""

from __future__ import annotations

import io
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from simulated import Row, Words, type_in

from gpuledger.cli import invoke
from gpuledger.lake.arrow import pq
from gpuledger.session import Edge
from simulator.money import MoneyTruth, MoneyWorld, make_year, truth_of_money, write_money
from simulator.money.truth import month_starts
from simulator.money.world import Bill
from simulator.money.written import MoneyWritten, bill_command, set_up_money, write_bill

__all__ = ["QUANTA", "Year", "by_key", "made_year", "stated"]

QUANTA = 10**9
"""Quanta in a dollar."""


@dataclass
class Year:
    """A year of money whose sources were written into a folder; `months` are those whose books are kept."""

    folder: Path
    world: MoneyWorld
    written: MoneyWritten
    charged: str
    months: tuple[str, ...]
    _kept: dict[tuple[str, ...], list[Row]] = field(default_factory=dict)

    def bring_facts(self) -> Year:
        """Type the commands before the first bill."""
        for words in self.written.commands:
            if words[:2] == ("import", "bill"):
                return self
            type_in(self.folder, *words)
        return self

    def bring_bills(self, bills: Sequence[Bill]) -> None:
        """Write these bills, as they are now, and import them."""
        for bill in bills:
            write_bill(self.folder / "bills" / f"{bill.month}.csv", bill)
            type_in(self.folder, *bill_command(bill))

    def run(self) -> Year:
        """Run the books of the months."""
        for month in self.months:
            type_in(self.folder, "run", "--month", month)
        self._kept = {}
        return self

    def refused(self, *words: str) -> str:
        """Type a command that must be refused; what it says of that."""
        with chdir(self.folder), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as err:
            assert invoke(words, edge=Edge(environ={}, cwd=self.folder)) != 0, words
        return err.getvalue()

    def truth(self, bills: Sequence[Bill] | None = None) -> MoneyTruth:
        """What must be true if these bills have come."""
        return truth_of_money(self.world, pooled=self.charged == "pooled", bills=bills, months=self.months)

    @property
    def until_s(self) -> int:
        """Where the months end whose books are kept."""
        return month_starts(self.world)[len(self.months)]

    @cached_property
    def known(self) -> MoneyTruth:
        """What must be true with all bills."""
        return self.truth()

    def statement(self, month: str, *more: str) -> dict[str, Any]:
        """A month's statement by team."""
        words: Words = ("statement", "--month", month, "--by", "team", "--format", "json", *more)
        found: dict[str, Any] = json.loads(type_in(self.folder, *words))
        return found

    def rows(self, name: str, month: str) -> list[Row]:
        """The rows in force of a month's books, as the last run left them."""
        if (name, month) not in self._kept:
            self._kept[name, month] = list(self._in_force(name, month))
        return self._kept[name, month]

    def recognised(self, month: str) -> Iterator[Row]:
        """What lots and meters recognise: into pools, onto slots and into accounts."""
        yield from self.rows("recognised_entry", month)
        yield from (row for row in self.rows("entry", month) if row["layer"] == "recognised")

    def balances(self, month: str) -> Counter[tuple[str, str]]:
        """What the entries of a month bring into each lot's balance accounts, less what leaves them."""
        found: Counter[tuple[str, str]] = Counter()
        for row in self.rows("entry", month):
            if row["layer"] == "billed":
                found[row["lot"], row["to_account"]] += row["amount"]
        for row in self.recognised(month):
            found[row["lot"], row["from_account"]] -= row["amount"]
        return found

    def _in_force(self, name: str, month: str) -> Iterator[Row]:
        home = self.folder / ".gpuledger"
        with sqlite3.connect(home / "gpuledger.db") as database:
            query = "select day, shard, run_id from book_head where period = ? order by day, shard"
            heads = database.execute(query, (month,)).fetchall()
        database.close()
        for day, shard, run_id in heads:
            path = home / "books" / "main" / month / day / f"{shard}" / f"run={run_id}" / f"{name}.parquet"
            if path.exists():
                yield from pq.read_table(path, partitioning=None).to_pylist()


def made_year(folder: Path, seed: int, months: int = 12) -> Year:
    """Write a year; odd seeds charge by pool, even ones as recognised. The first `months` are kept."""
    charged = "pooled" if seed % 2 else "recognised"
    world = make_year(seed)
    set_up_money(folder, world, charged)
    return Year(folder, world, write_money(world, folder), charged, world.months[:months])


def stated(statement: dict[str, Any]) -> dict[str, Fraction]:
    """The exact quanta of a statement by key."""
    return {line["key"]: Fraction(line["unrounded"] or 0) * QUANTA for line in statement["lines"]}


def by_key(truth: MoneyTruth, month: str) -> dict[str, Fraction]:
    """The exact quanta of a month by key."""
    return {key: amount for (one, key), amount in truth.owners.items() if one == month}
