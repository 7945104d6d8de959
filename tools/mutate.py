#!/usr/bin/env python3
"""Breaks the library and the program in one place at a time and sees whether the tests notice.

tools/mutations.toml lists the breaks: what is replaced in which file, why that would matter, and which tests are to notice:
test programs, Python tests of the program (cli_contract_test runs tests/cli/contract_test.py), or tests of the Python package
(python_arrays runs python/tests/test_arrays.py; they need build/venv). They are applied to copies of the tree, one at a time in each; the tests are built and run in turn until one fails.
A mutation that all of them pass has survived: the tests have a hole. Exit status 0 only if none survives.

The copies work side by side, one per processor. Where ccache is installed, it spares compiling again what was restored."""

import argparse
import concurrent.futures
import io
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib

import repository

# A test hangs, and that is noticed too, if it takes so many times as long as unchanged, within these bounds in seconds.
SLOWER = 20
SHORTEST_LIMIT = 60
LONGEST_LIMIT = 300
AT_A_TIME = 6  # mutations of one file that a copy takes before the next file
PYTHON = repository.ROOT / "build/venv/bin/python3"  # for the Python package
CUT_OFF = ("no end", "status -")  # by the limit, by a signal
FIELDS = {"name", "why", "file", "old", "new", "tests", "scale"}


class TableError(Exception):
    """The table does not fit the sources."""


def read_table(path, files, only=""):
    """The mutations that match; each must apply to exactly one place of `files`, which has the bytes of each file by name."""
    mutations = [mutation for mutation in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]
                 if re.search(only, f"{mutation.get('file')}: {mutation.get('name')}")]
    problems = [] if mutations else ["no mutation matches"]
    for mutation in mutations:
        name = mutation.get("name", "?")
        if not FIELDS - {"scale"} <= mutation.keys() <= FIELDS:
            problems.append(f"{name}: fields must be {', '.join(sorted(FIELDS))}")
            continue
        count = files.get(mutation["file"], b"").count(mutation["old"].encode())
        if count != 1:
            problems.append(f"{name}: the old text stands {count} times in {mutation['file']}")
        if mutation["old"] == mutation["new"] or not mutation["tests"]:
            problems.append(f"{name}: changes nothing, or names no test")
    if len({mutation.get("name") for mutation in mutations}) != len(mutations):
        problems.append("two mutations have the same name")
    if problems:
        raise TableError("\n".join(problems))
    return mutations


