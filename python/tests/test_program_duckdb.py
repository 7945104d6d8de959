"""The program with --parquet and --duckdb, which asks this package to count: the same release as from a CSV file with the same rows and as
from `freegap.duckdb`, and refusals that cost nothing."""

import json
import os
import pathlib
import subprocess
import sys
import time
from array import array

import pytest

import freegap as fg
from counting import optional

duckdb = optional("duckdb")

from freegap import _counted, _counting  # noqa: E402
from freegap import duckdb as engine  # noqa: E402

#: Product and customer, each sale twice. In the order of the names, which is that of the program's counts.
ROWS = [(item, f"c{unit}") for item, units in {"10": 12, "9": 4, 'a "b", c': 7, "jam": 40, "tea": 25, "é": 2}.items() for unit in range(units)] * 2
COUNTING = ["--item", "product", "--unit", "customer"]
LISTED = ["--candidates", "products.txt"]
ASK = ["-k", 2, "--epsilon", 1]
DUCKDB = ["--duckdb", "shop.duckdb", "--query", "SELECT product, customer FROM sales"]


@pytest.fixture
def shop(folder):
    with duckdb.connect("shop.duckdb") as con:
        con.execute("CREATE TABLE sales (product VARCHAR, customer VARCHAR)")
        con.executemany("INSERT INTO sales VALUES (?, ?)", ROWS)
        con.execute("CREATE TABLE numbers AS SELECT product AS item, count(*) AS count, sum(1.5) AS spent FROM sales GROUP BY ALL ORDER BY 1")
        con.execute("COPY sales TO 'sales.parquet'; COPY sales TO 'sales.csv' (HEADER); COPY numbers TO 'numbers.csv' (HEADER)")
        con.execute("COPY numbers TO 'numbers.parquet'")
    (folder / "products.txt").write_text('tea\njam\nnone\n10\na "b", c\n', encoding="utf-8")
    return folder


def call(*arguments, **environment):
    """The result of the program, which counts by this Python."""
    settings = {**os.environ, "FREEGAP_PYTHON": sys.executable, **environment}
    return subprocess.run([os.environ["FREEGAP_PROGRAM"], *map(str, arguments)], env=settings, capture_output=True, text=True, check=False)


