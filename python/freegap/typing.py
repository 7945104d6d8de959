"""Types of what the package takes, for annotations of your own.

>>> from freegap.typing import Exact, Neighbours
>>> def weekly(counts: list[int], epsilon: Exact, neighbours: Neighbours = "add-remove") -> None: ...

Arrays, data frames and connections are described by what is asked of them, so that no other package need be installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias

from ._core import TapeNoise as TapeNoise

__all__ = ["DuckDBConnection", "DuckDBRelation", "Estimator", "Exact", "Frame", "Kind", "Names", "Neighbours", "Noise", "Numbers", "Order",
           "PostgresConnection", "Prefer", "SparkFrame", "StopRule", "TapeNoise"]

#: A number that is taken exactly. A float means its shortest decimal: 0.7 is 7/10.
Exact: TypeAlias = str | int | float | Fraction | Decimal | SupportsIndex
#: Which data sets are neighbours.
Neighbours: TypeAlias = Literal["add-remove", "replace"]
#: What the numbers are.
Kind: TypeAlias = Literal["counts", "general"]
#: The distribution of the noise that selects.
Noise: TypeAlias = Literal["exponential", "laplace", "geometric"]
#: How estimates are made.
Estimator: TypeAlias = Literal["likelihood", "linear", "measured"]
#: What `top_k_above` spends more on.
Prefer: TypeAlias = Literal["identity", "estimates"]
#: When a sparse vector ends.
StopRule: TypeAlias = Literal["afford", "paper"]
#: In which order a list is asked.
Order: TypeAlias = Literal["random", "label", "file"]


class _Buffer(Protocol):
    def __buffer__(self, flags: int, /) -> memoryview: ...


class _Array(Protocol):
    def __array__(self) -> Any: ...


class _ArrowArray(Protocol):
    def __arrow_c_array__(self) -> Any: ...


class _ArrowStream(Protocol):
    def __arrow_c_stream__(self) -> Any: ...


class _DLPack(Protocol):
    def __dlpack__(self) -> Any: ...


class _Table(Protocol):
    @property
    def columns(self) -> Any: ...


#: Numbers: a list or a tuple, or an array or a column of int64, int32 or float64.
Numbers: TypeAlias = list[int] | list[float] | tuple[float, ...] | _Buffer | _Array | _ArrowArray | _ArrowStream | _DLPack
#: Rows: a data frame of pandas, Polars or Arrow, also a lazy one.
Frame: TypeAlias = _Table | _ArrowStream


class Names(Protocol):
    """Several names or ids: a list, an index, a range; but no str, which is one name."""

    def __iter__(self) -> Iterator[str | SupportsIndex]: ...

    def __contains__(self, name: object, /) -> bool: ...  # that of a str takes a str alone


class DuckDBConnection(Protocol):
    """A connection of DuckDB: `duckdb.DuckDBPyConnection`."""

    def extract_statements(self, query: str, /) -> Any: ...


class DuckDBRelation(Protocol):
    """A relation of DuckDB: `duckdb.DuckDBPyRelation`."""

    @property
    def columns(self) -> Any: ...

    def sql_query(self) -> str: ...


class PostgresConnection(Protocol):
    """A connection of psycopg 3 that is not asynchronous: `psycopg.Connection`."""

    @property
    def pgconn(self) -> Any: ...

    def rollback(self) -> None: ...


class SparkFrame(Protocol):
    """A data frame of Spark: `pyspark.sql.DataFrame`."""

    @property
    def isStreaming(self) -> bool: ...  # noqa: N802: Spark's name

    @property
    def sparkSession(self) -> Any: ...  # noqa: N802
