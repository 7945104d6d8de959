"""Every verb's help fits 80 columns, and its example works when pasted."""

import re

from program import Folder

# Their examples run for minutes and have tests of their own.
LONG = {"reproduce", "verify"}
# Options whose values, in one word, are wider than a line.
WIDE = {"reproduce": ["--figures"]}


def example_of(text):
    """The indented lines after the word Example."""
    match = re.search(r"^Examples?:\n((?:  .*\n|\n)+)", text, re.MULTILINE)
    assert match, text
    return "\n".join(line[2:] for line in match.group(1).splitlines())


def verbs_of(text):
    """The verbs that a help lists."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  (\S+)", listed.group(1), re.MULTILINE) if listed else []


def too_wide(verb, text):
    """Lines of more than 80 columns, but for those of options that cannot be narrower."""
    lines = [line for line in text.splitlines() if len(line) > 80]
    for option in WIDE.get(verb, []):
        exempt = [line for line in lines if line.startswith(f"  {option} ")]
        assert len(exempt) == 1, f"{option} of {verb} is not wide: take it off the list"
        lines.remove(exempt[0])
    return lines


def check(verb, seen):
    """This verb and those under it."""
    with Folder() as folder:
        text = folder.good(*verb.split(), "--help")
        assert not too_wide(verb, text), (verb, too_wide(verb, text))
        seen.append(verb)
        if verb not in LONG:
            result = folder.shell(example_of(text))
            assert result.returncode == 0, (verb, result)
    for under in verbs_of(text):
        check(f"{verb} {under}".strip(), seen)


def main():
    seen = []
    check("", seen)
    assert {"", "top", "plan above", "budget create", "simulate above", *LONG} <= set(seen), seen
    print(f"the help of {len(seen)} verbs fits 80 columns, and {len(seen) - len(LONG)} examples work when pasted")


if __name__ == "__main__":
    main()
