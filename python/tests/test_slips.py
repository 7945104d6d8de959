"""Slips that are easy to make: each is refused before anything is charged, with a message that names it."""

import ctypes
import fractions
import inspect
import signal

import numpy
import pytest
import freegap as fg
from counting import optional


@pytest.fixture
def ledger(tmp_path):
    with fg.Ledger.create(tmp_path / "books.db", dataset="shop", epsilon=200, unit="customer") as ledger:
        yield ledger
        assert ledger.balance().spent == 0


class RaisesAsInt:
    def __index__(self):
        raise ZeroDivisionError("of its own")


@pytest.mark.parametrize("value", [numpy.array([3.5, 2]), numpy.array(3.5), numpy.array([1, 2])])
def test_a_stream_takes_no_arrays(ledger, value):
    stream = fg.SparseVector(threshold=-500, k=2, epsilon=100, sensitivity=1, unit="customer", ledger=ledger)
    with pytest.raises(TypeError, match="value: give an int, not an array"):
        stream.ask(value)
    stream.close()
    assert not stream.release.to_dict()["answers"]


def test_what_a_conversion_raises_is_raised(ledger):
    stream = fg.SparseVector(threshold=-500, k=2, epsilon=100, sensitivity=1, unit="customer", ledger=ledger)
    with pytest.raises(ZeroDivisionError, match="of its own"):
        stream.ask(RaisesAsInt())
    for bad in ({"k": RaisesAsInt()}, {"epsilon": RaisesAsInt()}):
        with pytest.raises(ZeroDivisionError, match="of its own"):
            fg.top_k([1, 2], **{"k": 1, "epsilon": 1, "unit": "customer", "ledger": ledger, **bad})


@pytest.mark.parametrize("name", ["k", "epsilon", "confidence"])
def test_options_are_no_arrays(ledger, name):
    options = {"k": 1, "epsilon": 1, "unit": "customer", "ledger": ledger, name: numpy.array([1, 2])}
    with pytest.raises(TypeError, match=name):
        fg.top_k([1, 2], **options)


@pytest.mark.parametrize("declared", [{"labels": ["a", "zz"], "candidates": ["a"], "items": ["zz"]},
                                      {"labels": [1, 99], "universe": range(10), "items": [99]},
                                      {"labels": [1, 10], "universe": range(10), "items": [10]},
                                      {"labels": [1, -1], "universe": range(10), "items": [-1]},
                                      {"labels": ["a", "1"], "universe": range(10), "items": ["a"]}])
def test_only_declared_items_are_measured(ledger, declared):
    with pytest.raises(ValueError, match="items: .* is not among the declared candidates"):
        fg.measure([5, 900], epsilon=1, unit="customer", ledger=ledger, **declared)


@pytest.mark.parametrize("declared", [{"labels": ["a", "zz"], "candidates": ["a", "zz"], "items": ["zz"]},
                                      {"labels": [1, 9], "universe": range(10), "items": [9, 0]}])
def test_declared_items_are_measured(declared):
    release = fg.measure([5, 900], epsilon=1, unit="customer", ledger=None, **declared)
    assert [row.item for row in release.measurements] == [str(item) for item in declared["items"]]


@pytest.mark.parametrize("items, error, words", [("12", TypeError, "items: give a list of positions"), (b"12", TypeError, "items: give a list"),
                                                 ([0, 0], ValueError, "name each item once"), ([1, "1"], ValueError, "name each item once"),
                                                 (["a"], ValueError, "named by their positions"), ([3], ValueError, "from 0 to 2")])
def test_positions_to_measure(ledger, items, error, words):
    with pytest.raises(error, match=words):
        fg.measure([5, 900, 3], items=items, epsilon=1, unit="customer", ledger=ledger)


def test_a_misspelt_option_is_named():
    with pytest.raises(TypeError, match=r"top_k\(\) does not take 'epsilom'$"):
        fg.top_k([1, 2], k=1, epsilon=1, epsilom=2, ledger=None)
    with pytest.raises(TypeError, match=r"does not take '\\udc80', 'x'$"):
        fg.top_k([1, 2], k=1, epsilon=1, ledger=None, **{"\udc80": 1, "x": 2})


