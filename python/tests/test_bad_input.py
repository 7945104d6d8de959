"""Bad input is refused with a message that says what to do, and nothing is spent."""

import decimal
import fractions
import math

import numpy
import pytest

import freegap as fg

VALUES = numpy.array([60, 50, 40], dtype="int64")
GOOD = {"k": 1, "epsilon": 1, "unit": "customer"}

TABLE = [  # function, values, options, exception, part of the message
    ("top_k", VALUES, {"k": 0}, ValueError, "k: it must be from 1"),
    ("top_k", VALUES, {"k": -1}, ValueError, "k: it must be from 1"),
    ("top_k", VALUES, {"k": 4}, ValueError, "number of candidates"),
    ("top_k", VALUES, {"k": 10**30}, ValueError, "k: it must be from 1"),
    ("top_k", VALUES, {"k": 1.0}, TypeError, "k: give an int"),
    ("top_k", VALUES, {"k": True}, TypeError, "k: give an int"),
    ("top_k", VALUES, {"k": None}, TypeError, "must be given"),
    ("top_k", VALUES, {"epsilon": 0}, ValueError, "above 0"),
    ("top_k", VALUES, {"epsilon": "-1"}, ValueError, "above 0"),
    ("top_k", VALUES, {"epsilon": math.nan}, ValueError, "finite"),
    ("top_k", VALUES, {"epsilon": math.inf}, ValueError, "finite"),
    ("top_k", VALUES, {"epsilon": 10**6}, ValueError, "at most 1000"),
    ("top_k", VALUES, {"epsilon": "many"}, ValueError, "such as 0.7"),
    ("top_k", VALUES, {"epsilon": "\ud800"}, (ValueError, TypeError), ""),
    ("top_k", VALUES, {"epsilon": [1]}, TypeError, "epsilon"),
    ("top_k", VALUES, {"epsilon": 1j}, TypeError, "epsilon"),
    ("top_k", VALUES, {"measure": 1}, ValueError, "below 1"),
    ("top_k", VALUES, {"measure": -0.1}, ValueError, "at least 0"),
    ("top_k", VALUES, {"confidence": 1}, ValueError, "below 1"),
    ("top_k", VALUES, {"tick": 3}, ValueError, "power of two"),
    ("top_k", VALUES, {"noise": "gauss"}, ValueError, "exponential"),
    ("top_k", VALUES, {"noise": 3}, ValueError, "exponential"),
    ("top_k", VALUES, {"neighbours": "both"}, ValueError, "add-remove"),
    ("top_k", VALUES, {"kind": "sum"}, ValueError, "general"),
    ("top_k", VALUES, {"kind": "general"}, ValueError, "sensitivity"),
    ("top_k", VALUES, {"sensitivity": 0}, ValueError, "above 0"),
    ("top_k", VALUES, {"classic": 1}, TypeError, "True or False"),
    ("top_k", VALUES, {"unit": ""}, ValueError, "a name is"),
    ("top_k", VALUES, {"unit": "row"}, ValueError, "unit"),
    ("top_k", VALUES, {"unit": None}, ValueError, "what do the numbers count"),
    ("top_k", VALUES, {"unit": "visit"}, ValueError, "protects"),
    ("top_k", VALUES, {"neighbours": "replace"}, ValueError, "protects"),
    ("top_k", VALUES, {"colour": "red"}, TypeError, "does not take"),
    ("top_k", VALUES, {"note": 3}, ValueError, "note"),
    ("top_k", VALUES, {"ledger": "books.db"}, TypeError, "freegap.Ledger"),
    ("top_k", VALUES, {"labels": ["a", "b", "c"]}, ValueError, "which items can win"),
    ("top_k", VALUES, {"labels": ["a", "b"], "items_are_public": True}, ValueError, "one for each"),
    ("top_k", VALUES, {"labels": ["a", "b", "b"], "items_are_public": True}, ValueError, "once"),
    ("top_k", VALUES, {"labels": ["a", "b", "\n"], "items_are_public": True}, ValueError, "control"),
    ("top_k", VALUES, {"labels": "abc", "items_are_public": True}, TypeError, "list of names"),
    ("top_k", VALUES, {"labels": ["a", "b", None], "items_are_public": True}, TypeError, "str"),
    ("top_k", VALUES, {"candidates": ["a"]}, ValueError, "labels"),
    ("top_k", VALUES, {"labels": [1, 2, 3], "universe": (0, 9)}, TypeError, "range"),
    ("top_k", VALUES, {"labels": [1, 2, 3], "universe": range(0, 9, 2)}, ValueError, "step 1"),
    ("top_k", VALUES, {"labels": [1, 2, 3], "universe": range(2**70)}, ValueError, "64 bits"),
    ("top_k", VALUES, {"labels": [1, 2, 3], "universe": range(9), "candidates": ["1"]}, ValueError, "one of"),
    ("top_k", -VALUES, {"labels": [1, 2, 3], "items_are_public": True}, ValueError, "negative"),
    ("top_k", VALUES.astype(float), {}, ValueError, "floats"),
    ("top_k", numpy.array([1.0, numpy.nan]), {"kind": "general", "sensitivity": 1}, ValueError, "finite"),
    ("top_k", numpy.array([1.0, numpy.inf]), {"kind": "general", "sensitivity": 1}, ValueError, "finite"),
    ("top_k", numpy.zeros((2, 2), dtype="int64"), {}, ValueError, "one dimension"),
    ("top_k", numpy.int64(3), {}, (ValueError, TypeError), ""),
    ("top_k", numpy.arange(9)[::2], {}, ValueError, "ascontiguousarray"),
    ("top_k", numpy.zeros(0, dtype="int64"), {}, ValueError, "at least one"),
    *[("top_k", VALUES.astype(kind), {}, TypeError, "int64") for kind in
      ("int8", "int16", "uint8", "uint32", "uint64", "float32", "bool", "complex128", ">i8", "O", "U3", "datetime64[s]")],
    ("top_k", b"bytes", {}, TypeError, "int64"),
    ("top_k", "text", {}, TypeError, "int64"),
    ("top_k", None, {}, TypeError, "int64"),
    ("top_k", {"a": 1}, {}, TypeError, "int64"),
    ("top_k", [1, None], {}, TypeError, "None"),
    ("top_k", [1, "2"], {}, TypeError, "numbers"),
    ("top_k", [2**70], {}, ValueError, "64 bits"),
    ("top_k_above", VALUES, {}, TypeError, "threshold"),
    ("top_k_above", VALUES, {"threshold": 5, "prefer": "both"}, ValueError, "identity"),
    ("top_k_above", VALUES, {"threshold": 5, "theta": 0.5}, ValueError, "prefer"),
    ("top_k_above", VALUES, {"threshold": 5, "classic": True}, ValueError, "gaps"),
    ("sparse_vector", VALUES, {}, TypeError, "threshold"),
    ("sparse_vector", VALUES, {"threshold": 5, "branches": 3}, ValueError, "adaptive"),
    ("sparse_vector", VALUES, {"threshold": 5, "theta": 2}, ValueError, "theta"),
    ("sparse_vector", VALUES, {"threshold": 5, "order": "secret"}, ValueError, "order"),
    ("sparse_vector", VALUES, {"threshold": 5, "order": "file", "labels": [1, 2, 3], "universe": range(9)}, ValueError, "random order"),
    ("exponential", [1.0, 2.0], {"k": 1}, (ValueError, TypeError), ""),
    ("measure", VALUES, {"k": None, "items": [3]}, (ValueError, TypeError), ""),
]


