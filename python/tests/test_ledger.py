"""The ledger as Python sees it, and sessions."""

import copy
import pathlib
import pickle
import sys
from fractions import Fraction

import numpy
import pytest

import freegap as fg
from counting import optional, positions

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "cli"))
from ledger_file import added, forge  # noqa: E402

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


def test_data_sets_of_a_ledger(ledger, folder):
    fg.Ledger.create(ledger.path, dataset="site", epsilon=1, unit="visitor").close_dataset()
    for path in (ledger.path, ledger.path.encode(), folder / "books.db"):
        assert fg.Ledger.datasets(path) == ["shop", "site"]
    with pytest.raises(ValueError, match="there is no ledger"):
        fg.Ledger.datasets("none.db")
    with pytest.raises(TypeError, match="PathLike"):
        fg.Ledger.datasets(None)


def test_heads(ledger):
    before = ledger.head()
    fg.top_k(VALUES, k=1, epsilon=1, unit="customer", ledger=ledger)
    assert ledger.head()[0] == before[0] + 2
    assert ledger.check(before) == ledger.check() == ledger.head()
    with pytest.raises(ValueError, match="does not continue"):
        ledger.check((before[0], "0" * 64))


def test_leaving_closes_no_data_set(ledger):
    ledger.close()
    with pytest.raises(ValueError, match="it was left"):
        ledger.balance()
    again = fg.Ledger(ledger.path, dataset=ledger.dataset)
    assert fg.top_k(VALUES, k=1, epsilon=1, unit="customer", ledger=again).spent == 1


def test_closing(ledger):
    ledger.close_dataset()
    with pytest.raises(ValueError, match="closed"):
        fg.top_k(VALUES, k=1, epsilon=1, unit="customer", ledger=ledger)
    with pytest.raises(ValueError, match="closed already"):
        ledger.close_dataset()


def test_what_a_data_set_protects(folder):
    ledger = fg.Ledger.create(folder / "books.db", dataset="rows", epsilon=1, unit="customer", neighbours="replace", column="customer_id")
    assert (ledger.unit, ledger.neighbours, ledger.column, ledger.dataset) == ("customer", "replace", "customer_id", "rows")
    with pytest.raises(ValueError, match="column"):
        fg.Ledger.create(folder / "books.db", dataset="other", epsilon=1, unit="row", column="customer_id")
    with pytest.raises(ValueError, match="neighbours"):
        fg.Ledger.create(folder / "books.db", dataset="other", epsilon=1, unit="row", neighbours="both")
    with pytest.raises(ValueError, match="at most 1000"):
        fg.Ledger.create(folder / "books.db", dataset="other", epsilon=1001, unit="row")


def test_delta(folder):
    ledger = fg.Ledger.create(folder / "books.db", dataset="terms", epsilon=3, unit="customer", delta="1e-6")
    assert ledger.balance() == (3, 0, 0, 3) and ledger.balance().delta == (Fraction(1, 10**6), 0, 0, Fraction(1, 10**6))
    fg.measure(VALUES, items=[1], epsilon=1, unit="customer", ledger=ledger)  # of pure epsilon
    asked = {"dataset": "terms", "time": 0, "who": "ann", "verb": "top", "parameters": "{}"}
    forge(folder / "books.db", added(4, kind="reserve", entry=2, reserved="1", delta="1/2000000", **asked),
          added(5, kind="settle", entry=2, spent="1", release="{}"), added(6, kind="reserve", entry=3, reserved="1/2", delta="1/4000000", **asked))
    balance = ledger.balance()
    assert balance == (3, 2, Fraction(1, 2), Fraction(1, 2)) and ledger.check()[0] == 6
    assert balance.delta._asdict() == {"total": Fraction(1, 10**6), "spent": Fraction(1, 2 * 10**6), "reserved": Fraction(1, 4 * 10**6),
                                       "remaining": Fraction(1, 4 * 10**6)}
    assert [entry["delta"] for entry in ledger.history()] == [0, Fraction(1, 2 * 10**6), Fraction(1, 4 * 10**6)]
    for again in (pickle.loads(pickle.dumps(balance)), copy.deepcopy(balance)):
        assert again == balance and again.delta == balance.delta and hash(again) == hash(balance)
        again.delta = balance.delta._replace(spent=Fraction(0))
        assert again != balance and not again == balance
    assert ledger.plot() is not None
    ledger.copy(folder / "copy.db")
    assert fg.Ledger(folder / "copy.db", dataset="terms").balance().delta == balance.delta


