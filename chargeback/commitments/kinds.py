"""The kinds of commitments that providers sell, and by which rules of theirs each is used.

Sources: the providers' own pages, as of 2026; `docs/commitments.md` says what each rule means.
"""

from __future__ import annotations

from dataclasses import dataclass

from chargeback.commitments.commitment import Measure, Window

__all__ = ["KINDS", "Kind"]


@dataclass(frozen=True)
class Kind:
    """A kind: what it is counted in, the window in which it is lost, its turn; see `Commitment`.

    `tail_s` are the seconds at its end that cannot be used.
    """

    measure: Measure
    window: Window
    turn: int
    adds: bool = False
    places: bool = False
    waste: str = "commitment_unused"
    tail_s: int = 0


KINDS = {
    "aws_capacity_block": Kind("node", "instant", 10, places=True, waste="unusable", tail_s=1800),
    "gcp_calendar_reservation": Kind("node", "instant", 10, places=True, waste="unusable"),
    "reserved_nodes": Kind("node", "instant", 10),
    "holding": Kind("node", "instant", 15, adds=True),
    "aws_zonal_reserved_instance": Kind("node", "hour", 20),
    "aws_regional_reserved_instance": Kind("node", "hour", 25),
    "azure_reservation": Kind("node", "hour", 25),
    "gcp_resource_cud": Kind("gpu", "instant", 25),
    "aws_ec2_savings_plan": Kind("spend", "hour", 40),
    "aws_compute_savings_plan": Kind("spend", "hour", 45),
    "azure_savings_plan": Kind("spend", "hour", 45),
    "gcp_spend_cud": Kind("spend", "hour", 45),
}
"""By their names in `commitments.yaml`: placed capacity before quantities, these before money."""
