"""Pictures: one figure per call, nothing outside it, nothing said by colour alone that is not in the legend."""

import array
import doctest
import functools
import json
import sys
import time
import warnings

import numpy
import pytest

import freegap as fg
from counting import optional
from freegap._counted import release_grouped

matplotlib = optional("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402

VALUES = [6013, 5811, 2997, 2714, 2606, 1200, 900, 12]
NAMES = ["tea", "milk", "costs $5 or $6, depending on the size of the parcel", "jam_{x}^2", "oil", "nut", "été", "%s\\frac"]
LABELLED = {"labels": NAMES, "items_are_public": True, "ledger": None, "epsilon": "0.05"}

RELEASES = {
    "top_k": lambda: fg.top_k(VALUES, k=5, **LABELLED),
    "top_k with gaps alone": lambda: fg.top_k(VALUES, k=5, measure=0, **LABELLED),
    "top_k of all": lambda: fg.top_k(VALUES, k=8, **LABELLED),
    "top_k of many": lambda: fg.top_k(list(range(2000)), k=100, epsilon=1, ledger=None),
    "top_k_above": lambda: fg.top_k_above(VALUES, k=6, threshold=2000, **LABELLED),
    "top_k_above with none": lambda: fg.top_k_above(VALUES, k=2, threshold=10**6, **LABELLED),
    "sparse_vector": lambda: fg.sparse_vector(VALUES, k=6, threshold=2000, **LABELLED),
    "adaptive": lambda: fg.sparse_vector(VALUES, k=6, threshold=2000, adaptive=True, measure=0.5, **LABELLED),
    "measure": lambda: fg.measure(VALUES, items=["tea", "oil"], **LABELLED),
    "exponential": lambda: fg.exponential(VALUES, sensitivity=1, epsilon="0.001", ledger=None),
    "top_k, classic": lambda: fg.top_k(VALUES, k=3, classic=True, measure=0, **LABELLED),
    "sparse_vector, classic": lambda: fg.sparse_vector(VALUES, k=6, threshold=2000, classic=True, **{**LABELLED, "epsilon": 100}),
    "exponential, classic": lambda: fg.exponential(VALUES, sensitivity=1, classic=True, epsilon=1, ledger=None),
    "exponential, sure": lambda: fg.exponential([0, 10**6], sensitivity=1, epsilon=1, ledger=None),
}


@pytest.fixture(autouse=True)
def no_figures():
    pyplot.close("all")
    yield
    pyplot.close("all")


def assert_readable(figure):
    """All that is drawn is within the figure, and no two names of items overlap."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    box = figure.get_tightbbox(renderer)  # in inches
    width, height = figure.get_size_inches()
    assert box.x0 >= -0.02 and box.y0 >= -0.02 and box.x1 <= width + 0.02 and box.y1 <= height + 0.02, box
    [axes] = figure.axes
    low, high = sorted(axes.get_ylim())
    labels = [label for label in axes.get_yticklabels() if label.get_text() and low <= label.get_position()[1] <= high]
    boxes = sorted((label.get_window_extent(renderer) for label in labels), key=lambda box: box.y0)
    assert all(lower.y1 <= upper.y0 + 2 for lower, upper in zip(boxes, boxes[1:]))


def drawn(axes):
    """The picture, after what holds for each of them was checked."""
    assert pyplot.get_fignums() == [axes.figure.number]
    assert axes.get_title(loc="left")
    assert_readable(axes.figure)
    return axes


@pytest.mark.parametrize("name", RELEASES)
def test_releases(name):
    release = RELEASES[name]()
    axes = drawn(release.plot())
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert len(shown) == min(len(release.rows), 40)
    for label, row in zip(shown, release.rows):
        name = row.get("item", row.get("query")).replace("$", r"\$")
        assert label == name or (label.endswith("…") and name.startswith(label[:-1]))
    if len(release.rows) > 40:
        assert f"first 40 of {len(release.rows)}" in axes.get_title(loc="left")


@pytest.mark.parametrize("name, missing", [("sparse_vector", ["interval_low", "interval_high"]), ("adaptive", ["measured"]),
                                           ("exponential", ["lead_at_least"]), ("exponential", ["lead_estimate", "lead_at_least", "gap"])])
def test_numbers_that_are_missing(name, missing):
    """A release may have no number where noise was too large for one."""
    document = RELEASES[name]().to_dict()
    for row in document.get("answers", [document]):
        row.update({member: None for member in missing if member in row})
    drawn(fg.Release(json.dumps(document)).plot())


def legend(axes):
    return axes.get_legend_handles_labels()[1]


def test_marks_say_what_was_used():
    """Filled marks used their gap. The numbers in the picture are those of the release."""
    release = fg.top_k(VALUES, k=5, **LABELLED)
    axes = release.plot()
    assert "gap" in legend(axes)
    drawn_at = {}
    for container in axes.containers:
        x, y = container.lines[0].get_data()
        drawn_at.update({int(place): (value, container.get_label()) for value, place in zip(x, y)})
    for place, row in enumerate(release.rows):
        assert drawn_at[place][0] == row.estimate
        assert drawn_at[place][1] == ("estimate, with its gap" if row.used_gap else "estimate, by measurement alone")
    assert legend(fg.measure(VALUES, items=["tea"], **LABELLED).plot()) == ["estimate, by measurement alone"]
    assert "threshold" in legend(fg.sparse_vector(VALUES, k=6, threshold=2000, **LABELLED).plot())


def marks(axes, label):
    [collection] = [collection for collection in axes.collections if collection.get_label() == label]
    return [int(place) for place in collection.get_offsets()[:, 1]]


def test_what_has_no_number_is_marked():
    """As all that a classic mechanism selects. A sparse vector tells above from below."""
    release = RELEASES["sparse_vector, classic"]()
    axes = release.plot()
    for label, above in (("above, without a number", True), ("below", False)):
        assert marks(axes, label) == [i for i, row in enumerate(release.rows) if row.above is above] != []
    for name, count in (("top_k, classic", 3), ("exponential, classic", 1)):
        axes = RELEASES[name]().plot()
        assert marks(axes, "winner, without a number") == list(range(count)) and len(axes.get_xticks()) == 0
    last = RELEASES["top_k of all"]  # with gaps alone the last of all has none
    assert "winner, without a number" not in legend(last().plot())
    assert marks(fg.top_k(VALUES, k=8, measure=0, **LABELLED).plot(), "winner, without a number") == [7]


@pytest.mark.parametrize("own", [True, False])
def test_a_legend_without_entries_is_left_out(own):
    """Matplotlib warns of it."""
    document = RELEASES["top_k"]().to_dict() | {"winners": []}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes = fg.Release(json.dumps(document)).plot(ax=None if own else pyplot.subplots()[1])
        axes.figure.canvas.draw()
    assert not axes.figure.legends and axes.get_legend() is None


@pytest.mark.parametrize("ax", [3, "ax", [], numpy.array([None])])
def test_axes_of_another_type(ax, ledger):
    release = RELEASES["top_k"]()
    for draw in (release.plot, ledger.plot, fg.plan.top_k(k=5, epsilon=1).plot, functools.partial(fg.plots.estimates, release), RELEASES["exponential"]().plot):
        with pytest.raises(TypeError, match="ax: give the Axes of matplotlib"):
            draw(ax=ax)
    assert pyplot.get_fignums() == []


def test_what_is_no_release():
    with pytest.raises(TypeError, match="give a freegap.Release"):
        fg.plots.release(RELEASES["top_k"]().to_dict())
    other = RELEASES["exponential"]().to_dict() | {"mechanism": "laplace", "value": 7}
    with pytest.raises(ValueError, match="other libraries"):
        fg.Release(json.dumps(other)).plot()


def test_what_the_estimator_used():
    release = fg.top_k(VALUES, k=5, **LABELLED)
    axes = drawn(fg.plots.estimates(release))
    alone, used = (collection.get_offsets()[:, 0].tolist() for collection in axes.collections)
    assert used == [row.standard_error for row in release.rows]
    assert set(alone) == {release.to_dict()["measurement"]["scale"] * 2**0.5}
    with pytest.raises(ValueError, match="measure="):
        fg.plots.estimates(fg.top_k(VALUES, k=5, measure=0, **LABELLED))


def test_the_ledger(ledger):
    drawn(ledger.plot())
    pyplot.close("all")
    for _ in range(3):
        fg.top_k(VALUES, k=2, epsilon=100, unit="customer", ledger=ledger)
    with pytest.raises(fg.MachineFault):
        release_grouped("top_k", {"k": 1, "epsilon": 50, "unit": "customer", "ledger": ledger, "mode": "public items"},
                        array.array("q", [5, 3]), array.array("q", [1, 1]), lambda wanted: 1 / 0)
    axes = drawn(ledger.plot())
    [step] = [line for line in axes.lines if line.get_label() == "charged"]
    assert step.get_ydata().tolist() == [0, 100, 200, 300, 350]
    [unfinished] = [line for line in axes.lines if line.get_label().startswith("unfinished")]
    assert unfinished.get_ydata().tolist() == [350]
    assert "650 of 1000 left" in axes.get_title(loc="left")


@pytest.mark.parametrize("plan, measure", [(fg.plan.top_k, 0.5), (fg.plan.sparse_vector, 0), (fg.plan.sparse_vector, 0.5)])
def test_plans(plan, measure):
    """The curve through a plan passes the plans for other budgets."""
    made = plan(k=10, epsilon="0.7", measure=measure)
    axes = drawn(made.plot())
    [curve] = [line for line in axes.lines if line.get_label() == ("estimate" if made["estimate_error"] is not None else "gap")]
    errors = dict(zip(curve.get_xdata().tolist(), curve.get_ydata().tolist()))
    member = "estimate_error" if made["estimate_error"] is not None else "gap_error"
    for epsilon in ("0.175", "1.4", "2.8"):
        other = plan(k=10, epsilon=epsilon, measure=measure)[member]
        nearest = min(errors, key=lambda place: abs(place - float(epsilon)))
        assert errors[nearest] == pytest.approx(other, rel=1e-3)


@pytest.mark.parametrize("plan, options", [
    (fg.plan.top_k, {"k": 3, "neighbours": "replace", "max_items": 5, "sensitivity": 2}), (fg.plan.sparse_vector, {"k": 5}),
    (fg.plan.top_k, {"k": 3, "unknown_items": True, "max_items": 5, "delta": "1e-9"}), (fg.plan.sparse_vector, {"k": 5, "measure": "1/3", "theta": "0.2"}),
    (fg.plan.sparse_vector, {"k": 5, "adaptive": True, "branches": 3, "sigma": "3/2", "stop_rule": "paper", "kind": "general", "sensitivity": 3})])
def test_curves_are_plans(plan, options):
    """Geometric noise is not on a scale proportional to 1/ε. All of a curve is drawn in less than a second."""
    made = plan(epsilon=2, noise="geometric", **options)
    start = time.process_time()
    axes = made.plot()
    assert time.process_time() - start < 3  # of a busy machine
    curves = {line.get_label(): dict(zip(*map(list, line.get_data()))) for line in axes.lines}
    assert ("measurement alone" in curves) == (made["measured_error"] is not None)
    for epsilon in list(curves["gap"])[::16]:
        other = plan(epsilon=float(epsilon), noise="geometric", **options)
        for label, member in (("gap", "gap_error"), ("estimate", "estimate_error"), ("measurement alone", "measured_error")):
            assert label not in curves or curves[label][epsilon] == pytest.approx(other[member], rel=1e-9)


@pytest.mark.parametrize("epsilon", ["1e-40", "1e-9", 1000])
def test_curves_end_where_budgets_do(epsilon):
    [curve] = [line for line in fg.plan.top_k(k=3, epsilon=epsilon, noise="geometric").plot().lines if line.get_label() == "estimate"]
    assert len(curve.get_xdata()) == (33 if epsilon == "1e-9" else 17)


def test_a_picture_over_another_has_one_legend():
    release = fg.top_k(VALUES, k=5, **LABELLED)
    axes = release.plot(ax=fg.measure(VALUES, items=["tea"], **LABELLED).plot())
    assert len(axes.figure.legends) == 1


def test_a_stream_of_general_numbers_has_values():
    for kind, label in (("general", "value"), ("counts", "count")):
        with fg.SparseVector(threshold=50, k=2, epsilon=2, kind=kind, sensitivity=1, ledger=None) as stream:
            stream.ask(100)
        assert stream.release.plot().get_xlabel() == label


def test_the_ledger_shows_delta(folder, ledger):
    assert "δ" not in ledger.plot().get_title(loc="left")
    pyplot.close("all")
    other = fg.Ledger.create(folder / "delta.db", dataset="terms", epsilon=3, unit="customer", delta="2e-6")
    fg.top_k(VALUES, labels=NAMES, unknown_items=True, bounded_by=1, delta="5e-7", k=1, epsilon=1, unit="customer", ledger=other)
    assert "δ: 1.5e-06 of 2e-06 left" in drawn(other.plot()).get_title(loc="left")


def test_axes_that_are_given():
    figure, both = pyplot.subplots(1, 2, figsize=(14, 5), layout="constrained")
    release = fg.top_k(VALUES, k=5, **LABELLED)
    assert release.plot(ax=both[0]) is both[0]
    assert fg.plan.top_k(k=5, epsilon=1).plot(ax=both[1]) is both[1]
    assert pyplot.get_fignums() == [figure.number]
    assert both[0].get_legend() is not None


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install"):
        fg.top_k(VALUES, k=1, **LABELLED).plot()


def test_the_example_runs(folder):
    from freegap import plots

    assert doctest.testmod(plots).failed == 0


def test_an_estimate_outside_its_interval():
    """At low confidence that happens; its bar then reaches to one side alone."""
    [release] = fg.simulate.top_k([600, 20, 300], k=2, epsilon=1, seed=1)
    document = json.loads(release.to_json())
    row = document["winners"][0]
    row["interval_low"], row["interval_high"] = row["estimate"] + 1, row["estimate"] + 2
    ax = fg.Release(json.dumps(document)).plot()
    low, high = ax.containers[0].lines[2][0].get_segments()[0][:, 0]
    assert (low, high) == pytest.approx((row["estimate"], row["estimate"] + 2))
