"""What reaches people, terminals, spreadsheets and files: names shown as they are, numbers read as they are written, files that are not
overwritten, paths that are checked before any work, and colour only where it is wanted."""

import csv
import io
import os
import pty
import re
import resource
import sqlite3
import subprocess

from program import PROGRAM, Folder

BOLD, RED = "\x1b[1m", "\x1b[1;31m"
ODD = {"a\u202eb": "a\\u{202E}b", "c\u2066d": "c\\u{2066}d", "e\u200ff": "e\\u{200F}f", "g\u061ch": "g\\u{061C}h",
       "i\u200bj": "i\\u{200B}j", "k\u00adl": "k\\u{00AD}l", "m\u2060n": "m\\u{2060}n", "o\U000e0041p": "o\\u{E0041}p"}
# As spreadsheets read them: also in full width, and behind blanks that are no spaces.
FORMULAS = ["=1+1", "+x", "-y", "@z", "\uff1d1+1", "\uff0bx", "\uff0dy", "\uff20z", "\u00a0=1+1", "\u3000\uff1d1", "\u200b=1+1", "\u2003 -2"]


def choose(name):
    """Chooses the item with by far the largest utility; ε is large."""
    return ["choose", name, "--epsilon", "1000", "--sensitivity", "1", "--items-are-public", "--no-ledger"]


def numbers(folder):
    """Decimal only: 010 is not eight, 0x10 not sixteen, and infinity no mean."""
    folder.write("data.dat", "1 2\n2\n")
    simulate = ["simulate", "top", "data.dat", "-k", 1, "--epsilon", 1, "--universe", "0..9"]
    calls = {("--seed", "--runs", "--threads"): [*simulate],
             ("--replays", "--threads", "--seed"): ["verify"],
             ("--runs", "--threads", "--seed"): ["reproduce", "--out", "results", "--figures", "split"],
             ("--seed", "--transactions", "--items", "--patterns"): ["quest"]}
    for options, call in calls.items():
        for option in options:
            given = [*call, "--seed", 1] if "simulate" in call and option != "--seed" else call
            for bad in ("010", "0x10", "1e3", "+1", "-1", "", " 1", "1_000", "18446744073709551616"):
                message = folder.refused(*given, option, bad)
                assert option in message and ("whole number" in message or "required" in message), (option, bad, message)
    for option in ("--mean-size", "--mean-pattern", "--correlation", "--corruption"):
        for bad in ("0x10", "inf", "nan", "010x"):
            assert option in folder.refused("quest", option, bad)
    for option, bad in (("--threads", 1025), ("--threads", 0), ("--replays", 0), ("--replays", 2**40 + 1)):
        folder.refused("verify", option, bad)
    folder.refused("reproduce", "--out", "results", "--runs", 1)
    assert not (folder.path / "results").exists()


def names_in_tables(folder):
    """A name cannot turn the text around it or write to the terminal."""
    for name, seen in ODD.items():
        folder.write("odd.csv", f"item,utility\n{name},500\nother,1\n")
        assert f"Chosen of 2: {seen}\n" in folder.good(*choose("odd.csv"), "--format", "table")
        folder.write("counts.csv", f"item,count\n{name},500\n")
        top = ["top", "counts.csv", "--unit", "visit", "-k", 1, "--items-are-public", "--epsilon", 1, "--no-ledger"]
        assert f"  {seen}  " in folder.good(*top, "--format", "table")
        assert folder.json(*top)["winners"][0]["item"] == name
        counted = folder.call("count", "counts.csv", "--unit", "row", "--format", "table")
        assert f"  {seen}\n" in counted.stdout, counted
        answered = folder.call("above", "-", "--threshold", 5, "-k", 1, "--epsilon", 1000, "--kind", "general", "--sensitivity", 1,
                               "--unit", "row", "--no-ledger", "--format", "table", stdin=f"{name},900\n")
        assert answered.stdout.startswith(f"{seen}: above"), answered
    # The same for messages: of arguments, and of the columns of a query.
    for given in ("--no\x1b[31mred", "no\u202everb"):
        message = folder.refused("plan", "top", "-k", 1, "--epsilon", 1, given)
        assert "\x1b" not in message and "\u202e" not in message and ("\\u{001B}" in message or "\\u{202E}" in message), message
    connection = sqlite3.connect(folder.path / "shop.db")
    connection.execute("CREATE TABLE t (item TEXT)")
    connection.commit()
    connection.close()
    query = 'SELECT item AS "x\x1b[31my", item AS "\u202ez" FROM t'
    message = folder.refused("top", "--sqlite", "shop.db", "--query", query, "--item", "nosuch", "--unit", "row", "-k", 1,
                             "--items-are-public", "--epsilon", 1, "--no-ledger")
    assert "\x1b" not in message and "\u202e" not in message, message


