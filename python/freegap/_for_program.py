"""What the program `freegap` asks of DuckDB, for `--parquet` and `--duckdb`: it starts this module and reads a table from its output.

The table is CSV with a header. With `--item` it is `item,count`, counted by the aggregation of `freegap.duckdb` and in the order of the
names; without, all columns as texts. The exit status is 0 only if the table is whole. It is 2 where what was asked cannot be, and 3 where
the machine failed, with one line on standard error that repeats no record.
"""

from __future__ import annotations

import argparse
import ctypes
import pathlib
import signal
import sys
import tempfile
import threading
import time
from typing import Any, Iterable, NoReturn

from . import _core, _counting
from ._counting import Asked

_ROWS_AT_ONCE = 10_000
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Reads its arguments, and writes the table."""
    # Blocked before DuckDB starts threads: one thread alone waits for it (_end_when_told).
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    parser = argparse.ArgumentParser(prog="freegap._for_program")
    for name in ("parquet", "duckdb", "query", "item", "unit"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--max-items", type=int)
    parser.add_argument("--insecure-key", help="for a simulation: which items units keep; without it they are drawn")
    parser.add_argument("--skip-bad-records", action="store_true")
    parser.add_argument("--parent", type=int, required=True, help="process id of the program")
    arguments = parser.parse_args()
    if not pathlib.Path(f"/proc/{arguments.parent}").exists():  # it was ended before its end could be told
        _fail(3, "the program was ended")
    try:
        import duckdb
    except ImportError:
        _fail(2, "this Python has no DuckDB: python3 -m pip install \"duckdb>=1.1\", or name another Python in FREEGAP_PYTHON")
    try:
        with tempfile.TemporaryDirectory(prefix="freegap_") as spill, _connected(duckdb, arguments, spill) as connection:
            _end_when_told(connection)
            header, rows = _counted(connection, arguments) if arguments.item else _everything(connection, arguments)
            _write([header])
            _write(rows)
            sys.stdout.flush()
    except (duckdb.OutOfMemoryException, duckdb.InterruptException, MemoryError, OSError) as fault:
        _fail(3, f"DuckDB failed: {type(fault).__name__}")
    except duckdb.Error as problem:
        _fail(2, f"DuckDB refuses it: {_told(duckdb, problem)}")
    except (ValueError, TypeError) as problem:
        # Columns of a query may come from a file without a header: then they are a record.
        _fail(2, str(problem).split("; the columns are")[0] if arguments.parquet is None else str(problem))


def _end_when_told(connection: Any) -> None:
    """A program that was ended needs no counts. The query is interrupted rather than the process killed: what DuckDB has written for want of
    memory must be removed. A handler of the signal would not run before the query has ended."""
    def wait() -> None:
        signal.sigwait({signal.SIGTERM})
        while True:  # the next query as well
            connection.interrupt()
            time.sleep(0.05)

    threading.Thread(target=wait, daemon=True).start()


def _fail(status: int, message: str) -> NoReturn:
    print(message, file=sys.stderr, flush=True)
    sys.exit(status)


def _connected(duckdb: Any, arguments: argparse.Namespace, spill: str) -> Any:
    """What does not fit into memory goes to a folder of its own, and not beside the data."""
    settings = {"temp_directory": spill}
    if arguments.duckdb is None:
        return duckdb.connect(config=settings)
    if not pathlib.Path(arguments.duckdb).is_file():
        raise ValueError("there is no such database")
    return duckdb.connect(arguments.duckdb, read_only=True, config=settings)


def _text(arguments: argparse.Namespace) -> str:
    from .duckdb import literal

    return arguments.query if arguments.parquet is None else f"FROM read_parquet({literal(arguments.parquet)})"


def _counted(connection: Any, arguments: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
    from .duckdb import _CountedTable, _Source

    if arguments.item.lower() == arguments.unit.lower():
        raise ValueError("the units must stand in another column than the items")
    cut = None if arguments.unit == "row" else arguments.max_items
    key = "" if cut is None else arguments.insecure_key or _core.cut_key()
    asked = Asked(arguments.item, arguments.unit, max_items=cut, key=key)
    source = _Source(connection, _text(arguments), asked)
    table = _CountedTable(source, asked, drop_names=arguments.skip_bad_records)
    rows = connection.execute(f'SELECT CAST(item AS VARCHAR) AS item, n FROM ({table.query()}) ORDER BY item COLLATE "binary" ASC',
                              table.parameters())
    return ("item", "count"), _good(rows, arguments.skip_bad_records)


def _good(rows: Any, skip: bool) -> Iterable[tuple[Any, ...]]:
    for row in _fetched(rows):
        if _counting.is_good_name(row[0]):
            yield row
        elif not skip:
            raise ValueError("some names of items are empty, longer than 1024 bytes, or have control characters or blanks around them: mend "
                             "them, or drop their rows with --skip-bad-records")


def _everything(connection: Any, arguments: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
    from .duckdb import _Source

    source = _Source(connection, _text(arguments), None)
    rows = connection.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {source.text}")
    return tuple(column[0] for column in rows.description), _fetched(rows)


def _fetched(rows: Any) -> Iterable[tuple[Any, ...]]:
    while some := rows.fetchmany(_ROWS_AT_ONCE):
        yield from some


def _write(rows: Iterable[tuple[Any, ...]]) -> None:
    for row in rows:
        sys.stdout.buffer.write((",".join(map(_field, row)) + "\n").encode())


def _field(value: Any) -> str:
    """A record is a line: the end of a line within a text becomes another control character, which is refused as well."""
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""').replace("\n", "\x01").replace("\r", "\x01") + '"'


def _told(duckdb: Any, problem: Exception) -> str:
    """DuckDB's words about the text of a query; of other problems their kind, since the words may repeat what stands in the data."""
    if isinstance(problem, (duckdb.ParserException, duckdb.CatalogException, duckdb.BinderException)):
        return (str(problem).splitlines() or [""])[0].split("Candidate bindings")[0].strip()
    return f"{type(problem).__name__}. (Is the file there, and what it should be? Ask DuckDB itself to see more.)"


if __name__ == "__main__":
    main()
