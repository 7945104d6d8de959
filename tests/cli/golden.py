"""Golden documents: what the program must say, kept in tests/cli/golden and compared field by field, numbers as numbers.

A test that is given --write as its last argument writes them anew; `git diff` then shows what a change of the program changes."""

import json
import math
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "golden"
WRITE = sys.argv[-1] == "--write"
# Estimates are integrals, whose last digits are those of the quadrature; libraries of mathematics differ, too. Whole numbers are exact.
TOLERANCE = 1e-3
OF_ESTIMATES = re.compile(r"(estimate|standard_error|_low|_high|interval\[\d\]|simultaneous\[\d\])$")
ABOUT_ZERO = 0.01  # as an estimate, or an end of its interval, may be
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def near(one, other, unit=0.0):
    """Whether two numbers agree, up to the tolerance or to a unit of the last digit that is shown."""
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1.01 * unit + 1e-12)


def same_number(text, wanted):
    """Whether two numbers of texts agree; whole ones exactly."""
    mantissa, _, power = wanted.lower().partition("e")
    decimals = mantissa.partition(".")[2]
    if not decimals and not power:
        return text == wanted
    shown = 10.0 ** (int(power or 0) - len(decimals))
    return near(float(text), float(wanted), shown if shown > 1e-7 else TOLERANCE * ABOUT_ZERO)


def text_difference(actual, expected):
    """What differs between two texts, their numbers compared as numbers; None if nothing does."""
    for line, wanted in zip(actual.splitlines(), expected.splitlines()):
        words, numbers = NUMBER.split(line), NUMBER.findall(line)
        wanted_words, wanted_numbers = NUMBER.split(wanted), NUMBER.findall(wanted)
        # A number with another count of digits moves blanks.
        if [" ".join(word.split()) for word in words] != [" ".join(word.split()) for word in wanted_words] or not all(
                same_number(one, other) for one, other in zip(numbers, wanted_numbers, strict=True)):
            return f"{line!r} instead of {wanted!r}"
    lines, wanted = len(actual.splitlines()), len(expected.splitlines())
    return None if lines == wanted else f"{lines} lines instead of {wanted}"


def flat(document, path=""):
    """The leaves of a document by their paths, in order. A list or an object that is empty is a leaf."""
    if isinstance(document, dict) and document:
        return {leaf: value for name, part in document.items() for leaf, value in flat(part, f"{path}.{name}" if path else name).items()}
    if isinstance(document, list) and document:
        return {leaf: value for i, part in enumerate(document) for leaf, value in flat(part, f"{path}[{i}]").items()}
    return {path: document}


def same_leaf(one, other, path=""):
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
    if not numbers:
        return type(one) is type(other) and one == other
    return one == other if isinstance(one, int) and isinstance(other, int) else near(
        one, other, ABOUT_ZERO if OF_ESTIMATES.search(path) else 0.0)


def check_leaves(actual, expected, where):
    """Both have the same leaves in the same order, each with its value."""
    assert list(actual) == list(expected), (where, "fields", [path for path in {**actual, **expected} if (path in actual) != (path in expected)]
                                            or (list(actual), list(expected)))
    for path, value in expected.items():
        assert same_leaf(actual[path], value, path), (where, path, actual[path], value)


class Golden:
    """A file of golden texts or documents, by name."""

    def __init__(self, name):
        self._path = FOLDER / name
        self._kept = json.loads(self._path.read_text(encoding="utf-8")) if self._path.exists() and not WRITE else {}
        self._seen = {}

    def document(self, name, actual):
        """Compares a JSON document, field by field."""
        self._seen[name] = flat(actual)
        if not WRITE:
            check_leaves(self._seen[name], self._kept[name], name)

    def text(self, name, actual):
        """Compares a text, line by line."""
        self._seen[name] = actual.splitlines()
        if not WRITE:
            difference = text_difference(actual, "\n".join(self._kept[name]))
            assert difference is None, (name, difference)

    def change(self, name, before, after):
        """Compares what changes from one document to another: the fields that differ, are new or are gone. Something must change."""
        before, after = flat(before), flat(after)
        if WRITE:
            changed = {path: after.get(path, "gone") for path in {**before, **after}
                       if path not in before or path not in after or not same_leaf(before[path], after[path])}
            self._seen[name] = changed
        else:
            self._seen[name] = changed = self._kept[name]
            expected = {path: changed.get(path, before.get(path)) for path in {**before, **changed} if changed.get(path) != "gone"}
            assert set(after) == set(expected), (name, "fields", set(after) ^ set(expected))
            for path, value in expected.items():
                assert same_leaf(after[path], value, path), (name, path, after[path], value)
        assert changed, f"{name}: changes nothing"

    def finish(self):
        """All that is kept must have been compared."""
        if WRITE:
            FOLDER.mkdir(exist_ok=True)
            self._path.write_text(json.dumps(self._seen, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
        else:
            assert self._seen.keys() == self._kept.keys(), self._seen.keys() ^ self._kept.keys()
        return len(self._seen)
