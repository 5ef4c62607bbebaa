"""What people look at.

The room generates the dashboards, one file each, from the metric catalogue and the recording rules. It
never asks the database, never computes a figure that the books do not have, and is never edited by hand
in Grafana.
"""

__all__: list[str] = []
