"""What bills cost: of nodes, of shared things, of what nobody knows, and what follows that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from simulator.money.flow import Flow, Invoice, Part
from simulator.money.rates import Rates
from simulator.money.world import Bill, Line, MoneyWorld

__all__ = ["Bills"]


class Bills:
    """Flows of bills, each line at the rate of its day."""

    def __init__(self, world: MoneyWorld, rates: Rates) -> None:
        self.world, self.rates = world, rates

    def bill(self, bill: Bill) -> Iterator[Flow]:
        """A bill as what it pays for: nodes, shared costs, what nobody knows, its credit and its tax."""
        nodes = {run.instance: run.node for run in self.world.runs if run.instance}
        groups: dict[str, list[Line]] = {}
        for line in bill.lines:
            if line.sub_account == "gpu":
                groups.setdefault(_name(bill, line, nodes), []).append(line)
        usage = tuple(name for name, lines in groups.items() if lines[0].category == "Usage")
        beyond = Fraction(bill.total) - sum(Fraction(line.amount) for line in bill.lines)
        rest = tuple(name for name in groups if name.startswith("bill:"))
        rest += (f"bill:{bill.name}/difference",) if beyond else ()
        for name, lines in groups.items():
            follows = {"Credit": usage, "Tax": rest}.get(lines[0].category, ())
            yield self._flow(bill, name, lines, follows, nodes.get(lines[0].resource, ""))
        if beyond:
            whole = Part(bill.start_s, bill.end_s, beyond * self._rate_of(bill))
            name = f"bill:{bill.name}/difference"
            yield self._billed(bill, Flow(name, (whole,), account="reconciliation"), beyond)

    def _flow(
        self, bill: Bill, name: str, lines: Sequence[Line], follows: tuple[str, ...], node: str
    ) -> Flow:
        """Lines that are for one thing: a node, others' money, shared costs, or nothing that is known."""
        account = "shared" if lines[0].category == "Purchase" else "reconciliation"
        flow = Flow(
            name=name,
            parts=tuple(part for line in lines for part in self._line(bill, line)),
            nodes=(node,) if node else (),
            follows=follows,
            account="" if node or follows else account,
            is_late=bool(node or follows),
        )
        return self._billed(bill, flow, sum((Fraction(line.amount) for line in lines), Fraction(0)))

    def _line(self, bill: Bill, line: Line) -> list[Part]:
        part = Part(line.start_s, line.end_s, Fraction(line.amount))
        if line.category == "Usage":
            return list(self.rates.by_day(part, bill.currency))
        return [Part(part.start_s, part.end_s, part.amount * self._rate_of(bill))]

    def _rate_of(self, bill: Bill) -> Fraction:
        return self.rates.rate(bill.currency, self.rates.day(bill.invoiced_s))

    def _billed(self, bill: Bill, flow: Flow, units: Fraction) -> Flow:
        amount = units * self._rate_of(bill)
        return Flow(**{**vars(flow), "invoices": (Invoice(bill.invoiced_s, amount, amount - flow.amount),)})


def _name(bill: Bill, line: Line, nodes: dict[str, str]) -> str:
    """What a line pays for, as books name it."""
    follows = {"Tax": f"tax:{bill.name}", "Credit": f"credit:{bill.name}/{line.service}"}
    what = "shared/purchase" if line.category == "Purchase" else "unknown"
    return follows.get(line.category, f"bill:{bill.name}/{line.resource if line.resource in nodes else what}")
