#!/usr/bin/env python3
"""Builds the site into a folder of static files. Warnings and dead links are errors.

    build.py --verification FILE [--lab FOLDER] [--bench FOLDER] [--root FOLDER] [--out FOLDER]

FILE is what `freegap verify --format json` printed. The folder of the lab is copied to lab/, and the navigation leads there. Plots of the folder
of `make bench` are shown on the page on performance. Runs in the virtual
environment of site/requirements.txt (tools/virtual_environment --site) and needs Doxygen. What is built in between stays in OUT-sources and
OUT-doctrees, so that the next run builds only what changed."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

import check
import cpp_reference
import stage
import verification


def sphinx(root, sources, out, lab):
    """Runs Sphinx; its exit status. A warning is an error."""
    from sphinx.cmd.build import main as build

    os.environ["FREEGAP_ROOT"] = str(root)
    doctrees = out.with_name(out.name + "-doctrees")
    return build(["-b", "html", "-W", "--keep-going", "-q", "-j", "2", "-c", str(root / "site"), "-d", str(doctrees),
                  "-D", f"html_context.lab={'1' if lab else ''}", str(sources), str(out)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/site"))
    parser.add_argument("--verification", type=pathlib.Path, required=True)
    parser.add_argument("--lab", type=pathlib.Path)
    parser.add_argument("--bench", type=pathlib.Path)
    arguments = parser.parse_args()
    root, out = arguments.root.resolve(), arguments.out.resolve()
    sources = out.with_name(out.name + "-sources")
    try:
        site = stage.Site(root, sources, lab=arguments.lab is not None)
        site.stage(arguments.bench)
        document = json.loads(arguments.verification.read_text(encoding="utf-8"))
        site.finish(cpp_reference.reference(root, out.with_name(out.name + "-doxygen")) | {"verification.md": verification.page(document)})
    except (stage.DeadLink, subprocess.CalledProcessError) as problem:
        print(problem, file=sys.stderr)
        return 1
    if status := sphinx(root, sources, out, arguments.lab):
        return status
    if arguments.lab:
        shutil.copytree(arguments.lab, out / "lab", dirs_exist_ok=True)
    pages, wrong = check.check(out)
    print("\n".join([*wrong, f"{out}: {len(pages)} pages"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
