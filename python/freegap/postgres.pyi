# Written by tools/write_stubs.py.
from ._ledger import Ledger
from ._releases import Release
from .typing import Estimator, Exact, Names, Neighbours, Noise, Order, PostgresConnection, Prefer, StopRule

__all__ = [
    "above", "measure", "sparse_vector", "top_k", "top_k_above",
]

def top_k(
    connection: PostgresConnection, source: str, /, *, item: str, unit: str, k: int, epsilon: Exact, measure: Exact = 0.5,
    classic: bool = False, threads: int = 1, prefer: Prefer | None = None, theta: Exact | None = None, noise: Noise = "exponential",
    estimator: Estimator = "likelihood", unknown_items: bool = False, delta: Exact | None = None, max_items: int | None = None,
    neighbours: Neighbours = "add-remove", candidates: Names | None = None, universe: range | None = None, items_are_public: bool = False,
    confidence: Exact = 0.95, constant_work: bool = False, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None
) -> Release:
    """`freegap.top_k` of counted rows: the k largest, with their gaps.

    Takes a psycopg.Connection, which stays as it is, and SQL or the name of a table: see the module.
    `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""

def top_k_above(
    connection: PostgresConnection, source: str, /, *, item: str, unit: str, k: int, epsilon: Exact, threshold: Exact | None = None,
    prefer: Prefer = "identity", theta: Exact | None = None, measure: Exact = 0.5, threads: int = 1, noise: Noise = "exponential",
    estimator: Estimator = "likelihood", unknown_items: bool = False, delta: Exact | None = None, max_items: int | None = None,
    neighbours: Neighbours = "add-remove", candidates: Names | None = None, universe: range | None = None, items_are_public: bool = False,
    confidence: Exact = 0.95, constant_work: bool = False, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None
) -> Release:
    """`freegap.top_k_above` of counted rows: the k largest that are above a public threshold.

    Takes a psycopg.Connection, which stays as it is, and SQL or the name of a table: see the module.
    `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""

def sparse_vector(
    connection: PostgresConnection, source: str, /, *, item: str, unit: str, threshold: Exact, k: int, epsilon: Exact,
    adaptive: bool = False, branches: int = 2, sigma: Exact = 2, theta: Exact | None = None, stop_rule: StopRule = "afford",
    stop_after: int | None = None, order: Order = "random", measure: Exact = 0, classic: bool = False, noise: Noise = "exponential",
    estimator: Estimator = "likelihood", max_items: int | None = None, neighbours: Neighbours = "add-remove",
    candidates: Names | None = None, universe: range | None = None, items_are_public: bool = False, confidence: Exact = 0.95,
    constant_work: bool = False, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None
) -> Release:
    """`freegap.sparse_vector` of counted rows: which items are above a public threshold.

    Takes a psycopg.Connection, which stays as it is, and SQL or the name of a table: see the module.
    `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""

def measure(
    connection: PostgresConnection, source: str, /, *, item: str, unit: str, items: Names, epsilon: Exact, max_items: int | None = None,
    neighbours: Neighbours = "add-remove", candidates: Names | None = None, universe: range | None = None, items_are_public: bool = False,
    confidence: Exact = 0.95, constant_work: bool = False, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None
) -> Release:
    """`freegap.measure` of counted rows: `items=[...]` says which. No declaration of candidates is needed.

    Takes a psycopg.Connection, which stays as it is, and SQL or the name of a table: see the module.
    `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""

above = sparse_vector
