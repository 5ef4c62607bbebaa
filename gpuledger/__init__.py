"""The ground floor: what every other room stands on.

It knows errors, money, time, calendars, settings, the home folder, the command table, the metric catalogue,
the lake's schema and store, and the versions of facts. It never imports another room, never asks a machine or
a scheduler anything, and never decides who pays: the rooms above it do.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
