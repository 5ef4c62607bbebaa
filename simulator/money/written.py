"""A year of money as files: inventory, pods, prices, exchange rates, terms and bills, with their commands."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from simulator.exports import utc
from simulator.money.terms import terms_files
from simulator.money.world import ACCOUNT, PROVIDER, SLOTS, Bill, MoneyWorld
from simulator.schedulers import random_uuid
from simulator.world import CLUSTER

__all__ = ["MoneyWritten", "bill_command", "set_up_money", "write_bill", "write_money"]

Row = tuple[str, ...]
Words = tuple[str, ...]

_BUSES = ("1B", "43")
_INVENTORY_MAP = """\
# The asset list: a row per GPU and run of its node.
kind: inventory
source: assets
columns:
  cluster: cluster
  node: node
  slot: pci_bus_id
  device: uuid
  model: model
  region: region
  sku: sku
  purchase_option: purchase_option
  provider: provider
  billing_account: billing_account
  zone: zone
  instance_id: instance
  reservation_id: reservation
  ended_by: ended_by
  start: from
  end: {column: to, missing: open}
"""
_PODS_MAP = """\
# Pods that have a GPU for themselves.
kind: holdings
source: kubelet
identity: [namespace, pod, uid, device]
run: [namespace, pod, uid]
columns:
  owner_key: namespace
  namespace: namespace
  node: node
  device: device
  start: scheduled_at
  end: {column: deleted_at, missing: open}
constants: {cluster: sim, workload_kind: pod}
"""


@dataclass
class MoneyWritten:
    """What was written: the commands that read it, in order, and the rows of each file."""

    commands: list[Words] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)


def set_up_money(folder: Path, world: MoneyWorld, charged: str) -> None:
    """The folder's own home, with the layer that its book charges."""
    (folder / ".gpuledger").mkdir()
    now = utc(world.end_s + 20 * 86_400)
    lines = [f'zone = "{world.zone}"', f'cluster = "{CLUSTER}"', f'now = "{now}"', f'charged = "{charged}"']
    (folder / ".gpuledger" / "gpuledger.toml").write_text("\n".join([*lines, ""]), "utf-8")


def write_money(world: MoneyWorld, folder: Path) -> MoneyWritten:
    """Write all sources, and the commands that read them and run the books of every month."""
    written = MoneyWritten()
    through = ("--through", utc(world.end_s))
    for name, kind, text in (("inventory", "inventory", _INVENTORY_MAP), ("pods", "holdings", _PODS_MAP)):
        (folder / f"{name}.map.yaml").write_text(text, "utf-8")
        written.commands.append(("import", kind, f"{name}.csv", "--map", f"{name}.map.yaml", *through))
    _write(folder, "inventory.csv", _inventory(world), written)
    _write(folder, "pods.csv", _pods(world), written)
    _write(folder, "prices.csv", _prices(world), written)
    _write(folder, "spot.csv", _spot(world), written)
    _write(folder, "fx.csv", _fx(world), written)
    written.commands += [
        ("import", "prices", "prices.csv"),
        ("import", "prices", "spot.csv", "--series"),
        ("import", "fx", "fx.csv"),
        ("apply", "-f", "terms", "--no-money"),
    ]
    (folder / "terms").mkdir()
    for name, text in terms_files(world).items():
        (folder / "terms" / name).write_text(text, "utf-8")
    (folder / "bills").mkdir()
    for bill in world.money.bills:
        written.rows[f"bills/{bill.month}.csv"] = write_bill(folder / "bills" / f"{bill.month}.csv", bill)
        written.commands.append(bill_command(bill))
    written.commands += [("run", "--month", month) for month in world.months]
    lines = [f"gpuledger {shlex.join(words)}" for words in written.commands]
    (folder / "commands.txt").write_text("\n".join([*lines, ""]), "utf-8")
    return written


def bill_command(bill: Bill) -> Words:
    """The command that imports a bill, with the total that its invoice states."""
    invoiced = () if bill.said_s is None else ("--invoiced", utc(bill.said_s))
    return ("import", "bill", f"bills/{bill.month}.csv", "--total", bill.total, *invoiced)


def write_bill(path: Path, bill: Bill) -> int:
    """Write a bill as FOCUS 1.2; how many lines there are."""
    rows = list(_focus(bill))
    with path.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return len(rows)


def _write(folder: Path, name: str, rows: Iterable[Row], written: MoneyWritten) -> None:
    kept = list(rows)
    with (folder / name).open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened, lineterminator="\n").writerows(kept)
    written.rows[name] = len(kept) - 1


def _end(end_s: int | None) -> str:
    return "" if end_s is None else utc(end_s)


