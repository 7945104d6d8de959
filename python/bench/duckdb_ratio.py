#!/usr/bin/env python3
"""Processor time of a private top-k in DuckDB over that of the plain query, GROUP BY ... ORDER BY ... LIMIT k.

Both run in turn in one process, and the medians are compared. The rows are written to a Parquet file first:

    zipf           whole numbers, item i with probability proportional to 1/i, rows counted
    zipf, units    the same, distinct units counted
    distinct       whole numbers, each once
    distinct text  texts, each once

    python/bench/duckdb_ratio.py --rows 10000000 --folder bench_data
"""

import argparse
import pathlib
import resource
import statistics
import time

import duckdb

import freegap as fg

CASES = {"zipf": ("zipf", "row", 1.10), "zipf, units": ("zipf", "customer", 1.10), "distinct": ("number", "row", 1.3),
         "distinct text": ("label", "row", 1.3)}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(call):
    before, started = processor_seconds(), time.perf_counter()
    call()
    return processor_seconds() - before, time.perf_counter() - started


def write(path, rows):
    """Items and units that look random, though they follow from the number of the row."""
    uniform = "((hash(range) >> 11) / 9007199254740992.0)"
    items = max(1000, rows // 10)
    with duckdb.connect() as con:
        con.execute(f"""COPY (SELECT CAST(floor(exp({uniform} * ln({items}))) AS BIGINT) AS zipf,
                                     CAST(hash(range + {rows}) % {max(1, rows // 20)} AS BIGINT) AS customer,
                                     CAST(hash(range) >> 1 AS BIGINT) AS number, 'item-' || range AS label
                              FROM range({rows})) TO '{path}' (FORMAT parquet)""")


def compare(con, path, item, unit, k, repeats):
    """(private, plain) in processor seconds: medians of runs that take turns."""
    count = "count(*)" if unit == "row" else f"count(DISTINCT {unit})"
    plain = f"SELECT {item}, {count} AS n FROM '{path}' GROUP BY {item} ORDER BY n DESC LIMIT {k}"
    runs = ([], [])
    for repeat in range(repeats + 1):
        private = timed(lambda: fg.duckdb.top_k(con, str(path), item=item, unit=unit, items_are_public=True, k=k, epsilon="0.7", ledger=None))
        baseline = timed(lambda: con.execute(plain).fetchall())
        if repeat:  # the first one warms up
            runs[0].append(private[0])
            runs[1].append(baseline[0])
    return statistics.median(runs[0]), statistics.median(runs[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default="8GB", help="DuckDB's memory_limit")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."), help="where the Parquet file is written, and kept")
    parser.add_argument("--cases", default=",".join(CASES).replace("zipf, units", "zipf+units"), help="separated by commas")
    arguments = parser.parse_args()
    path = arguments.folder / f"freegap_{arguments.rows}.parquet"
    if not path.exists():
        write(path, arguments.rows)
    for name in arguments.cases.split(","):
        name = name.replace("zipf+units", "zipf, units")
        item, unit, allowed = CASES[name]
        with duckdb.connect() as con:
            con.execute(f"SET threads = {arguments.threads}; SET memory_limit = '{arguments.memory}'; "
                        f"SET temp_directory = '{arguments.folder / 'freegap_spill'}'")
            private, plain = compare(con, path, item, unit, arguments.k, arguments.repeats)
        print(f"{arguments.rows:>11,} rows, {name:13}: private {private:8.3f} s, plain {plain:8.3f} s, ratio {private / plain:5.2f} "
              f"(at most {allowed} from 10^8 rows on), {1000 * (private - plain):+.0f} ms", flush=True)


if __name__ == "__main__":
    main()
