#!/usr/bin/env python3
"""A wheel of the Python package is what docs/python.md promises: it is for any Linux with a C library of its age, and for every later Python where Python
allows that; it has the whole package with its types, a licence for all that it brings along, and no path of the machine that built it."""

import os
import pathlib
import re
import sys
import zipfile

import repository

TAG = re.compile(r"(?:cp311-cp311|cp312-abi3)-manylinux_2_3\d_\w+")  # the stable interface that the module uses is there from 3.12 on
MODULE = {"cp311": re.compile(r"freegap/_core\.cpython-311-[\w-]+\.so"), "cp312": re.compile(r"freegap/_core\.abi3\.so")}
IN_MODULE = ["LICENSE", "nanobind.txt", "nlohmann-json.txt", "robin-map.txt"]
COMMON = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])")


def check_tag(tag, files, description):
    if not TAG.fullmatch(tag):
        yield f"{tag}: this tag is not promised"
    elif not any(MODULE[tag[:5]].fullmatch(name) for name in files):
        yield f"freegap/_core: there is no module of the tag {tag}"
    if f"\nTag: {tag}\n" not in files.get(f"{description}/WHEEL", b"").decode():
        yield f"{description}/WHEEL: does not state the tag {tag}"


def check_package(files, package):
    for path in sorted(path for path in package.iterdir() if path.suffix in (".py", ".pyi", ".typed")):
        if files.get(f"freegap/{path.name}") != path.read_bytes():
            yield f"freegap/{path.name}: is missing, or differs from {package.name}/{path.name}"


def check_licences(files, description):
    texts = {name.rpartition("/")[2]: text.decode() for name, text in files.items() if name.startswith(f"{description}/licenses/")}
    libraries = [re.sub(r"-[0-9a-f]{8}\.so.*", "", name.rpartition("/")[2]) for name in files if name.startswith("freegap.libs/")]
    if not libraries:
        yield "freegap.libs: there are no libraries"
    for name in IN_MODULE + [f"{library}.txt" for library in libraries]:
        if "copyright" not in texts.get(name, "").lower():
            yield f"{description}/licenses/{name}: there is no licence"
    for name, text in sorted(texts.items()):
        for common in sorted(set(COMMON.findall(text)) - set(texts)):
            yield f"{description}/licenses/{common}: is missing, and {name} refers to it"


def check_paths(files, places):
    for place in places:
        pattern = re.compile(rb"(?<![\w.])" + re.escape(os.fsencode(place)) + rb"/")
        for name, content in sorted(files.items()):
            # Libraries of Debian have paths of the machines that built them, such as /build.
            if not name.startswith("freegap.libs/") and pattern.search(content):
                yield f"{name}: contains {place}, a path of this machine"


def check(wheel, root):
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    name, version, tag = wheel.stem.split("-", 2)
    description = f"{name}-{version}.dist-info"
    places = {str(root), os.path.realpath(root), sys.prefix, os.path.realpath(sys.prefix), os.path.expanduser("~")}
    violations = [*check_tag(tag, files, description), *check_package(files, root / "python" / "freegap"), *check_licences(files, description),
                  *check_paths(files, sorted(places - {"/", "/usr"}))]
    return repository.report(violations, f"wheel: {len(files)} files are as promised")


if __name__ == "__main__":
    sys.exit(check(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else repository.ROOT))
