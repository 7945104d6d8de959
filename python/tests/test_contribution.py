"""Contribution bounds: data frames and DuckDB keep the items that brute force says, the program keeps the same, and bounds reach the noise.
PostgreSQL and Spark are tested with their servers."""

import json

import pytest

import freegap as fg
from counting import cut_down, optional
from freegap import _contribution, _core, _counting

ROWS = [(item, unit) for unit in [*"abcdefgh", "1:a", "ü"] for item in ["tea", "rye", "jam", "oil", "é", "2:x", "42"][:2 + ord(unit[0]) % 6]]
ROWS = ROWS * 2 + [("tea", None), (None, "a"), ("alone", "a")]
KEY = "%064x" % 12345
COUNTED = {"item": "product", "unit": "customer", "epsilon": 1, "ledger": None, "items_are_public": True}


def asked(most, **more):
    return _counting.Asked("product", "customer", max_items=most, key=KEY, **more)


@pytest.fixture
def frame():
    return optional("pandas").DataFrame(ROWS, columns=["product", "customer"])


def test_a_rank_is_that_of_the_program():
    # printf '%064d3:ann3:tea' 0 | sha256sum, as in tests/sources/contribution_test.cpp
    assert _contribution.rank("0" * 64, "ann", "tea").hex() == "5846189197858a37a86539d559c9122d9dcc52987c5a53cf49d24b5895e22880"


@pytest.mark.parametrize("most", [1, 2, 3, 100])
def test_frames_and_duckdb_keep_what_brute_force_keeps(frame, most):
    from freegap import _frames
    from freegap import duckdb as engine

    duckdb, polars, pyarrow = map(optional, ("duckdb", "polars", "pyarrow"))
    expected = cut_down(ROWS, most, KEY)
    assert dict(_frames._count_pandas(frame, asked(most))) == expected
    assert dict(_frames._count_polars(polars.DataFrame(ROWS, ["product", "customer"], orient="row"), asked(most))) == expected
    assert dict(_frames._count_arrow(pyarrow.Table.from_pandas(frame), asked(most))) == expected
    with duckdb.connect() as con:
        con.register("sales", frame)
        for text in ("SELECT * FROM sales", "SELECT *, 1 AS item, 2 AS unit, 3 AS n FROM sales"):
            with engine._CountedTable(engine._Source(con, text, asked(most)), asked(most)) as counted:
                assert dict(counted.everything()) == expected


def test_units_that_a_collation_takes_for_one_are_one():
    from freegap import duckdb as engine

    with optional("duckdb").connect() as con:
        con.execute("CREATE TABLE sales (product VARCHAR, customer VARCHAR COLLATE nocase)")
        con.execute("INSERT INTO sales VALUES ('tea', 'Ann'), ('rye', 'ann'), ('jam', 'ANN'), ('tea', 'aNN')")
        with engine._CountedTable(engine._Source(con, "sales", asked(2)), asked(2)) as counted:
            counts = dict(counted.everything())
    assert sorted(counts) == ["jam", "rye", "tea"] and sum(counts.values()) == 2


def test_bounds_reach_the_noise_and_the_release(frame):
    release = json.loads(fg.top_k(frame, k=4, max_items=2, **COUNTED).to_json())
    assert release["parameters"]["max_items"] == 2
    assert release["measurement"]["scale"] == 4.0  # 2 / (1/2)
    assert release["parameters"]["candidate_count"] == 8  # those of the data, whatever the cut leaves
    assert json.loads(fg.top_k(frame, k=4, max_items=9, **{**COUNTED, "unit": "row"}).to_json())["measurement"]["scale"] == 2.0
    declared = json.loads(fg.top_k([5, 6, 7], k=3, epsilon=1, bounded_by=1, ledger=None).to_json())
    assert declared["parameters"]["max_items"] == 1 and declared["measurement"]["scale"] == 2.0
    assert fg.plan.top_k(k=10, epsilon=1, max_items=3)["measured_error"] == fg.plan.top_k(k=3, epsilon=1)["measured_error"]


def test_each_call_draws_a_key_that_no_document_shows(frame, ledger):
    drawn = {_core.cut_key() for _ in range(20)}
    assert len(drawn) == 20 and all(len(key) == 64 for key in drawn)
    fg.top_k(frame, k=1, max_items=2, **{**COUNTED, "ledger": ledger})
    entry = ledger.history()[-1]
    assert entry["asked"]["options"]["max_items"] == "2" and "key" not in repr(entry)
    assert KEY not in repr(asked(2))


@pytest.mark.parametrize("bad, error, part", [
    ({"max_items": 0}, ValueError, "at least 1"), ({"max_items": -1}, ValueError, "at least 1"), ({"max_items": True}, TypeError, "whole"),
    ({"max_items": 2.0}, TypeError, "whole"), ({"bounded_by": 2}, TypeError, "max_items=")])
def test_frames_refuse_bad_bounds(frame, bad, error, part):
    with pytest.raises(error, match=part):
        fg.top_k(frame, k=1, **COUNTED, **bad)


@pytest.mark.parametrize("bad, part", [({"max_items": 2}, "bounded_by="), ({"bounded_by": 0}, "from 1")])
def test_numbers_refuse_bad_bounds(bad, part):
    for function, options in ((fg.top_k, {"k": 1}), (fg.measure, {"items": [0]}), (fg.sparse_vector, {"k": 1, "threshold": 1})):
        with pytest.raises(ValueError, match=part):
            function([1, 2, 3], epsilon=1, ledger=None, **options, **bad)
    with pytest.raises(TypeError):
        fg.exponential([1, 2, 3], epsilon=1, sensitivity=1, bounded_by=1, ledger=None)


def test_an_item_is_measured_once_under_a_bound():
    with pytest.raises(ValueError, match="name each item once"):
        fg.measure([1, 2, 3], items=[0, 0], epsilon=1, bounded_by=1, ledger=None)


@pytest.mark.parametrize("kind", ["polars", "arrow"])
def test_units_that_a_frame_takes_for_one_are_cut_as_one(kind):
    from freegap import _frames

    polars, pyarrow = map(optional, ("polars", "pyarrow"))
    columns = {"product": ["a", "b", "c", "d", "e"], "customer": [float("nan")] * 5}
    counts = _frames._count_polars(polars.DataFrame(columns), asked(2)) if kind == "polars" else _frames._count_arrow(pyarrow.table(columns), asked(2))
    assert sorted(dict(counts).values()) == [0, 0, 0, 1, 1]


def test_units_that_look_alike_as_objects_of_python_are_cut_apart():
    from freegap import _frames

    polars = optional("polars")
    frame = polars.DataFrame({"product": list("abcde"), "customer": [1, 2, 3, 4, 5]}).with_columns(polars.col("customer").cast(polars.Datetime("ns")))
    assert dict(_frames._count_polars(frame, asked(1))) == dict.fromkeys("abcde", 1)
