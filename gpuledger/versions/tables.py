"""The tables of the database: versions, knowledge time, what is in the lake, and the books' daily totals.

Only types that SQLite and PostgreSQL share. Times are Unix seconds, money is in quanta of the book's
currency, both in 64 bits; what may need more stands as decimal text. `migrations/` makes these tables; a
test holds the two equal.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)

__all__ = [
    "audit_head",
    "audit_log",
    "bill_rule_version",
    "bill_version",
    "book",
    "book_head",
    "entitlement_version",
    "entry_day",
    "fx_version",
    "knowledge",
    "knowledge_head",
    "lake_file",
    "lot_version",
    "metadata",
    "owner_rule_version",
    "owner_version",
    "period_close",
    "policy_version",
    "pool_total",
    "price_version",
    "restated_entry_day",
    "restated_time_day",
    "restatement",
    "run",
    "source_through",
    "time_day",
]

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def _table(name: str, meaning: str, *parts: Any) -> Table:
    return Table(name, metadata, *parts, info={"meaning": meaning})


def _text(name: str, meaning: str, *, key: bool = False, null: bool = False) -> Column[Any]:
    return Column(name, Text, primary_key=key, nullable=null, doc=meaning)


def _int(name: str, meaning: str, *, key: bool = False, null: bool = False) -> Column[Any]:
    return Column(name, BigInteger, primary_key=key, autoincrement=False, nullable=null, doc=meaning)


def _default(name: str, default: str, meaning: str) -> Column[Any]:
    """A text that older rows have by default."""
    return Column(name, Text, nullable=False, server_default=default, doc=meaning)


def _flag(name: str, meaning: str) -> Column[Any]:
    return Column(name, Boolean, nullable=False, doc=meaning)


def _refers(name: str, to: str, meaning: str, *, key: bool = False) -> Column[Any]:
    return Column(name, Text, ForeignKey(to), primary_key=key, nullable=False, doc=meaning)


def _seq(name: str, meaning: str, *, key: bool = False, null: bool = False) -> Column[Any]:
    """A seq that was committed."""
    known = ForeignKey("knowledge.seq")
    return Column(name, BigInteger, known, primary_key=key, autoincrement=False, nullable=null, doc=meaning)


def _version(*parts: Any) -> tuple[Any, ...]:
    """The columns of a versioned fact, and its own."""
    return (
        _text("identity", "what makes two versions the same fact", key=True),
        _seq("seq", "when this version became known", key=True),
        _flag("withdrawn", "the fact never held; this version takes it back"),
        _int("start_s", "since when it holds, inclusive"),
        _int("end_s", "until when it holds, exclusive; null: still open", null=True),
        *parts,
    )


def _totals(*parts: Any) -> tuple[Any, ...]:
    """The columns that a run's daily totals are kept by, and its own."""
    return (
        _refers("run_id", "run.id", "the run that computed it"),
        _text("book", "its book"),
        _text("period", "its month, YYYY-MM"),
        _text("day", "the day in the book's zone, YYYY-MM-DD"),
        *parts,
        Index(None, "run_id"),
        Index(None, "book", "period", "day"),
    )


def _restated(*parts: Any) -> tuple[Any, ...]:
    """The columns that a restatement's daily differences are kept by, and its own."""
    return (
        _refers("restatement_id", "restatement.id", "the restatement"),
        _text("cause", "what changed: engine, usage, samples, owner, price or policy"),
        _text("day", "the day in the book's zone, YYYY-MM-DD"),
        *parts,
        Index(None, "restatement_id"),
    )


_WHO = (
    ("account", "the cost or balance account"),
    ("state", "the state of the slot, where the account has states; else ''"),
    ("owner", "the owner key, or a name in double underscores"),
    ("team", "the owner's team"),
    ("cost_centre", "the owner's cost centre; '': none"),
    ("model", "the accelerator's model; '': not known, or no device"),
    ("cluster", "the cluster"),
)

knowledge = _table(
    "knowledge",
    "One row per commit; the greatest `committed_at_s` up to an instant gives what was known as of it",
    _int("seq", "the commit's number, strictly rising in the order of commits", key=True),
    _int("committed_at_s", "its wall time, which never runs backwards"),
    _text("kind", "what was done"),
    _text("note", "to what, in words"),
    Index(None, "committed_at_s"),
)

knowledge_head = _table(
    "knowledge_head",
    "A single row; whoever holds its lock commits",
    Column("id", Integer, primary_key=True, autoincrement=False, nullable=False, doc="always 1"),
    _int("seq", "the last seq that was given"),
    _int("committed_at_s", "the wall time of that commit"),
    CheckConstraint("id = 1", name="single"),
)

