"""What a simulated fleet's sources write, in their own words, with the maps of columns that read them.

Nothing here is gpuledger's: an asset list, MIG instances, `sacct`, `sacctmgr`, pods as the kubelet has them,
dcgm-exporter's series as Parquet, prices and owners.
"""

from __future__ import annotations

from simulator.sources.readings import readings_of
from simulator.sources.samples import Subject, sample_table, subjects_of
from simulator.sources.writing import Written, write_sources

__all__ = ["Subject", "Written", "readings_of", "sample_table", "subjects_of", "write_sources"]
