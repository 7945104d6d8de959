"""The commit that a build states: that of the clone as it is when the program is built, with a mark where its sources differ.

    commit_test.py PROGRAM

cmake/commit.cmake is run on small clones."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "commit.cmake"


def git(folder, *arguments):
    name = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    return subprocess.run(["git", "-C", folder, *name, *arguments], check=True, capture_output=True, text=True).stdout.strip()


def stated(clone, out):
    """What a build of the clone would state."""
    subprocess.run(["cmake", f"-DSOURCE={clone}", f"-DOUT={out}", "-P", SCRIPT], check=True)
    return re.search(r'return "(.*)";', out.read_text()).group(1)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["GIT_CEILING_DIRECTORIES"] = name  # whatever is around it
        out, clone = folder / "commit.cpp", folder / "clone"
        (clone / "src").mkdir(parents=True)
        (clone / "src" / "a.cpp").write_text("int a;\n")
        (clone / "notes.md").write_text("notes\n")
        assert stated(clone, out) == "unknown"
        git(clone, "init", "--quiet")
        assert stated(clone, out) == "unknown"  # no commit yet
        git(clone, "add", ".")
        git(clone, "commit", "--quiet", "-m", "One")
        first = git(clone, "rev-parse", "--short=12", "HEAD")
        assert stated(clone, out) == first
        # It is not written again, and so not compiled again, while it holds.
        os.utime(out, (1, 1))
        assert stated(clone, out) == first and out.stat().st_mtime == 1
        (clone / "notes.md").write_text("not compiled\n")
        assert stated(clone, out) == first
        (clone / "src" / "a.cpp").write_text("int b;\n")
        assert stated(clone, out) == first + "+changes"
        git(clone, "commit", "--quiet", "-a", "-m", "Two")
        second = git(clone, "rev-parse", "--short=12", "HEAD")
        assert first != second and stated(clone, out) == second
        (clone / "src" / "new.cpp").write_text("int c;\n")
        assert stated(clone, out) == second + "+changes"
        # Inside a clone of another project the commit is not this one's.
        (clone / "vendored").mkdir()
        assert stated(clone / "vendored", out) == "unknown"
    # The program was built with what its build wrote last.
    said = re.search(r"commit (\S+)\)", subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout).group(1)
    written = re.search(r'return "(.*)";', (PROGRAM.parent / "commit.cpp").read_text()).group(1)
    assert said == written, (said, written)
    print(f"builds state their commit: {said}")


if __name__ == "__main__":
    main()
