"""Lots: the only way money enters that is no metered price, and how each is recognised in its own time."""

__all__: list[str] = []
