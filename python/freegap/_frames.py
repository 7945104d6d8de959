"""Data frames: pandas, Polars and Arrow count their rows by their own means.

>>> import polars
>>> import freegap as fg
>>> sales = polars.DataFrame({"product": ["tea"] * 900 + ["jam"] * 600 + [None], "customer": [*range(900), *range(600), 7]})
>>> release = fg.top_k(sales, item="product", unit="customer", candidates=["tea", "jam", "rye"], k=2, epsilon=1, ledger=None)
>>> [winner.item for winner in release.winners]
['tea', 'jam']

Rows without an item or a unit are left out one by one. A frame of another library that hands out Arrow streams is read by pyarrow.
"""

from __future__ import annotations

import sys
from typing import Any, Iterable

from . import _contribution, _counting
from ._counting import Asked
from ._engine import check_columns, no_names
from ._releases import Release

Rows = Iterable[tuple[Any, int]]

_OLDEST_POLARS = (1, 32)


def release(function: str, frame: Any, options: dict[str, Any]) -> Release:
    """The release `function` of the counted rows of a data frame."""
    for argument in ("item", "unit"):
        if isinstance(named := options.get(argument), (int, tuple)):  # as pandas may name a column
            raise TypeError(f'{argument}: give the name of a column, a str; rename the column, in pandas by frame.rename(columns={{{named!r}: "name"}})')
    asked, options = _counting.take(function, options)
    kind, count = _counter(frame)
    tally = _counting.Tally(asked, count(frame, asked))
    return _counting.release(function, asked, {**options, "input": f"{kind}, items in the column {asked.item!r}"}, tally)


def _counter(frame: Any) -> tuple[str, Any]:
    """How rows are counted. A package that was not imported has made no frame, so none is imported here."""
    pandas, polars, pyarrow = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        return "pandas.DataFrame", _count_pandas
    if polars is not None and isinstance(frame, (polars.DataFrame, polars.LazyFrame)):
        return f"polars.{type(frame).__name__}", _count_polars
    if pyarrow is not None and isinstance(frame, (pyarrow.Table, pyarrow.RecordBatch)):
        return f"pyarrow.{type(frame).__name__}", _count_arrow
    columns = [package.Series for package in (pandas, polars) if package is not None] + ([] if pyarrow is None else [pyarrow.ChunkedArray])
    if hasattr(frame, "__arrow_c_stream__") and not isinstance(frame, tuple(columns)):
        return "Arrow stream", _count_arrow
    raise TypeError("item= goes with a data frame of pandas, Polars or Arrow; one column of it has no other columns to name. Ready-made numbers go "
                    "without item=. Engines and files: freegap.duckdb, freegap.postgres, freegap.spark")


def _cut_down(asked: Asked, units: Iterable[tuple[Any, list[Any]]]) -> Rows:
    """Counts the items of units that are cut down to the bound. `units` has each once, as the frame tells units apart, with its distinct
    items. Items that nobody keeps count 0."""
    assert asked.max_items is not None
    counts: dict[Any, int] = {}
    for unit, items in units:
        if asked.unknown:  # before the cut: what a release cannot show takes no place of what it can
            items = [item for item in items if not isinstance(item, str) or _counting.is_good_name(item)]
        for item in items:
            counts.setdefault(item, 0)
        for item in _contribution.kept(asked.key, asked.max_items, unit, items):
            counts[item] += 1
    return counts.items()


def _count_pandas(frame: Any, asked: Asked) -> Rows:
    import pandas

    check_columns(asked, frame.columns)
    items = _decoded(pandas, frame[asked.item])
    dtype = items.dtype.categories.dtype if isinstance(items.dtype, pandas.CategoricalDtype) else items.dtype
    known = pandas.api.types.is_integer_dtype(dtype) or (dtype != object and pandas.api.types.is_string_dtype(dtype))
    # Objects may be anything: a truth value among numbers would be counted as 1.
    if not known and not (dtype == object and _one_kind(pandas, items)):
        raise no_names(dtype, f'for example frame[{asked.item!r}].astype("Int64") or .astype("string")')
    if asked.by_rows:
        counts = items.dropna().value_counts(sort=False)
    else:
        pairs = pandas.DataFrame({"item": items, "unit": _decoded(pandas, frame[asked.unit])}).dropna().drop_duplicates()
        if asked.max_items is not None:
            # groupby fails at units that UTF-8 cannot write. factorize tells units apart as drop_duplicates does.
            units: dict[int, tuple[Any, list[Any]]] = {}
            for code, unit, item in zip(pandas.factorize(pairs["unit"].values)[0].tolist(), pairs["unit"].tolist(), pairs["item"].tolist()):
                units.setdefault(code, (unit, []))[1].append(item)
            return _cut_down(asked, units.values())
        counts = pairs["item"].value_counts(sort=False)
    counts = counts[counts > 0]  # a category need not occur
    return zip(counts.index.tolist(), counts.tolist())


