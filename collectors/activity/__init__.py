"""Activity: samples become stretches of equal use, and the energy of an hour.

What is derived here hangs on the samples of one UTC day and shard alone, and is made anew as a whole when
they change. Samples are read and never written; nothing here knows holdings, owners or money.
"""

from collectors.activity.build import CARRY, DERIVED, derive
from collectors.activity.rebuild import Rebuilt, keep_rebuilt, parts_of, rebuild, rebuild_all

__all__ = ["CARRY", "DERIVED", "Rebuilt", "derive", "keep_rebuilt", "parts_of", "rebuild", "rebuild_all"]
