"""DuckDB: releases from a query, a table, a relation or files.

>>> import duckdb
>>> import freegap as fg
>>> con = duckdb.connect()
>>> _ = con.execute("CREATE TABLE sales AS SELECT 'tea' AS product, range AS customer FROM range(900)")
>>> _ = con.execute("INSERT INTO sales SELECT 'jam', range FROM range(600)")
>>> release = fg.duckdb.top_k(con, "sales", item="product", unit="customer", candidates=["tea", "jam", "rye"], k=2, epsilon=1, ledger=None)
>>> [winner.item for winner in release.winners]
['tea', 'jam']

The source is

- a text that parses as SQL: one SELECT (WITH, FROM, VALUES), which treats each row by itself. LIMIT, samples, windows and aggregates
  make one row decide about another; then `unit` no longer says what is protected;
- a text that ends in .parquet, .pq, .csv, .tsv, .json, .jsonl or .ndjson (the last five also with .gz or .zst), or any os.PathLike: files,
  with the wildcards of DuckDB. Of CSV and JSON columns are read as text, those of CSV by the names in its header, since guessing from the
  values would let one record decide how others are read. A record of JSON without the key has a null there;
- any other text: a table or a view, as SQL writes its name (`shop.sales`, `"my table"`);
- a relation of the same connection. So are data frames: `con.sql("SELECT * FROM frame")`.

DuckDB counts, within its own memory limit, into a temporary table that is dropped in any case. Noise is drawn once, in C++. Rows without
an item or a unit are left out one by one. Items are text or whole numbers, and are compared byte by byte whatever the collation.

Settings and transactions of the connection stay as they are. A query that fails while it runs aborts an open transaction, as it always
does in DuckDB; nothing was spent then. If DuckDB fails after the charge, a `MachineFault` says so. No message about a file repeats its
records. What DuckDB says about SQL of your own may: it is for the owner of the data.
"""

from __future__ import annotations

import os
import re
import uuid
from typing import Any, Iterable

from . import _contribution, _counting
from ._counting import Asked
from ._engine import TABLE, check_rows, functions, literal, no_names, quoted, without_passwords
from ._releases import Release

__all__ = ["above", "measure", "sparse_vector", "top_k", "top_k_above"]

_RELATION = "freegap_relation"  # what a relation is called in SQL: a variable of _run
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}
_FILE = re.compile(r"(?is).*\.(?:(parquet|pq)|(csv|tsv|json|jsonl|ndjson)(?:\.gz|\.zst)?)")
_HEADED = ("csv", "tsv")
_BY_KEYS = ("json", "jsonl", "ndjson")
_FETCHED = 1_000  # members of the winners' groups that are fetched all together
_BLOCK = 2048  # rows of the counted table that are searched for one winner


def _released(function: str, connection: Any, source: Any, options: dict[str, Any]) -> Release:
    asked, options = _counting.take(function, options)
    if not hasattr(connection, "extract_statements"):
        raise TypeError("connection: give a DuckDB connection, for example duckdb.connect()")
    read = _Source(connection, source, asked)
    with _CountedTable(read, asked) as counted:
        return _counting.release(function, asked, {**options, **read.asked}, counted)


top_k, top_k_above, sparse_vector, measure = functions(
    _released, "Takes a DuckDB connection, which stays as it is, and SQL, the name of a table, a relation, or the path of files: see the module.")
above = sparse_vector