def test_deltas_that_are_none(folder):
    for delta in (0, -1e-9, 1, "3/2", "few", float("nan"), ""):
        with pytest.raises(ValueError, match="delta"):
            fg.Ledger.create(folder / "books.db", dataset="terms", epsilon=3, unit="customer", delta=delta)
    with pytest.raises(TypeError):
        fg.Ledger.create(folder / "books.db", dataset="terms", epsilon=3, unit="customer", delta=[1])
    assert not (folder / "books.db").exists()
    pure = fg.Ledger.create(folder / "books.db", dataset="pure", epsilon=3, unit="customer")
    assert pure.balance().delta == (0, 0, 0, 0)


def test_budgets_that_are_exceeded_say_of_what(ledger):
    with pytest.raises(fg.BudgetExceeded) as caught:
        fg.top_k(VALUES, k=1, epsilon=900, unit="customer", ledger=ledger)
        fg.top_k(VALUES, k=1, epsilon=900, unit="customer", ledger=ledger)
    assert caught.value.of == "epsilon"
    delta = fg.BudgetExceeded("too much", Fraction(1, 9), Fraction(0), Fraction(1, 10), "delta")
    again = pickle.loads(pickle.dumps(delta))
    assert (again.of, again.asked, again.left, again.total) == ("delta", Fraction(1, 9), 0, Fraction(1, 10))


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
    for wrong in ("candidate", "neighbors", "item", "labels", "values"):
        with pytest.raises(TypeError, match=f"does not take '{wrong}'"):
            fg.Session(ledger, **{wrong: ["tea"]})


def test_none_counts_as_not_given_to_a_session(ledger):
    shop = fg.Session(ledger, candidates=["tea", "rye"], universe=None, unit=None)
    assert shop.top_k(VALUES, k=1, epsilon=1, labels=None, item=None).parameters["candidate_count"] == 3
    named = shop.top_k(VALUES, k=1, epsilon=1, labels=["tea", "rye", "gin"], item=None, candidates=None, unit=None)
    assert named.parameters["candidate_count"] == 2 and named.parameters["unit"] == "customer"
    assert shop.exponential(VALUES, labels=None, kind="counts", sensitivity=1, epsilon=1).item in "012"
    assert len(ledger.history()) == 3
    shop.top_k(VALUES, k=1, epsilon=1, ledger=None)  # said outright
    assert len(ledger.history()) == 3


def test_a_session_gives_each_function_what_it_takes(ledger):
    shop = fg.Session(ledger, candidates=["tea", "rye"], noise="geometric", k=1, epsilon=1, confidence=0.9, bounded_by=2)
    assert shop.top_k(VALUES).parameters["noise"] == "geometric"
    assert shop.measure(VALUES, items=[0]).parameters["confidence"] == 0.9
    assert shop.exponential(VALUES, kind="counts", sensitivity=1).reserved == 1


def test_a_session_keeps_the_candidates_that_were_declared(ledger):
    names = ["tea", "rye"]
    shop, from_generator = fg.Session(ledger, candidates=names), fg.Session(ledger, candidates=(name for name in names))
    for _ in range(2):
        names.append(f"later {len(names)}")
        for session in (shop, from_generator):
            assert session.top_k(VALUES, labels=["tea", "rye", "gin"], k=1, epsilon=1).parameters["candidate_count"] == 2
    for wrong in ("tea", b"tea", 7, [1.5]):
        with pytest.raises(TypeError, match="candidates: give a list"):
            fg.Session(ledger, candidates=wrong)
    with pytest.raises(ValueError, match="candidates: name each item once"):
        fg.Session(ledger, candidates=["tea", "tea"])


