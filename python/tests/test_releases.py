"""Releases are frozen, pickle, and hold nothing of the input."""

import gc
import json
import pickle
import weakref

import numpy
import pytest

import freegap as fg


class Watched(numpy.ndarray):
    """An array that can be watched."""


VALUES = numpy.array([6013, 5811, 2997, 2714], dtype="int64")
RELEASES = {
    "top_k": lambda values: fg.top_k(values, k=2, epsilon=1, ledger=None),
    "lazy": lambda values: fg.top_k(values, k=2, epsilon=1, measure=0, ledger=None),
    "labelled": lambda values: fg.top_k(values, labels=list("abcd"), items_are_public=True, k=2, epsilon=1, measure=0, ledger=None),
    "top_k_above": lambda values: fg.top_k_above(values, threshold=1000, k=2, epsilon=1, ledger=None),
    "sparse_vector": lambda values: fg.sparse_vector(values, threshold=3000, k=4, epsilon=1, ledger=None),
    "exponential": lambda values: fg.exponential(values, kind="counts", sensitivity=1, epsilon=1, ledger=None),
    "measure": lambda values: fg.measure(values, items=[1, 0], epsilon=1, ledger=None),
}


@pytest.mark.parametrize("name", RELEASES)
def test_a_release(name):
    values = VALUES.copy().view(Watched)
    watch = weakref.ref(values)
    release = RELEASES[name](values)
    del values
    gc.collect()
    assert watch() is None
    assert pickle.loads(pickle.dumps(release)) == release
    assert hash(pickle.loads(pickle.dumps(release))) == hash(release)
    assert json.loads(release.to_json()) == release.to_dict()
    assert release.spent <= release.reserved == 1
    assert release.mechanism in repr(release)
    assert "<table>" in release._repr_html_() and str(release.spent) in release._repr_html_()
    with pytest.raises(AttributeError):
        release.spent = 0
    with pytest.raises(AttributeError):
        del release._document
    with pytest.raises(TypeError):
        release.rows[0]["gap"] = 0
    with pytest.raises(AttributeError, match="there are"):
        release.rows[0].colour
    assert release.rows[0].gap == release.rows[0]["gap"] if "gap" in release.rows[0] else True
    changed = release.to_dict()
    changed["epsilon"]["spent"] = "0"
    assert release.to_dict()["epsilon"]["spent"] == str(release.spent)


def test_html_is_escaped():
    release = fg.top_k([5, 4], labels=["<script>", "&"], items_are_public=True, k=1, epsilon=1, ledger=None)
    assert "<script>" not in release._repr_html_()


def test_tables():
    pandas = pytest.importorskip("pandas")
    frame = RELEASES["top_k"](VALUES).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["item"]) == ["0", "1"]
    pyarrow = pytest.importorskip("pyarrow")
    assert RELEASES["sparse_vector"](VALUES).to_arrow().num_rows == 4
    polars = pytest.importorskip("polars")
    assert RELEASES["measure"](VALUES).to_polars()["item"].to_list() == ["1", "0"]
    assert pyarrow and polars


def test_winners_answers_and_measurements_are_apart():
    release = RELEASES["measure"](VALUES)
    with pytest.raises(AttributeError, match="has no winners"):
        release.winners
    assert len(release.measurements) == 2


def test_estimates_of_releases_made_apart():
    """With half of the budget each, the estimates are those of one call, from the same releases."""
    [one] = fg.simulate.top_k(VALUES, k=3, epsilon=2, seed=5)
    [top] = fg.simulate.top_k(VALUES, k=3, epsilon=1, measure=0, seed=5)
    assert [row.gap_ticks for row in top.winners] == [row.gap_ticks for row in one.winners]
    direct = fg.measure(VALUES, items=[row.item for row in top.winners], epsilon=1, ledger=None).to_dict()
    tick = direct["noise"]["tick"]
    for row, same in zip(direct["measurements"], one.winners):
        row["measured_ticks"] = int(same.measured / tick)
    made = fg.estimate(top, fg.Release(json.dumps(direct)))
    for row, same in zip(made, one.winners):
        assert row.estimate == pytest.approx(same.estimate, rel=1e-9)
        assert row.standard_error == pytest.approx(same.standard_error, rel=1e-9)
    with pytest.raises(ValueError, match="in their order"):
        fg.estimate(top, fg.measure(VALUES, items=[3], epsilon=1, ledger=None))
    with pytest.raises(ValueError, match="release of measure"):
        fg.estimate(top, top)
