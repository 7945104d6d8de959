"""The one way from an engine or a data frame to a release.

An engine counts, and groups the counts: `counts[i]` is the number of units of each of `multiplicities[i]` items, both int64, distinct
counts in any order. It materialises this once. Then

    release_grouped("top_k", options, counts, multiplicities, lookup)

reserves, draws, calls `lookup` once, settles and returns the Release. `options` are those of the public function of that name ("top_k"
or "top_k_above"), `ledger` included (None said outright), `unit` as well ("row", or the name of the column), and besides:

    mode      "public items", "public list", "universe" or "unknown items": how the candidates were declared. The last goes with
              unknown_items=True, delta= and max_items=, and has no group of count 0; there may be no groups at all
    universe  range(low, high), where that is the declaration. Ids that occur in no record are a group of their own, which the caller
              adds: count 0, as many as there are absent ids
    candidates  the public list, where that is the declaration; listed items that occur in no record are the group of count 0
    input, sql  texts for the ledger: what was asked of what

`lookup(asked)` gets [(group, rank), ...] in the order of the winners: `group` is an index into `counts`, `rank` is uniform on
0, ..., multiplicities[group] - 1, without repetition within a group, from the secure stream. It returns their names, in the same
order: str or int, each once. Any order of a group's items will do, as long as it does not depend on the noise: that of the materialised
table. The absent ids of a universe, in rising order: the one of rank r is low + r + (how many present ids p, the i-th of them (from 0)
in rising order, have p - low - i <= r). If lookup raises, nothing is released; what was reserved stays charged, and the
exception is chained to a MachineFault that says so. (KeyboardInterrupt comes as it is.)

`above` and `measure` take dense lists: `release_labelled(function, options, labels, values)`, with the declaration in `options`
(`candidates`, `universe` or `items_are_public`); labels outside it are left out one by one, absent ones count 0. There `unit` is what
the numbers count.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

from . import _core
from ._releases import Release

Lookup = Callable[[list[tuple[int, int]]], Sequence[Any]]


def release_grouped(function: str, options: dict[str, Any], counts: Any, multiplicities: Any, lookup: Lookup) -> Release:
    """Releases from groups of equal counts: see the module."""
    return _core.release_grouped(function, options, counts, multiplicities, lookup)


def release_labelled(function: str, options: dict[str, Any], labels: Sequence[Any], values: Any) -> Release:
    """Releases from names with their counts: see the module."""
    return getattr(_core, function)(values, {**options, "labels": labels})