source_through = _table(
    "source_through",
    "Up to which instant a source is known to be complete; the greatest counts",
    _text("source", "the source", key=True),
    _text("cluster", "the cluster it speaks of", key=True),
    _seq("seq", "when it was said", key=True),
    _int("through_s", "the instant, exclusive"),
)

owner_version = _table(
    "owner_version",
    "Which team and cost centre an owner key belongs to",
    *_version(
        _text("owner_key", "the key that holdings carry"),
        _text("team", "the team"),
        _text("cost_centre", "the cost centre; null: none", null=True),
    ),
)

owner_rule_version = _table(
    "owner_rule_version",
    "Which holdings belong to which team and cost centre: the first rule that matches one counts",
    *_version(
        _int("position", "its place among the rules; the least goes first"),
        _text("matching", "what a holding must have, as canonical JSON: lists of patterns by attribute"),
        _text("team", "the team"),
        _text("cost_centre", "the cost centre; null: none", null=True),
    ),
)

policy_version = _table(
    "policy_version",
    "Which of a policy's alternatives is chosen",
    *_version(
        _text("policy", "the policy's name"),
        _text("choice", "the alternative and its version, such as unknown/1"),
    ),
)

entitlement_version = _table(
    "entitlement_version",
    "Who may use how much of a pool, what of it is lent, and whose the pool is",
    *_version(
        _text("kind", "entitled, lent, or pool for whose the pool is"),
        _text("team", "the team that is entitled, lends, or owns the pool"),
        _text("model", "the devices' model"),
        _text("region", "their region; '': not known"),
        _int("units", "how many whole devices; 0 where it is about the pool itself"),
        _text("borrower", "the team that they are lent to; '': nothing is lent"),
        _text("cost_centre", "the team's cost centre; null: the terms say none", null=True),
        CheckConstraint("kind in ('entitled', 'lent', 'pool')", name="kind"),
    ),
)

price_version = _table(
    "price_version",
    "What a GPU, a node or a contract costs by price list",
    *_version(
        _text("selector_kind", "what it is looked up by: sku, model or contract"),
        _text("selector", "the sku, the model, or the id of the contract, reservation or instance"),
        _text("region", "the region; '': any"),
        _text("purchase_option", "how the node is bought; '': any"),
        _text("rate", "major units of the currency per unit, as decimal text"),
        _text("currency", "its ISO 4217 code"),
        _text("source", "the file or term that said so"),
        _default(
            "origin", "import", "how it came: import, or terms for what `apply` keeps as the files have it"
        ),
        _default("provider", "", "who rents it out; '': any"),
        _default("zone", "", "the zone inside the region; '': any"),
        _default("unit", "gpu_hour", "what the rate is for: gpu_hour, node_hour, gpu_month or node_month"),
        _default(
            "month_rule", "", "how many hours a month has that is quoted: actual, 730 or 720; '': no month"
        ),
        _default("rules", "", "how a run of a node is counted, as canonical JSON; '': by the second"),
        _default("status", "final", "final, or provisional while the provider may still change it"),
        CheckConstraint("selector_kind in ('sku', 'model', 'contract')", name="selector_kind"),
        CheckConstraint("unit in ('gpu_hour', 'node_hour', 'gpu_month', 'node_month')", name="unit"),
        CheckConstraint("status in ('final', 'provisional')", name="status"),
    ),
)

fx_version = _table(
    "fx_version",
    "What a unit of one currency is worth in another on a day; it holds until the next day that has a rate",
    *_version(
        _text("base", "the currency that is worth something, ISO 4217"),
        _text("quote", "the currency that it is worth it in, ISO 4217"),
        _text("day", "the day, YYYY-MM-DD"),
        _text("rate", "units of `quote` for one unit of `base`, as decimal text"),
        _text("source", "who said so"),
    ),
)

lot_version = _table(
    "lot_version",
    "Money that is no metered price: purchases, fees, assets, energy, credits, taxes",
    *_version(
        _text("lot", "its name"),
        _text("kind", "purchase, fee, depreciation, energy, credit, tax or true_up"),
        _text(
            "amount", "the whole amount in major units of the currency, as decimal text; '': `details` say"
        ),
        _text("currency", "its ISO 4217 code"),
        _text("details", "what it pays for, how it is recognised and invoiced, as canonical JSON"),
        _text("source", "the file or term that said so"),
        CheckConstraint(
            "kind in ('purchase', 'fee', 'depreciation', 'energy', 'credit', 'tax', 'true_up')", name="kind"
        ),
    ),
)

