"""A desk at which bills are brought in, and read as they are known then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chargeback.bills.completeness import Stated, stated_of
from chargeback.bills.deliver import Delivery, Outcome, deliver_bills
from chargeback.bills.in_force import BillLines, read_bill_lines
from chargeback.bills.reading import Reading, read_bills
from chargeback.bills.texts import Given
from chargeback.desk import Desk
from chargeback.workbench import Limits
from gpuledger.lake import Lake, LocalFiles
from gpuledger.lake.arrow import pa
from gpuledger.versions import BillFact, Book, Database, bills_in_force


class BillDesk:
    """A home in a folder: files of bills are brought in, each by a commit one second after the other."""

    def __init__(self, folder: Path, shards: int = 1) -> None:
        self.folder = folder
        self.database = Database.open(f"sqlite:///{folder / 'home.db'}")
        self.lake = Lake(self.database, LocalFiles(folder / "lake"), shards)
        book = Book("main", "UTC", "USD", shards, "pooled")
        scratch = folder / "scratch"
        self.desk = Desk(
            self.database, self.lake, book, folder / "books", scratch, Limits("", 0, scratch), 1, "test"
        )
        self.now_s = 1_793_500_000

    def write(self, text: str, name: str = "bill.csv") -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def bring(
        self, *texts: str, stated: Sequence[str] = (), total: Sequence[str] = (), **said: Any
    ) -> Outcome:
        """Bring texts in as the pages of a bill; `said` are fields of `Delivery`."""
        paths = [self.write(text, f"page-{number}.csv") for number, text in enumerate(texts, 1)]
        return self.bring_files(*paths, stated=stated, total=total, **said)

    def bring_files(
        self, *paths: Path, stated: Sequence[str] = (), total: Sequence[str] = (), **said: Any
    ) -> Outcome:
        self.now_s += 1
        with self.lake.engine() as engine:
            reading = read_bills(engine, paths, Given())
            owed = self._stated(reading, stated, total)
            given: dict[str, Any] = {"invoiced_s": None, "replaced": (), "beside": ()}
            delivery = Delivery(reading, owed, **given | said)
            return deliver_bills(engine, self.database, self.lake, delivery, at_s=self.now_s)

    def _stated(self, reading: Reading, rows: Sequence[str], total: Sequence[str]) -> dict[str, Stated]:
        return stated_of(reading.bills, rows, total, reading.bad_by_bill)

    def bills(self, seq: int | None = None) -> list[BillFact]:
        with self.database.read() as connection:
            return bills_in_force(connection, self.seq if seq is None else seq)

    @property
    def seq(self) -> int:
        return self.database.latest_seq()

    def lines(self, seq: int | None = None) -> list[dict[str, Any]]:
        """The lines in force, in the order of their bills and numbers."""
        found = self.lake.in_force("bill_line", self.seq if seq is None else seq)
        rows: list[dict[str, Any]] = found.to_pylist()
        return sorted(rows, key=lambda row: (row["bill"], row["line"]))

    def read(self, start_s: int, end_s: int, seq: int | None = None) -> BillLines:
        return read_bill_lines(self.desk, self.seq if seq is None else seq, start_s, end_s)

    def node(self, node: str, instance: str, start_s: int, end_s: int | None = None) -> None:
        row = {"identity": f"{node}@{start_s}", "source": "test", "withdrawn": False, "start_s": start_s}
        row |= {"end_s": end_s, "cluster": "c", "node": node, "instance_id": instance}
        staged = self.lake.stage("node", pa.Table.from_pylist([row], _node_schema()))
        with self.database.commit("import", at_s=self.now_s) as commit:
            self.lake.publish(commit, staged)


def _node_schema() -> Any:
    whole = {"start_s": pa.int64(), "end_s": pa.int64(), "withdrawn": pa.bool_()}
    names = ("identity", "source", "withdrawn", "start_s", "end_s", "cluster", "node", "instance_id")
    return pa.schema([(name, whole.get(name, pa.string())) for name in names])
