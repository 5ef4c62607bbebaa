"""Bills: what a provider charged, line by line, how whole it is, and what it is for.

The package reads the exports of providers with their own digits, refuses what is no whole bill or says again
what another bill says, and turns the lines in force into lots. A line is never dropped: one that nothing
knows goes to reconciliation under its name. It never guesses which of two sources is right, and makes no
entries.
"""

from chargeback.bills.bill_lots import BillLots, LeftOut, bill_lots
from chargeback.bills.in_force import BillLines, bill_lines, read_bill_lines
from chargeback.bills.reconciliation import Reconciled, reconcile
from chargeback.bills.rules import matched_by

__all__ = [
    "BillLines",
    "BillLots",
    "LeftOut",
    "Reconciled",
    "bill_lines",
    "bill_lots",
    "matched_by",
    "read_bill_lines",
    "reconcile",
]
