"""From rows to a release: one aggregation for data frames and engines.

Rows are counted per item: its distinct units, or its rows. The counts are grouped (count -> how many items), and C++ draws the winners as
pairs of a group and a rank in it, which the counted table then names. Each row is used or left out by itself: rows without an item or
a unit are left out, and so are rows whose item is not among the declared candidates. What one row holds decides nothing about another.

Of items nobody listed (`unknown_items=True`) it is secret which ones occur, and how many. So rows whose item a release cannot show are left out as well,
before units are cut down, and items that nobody keeps are no candidates (docs/proofs/unknown_items.md).
"""

from __future__ import annotations

import hashlib
import json
import operator
import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Iterable, Protocol

from . import _core
from ._counted import release_grouped, release_labelled
from ._releases import Release

_GROUPED = ("top_k", "top_k_above")
_LISTED = ("sparse_vector", "measure")
_LARGEST = 2**63 - 1

_NOWHERE = r"\x7f-\x{9f}\x{d800}-\x{dfff}"  # control characters, and halves of surrogate pairs
#: A name that a release can show as it is, besides its length, as RE2 writes the pattern. The same rule is in C++ (name_text).
GOOD_NAME = rf"[^\x00-\x20{_NOWHERE}](|[^\x00-\x08\x0a-\x1f{_NOWHERE}]*[^\x00-\x20{_NOWHERE}])"
LONGEST_NAME = 1024
_GOOD_NAME = re.compile(re.sub(r"\\x{(\w+)}", lambda code: chr(int(code[1], 16)), GOOD_NAME))


@dataclass(frozen=True)
class Asked:
    """What is counted, and for which items."""

    item: str
    unit: str
    listed: tuple[str, ...] | None = None  #: the public list; of `measure`, the items that it names
    universe: range | None = None
    max_items: int | None = None  #: how many of its items a unit keeps; None where nothing is cut
    key: str = field(default="", repr=False)  #: which ones: see _contribution
    unknown: bool = False  #: whether nobody listed the items

    @property
    def by_rows(self) -> bool:
        """Whether rows are counted, and not the values of a column."""
        return self.unit == "row"

    @property
    def public(self) -> bool:
        """Whether the items that occur are the candidates, and no secret. Their names may be any text: see `shown_name`."""
        return self.listed is None and self.universe is None and not self.unknown


class Counted(Protocol):
    """A table of items and their counts, made once. It has what `Asked` declares and nothing else."""

    def histogram(self) -> Iterable[tuple[int, int]]:
        """(count, how many items) for each count; of a universe, without the ids that do not occur."""

    def names(self, wanted: list[tuple[int, int]]) -> list[Any]:
        """The items at (count, rank), in any order that is fixed by the table. Of a universe, count 0 means ids that do not occur."""

    def everything(self) -> Iterable[tuple[Any, int]]:
        """All items with their counts."""


def _name(item: Any, argument: str) -> str:
    if not isinstance(item, str) and hasattr(item, "as_py"):  # of an array of Arrow
        item = item.as_py()
    if isinstance(item, str):
        return item
    if isinstance(item, bool) or not hasattr(item, "__index__"):
        raise TypeError(f"{argument}: give a list of str or int")
    return str(operator.index(item))


def _names(given: Any, argument: str) -> tuple[str, ...]:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise TypeError(f"{argument}: give a list of names")
    names = tuple(_name(item, argument) for item in given)
    if len(set(names)) != len(names):
        raise ValueError(f"{argument}: name each item once")
    return names


def _checked_universe(universe: Any) -> range:
    if not isinstance(universe, range):
        raise TypeError("universe: give a range, for example range(0, 1000)")
    if universe.step != 1 or universe.stop <= universe.start:
        raise ValueError("universe: give a range of step 1 that is not empty")
    if universe.start < -_LARGEST - 1 or universe.stop - 1 > _LARGEST or universe.stop - universe.start > _LARGEST:
        raise ValueError("universe: its ids must fit 64 bits, and be fewer than 2^63")
    return universe


def _taken_column(options: dict[str, Any], argument: str, missing: str) -> str:
    column = options.pop(argument, None)
    if column is None:
        raise ValueError(f"{argument}: {missing}")
    if not isinstance(column, str):
        raise TypeError(f"{argument}: give the name of a column, a str")
    return column


def _check_named(named: tuple[str, ...], listed: tuple[str, ...] | None, universe: range | None) -> None:
    allowed = None if listed is None else set(listed)
    for name in named:
        if (allowed is not None and name not in allowed) or (universe is not None and not (_is_id(name) and int(name) in universe)):
            raise ValueError(f"items: {name!r} is not among the declared candidates. Nothing was spent")


