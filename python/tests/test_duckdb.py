"""DuckDB: every kind of source, the counted table, and a connection that stays as it was."""

import doctest
import json
import pathlib
import traceback

import pytest

import freegap as fg
from counting import ROWS, SHOWN, SURE, counted, estimates, optional, options_of

duckdb = optional("duckdb")

from freegap import duckdb as engine  # noqa: E402

SOURCES = ["table", "view", "sql", "relation", "frame", "parquet", "csv", "csv.gz", "tsv", "json", "jsonl"]


@pytest.fixture
def con():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE sales (product VARCHAR, customer BIGINT)")
        connection.executemany("INSERT INTO sales VALUES (?, ?)", ROWS)
        yield connection


@pytest.fixture(params=SOURCES)
def source(request, con, folder):
    kind = request.param
    if kind == "table":
        return ' "sales" '
    if kind == "view":
        con.execute("CREATE VIEW seen AS FROM sales")
        return "memory.main.seen"
    if kind == "sql":
        return "WITH part AS (SELECT * FROM sales) SELECT * FROM part -- all;"
    if kind == "relation":
        return con.table("sales")
    if kind == "frame":
        frame = optional("pyarrow").table(con.table("sales"))
        return con.from_arrow(frame)
    path = folder / f"it's all.{kind}"
    form = {"parquet": "FORMAT parquet", "csv": "FORMAT csv, HEADER", "csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
            "tsv": "FORMAT csv, HEADER, DELIMITER '\t'", "json": "FORMAT json, ARRAY true", "jsonl": "FORMAT json"}[kind]
    con.execute(f"COPY sales TO {engine.literal(str(path))} ({form})")
    return path if kind == "json" else str(path)


def tables(connection):
    return sorted(name for name, in connection.sql("SELECT table_name FROM duckdb_tables()").fetchall())


@pytest.mark.parametrize("by_rows", [False, True])
def test_counts_are_those_of_brute_force(con, source, by_rows):
    truth = counted(ROWS, by_rows)
    release = fg.duckdb.top_k(con, source, items_are_public=True, k=len(truth) - 1, **options_of(by_rows), **SURE)
    assert release.parameters["candidate_count"] == len(truth)
    assert estimates(release) == dict(truth.most_common(len(truth) - 1))
    release = fg.duckdb.top_k(con, source, candidates=["jam", "é", 42, "absent"], k=4, **options_of(by_rows), **SURE)
    assert estimates(release) == {"jam": truth["jam"], "42": truth["42"], "é": truth["é"], "absent": 0}
    release = fg.duckdb.top_k(con, source, universe=range(41, 44), k=3, **options_of(by_rows), **SURE)
    assert estimates(release) == {"42": truth["42"], "41": 0, "43": 0}
    assert tables(con) == ["sales"]


@pytest.mark.parametrize("by_rows", [False, True])
def test_other_functions(con, source, by_rows):
    truth = counted(ROWS, by_rows)
    middle = (truth["42"] + truth["é"]) / 2
    columns = options_of(by_rows)
    release = fg.duckdb.top_k_above(con, source, items_are_public=True, threshold=middle, k=4, **columns, **SURE)
    assert estimates(release) == {item: n for item, n in truth.items() if n > middle and item != "ghost"}
    release = fg.duckdb.above(con, source, items_are_public=True, threshold=middle, k=10, **columns, **SURE)
    assert {answer.query for answer in release.answers if answer.above} == {item for item, n in truth.items() if n > middle}
    release = fg.duckdb.sparse_vector(con, source, candidates=["é", "absent", "tea"], threshold=middle, k=3, order="file", **columns, **SURE)
    assert [(answer.query, answer.above) for answer in release.answers] == [("é", False), ("absent", False), ("tea", True)]
    release = fg.duckdb.measure(con, source, items=["jam", "absent", 42], **columns, **SURE)
    assert estimates(release) == {"jam": truth["jam"], "absent": 0, "42": truth["42"]}
    assert tables(con) == ["sales"]


WHOLE = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "VARCHAR",
         "ENUM ('3', '5', '9')"]