def good(*arguments):
    result = call(*arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def refused(*arguments, status=2, **environment):
    """The message of a call that is refused, and charges nothing."""
    if not pathlib.Path("books.db").exists():
        good("budget", "create", "--ledger", "books.db", "--dataset", "shop", "--epsilon", 9, "--unit", "customer", "--column", "customer")
    result = call(*arguments, "--ledger", "books.db", "--dataset", "shop", **environment)
    assert (result.returncode, result.stdout) == (status, ""), result
    assert fg.Ledger("books.db", dataset="shop").history() == []
    return result.stderr


@pytest.mark.parametrize("verb, options", [
    ("top", [*COUNTING, *LISTED, *ASK]), ("top", [*COUNTING, *ASK]), ("top", [*COUNTING, "--universe", "0..99", *ASK]),
    ("top", ["--item", "product", "--unit", "row", *LISTED, *ASK, "--above", 10]),
    ("above", [*COUNTING, *LISTED, *ASK, "--threshold", 10, "--order", "file"]),
    ("measure", [*COUNTING, "--items", "tea,none", "--epsilon", 1]), ("choose", [*COUNTING, "--epsilon", 1])])
def test_same_seed_same_bytes(shop, verb, options):
    """From Parquet, from a database and from text."""
    text, parquet, database = (good("simulate", verb, *source, *options, "--seed", 3, "--runs", 2)
                               for source in (["sales.csv"], ["--parquet", "sales.parquet"], DUCKDB))
    assert parquet == text and database == text and len(text.splitlines()) == 2


def test_same_bytes_as_from_python(shop):
    listed = ("tea", "jam", "none", "10", 'a "b", c')
    asked = _counting.Asked("product", "customer", listed)
    with duckdb.connect() as con, engine._CountedTable(engine._Source(con, "sales.parquet", asked), asked) as counted:
        names, counts = zip(*counted.everything())
    options = {"k": 2, "epsilon": 1, "seed": 3, "unit": "customer", "candidates": list(listed), "_counted": True}
    release, = _counted.release_labelled("simulate_top_k", options, names, array("q", counts))
    assert release.to_json() == good("simulate", "top", "--parquet", "sales.parquet", *COUNTING, *LISTED, *ASK, "--seed", 3).strip()


@pytest.mark.parametrize("options", [["--unit", "customer"], ["--value", "spent", "--kind", "general", "--sensitivity", "1.5", "--unit", "customer"]])
def test_ready_made_numbers(shop, options):
    if "--value" not in options:  # else there are two columns that could be meant
        options = [*options, "--value", "count", "--item", "item"]
    text, parquet, database = (good("simulate", "top", *source, *options, *ASK, "--seed", 3) for source in (
        ["numbers.csv"], ["--parquet", "numbers.parquet"], ["--duckdb", "shop.duckdb", "--query", "FROM numbers"]))
    assert parquet == text and database == text


def test_what_the_ledger_keeps(shop):
    good("budget", "create", "--ledger", "books.db", "--dataset", "shop", "--epsilon", 9, "--unit", "customer", "--column", "customer")
    charged = [*COUNTING, *LISTED, *ASK, "--ledger", "books.db", "--dataset", "shop"]
    release = json.loads(good("top", "--parquet", "sales.parquet", *charged))
    assert release["parameters"]["unit"] == "customer" and "value" not in release["parameters"]
    good("top", *DUCKDB, *charged)
    parquet, database = (entry["asked"] for entry in fg.Ledger("books.db", dataset="shop").history())
    assert parquet["input"] == "sales.parquet" and "sql" not in parquet
    assert (database["input"], database["sql"]) == ("shop.duckdb", DUCKDB[3])


def test_counts_come_in_the_order_of_names(folder):
    """Whatever the order of the rows: that of DuckDB differs from run to run, and tells which came first."""
    names = [f"item {(i * 7919) % 100_003}" for i in range(20_000)]
    with duckdb.connect() as con:
        con.execute("COPY (SELECT unnest($1::VARCHAR[]) AS product) TO 'names.parquet'", [names])
    command = [sys.executable, "-P", "-m", "freegap._for_program", "--parquet=names.parquet", "--item=product", "--unit=row", f"--parent={os.getpid()}"]
    header, *lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert header == '"item","count"' and lines == [f'"{name}","1"' for name in sorted(names)] and names != sorted(names)


def test_exact_counts(shop):
    counted = json.loads(good("count", "--parquet", "sales.parquet", *COUNTING, "--format", "json"))
    assert counted["counts"][:2] == [{"item": "jam", "count": 40}, {"item": "tea", "count": 25}]
    assert counted["records"] is None and counted["unit"] == "customer"
    assert json.loads(good("count", "--parquet", "numbers.parquet", "--item", "item", "--value", "count", "--format", "json"))["records"] == 6


TOP = ["top", *COUNTING, *LISTED, *ASK]


@pytest.mark.parametrize("arguments, told", [
    ([*TOP, "--parquet", "nowhere.parquet"], "nowhere.parquet: DuckDB refuses it: IOException"),
    ([*TOP, "--parquet", "sales.csv"], "InvalidInputException"),
    ([*TOP, "--duckdb", "nowhere.duckdb", "--query", "FROM sales"], "there is no such database"),
    ([*TOP, "--duckdb", "sales.csv", "--query", "FROM sales"], "sales.csv: DuckDB refuses it"),
    ([*TOP, *DUCKDB[:3], "SELEC product"], "neither SQL"), ([*TOP, *DUCKDB[:3], "FROM nowhere"], "nowhere does not exist"),
    ([*TOP, *DUCKDB[:3], "SELECT product, costumer FROM sales"], '"costumer" not found'),
    ([*TOP, *DUCKDB[:3], "SELECT product FROM sales"], "no column 'customer'\n"),
    ([*TOP, *DUCKDB[:3], "DELETE FROM sales"], "one SELECT"), ([*TOP, *DUCKDB[:3], "FROM sales; FROM sales"], "one SELECT"),
    ([*TOP, *DUCKDB[:3], "SELECT product, customer::INT AS customer FROM sales"], "ConversionException"),
    (["top", "--item", "thing", "--unit", "customer", *LISTED, *ASK, "--parquet", "sales.parquet"], "no column 'thing'; the columns are product"),
    (["top", "--item", "product", "--unit", "who", *LISTED, *ASK, "--parquet", "sales.parquet"], "no column 'who'"),
    (["top", "--item", "product", "--unit", "product", *LISTED, *ASK, "--parquet", "sales.parquet"], "another column than the items"),
    (["top", "--unit", "customer", *LISTED, *ASK, "--parquet", "sales.parquet"], 'no column "item"; name the columns'),
    (["top", "--item", "product", *LISTED, *ASK, "--parquet", "sales.parquet"], "whose rows are they?"),
    (["top", *COUNTING, *ASK, "--parquet", "sales.parquet"], "which items can win?"),
    ([*TOP, "sales.csv", "--parquet", "sales.parquet"], "either a file or a database"), ([*TOP, "--parquet", ""], "--parquet FILE"),
    ([*TOP, *DUCKDB, "--parquet", "sales.parquet"], "one of --sqlite, --duckdb and --parquet"),
    ([*TOP, "--parquet", "sales.parquet", "--query", "FROM sales"], "--parquet reads whole files"),
    ([*TOP, *DUCKDB[:2]], "give --query SQL"),
    (["above", *COUNTING, "--items-are-public", *ASK, "--threshold", 5, "--order", "file", "--parquet", "sales.parquet"], "their order shows")])
def test_refusals(shop, arguments, told):
    message = refused(*arguments)
    assert told in message and "c12" not in message, message


def test_malformed_names(shop):
    """Names that a release cannot show are refused, or dropped; nulls are left out; numbers are refused by their row."""
    with duckdb.connect() as con:
        con.execute("""COPY (FROM (VALUES ('tea', 'a'), (NULL, 'b'), ('tea', NULL), ('SECRET' || chr(10) || 'x', 'c'), ('', 'd'), (' jam', 'e'))
                       AS rows(product, customer)) TO 'odd.parquet'""")
        con.execute("COPY (FROM (VALUES ('tea', 1), ('SECRET' || chr(10) || 'x', 2), ('jam', NULL)) AS rows(item, count)) TO 'odd_numbers.parquet'")
    message = refused(*TOP, "--parquet", "odd.parquet")
    assert "--skip-bad-records" in message and "SECRET" not in message
    counts = json.loads(good("count", "--parquet", "odd.parquet", *COUNTING, "--skip-bad-records"))["counts"]
    assert counts == [{"item": "tea", "count": 1}]
    numbers = ["top", "--unit", "customer", *LISTED, *ASK, "--parquet", "odd_numbers.parquet"]
    assert "odd_numbers.parquet, row 2: it has a control character" in refused(*numbers)
    assert json.loads(good("count", "--parquet", "odd_numbers.parquet", "--skip-bad-records"))["counts"] == [{"item": "tea", "count": 1}]


def test_a_python_that_cannot_count(shop):
    fake = shop / "fake"

    def with_script(lines, **more):
        fake.write_text("#!/bin/sh\n" + lines + "\n", encoding="utf-8")
        fake.chmod(0o755)
        return refused(*TOP, "--parquet", "sales.parquet", FREEGAP_PYTHON=str(fake), **more)

    assert "there is no program nowhere/python3" in refused(*TOP, "--parquet", "sales.parquet", FREEGAP_PYTHON="nowhere/python3")
    assert "there is no program python3" in refused(*TOP, "--parquet", "sales.parquet", FREEGAP_PYTHON="", PATH=str(shop))
    assert "pip install" in with_script("echo SECRET >&2; exit 1")
    # A table that is not whole is not used, whatever was read of it.
    for table in ("printf 'item,count\\ntea,1\\n'", "true"):
        assert "SECRET" not in with_script(f"{table}; echo SECRET >&2; exit 1")
        assert "what to do" in with_script(f"{table}; echo what to do >&2; exit 2")
        assert "no memory" in with_script(f"{table}; echo no memory >&2; exit 3", status=3)
        assert "was ended" in with_script(f"{table}; kill -9 $$", status=3)
    # A file of the current folder does not pass for a package.
    (shop / "duckdb.py").write_text("raise SystemExit('SECRET')\n", encoding="utf-8")
    good("simulate", *TOP, "--parquet", "sales.parquet", "--seed", 1)


def children(process):
    return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()]


