"""Differentially private selection that also says by how much.

>>> import freegap as fg
>>> release = fg.top_k([6013, 5811, 2997, 2714, 2606], k=2, epsilon="0.7", ledger=None)
>>> release.spent
Fraction(7, 10)

The words are those of the command line. `epsilon` and other numbers are str, int, Fraction, Decimal, or float, which means its shortest
decimal: 0.7 is 7/10. `ledger=` is always given: a `Ledger`, or None if you account for the cost yourself. Numbers are a list, or an array
of int64, int32 or float64, which is not copied. They are positions 0, 1, 2, ... unless `labels` are given; then `candidates=[...]`,
`universe=range(...)` or `items_are_public=True` says which items can win. Nobody may write into an array until the call returns: it is
read in place, more than once, and the guarantee is about one data set. `max_items=` cuts each unit of a data frame down to so many items, at
random; of numbers, `bounded_by=` says that this was done before they were counted. Measuring then needs less noise. Where nobody can list the
items, `unknown_items=True` with `delta=` and such a bound selects from those that occur (`top_k`, `top_k_above`).
"""

from __future__ import annotations

import importlib
import json as _json
from typing import TYPE_CHECKING, Any

from . import _core, plan, simulate
from ._arrays import seen as _seen
from ._errors import BudgetExceeded, Exhausted, MachineFault
from ._ledger import Balance, Ledger
from ._online import SparseVector
from ._releases import Release, Row
from ._session import Session
from ._signatures import PACKAGE as _PACKAGE
from ._signatures import signed as _signed
from ._verify import Verdict, verify

if TYPE_CHECKING:
    from .typing import Estimator, Exact

__version__: str = _core.version

__all__ = ["Balance", "BudgetExceeded", "Exhausted", "Ledger", "MachineFault", "Release", "Row", "Session", "SparseVector", "Verdict",
           "duckdb", "estimate", "exponential", "measure", "opendp", "plan", "plots", "postgres", "simulate", "spark", "sparse_vector", "top_k",
           "top_k_above", "verify"]


def __getattr__(name: str) -> Any:
    """The modules that few programs need are imported when they are first used."""
    if name in ("duckdb", "opendp", "plots", "postgres", "spark"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _released(name: str, function: Any, values: Any, options: dict[str, Any]) -> Release:
    if options.get("item") is not None:
        from . import _frames

        return _frames.release(name, values, options)
    options.pop("item", None)
    return function(_seen(values), options)


@_signed(_PACKAGE["top_k"])
def top_k(values: Any, **options: Any) -> Release:
    """The k largest, with the gap by which each beats the next, at no cost.

    >>> import freegap as fg
    >>> release = fg.top_k([600000, 20, 300000], labels=["tea", "rye", "jam"], items_are_public=True, k=2, epsilon=1, ledger=None)
    >>> [winner.item for winner in release.winners]
    ['tea', 'jam']

    The share `measure` of the budget measures the winners; gaps and measurements together give estimates with error bars. Of a data
    frame, `item` names the column of items and `unit` that of units: `top_k(frame, item="product", unit="customer", ...)`.

    Where nobody can list the items, `unknown_items=True, delta="1e-9", max_items=20` selects from those that occur: up to k above a
    threshold so high that an item of one unit alone hardly ever appears. Such a release is that of `top_k_above`, with its options
    `prefer` and `theta`, and is (epsilon, delta)-differentially private.
    """
    if "item" in options or isinstance(values, (list, tuple)):
        return _released("top_k", _core.top_k, values, options)
    return _core.top_k(values, options)  # an array: microseconds count


@_signed(_PACKAGE["top_k_above"])
def top_k_above(values: Any, **options: Any) -> Release:
    """The k largest that are above a public threshold; budget comes back where they are fewer.

    >>> import freegap as fg
    >>> release = fg.top_k_above([600000, 20, 300000], threshold=1000, k=3, epsilon=1, measure=0, ledger=None)
    >>> [winner.item for winner in release.winners]
    ['0', '2']

    With `unknown_items=True` the threshold may be left out; it is raised to the one that `delta` needs.
    """
    return _released("top_k_above", _core.top_k_above, values, options)


@_signed(_PACKAGE["sparse_vector"])
def sparse_vector(values: Any, **options: Any) -> Release:
    """Which of many queries are above a public threshold, and by how much. Only answers above it cost budget.

    >>> import freegap as fg
    >>> release = fg.sparse_vector([600000, 20, 300000], threshold=1000, k=3, epsilon=1, order="file", ledger=None)
    >>> [answer.above for answer in release.answers]
    [True, False, True]

    `adaptive` tries with more noise first, so that clear answers cost less. Queries that arrive one by one: `SparseVector`.
    """
    return _released("sparse_vector", _core.sparse_vector, values, options)


@_signed(_PACKAGE["exponential"])
def exponential(values: Any, **options: Any) -> Release:
    """One item, chosen with probability proportional to exp(epsilon * utility / (c * sensitivity)), and the gap by which it won.

    >>> import freegap as fg
    >>> fg.exponential([41.5, 1e6, 39.0], epsilon=1, sensitivity=2, ledger=None).item
    '1'

    c is 1 for counts with add-remove neighbours, and 2 otherwise. With `sampler`, a function without arguments, the position that it returns is released instead,
    with its gap. The guarantee then rests on the sampler having exactly that distribution.
    """
    return _released("exponential", _core.exponential, values, options)


@_signed(_PACKAGE["measure"])
def measure(values: Any, **options: Any) -> Release:
    """Noisy numbers of the items that are named, or of positions. They share the budget.

    >>> import freegap as fg
    >>> release = fg.measure([40, 2, 17], items=[0, 2], epsilon=1, ledger=None)
    >>> len(release.measurements)
    2
    """
    return _released("measure", _core.measure, values, options)


def estimate(release: Release, measurement: Release | None = None, *, confidence: Exact = 0.95,
             estimator: Estimator = "likelihood") -> tuple[Row, ...]:
    """Estimates of the winners of `top_k` or `top_k_above`, or of the answers of `sparse_vector` above the threshold, at no cost.

    >>> import freegap as fg
    >>> values = [600000, 20, 300000]
    >>> top = fg.top_k(values, k=2, epsilon=1, measure=0, ledger=None)
    >>> direct = fg.measure(values, items=[int(winner.item) for winner in top.winners], epsilon=1, ledger=None)
    >>> [row.item for row in fg.estimate(top, direct, confidence=0.9)]
    ['0', '2']

    They combine gaps with a measurement that was made apart, of the same items in the same order. Without one they use what the release
    itself measured, or else its gaps over the threshold alone; a release with neither is refused. `confidence` and `estimator` are as in `top_k`.
    """
    options = {"confidence": confidence, "estimator": estimator}
    return tuple(map(Row, _json.loads(_core.estimate(release, measurement, options))))
