#!/usr/bin/env python3
"""Time of a private top-k in Spark or PostgreSQL over that of the plain query: group by, order by, limit k.

Both run in turn on the same engine with the same number of workers, and the medians are compared: seconds on the clock, and those of all
processors together. A first run of both is not timed: of Spark it says what was shuffled, of PostgreSQL how many workers a plan had. Rows
are made first, item i with probability proportional to 1/i:

    rows    rows are counted
    units   distinct units are counted

    python/bench/engine_ratio.py spark --rows 10000000 --folder bench_data
    python/bench/engine_ratio.py postgres --rows 10000000
"""

import argparse
import os
import pathlib
import re
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))

import freegap as fg  # noqa: E402

CASES = {"rows": "row", "units": "customer"}


def processor_seconds(root):
    """What a process and all that it started have used."""
    parents, used = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        used[int(folder.name)] = sum(map(int, fields[11:15]))  # its own, and of children that have ended
    wanted, more = {root}, {root}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - wanted
        wanted |= more
    return sum(used.get(process, 0) for process in wanted) / os.sysconf("SC_CLK_TCK")


class Spark:
    """A session in one process, with two threads."""

    def __init__(self, rows, folder):
        from pyspark.sql import SparkSession
        from pyspark.sql import functions as F

        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "6g")
        self._session = builder.config("spark.ui.showConsoleProgress", "false").config("spark.local.dir", str(folder)).getOrCreate()
        self._session.sparkContext.setLogLevel("OFF")
        self._functions = F
        path = str(folder / f"freegap_spark_{rows}.parquet")
        if not pathlib.Path(path).exists():
            uniform = "(shiftrightunsigned(xxhash64(id), 11) / 9007199254740992.0D)"
            item = f"CAST(floor(exp({uniform} * ln({max(1000, rows // 10)}))) AS bigint) AS item"
            self._session.range(rows).selectExpr(item, f"pmod(xxhash64(id + {rows}), {max(1, rows // 20)}) AS customer").write.parquet(path)
        self._frame = self._session.read.parquet(path)
        self.process = self._session.sparkContext._gateway.proc.pid

    def plain(self, unit, k):
        F = self._functions
        count = F.count(F.lit(1)) if unit == "row" else F.count_distinct(unit)
        self._frame.groupBy("item").agg(count.alias("n")).orderBy(F.desc("n")).limit(k).collect()

    def private(self, unit, k):
        fg.spark.top_k(self._frame, item="item", unit=unit, items_are_public=True, k=k, epsilon="0.7", ledger=None)

    def _shuffled(self):
        """Bytes that all stages so far have written for others to read."""
        stages = self._session.sparkContext._jsc.sc().statusStore().stageList(None, False, False, self._session.sparkContext._gateway.new_array(
            self._session.sparkContext._jvm.double, 0), None)
        return sum(stages.apply(i).shuffleWriteBytes() for i in range(stages.size()))

    def watched(self, call):
        before = self._shuffled()
        call()
        return f"{self._shuffled() - before:,.0f} bytes shuffled"

    def close(self):
        self._session.stop()


class Postgres:
    """A server of its own, with two workers for a query."""

    def __init__(self, rows, folder):
        import psycopg
        from servers import running

        self._running = running()
        server = self._running.__enter__()
        self._connection = psycopg.connect(**server.address(), autocommit=True)
        con = self._connection
        uniform = f"((hashint8extended(i, 7) & {2**53 - 1}) / {2.0**53})"
        item = f"CAST(floor(exp({uniform} * ln({max(1000, rows // 10)}))) AS bigint) AS item"
        con.execute(f"CREATE UNLOGGED TABLE sales AS SELECT {item}, CAST(abs(hashint8extended(i, 8) % {max(1, rows // 20)}) AS bigint) AS customer "
                    f"FROM generate_series(1, {rows}) AS i")
        con.execute("VACUUM ANALYZE sales")
        con.execute("SET max_parallel_workers_per_gather = 2; SET work_mem = '256MB'")
        con.execute("LOAD 'auto_explain'; SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off; SET auto_explain.log_level = notice")
        self.process = int((server.folder / "data/postmaster.pid").read_text().splitlines()[0])

    def plain(self, unit, k):
        count = "count(*)" if unit == "row" else f"count(DISTINCT {unit})"
        self._connection.execute(f"SELECT item, {count} AS n FROM sales GROUP BY item ORDER BY n DESC LIMIT {k}").fetchall()

    def private(self, unit, k):
        fg.postgres.top_k(self._connection, "sales", item="item", unit=unit, items_are_public=True, k=k, epsilon="0.7", ledger=None)

    def watched(self, call):
        """Runs it, and says how many workers a plan had."""
        plans = []

        def keep(notice):
            plans.append(notice.message_primary)

        self._connection.add_notice_handler(keep)
        self._connection.execute("SET auto_explain.log_min_duration = 0")
        call()
        self._connection.execute("SET auto_explain.log_min_duration = -1")
        self._connection.remove_notice_handler(keep)
        assert plans, "auto_explain says nothing"
        return f"{max((int(many) for plan in plans for many in re.findall(r'Workers Launched: ([0-9]+)', plan)), default=0)} workers"

    def close(self):
        self._connection.close()
        self._running.__exit__(None, None, None)


def timed(engine, call):
    before, started = processor_seconds(engine.process), time.perf_counter()
    call()
    return time.perf_counter() - started, processor_seconds(engine.process) - before


def compare(engine, unit, k, repeats):
    """Private and plain, of runs that take turns: medians of (seconds, processor seconds), and what was seen in a run that is not timed."""
    calls = [lambda call=call: call(unit, k) for call in (engine.private, engine.plain)]
    seen = [engine.watched(call) for call in calls]  # warms up
    rounds = [[timed(engine, call) for call in calls] for _ in range(repeats)]
    return [tuple(map(statistics.median, zip(*runs))) for runs in zip(*rounds)], seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=["spark", "postgres"])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."), help="where Spark's rows are written, and kept")
    parser.add_argument("--cases", default=",".join(CASES), help="separated by commas")
    arguments = parser.parse_args()
    engine = {"spark": Spark, "postgres": Postgres}[arguments.engine](arguments.rows, arguments.folder.absolute())
    try:
        for name in arguments.cases.split(","):
            (private, plain), seen = compare(engine, CASES[name], arguments.k, arguments.repeats)
            print(f"{arguments.engine} {arguments.rows:>11,} rows, {name:5}: private {private[0]:7.3f} s, plain {plain[0]:7.3f} s, ratio "
                  f"{private[0] / plain[0]:5.2f}; of processors {private[1]:7.2f} s, {plain[1]:7.2f} s, ratio {private[1] / max(plain[1], 0.01):5.2f}; "
                  f"{seen[0]} and {seen[1]}", flush=True)
    finally:
        engine.close()


if __name__ == "__main__":
    main()
