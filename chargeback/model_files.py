"""The SQL models and their papers, as they lie in `models/`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

import yaml

__all__ = [
    "MEASURE",
    "MODELS",
    "OWNER_PIECE",
    "POST",
    "RESOURCES",
    "RESOURCES_POSTED",
    "RESOURCE_ENTRY",
    "RESOURCE_PIECE",
    "WRITTEN",
    "Audit",
    "Model",
    "model",
    "source_views",
]

MEASURE = (
    "slot_state",
    "device_life",
    "partition_life",
    "phase_span",
    "activity",
    "energy",
    "holding_claim",
    "assumed_slot",
    "slot_life",
    "lane_life",
    "lane_name",
    "money_piece",
    "placement",
    "holder",
    "segment",
    "share",
    "taker",
    "share_part",
    "given_part",
    "seen_part",
    "use_part",
    "used_share",
    "time_part",
    "pool_part",
    "time_day",
    "orphaned_time",
    "device_seat",
    "energy_piece",
    "energy_share",
    "energy_part",
    "unplaced_energy",
)
POST = ("slot_amount", "posted", "entry_day")
OWNER_PIECE = "owner_piece"
"""What distribution goes by; made only where something is distributed."""
WRITTEN = ("time_row", "recognised_entry", "entry")
"""What is kept as Parquet: views that say in words what the tables above hold in numbers."""
RESOURCES = ("resource_claim", "node_part", "resource_time")
"""What nodes have besides GPUs; made, after the measuring, only where some price is for that too."""
RESOURCES_POSTED = ("resource_posted", "resource_day")
RESOURCE_PIECE, RESOURCE_ENTRY = "resource_piece", "resource_entry"
MODELS = (
    *MEASURE,
    *RESOURCES,
    *POST,
    *RESOURCES_POSTED,
    OWNER_PIECE,
    RESOURCE_PIECE,
    *WRITTEN,
    RESOURCE_ENTRY,
)


@dataclass(frozen=True)
class Audit:
    """A query that must return no row; `holds` says in words what it proves."""

    name: str
    holds: str
    sql: str


@dataclass(frozen=True)
class Model:
    """One model: its text, what each column means, its keys, its audits, and its kind: `table` or `view`."""

    name: str
    sql: str
    grain: str
    columns: dict[str, str]
    keys: tuple[str, ...]
    audits: tuple[Audit, ...]
    kind: str


@cache
def model(name: str) -> Model:
    """The model of that name, read from `<name>.sql` and `<name>.yml`."""
    folder = files("chargeback") / "models"
    paper: dict[str, Any] = yaml.safe_load((folder / f"{name}.yml").read_text("utf-8"))
    return Model(
        name=name,
        sql=(folder / f"{name}.sql").read_text("utf-8"),
        grain=paper["grain"],
        columns=paper["columns"],
        keys=tuple(paper["keys"]),
        audits=tuple(Audit(**audit) for audit in paper.get("audits", ())),
        kind=paper["kind"],
    )


def source_views(scans: dict[str, str]) -> str:
    """The text that makes DuckDB's source views over these scans (`holding_files`: a table expression)."""
    text = (files("chargeback") / "models" / "sources" / "duckdb.sql").read_text("utf-8")
    return Template(text).substitute(scans)
