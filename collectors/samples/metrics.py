"""Columns of metrics as the integers that the lake keeps, with a reason for each value that it cannot keep.

A value is text or a number of the file. Text is read exactly; a float counts as the decimal that it prints,
so that both give one integer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collectors.samples.units import BOUNDS
from collectors.samples.verdict import Verdict
from gpuledger.catalogue import Metric
from gpuledger.lake.arrow import pa, pc
from gpuledger.money import half_up

__all__ = ["MetricReading"]

Numbers = NDArray[Any]

_GREATEST = 2**53
_LONGEST = 80
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_NO_NUMBER = {"nan": "is NaN", "inf": "is infinite", "infinity": "is infinite"}
_BLANK_FP64, _BLANK_INT64, _BLANK_INT32 = 2**47, 0x7FFFFFFFFFFFFFF0, 0x7FFFFFF0
"""From here on a few numbers say that nothing was read: DCGM's blank values."""
_SENTINEL = "is a sentinel: nothing was read"
_NOISE = {np.dtype(np.float32): 2.0**-21, np.dtype(np.float64): 2.0**-50}
"""The part of a value that is its float's noise, and not a digit that somebody wrote."""


@dataclass(frozen=True)
class MetricReading:
    """How one metric of a file is read: the quanta in 1 of the file's unit, and what counts as empty."""

    metric: Metric
    column: str
    unit: Fraction
    nulls: frozenset[str]

    @property
    def quanta(self) -> Fraction:
        """How many of the lake's quanta 1 in the file is."""
        return self.unit / Fraction(self.metric.quantum)

    def read(self, values: Any, verdict: Verdict) -> Any:
        """The lake's integers for a column, null where it is empty; `verdict` is told of bad rows."""
        kind = values.type
        if pa.types.is_null(kind):
            return pa.nulls(len(values), pa.int64())
        if pa.types.is_integer(kind):
            return self._integers(values, verdict)
        if pa.types.is_float32(kind) or pa.types.is_float64(kind):
            return self._floats(values, verdict)
        return self._texts(values.cast(pa.string()), verdict)

    def _texts(self, values: Any, verdict: Verdict) -> Any:
        coded = values.dictionary_encode()
        read = [self._text(text) for text in coded.dictionary.to_pylist()]
        kept = pa.array([found if isinstance(found, int) else None for found in read], pa.int64())
        reasons = [found if isinstance(found, str) else None for found in read]
        codes = coded.indices.fill_null(0).to_numpy(zero_copy_only=False)
        known = coded.indices.is_valid().to_numpy(zero_copy_only=False)
        for reason in sorted({reason for reason in reasons if reason}):
            bad = np.array([one == reason for one in reasons])
            verdict.refuse(known & bad[codes], reason)
        return kept.take(coded.indices)

    def _text(self, text: str) -> int | str | None:
        """The integer for a text, None where it is empty, a reason where it cannot be right."""
        text = text.strip()
        if not text or text in self.nulls:
            return None
        if reason := _NO_NUMBER.get(text.lower().lstrip("+-")):
            return self._of(reason)
        if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
            return self._of("is no number")
        given = Fraction(Decimal(text))
        if _is_blank(given, self._is_narrow):
            return self._of(_SENTINEL)
        if reason := self._beyond(given * self.unit):
            return self._of(reason)
        return self._kept(given * self.quanta)

    def _kept(self, quanta: Fraction) -> int | str:
        whole = (
            half_up(quanta) if self.metric.rounding == "half_up" else quanta.numerator // quanta.denominator
        )
        if self.metric.rounding == "exact" and whole != quanta:
            return self._of("is not whole")
        return self._of("is above 2^53") if whole > _GREATEST else whole

    def _beyond(self, value: Fraction) -> str | None:
        least, most = BOUNDS.get(self.metric.unit, (0, None))
        if value < least:
            return "is negative" if least == 0 else f"is below {least}"
        if most is not None and value > most:
            return f"is above {most:,}"
        return None

    @property
    def _is_narrow(self) -> bool:
        """Whether the 32-bit blank values are far beyond what the metric can be."""
        return self.metric.unit in BOUNDS

    def _of(self, reason: str) -> str:
        return f"{self.metric.column} {reason}"

    def _integers(self, values: Any, verdict: Verdict) -> Any:
        known = values.is_valid().to_numpy(zero_copy_only=False)
        if pa.types.is_uint64(values.type):
            great = values.fill_null(0).to_numpy(zero_copy_only=False) > np.uint64(2**63 - 1)
            verdict.refuse(great, self._of("is above 2^53"))
            values = pc.if_else(pa.array(great), None, values)
            known = known & ~great
        given: Numbers = values.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        known = known & ~self._nulls_among(given)
        known = self._judged(given, known, verdict)
        quanta = self.quanta
        limit = _GREATEST if quanta.numerator == 1 else _GREATEST * quanta.denominator // quanta.numerator
        if quanta.denominator == 1 or quanta.numerator > 1:
            known = self._refused(known, given > limit, "is above 2^53", verdict)
        scaled = np.where(known, given, 0) * quanta.numerator
        return self._whole(scaled, quanta.denominator, known, verdict)

    def _whole(self, scaled: Numbers, per: int, known: Numbers, verdict: Verdict) -> Any:
        half = per if self.metric.rounding == "half_up" else 0
        whole = (2 * scaled + half) // (2 * per)
        if self.metric.rounding == "exact":
            known = self._refused(known, whole * per != scaled, "is not whole", verdict)
        known = self._refused(known, whole > _GREATEST, "is above 2^53", verdict)
        return pa.array(whole.astype(np.int64), mask=~known)

    def _floats(self, values: Any, verdict: Verdict) -> Any:
        known = values.is_valid().to_numpy(zero_copy_only=False)
        given: Numbers = values.fill_null(0.0).to_numpy(zero_copy_only=False)
        noise = _NOISE[given.dtype]
        given = given.astype(np.float64)
        known = known & ~self._nulls_among(given)
        known = self._refused(known, np.isnan(given), "is NaN", verdict)
        known = self._refused(known, np.isinf(given), "is infinite", verdict)
        known = self._judged(given, known, verdict)
        scaled = np.where(known, given, 0.0) * self.quanta.numerator / self.quanta.denominator
        nearest = np.rint(scaled)
        near = np.abs(scaled - nearest) <= noise * np.abs(scaled)
        rounding = self.metric.rounding
        if rounding == "exact":
            known = self._refused(known, ~near, "is not whole", verdict)
        whole = np.floor(scaled + 0.5) if rounding == "half_up" else np.where(near, nearest, np.floor(scaled))
        known = self._refused(known, whole > _GREATEST, "is above 2^53", verdict)
        return pa.array(np.where(known, whole, 0).astype(np.int64), mask=~known)

    def _judged(self, given: Numbers, known: Numbers, verdict: Verdict) -> Numbers:
        """Refuse sentinels and what is beyond the bounds of the unit, in the file's own numbers."""
        blank = (given >= _BLANK_FP64) & (given <= _BLANK_FP64 + 3) | (given >= _BLANK_INT64)
        if self._is_narrow:
            blank |= (given >= _BLANK_INT32) & (given <= _BLANK_INT32 + 15)
        known = self._refused(known, blank, _SENTINEL, verdict)
        least, most = BOUNDS.get(self.metric.unit, (0, None))
        low = "is negative" if least == 0 else f"is below {least}"
        known = self._refused(known, given < _over(least, self.unit), low, verdict)
        if most is not None:
            known = self._refused(known, given > _over(most, self.unit), f"is above {most:,}", verdict)
        return known

    def _refused(self, known: Numbers, bad: Numbers, reason: str, verdict: Verdict) -> Numbers:
        bad = known & bad
        if bad.any():
            verdict.refuse(bad, self._of(reason))
            return known & ~bad
        return known

    def _nulls_among(self, given: Numbers) -> Numbers:
        """Where a number is one of the texts that mean empty, such as -1 or NaN."""
        found = np.zeros(given.shape, bool)
        for text in self.nulls:
            number = _number(text)
            if number is not None:
                found |= np.isnan(given) if np.isnan(number) else given == number
        return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _over(bound: int, unit: Fraction) -> float:
    return float(bound / unit)


def _is_blank(given: Fraction, narrow: bool) -> bool:
    if _BLANK_FP64 <= given <= _BLANK_FP64 + 3 or given >= _BLANK_INT64:
        return True
    return narrow and _BLANK_INT32 <= given <= _BLANK_INT32 + 15
