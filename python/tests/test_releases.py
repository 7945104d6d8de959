"""Releases are frozen, pickle, and hold nothing of the input."""

import copy
import gc
import json
import pickle
import weakref

import numpy
import pytest

import freegap as fg
from counting import optional


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


def test_rows_are_frozen_and_hashable():
    release = RELEASES["top_k"](VALUES)
    with fg.SparseVector(threshold=0, k=1, epsilon=9, sensitivity=1, ledger=None) as monitor:
        answer = monitor.ask(10**6)
    for row in (*release.rows, RELEASES["exponential"](VALUES).rows[0], answer):
        before = dict(row)
        row.__init__({"gap": 99})
        assert dict(row) == before
        for again in (fg.Row(before), copy.deepcopy(row), pickle.loads(pickle.dumps(row))):
            assert again == row and hash(again) == hash(row) and len({row, again}) == 1
    assert len(set(release.rows)) == 2


def damaged(document, path, value):
    """The document with another value, or without one, in a place."""
    document = copy.deepcopy(document)
    part = document
    for key in path[:-1]:
        part = part[key]
    if value is ...:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return json.dumps(document)


@pytest.mark.parametrize("name", RELEASES)
def test_damaged_documents_make_no_release(name):
    """What is accepted can be shown by all methods."""
    document = RELEASES[name](VALUES).to_dict()
    rows = {"top_k_above": "winners", "sparse_vector": "answers", "measure": "measurements"}.get(name, "winners")
    cases = [(("mechanism",), value) for value in (..., 7, None, "none")] + [(("parameters",), value) for value in (..., [], None)]
    if name == "exponential":
        cases += [((member,), value) for member, value in (("item", 7), ("item", ...), ("gap", "wide"), ("lead_estimate", ...), ("gap_ticks", 2**63))]
    else:
        cases += [((rows,), value) for value in (..., {}, None, "ab", [1], [None], [{}], [{"item": 7}])]
        cases += [((rows, 0, member), value) for member in document[rows][0].keys() & {"estimate", "rank", "gap", "interval", "above", "simultaneous"}
                  for value in ("7", [1], {}, [1, "2"], True if member != "above" else 1)]
        if document[rows][0].get("estimate") is not None:
            cases.append(((rows, 0, "standard_error"), None))
    for part, number in (("threshold", "used"), ("measurement", "scale")):
        if part in document:
            cases += [((part,), 7), ((part, number), ...), ((part, number), "7")]
    for path, value in cases:
        with pytest.raises(ValueError, match="not a document that freegap wrote"):
            fg.Release(damaged(document, path, value))


def test_pairs_cannot_be_changed():
    release = RELEASES["top_k"](VALUES)
    direct = RELEASES["measure"](VALUES)
    with fg.SparseVector(threshold=0, k=1, epsilon=9, sensitivity=1, ledger=None) as monitor:
        answer = monitor.ask(10**6)
    for row in (release.winners[0], direct.measurements[0], fg.estimate(release)[0], answer):
        assert isinstance(row.interval, tuple) and row.interval == (row.interval_low, row.interval_high)
        assert pickle.loads(pickle.dumps(row)) == row and isinstance(pickle.loads(pickle.dumps(row)).interval, tuple)
        with pytest.raises(TypeError):
            row.interval[0] = -999
    shown = release.to_dict()["winners"][0]["interval"]
    assert shown == list(release.winners[0].interval) and json.loads(json.dumps(release.rows))[0]["interval"] == shown


def test_tables():
    pandas = optional("pandas")
    frame = RELEASES["top_k"](VALUES).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["item"]) == ["0", "1"]
    pyarrow = optional("pyarrow")
    assert RELEASES["sparse_vector"](VALUES).to_arrow().num_rows == 4
    polars = optional("polars")
    assert RELEASES["measure"](VALUES).to_polars()["item"].to_list() == ["1", "0"]
    assert pyarrow and polars


