"""The one place where pyarrow is imported.

pyarrow carries no types of its own, so to a type checker everything behind these three names is untyped.
Whoever needs Arrow takes it from here, and turns what comes out into ints, strings and frozen facts before it
goes on.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

__all__ = ["pa", "pc", "pq"]
