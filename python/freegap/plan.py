"""What to expect, before anything is spent: from public parameters alone. Reads no data and costs nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import _core
from ._signatures import PLAN, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["above", "sparse_vector", "top_k"]


class Plan(dict[str, Any]):
    """A plan: the document that `freegap plan` writes."""

    def __init__(self, document: str, options: dict[str, Any]):
        super().__init__(json.loads(document))
        self._options = options

    def _with(self, epsilon: float) -> dict[str, Any]:
        """The errors of the same plan for another budget."""
        function = _core.plan_top_k if self["plan"] == "top" else _core.plan_sparse_vector
        asked = {"k": self["parameters"]["k"], "epsilon": epsilon, "target_error": None}
        return json.loads(function({**self._options, **asked}, errors_alone=True))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Expected errors; needs matplotlib."""
        from . import plots

        return plots.plan(self, ax=ax)


@signed(PLAN["top_k"])
def top_k(**options: Any) -> Plan:
    """The plan of `top_k`. Two of k, epsilon and target_error give the third.

    >>> import freegap as fg
    >>> fg.plan.top_k(k=10, epsilon="0.7")["best_measure"]
    '9/10'

    With `unknown_items=True`, `delta` and `max_items` it also tells the threshold (identity first): an item of so many units
    appears about every second time, and items of far fewer can hardly appear.

    >>> round(fg.plan.top_k(k=10, epsilon=2, unknown_items=True, delta="1e-9", max_items=20)["threshold"]["used"])
    241
    """
    return Plan(_core.plan_top_k(options), options)


@signed(PLAN["sparse_vector"])
def sparse_vector(**options: Any) -> Plan:
    """The plan of `sparse_vector`. Two of k, epsilon and target_error give the third.

    >>> import freegap as fg
    >>> round(fg.plan.sparse_vector(k=10, epsilon="0.7")["gap_error"])
    19
    """
    return Plan(_core.plan_sparse_vector(options), options)


above = sparse_vector