EMPTY = {  # nothing was released, but for a choice
    "top_k_above": lambda: fg.top_k_above([1, 2], threshold=10**6, k=1, epsilon=9, ledger=None),
    "prefer": lambda: fg.top_k_above([1, 2], threshold=10**6, prefer="estimates", k=1, epsilon=9, ledger=None),
    "sparse_vector": lambda: fg.sparse_vector([1, 2], labels=[1, 2], universe=range(5), threshold=10**6, k=1, epsilon=9, ledger=None),
    "adaptive": lambda: fg.sparse_vector([1, 2], threshold=10**6, adaptive=True, k=1, epsilon=9, ledger=None),
}
BARE = {  # many members are null
    "top_k": lambda: fg.top_k(VALUES, k=2, epsilon=1, measure=0, classic=True, ledger=None),
    "exponential": lambda: fg.exponential(VALUES, sensitivity=1, epsilon=1, classic=True, ledger=None),
}
FULL = {**RELEASES, "prefer": lambda values: fg.top_k_above(values, threshold=1000, prefer="estimates", k=2, epsilon=1, ledger=None),
        "adaptive": lambda values: fg.sparse_vector(values, threshold=3000, adaptive=True, k=4, epsilon=9, ledger=None)}


@pytest.mark.parametrize("name", [*EMPTY, *BARE])
def test_columns_and_types_do_not_depend_on_the_outcome(name):
    for package in ("pandas", "polars", "pyarrow"):
        optional(package)
    full, other = FULL[name](VALUES), {**EMPTY, **BARE}[name]()
    assert name in BARE or not any(row.get("above", True) for row in other.rows)
    assert full.to_pandas().dtypes.to_dict() == other.to_pandas().dtypes.to_dict()
    assert full.to_polars().schema == other.to_polars().schema
    assert full.to_arrow().schema == other.to_arrow().schema
    assert not full.to_polars().schema.dtypes().count(optional("polars").Null)
    assert list(other.to_pandas()["query" if "query" in full.rows[0] else "item"]) == [row.get("query", row.get("item")) for row in other.rows]


@pytest.mark.parametrize("name", FULL)
def test_tables_have_all_members(name):
    """But for pairs, whose ends have columns of their own."""
    for package in ("pandas", "polars", "pyarrow"):
        optional(package)
    release = FULL[name](VALUES)
    members = {member: None for row in sorted(release.rows, key=len, reverse=True) for member in row if member not in ("interval", "simultaneous")}
    for columns in (list(release.to_pandas()), release.to_polars().columns, release.to_arrow().column_names):
        assert columns == list(members)
    rows = [{member: row.get(member) for member in members} for row in release.rows]
    assert release.to_polars().to_dicts() == release.to_arrow().to_pylist() == rows
    shown = release.to_pandas()
    assert shown.astype(object).where(shown.notna(), None).to_dict("records") == rows


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


QUERIES = [6000, 20, 3000, 2900, 2800, 10, 5000]
SELECTIONS = {"top_k": {"k": 3}, "top_k_above": {"k": 5, "threshold": 2850}, "sparse_vector": {"k": 4, "threshold": 2850},
              "prefer": {"k": 5, "threshold": 2850, "prefer": "estimates"}, "adaptive": {"k": 4, "threshold": 2850, "adaptive": True},
              "classic": {"k": 3, "classic": True}}
FUNCTIONS = {"prefer": "top_k_above", "adaptive": "sparse_vector", "classic": "top_k"}
NUMBERS = ("estimate", "standard_error", "interval_low", "interval_high", "simultaneous_low", "simultaneous_high")


def selected(case, **options):
    [release] = getattr(fg.simulate, FUNCTIONS.get(case, case))(QUERIES, epsilon=2, seed=11, **SELECTIONS[case], **options)
    return release, [row for row in release.rows if row.get("above", True)]


def check_same(made, rows):
    """Documents have scales as doubles, so the last digits may differ."""
    assert [row["item"] for row in made] == [row.get("item", row.get("query")) for row in rows]
    for row, same in zip(made, rows):
        assert row["used_gap"] == same["used_gap"]
        for name in NUMBERS:
            assert row[name] == (None if same[name] is None else pytest.approx(same[name], rel=1e-6)), name


