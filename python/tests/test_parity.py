"""Command line and Python: the same release for the same seed, byte for byte, and the same exact costs."""

import json

import numpy
import pytest

import freegap as fg
from counting import optional

COUNTS = numpy.array([6013, 5811, 2997, 2714, 2606, 1899, 1121, 840, 377, 12, 0, 7], dtype="int64")
NAMES = [f"item {i}" for i in range(len(COUNTS))]

CASES = [
    ("top", [], "top_k", {}),
    ("top", ["--measure", "0", "--noise", "laplace", "--tick", "0.25"], "top_k", {"measure": 0, "noise": "laplace", "tick": 0.25}),
    ("top", ["--classic", "--neighbours", "replace"], "top_k", {"classic": True, "neighbours": "replace"}),
    ("top", ["--estimator", "linear", "--confidence", "0.9", "--constant-work"], "top_k",
     {"estimator": "linear", "confidence": 0.9, "constant_work": True}),
    ("top", ["--sensitivity", "3"], "top_k", {"sensitivity": 3}),
    ("top", ["--above", "2000"], "top_k_above", {"threshold": 2000}),
    ("top", ["--above", "2000", "--prefer", "estimates", "--theta", "0.3"], "top_k_above",
     {"threshold": 2000, "prefer": "estimates", "theta": 0.3}),
    ("above", ["--threshold", "2000"], "sparse_vector", {"threshold": 2000}),
    ("above", ["--threshold", "2000.5", "--adaptive", "--sigma", "3", "--stop-rule", "paper", "--order", "file"], "sparse_vector",
     {"threshold": "2000.5", "adaptive": True, "sigma": 3, "stop_rule": "paper", "order": "file"}),
    ("above", ["--threshold", "2000", "--order", "label"], "sparse_vector", {"threshold": 2000, "order": "label"}),
    ("above", ["--threshold", "2000", "--measure", "0.5", "--stop-after", "2"], "sparse_vector",
     {"threshold": 2000, "measure": 0.5, "stop_after": 2}),
]
K = {"top", "above"}


def write_table(folder, values, names=None, column="count"):
    rows = [f"{name},{value}" for name, value in zip(names or range(len(values)), values)]
    (folder / "table.csv").write_text("\n".join([f"item,{column}", *rows]) + "\n", encoding="utf-8")
    (folder / "names.txt").write_text("".join(f"{name}\n" for name in names or range(len(values))), encoding="utf-8")


@pytest.mark.parametrize("declared, verb, flags, function, options", [
    (declared, *case) for case in CASES for declared in ("positions", "list", "items", "universe")
    # The ids of a universe are asked in random order, and positions have no labels.
    if not (declared == "universe" and {"file", "label"} & {*case[1]} or declared == "positions" and "label" in case[1])])
def test_same_seed_same_bytes(program, folder, declared, verb, flags, function, options):
    names = NAMES if declared in ("list", "items") else None
    write_table(folder, COUNTS, names)
    said = {"positions": ["--candidates", "names.txt"], "list": ["--candidates", "names.txt"], "items": [],
            "universe": ["--universe", "0..99"]}[declared]
    written = program("simulate", verb, "table.csv", "-k", 4, "--epsilon", "0.7", "--seed", 7, "--runs", 3, *said, *flags, folder=folder)
    python = {"positions": {}, "list": {"labels": NAMES, "candidates": NAMES}, "items": {"labels": NAMES},
              "universe": {"labels": list(range(len(COUNTS))), "universe": range(100)}}[declared]
    releases = getattr(fg.simulate, function)(COUNTS, k=4, epsilon="0.7", seed=7, runs=3, **python, **options)
    assert [release.to_json() for release in releases] == written.splitlines()
    for release, line in zip(releases, written.splitlines()):
        assert release.spent == fg.Release(line).spent
        assert str(release.reserved) == json.loads(line)["epsilon"]["reserved"]


