"""Spark on a cluster with executors of their own: counts, what is looked up, and what happens when parts of the cluster fail."""

import os
import pathlib
import subprocess
import sys
import time

import pytest

import freegap as fg
import servers
from clusters import kill_executors, running
from counting import ROWS, SHOWN, SURE, counted, cut_down, estimates, optional, options_of
from freegap import _counting
from freegap import spark as engine
from pages import run
from test_docs import ROOT

pytestmark = pytest.mark.long

CHARGED = {"items_are_public": True, "k": 2, "epsilon": 1, **options_of(False)}


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    with running(folder) as session:
        session.sparkContext.setCheckpointDir(str(folder / "checkpoints"))
        yield session


@pytest.fixture(scope="module")
def sales(spark):
    return spark.createDataFrame(ROWS, "product string, customer bigint")


@pytest.fixture
def failures():
    """What Spark raises when a job fails."""
    return optional("pyspark.errors").PySparkException, optional("py4j.protocol").Py4JJavaError


@pytest.fixture
def without_directory(monkeypatch):
    """As if the session had no directory of checkpoints, which cannot be taken from it."""
    monkeypatch.setattr(engine, "_has_directory", lambda session: False)


@pytest.fixture
def draws(monkeypatch):
    """What was asked of C++ with a ledger, which draws once for each. (What is asked without a real one are made-up counts, to check the options.)"""
    asked = []
    release = _counting.release_grouped

    def released(function, options, *given):
        if isinstance(options["ledger"], fg.Ledger):
            asked.append(function)
        return release(function, options, *given)

    monkeypatch.setattr(_counting, "release_grouped", released)
    return asked


def at_random(spark):
    """A frame that is another one whenever it is evaluated."""
    F = optional("pyspark.sql.functions")
    return spark.range(0, 3000, 1, 2).select(F.floor(F.rand() * 200).cast("string").alias("product"), F.col("id").alias("customer"))


@pytest.mark.parametrize("by_rows, local", [(False, True), (True, False)])
def test_counts_are_those_of_brute_force(sales, monkeypatch, by_rows, local):
    if local:
        monkeypatch.setattr(engine, "_has_directory", lambda session: False)
    truth, columns = counted(ROWS, by_rows), options_of(by_rows)
    release = fg.spark.top_k(sales, items_are_public=True, k=len(truth) - 1, **columns, **SURE)
    assert release.parameters["candidate_count"] == len(truth)
    assert estimates(release) == dict(truth.most_common(len(truth) - 1))
    release = fg.spark.top_k(sales, candidates=["jam", "é", 42, "absent"], k=4, **columns, **SURE)
    assert estimates(release) == {"jam": truth["jam"], "42": truth["42"], "é": truth["é"], "absent": 0}


@pytest.mark.parametrize("most", [1, 2, 100])
def test_units_are_cut_down_as_by_brute_force(sales, most):
    asked = _counting.Asked("product", "customer", max_items=most, key="%064x" % 7)
    counted_frame = engine._CountedFrame(sales, asked)
    assert dict(counted_frame.everything()) == cut_down(ROWS, most, asked.key)
    assert asked.key not in counted_frame._counting(sales)._jdf.queryExecution().toString()  # as Spark logs it
    release = engine.top_k(sales, candidates=["tea", "jam", "rye"], k=3, max_items=most, **options_of(False), **SURE)
    assert release.parameters["max_items"] == most


def test_other_functions(sales):
    release = fg.spark.top_k(sales, universe=range(41, 44), k=3, **options_of(False), **SURE)
    assert estimates(release) == {"42": 3, "41": 0, "43": 0}
    release = fg.spark.above(sales, items_are_public=True, threshold=2.5, k=10, **options_of(False), **SURE)
    assert {answer.query for answer in release.answers if answer.above} == {"tea", "jam", "it's \"rye\"", "42"}
    release = fg.spark.measure(sales, items=["jam", "absent", 42], **options_of(False), **SURE)
    assert estimates(release) == {"jam": 7, "absent": 0, "42": 3}


