#!/usr/bin/env python3
"""The same selection by other libraries, in turn with ours. They live in an environment of their own, made on demand; nothing
else depends on them. Prints one JSON object a line, for bench/ratios.py."""

import argparse
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import time

# diffprivlib imports names that newer versions of scikit-learn do not have.
PACKAGES = ["numpy", "opendp", "diffprivlib", "scikit-learn<1.8"]
MEANINGS = {
    "numpy": "time of noise for all and argpartition in numpy / ours; n = 10^8, k = 10, epsilon = 0.7",
    "opendp": "time of OpenDP's noisy top 10 / ours, at the largest n that OpenDP finishes in a minute; epsilon = 0.7",
    "diffprivlib": "time of diffprivlib's permute-and-flip / our top 1, at the largest n that it finishes in a minute; epsilon = 0.7",
}
EPSILON = 0.7
PATIENCE = 60  # seconds
BOOTSTRAP = pathlib.Path(__file__).resolve().parent.parent / "tools/bootstrap"


def chosen(only):
    """Those with rows whose names begin so."""
    return [package for package in MEANINGS if f"{package}/zipf".startswith(only)]


def install(folder):
    """Makes the environment, or brings it up to date: its Python, or what went wrong."""
    python = folder / "bin/python"
    make = [sys.executable, "-m", "venv", "--clear", folder]
    if not (folder / "bin/pip").exists() and subprocess.run(make, capture_output=True, check=False).returncode:
        # Debian's Python comes without what makes environments.
        subprocess.run([BOOTSTRAP, "python3-venv"], stdout=sys.stderr, check=False)
        made = subprocess.run(make, capture_output=True, text=True, check=False)
        if made.returncode:
            return None, f"no environment for them could be made: {made.stdout.strip()}"
    pip = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", *PACKAGES],
                         capture_output=True, text=True, check=False)
    if pip.returncode and subprocess.run([python, "-c", "import numpy, opendp, diffprivlib"], capture_output=True, check=False).returncode:
        return None, f"pip could not install {', '.join(PACKAGES)}: {pip.stderr.strip()[-300:]}"
    return python, None


class Ours:
    """The program that makes a release whenever it is asked to, and says how many seconds it took."""

    def __init__(self, program, n, k):
        self.process = subprocess.Popen([program, "--serve", "zipf", str(n), str(k), str(EPSILON)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.seconds()

    def seconds(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def zipf(n):
    """Counts of the same shape as the program's."""
    import numpy
    source = numpy.random.default_rng(1)
    return (n / source.integers(1, n + 1, n) ** 1.1).astype(numpy.int64)


def seconds_of(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def median(values):
    return sorted(values)[len(values) // 2]


def row(program, package, n, k, their_seconds, rounds, bar):
    """Runs ours and theirs in turn."""
    ours = Ours(program, n, k)
    times = [(median([ours.seconds() for _ in range(9)]), their_seconds()) for _ in range(rounds)]
    ours.close()
    print(json.dumps({"name": f"{package}/zipf", "ratio": median([theirs / our for our, theirs in times]), "bar": bar,
                      "bound": "at least", "ours": median([our for our, _ in times]),
                      "theirs": median([theirs for _, theirs in times]),
                      "note": f"{package} {importlib.metadata.version(package)}, n = {n}"}), flush=True)


def largest(make):
    """The largest n, by doubling, whose work is done within our patience, as far as the last two times foretell; its seconds."""
    n, before, seconds = 10_000, None, seconds_of(make(10_000))
    while seconds * max(2, seconds / (before or seconds)) < PATIENCE:
        n, before = 2 * n, seconds
        seconds = seconds_of(make(n))
    return n, seconds


def with_numpy(program):
    import numpy
    n, k = 10**8, 10
    counts = zipf(n)
    source = numpy.random.default_rng()

    def select():
        noisy = source.standard_exponential(n)
        noisy *= k / EPSILON
        noisy += counts
        best = numpy.argpartition(noisy, n - k - 1)[n - k - 1:]
        return best[numpy.argsort(-noisy[best])]

    row(program, "numpy", n, k, lambda: seconds_of(select), 3, 25)


def with_opendp(program):
    import opendp.prelude as dp
    dp.enable_features("contrib")
    k = 10
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=True)
    select = space >> dp.m.then_noisy_top_k(dp.max_divergence(), k=k, scale=k / EPSILON)

    def make(n):
        counts = zipf(n).tolist()
        return lambda: select(counts)

    n, seconds = largest(make)
    row(program, "opendp", n, k, lambda: seconds, 1, 1000)


def with_diffprivlib(program):
    from diffprivlib.mechanisms import PermuteAndFlip

    def make(n):
        counts = zipf(n).tolist()
        return lambda: PermuteAndFlip(epsilon=EPSILON, sensitivity=1, utility=counts, monotonic=True).randomise()

    n, seconds = largest(make)
    row(program, "diffprivlib", n, 1, lambda: seconds, 1, 1000)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    comparisons = {"numpy": with_numpy, "opendp": with_opendp, "diffprivlib": with_diffprivlib}
    for package in chosen(options.only):
        try:
            comparisons[package](options.program)
        except Exception as error:  # their newest version may have changed
            print(json.dumps({"missing": package, "why": f"{type(error).__name__}: {error}"}), flush=True)


if __name__ == "__main__":
    main()