@pytest.mark.parametrize("dtype", WHOLE)
def test_types_of_items(con, dtype):
    con.execute(f"CREATE TABLE typed (product {dtype}, customer UUID)")
    con.execute("INSERT INTO typed SELECT * FROM (VALUES ('3'), ('3'), ('5'), (NULL)), (VALUES (uuid()), (uuid()), (NULL))")
    con.execute("DELETE FROM typed WHERE product = '5' AND customer = (SELECT min(customer) FROM typed)")
    for declared, found in (({"items_are_public": True}, {"3": 2, "5": 1}), ({"candidates": [5, "x"]}, {"5": 1, "x": 0}),
                            ({"universe": range(5, 7)}, {"5": 1, "6": 0})):
        assert estimates(fg.duckdb.top_k(con, "typed", k=2, **declared, **options_of(False), **SURE)) == found


@pytest.mark.parametrize("low, high", [(0, 12), (-5, 40), (-2**62, 2**62), (-2**63, -1), (1, 2**63)])
def test_absent_ids_are_all_different_and_absent(con, low, high):
    present = sorted({low, low + 1, low + 4, high - 1, high - 3})
    con.execute("CREATE TABLE ids AS SELECT unnest(?::BIGINT[]) AS product, 1 AS customer", [present])
    asked = engine._counting.Asked("product", "customer", None, range(low, high))
    missing = high - low - len(present)
    ranks = [*range(min(missing, 6)), *range(max(6, missing - 6), missing)]
    with engine._CountedTable(engine._Source(con, "ids", asked), asked) as table:
        assert table.histogram() == [(1, len(present))]
        found = [int(name) for name in table.names([(0, rank) for rank in ranks] + [(1, rank) for rank in range(len(present))])]
    tally = engine._counting.Tally(asked, [(item, 1) for item in present])
    assert found[:len(ranks)] == tally.names([(0, rank) for rank in ranks])
    assert found[:len(ranks)] == [next(i for i in range(low + rank, high) if i not in present and i - low - sum(p < i for p in present) == rank)
                                  for rank in ranks]
    assert sorted(found[len(ranks):]) == present


@pytest.mark.parametrize("fetched", [0, 100_000])
@pytest.mark.parametrize("ordered", [True, False])
def test_every_rank_is_one_item(con, monkeypatch, ordered, fetched):
    monkeypatch.setattr(engine, "_BLOCK", 64)
    monkeypatch.setattr(engine, "_FETCHED", fetched)
    con.execute(f"SET preserve_insertion_order = {ordered}")
    asked = engine._counting.Asked("product", "row")
    query = "SELECT range AS product FROM range(3000) UNION ALL SELECT range * 3 FROM range(500) UNION ALL SELECT range * 9 FROM range(50)"
    with engine._CountedTable(engine._Source(con, query, asked), asked) as table:
        groups = dict(table.histogram())
        wanted = [(count, rank) for count, many in groups.items() for rank in range(many)]
        found = dict(zip(map(int, table.names(wanted)), (count for count, _ in wanted)))
        assert table.names(wanted[::-7]) == table.names(wanted)[::-7]  # each time the same
        assert table.names(wanted[5:6]) == table.names(wanted)[5:6]
    assert found == {i: 1 + (i % 3 == 0 and i < 1500) + (i % 9 == 0 and i < 450) for i in range(3000)}


@pytest.mark.parametrize("ordered", ["true", "false"])
def test_ranks_of_items_with_one_count(con, monkeypatch, ordered):
    """Where all items have the same count, ranks are rows. One more row with another count takes the other way."""
    monkeypatch.setattr(engine, "_FETCHED", 0)
    con.execute(f"SET preserve_insertion_order = {ordered}; SET threads = 4")
    asked = engine._counting.Asked("product", "row")
    for more, one_group in (("", True), (" UNION ALL SELECT 5", False)):
        with engine._CountedTable(engine._Source(con, "SELECT range AS product FROM range(300000)" + more, asked), asked) as table:
            groups = dict(table.histogram())
            assert table._rows_are_ranks == one_group
            found = table.names([(1, rank) for rank in range(0, groups[1], 7)])
            assert len(set(found)) == len(found) and set(map(int, found)) <= set(range(300000))
            assert table.names([(1, 299), (1, 7)]) == [table.names([(1, 299)])[0], found[1]]
    with engine._CountedTable(engine._Source(con, "SELECT range AS product FROM range(300)", asked), asked) as table:
        assert dict(table.histogram()) == {1: 300}
        assert sorted(map(int, table.names([(1, rank) for rank in range(300)]))) == list(range(300))


