"""OpenDP: releases of freegap as its measurements, and its measurements charged to our ledger."""

import json
import math
import pickle
import types
from fractions import Fraction

import pytest

import freegap as fg
from counting import estimates, optional
from freegap import _core
from freegap import opendp as bridge

ROWS = ["tea"] * 9 + ["jam"] * 7 + ["oil"] * 4
NAMES = ["tea", "jam", "rye"]


@pytest.fixture
def dp():
    prelude = optional("opendp.prelude")
    prelude.enable_features("contrib", "honest-but-curious")
    yield prelude
    prelude.disable_features("contrib", "honest-but-curious")


@pytest.fixture
def rows(dp):
    return dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()


@pytest.fixture
def count(dp, rows):
    return dp.t.make_count(*rows) >> dp.m.then_laplace(scale=4.0)


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(1, 10), Fraction(1, 2), Fraction(7, 10), Fraction(10**30 + 1, 10**30)])
def test_doubles_are_rounded_up(value):
    double = bridge._rounded_up(value)
    assert Fraction(double) >= value > Fraction(math.nextafter(double, 0))


def outside(ledger, draw, **options):
    given = {"mechanism": "opendp", "epsilon": Fraction(1, 4), "unit": "customer", "parameters": '{"x": 1}', "ledger": ledger}
    return _core.release_outside({**given, **options}, draw)


def test_what_another_library_draws_is_charged_first(ledger):
    seen = []

    def draw():
        seen.append(ledger.balance().reserved)
        return json.dumps([1, 2.5])

    release = outside(ledger, draw, note="theirs")
    assert seen == [Fraction(1, 4)]
    assert release.to_dict()["value"] == [1, 2.5] and release.spent == Fraction(1, 4) and release.rows == ()
    stored = ledger.show(1)
    assert stored.to_dict()["value"] == [1, 2.5] and stored.parameters["unit"] == "customer"
    assert repr(stored).startswith("<freegap opendp: spent 1/4")
    [entry] = ledger.history()
    assert entry["verb"] == "opendp" and entry["asked"]["note"] == "theirs" and entry["parameters"]["x"] == 1
    assert ledger.balance().spent == Fraction(1, 4)


def test_the_program_writes_its_page(ledger, program, folder):
    outside(ledger, lambda: json.dumps({"<b>": [1, 2.5]}), parameters='{"metric": "<i>"}')
    program("budget", "show", 1, "--ledger", "books.db", "--format", "json", "--report", "page.html", folder=folder)
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "<h1>opendp</h1>" in page and "<p>{&quot;&lt;b&gt;&quot;:[1,2.5]}</p>" in page and "&lt;i&gt;" in page
    assert "<dt>ε spent</dt><dd>1/4</dd>" in page and "threshold" not in page


