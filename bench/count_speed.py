#!/usr/bin/env python3
"""How fast transactions are counted, next to `wc -w` on the same file: makes a file of the size and with the number of distinct
items asked for, runs both in turn, and prints the times, their ratio and the peak memory.

    bench/count_speed.py build/freegap

wc is run in the locale of the environment and in the C locale. Any other program that counts the file named last can stand in
for `freegap count`: bench/count_speed.py PROGRAM ARGUMENT...

    bench/count_speed.py build/freegap --bounds 5 20

measures instead what a contribution bound costs: `freegap count` with --max-items next to the same without, in turn, on transactions of the
Quest generator that are repeated up to the size. Ratios are of processor time."""

import argparse
import itertools
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

BLOCK_TOKENS = 3_000_000
QUEST = ["T10I4D100K", "T40I10D100K"]


def transactions(items, seed):
    """Blocks of transactions without end: first every item once, in random order, then as skewed as sales are."""
    source = random.Random(seed)
    everything = list(range(items))
    source.shuffle(everything)
    while True:
        tokens = everything + [int(items ** source.random()) - 1 for _ in range(BLOCK_TOKENS)]
        lines = []
        at = 0
        while at < len(tokens):
            length = source.randint(1, 20)
            lines.append(" ".join(map(str, tokens[at:at + length])))
            at += length
        yield ("\n".join(lines) + "\n").encode()


def make(path, size, items, seed):
    # A few blocks, over and over: numbers are slow to make up, and it is where they lie in memory that takes a counter's time.
    blocks = list(itertools.islice(transactions(items, seed), 3))
    with open(path, "wb") as file:
        for block in itertools.cycle(blocks):
            if file.tell() >= size:
                return
            file.write(block)


def timed(command, environment=None):
    """Seconds of the clock and of the processor, and the peak of memory in MB."""
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def repeated(program, name, size, path):
    """Transactions of a shape that `freegap quest` knows, again and again."""
    once = path.with_name(f"{name}.dat")
    subprocess.run([program, "quest", name, "--seed", "1", "--out", once], check=True, stdout=subprocess.DEVNULL)
    text = once.read_bytes()
    with open(path, "wb") as file:
        while file.tell() < size:
            file.write(text)


def bounded(program, options, path):
    """Prints what bounds cost, for each shape of transactions."""
    for name in QUEST:
        repeated(program, name, int(options.gigabytes * 1e9), path)
        commands = {most: [program, "count", path, "--format", "csv", *(["--max-items", str(most)] if most else [])]
                    for most in (None, *options.bounds)}
        runs = {most: [] for most in commands}
        for most in list(commands) * options.runs:
            runs[most].append(timed(commands[most]))
        print(f"{name}, {path.stat().st_size / 1e9:.2f} GB, best of {options.runs}")
        best = {most: [min(run[i] for run in runs[most]) for i in range(3)] for most in commands}
        for most, (clock, processor, memory) in best.items():
            what = "without a bound" if most is None else f"--max-items {most}"
            print(f"{what:32} {clock:7.2f} s   {processor:7.2f} s of processor   {memory:6.0f} MB   ratio {processor / best[None][1]:5.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="+", help="the program freegap, or another with its arguments")
    parser.add_argument("--gigabytes", type=float, default=1.0, help="size of the file (default 1)")
    parser.add_argument("--items", type=int, default=1_000_000, help="distinct items (default a million)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, of which the best counts (default 3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bounds", type=int, nargs="+", help="measure what --max-items costs with each of these")
    options = parser.parse_args()
    arguments = options.program[1:] or ["count", "--format", "csv"]
    program = [options.program[0], *arguments]

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "transactions.dat"
        if options.bounds:
            bounded(options.program[0], options, path)
            return
        # In a process of its own: what this one has held counts as the peak of those that it starts.
        maker = multiprocessing.Process(target=make, args=(path, int(options.gigabytes * 1e9), options.items, options.seed))
        maker.start()
        maker.join()
        if maker.exitcode:
            sys.exit("the file could not be made")
        locale = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or "C"
        candidates = {
            f"wc -w, {locale}": (["wc", "-w", path], None),
            "wc -w, LC_ALL=C": (["wc", "-w", path], {**os.environ, "LC_ALL": "C"}),
            " ".join([pathlib.Path(program[0]).name, *arguments]): ([*program, path], None),
        }
        best = {}
        for name in list(candidates) * options.runs:
            best.setdefault(name, []).append(timed(*candidates[name]))
        print(f"{path.stat().st_size / 1e9:.2f} GB, {options.items} distinct items, best of {options.runs}")
        names = list(candidates)
        for name in names:
            clock, processor, memory = (min(run[i] for run in best[name]) for i in range(3))
            print(f"{name:32} {clock:7.2f} s   {processor:7.2f} s of processor   {memory:6.0f} MB")
        for name in names[:2]:
            clock, processor = (min(run[i] for run in best[names[2]]) / min(run[i] for run in best[name]) for i in range(2))
            print(f"ratio to {name:23} {clock:7.2f}     {processor:7.2f}")


if __name__ == "__main__":
    main()
