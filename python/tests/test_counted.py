"""Groups that an engine has counted, and how a lookup that fails is charged."""

import collections

import numpy
import pytest

import freegap as fg
from freegap import _counted

COUNTS = numpy.array([100, 900, 0], dtype="int64")
MANY = numpy.array([3, 1, 6], dtype="int64")
OPTIONS = {"k": 4, "epsilon": 400, "unit": "row", "mode": "public items", "ledger": None}


def named(asked):
    return [f"{group}/{rank}" for group, rank in asked]


def test_groups_are_looked_up_once():
    calls = []

    def lookup(asked):
        calls.append(asked)
        return named(asked)

    release = _counted.release_grouped("top_k", OPTIONS, COUNTS, MANY, lookup)
    assert len(calls) == 1 and calls[0][0] == (1, 0)
    assert sorted(calls[0][1:]) == [(0, 0), (0, 1), (0, 2)]
    assert [row.item for row in release.winners] == named(calls[0])
    assert release.parameters["candidate_count"] == 10
    assert "limit" not in release.parameters  # counted here, not ready-made


def test_ranks_are_uniform():
    """The winner is one of 6 equals. Of 6000 winners each is one 1000 +- 300 times but with probability 6 * 2 exp(-2 * 300^2 / 6000),
    below 2e-12 (Hoeffding). Always the first of the group would fail."""
    seen = collections.Counter()
    for _ in range(6000):
        release = _counted.release_grouped("top_k", {**OPTIONS, "k": 1, "measure": 0}, COUNTS[2:], MANY[2:], named)
        seen[release.winners[0].item] += 1
    assert len(seen) == 6
    assert all(abs(count - 1000) < 300 for count in seen.values())


@pytest.mark.parametrize("answer, part", [([], "one name for each"), (["a"] * 4, "once"), ([1.5] * 4, "str"), (None, "iterable")])
def test_bad_lookups(ledger, answer, part):
    with pytest.raises(fg.MachineFault, match="charged in full") as raised:
        _counted.release_grouped("top_k", {**OPTIONS, "unit": "customer", "ledger": ledger}, COUNTS, MANY, lambda asked: answer)
    assert part in f"{raised.value} {raised.value.__cause__}" and ledger.balance().reserved == 400


def test_a_lookup_that_raises(ledger):
    def lookup(asked):
        raise KeyError("the table is gone")

    with pytest.raises(fg.MachineFault, match="entry 1 stays charged in full") as caught:
        _counted.release_grouped("top_k", {**OPTIONS, "unit": "customer", "ledger": ledger}, COUNTS, MANY, lookup)
    assert isinstance(caught.value.__cause__, KeyError)
    assert ledger.balance().reserved == 400
    with pytest.raises(KeyError):
        _counted.release_grouped("top_k", OPTIONS, COUNTS, MANY, lookup)

    def interrupted(asked):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _counted.release_grouped("top_k", {**OPTIONS, "unit": "customer", "ledger": ledger}, COUNTS, MANY, interrupted)
    assert ledger.balance().reserved == 800


@pytest.mark.parametrize("counts, many", [([-1], [1]), ([1], [-1]), ([1, 2], [1]), ([], [])])
def test_bad_groups(ledger, counts, many):
    with pytest.raises(ValueError):
        _counted.release_grouped("top_k", {**OPTIONS, "k": 1, "unit": "customer", "ledger": ledger}, numpy.array(counts, dtype="int64"),
                                 numpy.array(many, dtype="int64"), named)
    assert ledger.history() == []


def test_the_sampler_of_the_black_box(ledger):
    values = [1.0, 2.0, 3.0]
    release = fg.exponential(values, epsilon=1, sensitivity=1, sampler=lambda: 2, ledger=ledger)
    assert release.item == "2" and ledger.balance().spent == 1
    with pytest.raises(fg.MachineFault, match="stays charged"):
        fg.exponential(values, epsilon=1, sensitivity=1, sampler=lambda: 3, ledger=ledger)
    with pytest.raises(fg.MachineFault) as caught:
        fg.exponential(values, epsilon=1, sensitivity=1, sampler=lambda: 1 // 0, ledger=ledger)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert ledger.balance().reserved == 2
