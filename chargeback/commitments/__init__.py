"""Commitments: capacity or spend that is paid for whether it is used or not, and which use it covers."""

__all__: list[str] = []