@pytest.mark.parametrize("function, given, words", [
    (fg.top_k, {"k": 1, "epsilo": 1}, "does not take 'epsilo'; k= and epsilon= must be given"),
    (fg.top_k_above, {"k": 1, "epsilon": 1, "treshold": 3}, "does not take 'treshold'; threshold= must be given"),
    (fg.sparse_vector, {"k": 1, "epsilon": 1, "treshold": 3}, "does not take 'treshold'; threshold= must be given"),
    (fg.exponential, {"eps": 1, "sensitivity": 1}, "does not take 'eps'; epsilon= must be given"),
    (fg.measure, {"epsilon": 1, "item_s": [0]}, "does not take 'item_s'; items= must be given"),
    (fg.measure, {"items": [0], "k": 1}, r"^epsilon= must be given$")])
def test_a_misspelt_option_that_is_needed_is_named(function, given, words):
    with pytest.raises(TypeError, match=words):
        function([1, 2], ledger=None, **given)


def test_a_misspelt_option_of_engines_and_simulations_is_named():
    with pytest.raises(TypeError, match="does not take 'sed'; seed= must be given"):
        fg.simulate.top_k([1, 2], k=1, epsilon=1, sed=1)
    frame = optional("pandas").DataFrame({"product": ["tea"], "customer": [1]})
    for declared in ({"candidates": ["tea"]}, {"items_are_public": True}, {"universe": range(3)}):
        with pytest.raises(TypeError, match=r"does not take 'epsilo'; k= and epsilon="):
            fg.top_k(frame, item="product", unit="customer", k=1, epsilo=1, ledger=None, **declared)
        with pytest.raises(TypeError, match=r"^k= and epsilon= must be given$"):
            fg.top_k(frame, item="product", unit="customer", k=1, ledger=None, **declared)
        with pytest.raises(TypeError, match=r"^threshold= must be given$"):
            fg.sparse_vector(frame, item="product", unit="customer", k=1, epsilon=1, ledger=None, **declared)


def test_an_estimate_is_of_one_release():
    for release in (None, 3, "x", {}, [], fg.simulate.top_k([1, 2], k=1, epsilon=1, runs=2, seed=1)):
        with pytest.raises(TypeError, match="release: give one release of .*; of a list, one after another"):
            fg.estimate(release)


def test_an_estimate_of_a_release_that_was_never_made():
    release = fg.top_k([1, 2], k=1, epsilon=1, ledger=None)
    unmade = fg.Release.__new__(fg.Release)
    with pytest.raises(TypeError, match="release: give one release of"):
        fg.estimate(unmade)
    with pytest.raises(TypeError, match="measurement: give a release of freegap.measure"):
        fg.estimate(release, unmade)


@pytest.mark.parametrize("plan", [fg.plan.top_k, fg.plan.sparse_vector])
def test_plans_have_no_hidden_option(plan):
    with pytest.raises(TypeError, match="does not take '_errors_alone'"):
        plan(k=10, epsilon=1, _errors_alone=True)


@pytest.mark.parametrize("simulate", [fg.exponential, fg.simulate.exponential])
def test_a_function_in_the_place_of_utilities(simulate):
    with pytest.raises(TypeError, match="values: give the utilities.*sampler="):
        simulate(lambda: 0, epsilon=1, sensitivity=1, **({"ledger": None} if simulate is fg.exponential else {"seed": 1}))


@pytest.mark.parametrize("number", [10**5000, fractions.Fraction(10**5000, 3), fractions.Fraction(1, 10**5000)], ids=["int", "numerator", "denominator"])
def test_numbers_of_too_many_digits_are_named(ledger, number):
    """Python refuses to write them, in words that name no argument."""
    for name in ("epsilon", "measure", "sensitivity", "tick"):
        with pytest.raises(ValueError, match=f"^{name}: it has too many digits"):
            fg.top_k([1, 2], **{"k": 1, "epsilon": 1, "unit": "customer", "ledger": ledger, name: number})
    with pytest.raises(ValueError, match="^labels: it has too many digits"):
        fg.top_k([1, 2], labels=[1, 10**5000], items_are_public=True, k=1, epsilon=1, unit="customer", ledger=ledger)


