"""Arguments at random never crash the interpreter: each call releases, or raises what it may raise, and then spends nothing."""

import ctypes

import numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import freegap as fg

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
    "labels": st.one_of(st.none(), st.lists(st.one_of(st.text(max_size=3), st.integers(-3, 9)), max_size=5), st.integers()),
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