def test_a_draw_that_fails_stays_charged(ledger):
    with pytest.raises(fg.MachineFault, match="entry 1 stays charged") as caught:
        outside(ledger, lambda: 1 / 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(KeyboardInterrupt):
        outside(ledger, _interrupt)
    assert ledger.balance().reserved == Fraction(1, 2)


@pytest.mark.parametrize("text", ["no JSON", "9" * 400, '"\\ud800"', "[1e999]", ""])
def test_what_cannot_be_stored_is_no_fault(ledger, text):
    assert outside(ledger, lambda: text).to_dict()["value"] is None
    assert ledger.show(1).to_dict()["value"] is None and ledger.balance().spent == Fraction(1, 4)


@pytest.mark.parametrize("depth", [1, 64, 65, 500, 200_000])
def test_what_is_stored_can_be_read_again(ledger, depth):
    """Documents nested without end would overflow the stack: such a value is not stored."""
    text = "[" * depth + "]" * depth
    release = outside(ledger, lambda: text)
    assert json.dumps(release.to_dict()["value"]) == (text if depth <= 64 else "null")
    assert pickle.loads(pickle.dumps(release)).to_json() == release.to_json()
    assert ledger.show(1).to_dict()["value"] == release.to_dict()["value"]


@pytest.mark.parametrize("value, text", [
    ([1, 2.5, "é", None], '[1, 2.5, "\\u00e9", null]'), (2**64 - 1, "18446744073709551615"), (-2**63, "-9223372036854775808"), (2**64, "null"),
    ([{"a": -2**63 - 1}], "null"), (10**400, "null"), ([10**5000], "null"), (math.inf, "null"), (b"x", "null"), (ROWS[:1] * 2, '["tea", "tea"]')])
def test_only_what_json_holds_exactly_is_stored(value, text):
    assert bridge._as_json(value) == text


def test_results_too_deep_for_json_are_not_stored():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert bridge._as_json(deep) == "null"


def _interrupt():
    raise KeyboardInterrupt


@pytest.fixture
def small(folder):
    return fg.Ledger.create(folder / "small.db", dataset="shop", epsilon="1/8", unit="customer")


def test_what_is_refused_draws_nothing(ledger, small):
    def draw():
        raise AssertionError("drawn")

    for options, error in [({"unit": "row"}, ValueError), ({"ledger": small}, fg.BudgetExceeded), ({"epsilon": 0}, ValueError),
                           ({"unit": None}, ValueError), ({"neighbours": "replace"}, ValueError), ({"other": 1}, TypeError)]:
        with pytest.raises(error):
            outside(options.pop("ledger", ledger), draw, **options)
    assert ledger.history() == [] and small.history() == []


@pytest.mark.parametrize("metric, good", [("SymmetricDistance()", {"candidates": NAMES}), ("LInfDistance(T=i32)", {})])
@pytest.mark.parametrize("bad", [{"k": 4}, {"k": 0}, {"epsilon": 0}, {"epsilon": 1001}, {"measure": 2}, {"noise": "loud"}, {"mesure": 0}])
def test_options_are_checked_by_an_example(metric, good, bad):
    sized = types.SimpleNamespace(size=3)
    good = {**good, "k": 3, "epsilon": "1/3"}
    assert bridge._checked("top_k", sized, metric, good)[0] == Fraction(1, 3)
    with pytest.raises((TypeError, ValueError)):
        bridge._checked("top_k", sized, metric, {**good, **bad})


@pytest.mark.parametrize("metric, neighbours, d_in, problem", [
    ("SymmetricDistance", "add-remove", 1, None), ("SymmetricDistance", "replace", 2, None), ("SymmetricDistance", "replace", 1, "two steps"),
    ("ChangeOneDistance()", "replace", 1, None), ("HammingDistance", "add-remove", 1, "equal size"), ("AbsoluteDistance", "replace", 1, None),
    ("LInfDistance(monotonic, T=i32)", "add-remove", 1, None), ("LInfDistance(T=i32)", "replace", 1, None),
    ("LInfDistance(monotonic, T=i32)", "replace", 1, "without `monotonic`"), ("LInfDistance(monotonic, T=i32)", "replace", 2, "without `monotonic`"),
    ("SymmetricIdDistance { identifier: col(id) }", "replace", 1, "two steps"), ("ChangeOneIdDistance { identifier: col(id) }", "add-remove", 1, "equal size"),
    ("FrameDistance(ChangeOneIdDistance { identifier: col(id) })", "add-remove", [], "equal size"),
    ("FrameDistance(SymmetricIdDistance { identifier: col(id) })", "replace", [], "Take a metric of replacement")])
def test_metrics_fit_the_neighbours(metric, neighbours, d_in, problem):
    if problem is None:
        bridge._check_neighbours(metric, neighbours, d_in)
    else:
        with pytest.raises(ValueError, match=problem):
            bridge._check_neighbours(metric, neighbours, d_in)


@pytest.mark.long
def test_replaced_records_and_counts(dp, folder):
    """A replaced record raises one count and lowers another, which monotonic counts do not expect."""
    ledger = fg.Ledger.create(folder / "replaced.db", dataset="shop", epsilon=9, unit="customer", neighbours="replace")
    counts = dp.vector_domain(dp.atom_domain(T=int))
    for d_in in (1, 2):
        growing = fg.opendp.make_top_k(counts, dp.linf_distance(T=int, monotonic=True), k=1, epsilon=1)
        with pytest.raises(ValueError, match="a replaced record raises some counts and lowers others"):
            fg.opendp.invoke(growing, [3, 50, 2], d_in=d_in, unit="customer", ledger=ledger)
    assert ledger.history() == []
    general = fg.opendp.make_top_k(counts, dp.linf_distance(T=int), k=1, epsilon=1)
    fg.opendp.invoke(general, [3, 50, 2], d_in=1, unit="customer", ledger=ledger)
    assert ledger.balance().spent == 1


@pytest.mark.long
def test_metrics_of_opendp_are_known_by_name(dp):
    assert str(dp.linf_distance(T=int, monotonic=True)).startswith("LInfDistance(monotonic")
    metrics = {"SymmetricDistance": dp.symmetric_distance(), "SymmetricIdDistance": dp.symmetric_id_distance("id"),
               "ChangeOneIdDistance": dp.change_one_id_distance("id"), "ChangeOneDistance": dp.change_one_distance()}
    assert [bridge._name(metric) for metric in metrics.values()] == list(metrics)
    assert str(dp.frame_distance(metrics["SymmetricIdDistance"])).startswith("FrameDistance(SymmetricIdDistance")


@pytest.mark.long
def test_the_privacy_map_is_the_worst_case(dp, rows):
    top = fg.opendp.make_top_k(*rows, candidates=NAMES, k=3, epsilon="1/3")
    for steps in range(4):
        assert Fraction(top.map(steps)) >= steps * Fraction(1, 3) > Fraction(math.nextafter(top.map(steps), -1))
    # All candidates win, so that less than the reservation is spent. The map does not know it.
    release = fg.opendp.make_top_k(*rows, candidates=NAMES, k=3, epsilon="1/3", measure=0)(ROWS)
    assert release.spent < Fraction(1, 3) <= Fraction(top.map(1))


@pytest.mark.long
def test_composed_with_a_count_in_one_budget(dp, rows, count):
    top = fg.opendp.make_top_k(*rows, candidates=NAMES, k=2, epsilon=1000)
    both = dp.c.make_composition([top, count])
    release, number = both(ROWS)
    assert estimates(release) == {"tea": 9, "jam": 7}
    assert isinstance(number, int)
    assert both.map(1) >= 1000 + count.map(1)
    assert both.map(1) == pytest.approx(1000.25, rel=1e-12)


@pytest.mark.long
def test_all_functions_and_metrics(dp, rows):
    domain, _ = rows
    for metric, neighbours in [(dp.symmetric_distance(), "add-remove"), (dp.insert_delete_distance(), "add-remove")]:
        release = fg.opendp.make_measure(domain, metric, items=["jam", "rye"], epsilon=1000)(ROWS)
        assert estimates(release) == {"jam": 7, "rye": 0} and release.parameters["neighbours"] == neighbours
    sized = dp.vector_domain(dp.atom_domain(T=str), size=len(ROWS))
    release = fg.opendp.make_top_k_above(sized, dp.change_one_distance(), candidates=NAMES, threshold=8, k=3, epsilon=1000)(ROWS)
    assert estimates(release) == {"tea": 9} and release.parameters["neighbours"] == "replace"
    release = fg.opendp.make_sparse_vector(domain, dp.symmetric_distance(), candidates=NAMES, threshold=8, k=3, epsilon=1000)(ROWS)
    assert {answer.query for answer in release.answers if answer.above} == {"tea"}
    counts = dp.vector_domain(dp.atom_domain(T=int))
    for monotonic, neighbours in [(True, "add-remove"), (False, "replace")]:
        made = fg.opendp.make_top_k(counts, dp.linf_distance(T=int, monotonic=monotonic), k=1, epsilon=1000)
        release = made([3, 50, 2])
        assert estimates(release) == {"1": 50} and release.parameters["neighbours"] == neighbours
        assert made.map(2) == 2000


@pytest.mark.long
def test_what_cannot_be_a_measurement(dp, rows):
    domain, metric = rows
    for options, error in [({"ledger": None}, TypeError), ({"unit": "row"}, TypeError), ({"epsilon": None}, TypeError),
                           ({"candidates": None}, ValueError)]:
        with pytest.raises(error):
            fg.opendp.make_top_k(domain, metric, **{"candidates": NAMES, "k": 1, "epsilon": 1, **options})
    with pytest.raises(ValueError, match="input_metric"):
        fg.opendp.make_top_k(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), k=1, epsilon=1)
    dp.disable_features("honest-but-curious")
    with pytest.raises(dp.OpenDPException, match="honest-but-curious"):
        fg.opendp.make_top_k(domain, metric, candidates=NAMES, k=1, epsilon=1)


