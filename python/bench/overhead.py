#!/usr/bin/env python3
"""What the binding adds to `top_k` on a NumPy array: processor time of a call from Python over that of the C++ call, with the same noise
object on both sides. Medians of interleaved batches. The bound is 2 microseconds and 1 % (docs/performance.md).

Calls on short arrays are timed in loops, of C++ and of Python. A long scan is faster in a loop that does nothing else, which leaves the
processor's caches to the array: that is no work of the binding. So calls on long arrays are timed one at a time, in turn, each after a
call on a short array that is not timed, less the time of reading the clock."""

import statistics
import sys
import time

import numpy

import freegap as fg
from freegap import _core

SIZES = [10, 1_000, 100_000, 1_000_000]
SHORT = 1_000  # arrays up to this size stay in the fastest cache whatever else runs
BATCHES = 101
TINY = numpy.arange(10)


def in_a_loop(values, calls):
    """Nanoseconds of processor time per call."""
    return _core.time_top_k(values, 10, "0.7", calls)


def loop_of_python(values, calls):
    before = time.process_time_ns()
    for _ in range(calls):
        fg.top_k(values, k=10, epsilon="0.7", measure=0, ledger=None)
    return (time.process_time_ns() - before) / calls


def after_a_short_call(timed):
    fg.top_k(TINY, k=5, epsilon="0.7", measure=0, ledger=None)
    return timed()


def one_of_python(values):
    before = time.process_time_ns()
    fg.top_k(values, k=10, epsilon="0.7", measure=0, ledger=None)
    return time.process_time_ns() - before


def compare_loops(values):
    """Medians of batches that take turns, in nanoseconds per call: C++, Python."""
    calls = 500_000 // (len(values) + 1_000)
    rounds = [(in_a_loop(values, calls), loop_of_python(values, calls)) for _ in range(BATCHES)]
    return [statistics.median(column) for column in zip(*rounds)]


def compare_single_calls(values):
    """The same of calls one at a time."""
    rounds = [(after_a_short_call(lambda: in_a_loop(values, 1)), after_a_short_call(lambda: one_of_python(values)))
              for _ in range(10 * BATCHES)]
    plain, python = (statistics.median(column) for column in zip(*rounds))
    return plain - READING[0], python - READING[1]


def reading_the_clock():
    """What reading it adds to a call that is timed by itself: in C++, in Python."""
    one = statistics.median(statistics.fmean(_core.time_top_k(TINY, 5, "0.7", 1) for _ in range(1_000)) for _ in range(BATCHES))
    pauses = [-time.process_time_ns() + time.process_time_ns() for _ in range(1_000)]
    return one - statistics.median(_core.time_top_k(TINY, 5, "0.7", 1_000) for _ in range(BATCHES)), statistics.median(pauses)


READING = reading_the_clock()


def main():
    worst = 0.0
    print(f"{'values':>9} {'C++ (us)':>10} {'Python (us)':>12} {'added (us)':>11} {'of 2 us + 1 %':>14}")
    for size in SIZES:
        values = numpy.random.default_rng(1).zipf(1.5, size).clip(0, 10**6).astype("int64")
        plain, python = compare_loops(values) if size <= SHORT else compare_single_calls(values)
        share = (python - plain) / (2_000 + 0.01 * plain)
        worst = max(worst, share)
        print(f"{size:9} {plain / 1e3:10.2f} {python / 1e3:12.2f} {(python - plain) / 1e3:11.2f} {share:13.0%}")
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
