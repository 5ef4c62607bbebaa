"""The way in for other programs and for browsers.

The room answers over HTTP, serves the portal and runs what is scheduled. It never decides what a figure
is: it reads books that are made, and starts the same commands that people run.
"""

__all__: list[str] = []
