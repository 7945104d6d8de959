"""Lists of Python numbers as arrays; what is an array already stays as it is."""

from __future__ import annotations

from array import array
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
    try:
        return array("d", values)
    except TypeError:
        raise TypeError("values: give a list of numbers, or a one-dimensional array of int64, int32 or float64") from None
