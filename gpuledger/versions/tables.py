"""The tables of the database: versions, knowledge time, what is in the lake, and the books' daily totals.

Only types that SQLite and PostgreSQL share. Times are Unix seconds, money is in quanta of the book's
currency, both in 64 bits; what may need more stands as decimal text. `migrations/` makes these tables; a
test holds the two equal.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Integer, Text

from gpuledger.versions.columns import (
    WHO,
    default,
    integer,
    metadata,
    refers,
    restated,
    seq,
    table,
    text,
    totals,
    version,
)

__all__ = [
    "audit_head",
    "audit_log",
    "bill_rule_version",
    "bill_version",
    "book",
    "book_head",
    "commitment_version",
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

knowledge = table(
    "knowledge",
    "One row per commit; the greatest `committed_at_s` up to an instant gives what was known as of it",
    integer("seq", "the commit's number, strictly rising in the order of commits", key=True),
    integer("committed_at_s", "its wall time, which never runs backwards"),
    text("kind", "what was done"),
    text("note", "to what, in words"),
    Index(None, "committed_at_s"),
)

knowledge_head = table(
    "knowledge_head",
    "A single row; whoever holds its lock commits",
    Column("id", Integer, primary_key=True, autoincrement=False, nullable=False, doc="always 1"),
    integer("seq", "the last seq that was given"),
    integer("committed_at_s", "the wall time of that commit"),
    CheckConstraint("id = 1", name="single"),
)

source_through = table(
    "source_through",
    "Up to which instant a source is known to be complete; the greatest counts",
    text("source", "the source", key=True),
    text("cluster", "the cluster it speaks of", key=True),
    seq("seq", "when it was said", key=True),
    integer("through_s", "the instant, exclusive"),
)

owner_version = table(
    "owner_version",
    "Which team and cost centre an owner key belongs to",
    *version(
        text("owner_key", "the key that holdings carry"),
        text("team", "the team"),
        text("cost_centre", "the cost centre; null: none", null=True),
    ),
)

owner_rule_version = table(
    "owner_rule_version",
    "Which holdings belong to which team and cost centre: the first rule that matches one counts",
    *version(
        integer("position", "its place among the rules; the least goes first"),
        text("matching", "what a holding must have, as canonical JSON: lists of patterns by attribute"),
        text("team", "the team"),
        text("cost_centre", "the cost centre; null: none", null=True),
    ),
)

policy_version = table(
    "policy_version",
    "Which of a policy's alternatives is chosen",
    *version(
        text("policy", "the policy's name"),
        text("choice", "the alternative and its version, such as unknown/1"),
    ),
)

entitlement_version = table(
    "entitlement_version",
    "Who may use how much of a pool, what of it is lent, and whose the pool is",
    *version(
        text("kind", "entitled, lent, or pool for whose the pool is"),
        text("team", "the team that is entitled, lends, or owns the pool"),
        text("model", "the devices' model"),
        text("region", "their region; '': not known"),
        integer("units", "how many whole devices; 0 where it is about the pool itself"),
        text("borrower", "the team that they are lent to; '': nothing is lent"),
        text("cost_centre", "the team's cost centre; null: the terms say none", null=True),
        CheckConstraint("kind in ('entitled', 'lent', 'pool')", name="kind"),
    ),
)

price_version = table(
    "price_version",
    "What a GPU, a node or a contract costs by price list",
    *version(
        text("selector_kind", "what it is looked up by: sku, model or contract"),
        text("selector", "the sku, the model, or the id of the contract, reservation or instance"),
        text("region", "the region; '': any"),
        text("purchase_option", "how the node is bought; '': any"),
        text("rate", "major units of the currency per unit, as decimal text"),
        text("currency", "its ISO 4217 code"),
        text("source", "the file or term that said so"),
        default(
            "origin", "import", "how it came: import, or terms for what `apply` keeps as the files have it"
        ),
        default("provider", "", "who rents it out; '': any"),
        default("zone", "", "the zone inside the region; '': any"),
        default("unit", "gpu_hour", "what the rate is for: gpu_hour, node_hour, gpu_month or node_month"),
        default(
            "month_rule", "", "how many hours a month has that is quoted: actual, 730 or 720; '': no month"
        ),
        default("rules", "", "how a run of a node is counted, as canonical JSON; '': by the second"),
        default("status", "final", "final, or provisional while the provider may still change it"),
        CheckConstraint("selector_kind in ('sku', 'model', 'contract')", name="selector_kind"),
        CheckConstraint("unit in ('gpu_hour', 'node_hour', 'gpu_month', 'node_month')", name="unit"),
        CheckConstraint("status in ('final', 'provisional')", name="status"),
    ),
)

fx_version = table(
    "fx_version",
    "What a unit of one currency is worth in another on a day; it holds until the next day that has a rate",
    *version(
        text("base", "the currency that is worth something, ISO 4217"),
        text("quote", "the currency that it is worth it in, ISO 4217"),
        text("day", "the day, YYYY-MM-DD"),
        text("rate", "units of `quote` for one unit of `base`, as decimal text"),
        text("source", "who said so"),
    ),
)

lot_version = table(
    "lot_version",
    "Money that is no metered price: purchases, fees, assets, energy, credits, taxes",
    *version(
        text("lot", "its name"),
        text("kind", "purchase, fee, minimum, depreciation, energy, credit, tax or true_up"),
        text("amount", "the whole amount in major units of the currency, as decimal text; '': `details` say"),
        text("currency", "its ISO 4217 code"),
        text("details", "what it pays for, how it is recognised and invoiced, as canonical JSON"),
        text("source", "the file or term that said so"),
        CheckConstraint(
            "kind in ('purchase', 'fee', 'minimum', 'depreciation', 'energy', 'credit', 'tax', 'true_up')",
            name="kind",
        ),
    ),
)

commitment_version = table(
    "commitment_version",
    "Capacity or spend that is paid for whether it is used or not",
    *version(
        text("commitment", "its name"),
        text("kind", "what its provider calls it, such as aws_savings_plan"),
        text("currency", "its ISO 4217 code"),
        text("details", "what is committed and paid, what it covers, and how, as canonical JSON"),
        text("source", "the file or term that said so"),
    ),
)

bill_version = table(
    "bill_version",
    "A bill as it was brought in: who wrote it, over which billing period, and what proves that it is whole",
    *version(
        text("provider", "who bills"),
        text("billing_account", "the account that is billed"),
        text("invoice", "the number of the invoice; '': the bill has none"),
        text("currency", "the currency it is billed in, ISO 4217"),
        integer("rows", "how many lines it has"),
        text("total", "the sum of what its lines are billed at, as decimal text"),
        integer("stated_rows", "how many lines it should have; null: nobody said", null=True),
        text("stated_total", "what the invoice comes to, as decimal text; '': nobody said"),
        integer("invoiced_s", "when it was invoiced, Unix seconds; null: not known", null=True),
        text("format", "the format it was read in, such as focus/1.2"),
        text("digest", "SHA-256 of its lines as they were read"),
        text("source", "the file it came from"),
    ),
)

bill_rule_version = table(
    "bill_rule_version",
    "What the lines of bills are for: the first rule that matches a line counts",
    *version(
        integer("position", "its place among the rules; the least goes first"),
        text("matching", "what a line must have, as canonical JSON: lists of patterns by attribute"),
        text("action", "what such lines are for, as canonical JSON"),
    ),
)

lake_file = table(
    "lake_file",
    "The files of the lake: one counts at a seq from `added_seq` on and before `removed_seq`",
    text("path", "where it lies in the lake", key=True),
    text("table_name", "the table it holds rows of"),
    text("day", "the UTC day of its rows, YYYY-MM-DD; null: facts that hold over intervals", null=True),
    integer("shard", "the shard of its rows"),
    text("part", "'' as it was published, current or history as a compaction made it"),
    integer("rows", "how many rows"),
    integer("min_s", "the first instant its rows speak of", null=True),
    integer("max_s", "the last one; null: a fact is still open", null=True),
    text("row_hash", "the sum of its row hashes before a seq is bound to them, 16 hexadecimal digits"),
    text("digest", "the sum of its row hashes, each bound to its seq, 16 hexadecimal digits"),
    integer("bytes", "its size"),
    seq("added_seq", "the seq of those of its rows that carry none"),
    seq("removed_seq", "from which seq on it counts no more; null: it counts", null=True),
    integer("removed_at_s", "when others took its place at every seq; null: it counts at some", null=True),
    Index(None, "table_name", "shard", "day"),
)

book = table(
    "book",
    "A book, as it was begun",
    text("name", "its name", key=True),
    text("zone", "the zone whose midnights and months bill"),
    text("currency", "its ISO 4217 code"),
    integer("shards", "how many shards its facts are cut into"),
    text("charged", "the layer that is charged: pooled or recognised"),
    seq("created_seq", "when it was begun"),
)

run = table(
    "run",
    "One computation of a period at one seq with one engine version",
    text("id", "its name", key=True),
    refers("book", "book.name", "its book"),
    text("period", "its month, YYYY-MM"),
    integer("seq", "what was known to it"),
    integer("through_s", "the instant that its sources were complete to; null: not known", null=True),
    text("engine_version", "the version of gpuledger that computed it"),
    text("state", "running, open, provisional or closed"),
    integer("started_at_s", "when it began"),
    integer("finished_at_s", "when it was done; null: it is not", null=True),
    text("summary", "what else a statement prints of it, as JSON", null=True),
    Index(None, "book", "period"),
)

book_head = table(
    "book_head",
    "Which run is in force, and what it wrote",
    refers("book", "book.name", "its book", key=True),
    text("period", "its month, YYYY-MM", key=True),
    text("day", "the UTC day of the unit of work, YYYY-MM-DD", key=True),
    integer("shard", "the shard", key=True),
    refers("run_id", "run.id", "the run in force"),
    integer("seq", "what was known to it"),
    integer("rows", "how many entries it wrote"),
    integer("sum_amount", "the sum of their amounts, in quanta"),
    text("digest", "the digest of their files"),
)

entry_day = table(
    "entry_day",
    "Entries of a run by day",
    *totals(
        text("layer", "the layer"),
        text("lot", "the lot or pool the money came from"),
        *(text(name, meaning) for name, meaning in WHO),
        integer("amount", "the amount, in quanta"),
    ),
)

time_day = table(
    "time_day",
    "GPU time of a run by day, in ticks of 1/720720 s",
    *totals(
        *(text(name, meaning) for name, meaning in WHO),
        integer("is_assumed", "1 where the capacity is assumed, else 0"),
        integer("ticks", "the GPU time"),
        integer("unpriced_ticks", "the part of it that has no price"),
        integer("observed_ticks", "the part of it for which activity is known"),
    ),
)

pool_total = table(
    "pool_total",
    "The exact total of a rounding pool: exact_num / exact_den quanta",
    refers("run_id", "run.id", "the run that computed it", key=True),
    text("rounding_pool", "the rounding pool", key=True),
    text("period", "its month, YYYY-MM", key=True),
    text("exact_num", "the numerator, as decimal text"),
    text("exact_den", "the denominator, as decimal text"),
    integer("cents", "the total in minor units; null: not stated yet", null=True),
)

period_close = table(
    "period_close",
    "What the close of a period froze; once it is closed, the database refuses to write to its books",
    refers("book", "book.name", "its book", key=True),
    text("period", "its month, YYYY-MM", key=True),
    text("state", "provisional or closed"),
    text("close_id", "the name of the close; its frozen intervals lie under it"),
    refers("run_id", "run.id", "the run that it froze"),
    integer("seq", "what was known to that run"),
    integer("closed_at_s", "when"),
    text("actor", "who"),
    integer("format_version", "the version of the statement's format"),
    text("statement_digest", "SHA-256 of `statement`"),
    text("books_digest", "SHA-256 of the run's heads, daily totals and pools, as canonical JSON"),
    text("facts_digest", "SHA-256 of the frozen intervals' files, each by name"),
    text("statement", "the lines of every view with what a statement prints of them, as canonical JSON"),
    CheckConstraint("state in ('provisional', 'closed')", name="state"),
    Index(None, "run_id"),
)

restatement = table(
    "restatement",
    "What became known of a closed period after its close, carried into a period that was open then",
    text("id", "its name", key=True),
    refers("book", "book.name", "its book"),
    text("service_period", "the closed month that it is about, YYYY-MM"),
    text("booking_period", "the month that collects it, YYYY-MM"),
    integer("number", "1 for the first of its month; one that takes another's place has the same"),
    refers(
        "base_run_id", "run.id", "the run that it starts from: the closed one, or the restated one before"
    ),
    refers("run_id", "run.id", "the run of what is known now"),
    integer("base_seq", "what was known to the first"),
    integer("seq", "what was known to the second"),
    text("causes", "the order in which the causes were taken, with commas"),
    integer("reopened", "1 where the month was reopened, so that each run renews it; else 0"),
    text("reason", "why, in the words of who asked; '': none given"),
    text("actor", "who asked"),
    integer("made_at_s", "when it was made"),
    integer("replaced_at_s", "when another took its place; null: it counts", null=True),
    integer("rows", "how many entries it has"),
    text("digest", "the digest of its files"),
    text("exact_num", "the numerator of its exact total in quanta, as decimal text"),
    text("exact_den", "its denominator"),
    Index(None, "book", "service_period"),
    Index(None, "book", "booking_period"),
    Index(None, "run_id"),
)

restated_entry_day = table(
    "restated_entry_day",
    "Entries of a restatement by day and cause: by how much each changed",
    *restated(
        text("layer", "the layer whose entries changed"),
        text("lot", "the lot or pool the money came from"),
        *(text(name, meaning) for name, meaning in WHO),
        integer("amount", "the difference, in quanta"),
    ),
)

restated_time_day = table(
    "restated_time_day",
    "GPU time of a restatement by day and cause: by how much it changed, in ticks of 1/720720 s",
    *restated(
        *(text(name, meaning) for name, meaning in WHO),
        integer("is_assumed", "1 where the capacity is assumed, else 0"),
        integer("ticks", "the difference of GPU time"),
        integer("unpriced_ticks", "that of the part that has no price"),
        integer("observed_ticks", "that of the part for which activity is known"),
    ),
)

audit_log = table(
    "audit_log",
    "Who did what and when: one row per commit, and for whatever else must be looked up later",
    Column(
        "id",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=True,
        doc="its number",
    ),
    integer("at_s", "when"),
    seq("seq", "the commit's seq; null: no commit", null=True),
    text("actor", "who"),
    text("action", "what was done"),
    text("detail", "to what, in words"),
    Column(
        "digest",
        Text,
        nullable=False,
        server_default="",
        doc="SHA-256 of the canonical JSON of these columns and of the digest of the row before it",
    ),
    Index(None, "seq"),
)

audit_head = table(
    "audit_head",
    "A single row: where the audit log's chain ends",
    Column("id", Integer, primary_key=True, autoincrement=False, nullable=False, doc="always 1"),
    integer("last_id", "the number of the last row"),
    text("digest", "its digest"),
    CheckConstraint("id = 1", name="single"),
)
