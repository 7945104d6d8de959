"""What engines share, without any of them."""

import inspect

import pytest

import freegap as fg
from freegap import _engine, spark
from freegap._counting import Asked


@pytest.mark.parametrize("text, kept", [
    ("SELECT * FROM sales", "SELECT * FROM sales"),
    ("SELECT * FROM dblink('host=db password=s3cret user=ann', 'SELECT 1')", "SELECT * FROM dblink('host=db password=*** user=ann', 'SELECT 1')"),
    ("FROM postgres_scan('postgresql://ann:s3cret@db/shop', 'sales')", "FROM postgres_scan('postgresql://ann:***@db/shop', 'sales')"),
    ("SELECT dblink('PASSWORD = ''s3 cret'' host=db')", "SELECT dblink('PASSWORD = *** host=db')"),
    ("SELECT password FROM users WHERE a = 1", "SELECT password FROM users WHERE a = 1"),
    ("x://ann@db:5432/shop", "x://ann@db:5432/shop")])
def test_the_ledger_gets_no_passwords(text, kept):
    assert _engine.without_passwords(text) == kept


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_engines_offer_the_same_functions(engine):
    module = getattr(fg, engine)
    assert module.above is module.sparse_vector
    for name in ("top_k", "top_k_above", "sparse_vector", "measure"):
        function = getattr(module, name)
        assert function.__name__ == name and function.__module__ == f"freegap.{engine}" and "`item` and `unit`" in inspect.getdoc(function)
        assert list(inspect.signature(function).parameters)[-1] == "options"
        with pytest.raises(ValueError, match="item"):  # options are looked at before what is counted
            function(*[None] * (len(inspect.signature(function).parameters) - 1))


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
