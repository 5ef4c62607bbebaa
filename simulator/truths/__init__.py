"""What the books of a simulated world must come to: time, use and money, each by its own plain code.

Nothing here is shared with the books, and nothing is read but the world and the samples that were written.
"""

from __future__ import annotations

from simulator.truths.months import Accounts, Money, TimeRow, Truth, Use, truth_by_node, truth_of

__all__ = ["Accounts", "Money", "TimeRow", "Truth", "Use", "truth_by_node", "truth_of"]