def test_types_and_names_of_columns(spark):
    frame = spark.createDataFrame([(7, 1), (7, 2), (8, 1), (None, 3)], "`a.b ``c``` smallint, `unit.id` bigint")
    assert estimates(fg.spark.top_k(frame, item="a.b `c`", unit="unit.id", universe=range(7, 10), k=3, **SURE)) == {"7": 2, "8": 1, "9": 0}
    frame = spark.createDataFrame([("Tea", 1), ("tea", 2), ("tea", 3)], "product string, customer bigint").selectExpr(
        "product COLLATE UNICODE_CI AS product", "customer")
    assert estimates(fg.spark.top_k(frame, candidates=["tea", "Tea"], k=2, **options_of(False), **SURE)) == {"tea": 2, "Tea": 1}


@pytest.mark.parametrize("fetched", [0, 3_000])
def test_every_rank_is_one_item(spark, monkeypatch, fetched):
    monkeypatch.setattr(engine, "_FETCHED", fetched)
    monkeypatch.setattr(engine, "_BUCKET", 500)
    frame = spark.sql("SELECT id AS product FROM range(3000) UNION ALL SELECT id * 3 FROM range(500) UNION ALL SELECT id * 9 FROM range(50)")
    table = engine._CountedFrame(frame, engine.Asked("product", "row"))
    wanted = [(count, rank) for count, many in table.histogram() for rank in range(many)]
    found = dict(zip(map(int, table.names(wanted)), (count for count, _ in wanted)))
    assert found == {i: 1 + (i % 3 == 0 and i < 1500) + (i % 9 == 0 and i < 450) for i in range(3000)}


@pytest.mark.parametrize("low, high", [(-5, 40), (-2**63, -1)])
def test_absent_ids_are_all_different_and_absent(spark, low, high):
    present = sorted({low, low + 1, low + 4, high - 1, high - 3})
    frame = spark.createDataFrame([(str(item),) for item in present] + [("007",), (str(high),), ("9" * 30,)], "product string")
    asked = engine.Asked("product", "row", None, range(low, high))
    table = engine._CountedFrame(frame, asked)
    missing = high - low - len(present)
    ranks = [*range(6), *range(missing - 6, missing)]
    assert dict(table.histogram()) == {1: len(present)}
    found = [int(name) for name in table.names([(0, rank) for rank in ranks] + [(1, rank) for rank in range(len(present))])]
    assert found[:len(ranks)] == _counting.Tally(asked, [(item, 1) for item in present]).names([(0, rank) for rank in ranks])
    assert sorted(found[len(ranks):]) == present


@pytest.mark.parametrize("local", [True, False])
def test_a_frame_that_changes_is_evaluated_once(spark, monkeypatch, local):
    monkeypatch.setattr(engine, "_has_directory", lambda session: not local)
    table = engine._CountedFrame(at_random(spark), engine.Asked("product", "customer"))
    counts = dict(table.everything())
    wanted = [(count, rank) for count, many in table.histogram() for rank in range(many)]
    assert {name: count for name, (count, _) in zip(table.names(wanted), wanted)} == counts
    assert sum(counts.values()) == 3000


def test_executors_that_are_lost_with_the_counts(spark, failures, ledger, draws, monkeypatch, without_directory, capsys):
    """Three times. Spark raises; were it to evaluate the frame again, other counts would be named than those that were drawn from."""
    found = engine._CountedFrame.names
    tally = dict.fromkeys(("kills", "uncharged", "double charged", "silent differences"), 0)

    def lost(self, wanted):
        tally["kills"] += kill_executors(spark) > 0
        return found(self, wanted)

    for turn in range(1, 4):
        monkeypatch.setattr(engine._CountedFrame, "names", lost)
        try:
            fg.spark.top_k(at_random(spark), ledger=ledger, **CHARGED)
            tally["silent differences"] += 1
        except fg.MachineFault as fault:
            assert f"entry {2 * turn - 1} stays charged in full" in str(fault) and isinstance(fault.__cause__, failures)
        monkeypatch.setattr(engine._CountedFrame, "names", found)
        release = fg.spark.top_k(at_random(spark), ledger=ledger, **CHARGED)  # by other executors
        tally["uncharged"] += max(len(draws) - len(ledger.history()), 0)
        tally["double charged"] += max(len(ledger.history()) - len(draws), 0)
        assert [entry["spent"] for entry in ledger.history()] == [None, 1] * turn and len(draws) == 2 * turn
        assert ledger.show(2 * turn).rows == release.rows
    with capsys.disabled():
        print("\nexecutors lost with the counts:", ", ".join(f"{name} {number}" for name, number in tally.items()))
    assert tally == {"kills": 3, "uncharged": 0, "double charged": 0, "silent differences": 0}


