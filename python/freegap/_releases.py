"""Releases: public data alone, frozen, with no reference to the numbers they are about."""

from __future__ import annotations

import html
import json
from fractions import Fraction
from typing import Any, Mapping

from . import _core

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
#: The columns that a notebook shows, where they are not empty.
_SHOWN = ("rank", "item", "query", "above", "gap", "estimate", "standard_error", "interval_low", "interval_high", "spent")
_SHOWN_OF_CHOICE = ("item", "gap", "lead_estimate", "lead_at_least", "p_not_best")
_PANDAS = {str: "string", int: "Int64", float: "float64", bool: "boolean"}
_ARROW = {str: "string", int: "int64", float: "float64", bool: "bool"}


class Row(dict):
    """One winner, answer or measurement: its members, also as attributes. Pairs are tuples.

    >>> import freegap as fg
    >>> row = fg.top_k([40, 2, 17], k=1, epsilon=100, ledger=None).winners[0]
    >>> row.item == row["item"] == "0"
    True
    """

    __slots__ = ()

    def __init__(self, members: Mapping[str, Any]):
        super().__init__((name, tuple(value) if isinstance(value, list) else value) for name, value in members.items())

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{name!r}; there are {', '.join(self)}") from None

    def _frozen(self, *_: Any, **__: Any) -> Any:
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
        members = ("item", "gap", "gap_ticks", "gap_in_utility", "lead_estimate", "lead_at_least", "p_not_best")
        return (Row({name: document[name] for name in members}),)

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

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame. Columns and their types depend on the mechanism alone; whole numbers are of the type Int64."""
        import pandas

        types = self._types()
        return pandas.DataFrame({name: pandas.Series(values, dtype=_PANDAS[types[name]]) for name, values in self._columns().items()})

    def to_polars(self) -> Any:
        """The rows as a polars.DataFrame. Columns and their types depend on the mechanism alone."""
        import polars

        return polars.DataFrame(self._columns(), schema=self._types(), strict=False)

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.Table. Columns and their types depend on the mechanism alone."""
        import pyarrow

        return pyarrow.table(self._columns(), pyarrow.schema([(name, _ARROW[kind]) for name, kind in self._types().items()]))

    def plot(self, ax: Any = None) -> Any:
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
        rows, types = self.rows, self._types()
        shown = _SHOWN_OF_CHOICE if self.mechanism == "exponential" else _SHOWN
        columns = [name for name in shown if name in types and (not rows or any(row.get(name) is not None for row in rows))]
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_shown(name, row.get(name)))}</td>" for name in columns) + "</tr>"
                       for row in rows[:50])
        more = f"<p>and {len(rows) - 50} more</p>" if len(rows) > 50 else ""
        facts = self._read()["parameters"]
        delta = f", &delta; = {float(self.delta):.3g}" if self.delta else ""
        protects = f", protects one {html.escape(facts['unit'])} ({facts['neighbours']})" if "unit" in facts else ""
        return (f"<p>{self.mechanism.replace('_', ' ')}: spent &epsilon; = {self.spent} of {self.reserved} reserved{delta}{protects}</p>"
                f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> Any:
        return Release, (self.to_json(),)


_core.use_release_class(Release)


def _shown(name: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.2g}" if name.startswith("p_") else f"{value:,.1f}"


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
