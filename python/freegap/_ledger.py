"""The ledger of budgets: the file or the database that the command line keeps, with the same guarantees."""

from __future__ import annotations

import json
import os
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from . import _core
from ._releases import Release

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .typing import Exact, Neighbours


#: The path of a ledger, or the address of a database.
_Place: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

#: What may be the address of a database. C++ opens it, or refuses it without repeating it.
_ADDRESS = re.compile(r"\s*postgres[\w+.-]*:|.*://", re.IGNORECASE | re.DOTALL)


def _place(name: _Place) -> str:
    """The absolute path of a file, or an address as it is: in a path it would no longer be recognised."""
    text = os.fsdecode(name)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("path: the name of a ledger must be UTF-8, and this one has other bytes; choose another, or rename the file") from None
    return text if _ADDRESS.match(text) else os.path.abspath(text)


class _Amounts(NamedTuple):
    """What there is of ε or of δ: remaining = total - spent - reserved."""

    total: Fraction
    spent: Fraction
    reserved: Fraction
    remaining: Fraction


def _amounts(fractions: dict[str, str]) -> _Amounts:
    return _Amounts(*(Fraction(fractions[name]) for name in _Amounts._fields))


class Balance(_Amounts):
    """The budget of a data set: the four numbers of ε, and those of δ as `delta`. remaining = total - spent - reserved."""

    #: The same four numbers of δ; all 0 where the data set was made without one.
    delta: _Amounts = _Amounts(Fraction(0), Fraction(0), Fraction(0), Fraction(0))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == other and (not isinstance(other, Balance) or self.delta == other.delta)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = _Amounts.__hash__


class Ledger:
    """A data set in a ledger, to which releases are charged.

    >>> import freegap as fg
    >>> with fg.Ledger.create("books.db", dataset="shop", epsilon="3", unit="customer") as ledger:
    ...     release = fg.top_k([40, 2, 17], k=1, epsilon="0.5", unit="customer", ledger=ledger)
    ...     ledger.balance().remaining
    Fraction(5, 2)

    A release goes reserve, draw, settle, show, in this order. An exception, a killed kernel and a closed notebook leave what
    the command line would: before the charge nothing, after it the reservation. The ledger may be used by any number of
    processes and threads at once, the command line included. A team shares one in a PostgreSQL database: its name is then
    a URL, "postgresql://USER@HOST/DATABASE", without a password.
    """

    def __init__(self, path: _Place, *, dataset: str):
        self._path = _place(path)
        self._dataset = dataset
        self._open = True
        self._about()  # refuses what is no ledger, or has no such data set

    @classmethod
    def create(cls, path: _Place, *, dataset: str, epsilon: Exact, unit: str, neighbours: Neighbours = "add-remove",
               column: str | None = None, delta: Exact | None = None) -> "Ledger":
        """Adds a data set to a ledger, which is made if there is none: all releases about it may cost `epsilon` together.

        Releases that are (ε, δ)-differentially private need a `delta` besides: what all of them may cost together.
        """
        _core.ledger_create(_place(path), dataset, epsilon, unit, neighbours, column, delta)
        return cls(path, dataset=dataset)

    @staticmethod
    def datasets(path: _Place) -> list[str]:
        """The names of the data sets in a ledger, in the order in which they were made.

        >>> import freegap as fg
        >>> shop = fg.Ledger.create("books.db", dataset="shop", epsilon=3, unit="customer")
        >>> site = fg.Ledger.create("books.db", dataset="site", epsilon=2, unit="visitor")
        >>> fg.Ledger.datasets("books.db")
        ['shop', 'site']
        """
        return json.loads(_core.ledger_datasets(_place(path)))

    def _charged_to(self) -> tuple[str, str]:
        if not self._open:
            raise ValueError("ledger: it was left (by close(), or at the end of its `with` block); open it again")
        return self._path, self._dataset

    def _about(self) -> dict[str, Any]:
        return json.loads(_core.ledger_about(*self._charged_to()))

    @property
    def path(self) -> str:
        """The file, or the URL."""
        return self._path

    @property
    def dataset(self) -> str:
        """The data set in it."""
        return self._dataset

    @property
    def unit(self) -> str:
        """Whose presence is protected."""
        return self._about()["unit"]

    @property
    def neighbours(self) -> Neighbours:
        """Which data sets are neighbours."""
        return self._about()["neighbours"]

    @property
    def column(self) -> str | None:
        """The column that names the unit, where the data set is tied to one."""
        return self._about()["column"]

    def balance(self) -> Balance:
        """What was spent, what is reserved by unfinished releases, and what is left; of δ in the attribute `delta`."""
        about = self._about()
        balance = Balance(*_amounts(about))
        balance.delta = _amounts(about["delta"])
        return balance

    def history(self) -> list[dict[str, Any]]:
        """All entries of the data set, oldest first. `spent` is None while an entry is unfinished."""
        entries = json.loads(_core.ledger_history(*self._charged_to()))
        for entry in entries:
            for name in ("reserved", "delta", "spent"):
                entry[name] = None if entry[name] is None else Fraction(entry[name])
        return entries

    def show(self, entry: int) -> Release:
        """The release of an entry, again, free of charge."""
        text = _core.ledger_stored(self._charged_to()[0], entry)
        if text is None:
            raise ValueError(f"entry {entry} is unfinished: nothing was released, and its reservation stays charged")
        return Release(text)

    def head(self) -> tuple[int, str]:
        """The number of rows and the hash of the last one. Keep it elsewhere: `check` tells whether the ledger continues from it."""
        return _core.ledger_head(self._charged_to()[0])

    def check(self, head: tuple[int, str] | None = None) -> tuple[int, str]:
        """Reads and checks the whole ledger, and with `head` that it continues from there. Raises ValueError otherwise."""
        return _core.ledger_check(self._charged_to()[0], head)

    def copy(self, to: _Place, *, closed: bool = False) -> tuple[int, str]:
        """Copies the whole ledger, with all its data sets, to a new file or database. Returns the head of the copy.

        The data sets of this ledger are closed: releases go on in the copy. With `closed=True` those of the copy are.
        """
        return _core.ledger_copy(self._charged_to()[0], _place(to), closed)

    def close(self) -> None:
        """Leaves the ledger, as the end of a `with` block does. The data set stays as it is: open it again to go on."""
        self._open = False

    def close_dataset(self) -> None:
        """Closes the data set for good: nothing can be charged to it any more, by anybody."""
        _core.ledger_close(*self._charged_to())

    def plot(self, ax: Axes | None = None) -> Axes:
        """What was spent over time; needs matplotlib."""
        from . import plots

        return plots.ledger(self, ax=ax)

    def __enter__(self) -> "Ledger":
        self._charged_to()
        return self

    def __exit__(self, *_: Any) -> None:
        self._open = False

    def __repr__(self) -> str:
        if not self._open:
            return f"<freegap ledger {self._path!r}, data set {self._dataset!r}, left>"
        balance = self.balance()
        return f"<freegap ledger {self._path!r}, data set {self._dataset!r}: {balance.remaining} left of {balance.total}>"
