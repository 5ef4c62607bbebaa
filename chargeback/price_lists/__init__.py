"""Price lists as providers and others publish them, a file per shape, and how a run of a node is counted.

A shape is recognised by its header and says of each row which prices it has, or why it has none. Nothing
here guesses: a row that contradicts itself, another row or what is known of its SKU is skipped, and counted.
"""

__all__: list[str] = []
