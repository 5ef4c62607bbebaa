"""A year of money: a fleet that is owned, rented by the hour, on the spot and by the month, with its bills.

Beside what price lists, contracts and bills say of it stands the truth: whose every dollar is. Nothing here
is shared with the books.
"""

from __future__ import annotations

from simulator.money.truth import MoneyTruth, truth_of_money
from simulator.money.world import MoneyWorld
from simulator.money.written import write_money
from simulator.money.year import make_year

__all__ = ["MoneyTruth", "MoneyWorld", "make_year", "truth_of_money", "write_money"]