def test_executors_that_are_lost_before_the_charge(spark, failures, ledger, draws, monkeypatch, without_directory):
    found = engine._CountedFrame.histogram

    def lost(self):
        assert kill_executors(spark) > 0
        return found(self)

    monkeypatch.setattr(engine._CountedFrame, "histogram", lost)
    with pytest.raises(failures):
        fg.spark.top_k(at_random(spark), ledger=ledger, **CHARGED)
    assert ledger.history() == [] and draws == []


def test_a_directory_of_checkpoints_outlives_executors(spark, ledger, draws, monkeypatch):
    found = engine._CountedFrame.names
    seen = []

    def lost(self, wanted):
        assert kill_executors(spark) > 0
        names = found(self, wanted)
        counts = dict(self.everything())
        seen.append([counts[name] for name in names] == [count for count, _ in wanted])
        return names

    monkeypatch.setattr(engine._CountedFrame, "names", lost)
    release = fg.spark.top_k(at_random(spark), ledger=ledger, **CHARGED)
    assert seen == [True] and len(draws) == 1 and release.spent == 1 == ledger.balance().spent


def test_tasks_that_fail(failures, sales, ledger, draws):
    F = optional("pyspark.sql.functions")

    @F.udf("string")
    def fails_at_first(product):
        from pyspark import TaskContext

        if TaskContext.get().attemptNumber() == 0:
            raise RuntimeError("the first attempt")
        return product

    @F.udf("string")
    def fails(product):
        raise RuntimeError("every attempt")

    release = fg.spark.top_k(sales.withColumn("product", fails_at_first("product")), ledger=ledger, **{**CHARGED, "epsilon": 900})
    assert estimates(release) == {"tea": 9, "jam": 7}
    assert len(draws) == 1 and [entry["spent"] for entry in ledger.history()] == [900]
    with pytest.raises(failures):
        fg.spark.top_k(sales.withColumn("product", fails("product")), ledger=ledger, **CHARGED)
    assert len(draws) == 1 and len(ledger.history()) == 1


def test_a_speculative_copy_of_a_task(spark, ledger, draws, folder):
    """The first attempt at one partition hangs. Spark runs a copy of it on the other worker, and the counts are those of one of the two."""
    F = optional("pyspark.sql.functions")
    attempts = str(folder / "attempts")

    @F.udf("string")
    def hangs_at_first(product):
        from pyspark import TaskContext

        task = TaskContext.get()
        attempt = pathlib.Path(f"{attempts}-{task.stageId()}-{task.partitionId()}-{task.attemptNumber()}")
        if not attempt.exists():
            attempt.touch()
            time.sleep(60 if task.partitionId() == 0 and task.attemptNumber() == 0 else 0)  # or until Spark ends the attempt
        return product

    item = "CASE WHEN id % 10 < 5 THEN 'tea' WHEN id % 10 < 8 THEN 'jam' ELSE 'rye' END AS product"
    rows = spark.range(0, 3000, 1, 2).selectExpr(item, "id AS customer").withColumn("product", hangs_at_first("product"))
    began = time.monotonic()
    release = fg.spark.top_k(rows, ledger=ledger, **{**CHARGED, "epsilon": 900})
    assert time.monotonic() - began < 60
    assert sorted(path.name.split("-")[2:] for path in folder.glob("attempts-*")) == [["0", "0"], ["0", "1"], ["1", "0"]]
    assert estimates(release) == {"tea": 1500, "jam": 900}
    assert len(draws) == 1 and [entry["spent"] for entry in ledger.history()] == [900]


def test_what_is_refused_spends_nothing(spark, sales, ledger):
    cases = [(sales, {"item": "none"}, ValueError, "no column 'none'"), (sales, {"unit": "none", "ledger": None}, ValueError, "no column 'none'"),
             (sales, {"items_are_public": None}, ValueError, "which items"), (sales, {"epsilom": 1}, TypeError, "epsilom"),
             (sales.select("product", "product", "customer"), {}, ValueError, "several columns"), (None, {}, TypeError, "pyspark.sql.DataFrame"),
             (sales.selectExpr("1.5 AS product", "customer"), {}, TypeError, "text or whole numbers"),
             (sales.selectExpr("true AS product", "customer"), {}, TypeError, "text or whole numbers"),
             (spark.readStream.format("rate").load(), {"item": "value", "unit": "row", "ledger": None}, ValueError, "stream")]
    for frame, change, error, text in cases:
        with pytest.raises(error, match=text):
            fg.spark.top_k(frame, **{**CHARGED, "k": 1, "ledger": ledger, **change})
    assert ledger.history() == []


