"""The import of samples from end to end: read, spool, stage, derive, and commit as a whole or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from collectors.activity import Rebuilt, keep_rebuilt, rebuild
from collectors.activity.build import DERIVED
from collectors.imports.imports import Ledger
from collectors.imports.intake import Intake
from collectors.imports.quarantine import BadRecord, not_known, quarantine_table
from collectors.imports.summary import Figure, Summary
from collectors.samples.batches import batches
from collectors.samples.reading import SampleReader
from collectors.samples.sample_map import SampleMap
from collectors.samples.spool import Part, Spool, stage_part
from gpuledger.errors import Place, RejectedRows
from gpuledger.lake import Lake, StagedFile
from gpuledger.lake.arrow import pc

__all__ = ["import_samples"]

_NAMED = 3
_BAD_AT_ONCE = 50_000


@dataclass
class _Read:
    """What the rows of the file came to; `staged` is their quarantine, `bad` what of it still waits."""

    read: int = 0
    good: int = 0
    left_out: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    named: list[tuple[int, str]] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)
    staged: list[StagedFile] = field(default_factory=list)
    subjects: set[str] = field(default_factory=set)
    nodeless: int = 0


@dataclass
class _Prepared:
    """Samples and what is derived from them, staged against what was visible."""

    samples: list[StagedFile] = field(default_factory=list)
    rebuilt: Rebuilt = field(default_factory=Rebuilt)
    visible: tuple[str, ...] = ()


def import_samples(
    intake: Intake, column_map: SampleMap, ledger: Ledger, watch: Callable[[int], Any]
) -> Summary:
    """Bring in what was observed, and make activity and energy of its days anew in the same commit."""
    with TemporaryDirectory(dir=ledger.lake.scratch) as name:
        spool = Spool(Path(name), ledger.lake.shards)
        at_s = ledger.now()
        found = _read(intake, column_map, ledger.lake, spool, at_s, watch)
        seq, prepared = _deliver(intake, ledger, spool, found, at_s)
    return _summary(intake, found, prepared, seq, ledger.lake.shards)


def _read(
    intake: Intake, column_map: SampleMap, lake: Lake, spool: Spool, at_s: int, watch: Callable[[int], Any]
) -> _Read:
    reader = SampleReader(column_map, intake.times, intake.source, intake.cluster)
    found = _Read()
    for batch in batches(intake.table, column_map.columns_read(), intake.file, watch):
        part = reader.read(batch)
        found.read += part.read
        found.left_out += part.left_out
        found.good += part.rows.num_rows
        found.nodeless += part.rows["node"].null_count
        found.subjects.update(pc.unique(part.rows["subject"]).to_pylist())
        for number, reason, raw in part.bad:
            found.reasons[reason] += 1
            found.bad.append(BadRecord(intake.source, intake.file, number, reason, raw))
        found.named = (found.named + [(row, reason) for row, reason, _ in part.bad])[:_NAMED]
        if len(found.bad) >= _BAD_AT_ONCE:
            _stage_bad(lake, found, at_s)
        spool.put(part.rows)
    spool.flush()
    _refuse_strictly(intake, found, lake)
    _stage_bad(lake, found, at_s)
    return found


def _stage_bad(lake: Lake, found: _Read, at_s: int) -> None:
    """Stage the bad rows that wait and are not in quarantine already."""
    if fresh := not_known(found.bad, lake, lake.database.latest_seq()):
        found.staged += lake.stage("quarantine", quarantine_table(fresh, at_s))
    found.bad = []


def _refuse_strictly(intake: Intake, found: _Read, lake: Lake) -> None:
    if not (found.reasons and intake.options.strict):
        return
    lake.discard(found.staged)
    reasons = ", ".join(f"{reason} ({count})" for reason, count in found.reasons.most_common())
    raise RejectedRows(
        f"{found.reasons.total()} of {found.read} rows cannot be right: {reasons}",
        place=Place(intake.file, row=found.named[0][0]),
        mend="mend them, or import without --strict: they go to quarantine, the rest goes in",
    )


def _deliver(intake: Intake, ledger: Ledger, spool: Spool, found: _Read, at_s: int) -> tuple[int, _Prepared]:
    """Stage before the lock is taken; once more where another commit changed the same days meanwhile."""
    lake, seq = ledger.lake, ledger.database.latest_seq()
    prepared = _prepare(lake, spool, seq)
    if not (prepared.samples or prepared.rebuilt.changed or found.staged):
        return seq, prepared
    with ledger.database.commit(
        "import samples", at_s=at_s, note=f"{intake.source}: {intake.file}"
    ) as commit:
        if commit.seq != seq + 1 and prepared.visible != _visible(lake, spool.parts(), commit.seq - 1):
            lake.discard([*prepared.samples, *prepared.rebuilt.fresh])
            prepared = _prepare(lake, spool, commit.seq - 1)
        lake.publish(commit, [*found.staged, *prepared.samples])
        keep_rebuilt(lake, commit, prepared.rebuilt)
    lake.write_manifest()
    return commit.seq, prepared


def _prepare(lake: Lake, spool: Spool, seq: int) -> _Prepared:
    prepared = _Prepared(visible=_visible(lake, spool.parts(), seq))
    try:
        for part in spool.parts():
            known = lake.files("sample", seq, shards=[part[1]], days=[part[0]])
            staged = stage_part(lake, spool, part, known)
            prepared.samples += staged
            if staged:
                made = rebuild(lake, [part], seq, staged)
                prepared.rebuilt.fresh += made.fresh
                prepared.rebuilt.stale += made.stale
                prepared.rebuilt.parts += made.parts
                prepared.rebuilt.changed += made.changed
    except BaseException:
        lake.discard([*prepared.samples, *prepared.rebuilt.fresh])
        raise
    return prepared


def _visible(lake: Lake, parts: list[Part], seq: int) -> tuple[str, ...]:
    """The files that the staged ones were made beside: where these are the same, nothing else has come."""
    days, shards = {day for day, _ in parts}, {shard for _, shard in parts}
    files = [
        file for table in ("sample", *DERIVED) for file in lake.files(table, seq, days=days, shards=shards)
    ]
    return tuple(sorted(file.path for file in files if (file.day, file.shard) in set(parts)))


def _summary(intake: Intake, found: _Read, prepared: _Prepared, seq: int, shards: int) -> Summary:
    written = sum(file.rows for file in prepared.samples)
    figures: dict[str, Figure] = {
        "subjects": len(found.subjects),
        "days_and_shards_made_anew": prepared.rebuilt.changed,
        "stretches_of_activity": sum(f.rows for f in prepared.rebuilt.fresh if f.table == "activity"),
        "device_hours_of_energy": sum(f.rows for f in prepared.rebuilt.fresh if f.table == "energy"),
    }
    return Summary(
        kind=intake.kind,
        file=intake.file,
        source=intake.source,
        seq=seq,
        rows={
            "read": found.read,
            "accepted": written,
            "repeated": found.good - written,
            "left_out": found.left_out,
            "quarantined": found.reasons.total(),
        },
        quarantined=dict(sorted(found.reasons.items())),
        facts={},
        figures=figures,
        also_delivered_by={},
        data_through={},
        data_through_from="",
        warnings=_warnings(found, shards),
    )


def _warnings(found: _Read, shards: int) -> list[str]:
    warnings = [] if found.read else ["the file has no row below its header"]
    if found.nodeless and shards > 1:
        warnings.append(
            f"{found.nodeless:,} rows name no node: with more than one shard their activity is not found "
            "beside their holdings; map node"
        )
    if found.named:
        named = "; ".join(f"row {row}: {reason}" for row, reason in found.named)
        more = "; …" if found.reasons.total() > len(found.named) else ""
        warnings.append(f"in quarantine, to be mended and imported again: {named}{more}")
    return warnings
