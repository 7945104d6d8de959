"""PostgreSQL: a real server counts, the connection stays as it was, and what fails spends or charges as it should."""

import contextlib
import json
import pathlib

import pytest

import freegap as fg
from counting import ROWS, SHOWN, SURE, counted, cut_down, estimates, optional, options_of
from freegap import _counting
from freegap import postgres as engine
from servers import running

pytestmark = pytest.mark.long

PASSWORD = "correct-horse-battery"
CHARGED = {"candidates": ["tea", "jam", "rye"], "k": 1, "epsilon": 1, **options_of(False)}


@pytest.fixture(scope="module")
def psycopg():
    return optional("psycopg")


@pytest.fixture(scope="module")
def server(psycopg):
    with running() as server:
        with psycopg.connect(**server.address(), autocommit=True) as con:
            con.execute("CREATE TABLE sales (product text, customer bigint)")
            con.cursor().executemany("INSERT INTO sales VALUES (%s, %s)", ROWS)
            con.execute("CREATE VIEW seen AS SELECT * FROM sales")
            con.execute(f"CREATE ROLE analyst LOGIN PASSWORD '{PASSWORD}'; GRANT SELECT ON sales TO analyst")
        yield server


@pytest.fixture
def con(psycopg, server):
    with contextlib.closing(psycopg.connect(**server.address())) as connection:
        yield connection


def tables(connection):
    found = connection.execute("SELECT relname FROM pg_class WHERE relname LIKE 'freegap%'").fetchall()
    connection.rollback()
    return found


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize("source", [' "sales" ', "public.seen", "SELECT * FROM sales -- all;", "WITH part AS (TABLE sales) SELECT * FROM part;",
                                    "SELECT * FROM sales WHERE product LIKE '%' OR product IS NULL"])
def test_counts_are_those_of_brute_force(con, source, by_rows):
    truth = counted(ROWS, by_rows)
    columns = options_of(by_rows)
    release = fg.postgres.top_k(con, source, items_are_public=True, k=len(truth) - 1, **columns, **SURE)
    assert release.parameters["candidate_count"] == len(truth)
    assert estimates(release) == dict(truth.most_common(len(truth) - 1))
    release = fg.postgres.top_k(con, source, candidates=["jam", "é", 42, "absent"], k=4, **columns, **SURE)
    assert estimates(release) == {"jam": truth["jam"], "42": truth["42"], "é": truth["é"], "absent": 0}
    release = fg.postgres.top_k(con, source, universe=range(41, 44), k=3, **columns, **SURE)
    assert estimates(release) == {"42": truth["42"], "41": 0, "43": 0}
    middle = (truth["42"] + truth["é"]) / 2
    release = fg.postgres.top_k_above(con, source, items_are_public=True, threshold=middle, k=4, **columns, **SURE)
    assert estimates(release) == {item: n for item, n in truth.items() if n > middle and item != "ghost"}
    release = fg.postgres.above(con, source, items_are_public=True, threshold=middle, k=10, **columns, **SURE)
    assert {answer.query for answer in release.answers if answer.above} == {item for item, n in truth.items() if n > middle}
    release = fg.postgres.measure(con, source, items=["jam", "absent", 42], **columns, **SURE)
    assert estimates(release) == {"jam": truth["jam"], "absent": 0, "42": truth["42"]}
    assert tables(con) == []


@pytest.mark.parametrize("dtype", ["smallint", "integer", "bigint", "text", "varchar(9)", "char(5)", "name", "digit", "short"])
def test_types_of_items(con, dtype):
    con.execute("CREATE TYPE digit AS ENUM ('3', '5', '9'); CREATE DOMAIN short AS text CHECK (length(VALUE) < 5)")
    con.execute(f"CREATE TABLE typed (product {dtype}, customer uuid)")
    con.execute("INSERT INTO typed SELECT item::" + dtype + ", unit FROM unnest(ARRAY['3', '3', '5', NULL]) AS item, "
                "unnest(ARRAY[gen_random_uuid(), gen_random_uuid(), NULL]) AS unit")
    con.execute("DELETE FROM typed WHERE product = '5' AND customer = (SELECT customer FROM typed WHERE customer IS NOT NULL LIMIT 1)")
    for declared, found in (({"items_are_public": True}, {"3": 2, "5": 1}), ({"candidates": [5, "x"]}, {"5": 1, "x": 0}),
                            ({"universe": range(5, 7)}, {"5": 1, "6": 0})):
        assert estimates(fg.postgres.top_k(con, "typed", k=2, **declared, **options_of(False), **SURE)) == found
    con.rollback()