@pytest.mark.long
def test_bad_options_are_refused_before_anything_is_charged(dp, rows, ledger):
    sized = dp.vector_domain(dp.atom_domain(T=int), size=3), dp.linf_distance(T=int, monotonic=True)
    counts = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    listed, public = {"candidates": NAMES, "k": 1, "epsilon": 1}, {"items_are_public": True, "k": 1, "epsilon": 1}
    either = [{"k": 0}, {"k": "one"}, {"epsilon": 0}, {"epsilon": -1}, {"epsilon": 1001}, {"epsilon": "much"}, {"measure": 2}, {"noise": "loud"},
              {"confidence": 1}, {"mesure": 0}]
    for make, place, good, bad in [
            (bridge.make_top_k, rows, listed, [*either, {"k": 4}, {"prefer": "size"}]),
            (bridge.make_top_k, rows, {"universe": range(3), "k": 3, "epsilon": 1}, [*either, {"k": 4}]),
            (bridge.make_top_k, rows, public, either), (bridge.make_top_k, sized, {"k": 3, "epsilon": 1}, [*either, {"k": 4}]),
            (bridge.make_top_k, counts, {"k": 50, "epsilon": 1}, either),
            (bridge.make_top_k, counts, {"k": 2, "epsilon": 1, "labels": ["a", "b"], "items_are_public": True}, [*either, {"k": 3}]),
            (bridge.make_top_k_above, rows, {**public, "threshold": 2}, [*either, {"threshold": None}, {"theta": 2}]),
            (bridge.make_sparse_vector, rows, {**listed, "threshold": 2}, [*either, {"threshold": "high"}, {"stop_rule": "never"}]),
            (bridge.make_sparse_vector, rows, {**public, "threshold": 2}, [{"k": 0}, {"order": "file"}]),
            (bridge.make_measure, rows, {"items": ["jam"], "epsilon": 1}, [{"epsilon": 0}, {"items": []}, {"k": 1}]),
            (bridge.make_measure, counts, {"items": [7], "epsilon": 1}, [{"epsilon": 0}, {"items": [-1]}, {"items": [1, 1]}])]:
        assert make(*place, **good).map(1) == 1
        for options in bad:
            with pytest.raises((TypeError, ValueError)):
                fg.opendp.invoke(make(*place, **{**good, **options}), ROWS, d_in=1, unit="customer", ledger=ledger)
    assert ledger.history() == []


