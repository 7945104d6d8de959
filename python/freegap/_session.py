"""What a notebook would repeat in every call, said once."""

from __future__ import annotations

from typing import Any

from ._ledger import Ledger


_DECLARATIONS = ("candidates", "universe", "items_are_public", "unknown_items")
_SAID_TOGETHER = (*_DECLARATIONS, "delta")  #: δ goes with unknown items


class Session:
    """A ledger with the unit, the neighbours and the candidates of its data set.

    >>> import freegap as fg
    >>> ledger = fg.Ledger.create("books.db", dataset="sales", epsilon="3", unit="customer")
    >>> shop = fg.Session(ledger, candidates=["tea", "milk", "rye", "jam"])
    >>> release = shop.top_k([40, 17], labels=["tea", "rye"], k=1, epsilon="0.5")
    >>> release.parameters["unit"], release.parameters["candidates"]
    ('customer', 'public list')

    Unit and neighbours are those of the data set unless said otherwise. An argument of a call overrides that of the session.
    """

    def __init__(self, ledger: Ledger, **said: Any):
        if not isinstance(ledger, Ledger):
            raise TypeError("ledger: give a freegap.Ledger")
        self._said = {"ledger": ledger, "unit": ledger.unit, "neighbours": ledger.neighbours, **said}

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        return self._said["ledger"]

    def _call(self, name: str, values: Any, options: dict[str, Any]) -> Any:
        import freegap

        said = dict(self._said)
        positions = "labels" not in options and "item" not in options  # these need no declaration
        another = any(options.get(said_now) is not None and options[said_now] is not False for said_now in _DECLARATIONS)
        if positions or another:  # one takes the place of another
            for replaced in _SAID_TOGETHER:
                said.pop(replaced, None)
        if "item" in options and self.ledger.column is not None:  # rows name their unit by a column
            said["unit"] = self.ledger.column
        return getattr(freegap, name)(values, **{**said, **options})

    def top_k(self, values: Any, **options: Any) -> Any:
        """freegap.top_k"""
        return self._call("top_k", values, options)

    def top_k_above(self, values: Any, **options: Any) -> Any:
        """freegap.top_k_above"""
        return self._call("top_k_above", values, options)

    def sparse_vector(self, values: Any, **options: Any) -> Any:
        """freegap.sparse_vector"""
        return self._call("sparse_vector", values, options)

    def exponential(self, values: Any, **options: Any) -> Any:
        """freegap.exponential"""
        return self._call("exponential", values, options)

    def measure(self, values: Any, **options: Any) -> Any:
        """freegap.measure"""
        return self._call("measure", values, options)
