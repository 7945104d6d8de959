#!/usr/bin/env python3
"""The mechanisms' own code computes with integers and exact rationals alone: no floating-point number, written or deduced.

Two looks at the files of the mechanisms layer. The tokens `float` and `double` must not occur outside comments and strings.
And clang, which knows the type behind each `auto` and sees templates instantiated, must find no expression, declaration or
return type of a floating-point type there, in any of the translation units given."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import check_layers
import repository

TOKEN = re.compile(r"\b(float|double|_Float\w+|__float\w+)\b|\b\d[\d']*\.\d*|\b\d[\d']*[eE][+-]?\d")
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|^\s*#\s*include[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL | re.MULTILINE)

FLOATING = "hasCanonicalType(realFloatingPointType())"
BEHIND = f"anyOf({FLOATING}, references(qualType({FLOATING})), pointsTo(qualType({FLOATING})))"
MATCHERS = [
    f"expr(hasType(qualType({BEHIND})), WHERE)",
    f"valueDecl(hasType(qualType({BEHIND})), WHERE)",
    f"functionDecl(returns(qualType({BEHIND})), WHERE)",
    f"typedefNameDecl(hasType(qualType({BEHIND})), WHERE)",
]


def mechanism_files(root):
    """The files of the mechanisms layer."""
    files = []
    for base in (root / "include", root / "src"):
        for path in repository.files(base, ".hpp", ".cpp"):
            if check_layers.layer_of(root, path.relative_to(base).as_posix()) == "mechanisms":
                files.append(path)
    return files


def written(root, files):
    """Violations that can be read off the tokens."""
    violations = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        text = COMMENT_OR_STRING.sub(lambda gone: re.sub(r"[^\n]", " ", gone.group()), text)
        for match in TOKEN.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            violations.append(f"{path.relative_to(root)}:{line}: floating point: {match.group()}")
    return violations


def deduced(root, files, units, flags):
    """Violations that only a compiler sees."""
    where = "|".join(path.relative_to(root).as_posix().replace(".", "[.]") for path in files)
    where = f'isExpansionInFileMatching("({where})$")'
    commands = ["set output diag", "set bind-root true", "set traversal AsIs"]
    commands += ["match " + matcher.replace("WHERE", where) for matcher in MATCHERS]
    arguments = ["clang-query", *[part for command in commands for part in ("-c", command)]]

    def query(unit):
        return subprocess.run([*arguments, unit, "--", *flags], capture_output=True, text=True, check=False)

    violations = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for unit, result in zip(units, pool.map(query, units)):
            counts = re.findall(r"^(\d+) match(?:es)?\.$", result.stdout, re.MULTILINE)
            if result.returncode or "error:" in result.stderr + result.stdout or len(counts) != len(MATCHERS):
                violations.append(f"{unit}: clang-query failed\n{result.stdout}{result.stderr}")
            elif any(int(count) for count in counts):
                places = re.findall(r'^(\S+:\d+:\d+): note: "root" binds here\n(.*)', result.stdout, re.MULTILINE)
                for place, line in dict.fromkeys(places):
                    violations.append(f"{place.removeprefix(f'{root}/')}: floating-point type: {line.strip()}")
    return list(dict.fromkeys(violations))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=repository.ROOT)
    parser.add_argument("--build-dir", help="where the build has generated headers")
    parser.add_argument("units", nargs="*", type=pathlib.Path,
                        help="translation units to look through, besides the sources of the mechanisms")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    files = mechanism_files(root)
    units = [path for path in files if path.suffix == ".cpp"] + [unit.resolve() for unit in arguments.units]
    violations = written(root, files)
    if files:
        # Flags of its own: those of the build may name headers that GCC has precompiled.
        flags = ["-std=c++20", "-Wno-everything", f"-I{root / 'include'}", f"-I{root / 'src'}"]
        if arguments.build_dir:
            flags.append(f"-I{arguments.build_dir}/include")
        violations += deduced(root, files, units, flags)
    return repository.report(
        violations, f"no floating point: {len(files)} files, seen through {len(units)} translation units")


if __name__ == "__main__":
    sys.exit(main())
