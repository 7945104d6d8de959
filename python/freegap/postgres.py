"""PostgreSQL through psycopg 3: releases from a query, a table or a view.

    import psycopg
    import freegap as fg

    with psycopg.connect() as con:   # server, user and password from the environment, a service file or ~/.pgpass
        release = fg.postgres.top_k(con, "sales", item="product", unit="customer", candidates=["tea", "jam", "rye"], k=2, epsilon=1,
                                    ledger=ledger)

The source is the name of a table or a view as SQL writes it (`shop.sales`, `"my table"`), or one SELECT (WITH, VALUES), which treats
each row by itself. LIMIT, samples, windows and aggregates make one row decide about another; then `unit` no longer says what is protected.

The server counts, into a temporary table. Only the numbers of items with each count, and the winners, reach this process. Noise is
drawn once, in C++. Rows without an item or a unit are left out one by one. Items are text, enums or whole numbers, and are compared byte by byte
whatever the collation.

All happens in one transaction at the level REPEATABLE READ, which is rolled back at its end: nothing is left of it. If the connection is
within a transaction, a savepoint takes its place; the rows are then those that this transaction sees, and it stays open. A session that
is read-only cannot count. If the server fails before the charge, its own error is raised and nothing was spent; after it, a
`MachineFault` says what stays charged. What PostgreSQL says about SQL of your own may repeat values: it is for the owner of the data.
"""

from __future__ import annotations

import contextlib
import uuid
from typing import Any, Iterable, Iterator

from . import _contribution, _counting
from ._counting import Asked
from ._engine import TABLE, check_columns, functions, no_names, quoted, without_passwords
from ._releases import Release

__all__ = ["above", "measure", "sparse_vector", "top_k", "top_k_above"]

_WHOLE = {20, 21, 23}  # int8, int2, int4: object ids of types, which never change
_TEXT = {19, 25, 1042, 1043}  # name, text, char(n), varchar
_GOOD_NAME = "^[^\\u0001-\\u0020\\u007f-\\u009f]([^\\u0001-\\u0008\\u000a-\\u001f\\u007f-\\u009f]*[^\\u0001-\\u0020\\u007f-\\u009f])?$"
_ID = "^(0|-?[1-9][0-9]{0,18})$"
_KEY = "\0"  # stands for a parameter in SQL: no text of PostgreSQL has it
_LARGE = 20_000  # members of a group that is not sorted with others
_SCANS = 8  # so many groups at most are searched by a scan of their own


def _released(function: str, connection: Any, source: Any, options: dict[str, Any]) -> Release:
    asked, options = _counting.take(function, options)
    _check_connection(connection)
    text, sql = _read(source)
    release = None
    try:
        with _transaction(connection) as cursor:
            counted = _CountedTable(cursor, text, asked)
            release = _counting.release(function, asked, {**options, "input": "PostgreSQL", "sql": sql}, counted)
    except _psycopg().Error:
        if release is None:
            raise
        # Only the rollback failed. The release is charged and stored, and it is not lost with the connection.
    return release


top_k, top_k_above, sparse_vector, measure = functions(
    _released, "Takes a psycopg.Connection, which stays as it is, and SQL or the name of a table: see the module.")
above = sparse_vector


def _psycopg() -> Any:
    import psycopg

    return psycopg


def _check_connection(connection: Any) -> None:
    psycopg = _psycopg()
    if not isinstance(connection, psycopg.Connection):  # never shown: it may be a text with a password
        raise TypeError("connection: give a connection of psycopg 3 that is not asynchronous, for example psycopg.connect()")
    if connection.info.transaction_status == psycopg.pq.TransactionStatus.INERROR:
        raise ValueError("connection: its transaction has failed; roll it back first. Nothing was spent")
    if connection.pgconn.pipeline_status != psycopg.pq.PipelineStatus.OFF:
        raise ValueError("connection: leave its pipeline mode first. Nothing was spent")


def _read(source: Any) -> tuple[str, str]:
    """What stands after FROM, and the text for the ledger."""
    if not isinstance(source, str):
        raise TypeError("source: give SQL, or the name of a table")
    if TABLE.fullmatch(source):
        return source, f"FROM {source.strip()}"
    if not source.strip():
        raise ValueError("source: give SQL, or the name of a table")
    return "(\n" + source.rstrip().removesuffix(";") + "\n)", without_passwords(source)