bill_version = _table(
    "bill_version",
    "A bill as it was brought in: who wrote it, over which billing period, and what proves that it is whole",
    *_version(
        _text("provider", "who bills"),
        _text("billing_account", "the account that is billed"),
        _text("invoice", "the number of the invoice; '': the bill has none"),
        _text("currency", "the currency it is billed in, ISO 4217"),
        _int("rows", "how many lines it has"),
        _text("total", "the sum of what its lines are billed at, as decimal text"),
        _int("stated_rows", "how many lines it should have; null: nobody said", null=True),
        _text("stated_total", "what the invoice comes to, as decimal text; '': nobody said"),
        _int("invoiced_s", "when it was invoiced, Unix seconds; null: not known", null=True),
        _text("format", "the format it was read in, such as focus/1.2"),
        _text("digest", "SHA-256 of its lines as they were read"),
        _text("source", "the file it came from"),
    ),
)

bill_rule_version = _table(
    "bill_rule_version",
    "What the lines of bills are for: the first rule that matches a line counts",
    *_version(
        _int("position", "its place among the rules; the least goes first"),
        _text("matching", "what a line must have, as canonical JSON: lists of patterns by attribute"),
        _text("action", "what such lines are for, as canonical JSON"),
    ),
)

lake_file = _table(
    "lake_file",
    "The files of the lake: one counts at a seq from `added_seq` on and before `removed_seq`",
    _text("path", "where it lies in the lake", key=True),
    _text("table_name", "the table it holds rows of"),
    _text("day", "the UTC day of its rows, YYYY-MM-DD; null: facts that hold over intervals", null=True),
    _int("shard", "the shard of its rows"),
    _text("part", "'' as it was published, current or history as a compaction made it"),
    _int("rows", "how many rows"),
    _int("min_s", "the first instant its rows speak of", null=True),
    _int("max_s", "the last one; null: a fact is still open", null=True),
    _text("row_hash", "the sum of its row hashes before a seq is bound to them, 16 hexadecimal digits"),
    _text("digest", "the sum of its row hashes, each bound to its seq, 16 hexadecimal digits"),
    _int("bytes", "its size"),
    _seq("added_seq", "the seq of those of its rows that carry none"),
    _seq("removed_seq", "from which seq on it counts no more; null: it counts", null=True),
    _int("removed_at_s", "when others took its place at every seq; null: it counts at some", null=True),
    Index(None, "table_name", "shard", "day"),
)

book = _table(
    "book",
    "A book, as it was begun",
    _text("name", "its name", key=True),
    _text("zone", "the zone whose midnights and months bill"),
    _text("currency", "its ISO 4217 code"),
    _int("shards", "how many shards its facts are cut into"),
    _text("charged", "the layer that is charged: pooled or recognised"),
    _seq("created_seq", "when it was begun"),
)

run = _table(
    "run",
    "One computation of a period at one seq with one engine version",
    _text("id", "its name", key=True),
    _refers("book", "book.name", "its book"),
    _text("period", "its month, YYYY-MM"),
    _int("seq", "what was known to it"),
    _int("through_s", "the instant that its sources were complete to; null: not known", null=True),
    _text("engine_version", "the version of gpuledger that computed it"),
    _text("state", "running, open, provisional or closed"),
    _int("started_at_s", "when it began"),
    _int("finished_at_s", "when it was done; null: it is not", null=True),
    _text("summary", "what else a statement prints of it, as JSON", null=True),
    Index(None, "book", "period"),
)

book_head = _table(
    "book_head",
    "Which run is in force, and what it wrote",
    _refers("book", "book.name", "its book", key=True),
    _text("period", "its month, YYYY-MM", key=True),
    _text("day", "the UTC day of the unit of work, YYYY-MM-DD", key=True),
    _int("shard", "the shard", key=True),
    _refers("run_id", "run.id", "the run in force"),
    _int("seq", "what was known to it"),
    _int("rows", "how many entries it wrote"),
    _int("sum_amount", "the sum of their amounts, in quanta"),
    _text("digest", "the digest of their files"),
)

entry_day = _table(
    "entry_day",
    "Entries of a run by day",
    *_totals(
        _text("layer", "the layer"),
        _text("lot", "the lot or pool the money came from"),
        *(_text(name, meaning) for name, meaning in _WHO),
        _int("amount", "the amount, in quanta"),
    ),
)

time_day = _table(
    "time_day",
    "GPU time of a run by day, in ticks of 1/720720 s",
    *_totals(
        *(_text(name, meaning) for name, meaning in _WHO),
        _int("is_assumed", "1 where the capacity is assumed, else 0"),
        _int("ticks", "the GPU time"),
        _int("unpriced_ticks", "the part of it that has no price"),
        _int("observed_ticks", "the part of it for which activity is known"),
    ),
)