def test_collations_do_not_merge_items(con):
    con.execute("CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    con.execute("CREATE TABLE mixed (product text COLLATE blind, customer bigint)")
    con.execute("INSERT INTO mixed VALUES ('Tea', 1), ('tea', 2), ('tea', 3), ('007', 1), ('7', 1)")
    release = fg.postgres.top_k(con, "mixed", items_are_public=True, k=4, **options_of(False), **SURE)
    assert estimates(release) == {"tea": 2, "Tea": 1, "007": 1, "7": 1}
    assert estimates(fg.postgres.top_k(con, "mixed", universe=range(7, 9), k=2, **options_of(False), **SURE)) == {"7": 1, "8": 0}
    con.rollback()


def counted_table(con, source, asked):
    return engine._CountedTable(con.cursor(), engine._read(source)[0], asked)


@pytest.mark.parametrize("low, high", [(0, 12), (-5, 40), (-2**62, 2**62), (-2**63, -1), (1, 2**63)])
def test_absent_ids_are_all_different_and_absent(con, low, high):
    present = sorted({low, low + 1, low + 4, high - 1, high - 3})
    con.execute("CREATE TEMPORARY TABLE ids AS SELECT unnest(%s::bigint[]) AS product, 1 AS customer", [present])
    asked = engine.Asked("product", "customer", None, range(low, high))
    missing = high - low - len(present)
    ranks = [*range(min(missing, 6)), *range(max(6, missing - 6), missing)]
    table = counted_table(con, "ids", asked)
    assert dict(table.histogram()) == {1: len(present)}
    found = [int(name) for name in table.names([(0, rank) for rank in ranks] + [(1, rank) for rank in range(len(present))])]
    assert found[:len(ranks)] == engine._counting.Tally(asked, [(item, 1) for item in present]).names([(0, rank) for rank in ranks])
    assert sorted(found[len(ranks):]) == present
    con.rollback()


@pytest.mark.parametrize("large, scans", [(20_000, 8), (100, 8), (100, 1)])
def test_every_rank_is_one_item(con, monkeypatch, large, scans):
    monkeypatch.setattr(engine, "_LARGE", large)
    monkeypatch.setattr(engine, "_SCANS", scans)
    query = ("SELECT i AS product FROM generate_series(0, 2999) AS i UNION ALL SELECT i * 3 FROM generate_series(0, 499) AS i "
             "UNION ALL SELECT i * 9 FROM generate_series(0, 49) AS i")
    table = counted_table(con, query, engine.Asked("product", "row"))
    wanted = [(count, rank) for count, many in table.histogram() for rank in range(many)]
    found = dict(zip(map(int, table.names(wanted)), (count for count, _ in wanted)))
    assert found == {i: 1 + (i % 3 == 0 and i < 1500) + (i % 9 == 0 and i < 450) for i in range(3000)}
    con.rollback()


@pytest.mark.parametrize("autocommit", [False, True])
def test_the_connection_stays_as_it_was(psycopg, con, autocommit):
    idle, within = psycopg.pq.TransactionStatus.IDLE, psycopg.pq.TransactionStatus.INTRANS
    con.autocommit = autocommit
    con.row_factory = psycopg.rows.dict_row
    settings = con.execute("SELECT name, setting FROM pg_settings ORDER BY name").fetchall()
    con.rollback()
    fg.postgres.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)
    assert con.info.transaction_status == idle and con.autocommit == autocommit
    con.execute("BEGIN") if autocommit else None
    con.execute("INSERT INTO sales SELECT 'new', generate_series(1, 100)")
    assert con.info.transaction_status == within
    release = fg.postgres.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)
    assert estimates(release) == {"new": 100}  # rows that are not committed are seen
    with pytest.raises(psycopg.Error):
        fg.postgres.top_k(con, "SELECT product, 1 / 0 AS customer FROM sales", items_are_public=True, k=1, **options_of(False), **SURE)
    assert con.info.transaction_status == within  # and the transaction goes on
    assert con.execute("SELECT count(*) AS n FROM sales").fetchone() == {"n": len(ROWS) + 100}
    con.rollback()
    assert con.execute("SELECT name, setting FROM pg_settings ORDER BY name").fetchall() == settings
    con.rollback()