@pytest.mark.long
def test_measurements_of_opendp_are_charged(dp, rows, count, ledger):
    number = fg.opendp.invoke(count, ROWS, d_in=1, unit="customer", ledger=ledger)
    assert ledger.show(1).to_dict()["value"] == number
    assert ledger.balance().spent == Fraction(count.map(1)) == Fraction(1, 4)
    top = fg.opendp.make_top_k(*rows, candidates=NAMES, k=1, epsilon="1/3")
    release = fg.opendp.invoke(top, ROWS, d_in=2, unit="customer", ledger=ledger)
    assert ledger.show(2).to_dict()["value"] == release.to_dict()
    assert ledger.balance().spent == Fraction(1, 4) + Fraction(top.map(2))
    fg.top_k([9, 7, 4], k=1, epsilon="1/2", unit="customer", ledger=ledger)  # one budget for both
    assert ledger.balance().spent == Fraction(3, 4) + Fraction(top.map(2))
    ledger.check()


@pytest.mark.long
@pytest.mark.parametrize("result", [10**400, "\ud800", 2**70, b"bytes"])
def test_results_that_json_cannot_hold_are_returned(dp, rows, ledger, result):
    odd = dp.m.make_user_measurement(*rows, dp.max_divergence(), lambda data: result, lambda d_in: 0.5 * d_in)
    assert fg.opendp.invoke(odd, ROWS, d_in=1, unit="customer", ledger=ledger) == result
    assert ledger.show(1).to_dict()["value"] is None and ledger.balance().spent == Fraction(1, 2)


@pytest.mark.long
def test_measurements_that_are_refused(dp, rows, count, ledger, small):
    zero_concentrated = dp.t.make_count(*rows) >> dp.m.then_gaussian(scale=4.0)
    free = dp.m.make_user_measurement(*rows, dp.max_divergence(), len, lambda d_in: 0.0)
    boundless = dp.m.make_user_measurement(*rows, dp.max_divergence(), len, lambda d_in: math.inf)
    good = {"d_in": 1, "unit": "customer", "ledger": ledger}
    for measurement, options, error, text in [(zero_concentrated, {}, ValueError, "pure epsilon"), (free, {}, ValueError, "cannot be charged"),
                                              (boundless, {}, ValueError, "cannot be charged"), (count, {"ledger": None}, TypeError, "ledger"),
                                              (count, {"unit": "row"}, ValueError, "unit"), (len, {}, TypeError, "measurement"),
                                              (count, {"ledger": small}, fg.BudgetExceeded, "left")]:
        with pytest.raises(error, match=text):
            fg.opendp.invoke(measurement, ROWS, **{**good, **options})
    assert ledger.history() == [] and small.history() == []
    failing = dp.m.make_user_measurement(*rows, dp.max_divergence(), lambda data: 1 / 0, lambda d_in: 0.5 * d_in)
    with pytest.raises(fg.MachineFault, match="stays charged"):
        fg.opendp.invoke(failing, ROWS, **good)
    assert ledger.balance().reserved == Fraction(1, 2)


@pytest.mark.long
@pytest.mark.parametrize("options", [{"unknown_items": True, "delta": "0.01", "max_items": 1}, {"max_items": 1, "items_are_public": True},
                                     {"delta": "1e-9", "items_are_public": True}])
def test_what_is_not_pure_epsilon_is_refused(rows, options):
    with pytest.raises(ValueError, match="promises pure epsilon"):
        bridge.make_top_k(*rows, k=3, epsilon="1", **options)


@pytest.mark.long
def test_a_bound_that_no_metric_states_is_refused(dp):
    counts = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=True)
    with pytest.raises(ValueError, match="bounded_by= cannot be said here"):
        bridge.make_measure(*counts, items=[0, 1, 2, 3], bounded_by=1, epsilon="1")
