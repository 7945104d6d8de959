#!/usr/bin/env python3
"""Breaks the library in one place at a time and sees whether the tests notice.

tools/mutations.toml lists the breaks: what is replaced in which file, why that would matter, and which test programs are to
notice. They are applied to a copy of the tree, one after the other; the programs are built and run in turn until one fails.
A mutation that all of them pass has survived: the tests have a hole. Exit status 0 only if none survives."""

import argparse
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time
import tomllib

import repository

# Layers that no mutation touches and no test program named in the table needs: built, they would cost half the time.
LEFT_OUT = {"src/CMakeLists.txt": ["add_subdirectory(estimates)\n", "add_subdirectory(verify)\n"],
            "CMakeLists.txt": ["  add_subdirectory(studies)\n"]}
LONGEST_RUN = 300  # seconds; a test that takes longer hangs, and that is noticed too
FIELDS = {"name", "why", "file", "old", "new", "tests", "scale"}


class TableError(Exception):
    """The table does not fit the sources."""


def read_table(path, source):
    """The mutations; each must apply to exactly one place of `source`, a function from a file's name to its text."""
    mutations = tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]
    problems = []
    for mutation in mutations:
        name = mutation.get("name", "?")
        if not FIELDS - {"scale"} <= mutation.keys() <= FIELDS:
            problems.append(f"{name}: fields must be {', '.join(sorted(FIELDS))}")
            continue
        count = source(mutation["file"]).count(mutation["old"])
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

    def __init__(self, folder, revision, jobs):
        self.source = folder / "source"
        self.build = folder / "build"
        self.jobs = jobs
        self._sync(revision)

    def _sync(self, revision):
        files = tree_at(revision) if revision else {
            path.relative_to(repository.ROOT).as_posix(): path.read_bytes() for path in repository.files(repository.ROOT)}
        for name, lines in LEFT_OUT.items():
            for line in lines:
                files[name] = files[name].replace(line.encode(), b"")
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
                        "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DFREEGAP_BUILD_EXAMPLES=OFF"],
                       check=True, stdout=subprocess.DEVNULL)

    def text(self, name):
        return (self.source / name).read_text(encoding="utf-8")

    def write(self, name, text):
        (self.source / name).write_text(text, encoding="utf-8")

    def make(self, test):
        """Builds a test program; what the compiler said if that fails, else None."""
        result = subprocess.run(["ninja", "-C", self.build, f"-j{self.jobs}", test],
                                capture_output=True, text=True, check=False)
        return result.stdout if result.returncode else None

    def run(self, test, scale):
        """Runs a test program; the first test that fails, or None."""
        [program] = [path for path in self.build.glob(f"tests/*/{test}") if path.is_file()]
        try:
            result = subprocess.run([program, "--gtest_fail_fast", "--gtest_brief=1"], cwd=self.build,
                                    env=os.environ | {"FREEGAP_TEST_SCALE": str(scale)}, timeout=LONGEST_RUN,
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


def verdict(copy, mutation):
    """Who notices the mutation; None if nobody does."""
    original = copy.text(mutation["file"])
    copy.write(mutation["file"], original.replace(mutation["old"], mutation["new"]))
    try:
        for test in mutation["tests"]:
            said = copy.make(test)
            if said is not None:
                raise TableError(f"{mutation['name']}: does not compile\n{said}")
            failed = copy.run(test, mutation.get("scale", 0.05))
            if failed:
                return f"{test} ({failed})"
    finally:
        copy.write(mutation["file"], original)
    return None


def require_sound(copy, mutations):
    """Without a mutation every test must pass, or its failures mean nothing."""
    scales = sorted({(test, mutation.get("scale", 0.05)) for mutation in mutations for test in mutation["tests"]})
    for test, scale in scales:
        said = copy.make(test)
        if said is not None:
            raise TableError(f"{test} does not build\n{said}")
        start = time.monotonic()
        failed = copy.run(test, scale)
        if failed:
            raise TableError(f"{test} fails without any mutation: {failed}")
        print(f"unchanged, {test} passes in {time.monotonic() - start:.1f} s", flush=True)


def mutate(copy, mutations):
    survivors = []
    # By file, so that each file's dependents are built once a mutation and not twice.
    for mutation in sorted(mutations, key=lambda mutation: mutation["file"]):
        start = time.monotonic()
        noticed = verdict(copy, mutation)
        outcome = f"killed by {noticed}" if noticed else f"SURVIVED {', '.join(mutation['tests'])}"
        print(f"{mutation['file']}: {mutation['name']}: {outcome} [{time.monotonic() - start:.0f} s]", flush=True)
        if not noticed:
            survivors.append(mutation)
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
    parser.add_argument("--folder", type=pathlib.Path, default=repository.ROOT / "build/mutants", help="for the copy")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    table = repository.ROOT / "tools/mutations.toml"
    try:
        if arguments.check:
            mutations = read_table(table, lambda name: (repository.ROOT / name).read_text(encoding="utf-8"))
            print(f"mutations: {len(mutations)} fit the sources")
            return 0
        copy = Copy(arguments.folder.resolve(), arguments.revision, arguments.jobs)
        mutations = [mutation for mutation in read_table(table, copy.text)
                     if re.search(arguments.only, f"{mutation['file']}: {mutation['name']}")]
        if not mutations:
            raise TableError("no mutation matches")
        copy.configure()
        require_sound(copy, mutations)
        return mutate(copy, mutations)
    except TableError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