def formulas(folder):
    """No text of csv-safe is a formula; csv is exact."""
    for item in FORMULAS:
        folder.write("formula.csv", f"item,utility\n{item},500\nother,-900\n")
        exact = next(csv.DictReader(io.StringIO(folder.good(*choose("formula.csv"), "--format", "csv"))))
        safe = next(csv.DictReader(io.StringIO(folder.good(*choose("formula.csv"), "--format", "csv-safe"))))
        assert exact["item"] == item and safe["item"] == "'" + item, (exact, safe)
        folder.write("counts.csv", f"item,count\n{item},500\n")
        counted = folder.call("count", "counts.csv", "--unit", "row", "--format", "csv-safe").stdout
        assert counted == f"item,count\n'{item},500\n", counted
        stream = ["above", "-", "--threshold", 5, "-k", 1, "--epsilon", 1000, "--kind", "general", "--sensitivity", 1, "--unit", "row",
                  "--no-ledger", "--format", "csv-safe"]
        assert folder.call(*stream, stdin=f"{item},900\n").stdout.splitlines()[1].startswith("'" + item)
    # Where a semicolon or a tab separates cells, a formula begins behind one; then quotes are no quotes.
    for item, guarded in (("a;=1+1", "a;'=1+1"), ("a; @x", "a;' @x"), ('a;"=1+1"', "a;'\"=1+1\""), ("a\t-2+3", "a\t'-2+3"),
                          ("+a;b;;+c", "'+a;b;;'+c"), ("a;b=1", "a;b=1"), ("a;", "a;"), ("a, -b", "a, -b"),
                          ("a;\u00a0=1", "a;'\u00a0=1"), ("a;\uff1d1", "a;'\uff1d1")):
        row = ["choose", "formula.csv", "--input-format", "csv", *choose("")[2:]]
        quoted = item.replace('"', '""')
        folder.write("formula.csv", f'item,utility\n"{quoted}",500\nother,-900\n')
        exact = next(csv.DictReader(io.StringIO(folder.good(*row, "--format", "csv"))))
        safe = next(csv.DictReader(io.StringIO(folder.good(*row, "--format", "csv-safe"))))
        assert exact["item"] == item and safe["item"] == guarded, (exact, safe)
        for separator in ";\t":
            cells = next(csv.reader([folder.good(*row, "--format", "csv-safe").splitlines()[1]], delimiter=separator))
            assert not any(cell.lstrip(' "').startswith(("=", "+", "-", "@")) for cell in cells), cells
    # Numbers are numbers, also negative ones; other texts stay as they are.
    folder.write("plain.csv", "item,count\na-b,5\n")
    measured = ["measure", "plain.csv", "--unit", "visit", "--items", "a-b", "--epsilon", "0.001", "--no-ledger", "--format", "csv-safe"]
    for _ in range(60):
        row = next(csv.DictReader(io.StringIO(folder.good(*measured))))
        assert row["item"] == "a-b" and not row["measured"].startswith("'"), row
        if float(row["measured"]) < 0:
            break
    else:
        raise AssertionError("no measurement below 0")  # false alarm: 0.503^60, below 1e-17


def overwriting(folder):
    """A file that exists is overwritten only with --force."""
    folder.write("mine.txt", "precious\n")
    quest = ["quest", "--transactions", 3, "--out"]
    assert "--force" in folder.refused(*quest, "mine.txt")
    assert (folder.path / "mine.txt").read_text() == "precious\n"
    folder.good(*quest, "mine.txt", "--force")
    assert (folder.path / "mine.txt").read_text() != "precious\n"
    folder.good(*quest, "fresh.dat")
    folder.good(*quest, "/dev/null")
    folder.refused(*quest, "")