@pytest.mark.parametrize("function", fg.simulate.__all__)
def test_simulations_take_no_unit(function):
    given = {"top_k": {"k": 1}, "top_k_above": {"k": 1, "threshold": 1}, "sparse_vector": {"k": 1, "threshold": 1}, "measure": {"items": [0]},
             "exponential": {"sensitivity": 1}}[function]
    simulate = getattr(fg.simulate, function)
    assert "unit" not in inspect.signature(simulate).parameters
    assert len(simulate([1, 2], epsilon=1, seed=1, unit=None, **given)) == 1
    with pytest.raises(TypeError, match="unit: a simulation protects nobody"):
        simulate([1, 2], epsilon=1, seed=1, unit="customer", **given)


def test_a_release_is_made_of_a_text():
    release = fg.top_k([1, 2], k=1, epsilon=1, ledger=None)
    for bad in (release.to_dict(), release, None, b"{}"):
        with pytest.raises(TypeError, match=r"json: give the text of a release.*json\.dumps"):
            fg.Release(bad)
    with pytest.raises(ValueError, match="json: the text cannot be written as UTF-8"):
        fg.Release("\ud800")


@pytest.mark.parametrize("epsilon", [1e-320, "1e-320", "1e41"])
def test_exponents_have_bounds(ledger, epsilon):
    with pytest.raises(ValueError, match="epsilon: .* with an exponent from -40 to 40"):
        fg.top_k([1, 2], k=1, epsilon=epsilon, unit="customer", ledger=ledger)


@pytest.mark.parametrize("call, error, words", [
    (lambda ledger: ledger.show("1"), TypeError, "entry: give an int"), (lambda ledger: ledger.show(None), TypeError, "entry: give an int"),
    (lambda ledger: ledger.show(2**70), ValueError, "entry: it must be from 1"), (lambda ledger: ledger.show(-1), ValueError, "entry: it must be from 1"),
    *[(lambda ledger, head=head: ledger.check(head), TypeError, "head: give") for head in (5, "ab", (1,), (1, 2), ("1", "a"), (None, "a"))],
    (lambda ledger: ledger.check((2**70, "a")), ValueError, "head: it must be from 0"),
    (lambda ledger: ledger.check((1, "\ud800")), ValueError, "head: .* UTF-8"),
    (lambda ledger: fg.Ledger(ledger.path, dataset=None), TypeError, "dataset: give a str"),
    (lambda ledger: fg.Ledger(ledger.path, dataset="\ud800"), ValueError, "dataset: .* UTF-8"),
    (lambda ledger: fg.Ledger("\udcff.db", dataset="shop"), ValueError, "path: .* must be UTF-8"),
    (lambda ledger: ledger.copy("\udcff.db"), ValueError, "path: .* must be UTF-8"),
    (lambda ledger: fg.Ledger(None, dataset="shop"), TypeError, "PathLike")])
def test_ledgers_say_what_to_give(ledger, call, error, words):
    with pytest.raises(error, match=words):
        call(ledger)


@pytest.mark.parametrize("name", ["dataset", "unit", "neighbours", "column", "epsilon"])
def test_a_new_data_set_says_what_to_give(tmp_path, name):
    with pytest.raises(TypeError, match=f"{name}: give a str"):
        fg.Ledger.create(tmp_path / "b.db", **{"dataset": "d", "epsilon": 1, "unit": "customer", name: [5]})
    assert not (tmp_path / "b.db").exists()


def test_a_path_of_bytes(ledger):
    with fg.Ledger(ledger.path.encode(), dataset="shop") as same:
        assert same.path == ledger.path


def test_an_estimate_takes_releases():
    release = fg.top_k([1, 2], k=1, epsilon=1, measure=0, ledger=None)
    for bad in ("x", 3, {}):
        with pytest.raises(TypeError, match="measurement"):
            fg.estimate(release, bad)


def test_row_is_no_column(tmp_path):
    with pytest.raises(ValueError, match="column: \"row\" stands for the rows themselves"):
        fg.Ledger.create(tmp_path / "b.db", dataset="d", epsilon=1, unit="customer", column="row")
    with pytest.raises(ValueError, match="column: the unit row has no column"):
        fg.Ledger.create(tmp_path / "b.db", dataset="d", epsilon=1, unit="row", column="id")
    assert not (tmp_path / "b.db").exists()