def test_other_writers_change_nothing(psycopg, con, server, monkeypatch):
    found = engine._CountedTable.names

    def late(self, wanted):
        with psycopg.connect(**server.address(), autocommit=True) as other:
            other.execute("UPDATE sales SET product = 'late ' || product")
        try:
            return found(self, wanted)
        finally:
            with psycopg.connect(**server.address(), autocommit=True) as other:
                other.execute("UPDATE sales SET product = substr(product, 6)")

    monkeypatch.setattr(engine._CountedTable, "names", late)
    assert estimates(fg.postgres.top_k(con, "sales", items_are_public=True, k=2, **options_of(False), **SURE)) == {"tea": 9, "jam": 7}


@pytest.mark.parametrize("how", ["connection", "session", "transaction"])
def test_a_read_only_session(con, ledger, how):
    if how == "connection":
        con.read_only = True
    elif how == "session":
        con.execute("SET default_transaction_read_only = on")
        con.commit()
    else:
        con.execute("SET TRANSACTION READ ONLY")
    with pytest.raises(ValueError, match="read-only"):
        fg.postgres.top_k(con, "sales", ledger=ledger, **CHARGED)
    assert ledger.history() == []


def test_a_query_that_fails_in_the_middle_spends_nothing(psycopg, con, ledger):
    with pytest.raises(psycopg.errors.InvalidTextRepresentation):
        fg.postgres.top_k(con, "SELECT product, CAST(product AS bigint) AS customer FROM sales", ledger=ledger, **CHARGED)
    assert con.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert tables(con) == [] and ledger.history() == []
    with pytest.raises(psycopg.Error):
        con.execute("SELECT 1 / 0")
    with pytest.raises(ValueError, match="roll it back"):
        fg.postgres.top_k(con, "sales", ledger=ledger, **CHARGED)
    con.close()
    with pytest.raises(psycopg.OperationalError):
        fg.postgres.top_k(con, "sales", ledger=ledger, **CHARGED)
    assert ledger.history() == []


def test_a_server_that_dies_after_the_charge(psycopg, server, ledger, monkeypatch):
    found = engine._CountedTable.names
    drawn = []

    def dying(self, wanted):
        drawn.append(wanted)
        server.stop()
        server.start()
        return found(self, wanted)

    with psycopg.connect(**server.address(user="analyst", password=PASSWORD, dbname="postgres")) as con:
        with monkeypatch.context() as patch:
            patch.setattr(engine._CountedTable, "names", dying)
            with pytest.raises(fg.MachineFault, match="entry 1 stays charged in full") as caught:
                fg.postgres.top_k(con, "sales", ledger=ledger, **CHARGED)
        assert isinstance(caught.value.__cause__, psycopg.OperationalError)
        with pytest.raises(psycopg.OperationalError):  # the connection is lost: nothing more is charged
            fg.postgres.top_k(con, "sales", ledger=ledger, **CHARGED)
        con.close()
    assert len(drawn) == 1 and [entry["spent"] for entry in ledger.history()] == [None]
    with psycopg.connect(**server.address(user="analyst", password=PASSWORD)) as con:
        release = fg.postgres.top_k(con, "sales", ledger=ledger, **CHARGED)
    assert [entry["spent"] for entry in ledger.history()] == [None, 1] and ledger.balance().remaining == 998
    shown = [str(caught.value), repr(caught.value.__cause__), release.to_json(), json.dumps(ledger.history(), default=str)]
    assert all(PASSWORD not in text for text in shown)
    assert PASSWORD.encode() not in pathlib.Path(ledger.path).read_bytes()


