"""Items nobody listed: what is released from every source, what is never said, what is refused, and how δ is charged."""

import decimal
import json
from fractions import Fraction

import numpy
import pytest

import freegap as fg
from counting import optional
from fragments import Fragment

#: Items with their units: two frequent ones, a tail of single holders, and names that no release can show, each held by many.
TAIL = [f"tail{i}" for i in range(38)]
BAD = [" blank", "", "line\nfeed", "x" * 1025]
HOLDERS = {"tea": range(5000), "milk": range(2500, 7500), **{name: [9000 + i] for i, name in enumerate(TAIL)},
           **{name: range(7000) for name in BAD}}
ROWS = [(item, unit) for item, units in HOLDERS.items() for unit in units]
ASK = {"unknown_items": True, "delta": "1e-9", "k": 10, "epsilon": 1}
ROWS_ASK = {"item": "product", "unit": "customer", "max_items": 3, **ASK}
FREE = {"ledger": None}
COUNTS = {"labels": ["tea", "gone", "milk", *TAIL, *BAD], "bounded_by": 3, **ASK}
NUMBERS = [5000, 0, 5000, *[1] * len(TAIL), *[7000] * len(BAD)]


def frame(kind, rows):
    columns = {"product": [item for item, _ in rows], "customer": [unit for _, unit in rows]}
    if kind == "arrow":
        pyarrow = optional("pyarrow")
        return pyarrow.table({"product": pyarrow.array(columns["product"], pyarrow.string()),
                              "customer": pyarrow.array(columns["customer"], pyarrow.int64())})
    if kind == "pandas":
        return optional("pandas").DataFrame(columns).astype({"product": object})
    polars = optional("polars")
    made = polars.DataFrame(columns, schema={"product": polars.String, "customer": polars.Int64})
    return made.lazy() if kind == "lazy" else made


FRAMES = ["pandas", "polars", "lazy", "arrow"]


def duckdb_of(rows):
    con = optional("duckdb").connect()
    con.execute("CREATE TABLE sales (product VARCHAR, customer BIGINT)")
    pairs = frame("arrow", rows)  # noqa: F841: DuckDB finds it by its name
    con.execute("INSERT INTO sales SELECT * FROM pairs")
    return con


def check(release, k=10, bound=3, winners=("milk", "tea")):
    assert sorted(winner.item for winner in release.winners) == sorted(winners)
    document = release.to_dict()
    assert document["mechanism"] == "top_k_above" and document["delta"] == "1/1000000000"
    assert release.delta == Fraction(1, 10**9) and release.spent == release.reserved == 1
    parameters = document["parameters"]
    assert parameters["candidates"] == "unknown items" and parameters["max_items"] == bound and parameters["k"] == k
    assert "candidate_count" not in parameters and "threshold_gap_ticks" not in document
    assert document["threshold"]["asked"] is None and document["threshold"]["used"] > 100
    shown = Fragment(release._repr_html_()).text
    assert "δ = 1e-09" in repr(release) and "and δ 1e-09" in shown
    for text in (release.to_json(), repr(release), shown):
        assert not any(name in text for name in ("tail", "blank", "feed", "xxx", "gone"))


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_release_frequent_items_alone(kind):
    check(fg.top_k(frame(kind, ROWS), **ROWS_ASK, **FREE))
    check(fg.top_k_above(frame(kind, ROWS), **ROWS_ASK, **FREE))


def test_duckdb_releases_frequent_items_alone():
    con = duckdb_of(ROWS)
    check(fg.duckdb.top_k(con, "sales", **ROWS_ASK, **FREE))
    check(fg.duckdb.top_k_above(con, "SELECT * FROM sales", **ROWS_ASK, **FREE))


def test_labels_release_frequent_items_alone():
    for prefer in ("identity", "estimates"):
        for noise in ("exponential", "geometric", "laplace"):
            check(fg.top_k(NUMBERS, prefer=prefer, noise=noise, **COUNTS, **FREE))
    check(fg.top_k(NUMBERS, measure=0, **COUNTS, **FREE))  # as quick as others, but never the selection of declared candidates
    numpy = optional("numpy")
    for dtype in ("int64", "int32"):
        check(fg.top_k_above(numpy.array(NUMBERS, dtype=dtype), **COUNTS, **FREE))


def cut_rows():
    """Each unit holds the frequent item and three names that no release can show: with the bound 1 it must keep the former."""
    return [(item, unit) for unit in range(5000) for item in ("tea", *BAD[:3])]


