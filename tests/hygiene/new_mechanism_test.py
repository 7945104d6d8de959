"""A new mechanism touches about a dozen files, and CONTRIBUTING.md names all of them.

new_mechanism.patch adds a small mechanism to the library: whether one answer reaches a public bound. Here it is applied to a copy of
the repository. Its list of files must be that of CONTRIBUTING.md, its own test must pass, which includes everything that
`freegap verify` checks about it, and so must the hygiene checks of the copy.

To renew the patch after a change that it no longer fits: apply it by hand (`git apply --3way`), mend it, and write it again with
`git diff --cached -U1`."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import repository  # noqa: E402

PATCH = pathlib.Path(__file__).with_name("new_mechanism.patch")
NAME = "bound_check"
MOST_FILES = 15

# Checks that look at the copy as a whole, without building it.
CHECKS = ["check_layers.py", "check_words.py", "check_links.py", "check_format.py"]


def touched():
    """The files that the patch adds or changes."""
    return sorted(set(re.findall(r"^\+\+\+ b/(.+)$", PATCH.read_text(encoding="utf-8"), re.MULTILINE)))


def announced():
    """The files that CONTRIBUTING.md names under "Adding a mechanism", for this mechanism."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = re.search(r"^## Adding a mechanism\n(.*?)^## ", text, re.MULTILINE | re.DOTALL).group(1)
    rows = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    return sorted(row.replace("<name>", NAME) for row in rows)


def run(command, folder):
    """Runs a command; on failure prints what it said and leaves."""
    result = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def copy_of_repository(to):
    """The files that git tracks or would track, with the patch applied."""
    for path in repository.files(ROOT):
        target = to / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    run(["git", "init", "-q"], to)  # so that the checks see what git would track
    run(["git", "apply", PATCH], to)


def build_and_test(copy, options):
    """Builds the new mechanism's own test, without optimisation, and runs it."""
    build = copy / "build" / "new_mechanism"
    os.environ["CCACHE_BASEDIR"] = str(copy)
    run(["cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_BUILD_TYPE=",
         "-DCMAKE_CXX_FLAGS=-O0 -Werror", "-DFREEGAP_BUILD_EXAMPLES=OFF", *options], copy)
    run(["cmake", "--build", build, "--target", f"{NAME}_test"], copy)
    print(run([build / "tests" / "mechanisms" / f"{NAME}_test"], copy))
    return build


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake-option", action="append", default=[], help="passed on to cmake, such as -DCMAKE_CXX_COMPILER=...")
    arguments = parser.parse_args()
    files = touched()
    if files != announced():
        print("only in the patch:", *sorted(set(files) - set(announced())))
        print("only in CONTRIBUTING.md:", *sorted(set(announced()) - set(files)))
        return 1
    if len(files) > MOST_FILES:
        print(f"a mechanism takes {len(files)} files, more than {MOST_FILES}")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch)
        copy_of_repository(copy)
        for check in CHECKS:
            print(run([sys.executable, copy / "tools" / check], copy), end="")
        build = build_and_test(copy, arguments.cmake_option)
        print(run([sys.executable, copy / "tools" / "check_no_floating_point.py", "--build-dir", build,
                   copy / "tests" / "hygiene" / "mechanism_instances.cpp"], copy), end="")
        (copy / "build").mkdir(exist_ok=True)
        run(["doxygen", "Doxyfile"], copy)
    print(f"a new mechanism takes {len(files)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
