"""Where the command line has a word, Python has the same: docs/python.md, "The words of the command line"."""

import inspect
import re

import pytest

import freegap as fg

VERBS = {"top": ("top_k", "top_k_above"), "above": ("sparse_vector",), "choose": ("exponential",), "measure": ("measure",)}
OTHERWISE = {  # what Python says in another way
    "help", "color", "format", "report",                                       # a release has repr, plot and to_...
    "input-format", "separator", "sqlite", "query", "value", "skip-bad-records", "parquet", "duckdb",  # reading files
    "item",                                                                    # of data frames and engines
    "above",                                                                   # threshold= of top_k_above
    "item-name", "items-file",                                                 # items=[...]
    "dataset", "no-ledger",                                                    # ledger=Ledger(..., dataset=...), ledger=None
}


@pytest.mark.parametrize("verb", VERBS)
def test_options_have_the_same_words(verb, program, folder):
    usage = program(verb, "--help", folder=folder)
    words = set(re.findall(r"^ +(?:-\w,)?--([a-z-]+)", usage, re.MULTILINE)) - OTHERWISE
    taken = {name for function in VERBS[verb] for name in inspect.signature(getattr(fg, function)).parameters}
    assert len(words) > 8
    assert {word.replace("-", "_") for word in words} <= taken


def test_signatures_name_the_column_of_items():
    for function in (fg.top_k, fg.top_k_above, fg.sparse_vector, fg.measure):
        assert {"item", "unit", "range"} <= set(inspect.signature(function).parameters)
    release = fg.top_k([900, 20], item=None, range=None, k=1, epsilon=100, ledger=None)
    assert release.winners[0].item == "0"
    assert "item" not in inspect.signature(fg.exponential).parameters
