"""The ledger as Python sees it, and sessions."""

from fractions import Fraction

import numpy
import pytest

import freegap as fg

VALUES = numpy.array([60, 50, 40], dtype="int64")


def test_balance_history_and_show(ledger):
    assert ledger.balance() == (1000, 0, 0, 1000)
    release = fg.measure(VALUES, items=[1], epsilon="1/3", unit="customer", note="for the board", ledger=ledger)
    assert release.to_dict()["ledger"] == {"entry": 1, "remaining": "2999/3"}
    assert ledger.balance().remaining == Fraction(2999, 3)
    [entry] = ledger.history()
    assert entry["verb"] == "measure" and entry["spent"] == entry["reserved"] == Fraction(1, 3)
    assert entry["asked"]["note"] == "for the board" and entry["asked"]["options"]["epsilon"] == "1/3"
    assert ledger.show(1).measurements == release.measurements
    with pytest.raises(ValueError, match="no entry 2"):
        ledger.show(2)
    assert "2999/3 left of 1000" in repr(ledger)


def test_heads(ledger):
    before = ledger.head()
    fg.top_k(VALUES, k=1, epsilon=1, unit="customer", ledger=ledger)
    assert ledger.head()[0] == before[0] + 2
    assert ledger.check(before) == ledger.check() == ledger.head()
    with pytest.raises(ValueError, match="does not continue"):
        ledger.check((before[0], "0" * 64))


def test_closing(ledger):
    ledger.close()
    with pytest.raises(ValueError, match="closed"):
        fg.top_k(VALUES, k=1, epsilon=1, unit="customer", ledger=ledger)
    with pytest.raises(ValueError, match="closed already"):
        ledger.close()


def test_what_a_data_set_protects(folder):
    ledger = fg.Ledger.create(folder / "books.db", dataset="rows", epsilon=1, unit="customer", neighbours="replace", column="customer_id")
    assert (ledger.unit, ledger.neighbours, ledger.column, ledger.dataset) == ("customer", "replace", "customer_id", "rows")
    with pytest.raises(ValueError, match="column"):
        fg.Ledger.create(folder / "books.db", dataset="other", epsilon=1, unit="row", column="customer_id")
    with pytest.raises(ValueError, match="neighbours"):
        fg.Ledger.create(folder / "books.db", dataset="other", epsilon=1, unit="row", neighbours="both")
    with pytest.raises(ValueError, match="at most 1000"):
        fg.Ledger.create(folder / "books.db", dataset="other", epsilon=1001, unit="row")


def test_a_sparse_vector_comes_back_with_what_it_did_not_use(ledger):
    with fg.SparseVector(threshold=50, k=5, epsilon=100, kind="counts", ledger=ledger) as vector:
        assert ledger.balance().reserved == 100
        vector.ask(10_000, name="monday")
        vector.ask(0)
    assert ledger.balance().spent == vector.release.spent < 100
    assert [row["query"] for row in ledger.show(1).answers] == ["monday", "1"]
    assert ledger.show(1).answers == vector.release.answers
    assert vector.release.to_dict()["stopped"] == "input"


def test_sessions(ledger):
    shop = fg.Session(ledger, candidates=["tea", "rye"])
    assert shop.top_k(VALUES, labels=["tea", "rye", "gin"], k=1, epsilon=1).parameters["candidate_count"] == 2
    assert shop.top_k(VALUES, k=1, epsilon=1).parameters["unit"] == "customer"
    assert len(shop.measure(VALUES, items=[0], epsilon=1).measurements) == 1
    assert shop.sparse_vector(VALUES, threshold=50, k=1, epsilon=1, order="file").spent <= 1
    assert shop.top_k_above(VALUES, threshold=50, k=1, epsilon=1).reserved == 1
    assert shop.exponential(VALUES, kind="counts", sensitivity=1, epsilon=1).item in "012"
    assert len(shop.ledger.history()) == 6
    with pytest.raises(TypeError, match="Ledger"):
        fg.Session("books.db")