class _Source:
    """Something that stands after FROM, and the types of its columns."""

    def __init__(self, connection: Any, source: Any, asked: Asked | None):
        """Without `asked` its columns are not looked at."""
        self.connection = connection
        self.relation: Any = None
        self._form = ""  # of files: how they are written
        self._problem: Exception | None = None  # why it is no SQL
        self.asked = {"input": "DuckDB"}  # for the ledger
        if isinstance(source, os.PathLike):
            self._read_files(os.fspath(source), asked)
        elif isinstance(source, str):
            self._read_text(source, asked)
        elif hasattr(source, "columns") and hasattr(source, "sql_query"):
            self.relation = source
            self.text = _RELATION
            self._check_relation()
        else:
            raise TypeError("source: give SQL, the name of a table, a relation, or the path of files. A data frame of your program is a relation: "
                            "connection.sql(\"SELECT * FROM frame\")")
        head = source if self.relation is not None else self.read(f"SELECT * FROM {self.text} LIMIT 0")
        if self._form in _BY_KEYS and asked is not None and asked.public:
            self._check_keys(asked)
        self._types = {name.lower(): str(dtype) for name, dtype in zip(head.columns, head.types)}
        if asked is not None:
            self._check_columns(asked, head.columns)

    def _in_catalog(self, name: str) -> bool:
        """Whether a table or a view has this name: it would be found before the relation."""
        views = "SELECT table_name AS name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()"
        return bool(self.connection.sql(f"SELECT 1 FROM ({views}) WHERE lower(name) = {literal(name)} LIMIT 1").fetchall())

    def _check_relation(self) -> None:
        """Refuses a relation that the connection would not find by its name."""
        import duckdb

        if self._in_catalog(_RELATION):
            raise ValueError(f"source: a table or view named {_RELATION} hides the relation; rename it")
        try:
            self.run(f"FROM {_RELATION} LIMIT 0")
        except (duckdb.CatalogException, duckdb.InvalidInputException) as problem:
            raise ValueError("source: the connection cannot read this relation. Give one that was made by the same connection, and switch on that "
                             "relations are found: connection.execute(\"SET python_enable_replacements=true\"). SQL and names of tables need neither"
                             ) from problem

    def _check_keys(self, asked: Asked) -> None:
        """Refuses a key that no record of JSON has: it is probably mistyped, and each record would be left out. Only where it is no secret
        which items occur, since a single record decides."""
        for argument, key in (("item", asked.item), ("unit", asked.unit)):
            if argument == "unit" and asked.by_rows:
                continue
            [(some, all_null)] = self.read(f"SELECT EXISTS (FROM {self.text}), NOT EXISTS (FROM {self.text} AS counted "
                                           f"WHERE counted.{quoted(key)} IS NOT NULL)", rows=True)
            if some and all_null:
                raise ValueError(f"{argument}: no record has the key {key!r}. Nothing was spent")

    def _check_columns(self, asked: Asked, columns: Iterable[str]) -> None:
        for argument, column in (("item", asked.item), ("unit", asked.unit)):
            if column.lower() not in self._types and not (argument == "unit" and asked.by_rows):
                # Without a header the first record would be shown as the names of columns.
                which = "the first line must name the columns" if self._form in _HEADED else f"the columns are {', '.join(columns)}"
                raise ValueError(f"{argument}: there is no column {column!r}; {which}")
        check_rows(asked, self._types)
        dtype = self._types[asked.item.lower()]
        if dtype not in _WHOLE and dtype != "VARCHAR" and not dtype.startswith("ENUM"):
            raise no_names(dtype, f"cast it, for example SELECT CAST({quoted(asked.item)} AS VARCHAR) AS ...")
        self.whole = dtype in _WHOLE
        self.collated = dtype == "VARCHAR"

    def _read_text(self, source: str, asked: Asked | None) -> None:
        statements = self._statements(source)
        if statements is None and _FILE.fullmatch(source):
            self._read_files(source, asked)
        elif statements is None:
            if not TABLE.fullmatch(source):
                raise ValueError("source: it is neither SQL, nor the name of a table, nor a path. Put a name of another form between "
                                 "quotation marks (\"my table\"), and wrap a path in pathlib.Path") from self._problem
            self.text = source
            self.asked["sql"] = f"FROM {source}"
        elif len(statements) != 1 or statements[0].type.name != "SELECT":
            raise ValueError("source: give one SELECT. (A table whose name is a command: connection.table(name))")
        else:
            self.text = "(\n" + _without_end(source) + "\n)"
            self.asked["sql"] = without_passwords(source)

    def _statements(self, text: str) -> list[Any] | None:
        import duckdb

        try:
            return self.connection.extract_statements(text) or None
        except duckdb.ParserException as problem:
            self._problem = problem
            return None

    def _read_files(self, path: str, asked: Asked | None) -> None:
        kind = _FILE.fullmatch(path)
        if kind is None:
            raise ValueError("source: paths end in .parquet, .csv, .tsv, .json, .jsonl or .ndjson; SQL reads other files: "
                             "\"SELECT ... FROM read_csv('...', ...)\"")
        file, self._form = literal(path), (kind[1] or kind[2]).lower()
        self.asked["sql"] = f"FROM {file}"
        if self._form in ("parquet", "pq"):
            self.text = f"read_parquet({file})"
        elif self._form in _HEADED:
            delimiter = "','" if self._form == "csv" else r"'\t'"
            self.text = (f"read_csv({file}, header=true, all_varchar=true, skip=0, delim={delimiter}, quote='\"', escape='\"', comment='')")
        else:
            lines = "'auto'" if self._form == "json" else "'newline_delimited'"
            names = [] if asked is None else [asked.item] if asked.by_rows or asked.unit == asked.item else [asked.item, asked.unit]
            columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
            self.text = f"read_json({file}, format={lines}, columns={{{columns}}})"

    def run(self, sql: str, parameters: list[Any] | None = None) -> Any:
        """Runs a statement; a SELECT when its rows are fetched."""
        return _run(self.connection, self.relation, sql, parameters)

    def read(self, sql: str, parameters: list[Any] | None = None, rows: bool = False) -> Any:
        """Runs a statement that reads the source; with `rows` it fetches them. DuckDB's own words about a file repeat its records, so its
        kind and its line are told."""
        import duckdb

        try:
            found = self.run(sql, parameters)
            return found.fetchall() if rows else found
        except (duckdb.InterruptException, duckdb.OutOfMemoryException):
            raise
        except duckdb.Error as problem:
            if isinstance(problem, duckdb.CatalogException):
                problem.add_note("Nothing was spent. A data frame of your program is a relation: connection.sql(\"SELECT * FROM frame\")")
            if not self._form:
                raise
            line = re.match(r".*CSV Error on Line: (\d+)", str(problem))
            told = type(problem).__name__ + (f", line {line[1]}" if line else "")
        raise ValueError(f"source: DuckDB cannot read {self.asked['sql'].removeprefix('FROM ')} ({told}). Is it there, and written as its "
                         "ending says? Nothing was spent")


