#!/usr/bin/env python3
"""Words that must not stand in the repository: paths of one machine, references to trackers, and, in the library, sources of
randomness other than its own."""

import pathlib
import re
import sys

import repository

# Patterns are spelt so that they do not match themselves.
EVERYWHERE = {
    r"/(work|root|tmp|home)/": "a path of somebody's machine",
    r"(?i)\b(issue|bug|ticket|pr)s? #\d*": "a reference to a tracker",
    r"(?i)github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d": "a reference to a tracker",
}
IN_THE_LIBRARY = {
    r"\bs?rand(om)?(_r)? ?\(": "the C library's generator",
    r"\bd?rand48\b": "the C library's generator",
    r"\b(mt19937|minstd_rand|ranlux|knuth_b|default_random_engine)\w*": "a generator that is not cryptographic",
    r"\brandom_device\b": "entropy whose quality the standard leaves open",
    r"#\s*include\s*<random>": "the standard library's generators and distributions",
}


def check(root):
    violations = []
    checked = 0
    for path in repository.files(root):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        checked += 1
        name = path.relative_to(root)
        patterns = dict(EVERYWHERE)
        if name.parts[0] in ("include", "src"):
            patterns |= IN_THE_LIBRARY
        for number, line in enumerate(text.splitlines(), start=1):
            for pattern, meaning in patterns.items():
                if re.search(pattern, line):
                    violations.append(f"{name}:{number}: {meaning}: {line.strip()}")
    return repository.report(violations, f"words: {checked} files are clean")


if __name__ == "__main__":
    sys.exit(check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else repository.ROOT))