def take(function: str, options: dict[str, Any]) -> tuple[Asked, dict[str, Any]]:
    """Takes from the options of a public function what is counted; returns it and the options of the release."""
    options = dict(options)
    if function not in _GROUPED + _LISTED:
        raise TypeError(f"{function} takes numbers, not rows: top_k with k=1 selects one item of a data frame")
    for name in ("labels", "kind", "sensitivity", "range"):
        if options.pop(name, None) is not None:
            raise TypeError(f"{name}= goes with ready-made numbers. Rows are counted, and one unit changes each count by at most 1")
    item = _taken_column(options, "item", "which column has the items?")
    unit = _taken_column(options, "unit", _core.whose_rows)
    listed, universe = options.pop("candidates", None), options.pop("universe", None)
    public = options.pop("items_are_public", None)
    if public not in (None, False, True):
        raise TypeError("items_are_public: give True or False")
    declared = (listed is not None) + (universe is not None) + bool(public)
    if declared > 1:
        raise ValueError("say one of candidates=, universe= and items_are_public=")
    unknown = _taken_unknown(function, options, bool(declared))
    listed = None if listed is None else _names(listed, "candidates")
    universe = None if universe is None else _checked_universe(universe)
    options["unit"] = unit
    cut = _taken_bound(options, unit)
    if function in _LISTED:
        _take_listed(function, options, listed)
    if listed is not None:
        options["candidates"] = list(listed)
    elif universe is not None:
        options["universe"] = universe
    elif not public and not unknown and function != "measure":
        raise ValueError(f"candidates: {_core.which_items}")
    elif function in _LISTED and public:
        options["items_are_public"] = True
    if function == "measure":
        named = _names(options.get("items", ()), "items")
        _check_named(named, listed, universe)
        asked = Asked(item, unit, named, None, *cut)
    else:
        asked = Asked(item, unit, listed, universe, *cut, unknown)
    if function in _GROUPED:
        options["mode"] = ("unknown items" if unknown else "public list" if listed is not None else
                           "public items" if universe is None else "universe")
    _rehearse(function, asked, options)
    return asked, options


class _Rehearsed:
    """A ledger that is looked at, and not charged: whether it is open, protects the unit, and has enough left."""

    def __init__(self, ledger: Any):
        self._ledger = ledger

    def _charged_to(self) -> tuple[str, str, bool]:
        return *self._ledger._charged_to(), True


def _rehearse(function: str, asked: Asked, options: dict[str, Any]) -> None:
    """Makes the release on made-up counts, all 0, and throws it away: what cannot be charged or drawn is refused before an engine counts.

    Nothing is charged. What is reserved depends on the options alone, not on the counts; the reservation itself decides anew."""
    if hasattr(ledger := options.get("ledger"), "_charged_to"):
        options = {**options, "ledger": _Rehearsed(ledger)}
    if function in _LISTED:
        names = asked.listed if asked.listed is not None else ("0",)
        release_labelled(function, options, names, array("q", [0] * len(names)))
        return
    try:
        k = operator.index(options.get("k"))  # type: ignore[arg-type]
    except TypeError:
        k = 0  # refused below
    enough = k + 1 if 0 < k < _LARGEST else 1  # how many items there are is not known yet
    many = len(asked.listed) if asked.listed is not None else enough if asked.universe is None else len(asked.universe)
    low = 0 if asked.universe is None else asked.universe.start
    groups = [] if asked.unknown or not many else [many]
    release_grouped(function, options, array("q", [0] * len(groups)), array("q", groups), lambda wanted: [low + rank for _, rank in wanted])


def _taken_unknown(function: str, options: dict[str, Any], declared: bool) -> bool:
    """Whether nobody listed the items. It stays among the options of the release."""
    unknown = options.pop("unknown_items", None)
    if unknown not in (None, False, True):
        raise TypeError("unknown_items: give True or False")
    if not unknown:
        return False
    if function not in _GROUPED:
        raise TypeError(f"{function} does not take unknown_items=: top_k and top_k_above select from items nobody listed")
    if declared:
        raise ValueError("unknown_items: the items are declared already, which needs no δ; leave it out")
    if options.get("max_items") is None and options.get("bounded_by") is None:
        raise ValueError("max_items: unknown_items=True needs it: the most items that one unit brings in. Without a bound one unit could bring in "
                         "any number of items, and δ would promise nothing. Each unit keeps so many of its items, chosen at random")
    options["unknown_items"] = True
    return True


