"""Terms: owners, prices and policies, as the people who agreed on them write them down.

The package reads terms from lists in CSV and from a folder of YAML, and makes versions of them. Terms are
agreements, not observations: one that is wrong refuses its whole file or folder, and nothing goes to
quarantine. It never observes the fleet; what terms would move, it lets the books compute, and keeps nothing.
"""

from chargeback.terms.owners import parse_owners
from chargeback.terms.prices import parse_prices
from chargeback.terms.records import Record, read_records
from chargeback.terms.validity import Clock, Term, refuse_overlaps

__all__ = [
    "Clock",
    "Record",
    "Term",
    "parse_owners",
    "parse_prices",
    "read_records",
    "refuse_overlaps",
]
