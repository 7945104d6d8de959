# Written by tools/write_stubs.py.
from collections.abc import Callable
from . import duckdb, opendp, plan, plots, postgres, simulate, spark
from ._errors import BudgetExceeded, Exhausted, MachineFault
from ._ledger import Balance, Ledger
from ._online import SparseVector
from ._releases import Release, Row
from ._session import Session
from ._verify import Verdict, verify
from .typing import Estimator, Exact, Frame, Kind, Names, Neighbours, Noise, Numbers, Order, Prefer, StopRule

__all__ = [
    "Balance", "BudgetExceeded", "Exhausted", "Ledger", "MachineFault", "Release", "Row", "Session", "SparseVector", "Verdict", "duckdb",
    "estimate", "exponential", "measure", "opendp", "plan", "plots", "postgres", "simulate", "spark", "sparse_vector", "top_k",
    "top_k_above", "verify",
]

__version__: str

def top_k(
    values: Numbers | Frame, *, k: int, epsilon: Exact, measure: Exact = 0.5, classic: bool = False, threads: int = 1,
    prefer: Prefer | None = None, theta: Exact | None = None, noise: Noise = "exponential", estimator: Estimator = "likelihood",
    unknown_items: bool = False, delta: Exact | None = None, item: str | None = None, max_items: int | None = None,
    bounded_by: int | None = None, neighbours: Neighbours = "add-remove", kind: Kind = "counts", sensitivity: Exact = 1,
    range: tuple[Exact, Exact] | None = None, unit: str | None = None, labels: Names | None = None, candidates: Names | None = None,
    universe: range | None = None, items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False,
    tick: Exact | None = None, note: str | None = None, ledger: Ledger | None
) -> Release: ...

def top_k_above(
    values: Numbers | Frame, *, k: int, epsilon: Exact, threshold: Exact | None = None, prefer: Prefer = "identity",
    theta: Exact | None = None, measure: Exact = 0.5, threads: int = 1, noise: Noise = "exponential", estimator: Estimator = "likelihood",
    unknown_items: bool = False, delta: Exact | None = None, item: str | None = None, max_items: int | None = None,
    bounded_by: int | None = None, neighbours: Neighbours = "add-remove", kind: Kind = "counts", sensitivity: Exact = 1,
    range: tuple[Exact, Exact] | None = None, unit: str | None = None, labels: Names | None = None, candidates: Names | None = None,
    universe: range | None = None, items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False,
    tick: Exact | None = None, note: str | None = None, ledger: Ledger | None
) -> Release: ...

def sparse_vector(
    values: Numbers | Frame, *, threshold: Exact, k: int, epsilon: Exact, adaptive: bool = False, branches: int = 2, sigma: Exact = 2,
    theta: Exact | None = None, stop_rule: StopRule = "afford", stop_after: int | None = None, order: Order = "random", measure: Exact = 0,
    classic: bool = False, noise: Noise = "exponential", estimator: Estimator = "likelihood", item: str | None = None,
    max_items: int | None = None, bounded_by: int | None = None, neighbours: Neighbours = "add-remove", kind: Kind = "counts",
    sensitivity: Exact = 1, range: tuple[Exact, Exact] | None = None, unit: str | None = None, labels: Names | None = None,
    candidates: Names | None = None, universe: range | None = None, items_are_public: bool = False, confidence: Exact = 0.95,
    constant_work: bool = False, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None
) -> Release: ...

def exponential(
    values: Numbers, *, epsilon: Exact, classic: bool = False, sampler: Callable[[], int] | None = None,
    neighbours: Neighbours = "add-remove", kind: Kind = "general", sensitivity: Exact | None = None,
    range: tuple[Exact, Exact] | None = None, unit: str | None = None, labels: Names | None = None, candidates: Names | None = None,
    universe: range | None = None, items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False,
    tick: Exact | None = None, note: str | None = None, ledger: Ledger | None
) -> Release: ...

def measure(
    values: Numbers | Frame, *, items: Names, epsilon: Exact, item: str | None = None, max_items: int | None = None,
    bounded_by: int | None = None, neighbours: Neighbours = "add-remove", kind: Kind = "counts", sensitivity: Exact = 1,
    range: tuple[Exact, Exact] | None = None, unit: str | None = None, labels: Names | None = None, candidates: Names | None = None,
    universe: range | None = None, items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False,
    tick: Exact | None = None, note: str | None = None, ledger: Ledger | None
) -> Release: ...

def estimate(
    release: Release, measurement: Release | None = None, *, confidence: Exact = 0.95, estimator: Estimator = "likelihood"
) -> tuple[Row, ...]: ...
