"""What is said of the rows of a batch: which cannot be right, and the first reason why."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Verdict"]


class Verdict:
    """One reason per row at most: the first that was given."""

    def __init__(self, rows: int) -> None:
        self._codes = np.zeros(rows, dtype=np.int32)
        self._reasons = [""]

    def refuse(self, rows: NDArray[Any], reason: str) -> None:
        """Send the rows where this array is true to quarantine."""
        fresh = rows & (self._codes == 0)
        if fresh.any():
            self._reasons.append(reason)
            self._codes[fresh] = len(self._reasons) - 1

    @property
    def good(self) -> NDArray[np.bool_]:
        """Where a row may go on."""
        good: NDArray[np.bool_] = self._codes == 0
        return good

    def bad(self) -> list[tuple[int, str]]:
        """Each row that may not, by its place in the batch, with its reason."""
        return [(int(row), self._reasons[self._codes[row]]) for row in np.flatnonzero(self._codes)]
