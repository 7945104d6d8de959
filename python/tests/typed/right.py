"""Uses that a type checker must accept: test_types.py."""

import array
import pathlib
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import numpy
import polars

import freegap as fg
from freegap.typing import Exact, Names, Neighbours, TapeNoise

LABELS = ["tea", "rye", "jam"]


def weekly(counts: list[int], epsilon: Exact, names: Names, ledger: fg.Ledger | None, neighbours: Neighbours = "add-remove") -> fg.Release:
    return fg.top_k(counts, labels=names, candidates=LABELS, k=2, epsilon=epsilon, neighbours=neighbours, unit="customer", ledger=ledger)


def numbers() -> None:
    counts = numpy.array([600, 20, 300])
    fg.top_k(counts, k=1, epsilon=1, ledger=None)
    fg.top_k(array.array("q", [600, 20, 300]), k=1, epsilon=0.5, ledger=None)
    fg.top_k(polars.Series([600, 20, 300]), k=1, epsilon=Fraction(1, 2), ledger=None)
    fg.top_k((600, 20, 300), k=1, epsilon=Decimal("0.5"), ledger=None)
    fg.top_k(memoryview(array.array("d", [1.5])), k=1, epsilon="1/2", ledger=None)
    fg.top_k_above(counts, threshold=counts.max(), k=3, epsilon=1, prefer="estimates", ledger=None)
    fg.exponential([41.5, 1e6, 39], epsilon=1, sensitivity=2, sampler=lambda: 1, ledger=None)
    fg.sparse_vector(values=counts, threshold=10, k=1, epsilon=1, order="file", stop_rule="paper", noise="laplace", ledger=None)
    fg.measure([1.5, 2.5], items=range(2), epsilon=1, kind="general", sensitivity=1, range=(0, "7/2"), ledger=None)
    fg.top_k([1, 2], labels=numpy.array([7, 9]), universe=range(0, 10), k=1, epsilon=1, ledger=None)
    fg.top_k([1, 2], labels=["a", "b"], unknown_items=True, delta="1e-9", bounded_by=3, k=1, epsilon=1, ledger=None)


def rows(con: duckdb.DuckDBPyConnection, frame: polars.DataFrame, lazy: polars.LazyFrame) -> None:
    fg.top_k(frame, item="product", unit="customer", candidates=LABELS, k=1, epsilon=1, ledger=None)
    fg.measure(lazy, item="product", unit="customer", items=LABELS, epsilon=1, ledger=None)
    fg.duckdb.top_k(con, "sales", item="product", unit="customer", items_are_public=True, k=1, epsilon=1, ledger=None)
    fg.duckdb.above(con, pathlib.Path("sales.csv"), item="product", unit="row", candidates=LABELS, threshold=5, k=1, epsilon=1, ledger=None)
    fg.duckdb.measure(con, con.sql("SELECT 1"), item="product", unit="row", items=["tea"], epsilon=1, ledger=None)


def results(release: fg.Release, axes: Any) -> tuple[str, float, Fraction]:
    for row in release.rows:
        low, high = row.interval
        name: str = row["item"] + row.item
        print(name, row.rank + 1, low < row.estimate < high, round(row.gap), f"{row.standard_error:.1f}", dict(row))
    better: tuple[fg.Row, ...] = fg.estimate(release, confidence="0.9", estimator="linear")
    release.plot(ax=axes).set_title("a release")
    return better[0].item, better[0].estimate, release.spent - release.delta


def budgets(path: pathlib.Path) -> int:
    with fg.Ledger.create(path, dataset="shop", epsilon=3, unit="customer", delta="1e-6") as ledger:
        shop = fg.Session(ledger, candidates=LABELS, epsilon="1/10", k=None)
        same: list[str] = fg.Ledger.datasets(bytes(path)) + [fg.Ledger(str(path).encode(), dataset="shop").dataset]
        print(same, ledger.copy(b"copy.db", closed=True))
        release: fg.Release = shop.top_k([1, 2, 3], labels=LABELS, k=1, note="weekly report", ledger=None)
        shop.measure([1, 2, 3], labels=LABELS, items=[winner.item for winner in release.winners])
        shop.duckdb.top_k(duckdb.connect(), "sales", item="product", k=1)
        with shop.SparseVector(threshold=500, k=2, sensitivity=1) as monitor:
            answer: bool = monitor.ask(3.5, name="now").above
        try:
            weekly([1, 2, 3], 5, LABELS, ledger, ledger.neighbours)
        except fg.BudgetExceeded as refused:
            return int(refused.asked + refused.left)
        return int(ledger.balance().delta.remaining) + answer + len(monitor.release.answers)


def expectations() -> list[fg.Release]:
    plan = fg.plan.top_k(k=10, target_error=5)
    fg.plan.above(k=10, epsilon=plan["epsilon"], distance=3).plot()
    return fg.simulate.top_k_above([1, 2, 3], threshold=2, k=1, epsilon=1, runs=3, seed=1)


def noisy(answers: list[int], noise: TapeNoise) -> list[int]:
    return [answers[0] + noise.laplace("1/2")]


def moved(first: list[int], second: list[int], output: list[int], draws: list[int]) -> list[int]:
    return [draws[0] + first[0] - second[0] for _ in output]


holds: bool = fg.verify(noisy, align=moved, recover=moved, epsilon=1, pairs=[([3], [4])]).holds
