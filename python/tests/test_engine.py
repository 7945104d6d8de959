"""What engines share, without any of them."""

import inspect

import pytest

import freegap as fg
from counting import positions
from freegap import _engine, spark
from freegap._counting import Asked


@pytest.mark.parametrize("text, kept", [
    ("SELECT * FROM sales", "SELECT * FROM sales"),
    ("SELECT password FROM users WHERE a = 1", "SELECT password FROM users WHERE a = 1"),
    ("SELECT password::text, 'password' FROM users", "SELECT password::text, 'password' FROM users"),
    ("x://ann@db:5432/shop", "x://ann@db:5432/shop"),
    ("SELECT a // b FROM 'http://h:80/f.csv'", "SELECT a // b FROM 'http://h:80/f.csv'"), ("f('http://h:80', 'a@b')", "f('http://h:80', 'a@b')"),
    # The rest of the literal is left out.
    ("SELECT * FROM dblink('host=db password=s3cret user=ann', 'SELECT 1')", "SELECT * FROM dblink('host=db password=***', 'SELECT 1')"),
    ("SELECT dblink('PASSWORD = ''s3 cret'' host=db')", "SELECT dblink('PASSWORD = ***')"),
    ("SELECT dblink('password=''it''''s s3cret''', 'x')", "SELECT dblink('password=***', 'x')"),
    (r"SELECT dblink(E'host=db password=\'s3cret\' user=ann', 'x')", "SELECT dblink(E'host=db password=***', 'x')"),
    ('SELECT dblink(\'password="s3cret"\', \'x\')', "SELECT dblink('password=***', 'x')"),
    ("SELECT dblink('x://db?password=s3&s3cret;s3cret', 'x')", "SELECT dblink('x://db?password=***', 'x')"),
    ("SELECT dblink($$passwd=it's s3cret$$, 'x')", "SELECT dblink($$passwd=***$$, 'x')"),
    ("SELECT dblink($a$pwd=$b$ s3cret$a$), $1", "SELECT dblink($a$pwd=***$a$), $1"),
    ("SELECT f('g(''sslpassword=s3cret'', ''x'')') ; ", "SELECT f('g(''sslpassword=***') ; "),
    ("SELECT dblink('password=s3cret'), dblink('password=s3cret')", "SELECT dblink('password=***'), dblink('password=***')"),
    # Outside of a literal all of the rest is.
    ("host=db password='s3cret' user=ann", "host=db password=***"), ("host=db password=s3", "host=db password=***"),
    ("SELECT 1 WHERE password = 's3cret' AND a", "SELECT 1 WHERE password = ***"), ("f(password => 's3cret')", "f(password =***"),
    ("f(\"password\" := 's3cret')", "f(\"password\" := ***"), ("password=", "password=***"),
    # So it is where the password may go on elsewhere.
    ("f('password=' || 's3cret')", "f('password=***"), ("f('password=s3' || 's3cret')", "f('password=***"),
    ("f('password=s3'\n's3cret')", "f('password=***"), ("concat('password=', 's3cret')", "concat('password=***"),
    ("format('password=%s', 's3cret')", "format('password=***"), ("format('password={}', 's3cret')", "format('password=***"),
    ("concat('x://ann:', 's3cret', '@db')", "concat('x://ann:***@db')"), ("f('x://ann:s3' || 's3cret@db', 'x')", "f('x://ann:***@db', 'x')"),
    ("format('x://ann:%s@db', 's3cret')", "format('x://ann:***"), ("format('x://%s:%s@db', 'ann', 's3cret')", "format('x://%s:***"),
    # So it is where quotation marks do not say what a literal is.
    (r"f('password=\'s3cret\'', 'x')", "f('password=***"), (r"f('password=\',s3cret', 'x')", "f('password=***"),
    ("[it's] WHERE password = lower('s3cret')", "[it's] WHERE password = ***"),
    (r"SELECT E'it\\', f('password=s3cret')", r"SELECT E'it\\', f('password=***')"),
    ("-- it's\nSELECT 1 WHERE password = lower('s3cret', 'x')", "-- it's\nSELECT 1 WHERE password = ***"),
    ("/* it's /* a */ ' */ f('password=s3cret', 'x')", "/* it's /* a */ ' */ f('password=***', 'x')"),
    ("SELECT a$b$ WHERE password=lower('s3cret'), '$b$'", "SELECT a$b$ WHERE password=***"),
    # Of an address, what stands before the last @.
    ("FROM postgres_scan('postgresql://ann:s3cret@db/shop', 'sales')", "FROM postgres_scan('postgresql://ann:***@db/shop', 'sales')"),
    ("f('//ann:s3 cret@db')", "f('//ann:***@db')"), ("f('//ann:s3@cret/s3@db', 'a@b')", "f('//ann:***@db', 'a@b')"),
    ("f('//:s3''cret@db', 'a@b')", "f('//:***@db', 'a@b')"), ("x://ann:s3'cret@db", "x://ann:***@db"),
    ("f('//ann:s3%40cret@db', 'a')", "f('//ann:***@db', 'a')"), ("f('//h:80', '//ann:s3cret@db')", "f('//h:80', '//ann:***@db')"),
    ("", ""), ("'", "'"), ("é password=s3cret", "é password=***"), ("password", "password"), ("//", "//"), ("E'\\", "E'\\"), ("$a", "$a")])
def test_the_ledger_gets_no_passwords(text, kept):
    assert _engine.without_passwords(text) == kept


def test_long_texts_are_searched_in_one_pass():
    for part in ("//a:", "'//a:", "password ", "/*", "$a$", "''", r"E'\'"):
        _engine.without_passwords(part * (1_000_000 // len(part)))


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_engines_offer_the_same_functions(engine):
    module = getattr(fg, engine)
    assert module.above is module.sparse_vector
    for name in ("top_k", "top_k_above", "sparse_vector", "measure"):
        function = getattr(module, name)
        assert function.__name__ == name and function.__module__ == f"freegap.{engine}" and "`item` and `unit`" in inspect.getdoc(function)
        assert {"item", "unit", "ledger"} <= set(inspect.signature(function).parameters) and positions(function) in (1, 2)
        with pytest.raises(ValueError, match="item"):  # options are looked at before what is counted
            function(*[None] * positions(function))


def test_a_column_named_row_makes_units_ambiguous():
    """Spark, PostgreSQL and data frames share this check."""
    with pytest.raises(ValueError, match="a column of that name as well"):
        _engine.check_columns(Asked("product", "row"), ["product", "row"])
    _engine.check_columns(Asked("product", "row"), ["product", "customer"])
    _engine.check_columns(Asked("product", "customer"), ["product", "customer", "row"])


def test_ranks_are_found_in_buckets():
    sizes = {7: [(0, 2), (3, 1), (4, 5)], 9: [(1, 4)]}
    wanted = [(0, 7, 5), (1, 9, 3), (2, 7, 0), (3, 7, 2), (4, 7, 1), (5, 9, 0), (6, 7, 7)]
    found = {place[0]: place[1:] for place in spark._places(wanted, sizes)}
    assert found == {0: (7, 4, 2, 5), 1: (9, 1, 3, 4), 2: (7, 0, 0, 2), 3: (7, 3, 0, 1), 4: (7, 0, 1, 2), 5: (9, 1, 0, 4), 6: (7, 4, 4, 5)}