@pytest.mark.parametrize("fetched", [0, 1_000])
def test_ranks_within_a_transaction(con, monkeypatch, fetched):
    """Until it is committed, DuckDB numbers the rows of the counted table from a large number on."""
    monkeypatch.setattr(engine, "_FETCHED", fetched)
    con.execute("BEGIN")
    asked = engine._counting.Asked("product", "row")
    with engine._CountedTable(engine._Source(con, "SELECT range AS product FROM range(300)", asked), asked) as table:
        assert dict(table.histogram()) == {1: 300} and not table._rows_are_ranks
        assert sorted(map(int, table.names([(1, rank) for rank in range(300)]))) == list(range(300))
    con.execute("ROLLBACK")


def test_the_connection_stays_as_it_was(con):
    settings = con.sql("SELECT name, value FROM duckdb_settings() ORDER BY name").fetchall()
    con.execute("BEGIN")
    con.execute("INSERT INTO sales SELECT 'new', range FROM range(100)")
    release = fg.duckdb.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)
    assert estimates(release) == {"new": 100}  # rows that are not committed are seen
    assert tables(con) == ["sales"]
    con.execute("ROLLBACK")  # the transaction is open still, and has what was inserted
    assert con.sql("SELECT count(*) FROM sales").fetchall() == [(len(ROWS),)]
    fg.duckdb.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)
    con.execute("BEGIN")  # no transaction was left open
    con.execute("COMMIT")
    assert con.sql("SELECT name, value FROM duckdb_settings() ORDER BY name").fetchall() == settings


def test_a_database_that_is_read_only(folder):
    with duckdb.connect(folder / "shop.duckdb") as writer:
        writer.execute("CREATE TABLE sales AS SELECT 'tea' AS product, range AS customer FROM range(9)")
    with duckdb.connect(folder / "shop.duckdb", read_only=True) as con:
        assert estimates(fg.duckdb.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)) == {"tea": 9}


CHARGED = {"candidates": ["tea", "jam", "rye"], "k": 1, "epsilon": 1, **options_of(False)}


def test_a_query_that_fails_in_the_middle_spends_nothing(con, ledger):
    with pytest.raises(duckdb.ConversionException):
        fg.duckdb.top_k(con, "SELECT product, CAST(product AS BIGINT) AS customer FROM sales", ledger=ledger, **CHARGED)
    assert tables(con) == ["sales"] and ledger.history() == []
    con.execute("BEGIN")
    with pytest.raises(duckdb.ConversionException):
        fg.duckdb.top_k(con, "SELECT product, CAST(product AS BIGINT) AS customer FROM sales", ledger=ledger, **CHARGED)
    con.execute("ROLLBACK")
    assert tables(con) == ["sales"] and ledger.history() == []


def test_a_closed_connection(con, ledger):
    con.close()
    with pytest.raises(duckdb.ConnectionException):
        fg.duckdb.top_k(con, "SELECT * FROM sales", ledger=ledger, **CHARGED)
    assert ledger.history() == []


def test_a_lookup_that_fails_is_charged_and_says_so(con, ledger, monkeypatch):
    found = engine._CountedTable.names

    def lost(self, wanted):
        con.execute(f"DROP TABLE {self._table}")
        return found(self, wanted)

    monkeypatch.setattr(engine._CountedTable, "names", lost)
    with pytest.raises(fg.MachineFault, match="charged") as caught:
        fg.duckdb.top_k(con, "sales", ledger=ledger, **CHARGED)
    assert isinstance(caught.value.__cause__, duckdb.CatalogException)
    assert ledger.balance().reserved == 1
    assert tables(con) == ["sales"]


