"""Arguments at random never crash the interpreter: each call releases, or raises what it may raise, and then spends nothing."""

import copy
import ctypes
import functools
import json
import pathlib
import tempfile

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import freegap as fg
from counting import optional

NUMBERS = st.one_of(st.integers(), st.floats(), st.fractions(), st.decimals(), st.text(max_size=8), st.none(), st.booleans(),
                    st.sampled_from(["0.7", "1/3", "1e-3", 1, 2, "0.5"]))
WORDS = st.one_of(st.text(max_size=5), st.none(), st.integers(0, 3), st.sampled_from(
    ["counts", "general", "replace", "add-remove", "laplace", "geometric", "linear", "measured", "paper", "file", "label", "estimates"]))
FLAGS = st.one_of(st.booleans(), st.none(), st.integers(0, 1))
OPTIONS = {
    **dict.fromkeys(["k", "epsilon", "measure", "sensitivity", "confidence", "tick", "threshold", "theta", "sigma", "branches", "stop_after",
                     "threads", "runs", "delta", "max_items", "bounded_by"], NUMBERS),
    **dict.fromkeys(["neighbours", "kind", "noise", "estimator", "stop_rule", "prefer", "order", "unit", "note"], WORDS),
    **dict.fromkeys(["classic", "adaptive", "constant_work", "items_are_public", "unknown_items"], FLAGS),
    "labels": st.one_of(st.none(), st.lists(st.one_of(st.text(max_size=3), st.integers(-3, 9), st.none(), st.floats()), max_size=5), st.integers()),
    "candidates": st.one_of(st.none(), st.lists(st.text(max_size=3), max_size=4), st.text(max_size=3)),
    "universe": st.one_of(st.none(), st.builds(range, st.integers(-9, 9), st.integers(-9, 2**70)), st.integers()),
    "items": st.one_of(st.none(), st.lists(st.one_of(st.integers(-1, 6), st.text(max_size=2)), max_size=4)),
}
ZEROES = ctypes.create_string_buffer(256)  #: what is left of an array, a schema or a stream of Arrow that was consumed
CAPSULE = ctypes.pythonapi.PyCapsule_New
CAPSULE.restype, CAPSULE.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# A capsule keeps no copy of its name.
CAPSULE_NAMES = [b"arrow_schema", b"arrow_array", b"arrow_array_stream", b"used_dltensor", b"used_dltensor_versioned", b"another", None]
CAPSULES = [CAPSULE(ctypes.addressof(ZEROES), name, None) for name in CAPSULE_NAMES]
HANDED = st.one_of(st.none(), st.integers(), st.sampled_from(CAPSULES), st.tuples(st.sampled_from(CAPSULES), st.sampled_from(CAPSULES)),
                   st.lists(st.sampled_from(CAPSULES), max_size=3))


def test_capsules_have_their_names():
    is_valid = ctypes.pythonapi.PyCapsule_IsValid
    is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    for capsule, name in zip(CAPSULES, CAPSULE_NAMES, strict=True):
        assert is_valid(capsule, name) == 1


def producer(methods):
    return type("Producer", (), {name: lambda self, *_, thing=thing, **__: thing for name, thing in methods.items()})()


VALUES = st.one_of(
    st.dictionaries(st.sampled_from(["__arrow_c_array__", "__arrow_c_stream__", "__dlpack__", "__array__"]), HANDED, min_size=1).map(producer),
    st.lists(st.integers(-2**63, 2**63 - 1), max_size=5).map(lambda values: numpy.array(values, dtype="int64")),
    st.lists(st.integers(0, 9), max_size=5),
    st.lists(st.floats(width=32), max_size=5).map(lambda values: numpy.array(values, dtype="float64")),
    st.lists(st.integers(-100, 100), max_size=5).map(lambda values: numpy.array(values, dtype="int32")[::-1]),
    st.binary(max_size=16), st.text(max_size=3), st.none(), st.integers())
