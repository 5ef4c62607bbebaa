"""Samples: what devices, partitions and holders reported, from files of any size into the lake.

Rows are read a batch at a time, and never as Python objects one by one where the file is Parquet. What
cannot be right goes to quarantine with its reason; an empty cell is null and never 0. Samples say nothing of
who holds a device, nor of up to when a cluster is complete.
"""

from collectors.samples.imports import import_samples
from collectors.samples.sample_map import SampleMap

__all__ = ["SampleMap", "import_samples"]