def test_labels_in_their_order(ledger):
    sure = {"threshold": 100, "k": 3, "epsilon": 1000, "order": "label", "ledger": None}
    labels, values = ["rye", "tea", "jam"], [5000, 20, 9000]
    for declared, asked in (({"items_are_public": True}, ["jam", "rye", "tea"]), ({"candidates": ["tea", "rye", "ale"]}, ["ale", "rye", "tea"])):
        release = fg.sparse_vector(values, labels=labels, **declared, **sure)
        assert [row.query for row in release.answers] == asked and release.parameters["order"] == "label"
        assert {row.query for row in release.answers if row.above} == {"jam", "rye"} & {*asked}
    real = fg.sparse_vector([1.5, 900.0], labels=["b", "a"], items_are_public=True, kind="general", sensitivity=1, **sure)
    assert [(row.query, row.above) for row in real.answers] == [("a", True), ("b", False)]
    frame = optional("pandas").DataFrame({"product": ["tea"] * 900 + ["jam"] * 600 + ["ale"], "customer": [*range(900), *range(600), 7]})
    for declared in ({"items_are_public": True}, {"candidates": ["tea", "ale", "jam"]}):
        release = fg.sparse_vector(frame, item="product", unit="customer", **declared, **sure)
        assert [(row.query, row.above) for row in release.answers] == [("ale", False), ("jam", True), ("tea", True)]
    charged = {**sure, "epsilon": 1, "ledger": ledger, "unit": "customer"}
    with pytest.raises(ValueError, match="order: \"label\" goes with labels="):
        fg.sparse_vector(values, **charged)
    with pytest.raises(ValueError, match="random order"):
        fg.sparse_vector(values, labels=[1, 2, 3], universe=range(9), **charged)
    with pytest.raises(ValueError, match="random order"):
        fg.sparse_vector(frame, item="product", universe=range(9), **charged)
    assert ledger.history() == []


def test_measure(program, folder):
    write_table(folder, COUNTS, NAMES)
    written = program("simulate", "measure", "table.csv", "--items", "item 3,item 0", "--epsilon", "1/3", "--seed", 7, folder=folder)
    releases = fg.simulate.measure(COUNTS, labels=NAMES, items=["item 3", "item 0"], epsilon="1/3", seed=7)
    assert releases[0].to_json() == written.strip()


@pytest.mark.parametrize("flags, options", [([], {}), (["--classic"], {"classic": True}), (["--tick", "1/64"], {"tick": "1/64"})])
def test_exponential(program, folder, flags, options):
    write_table(folder, COUNTS, column="utility")
    written = program("simulate", "choose", "table.csv", "--epsilon", "0.01", "--kind", "counts", "--sensitivity", 1, "--candidates",
                      "names.txt", "--seed", 7, *flags, folder=folder)
    releases = fg.simulate.exponential(COUNTS, epsilon=0.01, kind="counts", sensitivity=1, seed=7, **options)
    assert releases[0].to_json() == written.strip()


def test_real_numbers_differ_in_the_limit_alone(program, folder):
    """A file's numbers are decimals, which are put on a public grid; those of an array are exact as they are."""
    values = numpy.array([1.5, 1000.25, 3.0])
    write_table(folder, values, column="value")
    line = program("simulate", "top", "table.csv", "-k", 1, "--epsilon", 1, "--kind", "general", "--sensitivity", 1, "--candidates",
                   "names.txt", "--seed", 3, folder=folder)
    expected = json.loads(line)
    release = fg.simulate.top_k(values, k=1, epsilon=1, kind="general", sensitivity=1, seed=3)[0].to_dict()
    assert release["parameters"].pop("limit") >= expected["parameters"].pop("limit")
    assert release == expected


def test_int32_is_int64():
    wide, narrow = (fg.simulate.top_k(COUNTS.astype(kind), k=4, epsilon=1, measure=0, seed=1)[0] for kind in ("int64", "int32"))
    assert wide == narrow


def test_plans(program, folder):
    for verb, flags, plan in [("top", ["-k", 10, "--epsilon", "0.7"], fg.plan.top_k(k=10, epsilon=0.7)),
                              ("top", ["-k", 10, "--target-error", 20], fg.plan.top_k(k=10, target_error=20)),
                              ("above", ["-k", 10, "--epsilon", "0.7", "--adaptive", "--distance", 500],
                               fg.plan.above(k=10, epsilon="7/10", adaptive=True, distance=500))]:
        assert json.loads(program("plan", verb, *flags, "--format", "json", folder=folder)) == plan


def test_lazy_documents_are_those_of_the_question(ledger):
    """Without ledger and measurements a document is written on demand; with one, before it is stored."""
    lazy = fg.top_k(COUNTS, k=3, epsilon=1, measure=0, unit="customer", ledger=None).to_dict()
    stored = fg.top_k(COUNTS, k=3, epsilon=1, measure=0, unit="customer", ledger=ledger).to_dict()
    assert stored.pop("ledger") == {"entry": 1, "remaining": "999"}
    assert list(lazy) == list(stored)
    assert list(lazy["parameters"].items()) == list(stored["parameters"].items())
    assert lazy["epsilon"] == stored["epsilon"] and lazy["noise"] == stored["noise"]
    assert [list(row) for row in lazy["winners"]] == [list(row) for row in stored["winners"]]


