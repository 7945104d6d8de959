"""Every verb's help fits 80 columns but for pasted lines, and its example works when pasted."""

import re

from program import Folder

VERBS = [
    "",
    "top",
    "above",
    "choose",
    "measure",
    "count",
    "plan",
    "plan top",
    "plan above",
    "budget",
    "budget create",
    "simulate",
    "quest",
    "reproduce",
    "verify",
]
# Their examples run for minutes and have tests of their own.
LONG = {"reproduce", "verify"}


def example_of(text):
    """The indented lines after the word Example."""
    match = re.search(r"^Examples?:\n((?:  .*\n|\n)+)", text, re.MULTILINE)
    assert match, text
    return "\n".join(line[2:] for line in match.group(1).splitlines())


def main():
    pasted = 0
    with Folder() as home:
        top_help = home.good("--help")
    for verb in VERBS:
        if verb and not re.search(rf"^  {verb.split()[0]} ", top_help, re.MULTILINE):
            assert verb == "reproduce", f"{verb} is not a verb"
            continue
        with Folder() as folder:
            text = folder.good(*verb.split(), "--help")
            wide = [line for line in text.split("Example")[0].splitlines() if len(line) > 80 and not line.startswith("  -")]
            assert not wide, (verb, wide)
            if verb in LONG:
                continue
            result = folder.shell(example_of(text))
            assert result.returncode == 0, (verb, result)
            pasted += 1
    print(f"{pasted} examples work when pasted")


if __name__ == "__main__":
    main()