def test_a_missing_ledger_is_said_in_words_of_python(tmp_path):
    path = tmp_path / "my --x -y.db"
    with pytest.raises(ValueError) as caught:
        fg.Ledger(path, dataset="d")
    assert str(caught.value) == (f'there is no ledger "{path}"; make one with: freegap.Ledger.create(path, dataset=..., epsilon=..., unit=...)')


def test_the_remedy_for_delta_is_said_in_words_of_python(ledger):
    with pytest.raises(ValueError, match=r"freegap\.Ledger\.create\(\.\.\., delta=\.\.\.\)"):
        fg.top_k([9, 5], labels=["a", "b"], unknown_items=True, bounded_by=1, delta="1e-9", k=1, epsilon=1, unit="customer", ledger=ledger)


def test_an_index_of_names_is_no_order_of_positions(ledger):
    """`value_counts()` has one number per item that occurs, largest first: positions would tell both."""
    pandas = optional("pandas")
    counts = pandas.Series(["tea", "jam", "tea"]).value_counts()
    options = {"k": 1, "epsilon": 1, "unit": "customer"}
    for series in (counts, pandas.Series([1, 2], index=[1, 2]), pandas.Series([1, 2, 3])[1:], pandas.Series([1, 2, 3, 4])[::2]):
        with pytest.raises(ValueError, match="values: its index names the numbers.*labels=values.index"):
            fg.top_k(series, ledger=ledger, **options)
    named = fg.top_k(counts, labels=counts.index, items_are_public=True, ledger=None, **options)
    assert named.winners[0].item in ("tea", "jam")
    for plain in (pandas.Series([1, 2]), counts.to_numpy(), counts.reset_index(drop=True)):
        assert fg.top_k(plain, ledger=None, **options).winners[0].item in ("0", "1")


FAILS = "SELECT CAST(error('it counted') AS VARCHAR) AS product, range AS customer FROM range(3)"
LISTED = {"candidates": ["tea", "jam"]}


@pytest.mark.parametrize("function, options, words", [
    ("top_k", {**LISTED, "epsilon": -1}, "epsilon: it must be above 0"), ("top_k", {**LISTED, "k": 3}, "k: it must be from 1 to .*, 2"),
    ("top_k", {**LISTED, "epsilom": 1}, "does not take 'epsilom'"), ("top_k", {**LISTED, "measure": 7}, "measure: it must be"),
    ("top_k", {"universe": range(5, 9), "k": 5}, "k: it must be from 1 to .*, 4"), ("top_k", {"items_are_public": True, "k": 0}, "k: it must be"),
    ("top_k", {"unknown_items": True, "max_items": 3, "delta": 0}, "delta: it must be"), ("top_k_above", {**LISTED, "threshold": "x"}, "threshold"),
    ("above", {**LISTED, "threshold": "x"}, "threshold"), ("measure", {"k": None, "items": ["tea"], "epsilon": 0}, "epsilon: it must be")])
def test_engines_look_at_options_before_they_count(ledger, function, options, words):
    duckdb = optional("duckdb")
    common = {"item": "product", "unit": "customer", "k": 1, "epsilon": 1, "ledger": ledger, **options}
    with duckdb.connect() as con, pytest.raises((TypeError, ValueError), match=words):
        getattr(fg.duckdb, function)(con, FAILS, **{name: value for name, value in common.items() if value is not None})


@pytest.mark.parametrize("function, options", [
    ("top_k", LISTED), ("top_k", {"universe": range(-3, 9), "k": 12}), ("top_k", {"items_are_public": True, "k": 200, "constant_work": True}),
    ("top_k", {"unknown_items": True, "max_items": 3, "delta": "1e-9"}), ("top_k_above", {**LISTED, "threshold": 5}),
    ("above", {**LISTED, "threshold": 5}), ("above", {"items_are_public": True, "threshold": 5}), ("measure", {"k": None, "items": ["tea"]})])