def _taken_bound(options: dict[str, Any], unit: str) -> tuple[int | None, str]:
    """How many items a unit keeps, and the key that says which. The bound stays among the options of the release."""
    if options.pop("bounded_by", None) is not None:
        raise TypeError("bounded_by= goes with ready-made numbers. What freegap counts it also cuts: max_items=")
    most = options.pop("max_items", None)
    if most is None:
        return None, ""
    if isinstance(most, bool) or not hasattr(most, "__index__"):
        raise TypeError("max_items: give a whole number")
    if not 1 <= (most := operator.index(most)) <= _LARGEST:
        raise ValueError("max_items: it must be at least 1, and below 2^63")
    if unit == "row":  # a row has one item
        options["max_items"] = 1
        return None, ""
    options["max_items"] = most
    return most, _core.cut_key()


def _take_listed(function: str, options: dict[str, Any], listed: tuple[str, ...] | None) -> None:
    options["_counted"] = True
    orders = ("random", "label") if listed is None else ("random", "label", "file")
    if function == "sparse_vector" and (options.get("order") or "random") not in orders:
        raise ValueError("order: give \"random\" (the default), \"label\", or \"file\" with candidates=[...]: in the order of that list")


def release(function: str, asked: Asked, options: dict[str, Any], counted: Counted) -> Release:
    """Reserves, draws, names the winners, settles."""
    shown = shown_name if asked.public else lambda name: name
    if function in _LISTED:
        rows = list(counted.everything())
        return release_labelled(function, options, [shown(item) for item, _ in rows], array("q", [count for _, count in rows]))
    groups = list(counted.histogram())
    if asked.universe is not None:
        absent = len(asked.universe) - sum(many for _, many in groups)
        groups += [(0, absent)] if absent else []
    counts = array("q", [count for count, _ in groups])
    multiplicities = array("q", [many for _, many in groups])
    return release_grouped(function, options, counts, multiplicities,
                           lambda wanted: [shown(name) for name in counted.names([(counts[group], rank) for group, rank in wanted])])


class Tally:
    """A Counted in memory."""

    def __init__(self, asked: Asked, rows: Iterable[tuple[Any, int]]):
        counts = {_name(item, "item"): count for item, count in rows}
        self._universe = asked.universe
        if asked.listed is not None:
            counts = {name: counts.get(name, 0) for name in asked.listed}
        elif asked.universe is not None:
            counts = {name: count for name, count in counts.items() if count and _is_id(name) and int(name) in asked.universe}
        elif asked.unknown:
            counts = {name: count for name, count in counts.items() if count and is_good_name(name)}
        self._counts = counts
        self._groups: dict[int, list[str]] = {}
        for name, count in counts.items():
            self._groups.setdefault(count, []).append(name)

    def histogram(self) -> Iterable[tuple[int, int]]:
        return ((count, len(names)) for count, names in self._groups.items())

    def names(self, wanted: list[tuple[int, int]]) -> list[Any]:
        if self._universe is None or all(count for count, _ in wanted):
            return [self._groups[count][rank] for count, rank in wanted]
        present = sorted(map(int, self._counts))
        return [self._groups[count][rank] if count else self._absent(present, rank) for count, rank in wanted]

    def _absent(self, present: list[int], rank: int) -> int:
        """The id of this rank among those of the universe that are not present: see _counted."""
        low = self._universe.start  # type: ignore[union-attr]
        return low + rank + bisect_right(range(len(present)), rank, key=lambda i: present[i] - low - i)

    def everything(self) -> Iterable[tuple[Any, int]]:
        return self._counts.items()


def _is_id(name: str) -> bool:
    return len(name) <= 20 and re.fullmatch("0|-?[1-9][0-9]*", name) is not None


def shown_name(name: Any) -> Any:
    """What a release shows for an item that is no secret: its name, or where that cannot be shown, the name as JSON writes it, which begins and
    ends with a quotation mark. So does a name that does so itself, and one that is too long ends with its SHA-256: no two items look alike."""
    if not isinstance(name, str) or (is_good_name(name) and not (name[0] == name[-1] == '"')):
        return name
    written = json.dumps(name).replace("\x7f", "\\u007f")
    if len(written) < LONGEST_NAME and json.loads(written) == name:  # not so where JSON takes halves of surrogate pairs for a whole
        return written
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    rest = LONGEST_NAME - len(digest) - 2
    return f'{written[:rest].ljust(rest, ".")}:{digest}"'  # as long as no other name in quotation marks


def is_good_name(name: str) -> bool:
    """Whether a release can show it."""
    return _GOOD_NAME.fullmatch(name) is not None and len(name.encode()) <= LONGEST_NAME