GOOD = {"k": 2, "epsilon": 1}
FUNCTIONS = st.sampled_from(["top_k", "top_k_above", "sparse_vector", "exponential", "measure"])


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(FUNCTIONS, VALUES, st.fixed_dictionaries({}, optional=OPTIONS), st.booleans())
def test_any_call(name, values, options, simulated):
    options.pop("runs", None) if not simulated else options.update(runs=2, seed=1)
    function = getattr(fg.simulate if simulated else fg, name)
    if not simulated:
        options["ledger"] = None
    try:
        found = function(values, **{**GOOD, **options})
    except (ValueError, TypeError):
        return
    for release in found if simulated else [found]:
        assert release.spent <= release.reserved <= 1000
        assert release.to_dict()["mechanism"] == release.mechanism


@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.one_of(st.text(max_size=3), st.integers(-3, 9)), st.integers(0, 9), max_size=5), st.integers(1, 2**64 - 1),
       st.fractions(0, 1), st.integers(1, 10**6))
def test_any_items_nobody_listed(counts, bound, delta, k):
    """All of it is spent, whatever occurs."""
    try:
        release = fg.top_k(list(counts.values()), labels=list(counts), unknown_items=True, delta=delta, bounded_by=bound, k=k, epsilon=1, ledger=None)
    except ValueError as refused:
        assert delta in (0, 1) or str(refused).startswith(("labels: name each item once", "delta", "k:", "tick"))
        return
    assert release.spent == release.reserved == 1 and release.delta == delta and len(release.winners) <= k


@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(st.integers(), st.floats(), st.none(), st.text(max_size=2)), max_size=6), NUMBERS, WORDS)
def test_any_stream(values, number, word):
    try:
        vector = fg.SparseVector(threshold=number, k=2, epsilon=1, sensitivity=1, noise=word or "laplace", ledger=None)
    except (ValueError, TypeError):
        return
    for value in values:
        try:
            vector.ask(value)
        except (ValueError, TypeError, fg.Exhausted):
            pass
    assert vector.close().spent <= 1


def fuzzed(examples, *strategies):
    """A test of so many examples; `make check` tries eight times as many besides."""
    def tested(check):
        @pytest.mark.parametrize("times", [1, pytest.param(8, marks=pytest.mark.long)])
        def test(times):
            tried = settings(max_examples=examples * times, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
            tried(given(*strategies)(check))()

        test.__doc__ = check.__doc__
        return test

    return tested


def some(options):
    """Few options, so that not all calls are refused."""
    names = st.sets(st.sampled_from(sorted(options)), max_size=3)
    return names.flatmap(lambda names: st.fixed_dictionaries({name: options[name] for name in sorted(names)}))


@functools.cache
def documents():
    """Releases of all kinds, as text."""
    values, free = [600, 20, 300], {"epsilon": 1, "ledger": None}
    with fg.SparseVector(threshold=100, k=2, epsilon=1, sensitivity=1, ledger=None) as vector:
        vector.ask(600)
    releases = [fg.top_k(values, k=2, **free), fg.top_k(values, k=2, classic=True, measure=0, **free), fg.top_k_above(values, k=2, threshold=9, **free),
                fg.sparse_vector(values, k=2, threshold=9, adaptive=True, **free), fg.sparse_vector(values, k=2, threshold=9, measure=0.5, **free),
                fg.measure(values, items=[0, 2], **free), fg.exponential(values, sensitivity=1, **free), vector.release,
                fg.top_k([600, 3], labels=["a", "b"], unknown_items=True, delta="1e-9", bounded_by=2, k=2, **free)]
    return tuple(release.to_json() for release in releases)


def paths(part, path=()):
    """The places of a document."""
    yield path
    for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield from paths(value, (*path, key))


LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.integers(), st.floats(allow_nan=False), st.text(max_size=5),
                   st.sampled_from(["1/2", "top_k", "sparse_vector", "measure", "laplace", "1e99", "-1", "1/0", {}, [], [[]], [{}], {"epsilon": "1"}]))


@st.composite
def damaged(draw):
    """The text of a release, with some of its members exchanged or missing, or with other characters."""
    text = draw(st.sampled_from(documents()))
    document = json.loads(text)
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(list(paths(document))[1:]))
        *above, last = path
        part = functools.reduce(lambda part, key: part[key], above, document)
        if draw(st.booleans()):
            del part[last]
        else:
            part[last] = copy.deepcopy(draw(LEAVES))
    text = json.dumps(document)
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.text(max_size=2)) + text[place + draw(st.integers(0, 3)):]
    return text


