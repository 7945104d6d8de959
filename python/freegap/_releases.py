"""Releases: public data alone, frozen, with no reference to the numbers they are about."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Mapping, NoReturn, TypeAlias

from . import _core

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.axes import Axes

_OrNone: TypeAlias = Any

_ROWS = {"top_k": "winners", "top_k_above": "winners", "sparse_vector": "answers", "adaptive_sparse_vector": "answers",
         "measure": "measurements"}

_GAP = {"gap": float, "gap_ticks": int}
_ESTIMATE = dict.fromkeys(("estimate", "standard_error", "interval_low", "interval_high", "simultaneous_low", "simultaneous_high"), float)
_ABOVE = {"measured": float, **_ESTIMATE, "used_gap": bool, "lower": float, "p_not_above": float}
_ANSWERS = {"query": str, "above": bool, "branch": int, **_GAP, **_ABOVE, "spent": str}
#: The columns of a table and their types, whatever was released. Each may have nulls.
_COLUMNS: dict[str, dict[str, type]] = {
    "top_k": {"rank": int, "item": str, **_GAP, "measured": float, **_ESTIMATE, "used_gap": bool, "lead_at_least": float, "p_not_ahead": float},
    "top_k_above": {"rank": int, "item": str, **_GAP, "gap_to": str, **_ABOVE},
    "sparse_vector": _ANSWERS,
    "adaptive_sparse_vector": _ANSWERS,
    "exponential": {"item": str, **_GAP, **dict.fromkeys(("gap_in_utility", "lead_estimate", "lead_at_least", "p_not_best"), float)},
    "measure": {"item": str, "measured": float, "measured_ticks": int, **_ESTIMATE},
}
_PANDAS = {str: "string", int: "Int64", float: "float64", bool: "boolean"}
_ARROW = {str: "string", int: "int64", float: "float64", bool: "bool"}


class Row(dict[str, Any]):
    """One winner, answer or measurement: its members, also as attributes. Pairs are tuples.

    >>> import freegap as fg
    >>> row = fg.top_k([40, 2, 17], k=1, epsilon=100, ledger=None).winners[0]
    >>> row.item == row["item"] == "0"
    True
    """

    __slots__ = ()

    # The members of all mechanisms; a row has those of its own. Type checkers do not ask for None, which a caller can often rule out.
    item: str
    query: str
    rank: int
    above: bool
    branch: int
    gap: float | _OrNone
    gap_ticks: int | _OrNone
    gap_to: str
    gap_in_utility: float | _OrNone
    measured: float | _OrNone
    measured_ticks: int
    estimate: float | _OrNone
    standard_error: float | _OrNone
    interval: tuple[float, float] | _OrNone
    interval_low: float | _OrNone
    interval_high: float | _OrNone
    simultaneous: tuple[float, float] | _OrNone
    simultaneous_low: float | _OrNone
    simultaneous_high: float | _OrNone
    used_gap: bool | _OrNone
    lower: float | _OrNone
    p_not_above: float | _OrNone
    lead_estimate: float | _OrNone
    lead_at_least: float | _OrNone
    p_not_ahead: float | _OrNone
    p_not_best: float | _OrNone
    spent: str

    def __new__(cls, members: Mapping[str, Any]) -> Row:
        row = super().__new__(cls)
        dict.update(row, {name: tuple(value) if isinstance(value, list) else value for name, value in members.items()})
        return row

    def __init__(self, members: Mapping[str, Any]):
        """Does nothing: called again, the method of dict would change the row."""

    def __hash__(self) -> int:  # type: ignore[override]  # dict has none
        return hash(frozenset(self.items()))

    if not TYPE_CHECKING:  # for which the members are those above

        def __getattr__(self, name: str) -> Any:
            try:
                return self[name]
            except KeyError:
                raise AttributeError(f"{name!r}; there are {', '.join(self)}") from None

    def _frozen(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a release cannot be changed; dict(row) is a copy that can")

    __setitem__ = __delitem__ = __setattr__ = __delattr__ = _frozen  # type: ignore[assignment]
    update = pop = popitem = clear = setdefault = __ior__ = _frozen  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return Row, (dict(self),)


class Release(_core.Release):
    """What was released: winners, answers or measurements, with their cost.

    >>> import freegap as fg
    >>> release = fg.top_k([600000, 20, 300000], k=2, epsilon=1, ledger=None)
    >>> [winner.item for winner in release.winners], release.spent
    (['0', '2'], Fraction(1, 1))
    >>> release.to_dict()["mechanism"]
    'top_k'

    `to_dict()` is the document that the command line writes. Members of it that are not below are in there.
    """

    __slots__ = ("_document",)
    _document: dict[str, Any]

    def __init__(self, json: str):
        super().__init__(json)
        if problem := _problem_of(self._read()):
            raise ValueError(f"release: it is not a document that freegap wrote: {problem}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a release cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a release cannot be changed")

    def _read(self) -> dict[str, Any]:
        try:
            return self._document
        except AttributeError:
            document = json.loads(self.to_json())
            object.__setattr__(self, "_document", document)
            return document

    @property
    def mechanism(self) -> str:
        """Which mechanism made it."""
        return self._read()["mechanism"]

    @property
    def parameters(self) -> dict[str, Any]:
        """All public options."""
        return self.to_dict()["parameters"]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Its winners, answers or measurements; of the exponential mechanism, its choice; of another library's release, none."""
        document = self._read()
        if self.mechanism in _ROWS:
            return tuple(map(Row, document[_ROWS[self.mechanism]]))
        if "value" in document:
            return ()
        return (Row({name: document[name] for name in _COLUMNS["exponential"]}),)

    def _rows_of(self, member: str) -> tuple[Row, ...]:
        if _ROWS.get(self.mechanism) != member:
            raise AttributeError(f"a release of {self.mechanism} has no {member}")
        return self.rows

    @property
    def winners(self) -> tuple[Row, ...]:
        """The winners, best first."""
        return self._rows_of("winners")

    @property
    def answers(self) -> tuple[Row, ...]:
        """The answers of a sparse vector, in the order asked."""
        return self._rows_of("answers")

    @property
    def measurements(self) -> tuple[Row, ...]:
        """The measurements, in the order asked for."""
        return self._rows_of("measurements")

    @property
    def item(self) -> str:
        """The choice of the exponential mechanism."""
        if self.mechanism != "exponential":
            raise AttributeError(f"a release of {self.mechanism} has no single item")
        return self._read()["item"]

    def to_dict(self) -> dict[str, Any]:
        """The document as the command line writes it, as a new dict."""
        return json.loads(self.to_json())

    def _types(self) -> dict[str, type]:
        return _COLUMNS.get(self.mechanism, {})

    def _columns(self) -> dict[str, list[Any]]:
        rows = self.rows
        return {name: [row.get(name) for row in rows] for name in self._types()}

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas.DataFrame. Columns and their types depend on the mechanism alone; whole numbers are of the type Int64."""
        import pandas

        types = self._types()
        return pandas.DataFrame({name: pandas.Series(values, dtype=_PANDAS[types[name]]) for name, values in self._columns().items()})

    def to_polars(self) -> polars.DataFrame:
        """The rows as a polars.DataFrame. Columns and their types depend on the mechanism alone."""
        import polars

        return polars.DataFrame(self._columns(), schema=self._types(), strict=False)

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a pyarrow.Table. Columns and their types depend on the mechanism alone."""
        import pyarrow

        return pyarrow.table(self._columns(), pyarrow.schema([(name, _ARROW[kind]) for name, kind in self._types().items()]))

    def plot(self, ax: Axes | None = None) -> Axes:
        """A picture of it; needs matplotlib."""
        from . import plots

        return plots.release(self, ax=ax)

    def __repr__(self) -> str:
        lines = [f"<freegap {self.mechanism}: spent {self.spent} of {self.reserved} reserved{f', δ = {float(self.delta):.3g}' if self.delta else ''}>"]
        for row in self.rows[:10]:
            lines.append("  " + _line(row))
        if len(self.rows) > 10:
            lines.append(f"  ... {len(self.rows) - 10} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _core.release_html(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> Any:
        return Release, (self.to_json(),)


_core.use_release_class(Release)


def _is(value: Any, kind: type) -> bool:
    """Whether a column of this kind can have the value; each may have nulls."""
    if value is None or isinstance(value, bool):
        return value is None or kind is bool
    if kind is int:
        return isinstance(value, int) and -(2**63) <= value < 2**63
    return isinstance(value, (int, float) if kind is float else kind)


def _problem_of(document: dict[str, Any]) -> str | None:
    """Why a document cannot be shown, if it cannot. It comes from a file or a ledger, and may be damaged."""
    mechanism = document.get("mechanism")
    if not isinstance(mechanism, str) or not isinstance(document.get("parameters"), dict):
        return "it needs a mechanism and its parameters"
    for part, number in (("threshold", "used"), ("measurement", "scale")):
        if part in document and not (isinstance(document[part], dict) and isinstance(document[part].get(number), (int, float))):
            return f"its {part} has no {number}"
    if mechanism not in _COLUMNS:
        return None if "value" in document else "its mechanism is unknown"
    types = _COLUMNS[mechanism]
    rows = document.get(_ROWS[mechanism]) if mechanism in _ROWS else [document] if document.keys() >= types.keys() else None
    if not isinstance(rows, list):
        return "it has no rows"
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("item", row.get("query")), str):
            return "a row has no name"
        if not all(_is(row.get(name), kind) for name, kind in types.items()) or (row.get("estimate") is not None and row.get("standard_error") is None):
            return "a row has a member of another type, or an estimate without its standard error"
        pairs = (row[name] for name in ("interval", "simultaneous") if row.get(name) is not None)
        if not all(isinstance(pair, list) and len(pair) == 2 and all(_is(end, float) for end in pair) for pair in pairs):
            return "an interval is no pair of numbers"
    return None


def _line(row: Row) -> str:
    name = row.get("item", row.get("query"))
    if row.get("above") is False:
        return f"{name}: below"
    parts = []
    if row.get("estimate") is not None:
        parts.append(f"{row['estimate']:.1f} ± {row['standard_error']:.1f}")
    elif row.get("measured") is not None:
        parts.append(f"{row['measured']:.1f}")
    if row.get("gap") is not None:
        parts.append(f"gap {row['gap']:.1f}")
    return f"{name}: {', '.join(parts)}" if parts else str(name)