def test_good_options_are_counted_with(tmp_path, function, options):
    duckdb = optional("duckdb")
    ledger = fg.Ledger.create(tmp_path / "good.db", dataset="shop", epsilon=1, unit="customer", delta="1e-9")
    common = {"item": "product", "unit": "customer", "k": 1, "epsilon": 1, "ledger": ledger, **options}
    with duckdb.connect() as con, pytest.raises(duckdb.Error, match="it counted"):
        getattr(fg.duckdb, function)(con, FAILS, **{name: value for name, value in common.items() if value is not None})
    assert ledger.history() == []


def closed(path):
    ledger = fg.Ledger.create(path, dataset="closed", epsilon=9, unit="customer")
    ledger.close_dataset()
    return ledger


def left(path):
    with fg.Ledger.create(path, dataset="left", epsilon=9, unit="customer") as ledger:
        return ledger


def of(**options):
    return lambda path: fg.Ledger.create(path, **{"dataset": "other", "epsilon": 9, "unit": "customer", **options})


@pytest.mark.parametrize("make, options, error, words", [
    (left, {}, ValueError, "ledger: it was left"), (closed, {}, ValueError, "it is closed; nothing was spent"),
    (str, {}, TypeError, "ledger: give a freegap.Ledger, or None"), (of(unit="household"), {}, ValueError, "its budget protects unit \"household\""),
    (of(unit="person", column="id"), {}, ValueError, "which the column \"id\" names"),
    (of(neighbours="replace"), {}, ValueError, "its budget protects .* replace"), (of(), {"neighbours": "replace"}, ValueError, "asked for .* replace"),
    (of(), {"epsilon": 10}, fg.BudgetExceeded, "asked for 10, left 9 of 9"), (of(epsilon="1e-9"), {}, fg.BudgetExceeded, "asked for 1, left"),
    (of(), {"unknown_items": True, "max_items": 3, "delta": "1e-9"}, fg.BudgetExceeded, "asked for delta")])
@pytest.mark.parametrize("function", ["top_k", "sparse_vector", "measure"])
def test_engines_look_at_the_ledger_before_they_count(tmp_path, make, options, error, words, function):
    """A query that would take an hour is not run for a release that cannot be charged."""
    duckdb = optional("duckdb")
    given = {"top_k": {"k": 1}, "sparse_vector": {"k": 1, "threshold": 5}, "measure": {"items": ["tea"]}}[function]
    if "unknown_items" in options:
        if function != "top_k":
            return
    else:
        given |= LISTED
    ledger = make(tmp_path / "other.db")
    common = {"item": "product", "unit": "customer", "epsilon": 1, "ledger": ledger, **given, **options}
    with duckdb.connect() as con, pytest.raises(error, match=words):
        getattr(fg.duckdb, function)(con, FAILS, **common)
    if isinstance(ledger, fg.Ledger):
        again = fg.Ledger(ledger.path, dataset=ledger.dataset)
        assert again.history() == [] and again.balance().remaining == again.balance().total


@pytest.mark.parametrize("options", [{"items_are_public": True, "k": 1}, {**LISTED, "k": 2}, {"universe": range(4), "k": 4}])
def test_all_that_is_left_can_be_asked_for(tmp_path, options):
    """What the ledger would take is not refused before: here the budget suffices to the last bit."""
    frame = optional("pandas").DataFrame({"product": ["1"] * 3, "customer": [1, 2, 3]})
    ledger = fg.Ledger.create(tmp_path / "last.db", dataset="shop", epsilon="1/3", unit="customer")
    release = fg.top_k(frame, item="product", unit="customer", epsilon="1/3", ledger=ledger, **options)
    assert release.reserved == fractions.Fraction(1, 3) and len(ledger.history()) == 1 and release.to_dict()["ledger"]["entry"] == 1


def test_an_interrupt_before_the_charge_costs_nothing(ledger):
    """The signal comes while labels are read, between two steps of Python."""
    raising = map(getattr(ctypes.CDLL(None), "raise"), [signal.SIGINT])
    with pytest.raises(KeyboardInterrupt):
        fg.top_k([5], labels=raising, items_are_public=True, k=1, epsilon=1, unit="customer", ledger=ledger)
    assert ledger.history() == []
