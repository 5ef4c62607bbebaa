"""The commands `gpuledger import bill` and `gpuledger bills`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from chargeback.bills.cells import SHAPES
from chargeback.bills.completeness import stated_of
from chargeback.bills.deliver import Delivery, deliver_bills
from chargeback.bills.listing import allocated_bills, listed_bills, rated_bills
from chargeback.bills.listing_print import listing_json, print_listing
from chargeback.bills.manifest import check_files, read_manifest
from chargeback.bills.outcome_print import outcome_json, print_outcome
from chargeback.bills.reading import Reading, read_bills
from chargeback.bills.reconciliation import Reconciled
from chargeback.bills.texts import Given
from gpuledger.calendars import time_zone
from gpuledger.errors import BooksError, InputError, RejectedRows
from gpuledger.instants import parse_instant
from gpuledger.session import Session

__all__ = ["bills", "import_bill"]

Format = Annotated[Literal["table", "json"], typer.Option("--format", help="How it is printed.")]

_MOST_NAMED = 10


def import_bill(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(help="The pages of a bill, or of several: CSV, gzip or Parquet.", metavar="FILE..."),
    ],
    shape: Annotated[
        Literal["focus", "cur", "cur2"] | None,
        typer.Option(help="Which shape the files have; without it they are recognised by their header."),
    ] = None,
    rows: Annotated[
        list[str] | None,
        typer.Option(help="How many rows there should be in all, or BILL=N in one bill.", metavar="N"),
    ] = None,
    total: Annotated[
        list[str] | None,
        typer.Option(help="What the invoice comes to, or BILL=AMOUNT of one bill.", metavar="AMOUNT"),
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(help="The manifest beside the files, which says what there should be.")
    ] = None,
    allow_incomplete: Annotated[
        bool, typer.Option("--allow-incomplete", help="Take a bill although rows of it cannot be right.")
    ] = False,
    replace: Annotated[
        list[str] | None,
        typer.Option(help="Take this other bill back: it said the same money.", metavar="BILL"),
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(help="This other bill is owed too, although lines are alike.", metavar="BILL"),
    ] = None,
    provider: Annotated[str, typer.Option(help="Who bills, where no column says it.")] = "",
    account: Annotated[str, typer.Option(help="The billing account, where no column says it.")] = "",
    currency: Annotated[str, typer.Option(help="The currency, where no column says it.")] = "",
    zone: Annotated[str, typer.Option(help="Zone of instants without an offset.")] = "UTC",
    date_format: Annotated[
        str, typer.Option(help="How instants are written, where not as ISO 8601: like %m/%d/%y.")
    ] = "",
    invoiced: Annotated[
        str, typer.Option(help="When it was invoiced; without it on the last day of the billing period.")
    ] = "",
    format: Format = "table",
) -> None:
    """Import bills: FOCUS 1.0 to 1.3 or AWS cost and usage reports, each bill whole or not at all."""
    session = Session.of(ctx)
    time_zone(zone)
    said = {"provider": provider, "issuer": provider, "billing_account": account, "currency": currency}
    given = Given({name: text for name, text in said.items() if text}, zone, date_format)
    invoiced_s = parse_instant(invoiced, zone=session.book.zone, epoch_s=None) if invoiced else None
    with session.lake.engine() as engine:
        reading = read_bills(engine, files, given, SHAPES[shape] if shape else None)
        _refuse_bad(reading, allowed=allow_incomplete)
        files_rows = check_files(read_manifest(manifest), reading.rows) if manifest else None
        stated = stated_of(reading.bills, rows or (), total or (), reading.bad_by_bill, files_rows)
        delivery = Delivery(reading, stated, invoiced_s, replace or (), beside or ())
        outcome = deliver_bills(engine, session.database, session.lake, delivery, at_s=session.now())
    if format == "json":
        session.write(outcome_json(reading, outcome))
    else:
        print_outcome(reading, outcome, session.console)


def bills(
    ctx: typer.Context,
    month: Annotated[
        str,
        typer.Option("--month", help="Only bills that this month of the book's zone has part of."),
    ] = "",
    format: Format = "table",
) -> None:
    """List the bills in force: whether they are whole, what became of their lines, and what nothing knows."""
    from chargeback.commands import desk_of  # with it come the books, which an import has no need of

    session = Session.of(ctx)
    desk = desk_of(session)
    seq = session.database.latest_seq()
    found, allocation = allocated_bills(desk, seq, month)
    listed = listed_bills(found, allocation)
    reconciled: Sequence[Reconciled] = ()
    try:
        reconciled = rated_bills(desk, seq, found, allocation)
    except BooksError as error:  # a rate of exchange is missing: the bills are there all the same
        session.say(f"not held against what was rated: {error.message}; {error.mend}")
    if format == "json":
        session.write(listing_json(listed, reconciled, desk.book.currency))
    else:
        print_listing(listed, session.console, reconciled, desk.book.currency)


def _refuse_bad(reading: Reading, *, allowed: bool) -> None:
    """Raise `RejectedRows` for rows that cannot be right, unless that is allowed and others are left."""
    if reading.bad and not (allowed and reading.bills):
        raise RejectedRows(
            f"{len(reading.bad)} of {sum(reading.rows.values())} rows cannot be right, and a bill that lacks "
            f"lines is no bill; nothing was stored:{_rows_said(reading)}",
            mend="mend the rows, or have the bill exported again"
            + ("; --allow-incomplete takes it without them, as incomplete" if reading.bills else ""),
        )
    if not reading.bills:
        raise InputError("the files have no rows", mend="name the files of a bill")


def _rows_said(reading: Reading) -> str:
    named: Sequence[str] = [
        f"\n  {one.file}, row {one.row}: {one.reason}" for one in reading.bad[:_MOST_NAMED]
    ]
    more = len(reading.bad) - len(named)
    return "".join(named) + (f"\n  and {more} more" if more else "")
