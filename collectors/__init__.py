"""What the fleet says.

The room observes and imports: one source is one file and one test, and what comes out are facts and
samples in the lake's own words, each with its source and identity. It never knows a price or an owner's
team, never decides who pays, and never guesses: a row that cannot be right goes to quarantine with its
reason.
"""

__all__: list[str] = []