@pytest.mark.parametrize("kind", [*FRAMES, "duckdb"])
def test_names_that_cannot_be_shown_take_no_place(kind):
    ask = {**ROWS_ASK, "max_items": 1, "epsilon": 20, **FREE}
    if kind == "duckdb":
        release = fg.duckdb.top_k(duckdb_of(cut_rows()), "sales", **ask)
    else:
        release = fg.top_k(frame(kind, cut_rows()), **ask)
    assert [winner.item for winner in release.winners] == ["tea"]
    assert 4900 < release.winners[0].estimate < 5100


@pytest.mark.parametrize("delta", [2.0**-128, "1.2345678901234567e-33"])
def test_a_delta_of_many_digits_is_charged_and_shown(folder, delta):
    """A short decimal can be a long fraction."""
    ledger = fg.Ledger.create(folder / "many.db", dataset="terms", epsilon=3, unit="customer", delta="1e-9")
    exact = Fraction(repr(delta) if isinstance(delta, float) else delta)
    release = fg.top_k(NUMBERS, **{**COUNTS, "delta": delta, "unit": "customer", "ledger": ledger})
    assert release.delta == exact == ledger.balance().delta.spent and len(release.to_dict()["delta"]) > 64
    assert ledger.show(1).delta == exact and fg.Release(release.to_json()).delta == exact
    assert [row.item for row in fg.estimate(release)] == [winner.item for winner in release.winners]


@pytest.mark.parametrize("kind", [*FRAMES, "duckdb"])
def test_rows_as_units(kind):
    """A row has one item, so nothing is cut; names that cannot be shown are left out as well."""
    ask = {**ROWS_ASK, "unit": "row", **FREE}
    release = fg.duckdb.top_k(duckdb_of(ROWS), "sales", **ask) if kind == "duckdb" else fg.top_k(frame(kind, ROWS), **ask)
    check(release, bound=1)


@pytest.mark.parametrize("kind", [*FRAMES, "duckdb"])
def test_nothing_is_an_answer(kind):
    """Data with rare items, with none, and with names alone that cannot be shown: the same document."""
    seen = set()
    for rows in ([("a", 1), ("b", 1), ("c", 2)], [], [(" ", 1), ("", 2)], [("x", unit) for unit in (1, 2)] + [(f"y{i}", 1) for i in range(9)]):
        ask = {**ROWS_ASK, "max_items": 1, **FREE}
        release = fg.duckdb.top_k(duckdb_of(rows), "sales", **ask) if kind == "duckdb" else fg.top_k(frame(kind, rows), **ask)
        check(release, bound=1, winners=())
        seen.add(release.to_json())
    assert len(seen) == 1


def test_nothing_is_an_answer_of_labels():
    for numbers, labels in (([], []), ([0], ["tea"]), ([3], [" tea "]), ([2], ["\udc80"])):
        check(fg.top_k(numbers, **{**COUNTS, "labels": labels}, **FREE), winners=())


def test_null_labels_are_left_out(ledger):
    """A message would tell that an item without a name occurs. Where items are declared they are no secret."""
    pandas, pyarrow = optional("pandas"), optional("pyarrow")
    names = ["tea", None, "milk", None]
    numbers = [5000, 7000, 5000, 1]
    ask = {"bounded_by": 3, **ASK}
    shown = pandas.Series(["tea", None, "milk", float("nan")], dtype=object)
    for labels in (names, tuple(names), pyarrow.array(names), pyarrow.chunked_array([names[:1], names[1:]]), pandas.Series(names, dtype="string"),
                   shown, pandas.Index(shown), [*names[:3], pandas.NA], [*names[:3], 10**5000], [*names[:3], pandas.NaT],
                   [*names[:3], numpy.float32("nan")], [*names[:3], numpy.datetime64("NaT")], [*names[:3], decimal.Decimal("nan")]):
        check(fg.top_k(numbers, labels=labels, **ask, **FREE))
        [release] = fg.simulate.top_k(numbers, labels=labels, seed=1, **ask)
        assert {winner.item for winner in release.winners} == {"tea", "milk"}
    assert fg.top_k([7000], labels=[None], **ask, **FREE).winners == ()
    for declared in ({"items_are_public": True}, {"candidates": ["tea", "milk"]}):
        for labels in (names, pyarrow.array(names)):
            with pytest.raises(TypeError, match="labels: give a str"):
                fg.top_k(numbers, labels=labels, k=1, epsilon=1, unit="customer", ledger=ledger, **declared)
    with pytest.raises(TypeError, match="candidates: give a str"):
        fg.top_k(numbers, labels=["a", "b", "c", "d"], candidates=["a", None], k=1, epsilon=1, unit="customer", ledger=ledger)
    assert ledger.history() == []


