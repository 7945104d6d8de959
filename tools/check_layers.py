#!/usr/bin/env python3
"""Who may include whom. A file's layer follows from where it is:

    src/<layer>/...                        <layer>
    include/freegap/detail/<layer>/x.hpp   <layer>, internal: users must not include it
    include/freegap/<layer>/x.hpp          <layer>
    include/freegap/<layer>.hpp            <layer>
    include/freegap/x.hpp                  the one layer of the library that has src/<layer>/x.cpp

freegap.hpp, which includes all public headers, and version.hpp, which is generated, are the only exceptions. Fails on an include
that the layers do not allow, on a header without a layer, and on own files that are included without their folder."""

import pathlib
import re
import sys

import repository

# The layers that each layer may include, besides itself. `all` is freegap.hpp.
MAY_INCLUDE = {
    "core": [],
    "release": ["core"],
    "noise": ["core"],
    "mechanisms": ["core", "release", "noise"],
    "estimates": ["core", "release"],
    "verify": ["core", "release", "noise", "mechanisms", "html"],
    "all": ["core", "release", "noise", "mechanisms", "estimates"],
    "html": [],
    "ledger": ["core", "release"],
    "sources": ["core", "noise"],
    "questions": ["core", "release", "noise", "mechanisms", "estimates", "ledger", "sources"],
    "report": ["core", "ledger", "sources", "questions", "html"],
    "experiments": ["core", "release", "noise", "mechanisms", "estimates", "html"],
    "cli": ["core", "release", "noise", "mechanisms", "estimates", "all", "verify", "ledger", "sources", "questions", "report",
            "experiments", "html"],
}

# The layers that a public header without a folder may belong to.
FLAT = ["core", "noise", "mechanisms", "estimates"]

# Public headers that have no source: freegap.hpp includes all others, version.hpp is generated.
WITHOUT_SOURCE = {"freegap/freegap.hpp": "all", "freegap/version.hpp": "core"}

# Folders beside the library that keep to its public headers.
PUBLIC_ONLY = ["src/cli", "src/ledger", "src/sources", "src/questions", "src/report", "python/src", "examples"]

# Public headers that only see releases: what they include must lead neither to answers nor to internals.
RELEASES_ONLY = ["release", "estimates"]
SECRET = re.compile(r"freegap/(candidates\.hpp|detail/.*)")

# Headers from outside the C++ standard library, by regular expression.
THIRD_PARTY = {
    "core": [r"gmp\.h", r"gmpxx\.h", r"hwy/\w+\.h", r"unistd\.h", r"sys/mman\.h"],
    "release": [r"gmpxx\.h"],
    "noise": [r"gmp\.h", r"gmpxx\.h", r"mpfr\.h", r"gcrypt\.h", r"hwy/\w+\.h", r"sys/(mman|random)\.h"],
    "mechanisms": [r"gmp\.h", r"gmpxx\.h", r"hwy/\w+\.h"],
    "estimates": [r"gmp\.h", r"gmpxx\.h"],
    "verify": [r"gmp\.h", r"gmpxx\.h"],
    "all": [],
    "html": [],
    "ledger": [r"gmpxx\.h", r"sqlite3\.h", r"libpq-fe\.h", r"dlfcn\.h", r"openssl/\w+\.h", r"(fcntl|poll|unistd)\.h", r"sys/\w+\.h"],
    "sources": [r"gmp\.h", r"mpfr\.h", r"openssl/evp\.h", r"sqlite3\.h", r"(zlib|zstd)\.h", r"(fcntl|signal|spawn|unistd)\.h", r"sys/\w+\.h"],
    "questions": [r"nlohmann/json\.hpp", r"(pwd|unistd)\.h"],
    "report": [r"nlohmann/json\.hpp", r"fmt/\w+\.h"],
    "experiments": [r"gmpxx\.h"],
    "cli": [r"CLI/CLI\.hpp", r"nlohmann/json\.hpp", r"fmt/\w+\.h", r"(unistd|fcntl|poll|signal)\.h"],
}

# Headers from outside that one file may include besides those of its layer.
THIRD_PARTY_OF_FILE = {"verify/report.cpp": [r"nlohmann/json\.hpp"]}

STANDARD = re.compile(r"[a-z_0-9]+")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def layer_of(root, path):
    """The layer of a file, given by its path from include/ or from src/; None if it has none."""
    parts = pathlib.PurePath(path).parts
    if parts[0] != "freegap":
        return parts[0] if len(parts) > 1 and parts[0] in MAY_INCLUDE else None
    if parts[1:2] == ("detail",):
        return parts[2] if len(parts) > 3 and parts[2] in FLAT else None
    if len(parts) > 2:
        return parts[1] if parts[1] in ("release", "verify") else None
    name = pathlib.PurePath(path).stem
    if path in WITHOUT_SOURCE:
        return WITHOUT_SOURCE[path]
    if name in MAY_INCLUDE:
        return name
    layers = [layer for layer in FLAT if (root / "src" / layer / f"{name}.cpp").exists()]
    return layers[0] if len(layers) == 1 else None


