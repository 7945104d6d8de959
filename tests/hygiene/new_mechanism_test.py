"""A new mechanism touches about a dozen files, its verb three more, and CONTRIBUTING.md names all of them.

new_mechanism.patch adds a small mechanism to the library and its verb to the program: whether one answer reaches a public bound. Here
it is applied to a copy of the repository. Its list of files must be that of CONTRIBUTING.md, and its verb must answer. Its own test,
which includes everything that `freegap verify` checks about it, the test of the help, and the hygiene checks of the copy must pass.

To renew the patch after a change that it no longer fits: apply it by hand (`git apply --3way`), mend it, and write it again with
`git diff --cached -U1`."""

import argparse
import json
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
VERB = "bound-check"
# How CONTRIBUTING.md marks the files of a verb, which not every mechanism gets.
FOR_A_VERB = "if it gets a verb"
MOST_FILES = 13
MOST_FILES_FOR_A_VERB = 3

# Checks that look at the copy as a whole, without building it.
CHECKS = ["check_layers.py", "check_words.py", "check_links.py", "check_format.py"]


def touched():
    """The files that the patch adds or changes."""
    return sorted(set(re.findall(r"^\+\+\+ b/(.+)$", PATCH.read_text(encoding="utf-8"), re.MULTILINE)))


def announced():
    """The files that CONTRIBUTING.md names under "Adding a mechanism", for this mechanism, and those of them for its verb."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = re.search(r"^## Adding a mechanism\n(.*?)^## ", text, re.MULTILINE | re.DOTALL).group(1)
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \|$", section, re.MULTILINE)
    named = [(path.replace("<name>", NAME), what) for path, what in rows]
    return sorted(path for path, _ in named), [path for path, what in named if what.startswith(FOR_A_VERB)]


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
    """Builds the new mechanism's own test and the program, hardly optimised, and runs the test."""
    build = copy / "build" / "new_mechanism"
    os.environ["CCACHE_BASEDIR"] = str(copy)
    run(["cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_BUILD_TYPE=",
         "-DCMAKE_CXX_FLAGS=-O0 -Werror", "-DFREEGAP_BUILD_EXAMPLES=OFF", *options], copy)
    run(["cmake", "--build", build, "--target", f"{NAME}_test", "freegap_cli"], copy)
    print(run([build / "tests" / "mechanisms" / f"{NAME}_test"], copy))
    return build


def check_verb(program, folder):
    """The verb is in the help, and it answers in all formats. A wrong answer has probability exp(-500)."""
    listed = run([program, "--help"], folder)
    assert re.search(rf"^  {VERB} ", listed, re.MULTILINE), listed
    (folder / "sites.csv").write_text("item,count\nnorth,4150\nsouth,12\n", encoding="utf-8")
    for name, reached in (("north", True), ("south", False), ("nowhere", False)):
        command = [program, VERB, "sites.csv", "--name", name, "--bound", "1015", "--epsilon", "0.5", "--unit", "visit",
                   "--no-ledger", "--format"]
        release = json.loads(run([*command, "json"], folder))
        assert release["mechanism"] == NAME, release
        assert release["epsilon"] == {"reserved": "1/2", "spent": "1/2"}, release
        assert (release["item"], release["bound"], release["reached"]) == (name, 1015, reached), release
        assert run([*command, "csv"], folder).split() == ["item,bound,reached", f"{name},1015,{str(reached).lower()}"]
        assert f"{name}: {'at least' if reached else 'below'} 1015\n" in run([*command, "table"], folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake-option", action="append", default=[], help="passed on to cmake, such as -DCMAKE_CXX_COMPILER=...")
    arguments = parser.parse_args()
    files = touched()
    named, for_a_verb = announced()
    if files != named:
        print("only in the patch:", *sorted(set(files) - set(named)))
        print("only in CONTRIBUTING.md:", *sorted(set(named) - set(files)))
        return 1
    count = f"{len(files) - len(for_a_verb)} files, and {len(for_a_verb)} more for its verb"
    if len(files) - len(for_a_verb) > MOST_FILES or len(for_a_verb) > MOST_FILES_FOR_A_VERB:
        print(f"a mechanism takes {count}: more than {MOST_FILES} and {MOST_FILES_FOR_A_VERB}")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch)
        copy_of_repository(copy)
        for check in CHECKS:
            print(run([sys.executable, copy / "tools" / check], copy), end="")
        build = build_and_test(copy, arguments.cmake_option)
        program = build / "src" / "cli" / "freegap"
        check_verb(program, copy / "build")
        print(run([sys.executable, copy / "tests" / "cli" / "help_test.py", program], copy), end="")
        print(run([sys.executable, copy / "tools" / "check_no_floating_point.py", "--build-dir", build,
                   copy / "tests" / "hygiene" / "mechanism_instances.cpp"], copy), end="")
        run(["doxygen", "Doxyfile"], copy)
    print(f"a new mechanism takes {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
