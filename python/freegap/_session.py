"""What a notebook would repeat in every call, said once."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import TYPE_CHECKING, Any, Callable

from . import _counting, _online, _signatures
from ._ledger import Ledger
from ._releases import Release
from ._signatures import NUMBERS_ONLY, PACKAGE, ROWS_ONLY, signed

if TYPE_CHECKING:
    from .typing import Neighbours

_DECLARATIONS = ("candidates", "universe", "items_are_public", "unknown_items")
_SAID_TOGETHER = (*_DECLARATIONS, "delta")  #: δ goes with unknown items
_HELD = frozenset(_signatures.session().parameters) - {"ledger"}


def _asks(function: str) -> Callable[[Any], Any]:
    """Gives a method the options of this function."""
    return signed(_signatures.method(_signatures.asked(PACKAGE[function])))


def _without_use(function: str, options: dict[str, Any]) -> tuple[str, ...]:
    """What else a function does not take, given its other options."""
    if function == "top_k" and not options.get("unknown_items"):
        return "prefer", "theta"
    return ("theta",) if function in ("top_k", "top_k_above") and options.get("prefer") != "estimates" else ()


class Session:
    """A ledger with the unit, the neighbours and the candidates of its data set.

    >>> import freegap as fg
    >>> ledger = fg.Ledger.create("books.db", dataset="sales", epsilon="3", unit="customer")
    >>> shop = fg.Session(ledger, candidates=["tea", "milk", "rye", "jam"])
    >>> release = shop.top_k([40, 17], labels=["tea", "rye"], k=1, epsilon="0.5")
    >>> release.parameters["unit"], release.parameters["candidates"]
    ('customer', 'public list')

    Unit and neighbours are those of the data set unless said otherwise. An argument of a call overrides that of the session, and None
    counts as not given (but `ledger=None` charges nothing). A function gets what it takes of all that the session holds: `max_items` goes
    with rows alone, `bounded_by`, `kind`, `sensitivity` and `range` with ready-made numbers. Engines get it, too:
    `shop.duckdb.top_k(connection, "sales", item="product", k=3, epsilon="0.5")`; so for `postgres` and `spark`. The candidates are copied:
    what is done to a list later does not change the declaration.
    """

    @signed(_signatures.method(_signatures.session()))
    def __init__(self, ledger: Ledger, **said: Any):
        if not isinstance(ledger, Ledger):
            raise TypeError("ledger: give a freegap.Ledger")
        if unknown := [name for name in said if name not in _HELD]:
            raise TypeError(f"Session() does not take {', '.join(map(repr, unknown))}. It holds options that calls would repeat, for example "
                            "unit=, neighbours=, candidates=; item=, labels= and items= are given to each call")
        said = {name: value for name, value in said.items() if value is not None}
        if "candidates" in said:
            said["candidates"] = _counting._names(said["candidates"], "candidates")
        self._said = {"ledger": ledger, "unit": ledger.unit, "neighbours": ledger.neighbours, **said}

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        return self._said["ledger"]

    @property
    def dataset(self) -> str:
        """The data set that calls are charged to."""
        return self.ledger.dataset

    @property
    def unit(self) -> str:
        """Whose presence is protected."""
        return self._said["unit"]

    @property
    def neighbours(self) -> Neighbours:
        """Which data sets are neighbours."""
        return self._said["neighbours"]

    @property
    def candidates(self) -> tuple[str, ...] | None:
        """The names that can win, if the session holds them."""
        return self._said.get("candidates")

    def __repr__(self) -> str:
        held = dict(self._said)
        del held["ledger"]
        names = held.pop("candidates", None)
        parts = [f"{name}={value!r}" for name, value in held.items()] + ([] if names is None else [f"{len(names)} candidates"])
        return f"<freegap session of {self.dataset!r} in {self.ledger.path!r}: {', '.join(parts)}>"

    def _options(self, function: str, options: dict[str, Any], rows: bool = False) -> dict[str, Any]:
        """The options of a call, with what the session holds. `rows` says that rows are counted."""
        options = {name: value for name, value in options.items() if value is not None or name == "ledger"}
        rows = rows or "item" in options
        held = {name: value for name, value in self._said.items() if name in PACKAGE[function].parameters}
        positions = not rows and "labels" not in options  # these need no declaration
        another = any(options.get(said_now, False) is not False for said_now in _DECLARATIONS)
        if positions or another:  # one takes the place of another
            for replaced in _SAID_TOGETHER:
                held.pop(replaced, None)
        if rows and self.ledger.column is not None:  # rows name their unit by a column
            held["unit"] = self.ledger.column
        for name in (*(NUMBERS_ONLY if rows else ROWS_ONLY), *_without_use(function, {**held, **options})):
            held.pop(name, None)
        return {**held, **options}

    def _call(self, name: str, values: Any, options: dict[str, Any]) -> Release:
        import freegap

        return getattr(freegap, name)(values, **self._options(name, options))

    @_asks("top_k")
    def top_k(self, values: Any, **options: Any) -> Release:
        """`freegap.top_k`, with what the session holds."""
        return self._call("top_k", values, options)

    @_asks("top_k_above")
    def top_k_above(self, values: Any, **options: Any) -> Release:
        """`freegap.top_k_above`, with what the session holds."""
        return self._call("top_k_above", values, options)

    @_asks("sparse_vector")
    def sparse_vector(self, values: Any, **options: Any) -> Release:
        """`freegap.sparse_vector`, with what the session holds."""
        return self._call("sparse_vector", values, options)

    @_asks("exponential")
    def exponential(self, values: Any, **options: Any) -> Release:
        """`freegap.exponential`, with what the session holds."""
        return self._call("exponential", values, options)

    @_asks("measure")
    def measure(self, values: Any, **options: Any) -> Release:
        """`freegap.measure`, with what the session holds."""
        return self._call("measure", values, options)

    @_asks("SparseVector")
    def SparseVector(self, **options: Any) -> _online.SparseVector:  # noqa: N802: the name of the class
        """`freegap.SparseVector`, with what the session holds."""
        return _online.SparseVector(**self._options("SparseVector", options))

    @property
    def duckdb(self) -> _Engine:
        """The functions of freegap.duckdb, with what the session holds."""
        return _Engine(self, "duckdb")

    @property
    def postgres(self) -> _Engine:
        """The functions of freegap.postgres, with what the session holds."""
        return _Engine(self, "postgres")

    @property
    def spark(self) -> _Engine:
        """The functions of freegap.spark, with what the session holds."""
        return _Engine(self, "spark")


class _Engine:
    """The functions of an engine, with what a session holds."""

    def __init__(self, session: Session, engine: str):
        module = importlib.import_module(f"freegap.{engine}")
        for name in module.__all__:
            setattr(self, name, _of_session(session, getattr(module, name)))


def _of_session(session: Session, function: Callable[..., Any]) -> Callable[..., Any]:
    @signed(_signatures.asked(inspect.signature(function)))
    @functools.wraps(function)
    def call(*counted: Any, **options: Any) -> Release:
        return function(*counted, **session._options(function.__name__, options, rows=True))

    return call
