"""All flows of money of a world, each by plain code of its own, in exact quanta of the book's currency."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.money.bill_flows import Bills
from simulator.money.contracts import Contracts
from simulator.money.flow import Flow
from simulator.money.meters import Meters
from simulator.money.rates import Rates
from simulator.money.world import Bill, MoneyWorld

__all__ = ["flows_of"]


def flows_of(world: MoneyWorld, bills: Sequence[Bill]) -> list[Flow]:
    """All flows of a world of which these bills have come, by name."""
    rates = Rates(world)
    contracts, meters, billed = Contracts(world, rates), Meters(world, rates), Bills(world, rates)
    money = world.money
    flows = [
        *(contracts.fixed(one) for one in money.fixed),
        *(contracts.asset(one) for one in money.assets),
        *(contracts.power(one) for one in money.power),
        *(flow for bill in bills for flow in billed.bill(bill)),
        *(flow for run in world.runs for flow in meters.meters(run, bills)),
    ]
    return sorted((_ordered(flow) for flow in flows), key=lambda flow: flow.name)


def _ordered(flow: Flow) -> Flow:
    parts = tuple(sorted(flow.parts, key=lambda part: part.start_s))
    return Flow(**{**vars(flow), "parts": parts, "starts": tuple(part.start_s for part in parts)})