def test_a_connection_that_is_lost_after_the_release(psycopg, con, server, ledger, monkeypatch):
    release = engine._counting.release

    def lost(*arguments):
        made = release(*arguments)
        with psycopg.connect(**server.address()) as other:
            other.execute("SELECT pg_terminate_backend(%s, 10000)", [con.info.backend_pid])
        return made

    monkeypatch.setattr(engine._counting, "release", lost)
    assert fg.postgres.top_k(con, "sales", ledger=ledger, **CHARGED).spent == 1
    assert ledger.balance().spent == 1


def test_wrong_credentials_are_not_shown(psycopg, server):
    with pytest.raises(psycopg.OperationalError) as caught:
        psycopg.connect(**server.address(user="analyst", password="wrong-" + PASSWORD))
    assert PASSWORD not in str(caught.value)
    with pytest.raises(TypeError, match="psycopg 3") as caught:
        fg.postgres.top_k(f"postgresql://analyst:{PASSWORD}@db/shop", "sales", ledger=None, **CHARGED)
    assert PASSWORD not in str(caught.value)


def test_an_interrupt_leaves_nothing(con, ledger, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    for moment, left in (("histogram", 1000), ("names", 999)):
        with monkeypatch.context() as patch:
            patch.setattr(engine._CountedTable, moment, interrupted)
            with pytest.raises(KeyboardInterrupt):
                fg.postgres.top_k(con, "sales", ledger=ledger, **CHARGED)
        assert tables(con) == [] and ledger.balance().remaining == left


REFUSED = [("DROP TABLE sales", "Error", "."), ("SELECT * FROM sales; DROP TABLE sales", "Error", "."), ("sales; DROP TABLE sales", "Error", "."),
           ("SELECT 1 AS product) AS x; DROP TABLE sales; --", "Error", "."), ("DELETE FROM sales RETURNING *", "Error", "."),
           ("WITH gone AS (DELETE FROM sales RETURNING *) SELECT * FROM gone", "Error", "top level"), ("nowhere", "Error", "nowhere"),
           ("", ValueError, "SQL"), (7, TypeError, "SQL"), (None, TypeError, "SQL"), (b"sales", TypeError, "SQL"),
           ("SELECT 1.5 AS product, 1 AS customer", TypeError, "text or whole numbers"),
           ("SELECT true AS product, 1 AS customer", TypeError, "text or whole numbers"),
           ("SELECT ARRAY[1] AS product, 1 AS customer", TypeError, "text or whole numbers"),
           ("SELECT customer FROM sales", ValueError, "no column 'product'"), ("SELECT product FROM sales", ValueError, "no column 'customer'"),
           ("SELECT product, product, customer FROM sales", ValueError, "several columns 'product'")]


@pytest.mark.parametrize("given, error, text", REFUSED)
def test_sources_that_are_refused(psycopg, con, ledger, given, error, text):
    with pytest.raises(psycopg.Error if error == "Error" else error, match=text):
        fg.postgres.top_k(con, given, ledger=ledger, **CHARGED)
    assert con.execute("SELECT count(*) FROM sales").fetchone() == (len(ROWS),)
    assert ledger.history() == []


def test_bad_options_spend_nothing(con, ledger):
    for change, error, text in [({"candidates": None}, ValueError, "which items"), ({"unit": None}, ValueError, "whose rows"),
                                ({"epsilon": "x"}, ValueError, "epsilon"), ({"epsilom": 1}, TypeError, "epsilom"), ({"k": 4}, ValueError, "k"),
                                ({"candidates": ["a\0b", "c"]}, ValueError, "control characters"), ({"unit": "row"}, ValueError, "unit")]:
        with pytest.raises(error, match=text):
            fg.postgres.top_k(con, "sales", ledger=ledger, **{**CHARGED, **change})
    assert ledger.history() == []


@pytest.mark.parametrize("name, shown", SHOWN.items())
def test_names_that_cannot_be_shown_as_they_are(con, name, shown):
    con.execute("INSERT INTO sales SELECT %s, generate_series(1, 50)", [name])
    assert estimates(fg.postgres.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)) == {shown: 50}
    above = fg.postgres.above(con, "sales", items_are_public=True, k=1, threshold=30, **options_of(False), **SURE)
    assert [row["query"] for row in above.rows if row["above"]] == [shown]
    con.rollback()