@pytest.mark.parametrize("case", SELECTIONS)
@pytest.mark.parametrize("estimator", ["likelihood", "linear", "measured"])
def test_estimates_are_those_of_the_release(case, estimator):
    """Read back from its document, a release gives the estimates that it was written with."""
    release, rows = selected(case, measure="1/2", estimator=estimator, confidence=0.9)
    assert len(rows) >= 3 and all(row["estimate"] is not None for row in rows)
    check_same(fg.estimate(release, confidence=0.9, estimator=estimator), rows)


@pytest.mark.parametrize("case", ["sparse_vector", "adaptive", "prefer"])
def test_estimates_from_gaps_alone(case):
    release, rows = selected(case, measure=0)
    assert all(row["estimate"] is not None for row in rows)
    check_same(fg.estimate(release), rows)


def test_measurements_made_apart_of_other_selections():
    """A selection and a measurement with half of the budget each are one call with all of it."""
    for case in ("top_k_above", "prefer", "sparse_vector", "adaptive"):
        whole, rows = selected(case, measure="1/2")
        function = getattr(fg.simulate, FUNCTIONS.get(case, case))
        [alone] = function(QUERIES, epsilon=1, seed=11, measure=0, **SELECTIONS[case])
        items = [row.get("item", row.get("query")) for row in alone.rows if row.get("above", True)]
        assert items == [row.get("item", row.get("query")) for row in rows]
        direct = fg.measure(QUERIES, items=items, epsilon=1, ledger=None).to_dict()
        direct["noise"] = whole.to_dict()["measurement"]
        for row, same in zip(direct["measurements"], rows):
            row["measured_ticks"] = round(same["measured"] / direct["noise"]["tick"])
        check_same(fg.estimate(alone, fg.Release(json.dumps(direct))), rows)


def test_what_cannot_be_estimated():
    [top] = fg.simulate.top_k(QUERIES, k=2, epsilon=1, measure=0, seed=1)
    [classic] = fg.simulate.sparse_vector(QUERIES, k=2, threshold=100, epsilon=9, measure=0, classic=True, seed=1)
    [crowded] = fg.simulate.top_k_above(QUERIES, k=2, threshold=0, epsilon=9, measure=0, seed=1)
    assert {winner.gap_to for winner in crowded.winners} == {"next"}
    for release in (top, classic, crowded):
        with pytest.raises(ValueError, match="measure the winners"):
            fg.estimate(release)
    for case in ("sparse_vector", "adaptive", "prefer", "top_k_above"):
        release, _ = selected(case, measure=0)
        with pytest.raises(ValueError, match="estimator=\"measured\" uses no gaps: measure the winners"):
            fg.estimate(release, estimator="measured")
    [choice] = fg.simulate.exponential(QUERIES, epsilon=1, sensitivity=1, seed=1)
    with pytest.raises(ValueError, match="top_k, top_k_above or sparse_vector"):
        fg.estimate(choice)
    [none] = fg.simulate.top_k_above([1, 2], k=1, threshold=10**6, epsilon=9, seed=1)
    assert fg.estimate(none) == ()


@pytest.mark.parametrize("path, value", [(("noise", "tick"), 0), (("noise", "tick"), -1), (("threshold", "scale"), 0), (("parameters", "sensitivity"), 0),
                                         (("branches", 0, "scale"), 0), (("threshold", "used"), 1e300), (("answers", 0, "branch"), 7),
                                         (("answers", 0, "branch"), 0), (("noise", "law"), "none"), (("stop_rule",), "none"), (("theta",), "x")])
def test_damaged_documents_are_refused(path, value):
    release, _ = selected("sparse_vector", order="file")
    document = json.loads(release.to_json())
    part = document
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(ValueError):
        fg.estimate(fg.Release(json.dumps(document)))


def test_estimates_of_answers_above_alone():
    """Of a universe only those above are listed, and nobody knows when they were asked."""
    [release] = fg.simulate.sparse_vector(QUERIES, labels=list(range(len(QUERIES))), universe=range(50), k=4, threshold=2850, epsilon=2, measure="1/2", seed=11)
    assert len(release.answers) >= 3 and all(row["above"] for row in release.answers)
    check_same(fg.estimate(release), release.answers)
