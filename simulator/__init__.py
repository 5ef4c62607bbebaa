"""A small fleet with a known truth, for the demo, the tests and the benchmarks.

The room makes a fleet (`generate`), writes what its sources would have written (`write_exports`), and works
out by simple loops of its own what the books must come to (`compute_truth`). It never imports `collectors` or
`chargeback`: a truth that shares code with the books would prove nothing.
"""

from __future__ import annotations

from simulator.exports import write as write_exports
from simulator.facts import Fleet, Gpu, Node, Owner, Price, Workload
from simulator.fleet import generate
from simulator.truth import Amount, Cell, Truth, sum_by
from simulator.truth import compute as compute_truth

__all__ = [
    "Amount",
    "Cell",
    "Fleet",
    "Gpu",
    "Node",
    "Owner",
    "Price",
    "Truth",
    "Workload",
    "compute_truth",
    "generate",
    "sum_by",
    "write_exports",
]
