"""What engines and data frames share besides counting: their functions, the columns that are asked for, and names in SQL."""

from __future__ import annotations

import inspect
import re
from typing import Any, Callable, Iterable

from . import _signatures
from ._core import without_passwords as without_passwords
from ._counting import Asked
from ._releases import Release

#: A table or a view, as SQL writes its name.
TABLE = re.compile(r'\s*(?:"(?:[^"]|"")+"|\w+)(?:\s*\.\s*(?:"(?:[^"]|"")+"|\w+)){0,2}\s*')

_ABOUT = {
    "top_k": "`freegap.top_k` of counted rows: the k largest, with their gaps.",
    "top_k_above": "`freegap.top_k_above` of counted rows: the k largest that are above a public threshold.",
    "sparse_vector": "`freegap.sparse_vector` of counted rows: which items are above a public threshold.",
    "measure": "`freegap.measure` of counted rows: `items=[...]` says which. No declaration of candidates is needed.",
}
_OPTIONS = ("`item` and `unit` name columns (or `unit=\"row\"`); one of `candidates`, `universe`, `items_are_public` and "
            "`unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`.")


def functions(released: Callable[..., Release], takes: str) -> tuple[Callable[..., Release], ...]:
    """top_k, top_k_above, sparse_vector and measure of an engine. `released` takes the name of the function, what is counted (`takes`
    describes it) and the options."""
    rows = list(inspect.signature(released).parameters.values())[1:-1]

    def made(name: str) -> Callable[..., Release]:
        @_signatures.signed(_signatures.counted(name, rows))
        def function(*counted: Any, **options: Any) -> Release:
            return released(name, *counted, options)

        function.__name__ = function.__qualname__ = name
        function.__module__ = released.__module__
        function.__doc__ = f"{_ABOUT[name]}\n\n    {takes}\n    {_OPTIONS}\n    "
        return function

    return tuple(map(made, _ABOUT))


def _check_column(column: str, columns: Iterable[Any], argument: str) -> None:
    names = list(columns)
    found = names.count(column)
    if found != 1:
        problem = "there is no column" if not found else "there are several columns"
        remedy = f". {column} is no str: rename the column" if not found and column in map(str, names) else ""
        raise ValueError(f"{argument}: {problem} {column!r}; the columns are {', '.join(map(str, names))}{remedy}")


def check_rows(asked: Asked, columns: Iterable[Any]) -> None:
    """Refuses `unit="row"` where a column has that name: it could mean either."""
    if asked.by_rows and "row" in columns:
        raise ValueError("unit: \"row\" counts rows, but there is a column of that name as well; rename it")


def check_columns(asked: Asked, columns: Iterable[Any]) -> None:
    """Refuses what names no column, several, or both a column and all rows."""
    _check_column(asked.item, columns, "item")
    if not asked.by_rows:
        _check_column(asked.unit, columns, "unit")
    check_rows(asked, columns)


def no_names(dtype: Any, remedy: str) -> TypeError:
    """The refusal of a column whose values are no items."""
    return TypeError(f"item: a column of {dtype} has no names. Items are text or whole numbers: {remedy}")


def quoted(name: str) -> str:
    """An identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"