class Copy:
    """A copy of the tree with a build folder of its own. Both are kept, so that the next run starts where this one ended."""

    def __init__(self, folder, files):
        self.source = folder / "source"
        self.build = folder / "build"
        # ccache is to see the same names in every copy.
        self.environment = os.environ | {"CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
        self._sync(files)

    def _sync(self, files):
        for path in [path for path in self.source.rglob("*") if path.is_file()]:
            if path.relative_to(self.source).as_posix() not in files:
                path.unlink()
        for name, content in files.items():
            path = self.source / name
            if not path.exists() or path.read_bytes() != content:  # the rest keeps its time, and its objects
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    def configure(self):
        subprocess.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DFREEGAP_BUILD_EXAMPLES=OFF",
                        f"-DCMAKE_CXX_COMPILER_LAUNCHER={shutil.which('ccache') or ''}",
                        f"-DFREEGAP_BUILD_PYTHON={'ON' if PYTHON.exists() else 'OFF'}", f"-DPython_EXECUTABLE={PYTHON}"],
                       check=True, stdout=subprocess.DEVNULL)

    def text(self, name):
        return (self.source / name).read_text(encoding="utf-8")

    def write(self, name, text):
        (self.source / name).write_text(text, encoding="utf-8")

    def script(self, test):
        """The Python file of a test that calls the program; None for a test program."""
        path = self.source / "tests/cli" / f"{test.removeprefix('cli_')}.py"
        return path if test.startswith("cli_") and path.exists() else None

    def of_package(self, test):
        """The file of a test of the Python package; None for others."""
        path = self.source / "python/tests" / f"test_{test.removeprefix('python_')}.py"
        return path if test.startswith("python_") and path.exists() else None

    def make(self, test):
        """Builds what a test needs; what the compiler said if that fails, else None."""
        targets = ["freegap_cli"] if self.script(test) else ["freegap_cli", "freegap_python"] if self.of_package(test) else [test]
        result = subprocess.run(["ninja", "-C", self.build, "-j1", *targets], env=self.environment,
                                capture_output=True, text=True, check=False)
        return result.stdout if result.returncode else None

    def command(self, test):
        if script := self.script(test):
            return [sys.executable, script, self.build / "src/cli/freegap"]
        if path := self.of_package(test):
            return ["env", f"PYTHONPATH={self.build / 'python'}", f"FREEGAP_PROGRAM={self.build / 'src/cli/freegap'}", PYTHON, "-m",
                    "pytest", "-qx", "-p", "no:cacheprovider", "-m", "not long", path]
        [program] = [path for path in self.build.glob(f"tests/*/{test}") if path.is_file()]
        return [program, "--gtest_fail_fast", "--gtest_brief=1"]

    def run(self, test, scale, limit=LONGEST_LIMIT):
        """Runs a test for `limit` seconds at most; what failed, or None."""
        try:
            result = subprocess.run(self.command(test), cwd=self.build,
                                    env=os.environ | {"FREEGAP_TEST_SCALE": str(scale)}, timeout=limit,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        except subprocess.TimeoutExpired:
            return "no end"
        if result.returncode == 0:
            return None
        failed = re.search(rb"\[  FAILED  \] ([\w./]+)", result.stdout)
        return failed.group(1).decode() if failed else f"status {result.returncode}"


def tree_at(revision):
    """The files of a commit, by name."""
    archive = subprocess.run(["git", "-C", repository.ROOT, "archive", revision], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}


def files_to_mutate(revision):
    """The files of a commit, or of the work tree."""
    return tree_at(revision) if revision else {
        path.relative_to(repository.ROOT).as_posix(): path.read_bytes() for path in repository.files(repository.ROOT)}


def scale_of(mutation):
    return mutation.get("scale", 0.05)


def verdict(copy, mutation, limits):
    """Who notices the mutation; None if nobody does."""
    original = copy.text(mutation["file"])
    copy.write(mutation["file"], original.replace(mutation["old"], mutation["new"]))
    try:
        for test in mutation["tests"]:
            said = copy.make(test)
            if said is not None:
                raise TableError(f"{mutation['name']}: does not compile\n{said}")
            # A machine under load cuts tests off, too: that counts only if it happens twice.
            failed = None
            for _ in range(2):
                failed = copy.run(test, scale_of(mutation), limits[test, scale_of(mutation)])
                if failed is None or not failed.startswith(CUT_OFF):
                    break
            if failed:
                return f"{test} ({failed})"
    finally:
        copy.write(mutation["file"], original)
    return None


def side_by_side(copies, work, items):
    """The results of work(copy, item) for each item, in their order. Each copy does one at a time."""
    free = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def with_free_copy(item):
        copy = free.get()
        try:
            return work(copy, item)
        finally:
            free.put(copy)

    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        started = [pool.submit(with_free_copy, item) for item in items]
        try:
            return [future.result() for future in started]
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def time_limits(copies, mutations):
    """How long each test may take. Without a mutation every test must pass, or its failures mean nothing."""

    def unchanged(copy, test_and_scale):
        test, scale = test_and_scale
        said = copy.make(test)
        if said is not None:
            raise TableError(f"{test} does not build\n{said}")
        start = time.monotonic()
        failed = copy.run(test, scale)
        if failed:
            raise TableError(f"{test} fails without any mutation: {failed}")
        taken = time.monotonic() - start
        print(f"unchanged, {test} passes in {taken:.1f} s", flush=True)
        return min(max(SLOWER * taken, SHORTEST_LIMIT), LONGEST_LIMIT)

    tests = sorted({(test, scale_of(mutation)) for mutation in mutations for test in mutation["tests"]})
    return dict(zip(tests, side_by_side(copies, unchanged, tests), strict=True))


def batches(mutations):
    """A few mutations of one file each, the largest batches first: a file's dependents are built once per mutation, not twice."""
    by_file = {}
    for mutation in mutations:
        by_file.setdefault(mutation["file"], []).append(mutation)
    cut = [group[i:i + AT_A_TIME] for group in by_file.values() for i in range(0, len(group), AT_A_TIME)]
    return sorted(cut, key=len, reverse=True)


def mutate(copies, mutations, limits):
    def survivors_of(copy, batch):
        survivors = []
        for mutation in batch:
            start = time.monotonic()
            noticed = verdict(copy, mutation, limits)
            outcome = f"killed by {noticed}" if noticed else f"SURVIVED {', '.join(mutation['tests'])}"
            print(f"{mutation['file']}: {mutation['name']}: {outcome} [{time.monotonic() - start:.0f} s]", flush=True)
            if not noticed:
                survivors.append(mutation)
        return survivors

    survivors = sum(side_by_side(copies, survivors_of, batches(mutations)), [])
    killed = len(mutations) - len(survivors)
    print(f"mutations: {killed} of {len(mutations)} killed, {100 * killed / len(mutations):.1f} %")
    for mutation in survivors:
        print(f"survived: {mutation['name']} ({mutation['why']})")
    return 1 if survivors else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only see whether the table fits the sources")
    parser.add_argument("--only", default="", help="only mutations whose file or name matches this regular expression")
    parser.add_argument("--revision", help="mutate this commit instead of the work tree")
    parser.add_argument("--folder", type=pathlib.Path, default=repository.ROOT / "build/mutants", help="for the copies")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="copies that work side by side")
    arguments = parser.parse_args()
    table = repository.ROOT / "tools/mutations.toml"
    try:
        files = files_to_mutate(arguments.revision)
        mutations = read_table(table, files, arguments.only)
        if arguments.check:
            print(f"mutations: {len(mutations)} fit the sources")
            return 0
        copies = [Copy(arguments.folder.resolve() / str(i), files) for i in range(max(1, arguments.jobs))]
        for copy in copies:
            copy.configure()
        return mutate(copies, mutations, time_limits(copies, mutations))
    except TableError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