def includes(path):
    """(quote or bracket, what is included, line) of a file."""
    text = path.read_text(encoding="utf-8")
    return [(*match.groups(), text.count("\n", 0, match.start(1)) + 1) for match in INCLUDE.finditer(text)]


def why_not(root, layer, name, quote, included):
    """Why the file of this name and layer must not include that; None if it may."""
    target = layer_of(root, included)
    if target is not None:
        if target == layer or target in MAY_INCLUDE[layer]:
            return None
        return f"{layer} must not include {target}"
    if included.startswith("freegap/"):
        return "the header has no layer: no folder says it, and no source in exactly one layer of the library"
    if quote == '"' and (root / "src" / pathlib.PurePath(name).parent / included).exists():
        return f"an own file is included with its folder: {(pathlib.PurePath(name).parent / included).as_posix()}"
    if quote == "<" and STANDARD.fullmatch(included):
        return None
    if any(re.fullmatch(pattern, included) for pattern in THIRD_PARTY[layer] + THIRD_PARTY_OF_FILE.get(name, [])):
        return None
    return f"{layer} must not include this third-party or unknown header"


def reachable(root, header):
    """All headers of the library that a header leads to, each with the one that includes it."""
    found = {}
    waiting = [header]
    while waiting:
        name = waiting.pop()
        path = root / "include" / name
        for _, included, _ in includes(path) if path.exists() else []:
            if included.startswith("freegap/") and included not in found:
                found[included] = name
                waiting.append(included)
    return found


def layer_violations(root):
    """Includes that the layers do not allow, and files without a layer; with the number of files looked at."""
    violations = []
    checked = 0
    for base in (root / "include", root / "src"):
        for path in repository.files(base, ".hpp", ".cpp"):
            name = path.relative_to(base).as_posix()
            checked += 1
            layer = layer_of(root, name)
            if layer is None:
                violations.append(f"{path.relative_to(root)}: no layer: no folder says it, and no source in exactly one "
                                  "layer of the library")
                continue
            for quote, included, line in includes(path):
                reason = why_not(root, layer, name, quote, included)
                if reason:
                    violations.append(f"{path.relative_to(root)}:{line}: {included}: {reason}")
    return violations, checked


def public_headers(root):
    """The headers that users may include by freegap.hpp, by their path from include/."""
    folder = root / "include/freegap"
    found = [path for path in repository.files(folder, ".hpp") if path.relative_to(folder).parts[0] not in ("detail", "verify")]
    return {path.relative_to(root / "include").as_posix() for path in found}


def export_violations(root):
    """Public headers that freegap.hpp leaves out, and what it includes besides."""
    everything = root / "include/freegap/freegap.hpp"
    if not everything.exists():
        return []
    included = {name for _, name, _ in includes(everything)}
    expected = (public_headers(root) | {"freegap/version.hpp"}) - {"freegap/freegap.hpp"}
    return [f"include/freegap/freegap.hpp: does not include {name}" for name in sorted(expected - included)] + [
        f"include/freegap/freegap.hpp: includes {name}, which is no public header" for name in sorted(included - expected)]


def secrecy_violations(root):
    """Headers of releases and estimates that lead to answers or internals."""
    violations = []
    for header in sorted(public_headers(root)):
        if layer_of(root, header) in RELEASES_ONLY:
            for name, by in sorted(reachable(root, header).items()):
                if SECRET.fullmatch(name):
                    violations.append(f"include/{header}: leads to {name}, by {by}: it must see releases alone")
    return violations


def internal_violations(root):
    """Internal headers that the program or an example includes."""
    violations = []
    for folder in PUBLIC_ONLY:
        for path in repository.files(root / folder, ".hpp", ".cpp") if (root / folder).exists() else []:
            for _, included, line in includes(path):
                if included.startswith("freegap/detail/"):
                    violations.append(f"{path.relative_to(root)}:{line}: {included}: internal to the library")
    return violations


def check(root):
    violations, checked = layer_violations(root)
    violations += export_violations(root) + secrecy_violations(root) + internal_violations(root)
    return repository.report(violations, f"layers: {checked} files keep to their layers")


if __name__ == "__main__":
    sys.exit(check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else repository.ROOT))