@pytest.mark.parametrize("moment", ["_among_few", "histogram", "query"])
def test_an_interrupt_leaves_no_table(con, ledger, monkeypatch, moment):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(engine._CountedTable, moment, interrupted)
    with pytest.raises(KeyboardInterrupt):
        fg.duckdb.top_k(con, "sales", ledger=ledger, **CHARGED)
    assert tables(con) == ["sales"]
    assert ledger.balance().remaining == (999 if moment == "_among_few" else 1000)


def test_an_interrupt_right_after_the_table_was_made(con, monkeypatch):
    made = engine._Source.run

    def interrupted(self, sql, parameters=None):
        made(self, sql, parameters)
        if sql.startswith("CREATE"):
            assert len(tables(con)) == 2
            raise KeyboardInterrupt
        return made(self, sql, parameters)

    monkeypatch.setattr(engine._Source, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fg.duckdb.top_k(con, "sales", ledger=None, **CHARGED)
    assert tables(con) == ["sales"]


REFUSED = [("DROP TABLE sales", ValueError, "one SELECT"), ("SELECT * FROM sales; DROP TABLE sales", ValueError, "one SELECT"),
           ("checkpoint", ValueError, "one SELECT"), ("sales; DROP TABLE sales", ValueError, "neither"), ("", ValueError, "neither"),
           ("sales JOIN sales USING (product)", ValueError, "neither"), ("sales -- x", ValueError, "neither"),
           ("SELECT product customer sales", ValueError, "neither"),
           ("WITH gone AS (DELETE FROM sales RETURNING *) SELECT * FROM gone", duckdb.Error, "WITH|CTE"), ("nowhere", duckdb.CatalogException, "nowhere"),
           ("nowhere.parquet", ValueError, "cannot read 'nowhere.parquet' .IOException.*Nothing was spent"), (pathlib.Path("sales.xlsx"), ValueError, "paths end in"),
           (7, TypeError, "source"), (None, TypeError, "source"), (b"sales", TypeError, "source"),
           ("SELECT 1.5 AS product, 1 AS customer", TypeError, "text or whole numbers"),
           ("SELECT true AS product, 1 AS customer", TypeError, "text or whole numbers"),
           ("SELECT [1] AS product, 1 AS customer", TypeError, "text or whole numbers"),
           ("SELECT customer FROM sales", ValueError, "no column 'product'"), ("SELECT product FROM sales", ValueError, "no column 'customer'")]

#: Files, and what must not stand in a message about them.
SECRET_FILES = [("open.csv", 'product,customer\ntea,SECRET\n"jam,SECRET\nrye,SECRET\n', "cannot read"),
                ("long.csv", "product,customer\ntea,SECRET\njam,SECRET,SECRET\n", "cannot read"),
                ("bare.csv", "tea,SECRET\njam,SECRET\n", "no column 'product'; the first line must name the columns"),
                ("bare.tsv", "tea\tSECRET\njam\tSECRET\n", "no column 'product'"),
                ("bad.json", '[{"product": "tea", "customer": "SECRET"', "cannot read"), ("bad.jsonl", "SECRET\n", "cannot read"),
                ("text.parquet", "tea,SECRET\n", "cannot read")]


@pytest.mark.parametrize("name, text, told", SECRET_FILES)
def test_messages_repeat_no_record(con, ledger, name, text, told):
    pathlib.Path(name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=told) as raised:
        fg.duckdb.top_k(con, name, ledger=ledger, **CHARGED)
    report = "".join(traceback.format_exception(raised.value))
    assert "SECRET" not in report
    assert tables(con) == ["sales"] and ledger.history() == []


def test_keys_of_json_are_not_guessed(con, folder):
    """Records with many keys, or with late ones, are read as those with few: one record decides nothing about another."""
    records = [{"product": "tea", "customer": "a"}, *({f"key{i}": i} for i in range(300)), {"customer": "b", "product": "tea", "more": [1]}]
    pathlib.Path("keys.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    pathlib.Path("late.json").write_text(json.dumps([*({"other": i} for i in range(30_000)), *records]), encoding="utf-8")
    for name in ("keys.jsonl", "late.json"):
        found = fg.duckdb.top_k(con, name, item="product", unit="customer", candidates=["tea", "jam"], k=2, **SURE)
        assert estimates(found) == {"tea": 2, "jam": 0}


@pytest.mark.parametrize("form", ["json", "jsonl", "ndjson"])
def test_keys_that_no_record_of_json_has(con, ledger, form):
    """They are probably mistyped, and each record would be left out. It is said only where it is no secret which items occur: otherwise one
    record would decide. Of an empty file nothing is missing."""
    path = f"sales.{form}"
    pathlib.Path(path).write_text('{"product": "tea", "customer": null}\n{"product": null, "customer": 7}\n', encoding="utf-8")
    for item, unit, kept, told in (("prodcut", "customer", ledger, "item: no record has the key 'prodcut'"),
                                   ("product", "costumer", None, "unit: no record has the key 'costumer'")):
        with pytest.raises(ValueError, match=told):
            fg.duckdb.top_k(con, path, item=item, unit=unit, items_are_public=True, k=1, epsilon=1, ledger=kept)
        for secret in ({"candidates": ["tea"]}, {"universe": range(9)}, {"unknown_items": True, "delta": "1e-9", "max_items": 1}):
            assert fg.duckdb.top_k(con, path, item=item, unit=unit, k=1, **secret, **SURE).reserved == 1000
    assert ledger.history() == []
    found = fg.duckdb.top_k(con, path, item="product", unit="customer", candidates=["tea"], k=1, **SURE)
    assert estimates(found) == {"tea": 0}
    assert estimates(fg.duckdb.top_k(con, path, item="product", unit="row", candidates=["tea"], k=1, **SURE)) == {"tea": 1}
    pathlib.Path(path).write_text("", encoding="utf-8")
    assert estimates(fg.duckdb.top_k(con, path, item="prodcut", unit="customer", candidates=["tea"], k=1, **SURE)) == {"tea": 0}


def test_variables_are_no_tables(con, ledger):
    """DuckDB looks for data frames among the variables of whoever calls it, which is freegap itself."""
    frame = optional("pandas").DataFrame({"product": ["tea"], "customer": [1]})
    for name in ("frame", "sql", "parameters", "problem"):
        with pytest.raises(duckdb.CatalogException, match=f"Table with name {name} does not exist") as raised:
            fg.duckdb.top_k(con, f"SELECT * FROM {name}", ledger=ledger, **CHARGED)
        assert "connection.sql" in raised.value.__notes__[0]
    assert estimates(fg.duckdb.top_k(con, con.sql("SELECT * FROM frame"), candidates=["tea"], k=1, **options_of(False), **SURE)) == {"tea": 1}
    assert ledger.history() == []


def test_the_table_is_dropped_when_the_drop_is_interrupted(con):
    """Ctrl-C may come at any time."""
    class Interrupted:
        interruptions = 0

        def __getattr__(self, name):
            return getattr(con, name)

        def sql(self, text, **options):
            if text.startswith("DROP") and not self.interruptions:
                self.interruptions += 1
                raise KeyboardInterrupt
            return con.sql(text, **options)

    with pytest.raises(KeyboardInterrupt):
        fg.duckdb.top_k(Interrupted(), "sales", items_are_public=True, k=1, **options_of(False), **SURE)
    assert tables(con) == ["sales"]


@pytest.mark.parametrize("given, error, text", REFUSED)
def test_sources_that_are_refused(con, ledger, given, error, text):
    with pytest.raises(error, match=text):
        fg.duckdb.top_k(con, given, ledger=ledger, **CHARGED)
    assert con.sql("SELECT count(*) FROM sales").fetchall() == [(len(ROWS),)]
    assert tables(con) == ["sales"] and ledger.history() == []


def test_rows_are_not_counted_where_a_column_is_named_row(con, folder):
    ledger = fg.Ledger.create(folder / "rows.db", dataset="shop", epsilon=9, unit="row")
    for name in ("row", "ROW"):  # DuckDB takes them for the same
        for source in (f'SELECT product, customer AS "{name}" FROM sales', con.sql(f'SELECT product, customer AS "{name}" FROM sales')):
            with pytest.raises(ValueError, match="a column of that name as well"):
                fg.duckdb.top_k(con, source, item="product", unit="row", candidates=["tea"], k=1, epsilon=1, ledger=ledger)
    assert ledger.history() == []


def test_bad_options_spend_nothing(con, ledger):
    for change, error, text in [({"candidates": None}, ValueError, "which items"), ({"unit": None}, ValueError, "whose rows"),
                                ({"item": None}, ValueError, "which column"), ({"epsilon": "x"}, ValueError, "epsilon"),
                                ({"epsilom": 1}, TypeError, "epsilom"), ({"k": 4}, ValueError, "k")]:
        with pytest.raises(error, match=text):
            fg.duckdb.top_k(con, "sales", ledger=ledger, **{**CHARGED, **change})
    with pytest.raises(ValueError, match="ledger"):
        fg.duckdb.top_k(con, "sales", **CHARGED)
    with pytest.raises(TypeError, match="connection"):
        fg.duckdb.top_k("sales.db", "sales", ledger=ledger, **CHARGED)
    with pytest.raises(fg.BudgetExceeded):
        fg.duckdb.top_k(con, "sales", ledger=fg.Ledger.create("books.db", dataset="small", epsilon="0.5", unit="customer"), **CHARGED)
    assert tables(con) == ["sales"] and ledger.history() == []


def test_a_relation_of_another_connection(con, ledger):
    with duckdb.connect() as other:
        other.execute("CREATE TABLE sales AS SELECT 'tea' AS product, 1 AS customer")
        with pytest.raises(ValueError, match="made by the same connection"):
            fg.duckdb.top_k(con, other.table("sales"), ledger=ledger, **CHARGED)
    assert ledger.history() == []


def test_relations_that_the_connection_does_not_look_for(con, ledger):
    con.execute("SET python_enable_replacements=false")
    with pytest.raises(ValueError, match="python_enable_replacements=true") as refused:
        fg.duckdb.top_k(con, con.table("sales"), ledger=ledger, **CHARGED)
    assert ledger.history() == []
    con.execute(str(refused.value).split('"')[1])  # what the message says
    fg.duckdb.top_k(con, con.table("sales"), ledger=ledger, **CHARGED)


def test_a_data_frame_is_no_source(con, ledger):
    frame = optional("pandas").DataFrame({"product": ["tea"], "customer": [1]})
    with pytest.raises(TypeError, match="SELECT \\* FROM frame"):
        fg.duckdb.top_k(con, frame, ledger=ledger, **CHARGED)
    fg.duckdb.top_k(con, con.sql("SELECT * FROM frame"), ledger=ledger, **{**CHARGED, "candidates": ["tea"]})


@pytest.mark.parametrize("end", [";", " ; \n", ";;", "; -- done", "; -- fertig: é;", " -- é;", "; /* all; */ ; -- é\n--", " /* ; */", "/**/;/**/"])
def test_what_follows_a_statement(con, end):
    """Semicolons and comments, beside texts that hold some."""
    text = "-- é;\nSELECT product || '; -- é' AS product, customer AS \"a;b\" FROM sales" + end
    release = fg.duckdb.top_k(con, text, item="product", unit="a;b", candidates=["tea; -- é"], k=1, **SURE)
    assert estimates(release) == {"tea; -- é": 9}
    assert fg.duckdb.measure(con, "FROM sales" + end, items=["jam"], item="product", unit="customer", **SURE).rows[0].item == "jam"


def test_a_table_does_not_hide_a_relation(con, ledger):
    relation = con.table("sales")
    con.execute("CREATE TABLE freegap_relation AS SELECT 'jam' AS product, 1 AS customer")
    with pytest.raises(ValueError, match="freegap_relation"):
        fg.duckdb.top_k(con, relation, ledger=ledger, **CHARGED)
    assert ledger.history() == []


def test_the_default_order_of_the_connection_does_not_matter(con):
    """All of a universe, absent ids too, whatever ORDER BY means by default."""
    con.execute("CREATE TABLE ids AS SELECT unnest([3, 3, 7, 1]) AS id, unnest([1, 2, 1, 1]) AS customer")
    con.execute("SET default_order = 'DESC'")
    release = fg.duckdb.top_k(con, "ids", item="id", unit="customer", universe=range(0, 10), k=10, **SURE)
    assert sorted(winner.item for winner in release.winners) == [str(i) for i in range(10)]


def test_names_of_columns_are_quoted(con):
    con.execute('CREATE TABLE odd AS SELECT product AS "a ""b"" -- c", customer AS "SELECT" FROM sales')
    release = fg.duckdb.top_k(con, "odd", item='a "b" -- c', unit="select", items_are_public=True, k=1, **SURE)
    assert estimates(release) == {"tea": 9}


def test_collations_do_not_join_items(con):
    con.execute("SET default_collation = 'nocase'")
    con.execute("CREATE TABLE cased (product VARCHAR COLLATE NOCASE, customer BIGINT)")
    con.execute("INSERT INTO cased SELECT 'tea', range FROM range(5) UNION ALL SELECT 'TEA', range FROM range(9)")
    release = fg.duckdb.top_k(con, "cased", items_are_public=True, k=2, **options_of(False), **SURE)
    assert estimates(release) == {"TEA": 9, "tea": 5}
    release = fg.duckdb.top_k(con, "cased", candidates=["tea", "Tea", "TEA"], k=3, **options_of(False), **SURE)
    assert estimates(release) == {"TEA": 9, "tea": 5, "Tea": 0}


def test_one_record_does_not_decide_how_others_are_read(con, folder):
    """Guessed types would read 007 as 7 unless some other record is no number, and a line without numbers as a header."""
    columns = options_of(False)
    for besides in ("", "abc,5\n"):
        pathlib.Path("ids.csv").write_text("product,customer\n007,1\n007,2\n7,3\n,4\n" + besides, encoding="utf-8")
        assert estimates(fg.duckdb.top_k(con, "ids.csv", candidates=["007", "7", "x"], k=3, **columns, **SURE)) == {"007": 2, "7": 1, "x": 0}
    for besides in ([], [{"product": "abc", "customer": "x"}]):
        records = [{"product": "007", "customer": 1}, {"product": 7, "customer": 2}, {"product": None, "customer": 3}, *besides]
        pathlib.Path("ids.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        assert estimates(fg.duckdb.top_k(con, "ids.jsonl", candidates=["007", "7", "x"], k=3, **columns, **SURE)) == {"007": 1, "7": 1, "x": 0}


@pytest.mark.parametrize("declared", [{"candidates": ["tea", "jam", "rye"]}, {"universe": range(0, 9)}])
def test_neighbours_look_alike(con, ledger, declared):
    """One customer more or less changes no name, size, order or type of what is released, even if it is the only one."""
    queries = ["SELECT * FROM sales WHERE false", "SELECT 'tea' AS product, 1 AS customer", "SELECT '7' AS product, 1 AS customer",
               "SELECT '\u0001' AS product, 1 AS customer", "SELECT '' AS product, 1 AS customer", "SELECT repeat('x', 5000) AS product, 1 AS customer"]
    forms = set()
    for query in queries:
        release = fg.duckdb.top_k(con, query, k=2, epsilon=1, ledger=ledger, **declared, **options_of(False))
        document = release.to_dict()
        assert document["parameters"]["candidate_count"] in (3, 9)
        forms.add(json.dumps([sorted(document), document["parameters"], document["epsilon"], [sorted(row) for row in release.rows]]))
    assert len(forms) == 1


def sales_of_bytes(con, names):
    """Rows whose items are these bytes. Arrow does not look whether they are UTF-8."""
    arrow = optional("pyarrow")
    product = arrow.Array.from_buffers(arrow.string(), len(names), arrow.array(names, arrow.binary()).buffers())
    return con.from_arrow(arrow.table({"product": product, "customer": list(range(len(names)))}))


@pytest.mark.parametrize("name", [b"a\xff", b"\xed\xa0\x80", b"a\xed\xbf\xbf", b"\xed\xa0\x80b", b"\xc0\x80", b"\xf4\x90\x80\x80"])
@pytest.mark.parametrize("many", [1, 9, 12])
def test_names_that_are_no_text(con, ledger, name, many):
    """They are shown as JSON writes them, whatever they count. DuckDB can decode none of them."""
    sales = sales_of_bytes(con, [b"tea"] * 9 + [name] * many)
    shown = json.dumps(name.decode("utf-8", "surrogateescape"))
    assert estimates(fg.duckdb.top_k(con, sales, items_are_public=True, k=2, **options_of(False), **SURE)) == {"tea": 9, shown: many}
    above = fg.duckdb.above(con, sales, items_are_public=True, k=2, threshold="1/2", **options_of(False), **SURE)
    assert {row["query"] for row in above.rows} == {"tea", shown}
    for declared in ({"candidates": ["tea", "jam"]}, {"unknown_items": True, "delta": "1e-9", "max_items": 1}):
        assert estimates(fg.duckdb.top_k(con, sales, k=1, **declared, **options_of(False), **SURE)) == {"tea": 9}


@pytest.mark.parametrize("name, shown", SHOWN.items())
def test_names_that_cannot_be_shown_as_they_are(con, name, shown):
    con.execute("INSERT INTO sales SELECT ?, range FROM range(50)", [name])
    assert estimates(fg.duckdb.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)) == {shown: 50}
    con.execute("DELETE FROM sales WHERE product <> ?", [name])  # one group alone
    assert estimates(fg.duckdb.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)) == {shown: 50}


@pytest.mark.parametrize("name", ["x", "x" * 1024, "é" * 512, "a\tb", "a b", "日本", "\xa0"])
def test_names_that_can_be_shown(con, name):
    con.execute("INSERT INTO sales SELECT ?, range FROM range(50)", [name])
    assert estimates(fg.duckdb.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)) == {name: 50}
    assert engine._counting.is_good_name(name)