def test_a_program_that_is_killed_leaves_nothing(shop):
    """Neither the process that counts nor its folder for what does not fit into memory."""
    (shop / "spill").mkdir()
    # Counting these would take hours.
    endless = ["--duckdb", "shop.duckdb", "--query", "SELECT range % 7 AS product FROM range(1000000000000)"]
    program = subprocess.Popen([os.environ["FREEGAP_PROGRAM"], "top", *endless, "--item", "product", "--unit", "row", *LISTED, *map(str, ASK), "--no-ledger"],
                               env={**os.environ, "FREEGAP_PYTHON": sys.executable, "TMPDIR": str(shop / "spill")})
    while not any((shop / "spill").iterdir()):
        assert program.poll() is None
        time.sleep(0.05)
    counting, = children(program.pid)
    program.kill()
    program.wait()
    while pathlib.Path(f"/proc/{counting}/exe").exists() or any((shop / "spill").iterdir()):
        time.sleep(0.05)  # the test's own time limit ends this


def test_a_python_without_duckdb(shop):
    """The module says so, and what to do."""
    script = "import sys, runpy; sys.modules['duckdb'] = None; sys.argv[1:] = ['--parquet=sales.parquet', '--parent=1']; runpy.run_module('freegap._for_program', run_name='__main__')"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "") and "pip install" in result.stderr and "FREEGAP_PYTHON" in result.stderr


def test_names_that_cannot_be_shown_take_no_place_of_others(shop):
    """Rows are dropped before units are cut: of the one item that a unit keeps, every unit keeps the one that can be shown."""
    with duckdb.connect() as con:
        con.execute("""COPY (SELECT product, customer FROM (VALUES ('tea'), (''), (' jam'), ('a' || chr(10))) AS items(product), range(500) AS units(customer))
                       TO 'odd.parquet'""")
    counts = json.loads(good("count", "--parquet", "odd.parquet", *COUNTING, "--max-items", 1, "--skip-bad-records"))["counts"]
    assert counts == [{"item": "tea", "count": 500}]


def test_a_seed_cuts_units_the_same_way_from_all_sources(shop):
    ask = ["simulate", "top", *COUNTING, *ASK, *LISTED, "--max-items", 2, "--seed", 5]
    from_csv, from_duckdb, from_parquet = (good(*ask, *source) for source in (["sales.csv"], DUCKDB, ["--parquet", "sales.parquet"]))
    assert from_csv == from_duckdb == from_parquet
    assert good(*ask[:-1], 6, "sales.csv") != from_csv