def test_thresholds():
    plan = fg.plan.top_k(k=10, epsilon=1, unknown_items=True, delta="1e-9", max_items=3)
    assert plan["delta"] == "1/1000000000"
    safe = fg.top_k(NUMBERS, **COUNTS, **FREE).to_dict()["threshold"]["used"]
    assert plan["threshold"]["used"] == safe
    low = fg.top_k_above(NUMBERS, threshold=5, **COUNTS, **FREE).to_dict()["threshold"]
    high = fg.top_k_above(NUMBERS, threshold=4000, **COUNTS, **FREE).to_dict()["threshold"]
    assert (low["asked"], low["used"], high["asked"], high["used"]) == (5, safe, 4000, 4000)
    for part in ({"delta": "1e-9"}, {"unknown_items": True, "delta": "1e-9"}, {"unknown_items": True, "max_items": 3}):
        with pytest.raises(ValueError):
            fg.plan.top_k(k=10, epsilon=1, **part)


@pytest.mark.parametrize("prefer", ["identity", "estimates"])
def test_simulations_are_those_of_the_program(program, folder, prefer):
    (folder / "counts.csv").write_text("item,count\n" + "".join(f"{name},{count}\n" for name, count in zip(COUNTS["labels"], NUMBERS)
                                                                if name not in BAD))
    lines = program("simulate", "top", "counts.csv", "--unknown-items", "--delta", "1e-9", "--bounded-by", 3, "-k", 10, "--epsilon", 1,
                    "--prefer", prefer, "--runs", 3, "--seed", 7, folder=folder).splitlines()
    releases = fg.simulate.top_k(NUMBERS, runs=3, seed=7, prefer=prefer, **COUNTS)
    assert len(lines) == 3
    for line, release in zip(lines, releases):
        expected, found = json.loads(line), release.to_dict()
        for document in (expected, found):
            document["parameters"].pop("unit", None)
        assert found == expected


def test_estimates_are_made_again():
    for prefer in ("identity", "estimates"):
        for k in (2, 10):
            release = fg.top_k(NUMBERS, **{**COUNTS, "k": k}, prefer=prefer, **FREE)
            again = fg.estimate(fg.Release(release.to_json()))
            assert [row.estimate for row in again] == pytest.approx([winner.estimate for winner in release.winners])
            assert fg.Release(release.to_json()).delta == Fraction(1, 10**9)
    assert fg.top_k([5, 3], k=1, epsilon=1, **FREE).delta == 0


def test_delta_is_charged(folder):
    ledger = fg.Ledger.create(folder / "books.db", dataset="shop", epsilon=4, unit="customer", delta="2e-9")
    session = fg.Session(ledger, candidates=["tea", "milk"])
    numbers = {**COUNTS, "ledger": ledger, "unit": "customer"}
    fg.top_k(NUMBERS, **numbers)
    assert ledger.balance().delta.remaining == Fraction(1, 10**9) and ledger.balance().remaining == 3
    frame_of = frame("pandas", [("a", 1), ("b", 2)])
    release = session.top_k(frame_of, item="product", max_items=3, **{**ASK, "unit": "customer"})  # nothing won, all is spent
    assert release.winners == () and ledger.balance().delta.remaining == 0 and ledger.balance().remaining == 2
    balance = ledger.balance()
    with pytest.raises(fg.BudgetExceeded) as refused:
        fg.top_k(NUMBERS, **numbers)
    assert refused.value.of == "delta" and refused.value.asked == Fraction(1, 10**9) and refused.value.left == 0
    assert ledger.balance() == balance and ledger.balance().delta == balance.delta
    session.top_k(NUMBERS[:1], labels=["tea"], k=1, epsilon=1)  # pure ε is left
    pure = fg.Ledger.create(folder / "pure.db", dataset="shop", epsilon=4, unit="customer")
    with pytest.raises(fg.BudgetExceeded) as refused:
        fg.top_k(NUMBERS, **{**numbers, "ledger": pure})
    assert refused.value.of == "delta" and pure.balance().remaining == 4


def test_candidates_take_the_place_of_unknown_items_in_a_session(folder):
    ledger = fg.Ledger.create(folder / "books.db", dataset="shop", epsilon=4, unit="customer", delta="2e-9")
    session = fg.Session(ledger, unknown_items=True, delta="1e-9", bounded_by=3)
    assert session.top_k(NUMBERS, labels=COUNTS["labels"], k=10, epsilon=1).delta == Fraction(1, 10**9)
    assert session.top_k([40, 2], labels=["tea", "milk"], candidates=["tea", "milk"], k=1, epsilon=1).delta == 0
    assert session.top_k([40, 2], k=1, epsilon=1).delta == 0
    assert ledger.balance().delta.spent == Fraction(1, 10**9)


BAD_DELTAS = ["0", "-1e-9", 1, "3/2", "x", float("nan"), "", 0.0]


