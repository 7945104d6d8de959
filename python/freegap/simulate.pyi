# Written by tools/write_stubs.py.
from collections.abc import Callable
from ._releases import Release
from .typing import Estimator, Exact, Kind, Names, Neighbours, Noise, Numbers, Order, Prefer, StopRule

__all__ = [
    "exponential", "measure", "sparse_vector", "top_k", "top_k_above",
]

def top_k(
    values: Numbers, *, k: int, epsilon: Exact, measure: Exact = 0.5, classic: bool = False, threads: int = 1, prefer: Prefer | None = None,
    theta: Exact | None = None, noise: Noise = "exponential", estimator: Estimator = "likelihood", unknown_items: bool = False,
    delta: Exact | None = None, bounded_by: int | None = None, neighbours: Neighbours = "add-remove", kind: Kind = "counts",
    sensitivity: Exact = 1, range: tuple[Exact, Exact] | None = None, labels: Names | None = None, candidates: Names | None = None,
    universe: range | None = None, items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False,
    tick: Exact | None = None, runs: int = 1, seed: int
) -> list[Release]: ...

def top_k_above(
    values: Numbers, *, k: int, epsilon: Exact, threshold: Exact | None = None, prefer: Prefer = "identity", theta: Exact | None = None,
    measure: Exact = 0.5, threads: int = 1, noise: Noise = "exponential", estimator: Estimator = "likelihood", unknown_items: bool = False,
    delta: Exact | None = None, bounded_by: int | None = None, neighbours: Neighbours = "add-remove", kind: Kind = "counts",
    sensitivity: Exact = 1, range: tuple[Exact, Exact] | None = None, labels: Names | None = None, candidates: Names | None = None,
    universe: range | None = None, items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False,
    tick: Exact | None = None, runs: int = 1, seed: int
) -> list[Release]: ...

def sparse_vector(
    values: Numbers, *, threshold: Exact, k: int, epsilon: Exact, adaptive: bool = False, branches: int = 2, sigma: Exact = 2,
    theta: Exact | None = None, stop_rule: StopRule = "afford", stop_after: int | None = None, order: Order = "random", measure: Exact = 0,
    classic: bool = False, noise: Noise = "exponential", estimator: Estimator = "likelihood", bounded_by: int | None = None,
    neighbours: Neighbours = "add-remove", kind: Kind = "counts", sensitivity: Exact = 1, range: tuple[Exact, Exact] | None = None,
    labels: Names | None = None, candidates: Names | None = None, universe: range | None = None, items_are_public: bool = False,
    confidence: Exact = 0.95, constant_work: bool = False, tick: Exact | None = None, runs: int = 1, seed: int
) -> list[Release]: ...

def exponential(
    values: Numbers, *, epsilon: Exact, classic: bool = False, sampler: Callable[[], int] | None = None,
    neighbours: Neighbours = "add-remove", kind: Kind = "general", sensitivity: Exact | None = None,
    range: tuple[Exact, Exact] | None = None, labels: Names | None = None, candidates: Names | None = None, universe: range | None = None,
    items_are_public: bool = False, confidence: Exact = 0.95, constant_work: bool = False, tick: Exact | None = None, runs: int = 1,
    seed: int
) -> list[Release]: ...

def measure(
    values: Numbers, *, items: Names, epsilon: Exact, bounded_by: int | None = None, neighbours: Neighbours = "add-remove",
    kind: Kind = "counts", sensitivity: Exact = 1, range: tuple[Exact, Exact] | None = None, labels: Names | None = None,
    candidates: Names | None = None, universe: range | None = None, items_are_public: bool = False, confidence: Exact = 0.95,
    constant_work: bool = False, tick: Exact | None = None, runs: int = 1, seed: int
) -> list[Release]: ...