def _boards(world: MoneyWorld) -> Iterator[tuple[int, int, str]]:
    """(number of a run, place, UUID): a board stays with the run of its node."""
    rng = Random(f"{world.seed}/boards")
    for number in range(len(world.runs)):
        for place in range(SLOTS):
            yield number, place, f"GPU-{random_uuid(rng)}"


def _inventory(world: MoneyWorld) -> Iterator[Row]:
    names = "cluster node pci_bus_id uuid model region sku purchase_option provider billing_account zone"
    yield tuple(f"{names} instance reservation ended_by from to".split())
    for number, place, uuid in _boards(world):
        run = world.runs[number]
        rented = run.kind in ("on_demand", "spot", "neocloud")
        bought = ("", "") if not rented else (PROVIDER, ACCOUNT) if run.kind != "neocloud" else ("Neo", "77")
        yield (
            CLUSTER,
            run.node,
            f"00000000:{_BUSES[place]}:00.0",
            uuid,
            run.model,
            run.region,
            run.sku,
            run.kind,
            *bought,
            run.zone,
            run.instance,
            run.reservation,
            run.ended_by,
            utc(run.start_s),
            _end(run.end_s),
        )


def _pods(world: MoneyWorld) -> Iterator[Row]:
    yield "namespace", "pod", "uid", "node", "device", "scheduled_at", "deleted_at"
    boards = [(world.runs[number], place, uuid) for number, place, uuid in _boards(world)]
    for hold in world.holds:
        device = next(
            uuid
            for run, place, uuid in boards
            if (run.node, place) == (hold.node, hold.place)
            and run.start_s <= hold.start_s
            and (run.end_s is None or hold.start_s < run.end_s)
        )
        yield hold.owner_key, hold.pod, hold.uid, hold.node, device, utc(hold.start_s), _end(hold.end_s)


def _prices(world: MoneyWorld) -> Iterator[Row]:
    yield "sku", "purchase_option", "unit", "month_rule", "rate", "currency", "from", "to"
    for one in world.money.metered:
        if not one.counted:
            unit = "node_month" if one.month_rule else "node_hour"
            span = (utc(one.start_s), _end(one.end_s))
            yield one.sku, one.option, unit, one.month_rule, one.rate, one.currency, *span


def _spot(world: MoneyWorld) -> Iterator[Row]:
    counted = ("granularity", "rounding", "interrupted_rounding", "free_if_interrupted_within")
    yield "sku", "zone", "purchase_option", "unit", "rate", "currency", *counted, "from"
    for one in world.money.metered:
        if one.counted:
            rules = ("1h", "up", "as_used", "1h")
            yield one.sku, one.zone, one.option, "node_hour", one.rate, one.currency, *rules, utc(one.start_s)


def _fx(world: MoneyWorld) -> Iterator[Row]:
    yield "date", "base", "quote", "rate"
    for (base, quote), rates in world.money.fx.items():
        for day, rate in rates.items():
            yield day, base, quote, rate


def _focus(bill: Bill) -> Iterator[dict[str, str]]:
    for number, line in enumerate(bill.lines):
        tagged = {"team": "shop"} if line.sub_account == "shop" else {}
        yield {
            "BillingAccountId": ACCOUNT,
            "BillingAccountName": "gpuledger",
            "SubAccountId": line.sub_account,
            "BillingCurrency": bill.currency,
            "BillingPeriodStart": utc(bill.start_s),
            "BillingPeriodEnd": utc(bill.end_s),
            "InvoiceId": bill.number,
            "InvoiceIssuerName": PROVIDER,
            "ProviderName": PROVIDER,
            "PublisherName": PROVIDER,
            "ChargeCategory": line.category,
            "ChargeClass": "",
            "ChargeDescription": f"{line.service or 'tax'}, line {number + 1}",
            "ChargeFrequency": "Usage-Based" if line.category == "Usage" else "One-Time",
            "ChargePeriodStart": utc(line.start_s),
            "ChargePeriodEnd": utc(line.end_s),
            "BilledCost": line.amount,
            "EffectiveCost": line.amount,
            "ListCost": line.amount,
            "ContractedCost": line.amount,
            "PricingCategory": "Standard" if line.category in ("Usage", "Purchase") else "",
            "PricingQuantity": f"{(line.end_s - line.start_s) / 3600:.6f}"
            if line.category == "Usage"
            else "",
            "PricingUnit": "Hours" if line.category == "Usage" else "",
            "RegionId": "north" if line.resource else "",
            "ResourceId": line.resource,
            "ServiceCategory": "Compute" if line.service.endswith("Compute") else "Other",
            "ServiceName": line.service,
            "SkuId": line.service.lower().replace(" ", "-"),
            "Tags": json.dumps(tagged) if tagged else "",
        }
