# Written by tools/write_stubs.py.
from opendp.mod import Domain, Measurement, Metric
from typing import Any
from ._ledger import Ledger
from .typing import Estimator, Exact, Names, Noise, Order, Prefer, StopRule

__all__ = [
    "invoke", "make_measure", "make_sparse_vector", "make_top_k", "make_top_k_above",
]

def make_top_k(
    input_domain: Domain, input_metric: Metric, *, k: int, epsilon: Exact, measure: Exact = 0.5, classic: bool = False, threads: int = 1,
    prefer: Prefer | None = None, theta: Exact | None = None, noise: Noise = "exponential", estimator: Estimator = "likelihood",
    range: tuple[Exact, Exact] | None = None, labels: Names | None = None, candidates: Names | None = None, universe: range | None = None,
    items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False, tick: Exact | None = None,
    note: str | None = None
) -> Measurement: ...

def make_top_k_above(
    input_domain: Domain, input_metric: Metric, *, k: int, epsilon: Exact, threshold: Exact | None = None, prefer: Prefer = "identity",
    theta: Exact | None = None, measure: Exact = 0.5, threads: int = 1, noise: Noise = "exponential", estimator: Estimator = "likelihood",
    range: tuple[Exact, Exact] | None = None, labels: Names | None = None, candidates: Names | None = None, universe: range | None = None,
    items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False, tick: Exact | None = None,
    note: str | None = None
) -> Measurement: ...

def make_sparse_vector(
    input_domain: Domain, input_metric: Metric, *, threshold: Exact, k: int, epsilon: Exact, adaptive: bool = False, branches: int = 2,
    sigma: Exact = 2, theta: Exact | None = None, stop_rule: StopRule = "afford", stop_after: int | None = None, order: Order = "random",
    measure: Exact = 0, classic: bool = False, noise: Noise = "exponential", estimator: Estimator = "likelihood",
    range: tuple[Exact, Exact] | None = None, labels: Names | None = None, candidates: Names | None = None, universe: range | None = None,
    items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False, tick: Exact | None = None,
    note: str | None = None
) -> Measurement: ...

def make_measure(
    input_domain: Domain, input_metric: Metric, *, items: Names, epsilon: Exact, range: tuple[Exact, Exact] | None = None,
    labels: Names | None = None, candidates: Names | None = None, universe: range | None = None, items_are_public: bool = False,
    confidence: Exact = 0.95, constant_work: bool = False, tick: Exact | None = None, note: str | None = None
) -> Measurement: ...

def invoke(measurement: Measurement, data: Any, *, d_in: Any, unit: str, ledger: Ledger, note: str | None = None) -> Any: ...