@fuzzed(400, damaged(), damaged(), NUMBERS, WORDS)
def test_any_document(text, other, confidence, estimator):
    try:
        release = fg.Release(text)
    except (ValueError, TypeError):
        return
    assert fg.Release(release.to_json()) == release
    for call in (lambda: fg.estimate(release, confidence=confidence, estimator=estimator), lambda: fg.estimate(release),
                 lambda: fg.estimate(release, fg.Release(other)), lambda: fg.estimate(fg.Release(documents()[1]), release), release._repr_html_):
        try:
            call()
        except (ValueError, TypeError):
            pass


PLANNED = {name: OPTIONS[name] for name in ("k", "epsilon", "measure", "sensitivity", "theta", "sigma", "delta", "max_items", "neighbours", "kind", "noise",
                                            "stop_rule", "adaptive", "unknown_items")}
PLANNED |= {"branches": st.one_of(NUMBERS, st.integers(1, 9)), "target_error": NUMBERS, "distance": NUMBERS, "_errors_alone": FLAGS}


@fuzzed(80, st.sampled_from([fg.plan.top_k, fg.plan.sparse_vector]), some(PLANNED))
def test_any_plan(plan, options):
    try:
        found = plan(**{**GOOD, **options})
    except (ValueError, TypeError):
        return
    assert found["parameters"]["k"] >= 1 and "_errors_alone" not in options


RETURNED = st.one_of(st.lists(st.one_of(st.integers(-3, 3), st.integers(), st.none(), st.text(max_size=1)), max_size=3), st.none(), st.integers())
FEW = st.one_of(st.integers(-2, 9), st.none(), st.text(max_size=3), st.floats(), st.just(2**70))


@fuzzed(150, st.lists(st.sampled_from(["geometric", "laplace", "below"]), max_size=3), NUMBERS, RETURNED, RETURNED, NUMBERS,
        st.lists(st.tuples(RETURNED, RETURNED), max_size=3), FEW, FEW)
def test_any_mechanism_to_verify(draws, rate, output, moved, epsilon, pairs, tapes, seed):
    def mechanism(answers, noise):
        drawn = [getattr(noise, draw)(rate) for draw in draws]
        return drawn if output is None else output

    try:
        found = fg.verify(mechanism, align=lambda first, second, shown, drawn: drawn if moved is None else moved,
                          recover=lambda first, second, shown, drawn: drawn, epsilon=epsilon, pairs=pairs, tapes=tapes, seed=seed)
    except (ValueError, TypeError):
        return
    assert found.holds == (found.counterexample is None)


@functools.cache
def books():
    """A ledger with releases, in a folder that lasts as long as the tests."""
    folder = tempfile.TemporaryDirectory()
    ledger = fg.Ledger.create(pathlib.Path(folder.name) / "books.db", dataset="shop", epsilon=1000, unit="customer", delta="1e-3")
    fg.top_k([5, 3], k=1, epsilon=1, unit="customer", ledger=ledger)
    return folder, ledger


THINGS = st.one_of(NUMBERS, st.text(max_size=12), st.binary(max_size=5), st.just("books.db"), st.just("\ud800"), st.tuples(NUMBERS, NUMBERS))
CREATED = {**dict.fromkeys(["dataset", "unit", "column"], st.one_of(st.text(max_size=5), st.sampled_from(["row", "customer", "shop"]), THINGS)),
           "epsilon": NUMBERS, "delta": NUMBERS, "neighbours": WORDS}


