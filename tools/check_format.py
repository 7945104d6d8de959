#!/usr/bin/env python3
"""Every C++ file is as clang-format would write it. `make format` mends what this finds."""

import pathlib
import subprocess
import sys

import repository


def check(root):
    sources = repository.files(root, ".hpp", ".cpp")
    if not sources:
        return repository.report([], "format: no C++ files")
    style = repository.ROOT / ".clang-format"
    result = subprocess.run(["clang-format", f"--style=file:{style}", "--dry-run", "-Werror", *sources], check=False)
    return repository.report(["format: run `make format`"] if result.returncode else [],
                             f"format: {len(sources)} files are formatted")


if __name__ == "__main__":
    sys.exit(check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else repository.ROOT))
