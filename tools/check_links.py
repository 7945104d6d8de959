#!/usr/bin/env python3
"""Every relative link in a Markdown file leads to a file of the repository, and its #fragment to a heading there. Every page and
every test that a comment in C++ names exists."""

import pathlib
import re
import sys

import repository

LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\s*\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$", re.MULTILINE)
NAMED = re.compile(r"\b(?:docs|tests)/[\w/.-]+\.(?:md|cpp|hpp|py)\b")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def anchors(path):
    """The fragments that the headings of a Markdown file can be reached by."""
    text = re.sub(r"^(```|~~~).*?^\1", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


def named_in_comments(root):
    """Where a comment in C++ names a page or a test, with that name."""
    for path in repository.files(root, ".cpp", ".hpp"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for name in NAMED.findall(line.partition("//")[2]):
                yield f"{path.relative_to(root)}:{number}", name


def check(root):
    violations = []
    checked = 0
    for where, name in named_in_comments(root):
        checked += 1
        if not (root / name).exists():
            violations.append(f"{where}: {name}: no such file")
    for path in repository.files(root, ".md"):
        text = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code.group()), path.read_text(encoding="utf-8"))
        for match in LINK.finditer(text):
            link = match.group(1) or match.group(2)
            if ELSEWHERE.match(link):
                continue
            checked += 1
            where = f"{path.relative_to(root)}:{text.count(chr(10), 0, match.end()) + 1}"
            name, _, fragment = link.partition("#")
            target = (root / name.lstrip("/") if name.startswith("/") else path.parent / name) if name else path
            if not target.exists():
                violations.append(f"{where}: {link}: no such file")
            elif fragment and target.suffix == ".md" and fragment not in anchors(target):
                violations.append(f"{where}: {link}: no such heading")
    return repository.report(violations, f"links: {checked} links and names in comments resolve")


if __name__ == "__main__":
    sys.exit(check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else repository.ROOT))