def test_a_session_gives_rows_and_numbers_what_each_takes(folder):
    """Whatever it holds, every call that would do without it does."""
    polars = optional("polars")
    duckdb = optional("duckdb")
    ledger = fg.Ledger.create(folder / "both.db", dataset="shop", epsilon=1000, unit="customer")
    frame = polars.DataFrame({"product": ["tea", "rye"] * 50, "customer": list(range(100))})
    connection = duckdb.connect()
    connection.execute("CREATE TABLE sales AS SELECT 'tea' AS product, range AS customer FROM range(9)")
    for held in ({"max_items": 3, "bounded_by": 2}, {"kind": "general", "sensitivity": 2}, {"range": (0, 50)},
                 {"prefer": "estimates", "theta": "0.2"}, {"theta": "0.2"}):
        shop = fg.Session(ledger, candidates=["tea", "rye"], epsilon=1, threshold=1, k=1, **held)
        for rows, values, more in ((False, VALUES, {}), (True, frame, {"item": "product"})):
            made = [shop.top_k(values, **more), shop.top_k_above(values, **more), shop.sparse_vector(values, **more)]
            made.append(shop.measure(values, items=["tea"] if rows else [0], **more))
            for release in made:
                assert release.parameters.get("max_items") == ({True: 3, False: 2}[rows] if "max_items" in held else None)
                assert release.parameters["sensitivity"] == (held.get("sensitivity", 1) if not rows else 1)
        assert shop.duckdb.top_k(connection, "sales", item="product").parameters["candidate_count"] == 2
        assert shop.exponential(VALUES, **({} if "sensitivity" in held else {"sensitivity": 1})).reserved == 1
    unknown = fg.Session(ledger, unknown_items=True, delta="1e-9", max_items=2, theta="0.2", epsilon=1, k=1)
    with pytest.raises(fg.BudgetExceeded, match="δ|delta"):  # the ledger has no δ: the options themselves fit
        unknown.top_k(frame, item="product")
    with pytest.raises(TypeError, match="bounded_by="):  # but what the call itself says is never left out
        shop.top_k(frame, item="product", bounded_by=2)
    with pytest.raises(ValueError, match="max_items"):
        shop.top_k(VALUES, max_items=2)


def test_what_a_session_holds_can_be_seen_and_not_changed(ledger):
    shop = fg.Session(ledger, candidates=["tea", 7], confidence=0.9, unit=None)
    assert (shop.dataset, shop.unit, shop.neighbours, shop.candidates) == ("shop", "customer", "add-remove", ("tea", "7"))
    assert fg.Session(ledger).candidates is None
    assert repr(shop) == (f"<freegap session of 'shop' in {ledger.path!r}: unit='customer', neighbours='add-remove', confidence=0.9, 2 candidates>")
    for name in ("ledger", "dataset", "unit", "neighbours", "candidates"):
        with pytest.raises(AttributeError):
            setattr(shop, name, None)


def test_a_session_makes_sparse_vectors(ledger):
    shop = fg.Session(ledger, candidates=["tea", "rye"], confidence=0.9)
    with shop.SparseVector(threshold=50, k=5, epsilon=100, kind="counts") as vector:
        vector.ask(10_000)
    assert vector.release.parameters["unit"] == "customer" and vector.release.parameters["confidence"] == 0.9
    assert ledger.show(1).answers == vector.release.answers


def test_a_session_asks_engines(folder):
    duckdb = optional("duckdb")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE sales AS SELECT 'tea' AS product, range AS customer FROM range(900)")
    ledger = fg.Ledger.create(folder / "tied.db", dataset="shop", epsilon=1000, unit="person", column="customer")
    shop = fg.Session(ledger, candidates=["tea", "rye"], epsilon=100)
    top = shop.duckdb.top_k(connection, "sales", item="product", k=1)
    assert top.winners[0].item == "tea" and top.parameters["unit"] == "person" and top.parameters["candidate_count"] == 2
    assert len(shop.duckdb.above(connection, "sales", item="product", k=2, threshold=500).answers) == 2
    assert shop.duckdb.measure(connection, "sales", item="product", items=["tea"], epsilon=1).spent == 1
    assert shop.duckdb.top_k_above(connection, "sales", item="product", candidates=["rye"], k=1, threshold=500).winners == ()
    assert [entry["asked"]["input"] for entry in ledger.history()] == ["DuckDB"] * 4
    for engine in ("duckdb", "postgres", "spark"):
        for name in getattr(fg, engine).__all__:
            function = getattr(getattr(shop, engine), name)
            assert function.__doc__ == getattr(getattr(fg, engine), name).__doc__
            with pytest.raises(ValueError, match="which column"):  # it is the function of the engine
                function(*[None] * positions(function))
