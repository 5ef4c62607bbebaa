"""Who has to know, and when.

The room turns what the books and the metrics say into recording rules, alerts, routes and messages to
owners. It never computes a cost of its own, and never sends what has no runbook.
"""

__all__: list[str] = []