@pytest.mark.parametrize("name", ["x", "x" * 1024, "é" * 512, "a\tb", "a b", "日本", "\xa0", "a\\b", "50%"])
def test_names_that_can_be_shown(con, name):
    con.execute("INSERT INTO sales SELECT %s, generate_series(1, 50)", [name])
    assert estimates(fg.postgres.top_k(con, "sales", items_are_public=True, k=1, **options_of(False), **SURE)) == {name: 50}
    con.rollback()


def test_items_nobody_listed(con):
    """Names that cannot be shown take no place of others, nobody's item appears, and data without frequent items is an ordinary answer."""
    ask = {"unknown_items": True, "delta": "1e-9", "max_items": 1, "k": 3, "epsilon": 1, "ledger": None, **options_of(False)}
    asks = (ask, {**ask, "unit": "row"})
    for asked in asks:
        release = fg.postgres.top_k(con, "sales", **asked)
        assert release.winners == () and release.delta > 0 and "candidate_count" not in release.parameters
    con.execute("INSERT INTO sales SELECT name, unit FROM generate_series(100, 2099) AS unit, unnest(%s::text[]) AS name",
                [["rice", "", " x", "a\nb", "y" * 1025]])
    for asked in asks:
        release = fg.postgres.top_k(con, "SELECT * FROM sales WHERE product LIKE '%' OR true", **asked)
        assert [winner.item for winner in release.winners] == ["rice"] and 1950 < release.winners[0].estimate < 2050
    con.rollback()


def test_another_encoding_is_refused(psycopg, server, ledger):
    with psycopg.connect(**server.address(), autocommit=True) as con:
        con.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with psycopg.connect(**server.address(dbname="latin")) as con, pytest.raises(ValueError, match="UTF8"):
        fg.postgres.top_k(con, "SELECT 'tea'::text AS product, 1 AS customer", ledger=ledger, **CHARGED)
    assert ledger.history() == []


def test_the_ledger_knows_the_query(con, ledger):
    fg.postgres.top_k(con, "SELECT * FROM sales WHERE product <> 'host=db password=s3cret'", ledger=ledger, **CHARGED)
    fg.postgres.measure(con, "sales", items=["tea"], epsilon=1, ledger=ledger, **options_of(False))
    assert [entry["asked"]["sql"] for entry in ledger.history()] == ["SELECT * FROM sales WHERE product <> 'host=db password=***'", "FROM sales"]
    assert {entry["asked"]["input"] for entry in ledger.history()} == {"PostgreSQL"}


@pytest.mark.parametrize("most", [1, 2, 100])
def test_units_are_cut_down_as_by_brute_force(con, most):
    asked = _counting.Asked("product", "customer", max_items=most, key="%064x" % 7)
    with engine._transaction(con) as cursor:
        for source in ("sales", "(SELECT *, 7 % 3 AS item, 1 AS unit FROM sales)"):
            assert dict(engine._CountedTable(cursor, source, asked).everything()) == cut_down(ROWS, most, asked.key)
    release = engine.top_k(con, "sales", candidates=["tea", "jam", "rye"], k=3, max_items=most, **options_of(False), **SURE)
    assert release.parameters["max_items"] == most
