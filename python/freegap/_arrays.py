"""Lists of Python numbers as arrays; what is an array already stays as it is."""

from __future__ import annotations

from array import array
from numbers import Real
from typing import Any


def seen(values: Any) -> Any:
    """The values as the module sees them: lists and tuples copied to an array, all else untouched."""
    if not isinstance(values, (list, tuple)):
        return values
    if any(isinstance(value, bool) or value is None for value in values):
        raise TypeError("values: give numbers; a list with None or bool says nothing about what they count")
    try:
        return array("q", values)
    except OverflowError:
        raise ValueError("values: whole numbers must fit 64 bits") from None
    except TypeError:
        pass
    if any(not isinstance(value, (int, float)) for value in values):  # scalars of NumPy as the numbers of Python that they exactly are
        values = [value.item() if isinstance(value, Real) and hasattr(value, "item") else value for value in values]
    # Rounding to a double could move a number across a tick, further than its sensitivity allows.
    if any(not isinstance(value, (int, float)) for value in values):
        raise TypeError("values: give a list of numbers (int and float), or a one-dimensional array of int64, int32 or float64")
    if any(isinstance(value, int) and abs(value) > 2**53 for value in values):
        raise ValueError("values: beside floats whole numbers must be at most 2**53, or they would be rounded")
    return array("d", values)