def test_the_ledger_of_the_program(program, folder):
    """What either wrote, the other shows, with the same costs."""
    program("budget", "create", "--ledger", "books.db", "--dataset", "shop", "--epsilon", 3, "--unit", "customer", folder=folder)
    write_table(folder, COUNTS)
    program("top", "table.csv", "-k", 2, "--epsilon", "0.7", "--candidates", "names.txt", "--unit", "customer", "--ledger", "books.db",
            "--dataset", "shop", folder=folder)
    with fg.Ledger("books.db", dataset="shop") as ledger:
        assert [entry["verb"] for entry in ledger.history()] == ["top"]
        assert ledger.balance().spent == fg.Release(program("budget", "show", 1, "--ledger", "books.db", "--format", "json",
                                                            folder=folder)).spent
        release = fg.top_k_above(COUNTS, threshold=1500, k=10, epsilon=1, unit="customer", ledger=ledger)
        assert ledger.show(2).winners == release.winners
    shown = json.loads(program("budget", "show", 2, "--ledger", "books.db", "--format", "json", folder=folder))
    assert shown["winners"] == release.to_dict()["winners"]
    assert shown["epsilon"]["spent"] == str(release.spent)
    program("budget", "check", "--ledger", "books.db", folder=folder)


@pytest.mark.parametrize("declared", ["positions", "list", "universe"])
def test_a_range(program, folder, declared):
    """Numbers are clamped as on the command line, absent items too; the ends are published."""
    write_table(folder, COUNTS, NAMES if declared == "list" else None)
    low = 0 if declared == "universe" else 100
    (folder / "names.txt").write_text("".join(f"{name}\n" for name in [*(NAMES if declared == "list" else range(len(COUNTS)))]), encoding="utf-8")
    said = ["--universe", "0..99"] if declared == "universe" else ["--candidates", "names.txt"]
    written = program("simulate", "top", "table.csv", "-k", 4, "--epsilon", "0.7", "--seed", 7, "--range", f"{low}..2500.5", *said, folder=folder)
    python = {"positions": {}, "list": {"labels": NAMES, "candidates": NAMES},
              "universe": {"labels": list(range(len(COUNTS))), "universe": range(100)}}[declared]
    [release] = fg.simulate.top_k(COUNTS, k=4, epsilon="0.7", seed=7, range=(low, "2500.5"), **python)
    assert release.to_json() == written.strip()
    assert release.parameters["range"] == [low, 2500.5]


def test_a_range_of_floats():
    """The largest is clamped: it is one of two equals then."""
    values = [1e9, 1e6, 20.5, -1e9]
    [clamped] = fg.simulate.measure(values, items=[0, 1, 2, 3], kind="general", sensitivity=1, range=(-10, "1000000"), epsilon=400, seed=1)
    assert [round(row.measured) for row in clamped.measurements[:2]] == [10**6, 10**6] and round(clamped.measurements[3].measured) == -10
    [absent] = fg.simulate.measure([5.5], labels=["a"], items=["b"], kind="general", sensitivity=1, range=(3, 9), epsilon=400, seed=1)
    assert round(absent.measurements[0].measured) == 3
    with fg.SparseVector(threshold=500, k=1, epsilon=100, sensitivity=1, range=(0, 400), ledger=None) as monitor:
        assert not monitor.ask(10**9).above and not monitor.ask(1e9).above
    assert monitor.release.parameters["range"] == [0, 400]


@pytest.mark.parametrize("given, error", [((1, 0), ValueError), ((0.2, 0.8), ValueError), (5, TypeError), ("0..5", TypeError), ((1, 2, 3), TypeError),
                                          ((0, "x"), ValueError), ((0, float("nan")), ValueError)])
def test_ranges_that_are_refused(given, error):
    with pytest.raises(error, match="range"):
        fg.top_k([1, 2], range=given, k=1, epsilon=1, ledger=None)
    with pytest.raises(ValueError, match="must hold 0"):
        fg.top_k([1, 2], labels=[1, 2], universe=range(5), range=(1, 9), k=1, epsilon=1, ledger=None)