@pytest.mark.parametrize("name, shown", [("concat('a\\tb', repeat('é', 500))", "a\tb" + "é" * 500), ("' tea'", '" tea"'), ("CAST(X'ff' AS string)", r'"\udcff"'),
                                         ("repeat('é', 513)", SHOWN["é" * 513])])
def test_any_text_may_be_a_name(sales, name, shown):
    named = sales.selectExpr(f"{name} AS product", "customer")
    assert estimates(fg.spark.top_k(named, items_are_public=True, k=1, **options_of(False), **SURE)) == {shown: 9}
    above = fg.spark.above(named, items_are_public=True, k=1, threshold=5, **options_of(False), **SURE)
    assert [row["query"] for row in above.rows] == [shown]


CONNECT = """
from pyspark.sql import SparkSession
from pyspark.sql.connect.dataframe import DataFrame

import freegap as fg
from counting import ROWS, SURE, estimates, options_of

spark = SparkSession.builder.remote("local[1]").config("spark.sql.shuffle.partitions", "1").getOrCreate()
sales = spark.createDataFrame(ROWS, "product string, customer bigint")
assert isinstance(sales, DataFrame)
assert estimates(fg.spark.top_k(sales, universe=range(41, 44), k=3, **options_of(False), **SURE)) == {"42": 3, "41": 0, "43": 0}
assert estimates(fg.spark.top_k(sales, items_are_public=True, k=2, **options_of(False), **SURE)) == {"tea": 9, "jam": 7}
print("both are right")
spark.stop()
"""


def test_items_nobody_listed(spark, sales):
    """Names that cannot be shown take no place of others, nobody's item appears, and data without frequent items is an ordinary answer."""
    ask = {"unknown_items": True, "delta": "1e-9", "max_items": 1, "k": 3, "epsilon": 1, "ledger": None, **options_of(False)}
    release = fg.spark.top_k(sales, **ask)
    assert release.winners == () and release.delta > 0 and "candidate_count" not in release.parameters
    names = spark.createDataFrame([(name,) for name in ("rice", "", " x", "a\nb", "y" * 1025)], "product string")
    more = sales.union(names.crossJoin(spark.range(100, 2100)))
    for asked in (ask, {**ask, "unit": "row"}):
        release = fg.spark.top_k(more, **asked)
        assert [winner.item for winner in release.winners] == ["rice"] and 1950 < release.winners[0].estimate < 2050


def test_spark_connect(folder):
    """In a process of its own: a session is either classic or remote."""
    optional("grpc")
    ours = {"SPARK_TESTING": "1",  # any free port serves
            "SPARK_LOCAL_DIRS": str(folder), "SPARK_LOCAL_IP": "127.0.0.1",
            "PYTHONPATH": os.pathsep.join([str(pathlib.Path(__file__).parent), str(pathlib.Path(fg.__file__).parent.parent)])}
    child = subprocess.run([sys.executable, "-c", CONNECT], cwd=folder, env={**os.environ, **ours}, capture_output=True, text=True, check=False)
    assert child.stdout.splitlines()[-1:] == ["both are right"], child.stderr


def test_page(spark, folder, monkeypatch):
    """docs/engines.md runs as a reader would paste it."""
    optional("opendp")
    with servers.running() as server:
        for name, value in server.address().items():
            monkeypatch.setenv({"host": "PGHOST", "user": "PGUSER", "dbname": "PGDATABASE"}[name], value)
        printed = run(ROOT / "docs" / "engines.md")
    assert len(printed) == 6


def test_a_cluster_that_dies_after_the_charge(spark, sales, ledger, monkeypatch):
    """The last test: it ends the session."""
    found = engine._CountedFrame.names

    def ended(self, wanted):
        spark.stop()
        return found(self, wanted)

    monkeypatch.setattr(engine._CountedFrame, "names", ended)
    with pytest.raises(fg.MachineFault, match="entry 1 stays charged in full"):
        fg.spark.top_k(sales, ledger=ledger, **CHARGED)
    assert [entry["spent"] for entry in ledger.history()] == [None]
    assert ledger.history()[0]["asked"]["input"] == "Spark, items in the column 'product'"
