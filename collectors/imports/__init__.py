"""Imports: files of any shape become facts, through a map of their columns.

A row is read by pure functions, settled with what is known, and written with all of its file in one commit.
An import never guesses what a cell means: the map says it, or the row goes to quarantine with a reason.
"""

from collectors.imports.column_map import CapacityMap, ColumnMap, HoldingMap, InventoryMap
from collectors.imports.facts import (
    DeviceFact,
    HoldingFact,
    LakeFact,
    NodeFact,
    NodeResourceFact,
    PartitionFact,
    PhaseFact,
    SlotFact,
    StateFact,
)
from collectors.imports.imports import import_capacity, import_holdings, import_inventory
from collectors.imports.intake import Intake, Options, open_intake
from collectors.imports.map_file import load_map, read_map
from collectors.imports.summary import Summary
from collectors.imports.track_imports import (
    import_checkpoints,
    import_partitions,
    import_phases,
    import_states,
)
from collectors.imports.track_maps import CheckpointMap, PartitionMap, PhaseMap, StateMap

__all__ = [
    "CapacityMap",
    "CheckpointMap",
    "ColumnMap",
    "DeviceFact",
    "HoldingFact",
    "HoldingMap",
    "Intake",
    "InventoryMap",
    "LakeFact",
    "NodeFact",
    "NodeResourceFact",
    "Options",
    "PartitionFact",
    "PartitionMap",
    "PhaseFact",
    "PhaseMap",
    "SlotFact",
    "StateFact",
    "StateMap",
    "Summary",
    "import_capacity",
    "import_checkpoints",
    "import_holdings",
    "import_inventory",
    "import_partitions",
    "import_phases",
    "import_states",
    "load_map",
    "open_intake",
    "read_map",
]
