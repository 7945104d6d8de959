# Written by tools/write_stubs.py.
from matplotlib.axes import Axes
from typing import Any
from .typing import Exact, Kind, Neighbours, Noise, StopRule

__all__ = [
    "above", "sparse_vector", "top_k",
]

class Plan(dict[str, Any]):
    def __init__(self, document: str, options: dict[str, Any]) -> None: ...
    def plot(self, ax: Axes | None = None) -> Axes: ...

def top_k(
    *, k: int | None = None, epsilon: Exact | None = None, target_error: Exact | None = None, measure: Exact = 0.5,
    unknown_items: bool = False, delta: Exact | None = None, noise: Noise = "exponential", max_items: int | None = None,
    neighbours: Neighbours = "add-remove", kind: Kind = "counts", sensitivity: Exact = 1
) -> Plan: ...

def sparse_vector(
    *, k: int | None = None, epsilon: Exact | None = None, target_error: Exact | None = None, measure: Exact = 0, adaptive: bool = False,
    branches: int = 2, sigma: Exact = 2, theta: Exact | None = None, stop_rule: StopRule = "afford", distance: Exact | None = None,
    noise: Noise = "exponential", max_items: int | None = None, neighbours: Neighbours = "add-remove", kind: Kind = "counts",
    sensitivity: Exact = 1
) -> Plan: ...

above = sparse_vector
