#!/usr/bin/env python3
"""Every complete C++ program in the documentation builds and runs: the ```cpp blocks of README.md and docs/ with a main.

The compiler takes the flags that pkg-config gives for each package named, as a reader's would."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import repository

BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs(root):
    """The programs of the documentation: where each stands, and its text."""
    for path in repository.files(root, ".md"):
        name = path.relative_to(root)
        if name.parts[0] == "docs" or name.as_posix() == "README.md":
            text = path.read_text(encoding="utf-8")
            for block in BLOCK.finditer(text):
                if re.search(r"\bint main\b", block.group(1)):
                    yield f"{name}:{text.count(chr(10), 0, block.start()) + 1}", block.group(1)


def failure(where, program, compiler, flags, scratch):
    """What went wrong with one program; None if it builds and runs."""
    stem = pathlib.Path(scratch) / re.sub(r"\W", "_", where)
    source = stem.with_suffix(".cpp")
    source.write_text(program, encoding="utf-8")
    for step in ([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", source, "-o", stem, *flags], [stem]):
        result = subprocess.run(step, capture_output=True, text=True, check=False, timeout=300)
        if result.returncode:
            doing = "build" if step[0] == compiler else "run"
            return f"{where}: does not {doing} (status {result.returncode})\n{result.stdout}{result.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=repository.ROOT)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("packages", nargs="*", help="pkg-config packages to build against")
    arguments = parser.parse_args()
    flags = []
    if arguments.packages:
        flags = shlex.split(subprocess.run(["pkg-config", "--static", "--cflags", "--libs", *arguments.packages],
                                           stdout=subprocess.PIPE, text=True, check=True).stdout)
    found = list(programs(arguments.root.resolve()))
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda program: failure(*program, arguments.compiler, flags, scratch), found)
        violations = [outcome for outcome in outcomes if outcome]
    return repository.report(violations, f"doc examples: {len(found)} programs build and run")


if __name__ == "__main__":
    sys.exit(main())
