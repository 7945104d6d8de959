# Written by tools/write_stubs.py.
from collections.abc import Callable
from os import PathLike
from typing import type_check_only
from . import _online
from ._ledger import Ledger
from ._releases import Release
from .typing import DuckDBConnection, DuckDBRelation, Estimator, Exact, Frame, Kind, Names, Neighbours, Noise, Numbers, Order, PostgresConnection, Prefer, SparkFrame, StopRule

class Session:
    def __init__(
        self, ledger: Ledger, *, k: int | None = None, epsilon: Exact | None = None, measure: Exact | None = None,
        classic: bool | None = None, threads: int | None = None, prefer: Prefer | None = None, theta: Exact | None = None,
        noise: Noise | None = None, estimator: Estimator | None = None, unknown_items: bool | None = None, delta: Exact | None = None,
        max_items: int | None = None, bounded_by: int | None = None, neighbours: Neighbours | None = None, kind: Kind | None = None,
        sensitivity: Exact | None = None, range: tuple[Exact, Exact] | None = None, unit: str | None = None,
        candidates: Names | None = None, universe: range | None = None, items_are_public: bool | None = None,
        confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None,
        threshold: Exact | None = None, adaptive: bool | None = None, branches: int | None = None, sigma: Exact | None = None,
        stop_rule: StopRule | None = None, stop_after: int | None = None, order: Order | None = None
    ) -> None: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def dataset(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def neighbours(self) -> Neighbours: ...
    @property
    def candidates(self) -> tuple[str, ...] | None: ...
    def top_k(
        self, values: Numbers | Frame, *, k: int | None = None, epsilon: Exact | None = None, measure: Exact | None = None,
        classic: bool | None = None, threads: int | None = None, prefer: Prefer | None = None, theta: Exact | None = None,
        noise: Noise | None = None, estimator: Estimator | None = None, unknown_items: bool | None = None, delta: Exact | None = None,
        item: str | None = None, max_items: int | None = None, bounded_by: int | None = None, neighbours: Neighbours | None = None,
        kind: Kind | None = None, sensitivity: Exact | None = None, range: tuple[Exact, Exact] | None = None, unit: str | None = None,
        labels: Names | None = None, candidates: Names | None = None, universe: range | None = None, items_are_public: bool | None = None,
        confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None,
        ledger: Ledger | None = ...
    ) -> Release: ...
    def top_k_above(
        self, values: Numbers | Frame, *, k: int | None = None, epsilon: Exact | None = None, threshold: Exact | None = None,
        prefer: Prefer | None = None, theta: Exact | None = None, measure: Exact | None = None, threads: int | None = None,
        noise: Noise | None = None, estimator: Estimator | None = None, unknown_items: bool | None = None, delta: Exact | None = None,
        item: str | None = None, max_items: int | None = None, bounded_by: int | None = None, neighbours: Neighbours | None = None,
        kind: Kind | None = None, sensitivity: Exact | None = None, range: tuple[Exact, Exact] | None = None, unit: str | None = None,
        labels: Names | None = None, candidates: Names | None = None, universe: range | None = None, items_are_public: bool | None = None,
        confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None,
        ledger: Ledger | None = ...
    ) -> Release: ...
    def sparse_vector(
        self, values: Numbers | Frame, *, threshold: Exact | None = None, k: int | None = None, epsilon: Exact | None = None,
        adaptive: bool | None = None, branches: int | None = None, sigma: Exact | None = None, theta: Exact | None = None,
        stop_rule: StopRule | None = None, stop_after: int | None = None, order: Order | None = None, measure: Exact | None = None,
        classic: bool | None = None, noise: Noise | None = None, estimator: Estimator | None = None, item: str | None = None,
        max_items: int | None = None, bounded_by: int | None = None, neighbours: Neighbours | None = None, kind: Kind | None = None,
        sensitivity: Exact | None = None, range: tuple[Exact, Exact] | None = None, unit: str | None = None, labels: Names | None = None,
        candidates: Names | None = None, universe: range | None = None, items_are_public: bool | None = None,
        confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None,
        ledger: Ledger | None = ...
    ) -> Release: ...
    def exponential(
        self, values: Numbers, *, epsilon: Exact | None = None, classic: bool | None = None, sampler: Callable[[], int] | None = None,
        neighbours: Neighbours | None = None, kind: Kind | None = None, sensitivity: Exact | None = None,
        range: tuple[Exact, Exact] | None = None, unit: str | None = None, labels: Names | None = None, candidates: Names | None = None,
        universe: range | None = None, items_are_public: bool | None = None, confidence: Exact | None = None,
        constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None = ...
    ) -> Release: ...
    def measure(
        self, values: Numbers | Frame, *, items: Names, epsilon: Exact | None = None, item: str | None = None, max_items: int | None = None,
        bounded_by: int | None = None, neighbours: Neighbours | None = None, kind: Kind | None = None, sensitivity: Exact | None = None,
        range: tuple[Exact, Exact] | None = None, unit: str | None = None, labels: Names | None = None, candidates: Names | None = None,
        universe: range | None = None, items_are_public: bool | None = None, confidence: Exact | None = None,
        constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None = ...
    ) -> Release: ...
    def SparseVector(
        self, *, threshold: Exact | None = None, k: int | None = None, epsilon: Exact | None = None, adaptive: bool | None = None,
        branches: int | None = None, sigma: Exact | None = None, theta: Exact | None = None, stop_rule: StopRule | None = None,
        stop_after: int | None = None, classic: bool | None = None, noise: Noise | None = None, estimator: Estimator | None = None,
        neighbours: Neighbours | None = None, kind: Kind | None = None, sensitivity: Exact | None = None,
        range: tuple[Exact, Exact] | None = None, unit: str | None = None, confidence: Exact | None = None,
        constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None = ...
    ) -> _online.SparseVector: ...
    @property
    def duckdb(self) -> _Duckdb: ...
    @property
    def postgres(self) -> _Postgres: ...
    @property
    def spark(self) -> _Spark: ...

@type_check_only
class _Duckdb:
    def top_k(
        self, connection: DuckDBConnection, source: str | PathLike[str] | DuckDBRelation, /, *, item: str, unit: str | None = None,
        k: int | None = None, epsilon: Exact | None = None, measure: Exact | None = None, classic: bool | None = None,
        threads: int | None = None, prefer: Prefer | None = None, theta: Exact | None = None, noise: Noise | None = None,
        estimator: Estimator | None = None, unknown_items: bool | None = None, delta: Exact | None = None, max_items: int | None = None,
        neighbours: Neighbours | None = None, candidates: Names | None = None, universe: range | None = None,
        items_are_public: bool | None = None, confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None,
        note: str | None = None, ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.top_k` of counted rows: the k largest, with their gaps.

        Takes a DuckDB connection, which stays as it is, and SQL, the name of a table, a relation, or the path of files: see the module.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    def top_k_above(
        self, connection: DuckDBConnection, source: str | PathLike[str] | DuckDBRelation, /, *, item: str, unit: str | None = None,
        k: int | None = None, epsilon: Exact | None = None, threshold: Exact | None = None, prefer: Prefer | None = None,
        theta: Exact | None = None, measure: Exact | None = None, threads: int | None = None, noise: Noise | None = None,
        estimator: Estimator | None = None, unknown_items: bool | None = None, delta: Exact | None = None, max_items: int | None = None,
        neighbours: Neighbours | None = None, candidates: Names | None = None, universe: range | None = None,
        items_are_public: bool | None = None, confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None,
        note: str | None = None, ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.top_k_above` of counted rows: the k largest that are above a public threshold.

        Takes a DuckDB connection, which stays as it is, and SQL, the name of a table, a relation, or the path of files: see the module.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    def sparse_vector(
        self, connection: DuckDBConnection, source: str | PathLike[str] | DuckDBRelation, /, *, item: str, unit: str | None = None,
        threshold: Exact | None = None, k: int | None = None, epsilon: Exact | None = None, adaptive: bool | None = None,
        branches: int | None = None, sigma: Exact | None = None, theta: Exact | None = None, stop_rule: StopRule | None = None,
        stop_after: int | None = None, order: Order | None = None, measure: Exact | None = None, classic: bool | None = None,
        noise: Noise | None = None, estimator: Estimator | None = None, max_items: int | None = None, neighbours: Neighbours | None = None,
        candidates: Names | None = None, universe: range | None = None, items_are_public: bool | None = None,
        confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None,
        ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.sparse_vector` of counted rows: which items are above a public threshold.

        Takes a DuckDB connection, which stays as it is, and SQL, the name of a table, a relation, or the path of files: see the module.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    def measure(
        self, connection: DuckDBConnection, source: str | PathLike[str] | DuckDBRelation, /, *, item: str, unit: str | None = None,
        items: Names, epsilon: Exact | None = None, max_items: int | None = None, neighbours: Neighbours | None = None,
        candidates: Names | None = None, universe: range | None = None, items_are_public: bool | None = None,
        confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None,
        ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.measure` of counted rows: `items=[...]` says which. No declaration of candidates is needed.

        Takes a DuckDB connection, which stays as it is, and SQL, the name of a table, a relation, or the path of files: see the module.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    above = sparse_vector

@type_check_only
class _Postgres:
    def top_k(
        self, connection: PostgresConnection, source: str, /, *, item: str, unit: str | None = None, k: int | None = None,
        epsilon: Exact | None = None, measure: Exact | None = None, classic: bool | None = None, threads: int | None = None,
        prefer: Prefer | None = None, theta: Exact | None = None, noise: Noise | None = None, estimator: Estimator | None = None,
        unknown_items: bool | None = None, delta: Exact | None = None, max_items: int | None = None, neighbours: Neighbours | None = None,
        candidates: Names | None = None, universe: range | None = None, items_are_public: bool | None = None,
        confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None,
        ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.top_k` of counted rows: the k largest, with their gaps.

        Takes a psycopg.Connection, which stays as it is, and SQL or the name of a table: see the module.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    def top_k_above(
        self, connection: PostgresConnection, source: str, /, *, item: str, unit: str | None = None, k: int | None = None,
        epsilon: Exact | None = None, threshold: Exact | None = None, prefer: Prefer | None = None, theta: Exact | None = None,
        measure: Exact | None = None, threads: int | None = None, noise: Noise | None = None, estimator: Estimator | None = None,
        unknown_items: bool | None = None, delta: Exact | None = None, max_items: int | None = None, neighbours: Neighbours | None = None,
        candidates: Names | None = None, universe: range | None = None, items_are_public: bool | None = None,
        confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None,
        ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.top_k_above` of counted rows: the k largest that are above a public threshold.

        Takes a psycopg.Connection, which stays as it is, and SQL or the name of a table: see the module.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    def sparse_vector(
        self, connection: PostgresConnection, source: str, /, *, item: str, unit: str | None = None, threshold: Exact | None = None,
        k: int | None = None, epsilon: Exact | None = None, adaptive: bool | None = None, branches: int | None = None,
        sigma: Exact | None = None, theta: Exact | None = None, stop_rule: StopRule | None = None, stop_after: int | None = None,
        order: Order | None = None, measure: Exact | None = None, classic: bool | None = None, noise: Noise | None = None,
        estimator: Estimator | None = None, max_items: int | None = None, neighbours: Neighbours | None = None,
        candidates: Names | None = None, universe: range | None = None, items_are_public: bool | None = None,
        confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None,
        ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.sparse_vector` of counted rows: which items are above a public threshold.

        Takes a psycopg.Connection, which stays as it is, and SQL or the name of a table: see the module.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    def measure(
        self, connection: PostgresConnection, source: str, /, *, item: str, unit: str | None = None, items: Names,
        epsilon: Exact | None = None, max_items: int | None = None, neighbours: Neighbours | None = None, candidates: Names | None = None,
        universe: range | None = None, items_are_public: bool | None = None, confidence: Exact | None = None,
        constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.measure` of counted rows: `items=[...]` says which. No declaration of candidates is needed.

        Takes a psycopg.Connection, which stays as it is, and SQL or the name of a table: see the module.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    above = sparse_vector

@type_check_only
class _Spark:
    def top_k(
        self, frame: SparkFrame, /, *, item: str, unit: str | None = None, k: int | None = None, epsilon: Exact | None = None,
        measure: Exact | None = None, classic: bool | None = None, threads: int | None = None, prefer: Prefer | None = None,
        theta: Exact | None = None, noise: Noise | None = None, estimator: Estimator | None = None, unknown_items: bool | None = None,
        delta: Exact | None = None, max_items: int | None = None, neighbours: Neighbours | None = None, candidates: Names | None = None,
        universe: range | None = None, items_are_public: bool | None = None, confidence: Exact | None = None,
        constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.top_k` of counted rows: the k largest, with their gaps.

        Takes a pyspark.sql.DataFrame that is no stream.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    def top_k_above(
        self, frame: SparkFrame, /, *, item: str, unit: str | None = None, k: int | None = None, epsilon: Exact | None = None,
        threshold: Exact | None = None, prefer: Prefer | None = None, theta: Exact | None = None, measure: Exact | None = None,
        threads: int | None = None, noise: Noise | None = None, estimator: Estimator | None = None, unknown_items: bool | None = None,
        delta: Exact | None = None, max_items: int | None = None, neighbours: Neighbours | None = None, candidates: Names | None = None,
        universe: range | None = None, items_are_public: bool | None = None, confidence: Exact | None = None,
        constant_work: bool | None = None, tick: Exact | None = None, note: str | None = None, ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.top_k_above` of counted rows: the k largest that are above a public threshold.

        Takes a pyspark.sql.DataFrame that is no stream.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    def sparse_vector(
        self, frame: SparkFrame, /, *, item: str, unit: str | None = None, threshold: Exact | None = None, k: int | None = None,
        epsilon: Exact | None = None, adaptive: bool | None = None, branches: int | None = None, sigma: Exact | None = None,
        theta: Exact | None = None, stop_rule: StopRule | None = None, stop_after: int | None = None, order: Order | None = None,
        measure: Exact | None = None, classic: bool | None = None, noise: Noise | None = None, estimator: Estimator | None = None,
        max_items: int | None = None, neighbours: Neighbours | None = None, candidates: Names | None = None, universe: range | None = None,
        items_are_public: bool | None = None, confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None,
        note: str | None = None, ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.sparse_vector` of counted rows: which items are above a public threshold.

        Takes a pyspark.sql.DataFrame that is no stream.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    def measure(
        self, frame: SparkFrame, /, *, item: str, unit: str | None = None, items: Names, epsilon: Exact | None = None,
        max_items: int | None = None, neighbours: Neighbours | None = None, candidates: Names | None = None, universe: range | None = None,
        items_are_public: bool | None = None, confidence: Exact | None = None, constant_work: bool | None = None, tick: Exact | None = None,
        note: str | None = None, ledger: Ledger | None = ...
    ) -> Release:
        """`freegap.measure` of counted rows: `items=[...]` says which. No declaration of candidates is needed.

        Takes a pyspark.sql.DataFrame that is no stream.
        `item` and `unit` name columns (or `unit="row"`); one of `candidates`, `universe`, `items_are_public` and `unknown_items` (of `top_k` and `top_k_above`, with `delta`) says which items can win; `max_items` bounds how many items a unit contributes to. The other options are those of the function in `freegap`."""
    above = sparse_vector
