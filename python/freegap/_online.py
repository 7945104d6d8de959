"""A sparse vector that answers one query after another."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from ._releases import Release, Row
from ._signatures import PACKAGE, method, signed


class SparseVector:
    """Asks of one query after another whether its value is above a threshold; each may depend on earlier answers.

    >>> import freegap as fg
    >>> with fg.SparseVector(threshold=500, k=3, epsilon=100, sensitivity=1, ledger=None) as monitor:
    ...     [monitor.ask(value).above for value in (812, 40, 3)]
    [True, False, False]

    Only answers above cost budget. With a ledger the worst case is reserved when the object is made, and settled by `close` or at
    the end of the `with` block. One that is never closed stays charged in full.

    Options are those of `sparse_vector` that do not need a list: there are no `order`, `measure`, `labels` and declarations of candidates, and no
    rows. Queries are answered as they come, and their gaps already give estimates. `kind` is "general" unless said otherwise, so `sensitivity` must be given.
    """

    @signed(method(PACKAGE["SparseVector"]))
    def __init__(self, **options: Any):
        self._native = _core.Online(options)
        self._release: Release | None = None

    @property
    def open(self) -> bool:
        """Whether it still answers."""
        return self._release is None and self._native.open

    def ask(self, value: int | float, name: str | None = None) -> Row:
        """Answers one query. Raises Exhausted when no longer open."""
        return Row(json.loads(self._native.ask(value, name)))

    def close(self) -> Release:
        """Ends it, settles its entry, and gives the release with all answers."""
        if self._release is None:
            self._release = self._native.close("input")
        return self._release

    @property
    def release(self) -> Release:
        """The release, once it is closed."""
        if self._release is None:
            raise ValueError("the sparse vector is open; close() it first")
        return self._release

    def __enter__(self) -> "SparseVector":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if self._release is None:
            self._release = self._native.close("input" if kind is None else "interrupted")