@contextlib.contextmanager
def _transaction(connection: Any) -> Iterator[Any]:
    """A cursor in a transaction that is rolled back."""
    psycopg = _psycopg()
    begun = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    try:
        with connection.transaction(force_rollback=True), psycopg.Cursor(connection, row_factory=psycopg.rows.tuple_row) as cursor:
            if begun:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield cursor
    except psycopg.errors.ReadOnlySqlTransaction:
        raise ValueError("connection: the session is read-only, or the server is a standby. Counting needs a temporary table, which "
                         "only a session that may write can have. Nothing was spent") from None


def _good_name(item: str) -> str:
    """Whether a release can show an item, in SQL."""
    name = f'CAST({item} AS text) COLLATE "C"'
    return f"(octet_length({name}) <= {_counting.LONGEST_NAME} AND {name} ~ '{_GOOD_NAME}')"


class _CountedTable:
    """The temporary table (item, n) of a source. It goes with its transaction."""

    def __init__(self, cursor: Any, source: str, asked: Asked):
        self._cursor = cursor
        self._source = source
        self._asked = asked
        self._table = quoted(f"freegap_{uuid.uuid4().hex}")
        self._many: dict[int, int] = {}
        self._whole = self._look_at_columns()
        self._drop_names = asked.unknown and not self._whole
        parameters = ([] if asked.listed is None else [list(asked.listed)]) + ([] if asked.max_items is None else [asked.key])
        self._run(f"CREATE TEMPORARY TABLE {self._table} ON COMMIT DROP AS {self._counting()}", parameters or None)

    def _run(self, sql: str, parameters: list[Any] | None = None) -> Any:
        """Runs one statement. Binary results make it the protocol's own business that there is no second one."""
        return self._cursor.execute(sql, parameters, binary=True, prepare=False)

    def _look_at_columns(self) -> bool:
        """Whether items are whole numbers. Refuses columns that are not there, or have no names."""
        if self._run("SHOW server_encoding").fetchone() != ("UTF8",) or self._cursor.connection.info.encoding != "utf-8":
            raise ValueError("connection: database and client must have the encoding UTF8. Nothing was spent")
        columns = self._run(f"SELECT * FROM {self._source} AS counted LIMIT 0").description
        check_columns(self._asked, [column.name for column in columns])
        kind = next(column.type_code for column in columns if column.name == self._asked.item)
        if kind not in _WHOLE | _TEXT:
            name, form = self._run(f"SELECT format_type(oid, NULL), typtype::text FROM pg_type WHERE oid = {int(kind)}").fetchone()
            if form != "e":
                raise no_names(name, f"cast it, for example SELECT CAST({quoted(self._asked.item)} AS text) AS ...")
        return kind in _WHOLE

    def _counting(self) -> str:
        """The query that counts. Collations would let one row decide how others are named."""
        asked, column = self._asked, quoted(self._asked.item)
        item = f"CAST({column} AS bigint)" if self._whole else f'CAST({column} AS text) COLLATE "C"'
        count, where = "count(*)", f"{column} IS NOT NULL {self._shown(column)}"
        if not asked.by_rows:
            unit = quoted(asked.unit)
            count, where = f"count(DISTINCT {unit})", f"{where} AND {unit} IS NOT NULL"
        within = ""
        if asked.universe is not None and self._whole:
            limits = f"BETWEEN {asked.universe.start} AND {asked.universe.stop - 1}"
            where, within = f"{where} AND {column} {limits}", f"AND item {limits}"
        rows = f"SELECT {item} AS item, {count} AS n FROM {self._source} AS counted WHERE {where} GROUP BY 1"
        if asked.max_items is not None:
            rows = self._cut_down(item)
        if asked.max_items is not None and (asked.universe is not None or asked.unknown):
            rows = f"SELECT * FROM ({rows}) AS cut WHERE n > 0 {within}"
        if asked.listed is not None or asked.max_items is not None:
            rows = rows.replace("%", "%%")  # a percent sign is an ordinary one in queries without parameters alone
        rows = rows.replace(_KEY, "CAST(%s AS text)")
        if asked.listed is not None:
            return (f"SELECT listed.item, coalesce(n, 0) AS n FROM unnest(%s::text[]) AS listed(item) "
                    f'LEFT JOIN ({rows}) AS found ON listed.item COLLATE "C" = CAST(found.item AS text) COLLATE "C"')
        if asked.universe is None or self._whole:
            return rows
        return (f"SELECT CAST(id AS bigint) AS item, n FROM (SELECT CASE WHEN item ~ '{_ID}' THEN CAST(item AS numeric) END AS id, n "
                f"FROM ({rows}) AS texts) AS ids WHERE id BETWEEN {asked.universe.start} AND {asked.universe.stop - 1}")

    def _cut_down(self, item: str) -> str:
        """Counts units that are cut down to the bound, each by itself; items that nobody keeps count 0. A collation may take several texts
        for one unit, of which the least is hashed."""
        asked, unit = self._asked, f"counted.{quoted(self._asked.unit)}"
        text = _contribution.sql_text(_KEY, "octet_length", "name", "item")
        return (f"SELECT item, count(*) FILTER (WHERE place <= {asked.max_items}) AS n FROM "
                f"(SELECT item, row_number() OVER (PARTITION BY unit ORDER BY sha256(convert_to({text}, 'UTF8')) ASC) AS place FROM "
                f'(SELECT {item} AS item, {unit} AS unit, min(CAST({unit} AS text) COLLATE "C") AS name FROM {self._source} AS counted '
                f"WHERE counted.{quoted(asked.item)} IS NOT NULL AND {unit} IS NOT NULL {self._shown(f'counted.{quoted(asked.item)}')} "
                f"GROUP BY 1, 2) AS pairs) AS ranked GROUP BY 1")

    def _shown(self, item: str) -> str:
        """A condition: of items nobody listed, those whose names a release can show. The others are left out one by one."""
        return f"AND {_good_name(item)}" if self._drop_names else ""

    def histogram(self) -> Iterable[tuple[int, int]]:
        self._many = dict(self._run(f"SELECT n, count(*) FROM {self._table} GROUP BY n").fetchall())
        return self._many.items()

    def everything(self) -> Iterable[tuple[Any, int]]:
        rows: list[tuple[Any, int]] = self._run(f"SELECT CAST(item AS text), n FROM {self._table}").fetchall()
        return rows

    def names(self, wanted: list[tuple[int, int]]) -> list[Any]:
        """Each group is searched by one statement. Within it the server numbers each member once, in an order that it chooses without
        knowing the ranks; they are uniform, so any such order serves."""
        counts = {n for n, _ in wanted if n or self._asked.universe is None}
        large = {n for n in counts if self._many[n] > _LARGE}
        large = large if len(large) <= _SCANS else set()
        found: dict[int, str] = {}
        for some, numbered in [(counts - large, "row_number() OVER (PARTITION BY n)"), *(({n}, "row_number() OVER ()") for n in large)]:
            if some:
                found |= self._found(wanted, some, f"""
                    SELECT i, CAST(item AS text) FROM asked JOIN
                        (SELECT item, n, {numbered} - 1 AS rank FROM {self._table} WHERE n IN ({', '.join(map(str, some))})) AS members
                    USING (n, rank)""")
        if self._asked.universe is not None and any(n == 0 for n, _ in wanted):
            found |= self._found(wanted, {0}, self._absent(self._asked.universe.start))
        return [found[i] for i in range(len(wanted))]

    def _found(self, wanted: list[tuple[int, int]], counts: set[int], query: str) -> dict[int, str]:
        parts = [[i, n, rank] for i, (n, rank) in enumerate(wanted) if n in counts]
        asked = "WITH asked AS (SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS given(i, n, rank))"
        return dict(self._run(asked + query, [list(column) for column in zip(*parts)]).fetchall())

    def _absent(self, low: int) -> str:
        """Of the ids that do not occur: see _counted. `numeric`, since a universe may have nearly 2^63 of them."""
        return f"""
            SELECT i, CAST({low} + place + present AS text) FROM
                (SELECT i, place, count(*) FILTER (WHERE i IS NULL)
                                  OVER (ORDER BY place ASC, (i IS NOT NULL) ASC ROWS UNBOUNDED PRECEDING) AS present
                 FROM (SELECT NULL AS i, CAST(item AS numeric) - ({low}) - row_number() OVER (ORDER BY item ASC) + 1 AS place
                       FROM {self._table}
                       UNION ALL SELECT i, CAST(rank AS numeric) FROM asked) AS places) AS counted
            WHERE i IS NOT NULL"""