@pytest.mark.parametrize("function, values, options, exception, part", TABLE)
def test_refused_and_nothing_spent(ledger, function, values, options, exception, part):
    with pytest.raises(exception) as caught:
        getattr(fg, function)(values, **{**GOOD, "ledger": ledger, **options})
    assert part in str(caught.value)
    assert "--" not in str(caught.value)
    assert ledger.balance().remaining == 1000
    assert ledger.history() == []


@pytest.mark.parametrize("function, options", [("top_k", {"k": 1}), ("top_k_above", {"k": 1, "threshold": 5}), ("measure", {"items": [0]}),
                                               ("sparse_vector", {"k": 1, "threshold": 5}), ("exponential", {"sensitivity": 1})])
def test_the_ledger_must_be_given(function, options):
    with pytest.raises(ValueError, match="ledger=None"):
        getattr(fg, function)(VALUES, epsilon=1, **options)


@pytest.mark.parametrize("epsilon", ["0.7", "7/10", 0.7, numpy.float64(0.7), fractions.Fraction(7, 10), decimal.Decimal("0.7")])
def test_numbers_are_exact(epsilon):
    assert fg.top_k(VALUES, k=1, epsilon=epsilon, ledger=None).spent == fractions.Fraction(7, 10)


def test_whole_numbers_of_any_type():
    assert fg.top_k(VALUES, k=numpy.int32(2), epsilon=numpy.int64(3), ledger=None).spent == 3


def test_refused_budgets(ledger):
    with pytest.raises(fg.BudgetExceeded) as caught:
        for _ in range(3):
            fg.top_k(VALUES, k=1, epsilon=400, unit="customer", ledger=ledger)
    assert (caught.value.asked, caught.value.left, caught.value.total) == (400, 200, 1000)
    assert isinstance(caught.value.left, fractions.Fraction)
    assert isinstance(caught.value, ValueError)
    assert ledger.balance().spent == 800


def test_no_ledger_and_foreign_files(folder):
    with pytest.raises(ValueError, match="ledger"):
        fg.Ledger(folder / "none.db", dataset="shop")
    (folder / "text.db").write_text("this is no ledger\n" * 100)
    with pytest.raises(ValueError):
        fg.Ledger(folder / "text.db", dataset="shop")
    ledger = fg.Ledger.create(folder / "books.db", dataset="shop", epsilon=1, unit="customer")
    with pytest.raises(ValueError, match="no data set"):
        fg.Ledger(folder / "books.db", dataset="other")
    with pytest.raises(ValueError, match="already"):
        fg.Ledger.create(folder / "books.db", dataset="shop", epsilon=1, unit="customer")
    with ledger:
        pass
    with pytest.raises(ValueError, match="open it again"):
        fg.top_k(VALUES, k=1, epsilon=1, unit="customer", ledger=ledger)


def test_simulations_need_a_seed():
    with pytest.raises(TypeError, match="seed"):
        fg.simulate.top_k(VALUES, k=1, epsilon=1)
    with pytest.raises(TypeError, match="does not take"):
        fg.simulate.top_k(VALUES, k=1, epsilon=1, seed=1, ledger=None)


def test_bad_questions_to_a_sparse_vector(ledger):
    with fg.SparseVector(threshold=50, k=2, epsilon=2, kind="counts", ledger=ledger) as vector:
        for value, exception in [(-1, ValueError), (1.5, ValueError), ("3", TypeError), (None, TypeError), (2**80, ValueError),
                                 (True, TypeError)]:
            with pytest.raises(exception):
                vector.ask(value)
        with pytest.raises(ValueError):
            vector.ask(3, name="\x00")
    assert vector.release.spent < 2
    assert [row["above"] for row in vector.release.answers] == []
    with pytest.raises(fg.Exhausted):
        vector.ask(3)