pool_total = _table(
    "pool_total",
    "The exact total of a rounding pool: exact_num / exact_den quanta",
    _refers("run_id", "run.id", "the run that computed it", key=True),
    _text("rounding_pool", "the rounding pool", key=True),
    _text("period", "its month, YYYY-MM", key=True),
    _text("exact_num", "the numerator, as decimal text"),
    _text("exact_den", "the denominator, as decimal text"),
    _int("cents", "the total in minor units; null: not stated yet", null=True),
)

period_close = _table(
    "period_close",
    "What the close of a period froze; once it is closed, the database refuses to write to its books",
    _refers("book", "book.name", "its book", key=True),
    _text("period", "its month, YYYY-MM", key=True),
    _text("state", "provisional or closed"),
    _text("close_id", "the name of the close; its frozen intervals lie under it"),
    _refers("run_id", "run.id", "the run that it froze"),
    _int("seq", "what was known to that run"),
    _int("closed_at_s", "when"),
    _text("actor", "who"),
    _int("format_version", "the version of the statement's format"),
    _text("statement_digest", "SHA-256 of `statement`"),
    _text("books_digest", "SHA-256 of the run's heads, daily totals and pools, as canonical JSON"),
    _text("facts_digest", "SHA-256 of the frozen intervals' files, each by name"),
    _text("statement", "the lines of every view with what a statement prints of them, as canonical JSON"),
    CheckConstraint("state in ('provisional', 'closed')", name="state"),
    Index(None, "run_id"),
)

restatement = _table(
    "restatement",
    "What became known of a closed period after its close, carried into a period that was open then",
    _text("id", "its name", key=True),
    _refers("book", "book.name", "its book"),
    _text("service_period", "the closed month that it is about, YYYY-MM"),
    _text("booking_period", "the month that collects it, YYYY-MM"),
    _int("number", "1 for the first of its month; one that takes another's place has the same"),
    _refers(
        "base_run_id", "run.id", "the run that it starts from: the closed one, or the restated one before"
    ),
    _refers("run_id", "run.id", "the run of what is known now"),
    _int("base_seq", "what was known to the first"),
    _int("seq", "what was known to the second"),
    _text("causes", "the order in which the causes were taken, with commas"),
    _int("reopened", "1 where the month was reopened, so that each run renews it; else 0"),
    _text("reason", "why, in the words of who asked; '': none given"),
    _text("actor", "who asked"),
    _int("made_at_s", "when it was made"),
    _int("replaced_at_s", "when another took its place; null: it counts", null=True),
    _int("rows", "how many entries it has"),
    _text("digest", "the digest of its files"),
    _text("exact_num", "the numerator of its exact total in quanta, as decimal text"),
    _text("exact_den", "its denominator"),
    Index(None, "book", "service_period"),
    Index(None, "book", "booking_period"),
    Index(None, "run_id"),
)

restated_entry_day = _table(
    "restated_entry_day",
    "Entries of a restatement by day and cause: by how much each changed",
    *_restated(
        _text("layer", "the layer whose entries changed"),
        _text("lot", "the lot or pool the money came from"),
        *(_text(name, meaning) for name, meaning in _WHO),
        _int("amount", "the difference, in quanta"),
    ),
)

restated_time_day = _table(
    "restated_time_day",
    "GPU time of a restatement by day and cause: by how much it changed, in ticks of 1/720720 s",
    *_restated(
        *(_text(name, meaning) for name, meaning in _WHO),
        _int("is_assumed", "1 where the capacity is assumed, else 0"),
        _int("ticks", "the difference of GPU time"),
        _int("unpriced_ticks", "that of the part that has no price"),
        _int("observed_ticks", "that of the part for which activity is known"),
    ),
)

audit_log = _table(
    "audit_log",
    "Who did what and when: one row per commit, and for whatever else must be looked up later",
    Column(
        "id",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=True,
        doc="its number",
    ),
    _int("at_s", "when"),
    _seq("seq", "the commit's seq; null: no commit", null=True),
    _text("actor", "who"),
    _text("action", "what was done"),
    _text("detail", "to what, in words"),
    Column(
        "digest",
        Text,
        nullable=False,
        server_default="",
        doc="SHA-256 of the canonical JSON of these columns and of the digest of the row before it",
    ),
    Index(None, "seq"),
)

audit_head = _table(
    "audit_head",
    "A single row: where the audit log's chain ends",
    Column("id", Integer, primary_key=True, autoincrement=False, nullable=False, doc="always 1"),
    _int("last_id", "the number of the last row"),
    _text("digest", "its digest"),
    CheckConstraint("id = 1", name="single"),
)