def work_of_children():
    """Processor seconds of all programs that have ended. Other programs on the machine do not count, as they would in time that passes."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def paths(folder):
    """An output that cannot be written is refused at once, as bad input, before minutes of work."""
    (folder.path / "folder.html").mkdir()
    (folder.path / "dangling.html").symlink_to("nosuch/file.html")
    for path in ("missing/report.html", "folder.html", "dangling.html", "", "data.dat/report.html"):
        begun = work_of_children()
        assert "--html" in folder.refused("verify", "--html", path)
        assert work_of_children() - begun < 5  # verify --quick takes longer; a refusal takes no time
    folder.write("file", "")
    for path in ("file", "file/under"):
        assert "--out" in folder.refused("reproduce", "--out", path, "--data", "nosuch")
    (folder.path / "results").mkdir()
    (folder.path / "results" / "report.html").mkdir()
    assert "--out" in folder.refused("reproduce", "--out", "results", "--figures", "split", "--runs", 2)


def names_of_data(folder):
    """The name of a data file stands in a script that gnuplot runs; it cannot end its line there."""
    data = folder.path / "data"
    data.mkdir()
    evil = "x'\nsystem('touch hacked')\n#.dat"
    (data / evil).write_text("1 2\n")
    message = folder.refused("reproduce", "--out", "out", "--data", "data", "--without-embedded", "--runs", 2, "--figures", "reduction-k")
    assert "rename" in message and "\\u{000A}" in message, message
    assert not (folder.path / "out" / "hacked").exists() and not (folder.path / "hacked").exists()
    (data / evil).unlink()
    (data / "it's `touch hacked`.dat").write_text("".join(" ".join(map(str, range(i))) + "\n" for i in range(1, 260)))
    result = folder.call("reproduce", "--out", "out", "--data", "data", "--without-embedded", "--runs", 2, "--figures", "reduction-k")
    assert result.returncode == 0 and not list(folder.path.rglob("hacked")), result
    assert list((folder.path / "out" / "figures").glob("*.svg")), result


def on_terminal(folder, call, **variables):
    """What the program writes to a terminal: standard output and standard error together."""
    main_end, other_end = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    with subprocess.Popen([PROGRAM, *map(str, call)], cwd=folder.path, stdin=subprocess.DEVNULL, stdout=other_end, stderr=other_end,
                          env={**environment, **variables}) as process:
        os.close(other_end)
        text = b""
        while True:
            try:
                part = os.read(main_end, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            text += part
        process.wait()
    os.close(main_end)
    return text.decode()


def colour(folder):
    """Bold headings and red errors on a terminal that wants them; never in a pipe unless told to."""
    plan = ["plan", "top", "-k", 3, "--epsilon", 1]
    bad = ["top", "nosuch.dat", "-k", 1, "--epsilon", 1, "--universe", "0..9", "--no-ledger"]
    xterm = {"TERM": "xterm"}
    assert BOLD + "With ε" in on_terminal(folder, plan, **xterm)
    assert RED + "freegap:" in on_terminal(folder, bad, **xterm)
    assert RED in on_terminal(folder, ["nosuchverb"], **xterm)
    for variables in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}, {}):
        assert BOLD not in on_terminal(folder, plan, **variables), variables
        assert RED not in on_terminal(folder, bad, **variables), variables
    assert BOLD in on_terminal(folder, [*plan, "--color", "always"], TERM="dumb")
    assert BOLD in on_terminal(folder, plan, TERM="xterm", NO_COLOR="")  # set but empty means nothing
    assert BOLD not in on_terminal(folder, [*plan, "--color", "never"], **xterm)
    assert BOLD not in on_terminal(folder, ["--color=never", *plan], **xterm)
    table = folder.good(*plan, "--format", "table")
    assert "\x1b" not in table and not re.search("[\x00-\x09\x0b-\x1f]", table), table
    assert BOLD + "With ε" in folder.good(*plan, "--format", "table", "--color", "always")
    assert RED + "freegap:" in folder.refused(*bad, "--color=always")
    assert "\x1b" not in folder.refused(*bad)
    assert "\x1b" not in folder.good(*plan, "--format", "csv", "--color", "always")
    assert "--color" in folder.refused(*plan, "--color", "sometimes")


def simulation_help(folder):
    """The help of a simulation speaks of simulations."""
    for verb in ("top", "above", "choose", "measure"):
        text = folder.good("simulate", verb, "--help")
        assert f"Usage: freegap simulate {verb} " in text
        assert f"  freegap simulate {verb} " in text and f"  freegap {verb} " not in text and "--no-ledger" not in text, text


def main():
    parts = [numbers, names_in_tables, formulas, overwriting, paths, names_of_data, colour, simulation_help]
    for part in parts:
        with Folder() as folder:
            part(folder)
    print(f"{len(parts)} promises about output hold")


if __name__ == "__main__":
    main()
