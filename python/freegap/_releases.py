"""Releases: public data alone, frozen, with no reference to the numbers they are about."""

from __future__ import annotations

import html
import json
from fractions import Fraction
from typing import Any

from . import _core

_ROWS = {"top_k": "winners", "top_k_above": "winners", "sparse_vector": "answers", "adaptive_sparse_vector": "answers",
         "measure": "measurements"}


class Row(dict):
    """One winner, answer or measurement: its members, also as attributes."""

    __slots__ = ()

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

    def _columns(self) -> dict[str, list[Any]]:
        names: dict[str, None] = {}
        for row in self.rows:
            names.update(dict.fromkeys(name for name in row if name not in ("interval", "simultaneous")))
        return {name: [row.get(name) for row in self.rows] for name in names}

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_polars(self) -> Any:
        """The rows as a polars.DataFrame."""
        import polars

        return polars.DataFrame(self._columns(), strict=False)

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.Table."""
        import pyarrow

        return pyarrow.table(self._columns())

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
        columns = [name for name in ("rank", "item", "query", "above", "gap", "estimate", "standard_error", "interval_low",
                                     "interval_high", "spent") if any(row.get(name) is not None for row in self.rows)]
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_shown(row.get(name)))}</td>" for name in columns) + "</tr>"
                       for row in self.rows[:50])
        more = f"<p>and {len(self.rows) - 50} more</p>" if len(self.rows) > 50 else ""
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


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:,.1f}" if isinstance(value, float) else str(value)


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