def _decoded(pandas: Any, column: Any) -> Any:
    """A dictionary of Arrow as its values: nulls may be in the dictionary, and two dictionaries cannot be compared."""
    dtype: Any = getattr(column.dtype, "pyarrow_dtype", None)
    dictionary = hasattr(dtype, "value_type") and hasattr(dtype, "index_type")
    return column.astype(pandas.ArrowDtype(dtype.value_type)) if dictionary else column


def _one_kind(pandas: Any, items: Any) -> bool:
    """Whether objects are all text, or all whole numbers."""
    objects = items.cat.categories if isinstance(items.dtype, pandas.CategoricalDtype) else items
    return pandas.api.types.infer_dtype(objects, skipna=True) in ("string", "integer", "empty")


def _count_polars(frame: Any, asked: Asked) -> Rows:
    import polars

    if tuple(map(int, polars.__version__.split(".")[:2])) < _OLDEST_POLARS:  # which has no streams, or panics at categories
        raise ImportError(f"data frames of Polars need Polars {'.'.join(map(str, _OLDEST_POLARS))} or newer, and this is {polars.__version__}: "
                          "pip install --upgrade polars. Nothing was spent", name="polars")
    lazy = frame.lazy()
    schema = lazy.collect_schema()
    check_columns(asked, schema.names())
    dtype = schema[asked.item]
    if not (dtype.is_integer() or dtype in (polars.String, polars.Categorical, polars.Enum)):
        raise no_names(dtype, f'for example polars.col({asked.item!r}).cast(polars.String)')
    def place(column: str) -> Any:
        """A column by its place: ^...$ is a pattern to polars.col, and to the selectors of some versions."""
        return polars.nth(schema.names().index(column))

    rows = lazy.select(item=place(asked.item)) if asked.by_rows else lazy.select(item=place(asked.item), unit=place(asked.unit))
    rows = rows.drop_nulls() if asked.by_rows else rows.drop_nulls().unique()
    if asked.max_items is not None:
        units = rows.group_by("unit").agg("item").collect(engine="streaming")
        return _cut_down(asked, zip(units["unit"].to_list(), units["item"].to_list()))
    # Counting by streams needs memory for the counts, and not for the rows of a lazy frame.
    counts = rows.group_by("item").len(name="count").collect(engine="streaming")
    return zip(counts["item"].to_list(), counts["count"].to_list())


def _count_arrow(frame: Any, asked: Asked) -> Rows:
    try:
        import pyarrow
        from pyarrow import types
    except ImportError as problem:
        raise ImportError("a data frame that hands out an Arrow stream is read by pyarrow, which cannot be imported: pip install pyarrow. Frames of "
                          "pandas and Polars do without. Nothing was spent", name="pyarrow") from problem

    table = pyarrow.table(frame)
    check_columns(asked, table.column_names)
    dtype = table.schema.field(asked.item).type
    dtype = dtype.value_type if types.is_dictionary(dtype) else dtype
    text = types.is_string(dtype) or types.is_large_string(dtype) or str(dtype) == "string_view"  # unknown to older versions
    if not text and not types.is_integer(dtype):
        raise no_names(dtype, "for example table.column(name).cast(pyarrow.string())")
    columns = {"item": table.column(asked.item).cast(pyarrow.large_string() if text else dtype)}
    if not asked.by_rows:
        unit = table.column(asked.unit)
        # As values: nulls may be in a dictionary, and each chunk may have another one.
        columns["unit"] = unit.cast(unit.type.value_type) if types.is_dictionary(unit.type) else unit
    rows = pyarrow.table(columns).drop_null()
    if not asked.by_rows:
        rows = rows.group_by(["item", "unit"]).aggregate([])
    if asked.max_items is not None:
        units = rows.group_by("unit").aggregate([("item", "list")])
        return _cut_down(asked, zip(units.column("unit").to_pylist(), units.column("item_list").to_pylist()))
    counts = rows.group_by("item").aggregate([([], "count_all")])
    return zip(counts.column("item").to_pylist(), counts.column("count_all").to_pylist())
