#!/usr/bin/env python3
"""Who may include whom. Fails on an include that the tables below do not allow, and on a header they do not name."""

import pathlib
import re
import sys

import repository

# The public headers lie flat in include/freegap: each belongs to one layer.
HEADERS = {
    "core": ["errors", "rational", "queries", "grid", "floor_ticks", "candidates", "release", "allocation", "survey", "groups", "version"],
    "noise": ["bits", "rate", "noise", "ceiling"],
    "mechanisms": ["candidates", "trials", "leaders", "candidates_on_grid", "begun_noise", "all_noise", "top_k", "shuffle", "sparse_vector", "sparse_vector_above", "hybrid", "exponential", "measure"],
    "estimates": ["confidence", "estimate", "planning"],
    "all": ["freegap"],
}

# The public headers under include/freegap/verify, which freegap.hpp leaves out.
VERIFY = "verify"

# The layers each layer may include, besides itself.
MAY_INCLUDE = {
    "core": [],
    "noise": ["core"],
    "mechanisms": ["core", "noise"],
    "estimates": ["core"],
    "verify": ["core", "noise", "mechanisms"],
    "all": ["core", "noise", "mechanisms", "estimates"],
    "ledger": ["core"],
    "sources": ["core"],
    "experiments": ["core", "noise", "mechanisms", "estimates"],
    "cli": ["core", "noise", "mechanisms", "estimates", "verify", "ledger", "sources", "experiments", "all"],
}

# Headers from outside the C++ standard library, by regular expression.
THIRD_PARTY = {
    "core": [r"gmp\.h", r"gmpxx\.h", r"hwy/\w+\.h", r"unistd\.h"],
    "noise": [r"gmp\.h", r"gmpxx\.h", r"mpfr\.h", r"gcrypt\.h", r"hwy/\w+\.h", r"sys/(mman|random)\.h"],
    "mechanisms": [r"gmp\.h", r"gmpxx\.h", r"hwy/\w+\.h"],
    "estimates": [r"gmp\.h", r"gmpxx\.h"],
    "verify": [r"gmp\.h", r"gmpxx\.h"],
    "all": [],
    "ledger": [r"gmpxx\.h", r"sqlite3\.h", r"openssl/\w+\.h", r"(fcntl|unistd)\.h", r"sys/\w+\.h"],
    "sources": [r"gmp\.h", r"mpfr\.h", r"sqlite3\.h", r"(zlib|zstd)\.h", r"(fcntl|unistd)\.h", r"sys/\w+\.h"],
    "experiments": [r"gmpxx\.h"],
    "cli": [r"CLI/CLI\.hpp", r"nlohmann/json\.hpp", r"fmt/\w+\.h", r"(unistd|poll|pwd|signal)\.h"],
}

# Headers from outside that one file may include besides those of its layer.
THIRD_PARTY_OF_FILE = {"verify/report.cpp": [r"nlohmann/json\.hpp"]}

STANDARD = re.compile(r"[a-z_0-9]+")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

LAYER_OF_HEADER = {f"freegap/{name}.hpp": layer for layer, names in HEADERS.items() for name in names}


def layer_of(path):
    """The layer of a file, given by its path from include/ or from src/; None if the tables do not say."""
    parts = pathlib.PurePath(path).parts
    if parts[:2] == ("freegap", "verify"):
        return VERIFY
    if parts[0] == "freegap":
        return LAYER_OF_HEADER.get(path)
    return parts[0] if parts[0] in MAY_INCLUDE and len(parts) > 1 else None


def why_not(layer, name, quote, included):
    """Why the file of this name and layer must not include that; None if it may."""
    path = included
    if quote == '"' and "/" not in included:
        path = (pathlib.PurePath(name).parent / included).as_posix()
    target = layer_of(path)
    if target is not None:
        if target == layer or target in MAY_INCLUDE[layer]:
            return None
        return f"{layer} must not include {target}"
    if path.startswith("freegap/"):
        return "the header is not in the table of layers"
    if quote == "<" and STANDARD.fullmatch(included):
        return None
    if any(re.fullmatch(pattern, included) for pattern in THIRD_PARTY[layer] + THIRD_PARTY_OF_FILE.get(name, [])):
        return None
    return f"{layer} must not include this third-party or unknown header"


def check(root):
    violations = []
    checked = 0
    for base in (root / "include", root / "src"):
        for path in repository.files(base, ".hpp", ".cpp"):
            name = path.relative_to(base).as_posix()
            checked += 1
            layer = layer_of(name)
            if layer is None:
                violations.append(f"{path.relative_to(root)}: the table of layers does not name this file")
                continue
            text = path.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                reason = why_not(layer, name, *match.groups())
                if reason:
                    line = text.count("\n", 0, match.start(1)) + 1
                    violations.append(f"{path.relative_to(root)}:{line}: {match.group(2)}: {reason}")
    everything = root / "include/freegap/freegap.hpp"
    if everything.exists():
        included = {path for _, path in INCLUDE.findall(everything.read_text(encoding="utf-8"))}
        for header in sorted(LAYER_OF_HEADER.keys() - included - {"freegap/freegap.hpp"}):
            violations.append(f"include/freegap/freegap.hpp: does not include {header}")
    return repository.report(violations, f"layers: {checked} files keep to the tables")


if __name__ == "__main__":
    sys.exit(check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else repository.ROOT))