@fuzzed(40, THINGS, st.one_of(THINGS, st.integers(0, 9).map(lambda rows: (rows, "0" * 64))), some(CREATED))
def test_any_use_of_a_ledger(thing, head, created):
    """Nothing is spent, and no ledger is made where one is refused."""
    _, ledger = books()
    before = ledger.head()
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "other.db"
        calls = [lambda: ledger.show(thing), lambda: ledger.check(head), lambda: fg.Ledger(ledger.path, dataset=thing), lambda: fg.Ledger.datasets(thing),
                 lambda: fg.Ledger.create(path, **{"dataset": "d", "epsilon": 1, "unit": "u", **created}),
                 lambda: fg.Ledger.create(ledger.path, **{"dataset": "shop", "epsilon": 1, "unit": "u", **created, "dataset": "shop"})]
        for call in calls:
            try:
                call()
            except (ValueError, TypeError, OSError):
                assert not path.exists() or call is not calls[4]
        if path.exists():
            assert len(fg.Ledger.datasets(path)) == 1
    assert ledger.head() == before


ITEMS = st.one_of(st.text(max_size=3), st.none(), st.sampled_from(["tea", "jam", "3"]))
ROWS = st.lists(st.tuples(ITEMS, st.one_of(st.none(), st.integers(0, 3))), max_size=8)
WHOLE = st.lists(st.tuples(st.one_of(st.none(), st.integers(-2**63, 2**63 - 1), st.integers(0, 3)), st.integers(0, 3)), max_size=8)
COLUMNS = st.one_of(st.sampled_from(["product", "customer", "row", "", None, 3]), st.text(max_size=3))
ROW_OPTIONS = {**{name: OPTIONS[name] for name in ("k", "epsilon", "measure", "threshold", "delta", "max_items", "neighbours", "noise", "order", "classic",
                                                   "adaptive", "items_are_public", "unknown_items", "candidates", "universe", "items")},
               "item": COLUMNS, "unit": COLUMNS}


ASKED = {"top_k": {"k": 1, "items_are_public": True}, "top_k_above": {"k": 1, "threshold": 2, "candidates": ["tea", "3"]},
         "sparse_vector": {"k": 1, "threshold": 2, "universe": range(9)}, "measure": {"items": ["tea"]}}


def release_of_rows(call, function, options):
    """Calls it: it releases and charges once, or raises and charges nothing."""
    _, ledger = books()
    before = ledger.balance()
    try:
        release = call({"item": "product", "unit": "customer", "epsilon": "1/10", **ASKED[function], **options, "ledger": ledger})
    except (ValueError, TypeError):
        assert ledger.balance() == before
        return
    after = ledger.balance()
    assert after.spent - before.spent == release.spent <= release.reserved and after.reserved == before.reserved
    assert after.delta.spent - before.delta.spent == release.delta


@fuzzed(60, st.sampled_from(["pandas", "polars", "lazy", "arrow"]), st.one_of(ROWS, WHOLE), st.sampled_from(sorted(ASKED)), some(ROW_OPTIONS))
def test_any_frame(kind, rows, function, options):
    columns = {"product": [item for item, _ in rows], "customer": [unit for _, unit in rows]}
    if kind == "pandas":
        frame = optional("pandas").DataFrame(columns)
    elif kind == "arrow":
        frame = optional("pyarrow").table(columns)
    else:
        frame = optional("polars").DataFrame(columns, strict=False)
        frame = frame.lazy() if kind == "lazy" else frame
    release_of_rows(lambda options: getattr(fg, function)(frame, **options), function, options)


SOURCES = st.one_of(st.just("sales"), st.sampled_from(["SELECT * FROM sales", "FROM sales WHERE false", "nowhere", "SELECT 1; SELECT 2", "missing.csv", ""]),
                    st.text(max_size=8), st.none(), st.integers())


@fuzzed(40, SOURCES, ROWS, st.sampled_from(sorted(ASKED)), some(ROW_OPTIONS))
def test_any_options_of_duckdb(source, rows, function, options):
    duckdb = optional("duckdb")

    def call(options):
        with duckdb.connect() as connection:
            connection.execute("CREATE TABLE sales (product VARCHAR, customer BIGINT)")
            if rows:
                connection.executemany("INSERT INTO sales VALUES (?, ?)", rows)
            try:
                return getattr(fg.duckdb, function)(connection, source, **options)
            except duckdb.Error as problem:  # of SQL of one's own, in the words of DuckDB
                raise ValueError from problem

    release_of_rows(call, function, options)
