"""The lake: tables of facts and observations as immutable Parquet files, and the list of those that count.

Facts come in staged, become visible by a commit of `gpuledger.versions`, and are read by explicit lists of
files at a seq. This package never edits a fact, never lists a folder to find out what counts, and knows
nothing of money.
"""

from gpuledger.lake.digest import Digest
from gpuledger.lake.files import FileStore, LocalFiles, StoredFile
from gpuledger.lake.records import LakeFile, StagedFile, total
from gpuledger.lake.schema import SCHEMA_VERSION, TABLES, Column, TableSchema, table_schema
from gpuledger.lake.staging import shard_of
from gpuledger.lake.store import Lake
from gpuledger.lake.upkeep import Problem

__all__ = [
    "SCHEMA_VERSION",
    "TABLES",
    "Column",
    "Digest",
    "FileStore",
    "Lake",
    "LakeFile",
    "LocalFiles",
    "Problem",
    "StagedFile",
    "StoredFile",
    "TableSchema",
    "shard_of",
    "table_schema",
    "total",
]
