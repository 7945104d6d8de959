"""Data frames of pandas, Polars and Arrow: the counts are those of brute force, and nothing else is said."""

import doctest
import json
import subprocess
import sys
import textwrap
from fractions import Fraction

import numpy
import pytest

import freegap as fg
from freegap import _counting
from counting import ROWS, SHOWN, SURE, counted, estimates, optional, options_of

KINDS = ["pandas", "pandas objects", "pandas categories", "pandas arrow", "pandas dictionaries", "polars", "polars lazy", "polars categories", "arrow",
         "arrow batch", "arrow dictionary", "arrow dictionaries", "arrow stream"]


class Stream:
    """What any other library may give: an Arrow stream and no more."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def in_dictionaries(values):
    """A column of Arrow whose chunks have dictionaries of their own, with the nulls in them."""
    pyarrow = optional("pyarrow")
    kind, chunks = pyarrow.array(values).type, []
    for part in (values[:len(values) // 2], values[len(values) // 2:]):
        names = list(dict.fromkeys(part))
        chunks.append(pyarrow.DictionaryArray.from_arrays([names.index(value) for value in part], pyarrow.array(names, kind)))
    return pyarrow.chunked_array(chunks)


def made(kind, columns):
    package, _, form = kind.partition(" ")
    if form == "dictionaries":
        columns = {name: in_dictionaries(values) for name, values in columns.items()}
        if package == "arrow":
            return optional("pyarrow").table(columns)
        pandas = optional("pandas")
        return pandas.DataFrame({name: pandas.arrays.ArrowExtensionArray(column) for name, column in columns.items()})
    if package == "pandas":
        frame = optional("pandas").DataFrame(columns)
        if form == "objects":
            return frame.astype({"product": object})
        if form == "categories":
            return frame.astype({"product": "category"})
        return frame.convert_dtypes(dtype_backend="pyarrow") if form == "arrow" else frame
    if package == "polars":
        polars = optional("polars")
        frame = polars.DataFrame(columns)
        if form == "categories":
            return frame.with_columns(polars.col("product").cast(polars.String).cast(polars.Categorical))
        return frame.lazy() if form == "lazy" else frame
    pyarrow = optional("pyarrow")
    table = pyarrow.table(columns)
    if form == "dictionary":
        column = table.column("product").cast(pyarrow.string()).dictionary_encode()
        return table.set_column(0, "product", column)
    if form == "batch":
        return table.combine_chunks().to_batches()[0]
    return Stream(table) if form == "stream" else table


def columns_of(rows):
    return {"product": [item for item, _ in rows], "customer": [unit for _, unit in rows]}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.mark.parametrize("by_rows", [False, True])
def test_counts_are_those_of_brute_force(kind, by_rows):
    frame = made(kind, columns_of(ROWS))
    truth = counted(ROWS, by_rows)
    release = fg.top_k(frame, items_are_public=True, k=len(truth) - 1, **options_of(by_rows), **SURE)
    assert release.parameters["candidates"] == "public items"
    assert release.parameters["candidate_count"] == len(truth)
    assert estimates(release) == dict(truth.most_common(len(truth) - 1))


def test_a_list_counts_what_is_on_it(kind):
    frame = made(kind, columns_of(ROWS))
    release = fg.top_k(frame, candidates=["jam", "é", 42, "absent", "ghost"], k=5, **options_of(False), **SURE)
    assert estimates(release) == {"jam": 7, "42": 3, "é": 2, "absent": 0, "ghost": 0}
    assert release.parameters["candidate_count"] == 5


@pytest.mark.parametrize("kind", ["pandas", "pandas arrow", "pandas objects", "polars", "polars lazy", "arrow", "arrow dictionary"])
def test_ids_of_a_universe(kind):
    rows = [(item, unit) for item, units in {-3: 9, 5: 7, 6: 5, 900: 4}.items() for unit in range(units)] + [(None, 1)]
    if kind == "pandas":  # a column of whole numbers with a null is one of floats, which is refused with the remedy
        with pytest.raises(TypeError, match="Int64"):
            fg.top_k(made(kind, columns_of(rows)), universe=range(-3, 7), k=3, **options_of(False), **SURE)
        frame = made(kind, columns_of(rows)).astype({"product": "Int64"})
    else:
        frame = made(kind, columns_of(rows)) if kind != "pandas objects" else made("pandas", columns_of(rows[:-1])).astype({"product": object})
    release = fg.top_k(frame, universe=range(-3, 7), k=10, **options_of(False), **SURE)
    found = estimates(release)
    assert found == {"-3": 9, "5": 7, "6": 5} | {str(i): 0 for i in range(-2, 5)}
    assert release.parameters["candidate_count"] == 10
    assert estimates(fg.top_k(frame, items_are_public=True, k=4, **options_of(False), **SURE))["900"] == 4


def test_texts_are_ids_as_they_are_written_best():
    rows = [(text, unit) for unit in range(5) for text in ("7", "007", "+7", "8", " 8", "-0", "9" * 5000)]
    frame = made("polars", columns_of(rows))
    assert estimates(fg.top_k(frame, universe=range(6, 9), k=3, **options_of(False), **SURE)) == {"7": 5, "8": 5, "6": 0}


def test_absent_ids_are_named_each_once():
    rows = [(item, unit) for item in (0, 1, 4, 7, 9) for unit in range(5)]
    frame = made("polars", columns_of(rows))
    found = estimates(fg.top_k(frame, universe=range(0, 10), k=10, **options_of(False), **SURE))
    assert {item for item, count in found.items() if count == 0} == {"2", "3", "5", "6", "8"}


@pytest.mark.parametrize("by_rows", [False, True])
def test_other_functions(kind, by_rows):
    frame = made(kind, columns_of(ROWS))
    truth = counted(ROWS, by_rows)
    middle = (truth["42"] + truth["é"]) / 2
    columns = options_of(by_rows)
    release = fg.top_k_above(frame, items_are_public=True, threshold=middle, k=4, **columns, **SURE)
    assert estimates(release) == {item: n for item, n in truth.items() if n > middle and item != "ghost"}
    release = fg.sparse_vector(frame, candidates=list(truth) + ["absent"], threshold=middle, k=10, order="file", **columns, **SURE)
    assert [answer.query for answer in release.answers] == list(truth) + ["absent"]
    assert {answer.query for answer in release.answers if answer.above} == {item for item, n in truth.items() if n > middle}
    release = fg.measure(frame, items=["jam", "absent", 42], **columns, **SURE)
    assert estimates(release) == {"jam": truth["jam"], "absent": 0, "42": truth["42"]}


@pytest.mark.parametrize("bound", [{}, {"max_items": 9}])
def test_lazy_frames_are_counted_by_streams(folder, monkeypatch, bound):
    polars = optional("polars")
    polars.DataFrame(columns_of(ROWS)).write_parquet(folder / "sales.parquet")
    engines = []
    collect = polars.LazyFrame.collect
    monkeypatch.setattr(polars.LazyFrame, "collect", lambda self, **given: engines.append(given) or collect(self, **given))
    lazy = polars.scan_parquet(folder / "sales.parquet").filter(polars.col("product") != "tea")
    release = fg.top_k(lazy, candidates=["tea", "jam"], k=2, **options_of(False), **bound, **SURE)
    assert estimates(release) == {"tea": 0, "jam": 7}
    assert engines == [{"engine": "streaming"}]  # once: another evaluation could give other rows


def test_a_sparse_vector_of_a_universe():
    frame = made("polars", {"product": [3, 3, 4, 99], "customer": [1, 2, 1, 1]})
    release = fg.sparse_vector(frame, universe=range(0, 6), threshold=0.5, k=6, **options_of(False), **SURE)
    assert {answer.query for answer in release.answers if answer.above} == {"3", "4"}


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_names_of_columns_are_taken_as_they_are(kind):
    columns = columns_of(ROWS)
    frame = made(kind, {"^.*$": columns["product"], 'a "b" *': columns["customer"], "other": columns["product"]})
    release = fg.top_k(frame, item="^.*$", unit='a "b" *', items_are_public=True, k=1, **SURE)
    assert estimates(release) == {"tea": 9}


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars lazy", "arrow", "arrow stream"])
def test_rows_are_not_counted_where_a_column_is_named_row(kind, folder):
    ledger = fg.Ledger.create(folder / "rows.db", dataset="shop", epsilon=9, unit="row")
    frame = made(kind, {"product": ["a", "a", "b"], "row": [1, 1, 2]})
    for function, options in ((fg.top_k, {"k": 1}), (fg.measure, {"items": ["a"]}), (fg.sparse_vector, {"k": 1, "threshold": 1})):
        with pytest.raises(ValueError, match="a column of that name as well"):
            function(frame, item="product", unit="row", candidates=["a", "b"], epsilon=1, ledger=ledger, **options)
    assert ledger.history() == []


@pytest.mark.parametrize("bound", [{}, {"max_items": 2}])
def test_units_that_cannot_be_written(bound):
    """Half of a surrogate pair is a value as any other."""
    pandas = optional("pandas")
    frame = pandas.DataFrame({"product": ["a", "a", "b", "a"], "customer": pandas.Series(["x", "\ud800", "\ud800", None], dtype=object)})
    assert estimates(fg.top_k(frame, candidates=["a", "b"], k=2, **bound, **options_of(False), **SURE)) == {"a": 2, "b": 1}


def test_pandas_tells_units_apart_before_and_after_the_cut():
    """To pandas two NaN in tuples are the same, and 1 is True; a dict of Python would give such a unit several bounds."""
    pandas = optional("pandas")
    units = [(float("nan"),), (float("nan"),), (float("nan"),), 1, True]
    frame = pandas.DataFrame({"product": ["a", "b", "c", "a", "b"], "customer": pandas.Series(units, dtype=object)})
    kept = estimates(fg.top_k(frame, candidates=["a", "b", "c"], k=3, max_items=1, **options_of(False), **SURE))
    assert sum(kept.values()) == 2


@pytest.mark.parametrize("bound", [{}, {"max_items": 2}])
@pytest.mark.parametrize("kind", ["arrow dictionaries", "pandas dictionaries"])
def test_nulls_in_dictionaries_are_no_units(kind, bound):
    frame = made(kind, {"product": ["a", "a", "a", "b"], "customer": ["x", None, None, "x"]})
    assert estimates(fg.top_k(frame, candidates=["a", "b"], k=2, **bound, **options_of(False), **SURE)) == {"a": 1, "b": 1}


def test_columns_that_are_numbered():
    frame = optional("pandas").DataFrame({0: ["a", "b"], 1: [1, 2], ("x", "y"): [3, 4]})
    for columns in ({"item": 0, "unit": "row"}, {"item": "product", "unit": 1}, {"item": "0", "unit": "row"}, {"item": ("x", "y"), "unit": "row"}):
        with pytest.raises((TypeError, ValueError), match="rename the column"):
            fg.top_k(frame, candidates=["a"], k=1, **columns, **SURE)


def test_pandas_nulls_are_found_in_units_that_became_floats():
    pandas = optional("pandas")
    frame = pandas.DataFrame({"product": ["a", "a", "a", "b"], "customer": [1, 1, None, None]})
    assert frame["customer"].dtype == float
    assert estimates(fg.top_k(frame, candidates=["a", "b"], k=2, **options_of(False), **SURE)) == {"a": 1, "b": 0}


def test_categories_that_do_not_occur_are_no_items():
    pandas = optional("pandas")
    frame = pandas.DataFrame({"product": pandas.Categorical(["a", "a"], categories=["a", "b", "c"]), "customer": [1, 2]})
    assert fg.top_k(frame, items_are_public=True, k=1, **options_of(False), **SURE).parameters["candidate_count"] == 1


BAD_ITEMS = [("pandas", [1.5, 2.5]), ("pandas", [True, False]), ("pandas objects", ["a", 1]), ("pandas objects", [1, True]),
             ("polars", [1.5, 2.5]), ("polars", [[1], [2]]), ("arrow", [1.5, 2.5]), ("arrow", [True, False])]


@pytest.mark.parametrize("kind, items", BAD_ITEMS)
def test_columns_that_hold_no_names(kind, items):
    with pytest.raises(TypeError, match="text or whole numbers"):
        fg.top_k(made(kind, {"product": items, "customer": [1, 2]}), items_are_public=True, k=1, **options_of(False), **SURE)


@pytest.mark.parametrize("name, shown", SHOWN.items())
def test_names_that_cannot_be_shown_as_they_are(name, shown):
    """A release shows them as JSON writes them, and no other name looks like that."""
    frame = made("polars", {"product": ["tea", name, name], "customer": [1, 2, 3]})
    assert estimates(fg.top_k(frame, items_are_public=True, k=2, **options_of(False), **SURE)) == {shown: 2, "tea": 1}
    above = fg.sparse_vector(frame, items_are_public=True, threshold="1/2", k=2, measure=0.5, **options_of(False), **SURE)
    assert {row["query"]: round(row["measured"]) for row in above.rows} == {shown: 2, "tea": 1}
    assert estimates(fg.top_k(frame, candidates=["tea"], k=1, **options_of(False), **SURE)) == {"tea": 1}
    with pytest.raises(ValueError, match="control characters|name"):
        fg.top_k([1, 2], labels=["tea", name if name != '"x"' else ""], items_are_public=True, k=1, unit="customer", **SURE)


def test_no_two_names_look_alike():
    cut = _counting.shown_name(" " + "a" * 2000)
    pairs = [("\U0001f600 ", "\ud83d\ude00 "), (" " + "a" * 2000, json.loads(cut)), (" x", '" x"'), ("é" * 600, "é" * 601), (" " + "b" * 1020, " " + "b" * 1021)]
    for one, other in pairs:
        assert one != other
        assert _counting.shown_name(one) != _counting.shown_name(other)
        assert len(_counting.shown_name(one)) <= 1024
    names = [" " + "a" * 2000, json.loads(cut)]
    frame = made("pandas objects", {"product": names, "customer": [1, 2]})
    release = fg.top_k(frame, items_are_public=True, k=2, **options_of(False), **SURE)
    assert {winner.item for winner in release.winners} == set(map(_counting.shown_name, names))


def test_names_that_are_shown_as_they_are():
    names = ["x", "x" * 1024, "é" * 512, "a\tb", 'say "tea"', '"tea" or milk', '"', 'a"', "日本", "\xa0"]
    shown = [_counting.shown_name(name) for name in names]
    assert shown == [name if name != '"' else r'"\""' for name in names]
    assert _counting.shown_name(7) == 7


def test_bad_calls_spend_nothing(kind, ledger):
    frame = made(kind, columns_of(ROWS))
    good = {"item": "product", "unit": "customer", "candidates": ["tea", "jam"], "k": 1, "epsilon": 1, "ledger": ledger}
    cases = [({"item": "none"}, ValueError, "no column 'none'"), ({"unit": "none", "ledger": None}, ValueError, "no column 'none'"),
             ({"unit": "none"}, ValueError, "its budget protects unit \"customer\""),
             ({"unit": None}, ValueError, "whose rows"), ({"candidates": None}, ValueError, "which items can win"),
             ({"items_are_public": True}, ValueError, "one of"), ({"items_are_public": "yes"}, TypeError, "True or False"),
             ({"candidates": "tea"}, TypeError, "list"), ({"candidates": [1.5]}, TypeError, "str or int"),
             ({"candidates": ["a", "a"]}, ValueError, "once"), ({"candidates": None, "universe": 7}, TypeError, "range"),
             ({"candidates": None, "universe": range(0, 9, 2)}, ValueError, "step 1"),
             ({"candidates": None, "universe": range(-2**63, 2**63)}, ValueError, "64 bits"),
             ({"candidates": None, "universe": range(5, 5)}, ValueError, "not empty"), ({"sensitivity": 2}, TypeError, "sensitivity"),
             ({"item": 3}, TypeError, "name of a column"), ({"epsilon": 0}, ValueError, "epsilon"), ({"epsilom": 1}, TypeError, "epsilom"),
             ({"k": 3}, ValueError, "k"), ({"epsilon": 1001}, ValueError, "epsilon")]
    for change, error, text in cases:
        with pytest.raises(error, match=text):
            fg.top_k(frame, **{**good, **change})
    assert ledger.history() == []
    fg.top_k(frame, **good)
    assert ledger.balance().spent == 1


@pytest.mark.parametrize("whole", [int, numpy.int64, numpy.uint8])
@pytest.mark.parametrize("declared", [{"items_are_public": True}, {"unknown_items": True, "delta": "1e-9", "max_items": 9}])
def test_whole_numbers_of_any_type(kind, whole, declared):
    release = fg.top_k(made(kind, columns_of(ROWS)), k=whole(2), epsilon=1000, ledger=None, **options_of(False), **declared)
    assert [winner.item for winner in release.winners] == ["tea", "jam"]


def test_names_that_arrow_holds():
    """Its arrays have scalars of their own."""
    pyarrow = optional("pyarrow")
    names = pyarrow.array(["tea", "jam", "absent"])
    options = {"k": 2, "epsilon": 1000, "ledger": None}
    release = fg.top_k(made("arrow", columns_of(ROWS)), candidates=names, **options_of(False), **options)
    assert [winner.item for winner in release.winners] == ["tea", "jam"]
    for labels in (names, pyarrow.chunked_array([names]), names.dictionary_encode()):
        release = fg.top_k([500, 900, 1], labels=labels, candidates=names.slice(0, 2), **options)
        assert [winner.item for winner in release.winners] == ["jam", "tea"]
    release = fg.top_k([500, 900, 1], labels=pyarrow.array([7, 8, 9]), universe=range(20), **options)
    assert [winner.item for winner in release.winners] == ["8", "7"]
    release = fg.measure([500, 900, 1], labels=names, candidates=names, items=names.slice(1), epsilon=1, ledger=None)
    assert [row.item for row in release.measurements] == ["jam", "absent"]
    for bad in (pyarrow.array(["tea", None, "x"]), pyarrow.array([1.5, 2.5, 3.5]), pyarrow.array([True, False, None])):
        with pytest.raises(TypeError, match="labels: give a str"):
            fg.top_k([1, 2, 3], labels=bad, items_are_public=True, **options)
        with pytest.raises(TypeError, match="candidates: give a list of str or int"):
            fg.top_k(made("arrow", columns_of(ROWS)), candidates=bad, **options_of(False), **options)


def test_one_column_is_no_data_frame():
    pandas, polars, pyarrow = map(optional, ("pandas", "polars", "pyarrow"))
    for column in (pandas.Series(["tea"]), polars.Series(["tea"]), pyarrow.array(["tea"]), pyarrow.chunked_array([["tea"]]), numpy.array([1])):
        with pytest.raises(TypeError, match="one column of it has no other columns"):
            fg.top_k(column, items_are_public=True, k=1, **options_of(False), **SURE)


def test_what_is_no_data_frame():
    for thing in (None, 7, [1, 2], {"product": [1]}, object()):
        with pytest.raises(TypeError, match="data frame"):
            fg.top_k(thing, items_are_public=True, k=1, **options_of(False), **SURE)
    with pytest.raises(TypeError, match="top_k with k=1"):
        fg.exponential(made("polars", columns_of(ROWS)), items_are_public=True, **options_of(False), **SURE)
    with pytest.raises(ValueError, match="order"):
        fg.sparse_vector(made("polars", columns_of(ROWS)), items_are_public=True, order="file", threshold=1, k=1, **options_of(False), **SURE)
    with pytest.raises(ValueError, match="not among"):
        fg.measure(made("polars", columns_of(ROWS)), candidates=["tea"], items=["jam"], **options_of(False), **SURE)


@pytest.mark.parametrize("version, kind", [("1.31.0", "polars"), ("0.20.31", "polars lazy")])
def test_polars_that_is_too_old(monkeypatch, version, kind, ledger):
    """It has no streams, or panics at categories."""
    frame = made(kind, columns_of(ROWS))
    monkeypatch.setattr(optional("polars"), "__version__", version)
    with pytest.raises(ImportError, match=f"need Polars 1.32 or newer, and this is {version}"):
        fg.top_k(frame, candidates=["tea"], k=1, epsilon=1, ledger=ledger, **options_of(False))
    assert ledger.history() == []


def test_arrow_streams_without_pyarrow():
    code = """
        import sys

        class Missing:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] == "pyarrow":
                    raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        sys.meta_path.insert(0, Missing())
        import freegap as fg

        class Stream:
            def __arrow_c_stream__(self, requested_schema=None):
                raise AssertionError

        try:
            fg.top_k(Stream(), item="product", unit="customer", candidates=["tea"], k=1, epsilon=1, ledger=None)
        except ImportError as problem:
            print(type(problem).__name__, problem.name, type(problem.__cause__).__name__, problem)
        """
    printed = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True).stdout
    assert printed.startswith("ImportError pyarrow ModuleNotFoundError ") and "pip install pyarrow" in printed


def test_the_ledger_knows_what_was_asked(ledger):
    frame = made("polars", columns_of(ROWS))
    fg.top_k(frame, candidates=["tea", "jam"], k=1, epsilon=Fraction(1, 2), ledger=ledger, **options_of(False))
    fg.measure(frame, items=["tea"], epsilon=1, ledger=ledger, **options_of(False))
    with pytest.raises(ValueError, match="unit"):  # rows are not what this data set protects
        fg.measure(frame, items=["tea"], epsilon=1, ledger=ledger, **options_of(True))
    top, measured = ledger.history()
    assert top["asked"]["input"] == measured["asked"]["input"] == "polars.DataFrame, items in the column 'product'"
    assert top["asked"]["candidates"]["length"] == 2
    assert ledger.balance().spent == Fraction(3, 2)
    session = fg.Session(ledger, candidates=["tea", "jam"])
    assert session.top_k(frame, item="product", k=1, epsilon=100).winners[0].item == "tea"


def test_a_column_that_is_tied_to_the_unit(folder):
    ledger = fg.Ledger.create(folder / "tied.db", dataset="shop", epsilon=10, unit="person", column="customer")
    frame = made("polars", {**columns_of(ROWS), "other": [1] * len(ROWS)})
    for function, options in ((fg.top_k, {"candidates": ["tea"], "k": 1}), (fg.measure, {"items": ["tea"]}),
                              (fg.sparse_vector, {"candidates": ["tea"], "k": 1, "threshold": 1})):
        release = function(frame, epsilon=1, ledger=ledger, **options, **options_of(False))
        assert release.parameters["unit"] == "person"
        with pytest.raises(ValueError, match="customer"):
            function(frame, epsilon=1, ledger=ledger, item="product", unit="other", **options)


def test_the_example_runs():
    optional("polars")
    from freegap import _frames

    assert doctest.testmod(_frames).failed == 0
