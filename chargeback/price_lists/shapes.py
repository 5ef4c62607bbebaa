"""The shapes of price lists that are known, and which one a file has.

A new shape is one file, and one line here.
"""

from __future__ import annotations

from collections.abc import Sequence

from chargeback.price_lists import (
    aws_on_demand,
    aws_spot,
    azure_on_demand,
    cloud_gpus,
    focus,
    gcp_machine_types,
    opencost,
)
from chargeback.price_lists.quote import Shape
from gpuledger.errors import ColumnMapError, InputError, Place

__all__ = ["OWN", "SHAPES", "shape_of"]

OWN = "gpuledger"
"""The name of our own shape, whose columns `docs/import.md` lists."""

SHAPES: tuple[Shape, ...] = (
    aws_on_demand.SHAPE,
    aws_spot.SHAPE,
    azure_on_demand.SHAPE,
    gcp_machine_types.SHAPE,
    cloud_gpus.CLOUDS,
    cloud_gpus.SERVERLESS,
    opencost.SHAPE,
    focus.SHAPE,
)

_SPOT_ADVISOR = {"instance_type", "spot_savings_pct_vs_on_demand"}


def shape_of(header: Sequence[str], file: str, named: str | None = None) -> Shape | None:
    """The shape that a header has, or the one that is named; None is our own.

    Raises `InputError` for a name that is not known and for a list that is known to have no prices,
    `ColumnMapError` for a header without the columns of the shape that is named.
    """
    if set(header) >= _SPOT_ADVISOR:
        raise InputError(
            "AWS's Spot Advisor has percentages below the price on demand, and no price",
            place=Place(file, column="spot_savings_pct_vs_on_demand"),
            mend="import spot prices instead: the history that `aws ec2 describe-spot-price-history` gives, "
            "as a list with --series, or a capture of AWS's spot prices",
        )
    if named is None:
        return next((shape for shape in SHAPES if shape.columns <= set(header)), None)
    if named == OWN:
        return None
    shape = next((shape for shape in SHAPES if shape.name == named), None)
    if shape is None:
        known = ", ".join((OWN, *(one.name for one in SHAPES)))
        raise InputError(f"shape {named!r} is not known", mend=f"write one of {known}")
    if missing := sorted(shape.columns - set(header)):
        raise ColumnMapError(
            f"the header lacks {', '.join(missing)}, which {shape.name} has",
            place=Place(file, column=missing[0]),
            mend="leave --shape out to have it recognised, or name another",
        )
    return shape
