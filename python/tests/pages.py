"""Runs the ```python blocks of a page from top to bottom, as a reader would paste them.

`print(x)  # text` prints exactly that. `# e.g. text` is one outcome of many, and not compared.

`python pages.py PAGE SECTION` runs those of one section, and those above all sections, and prints as JSON what they printed. It needs Python's own library
alone, so that environments without freegap and pytest run it too."""

import json
import pathlib
import re
import sys

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMISED = re.compile(r"^\s*print\(.*\)\s+# (?!e\.g\.)(.+)$")


def run(page, wanted=lambda section: True):
    """Runs the blocks of a page in one namespace, and compares what they print with what they say. Blocks of sections that are not `wanted` are left out."""
    text = page.read_text(encoding="utf-8")
    printed = {}

    def note(*values):
        printed.setdefault(sys._getframe(1).f_lineno, []).append(" ".join(map(str, values)))

    namespace = {"__name__": "__main__", "print": note}
    for block in BLOCK.finditer(text):
        _, heading, below = text[:block.start()].rpartition("\n## ")
        if heading and not wanted(below.partition("\n")[0]):
            continue
        above = text.count("\n", 0, block.start(1))
        exec(compile("\n" * above + block.group(1), str(page), "exec"), namespace)  # line numbers are those of the page
        for number, line in enumerate(block.group(1).splitlines(), above + 1):
            if promised := PROMISED.match(line):
                assert printed.get(number) == [promised.group(1)], f"{page}:{number}: {printed.get(number)}"
    return printed


if __name__ == "__main__":
    printed = run(pathlib.Path(sys.argv[1]), lambda section: section == sys.argv[2])
    assert printed, f"{sys.argv[1]}: {sys.argv[2]} prints nothing"
    print(json.dumps(list(printed.values())))