def test_the_ledger_knows_the_query(con, ledger):
    fg.duckdb.top_k(con, "SELECT * FROM sales", ledger=ledger, **CHARGED)
    fg.duckdb.measure(con, "sales", items=["tea"], epsilon=1, ledger=ledger, **options_of(False))
    assert [entry["asked"]["sql"] for entry in ledger.history()] == ["SELECT * FROM sales", "FROM sales"]
    assert {entry["asked"]["input"] for entry in ledger.history()} == {"DuckDB"}


@pytest.mark.long
def test_a_memory_limit_holds(folder):
    """10^7 distinct items within 300 MB: DuckDB writes what does not fit to its own temporary files."""
    with duckdb.connect() as con:
        con.execute(f"SET memory_limit = '300MB'; SET threads = 1; SET temp_directory = {engine.literal(str(folder / 'spill'))}")
        query = "SELECT 'item number ' || range AS product, range AS customer FROM range(10000000) UNION ALL SELECT 'tea', range FROM range(9)"
        release = fg.duckdb.top_k(con, query, items_are_public=True, k=3, **options_of(False), **SURE)
        assert release.winners[0].item == "tea"
        assert tables(con) == []


def test_the_example_runs():
    assert doctest.testmod(engine).failed == 0


def test_no_winner_is_an_answer(ledger):
    con = optional("duckdb").connect()
    release = fg.duckdb.top_k_above(con, "SELECT 'tea' AS product, 1 AS customer", candidates=["tea"], threshold=10**6, k=1, epsilon=1, ledger=ledger,
                                    **options_of(False))
    assert release.winners == () and ledger.balance().reserved == 0
