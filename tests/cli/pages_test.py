"""Manual pages and completions say what the program's own help says: every verb, every option, every choice.

    pages_test.py PROGRAM SHARE            what bash and this script can check
    pages_test.py PROGRAM SHARE --tools    also with mandoc, zsh and fish"""

import pathlib
import re
import shutil
import subprocess
import sys

from program import Folder

SHARE = pathlib.Path(sys.argv[2]).resolve()
MAN = SHARE / "man" / "man1"
BASH = SHARE / "bash-completion" / "completions" / "freegap"
ZSH = SHARE / "zsh" / "site-functions" / "_freegap"
FISH = SHARE / "fish" / "vendor_completions.d" / "freegap.fish"


def verbs_of(text):
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  ([\w-]+)", listed.group(1), re.MULTILINE) if listed else []


def options_of(text):
    """The options that a help lists, each with its choices."""
    options = {}
    listed = re.search(r"^Options:\n(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL).group(1)
    for names, choices in re.findall(r"^  (-\S+)(?: [A-Z]+(?::\{(.*?)\})?)?", listed, re.MULTILINE):
        for name in names.split(","):
            options[name] = choices.split(",") if choices else []
    return options


def commands(folder):
    """Every verb by its path, with what its help says."""
    found = {}
    waiting = [()]
    while waiting:
        path = waiting.pop()
        text = folder.good(*path, "--help")
        found[path] = {"verbs": verbs_of(text), "options": options_of(text)}
        waiting += [(*path, verb) for verb in found[path]["verbs"]]
    assert len(found) > 20 and len(found[("top",)]["options"]) > 20, found
    return found


def page_of(path):
    return (MAN / f"{'-'.join(('freegap', *path))}.1").read_text(encoding="utf-8")


def manual(found):
    """A page per verb, with all of its options and verbs; no page is left over."""
    assert {page.name for page in MAN.iterdir()} == {f"{'-'.join(('freegap', *path))}.1" for path in found}
    for path, command in found.items():
        page = page_of(path)
        plain = page.replace("\\-", "-")
        assert f"\n.SH NAME\n{'-'.join(('freegap', *path))} \\- " in page.replace("\\-", "-").replace(" - ", " \\- ", 1), page
        for option, choices in command["options"].items():
            assert f"\\fB{option}\\fR" in plain, (path, option)
            assert not choices or "|".join(choices) in plain or ", ".join(choices) in plain, (path, option, choices)
        for verb in command["verbs"]:
            assert re.search(rf"^\\fB{verb}\\fR$", plain, re.MULTILINE), (path, verb)
        assert "EXIT STATUS" in page and "Example" in page, path
        assert not re.search(r"^\.(?!TH|SH|TP|PP|RS|RE|nf|fi|BR)", page, re.MULTILINE), path  # no request by accident


def complete_in_bash(folder, *words):
    """What bash offers for the last of these words."""
    script = (f"source '{BASH}'\nCOMP_WORDS=({' '.join(repr(word) for word in words)})\nCOMP_CWORD={len(words) - 1}\n_freegap\n"
              'printf "%s\\n" "${COMPREPLY[@]}"\n')
    result = subprocess.run(["bash", "-eu", "-c", script], cwd=folder.path, capture_output=True, text=True, check=False)
    assert not result.stderr, result
    return set(result.stdout.split())


def bash(folder, found):
    folder.write("some.dat", "1 2\n")
    for path, command in found.items():
        assert complete_in_bash(folder, "freegap", *path, "-") == set(command["options"]), path
        if command["verbs"]:
            assert complete_in_bash(folder, "freegap", *path, "") == set(command["verbs"]), path
        else:
            assert complete_in_bash(folder, "freegap", *path, "so") == {"some.dat"}, path
        for option, choices in command["options"].items():
            if choices:
                assert complete_in_bash(folder, "freegap", *path, option, "") == set(choices), (path, option)
    assert complete_in_bash(folder, "freegap", "to") == {"top"}
    assert complete_in_bash(folder, "freegap", "top", "--kind", "c") == {"counts"}
    assert complete_in_bash(folder, "freegap", "top", "--ledger", "so") == {"some.dat"}
    assert complete_in_bash(folder, "freegap", "top", "x.dat", "--univ") == {"--universe"}


def installed(folder):
    """`make install` puts them where man and the shells look."""
    result = subprocess.run(["cmake", "--install", SHARE.parent / "src" / "cli", "--prefix", folder.path / "prefix"],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 0, result
    share = folder.path / "prefix" / "share"
    for path in [*MAN.iterdir(), BASH, ZSH, FISH]:
        assert (share / path.relative_to(SHARE)).read_bytes() == path.read_bytes(), path


def tool(name):
    path = shutil.which(name)
    assert path, f"there is no {name}; tools/bootstrap {name} installs it"
    return path


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def with_tools(found):
    for page in sorted(MAN.iterdir()):
        result = run(tool("mandoc"), "-Tlint", "-W", "warning", page)
        assert result.returncode == 0 and not result.stdout, (page.name, result.stdout)
        shown = run(tool("man"), "-l", "--warnings=all", "-Tutf8", page, env={"MANWIDTH": "80", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        text = re.sub(".\b", "", shown.stdout)  # bold is struck twice
        assert shown.returncode == 0 and not shown.stderr and "SYNOPSIS" in text, (page.name, shown.stderr)
    result = run(tool("zsh"), "-n", ZSH)
    assert result.returncode == 0 and not result.stderr, result
    zsh = ZSH.read_text(encoding="utf-8")
    for path, command in found.items():
        body = re.search(rf"^_{'_'.join(('freegap', *path))}\(\) \{{\n(.*?)^\}}", zsh, re.MULTILINE | re.DOTALL).group(1)
        for option, choices in command["options"].items():
            assert f"'{option}[" in body and (not choices or f":({' '.join(choices)})'" in body), (path, option)
        for verb in command["verbs"]:
            assert f"    {verb}) _{'_'.join(('freegap', *path, verb))} ;;" in body, (path, verb)
        wanted = [option for option in command["options"] if option.startswith("--")]
        line = " ".join(("freegap", *path, "--"))
        result = run(tool("fish"), "--no-config", "-c", f"source {FISH}; complete -C '{line}'")
        offered = {word.split("\t")[0] for word in result.stdout.splitlines()}
        assert not result.stderr and set(wanted) <= offered, (path, set(wanted) - offered, result.stderr)
        others = {word for word in offered if word.startswith("--")} - set(wanted)
        assert not others, (path, others)
    choices = run(tool("fish"), "--no-config", "-c", f"source {FISH}; complete -C 'freegap top --kind '").stdout
    assert {line.split("\t")[0] for line in choices.splitlines()} == {"counts", "general"}, choices
    verbs = run(tool("fish"), "--no-config", "-c", f"source {FISH}; complete -C 'freegap budget '").stdout
    assert set(found[("budget",)]["verbs"]) <= {line.split("\t")[0] for line in verbs.splitlines()}, verbs


def main():
    with Folder() as folder:
        found = commands(folder)
        manual(found)
        bash(folder, found)
        installed(folder)
    if "--tools" in sys.argv:
        with_tools(found)
    print(f"manual pages and completions of {len(found)} commands agree with their help")


if __name__ == "__main__":
    main()
