"""A home in a folder: facts put straight into the lake, books made of them, and statements read back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from chargeback.commitments.details import Covers
from chargeback.commitments.details import Details as CommitmentDetails
from chargeback.commitments.details import Step as CommitmentStep
from chargeback.commitments.details import written_details as written_commitment
from chargeback.commitments.kinds import KINDS
from chargeback.desk import Desk
from chargeback.ledger import Result
from chargeback.lots.details import Details, Invoice, written_details
from chargeback.lots.lot import Target
from chargeback.printing import as_json
from chargeback.runs import make_books
from chargeback.statement import By, state_statement
from chargeback.workbench import Limits
from gpuledger.canonical import canonical_json
from gpuledger.lake import TABLES, Lake, LocalFiles
from gpuledger.lake.arrow import pa, pq
from gpuledger.versions import (
    Book,
    CommitmentFact,
    Database,
    EntitlementFact,
    FxFact,
    LotFact,
    OwnerFact,
    PolicyFact,
    PriceFact,
    RuleFact,
    open_book,
    put_commitments,
    put_entitlements,
    put_fx,
    put_lots,
    put_owners,
    put_policies,
    put_prices,
    put_rules,
    set_through,
)


def at(text: str) -> int:
    """Unix seconds of an instant with an offset, like 2026-10-01T10:20Z."""
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


@dataclass
class House:
    """Facts wait in `rows` until `keep` commits them; `books` computes a period as known then."""

    desk: Desk
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    owners: list[OwnerFact] = field(default_factory=list)
    prices: list[PriceFact] = field(default_factory=list)
    rules: list[RuleFact] = field(default_factory=list)
    policies: list[PolicyFact] = field(default_factory=list)
    entitlements: list[EntitlementFact] = field(default_factory=list)
    lots: list[LotFact] = field(default_factory=list)
    commitments: list[CommitmentFact] = field(default_factory=list)
    rates: list[FxFact] = field(default_factory=list)
    throughs: dict[tuple[str, str], int] = field(default_factory=dict)
    runs: int = 0

    def fact(self, table: str, identity: str, start: int, end: int | None, **values: Any) -> None:
        row = {"identity": identity, "source": "test", "withdrawn": False, "start_s": start, "end_s": end}
        self.rows.setdefault(table, []).append({**row, "cluster": "c", **values})

    def slot(self, node: str, index: int, start: int, end: int | None, **values: Any) -> None:
        slot = f"{node}/{index}"
        given = {"slot_no": zlib.crc32(slot.encode()) % 65536, "model": "H100", "region": "", "sku": ""}
        given |= {"purchase_option": "", "compute_slices": 1, "memory_slices": 1}
        identity = values.pop("identity", f"{slot}@{start}")
        self.fact("slot", identity, start, end, node=node, slot=slot, **given | values)

    def node(self, node: str, start: int, end: int | None, **values: str) -> None:
        """A run of a node, with what inventory says of it, such as provider, sku or ended_by."""
        self.fact("node", f"{node}@{start}", start, end, node=node, **values)

    def device(self, node: str, index: int, uuid: str, start: int, end: int | None) -> None:
        place = {"node": node, "slot": f"{node}/{index}"}
        self.fact("device", f"{uuid}@{start}", start, end, uuid=uuid, model="H100", **place)

    def holding(self, run: str, start: int, end: int | None, owner: str = "", **values: Any) -> None:
        given: dict[str, Any] = {"run_no": zlib.crc32(run.encode()) % 65536, "owner_key": owner, "units": 1}
        given |= {"weight": 1, "weight_cap": 1, "node_group": "", "assumed": "node" not in values}
        given |= {"model": "" if "node" in values else "H100", "region": ""}
        identity = values.pop("identity", f"{run}@{start}")
        self.fact("holding", identity, start, end, run=run, **given | values)

    def partition(
        self, node: str, index: int, number: int, slices: tuple[int, int], start: int, end: int | None
    ) -> None:
        """A partition of (compute, memory) slices; its UUID is MIG-<node>-<index>-<number>."""
        slot = f"{node}/{index}"
        place = {"node": node, "slot": slot, "lane": f"{slot}/{number}", "profile": f"{slices[0]}g"}
        given = {"uuid": f"MIG-{node}-{index}-{number}"}
        given |= {"compute_slices": slices[0], "memory_slices": slices[1]}
        self.fact("partition", f"{slot}/{number}/{slices}@{start}", start, end, **place, **given)

    def state(
        self, node: str, index: int | None, state: str, start: int, end: int | None, said: str = ""
    ) -> None:
        """A state of a slot, or of each slot of a node; `said` tells facts of one state apart."""
        slot = None if index is None else f"{node}/{index}"
        identity = f"{slot or node}/{state}{said}@{start}"
        self.fact("state", identity, start, end, node=node, slot=slot, state=state)

    def phase(self, run: str, phase: str, start: int, end: int | None) -> None:
        self.fact("phase", f"{run}/{phase}@{start}", start, end, run=run, phase=phase)

    def activity(self, subject: str, start: int, end: int, band: int, node: str = "n1") -> None:
        """What was reported of a subject, cut into hours as the lake has it."""
        for hour in range(start // 3600 * 3600, end, 3600):
            row = {"cluster": "c", "node": node, "subject": subject, "source": "test", "hour_s": hour}
            row |= {"start_s": max(start, hour), "end_s": min(end, hour + 3600), "band": band}
            self.rows.setdefault("activity", []).append({**row, "carried_s": 0})

    def energy(
        self, uuid: str, start: int, end: int, joules: int, known: int | None = None, node: str = "n1"
    ) -> None:
        """What a device used in one hour over [start, end), `known` seconds of it (all) known."""
        row = {
            "cluster": "c",
            "node": node,
            "subject": uuid,
            "source": "test",
            "hour_s": start // 3600 * 3600,
        }
        row |= {"start_s": start, "end_s": end, "joules": joules, "method": "counter"}
        self.rows.setdefault("energy", []).append({**row, "known_s": end - start if known is None else known})

    def withdraw(self, table: str, identity: str) -> None:
        row = next(row for row in reversed(self.rows[table]) if row["identity"] == identity)
        self.rows[table] = [{**row, "withdrawn": True}]

    def price(
        self, rate: str, start: int, end: int | None = None, model: str = "H100", **values: str
    ) -> None:
        """A price of a model, or with `selector_kind` of the sku or contract that `model` names then."""
        given = {"region": "", "purchase_option": "", "currency": self.desk.book.currency, "source": "test"}
        kind = values.pop("selector_kind", "model")
        identity = f"{kind}/{model}/{values.get('region', '')}{values.get('purchase_option', '')}@{start}"
        self.prices.append(PriceFact(identity, start, end, kind, model, rate=rate, **given | values))

    def lot(
        self,
        name: str,
        kind: str,
        amount: str,
        start: int,
        end: int | None,
        *,
        slots: Mapping[str, Sequence[str]] | None = None,
        follows: Sequence[str] = (),
        account: str = "shared",
        invoices: Iterable[tuple[int, str]] = (),
        currency: str = "",
        **values: Any,
    ) -> None:
        """A lot for slots by patterns, after other lots, or for an account; `values` are of its details.

        A purchase or an asset covers its slots unless `covers` says that it does not.
        """
        code = currency or self.desk.book.currency
        given: dict[str, Any] = {"lot_class": "internal", "rounding_pool": f"lot:{name}:{code}"}
        given |= {"covers": slots is not None and kind in ("purchase", "depreciation")}
        details = Details(
            target=Target(slots, tuple(follows), account),
            invoices=tuple(Invoice(at_s, text) for at_s, text in invoices),
            **given | values,
        )
        text = written_details(details)
        self.lots.append(LotFact(f"{name}@{start}", start, end, name, kind, amount, code, text, "test"))

    def commitment(
        self,
        name: str,
        kind: str,
        start: int,
        end: int,
        committed: str,
        covers: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        **values: Any,
    ) -> None:
        """A commitment as its kind has it; `covers` are entries of `commitments.yaml` without its names."""
        entries = [covers] if isinstance(covers, Mapping) else covers
        rules: dict[str, Any] = dict(vars(KINDS[kind]))
        details = CommitmentDetails(
            committed=(CommitmentStep(start, committed),),
            covers=tuple(Covers(**one) for one in entries),
            rounding_pool=f"commitment:{name}:USD",
            **rules | values,
        )
        text = written_commitment(details)
        self.commitments.append(
            CommitmentFact(f"{name}@{start}", start, end, name, kind, "USD", text, "test")
        )

    def fx(self, day: str, base: str, quote: str, rate: str) -> None:
        start = at(f"{day}T00:00Z")
        identity = f"{base}/{quote}@{day}"
        self.rates.append(FxFact(identity, start, start + 86400, base, quote, day, rate, "test"))

    def owner(
        self, key: str, team: str, start: int = 0, end: int | None = None, cost_centre: str | None = None
    ) -> None:
        self.owners.append(OwnerFact(f"{key}@{start}", start, end, key, team, cost_centre))

    def rule(self, position: int, team: str, start: int = 0, end: int | None = None, **matching: Any) -> None:
        text = canonical_json(matching)
        self.rules.append(RuleFact(f"{text}@{start}", start, end, position, text, team))

    def policy(self, policy: str, choice: str, start: int = 0) -> None:
        self.policies.append(PolicyFact(f"{policy}@{start}", start, None, policy, choice))

    def entitlement(self, team: str, units: int, start: int = 0, end: int | None = None) -> None:
        """What a team may use of the H100 that have no region."""
        identity = f"{team}@{start}"
        self.entitlements.append(EntitlementFact(identity, start, end, "entitled", team, "H100", "", units))

    def lending(self, team: str, borrower: str, units: int, start: int = 0, end: int | None = None) -> None:
        identity = f"{team} to {borrower}@{start}"
        self.entitlements.append(
            EntitlementFact(identity, start, end, "lent", team, "H100", "", units, borrower)
        )

    def pool_owner(self, team: str, start: int = 0, end: int | None = None) -> None:
        self.entitlements.append(EntitlementFact(f"pool@{start}", start, end, "pool", team, "H100", ""))

    def through(self, instant: int, source: str = "test", cluster: str = "c") -> None:
        self.throughs[source, cluster] = instant

    def keep(self, at_s: int = 0) -> int:
        """Commit what waits, and give the seq."""
        staged = []
        for table, rows in self.rows.items():
            columns = {
                column.name: pa.array(
                    [row.get(column.name) for row in rows], TABLES[table].arrow.field(column.name).type
                )
                for column in TABLES[table].columns
            }
            staged += self.desk.lake.stage(table, pa.table(columns))
        with self.desk.database.commit("test", at_s=at_s) as commit:
            self.desk.lake.publish(commit, staged)
            put_owners(commit, self.owners)
            put_prices(commit, self.prices)
            put_rules(commit, self.rules)
            put_policies(commit, self.policies)
            put_entitlements(commit, self.entitlements)
            put_lots(commit, self.lots)
            put_commitments(commit, self.commitments)
            put_fx(commit, self.rates)
            for (source, cluster), instant in self.throughs.items():
                set_through(commit, source, cluster, instant)
        self.rows, self.owners, self.prices, self.throughs = {}, [], [], {}
        self.rules, self.policies, self.entitlements = [], [], []
        self.lots, self.rates, self.commitments = [], [], []
        return commit.seq

    def books(self, period: str = "2026-10", seq: int | None = None, workers: int = 1) -> Result:
        self.runs += 1
        desk = replace(self.desk, workers=workers)
        known = self.desk.database.latest_seq() if seq is None else seq
        return make_books(desk, period, seq=known, run_id=f"run{self.runs}", at_s=0)

    def books_aside(self, period: str = "2026-10", seq: int | None = None) -> Result:
        """As `books`, and not put in force."""
        self.runs += 1
        known = self.desk.database.latest_seq() if seq is None else seq
        run_id = f"run{self.runs}"
        return make_books(self.desk, period, seq=known, run_id=run_id, at_s=0, in_force=False)

    def statement(self, period: str = "2026-10", by: By = By.owner, seq: int | None = None) -> dict[str, Any]:
        text = as_json(state_statement(self.desk.book, self.books(period, seq), by))
        found: dict[str, Any] = json.loads(text)
        return found

    def amounts(self, period: str = "2026-10", by: By = By.owner) -> dict[str, int | None]:
        return {line["key"]: line["amount"] for line in self.statement(period, by)["lines"]}

    def hours(self, period: str = "2026-10", by: By = By.owner) -> dict[str, str]:
        return {line["key"]: line["gpu_hours"] for line in self.statement(period, by)["lines"]}

    def rows_of(self, name: str, period: str = "2026-10") -> list[dict[str, Any]]:
        """All rows of the last run's files of that name (`entry` or `time_row`), in order."""
        found: list[dict[str, Any]] = []
        for path in sorted((self.desk.books / "main" / period).rglob(f"run=run{self.runs}/{name}.parquet")):
            found += pq.read_table(path, partitioning=None).to_pylist()
        return found

    def entries(self, period: str = "2026-10") -> list[tuple[Any, ...]]:
        """All entries of the last run, in order."""
        return [tuple(row.items()) for row in self.rows_of("entry", period)]


def make_house(
    folder: Path, zone: str = "UTC", charged: str = "pooled", shards: int = 1, currency: str = "USD"
) -> House:
    database = Database.open(f"sqlite:///{folder}/gpuledger.db")
    book = open_book(database, Book("main", zone, currency, shards, charged), at_s=0)
    lake = Lake(database, LocalFiles(folder / "lake"), shards)
    (folder / "scratch").mkdir()
    limits = Limits("500MB", 1, folder / "scratch")
    return House(Desk(database, lake, book, folder / "books", folder / "scratch", limits, 1, "test"))