def _run(freegap_connection: Any, freegap_relation: Any, freegap_sql: str, freegap_parameters: list[Any] | None) -> Any:
    """Runs a statement. DuckDB takes variables of this function for tables: only the relation is meant."""
    return freegap_connection.sql(freegap_sql, params=freegap_parameters or None)


def _without_end(sql: str) -> str:
    """A statement without its final semicolons, and the comments after them."""
    import duckdb

    text = sql.encode()
    for place, kind in reversed(duckdb.tokenize(sql)):
        if text[place:place + 1] == b";":
            text = text[:place]
        elif kind != duckdb.token_type.comment:
            break
    return text.decode()


def _good_name(item: str) -> str:
    """Whether a release can show an item, in SQL. Names of letters and digits alone need no escapes; finding that out takes less time
    than the pattern."""
    name = f"CAST({item} AS VARCHAR)"
    return (f"(strlen({name}) <= {_counting.LONGEST_NAME} AND CASE WHEN strlen(url_encode({name})) = strlen({name}) THEN {name} <> '' "
            f"ELSE regexp_full_match({name}, {literal(_counting.GOOD_NAME)}) END)")


class _CountedTable:
    """The temporary table (item, n) of a source. Dropped when its block is left."""

    def __init__(self, source: _Source, asked: Asked, drop_names: bool | None = None):
        """`drop_names`: whether rows are left out whose item a release cannot show; by default where nobody listed the items."""
        self._source = source
        self._asked = asked
        self._table = quoted(f"freegap_{uuid.uuid4().hex}")
        self._many: dict[int, int] = {}  # how many items have a count
        self._rows_are_ranks = False  # whether the rows are numbered from 0, and all items have the same count
        self._bytes = asked.public and not source.whole  # any text may be a name, also one that is not UTF-8
        self._name = "item" if self._bytes else "CAST(item AS VARCHAR)"  # of what the table holds
        self._drop_names = (asked.unknown if drop_names is None else drop_names) and not source.whole

    def __enter__(self) -> "_CountedTable":
        try:
            self._source.read(f"CREATE TEMPORARY TABLE {self._table} AS {self._stored()}", self.parameters())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        import duckdb

        drop = f"DROP TABLE IF EXISTS temp.main.{self._table}"
        try:
            try:
                self._source.connection.sql(drop)
            except KeyboardInterrupt:
                self._source.connection.sql(drop)
                raise
        except duckdb.Error:
            pass  # a transaction that was aborted, or a connection that was closed, takes the table with it

    def parameters(self) -> list[Any]:
        """Of the query: the key of the cut, and the public list."""
        asked = self._asked
        return ([] if asked.max_items is None else [asked.key]) + ([] if asked.listed is None else [list(asked.listed)])

    def _cut_down(self, item: str) -> str:
        """Counts units that are cut down to the bound, each by itself; items that nobody keeps count 0. Units are told apart as by
        `count(DISTINCT ...)`: a collation may take several texts for one unit, of which the least is hashed."""
        asked, unit = self._asked, f"counted.{quoted(self._asked.unit)}"
        text = _contribution.sql_text("$1::VARCHAR", "strlen", "name", "item")
        return (f"SELECT item, count(*) FILTER (WHERE place <= {asked.max_items}) AS n FROM "
                f"(SELECT item, row_number() OVER (PARTITION BY unit ORDER BY sha256({text}) ASC) AS place FROM "
                f'(SELECT {item} AS item, first({unit}) AS unit, min(CAST({unit} AS VARCHAR) COLLATE "binary") AS name '
                f"FROM {self._source.text} AS counted WHERE counted.{quoted(asked.item)} IS NOT NULL AND {unit} IS NOT NULL "
                f"{self._shown(f'counted.{quoted(asked.item)}')} GROUP BY 1, {unit})) GROUP BY 1")

    def _shown(self, item: str) -> str:
        """A condition: the items whose names a release can show, where the others are left out one by one."""
        return f"AND {_good_name(item)}" if self._drop_names else ""

    def query(self) -> str:
        """The query that counts. Collations would let one row decide how others are named."""
        asked, column = self._asked, quoted(self._asked.item)
        item = f'{column} COLLATE "binary"' if self._source.collated else column
        count, some = ("count(*)", "") if asked.by_rows else (f"count(DISTINCT {quoted(asked.unit)})", "AND n > 0")
        where = within = ""
        if asked.universe is not None and self._source.whole:
            limits = f"BETWEEN {asked.universe.start} AND {asked.universe.stop - 1}"
            where, within = f"WHERE {column} {limits}", f"AND item {limits}"
        # Nulls are a group of their own, which is left out here: that costs less than looking at each row.
        rows = (f"SELECT {item} AS item, {count} AS n FROM {self._source.text} AS counted {where} "
                f"GROUP BY 1 HAVING item IS NOT NULL {some} {self._shown('item')}")
        if asked.max_items is not None:
            rows = self._cut_down(item)
        if asked.max_items is not None and (asked.universe is not None or asked.unknown):
            rows = f"SELECT * FROM ({rows}) WHERE n > 0 {within}"
        if asked.listed is not None:
            return (f"SELECT listed.item, coalesce(n, 0) AS n FROM (SELECT unnest(${len(self.parameters())}::VARCHAR[]) AS item) AS listed "
                    f'LEFT JOIN ({rows}) AS found ON listed.item COLLATE "binary" = CAST(found.item AS VARCHAR) COLLATE "binary"')
        if asked.universe is None:
            return rows
        if self._source.whole:
            return f"SELECT CAST(item AS BIGINT) AS item, n FROM ({rows})"
        return (f"SELECT id AS item, n FROM (SELECT TRY_CAST(item AS BIGINT) AS id, item, n FROM ({rows})) "
                f'WHERE id BETWEEN {asked.universe.start} AND {asked.universe.stop - 1} AND CAST(id AS VARCHAR) COLLATE "binary" = item')

    def _stored(self) -> str:
        """The query with names as bytes, where any text may be a name. DuckDB keeps fewer statistics of them."""
        return f"SELECT encode(CAST(item AS VARCHAR)) AS item, n FROM ({self.query()})" if self._bytes else self.query()

    def _rows(self, sql: str, parameters: list[Any] | None = None) -> list[tuple[Any, Any]]:
        """The rows of a query for a name and something else, in this order."""
        rows = self._source.run(sql, parameters).fetchall()
        return [(name.decode("utf-8", "surrogateescape"), other) for name, other in rows] if self._bytes else rows

    def histogram(self) -> Iterable[tuple[int, int]]:
        """The items of count 1 are the rest of the rows. There tend to be many, and DuckDB skips blocks that have no others."""
        groups = dict(self._source.run(f"SELECT n, count(*) FROM {self._table} WHERE n <> 1 GROUP BY n "
                                       f"UNION ALL SELECT 1, count(*) FROM {self._table}").fetchall())
        rows = groups.pop(1)
        if ones := rows - sum(groups.values()):
            groups[1] = ones
        self._many = groups
        self._rows_are_ranks = len(groups) == 1 and not self._source.run(f"FROM {self._table} WHERE rowid >= {rows} LIMIT 1").fetchall()
        return list(groups.items())

    def everything(self) -> Iterable[tuple[Any, int]]:
        return self._rows(f"SELECT {self._name}, n FROM {self._table}")

    def names(self, wanted: list[tuple[int, int]]) -> list[Any]:
        absent = self._asked.universe is not None and any(n == 0 for n, _ in wanted)
        counts = sorted({n for n, _ in wanted})
        some = f"n IN ({', '.join(map(str, counts))})"
        if not absent and sum(self._many[n] for n in counts) <= _FETCHED:
            return self._among_few(wanted, some)
        numbered = [(i, n, rank) for i, (n, rank) in enumerate(wanted)]
        parameters = [list(column) for column in zip(*numbered)]
        sql = self._at_rows() if self._rows_are_ranks and not absent else self._lookup(some, absent)
        found = {i: name for name, i in self._rows(sql, parameters)}
        return [found[i] for i in range(len(wanted))]

    def _among_few(self, wanted: list[tuple[int, int]], some: str) -> list[Any]:
        """Most winners share their count with few items, which one short query fetches."""
        groups: dict[int, list[Any]] = {}
        for name, n in self._rows(f"SELECT {self._name}, n FROM {self._table} WHERE {some} ORDER BY rowid ASC"):
            groups.setdefault(n, []).append(name)
        return [groups[n][rank] for n, rank in wanted]

    def _at_rows(self) -> str:
        """All items are of one group, so a rank is the number of a row."""
        return (f"SELECT {self._name}, i FROM (SELECT unnest($1::BIGINT[]) AS i, unnest($2::BIGINT[]) AS n, unnest($3::BIGINT[]) AS rank) "
                f"JOIN {self._table} AS counted ON counted.rowid = rank")

    def _lookup(self, some: str, absent: bool) -> str:
        """Ranks are found by counting the members of each block of rows. Sorting or numbering all items would take much longer."""
        sql = f"""
            WITH asked AS (SELECT unnest($1::BIGINT[]) AS i, unnest($2::BIGINT[]) AS n, unnest($3::BIGINT[]) AS rank),
            blocks AS (SELECT n, rowid // {_BLOCK} AS block, count(*) AS many FROM {self._table} WHERE {some} GROUP BY ALL),
            ends AS (SELECT n, block, sum(many) OVER (PARTITION BY n ORDER BY block ASC) - many AS before, many FROM blocks),
            chosen AS (SELECT i, n, block, rank - before AS rank FROM asked JOIN ends USING (n)
                       WHERE before <= rank AND rank < before + many),
            places AS (SELECT unnest(range(block * {_BLOCK}, (block + 1) * {_BLOCK})) AS place, block
                       FROM (SELECT DISTINCT block FROM chosen)),
            members AS (SELECT n, block, item, row_number() OVER (PARTITION BY n, block ORDER BY place ASC) - 1 AS rank
                        FROM places JOIN {self._table} AS counted ON counted.rowid = place WHERE {some})
            SELECT {self._name}, i FROM chosen JOIN members USING (n, block, rank)"""
        if not absent:
            return sql
        # Of the ids that do not occur: see _counted. 128 bits, since a universe may have nearly 2^63 of them.
        low = f"({self._asked.universe.start})::HUGEINT"  # type: ignore[union-attr]
        return sql + f"""
            UNION ALL
            SELECT CAST({low} + rank + coalesce(present, 0) AS VARCHAR), i
            FROM (SELECT i, rank::HUGEINT AS rank FROM asked WHERE n = 0) AS missing ASOF LEFT JOIN
                 (SELECT before, max(present) AS present
                  FROM (SELECT row_number() OVER (ORDER BY item ASC) AS present, item::HUGEINT - {low} - present + 1 AS before
                        FROM {self._table})
                  GROUP BY before) AS found
            ON missing.rank >= found.before"""