@pytest.mark.parametrize("delta", BAD_DELTAS)
def test_bad_deltas(ledger, delta):
    for call in (lambda: fg.top_k(NUMBERS, **{**COUNTS, "delta": delta}, ledger=ledger, unit="customer"),
                 lambda: fg.top_k(frame("pandas", ROWS[:9]), **{**ROWS_ASK, "delta": delta}, ledger=ledger)):
        with pytest.raises(ValueError, match="delta"):
            call()
    assert ledger.balance().spent == 0


@pytest.mark.parametrize("changed, words", [
    ({"delta": None}, "delta"), ({"kind": "general", "sensitivity": 1}, "unknown_items"), ({"sensitivity": 2}, "unknown_items"),
    ({"neighbours": "replace"}, "neighbours"), ({"range": (0, 9)}, "unknown_items"), ({"candidates": ["tea"]}, "unknown_items"),
    ({"universe": range(9)}, "unknown_items"), ({"items_are_public": True}, "unknown_items"), ({"constant_work": True}, "constant_work"),
    ({"classic": True}, "classic"), ({"bounded_by": None}, "bounded_by"), ({"bounded_by": 0}, "bounded_by"),
    ({"bounded_by": None, "max_items": 3}, "max_items"), ({"labels": None}, "labels"), ({"labels": ["tea"]}, "labels"),
    ({"unknown_items": False, "items_are_public": True}, "delta"), ({"theta": "1/2"}, "theta"),
])
def test_refused_with_labels(ledger, changed, words):
    labels = COUNTS["labels"] if "items_are_public" not in changed else ["tea", "gone", "milk"]
    numbers = NUMBERS[:len(labels)]
    for function, simulated in ((fg.top_k, fg.simulate.top_k), (fg.top_k_above, fg.simulate.top_k_above)):
        threshold = {"threshold": 9} if function is fg.top_k_above else {}
        with pytest.raises(ValueError, match=f"^{words}"):
            function(numbers, **{**COUNTS, "labels": labels, **changed, **threshold}, ledger=ledger, unit="customer")
        with pytest.raises(ValueError, match=f"^{words}"):
            simulated(numbers, **{**COUNTS, "labels": labels, **changed, **threshold}, seed=1)
    assert ledger.balance().spent == 0


@pytest.mark.parametrize("changed, words", [
    ({"delta": None}, "delta"), ({"max_items": None}, "max_items: unknown_items=True needs it: the most items"),
    ({"max_items": 0}, "max_items"), ({"candidates": ["tea"]}, "unknown_items"),
    ({"universe": range(9)}, "unknown_items"), ({"items_are_public": True}, "unknown_items"), ({"neighbours": "replace"}, "neighbours"),
    ({"constant_work": True}, "constant_work"), ({"classic": True}, "classic"), ({"unknown_items": False}, "candidates"),
    ({"unknown_items": False, "items_are_public": True}, "delta"),
])
def test_refused_with_rows(ledger, changed, words):
    con = duckdb_of(ROWS[:9])
    for call in (lambda ask: fg.top_k(frame("polars", ROWS[:9]), **ask), lambda ask: fg.duckdb.top_k(con, "sales", **ask)):
        with pytest.raises(ValueError, match=f"^{words}"):
            call({**ROWS_ASK, **changed, "ledger": ledger})
    assert ledger.balance().spent == 0


def test_refused_types(ledger):
    rows = frame("pandas", ROWS[:9])
    with pytest.raises(TypeError, match="unknown_items"):
        fg.top_k(rows, **{**ROWS_ASK, "unknown_items": "yes"}, ledger=ledger)
    with pytest.raises(TypeError, match="unknown_items"):
        fg.top_k(NUMBERS, **{**COUNTS, "unknown_items": 1}, ledger=ledger, unit="customer")
    with pytest.raises(TypeError, match="bounded_by"):
        fg.top_k(rows, **{**ROWS_ASK, "bounded_by": 3}, ledger=ledger)
    for function in (fg.sparse_vector, fg.measure):
        more = {"threshold": 9} if function is fg.sparse_vector else {"items": ["tea"]}
        with pytest.raises(TypeError, match="unknown_items"):
            function(rows, item="product", unit="customer", max_items=3, unknown_items=True, k=1, epsilon=1, ledger=ledger, **more)
    assert ledger.balance().spent == 0


def test_the_ledger_keeps_no_name(ledger, folder):
    """What an auditor reads tells δ and the bound, and no name besides the winners'."""
    funded = fg.Ledger.create(folder / "delta.db", dataset="shop", epsilon=4, unit="customer", delta="1e-9")
    fg.top_k(NUMBERS, **COUNTS, ledger=funded, unit="customer")
    stored = (folder / "delta.db").read_bytes()
    assert b"tea" in stored and b"1e-9" in stored
    assert not any(name in stored for name in (b"tail1", b" blank", b"gone"))
