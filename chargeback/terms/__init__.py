"""Terms: prices and owners, as the people who agreed on them write them down.

The package reads terms from files and makes versions of them. Terms are agreements, not observations: one
that is wrong refuses its whole file, and nothing goes to quarantine. It never observes the fleet, and never
computes a charge.
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
