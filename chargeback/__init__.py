"""What it costs.

The room turns facts and terms into books: time rows, lots, entries that balance, and the statements
printed from them. It never observes the fleet, never edits a fact or an entry, and never lets a float
near money.
"""

__all__: list[str] = []
