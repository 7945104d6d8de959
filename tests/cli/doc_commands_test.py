"""The ```sh blocks of the documentation, pasted into one shell: each page from top to bottom, in a folder of its own.

    doc_commands_test.py PROGRAM PYTHON PAGE...

Blocks of `make` are left out: they build the project itself, and leave the program in build/freegap. It is there, and nowhere else:
README.md says how a shell finds it, and other pages refer to that. The pages find PYTHON as python3. In place of a server there is a
psql that prints what COPY prints. A ```cmake block is the file that the tests of consumers build."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from program import PROGRAM, Folder

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CMAKE = re.compile(r"^```cmake\n(.*?)^```$", re.MULTILINE | re.DOTALL)
README = pathlib.Path(__file__).parent.parent.parent / "README.md"
FIND = re.compile(r"^export PATH=.*$", re.MULTILINE)
CONSUMER = pathlib.Path(__file__).parent.parent / "consumers" / "find_package" / "CMakeLists.txt"
PSQL = """#!/bin/sh
case $* in
  *"COPY ("*") TO STDOUT WITH (FORMAT csv, HEADER)"*) printf 'item,count\\nrye,1\\ntea,3\\n' ;;
  *) echo "psql: unknown statement" >&2; exit 1 ;;
esac
"""


def blocks(page):
    """The blocks of a page that a reader pastes."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [block for block in found if not block.startswith("make ")]


def script_of(page, pasted):
    """The blocks as one script that says on standard error which of them begins."""
    find = FIND.search(README.read_text(encoding="utf-8")).group()
    if page.resolve() != README.resolve():
        assert "README.md#your-own-csv" in page.read_text(encoding="utf-8"), f"{page}: does not say how a shell finds the program"
        pasted = [find, *pasted]
    marked = [f"echo 'block {number}' >&2\n{block}" for number, block in enumerate(pasted, 1)]
    return "\n".join([*marked, 'test "$(command -v freegap)" = "$PWD/build/freegap"'])


def run(page, pasted, python):
    with Folder() as folder:
        tools = folder.path / "tools"
        for path in (tools, folder.path / "build"):
            path.mkdir()
        (folder.path / "build" / "freegap").symlink_to(PROGRAM)
        for name, text in (("psql", PSQL), ("python3", f'#!/bin/sh\nexec {shlex.quote(str(python))} "$@"\n')):
            (tools / name).write_text(text, encoding="utf-8")
            (tools / name).chmod(0o755)
        others = [part for part in os.environ["PATH"].split(":") if not os.path.exists(os.path.join(part, "freegap"))]
        result = subprocess.run(["bash", "-eu", "-c", script_of(page, pasted)], cwd=folder.path, capture_output=True, text=True, check=False,
                                env={**os.environ, "PATH": ":".join([str(tools), *others])})
        assert result.returncode == 0, f"{page}:\n{result.stdout}{result.stderr}"


def main():
    python = pathlib.Path(sys.argv[2]).absolute()
    for name in sys.argv[3:]:
        page = pathlib.Path(name)
        pasted = blocks(page)
        assert pasted, f"{page}: nothing to paste"
        for block in CMAKE.findall(page.read_text(encoding="utf-8")):
            assert block == CONSUMER.read_text(encoding="utf-8"), f"{page}: not {CONSUMER}"
        run(page, pasted, python)
        print(f"{page}: {len(pasted)} blocks run")


if __name__ == "__main__":
    main()
