"""Up to which instant each source is known to be complete: `data_through`."""

from __future__ import annotations

from sqlalchemy import Connection, func, insert, select, update

from gpuledger.versions.database import Commit
from gpuledger.versions.tables import source_through

__all__ = ["set_through", "throughs"]


def set_through(commit: Commit, source: str, cluster: str, through_s: int) -> None:
    """Say that this source is complete up to this instant (Unix seconds, exclusive).

    It never goes back: an earlier instant than one said before is kept and changes nothing.
    """
    at = source_through.c
    here = (at.source == source) & (at.cluster == cluster) & (at.seq == commit.seq)
    said = commit.connection.scalar(select(at.through_s).where(here))
    if said is None:
        row = {"source": source, "cluster": cluster, "seq": commit.seq, "through_s": through_s}
        commit.connection.execute(insert(source_through).values(**row))
    elif said < through_s:
        commit.connection.execute(update(source_through).where(here).values(through_s=through_s))


def throughs(connection: Connection, seq: int) -> dict[tuple[str, str], int]:
    """For each (source, cluster) known at this seq, the greatest instant it was said to be complete to."""
    at = source_through.c
    greatest = (
        select(at.source, at.cluster, func.max(at.through_s).label("through_s"))
        .where(at.seq <= seq)
        .group_by(at.source, at.cluster)
    )
    found = {(row.source, row.cluster): int(row.through_s) for row in connection.execute(greatest)}
    return dict(sorted(found.items()))
