"""What the tests of data frames and DuckDB share: rows, their counts by brute force, and options that make chance irrelevant."""

import collections
import hashlib
import inspect

import pytest

#: Noise has scale below 1/50 then for up to 10 winners: half a count is passed with probability below exp(-25) each.
SURE = {"epsilon": 1000, "ledger": None}

#: (item, unit): repetitions, nulls, an item with null units alone, names that need quotation marks.
ROWS = [(item, unit) for item, units in {"tea": 9, "jam": 7, "it's \"rye\"": 5, "42": 3, "é": 2}.items() for unit in range(units)]
ROWS = ROWS * 2 + [("tea", None), (None, 1), (None, None), ("ghost", None), ("ghost", None)]


def counted(rows, by_rows):
    """Counts by brute force."""
    if by_rows:
        return collections.Counter(item for item, _ in rows if item is not None)
    return collections.Counter(item for item, _ in {row for row in rows if None not in row})


def options_of(by_rows):
    return {"item": "product", "unit": "row" if by_rows else "customer"}


def estimates(release):
    """Items with their counts, which are exact but for noise far below 1/2."""
    return {row["item"]: round(row["measured"]) for row in release.rows}


#: Names that a release cannot show as they are, and what it shows instead.
SHOWN = {"": '""', " tea": '" tea"', "tea\t": '"tea\\t"', "a\nb": '"a\\nb"', "\x7f": '"\\u007f"', "\x85": '"\\u0085"', '"x"': '"\\"x\\""',
         "x" * 1025: '"' + "x" * 957 + ":" + hashlib.sha256(b"x" * 1025).hexdigest() + '"',
         "é" * 513: '"' + ("\\u00e9" * 160)[:957] + ":" + hashlib.sha256("é".encode() * 513).hexdigest() + '"'}


def positions(function):
    """How many arguments of a function go by their position alone: of an engine, what is counted."""
    return sum(parameter.kind is parameter.POSITIONAL_ONLY for parameter in inspect.signature(function).parameters.values())


def optional(name):
    """A package that is not always there. The tests that ctest starts have all of them."""
    import importlib
    import os

    if "FREEGAP_PROGRAM" in os.environ:
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed")


def cut_down(rows, most, key):
    """Counts of units that keep their `most` items of the smallest ranks, by brute force; items that nobody keeps count 0."""
    from freegap import _contribution

    pairs = {(str(item), str(unit)) for item, unit in rows if None not in (item, unit)}
    counts = collections.Counter({item: 0 for item, _ in pairs})
    for unit in {unit for _, unit in pairs}:
        counts.update(sorted((item for item, other in pairs if other == unit), key=lambda item: _contribution.rank(key, unit, item))[:most])
    return dict(counts)
