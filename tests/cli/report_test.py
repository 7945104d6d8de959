"""Tables that explain themselves, CSV and JSON with the same columns, and pages written by --report."""

import csv
import html.parser
import importlib.util
import io
import json
import pathlib
import re
import sqlite3
import subprocess
import sys

from program import PROGRAM, Folder

# Counts far apart, and a crowd of equals below them.
COUNTS = "item,count\n" + "".join(f"big{i},{100000 - 20000 * i}\n" for i in range(3)) + "".join(f"x{i:02},100\n" for i in range(40))
TOP = ["top", "counts.csv", "--unit", "visit", "--items-are-public"]
FREE = ["--no-ledger"]
VOID = {"meta", "line", "rect", "path"}


class Page(html.parser.HTMLParser):
    """A page: its elements are balanced, and it needs nothing from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.classes, self.tags = [], "", [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open
        assert text.startswith("<!DOCTYPE html>") and 'name="viewport"' in text and "prefers-color-scheme: dark" in text
        assert not {"script", "link", "img", "iframe", "object", "a", "form"} & set(self.tags), self.tags
        assert not re.search(r"https?:|url\(|@import|javascript:|\son\w+=", text), "refers to something outside"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.classes += dict(attrs).get("class", "").split()
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.classes += dict(attrs).get("class", "").split()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


def page(folder, name):
    return Page((folder.path / name).read_text(encoding="utf-8"))


def notes_of(release, table):
    """Checks the notes of a table against the release that it shows. Whether a gap hardly counts, and whether ranks are out of order."""
    winners = release["winners"]
    lines = re.findall(r"^ +\d+  \S+ .*$", table, re.MULTILINE)
    assert len(lines) == len(winners), table
    sure = [winner["lead_at_least"] is not None and winner["lead_at_least"] >= 0 for winner in winners]
    marked = [not winner["used_gap"] and not is_sure for winner, is_sure in zip(winners, sure)]
    assert [line.endswith(" yes") for line in lines] == sure and [line.endswith(" -") for line in lines] == [not one for one in sure], table
    assert ["*" in line for line in lines] == marked and ("* The gap hardly counts" in table) == any(marked), table
    higher = [rank for rank in range(2, len(winners) + 1) if winners[rank - 1]["estimate"] > winners[rank - 2]["estimate"]]
    said = re.search(r"Rank (\d+) is estimated above rank (\d+):", table)
    assert (said and said.groups()) == ((str(higher[0]), str(higher[0] - 1)) if higher else None), table
    return any(marked), bool(higher)


def notes_in_a_crowd(folder):
    """The table of 20 winners of which 17 are equals: gaps do not count, and ranks are out of order. In one release of 40,000 only 2 gaps
    were marked, and in none were all ranks in order; so in one of six there is either but with a chance far below 1e-9."""
    books = ["--ledger", "crowd.db", "--dataset", "crowd"]
    folder.call("budget", "create", *books, "--epsilon", 6, "--unit", "visit")
    seen = []
    for entry in range(1, 7):
        release = folder.json(*TOP, "-k", 20, "--epsilon", "1", *books)
        table = folder.good("budget", "show", entry, "--ledger", "crowd.db", "--format", "table")
        seen.append(notes_of(release, table))
    assert all(map(any, zip(*seen))), seen
    return table


def footnotes(folder):
    """Each note where it applies, and only there."""
    table = folder.good(*TOP, "-k", 3, "--epsilon", "1", *FREE, "--format", "table")
    assert "± is one standard error." in table and "sure?" in table, table
    assert len(re.findall(r"^ +\d  big\d .* yes$", table, re.MULTILINE)) == 3, table
    assert "among the top 3" in table and "hardly counts" not in table and "*" not in table and "is estimated above" not in table, table
    crowd = notes_in_a_crowd(folder)
    # No claim about leads with Laplace noise or without gaps, no error where nothing is measured.
    for option in (["--noise", "laplace"], ["--classic"]):
        assert "sure?" not in folder.good(*TOP, "-k", 3, "--epsilon", "1", *FREE, "--format", "table", *option)
    bare = folder.good(*TOP, "-k", 3, "--epsilon", "1", "--measure", "0", *FREE, "--format", "table")
    assert "±" not in bare.split("\n", 5)[-1].replace("estimate ± error", ""), bare
    above = folder.good("above", "counts.csv", "--unit", "visit", "--items-are-public", "--threshold", 1000, "-k", 3, "--epsilon", 10, *FREE,
                        "--format", "table")
    assert "± is one standard error." in above, above
    measured = folder.good("measure", "counts.csv", "--unit", "visit", "--items", "big0", "--epsilon", 1, *FREE, "--format", "table")
    assert "± is one standard error." in measured, measured
    for text in (table, crowd, bare, above, measured):
        assert all(len(line) <= 80 for line in text.splitlines()), text
    # Long names give way where a table would be too wide.
    folder.write("long.csv", "item,count\n" + "n" * 60 + ",8888888888\nb,1\n")
    wide = folder.good("top", "long.csv", "--unit", "visit", "--items-are-public", "-k", 1, "--epsilon", "1", *FREE, "--format", "table")
    assert all(len(line) <= 80 for line in wide.splitlines()), wide


def same_columns(folder):
    """CSV has the members of JSON's rows, with the same names in the same order, and the same values."""
    folder.write("sites.csv", "item,utility\nnorth,41.5\nsouth,12\n")
    data = ["counts.csv", "--unit", "visit", "--items-are-public"]
    calls = {"winners": [[*TOP, "-k", 3], [*TOP, "-k", 3, "--measure", 0], [*TOP, "-k", 3, "--classic"],
                         [*TOP, "-k", 3, "--above", 500], [*TOP, "-k", 3, "--above", 500, "--prefer", "estimates"]],
             "measurements": [["measure", "counts.csv", "--unit", "visit", "--items", "big0,x01"]],
             "answers": [["above", *data, "--threshold", 500, "-k", 2], ["above", *data, "--threshold", 500, "-k", 2, "--measure", "0.5"]]}
    folder.call("budget", "create", "--ledger", "ledger.db", "--dataset", "d", "--epsilon", 100, "--unit", "visit")
    entry = 0
    for rows, many in calls.items():
        for call in many:
            release = folder.json(*call, "--epsilon", 5, "--ledger", "ledger.db", "--dataset", "d")
            entry += 1
            # A row below the threshold says no more than that.
            full = [row for row in release[rows] if row.get("above", True)]
            assert full, release
            text = folder.good("budget", "show", entry, "--ledger", "ledger.db", "--format", "csv")
            header = next(csv.reader(io.StringIO(text)))
            for row in full:
                assert list(row) == header, (list(row), header)
            table = [line for line in csv.DictReader(io.StringIO(text)) if line.get("above", "true") == "true"]
            for row, line in zip(full, table, strict=True):
                for name, value in row.items():
                    shown = line[name]
                    # Numbers are compared as numbers: two libraries may write one double with 16 digits or with 17.
                    same = shown == "" if value is None else shown == value if isinstance(value, str) else json.loads(shown) == value
                    assert same, (name, shown, value)
                if row["interval"] is not None:
                    assert row["interval"] == [row["interval_low"], row["interval_high"]], row
    choice = folder.json("choose", "sites.csv", "--epsilon", 5, "--sensitivity", 1, "--items-are-public", *FREE)
    header = next(csv.reader(io.StringIO(folder.good("choose", "sites.csv", "--epsilon", 5, "--sensitivity", 1, "--items-are-public", *FREE,
                                                     "--format", "csv"))))
    assert header == [name for name in choice if name in header] and "lead_estimate" in header, header


def documented_loading(folder):
    """The lines of docs/command_line.md that load a release do so; pandas stands for itself where it is installed."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "command_line.md").read_text(encoding="utf-8")
    lines = re.search(r"```python\n(import json, pandas.*?)```", text, re.DOTALL).group(1)
    (folder.path / "top.json").write_text(folder.good(*TOP, "-k", 3, "--epsilon", 1, *FREE, "--format", "json"))
    (folder.path / "top.csv").write_text(folder.good(*TOP, "-k", 3, "--epsilon", 1, *FREE, "--format", "csv"))
    if importlib.util.find_spec("pandas") is None:
        # The two calls, by Python's own modules.
        (folder.path / "pandas.py").write_text(
            "import csv\n"
            "class Frame:\n"
            "    def __init__(self, rows):\n        self.rows = list(rows)\n        self.columns = list(self.rows[0])\n"
            "    def __len__(self):\n        return len(self.rows)\n"
            "DataFrame = Frame\n"
            "def read_csv(path):\n    return Frame(csv.DictReader(open(path, newline='', encoding='utf-8')))\n")
    check = "\nassert list(from_json.columns) == list(from_csv.columns) and len(from_json) == len(from_csv) == 3\n"
    result = subprocess.run([sys.executable, "-c", lines + check], cwd=folder.path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result


def pages(folder):
    """Every releasing verb writes a page that holds what it released, and only text of what came from data."""
    evil = "<script>alert('x')</script>&\"\u202e"
    folder.write("counts.csv", COUNTS + f'"{evil.replace(chr(34), chr(34) * 2)}",90000\n')
    folder.call("budget", "create", "--ledger", "ledger.db", "--dataset", "d<b>", "--epsilon", 10, "--unit", "visit")
    charged = ["--ledger", "ledger.db", "--dataset", "d<b>"]
    release = folder.json(*TOP, "-k", 4, "--epsilon", 1, *charged, "--report", "top.html")
    top = page(folder, "top.html")
    assert "Top 4 of 44" in top.text and "<script>alert('x')</script>&\"\\u{202E}" in top.text, top.text
    assert "sensitivity 1\nNumbers beyond " in top.text and "000A" not in top.text, top.text
    assert top.classes.count("bar") == 8 and top.classes.count("range") == 12, top.classes  # estimates and gaps; a line has two caps
    for winner in release["winners"]:
        assert f"{winner['estimate']:.1f} ± " in top.text, (winner, top.text)
    assert "± is one standard error." in top.text and "ε left" in top.text and "mark" not in top.classes
    assert re.search(r"ε left\s*9\s*ε in all\s*10", top.text), top.text
    folder.json("above", *TOP[1:], "--threshold", 1000, "-k", 4, "--epsilon", 1, *charged, "--report", "above.html")
    above = page(folder, "above.html")
    assert "threshold 1000" in above.text and above.classes.count("mark") > 1 and "bar" in above.classes, above.text
    folder.write("ids.dat", "3\n3\n7 3\n" * 200)
    folder.json("above", "ids.dat", "--universe", "0..9", "--threshold", 100, "-k", 1, "--epsilon", 10, *FREE, "--report", "universe.html")
    universe = page(folder, "universe.html").text
    # The budget has ended before all ids were asked: nothing is said of the others.
    assert "1 id found above 100" in universe and "queries asked" not in universe, universe
    folder.json(*TOP, "-k", 4, "--above", 1000, "--epsilon", 1, *charged, "--report", "hybrid.html")
    assert "threshold 1000" in page(folder, "hybrid.html").text
    folder.json("measure", "counts.csv", "--unit", "visit", "--items", "big0", "--epsilon", 1, *charged, "--report", "measure.html")
    assert page(folder, "measure.html").classes.count("bar") == 1
    folder.write("sites.csv", "item,utility\nnorth,41.5\nsouth,12\n")
    folder.json("choose", "sites.csv", "--epsilon", 5, "--sensitivity", 1, "--items-are-public", *FREE, "--report", "choose.html")
    assert "Chosen of 2: north" in page(folder, "choose.html").text or "Chosen of 2: south" in page(folder, "choose.html").text
    folder.json(*TOP, "-k", 4, "--classic", "--measure", 0, "--epsilon", 1, *charged, "--report", "classic.html")
    assert "bar" not in page(folder, "classic.html").classes and "big0" in page(folder, "classic.html").text
    stream = folder.call("above", "-", "--threshold", 5, "-k", 1, "--epsilon", 1, "--kind", "general", "--sensitivity", 1, "--unit", "visit",
                         *charged, "--report", "stream.html", stdin="monday,900\n")
    assert stream.returncode == 0 and "monday" in page(folder, "stream.html").text, stream
    # Of many answers the first 200 above are drawn, and all are counted. Each passes but with a chance below e^-1000.
    many = "".join(f"{'low' if i % 2 else 'high'}{i},{-9_999_999 if i % 2 else 9_999_999}\n" for i in range(500))
    folder.good("above", "-", "--threshold", 5, "-k", 250, "--epsilon", 1, "--kind", "general", "--sensitivity", 1, "--unit", "visit",
                *FREE, "--report", "many.html", stdin=many)
    text = page(folder, "many.html").text
    assert "250 of 499 queries asked are above 5" in text and "The first 200 of 250 are drawn." in text, text
    assert "high398" in text and "high400" not in text and "low1" not in text, text
    # A stored release gives the same page again, but for the balance; the ledger gives its history.
    folder.good("budget", "show", 1, "--ledger", "ledger.db", "--report", "again.html")
    assert page(folder, "again.html").text.split("Budget")[0] == top.text.split("Budget")[0]
    folder.good("budget", "show", "--ledger", "ledger.db", "--dataset", "d<b>", "--report", "budget.html")
    budget = page(folder, "budget.html")
    assert "Budget of d<b>" in budget.text and budget.text.count("visit") == 1 and "limit" in budget.classes, budget.text
    steps = re.search(r'class="edge" d="([^"]*)"', (folder.path / "budget.html").read_text()).group(1)
    heights = [float(y) for y in re.findall(r"V([\d.]+)", steps)]
    # Six releases of ε = 1 out of 10, at most: each step goes up by what was spent.
    history = [json.loads(line) for line in folder.good("budget", "history", "--ledger", "ledger.db", "--format", "json").splitlines()]
    spent = 0
    for height, entry in zip(heights, history, strict=True):
        numerator, _, denominator = entry["spent"].partition("/")
        spent += int(numerator) / int(denominator or 1)
        assert abs(height - 220 * (1 - spent / 10)) < 0.01, (height, spent)


def nothing_charged_for_a_bad_path(folder):
    """Where the page cannot be written, nothing is charged; where it fails later, the release is in the ledger."""
    folder.call("budget", "create", "--ledger", "ledger.db", "--dataset", "d", "--epsilon", 2, "--unit", "visit")
    charged = ["--ledger", "ledger.db", "--dataset", "d"]
    folder.write("data.csv", "precious\n")
    (folder.path / "folder.html").mkdir()
    for path in ("missing/x.html", "folder.html", "data.csv", "", "report.htm"):
        assert "--report" in folder.refused(*TOP, "-k", 1, "--epsilon", 1, *charged, "--report", path)
        assert "--report" in folder.refused("budget", "show", "--ledger", "ledger.db", "--report", path)
    # Refused before any data is read, too.
    assert "--report" in folder.refused("top", "nosuch.csv", *TOP[2:], "-k", 1, "--epsilon", 1, *charged, "--report", "missing/x.html")
    assert not folder.good("budget", "history", "--ledger", "ledger.db", "--format", "json")
    assert (folder.path / "data.csv").read_text() == "precious\n"
    (folder.path / "full.html").symlink_to("/dev/full")
    result = folder.call(*TOP, "-k", 1, "--epsilon", 1, *charged, "--format", "json", "--report", "full.html")
    assert result.returncode == 3 and "budget show 1" in result.stderr and "full.html" in result.stderr, result
    assert json.loads(result.stdout)["ledger"]["entry"] == 1, result  # it is shown all the same
    assert json.loads(folder.good("budget", "show", 1, "--ledger", "ledger.db", "--format", "json"))["winners"]
    # A page of several data sets is of none.
    folder.call("budget", "create", "--ledger", "ledger.db", "--dataset", "e", "--epsilon", 2, "--unit", "visit")
    assert "--dataset" in folder.refused("budget", "show", "--ledger", "ledger.db", "--report", "all.html")


def no_file_of_the_call_is_overwritten(folder):
    """A report does not replace the ledger, the data, or a list, by whatever name it is called."""
    folder.call("budget", "create", "--ledger", "ledger.html", "--dataset", "d", "--epsilon", 2, "--unit", "visit")
    for name, text in (("counts.html", COUNTS), ("list.html", "big0\nbig1\n"), ("sites.html", "big0\n")):
        folder.write(name, text)
    with sqlite3.connect(folder.path / "shop.html") as database:
        database.execute("CREATE TABLE t (item, count)")
    database.close()
    before = {path.name: path.read_bytes() for path in folder.path.iterdir()}
    for name in before:
        (folder.path / f"link-{name}.html").symlink_to(name)
    ledger = ["--ledger", "ledger.html", "--dataset", "d"]
    data = ["counts.html", "--input-format", "csv", "--unit", "visit", "--epsilon", 1, *ledger]
    top = ["top", *data, "-k", 1, "--candidates", "list.html"]
    query = ["top", "--sqlite", "shop.html", "--query", "SELECT item, count FROM t", *data[3:], "-k", 1, "--items-are-public"]
    stream = ["above", "-", "-k", 1, "--threshold", 5, "--sensitivity", 1, "--epsilon", 1, *ledger]
    for call, option, name in ((top, "--ledger", "ledger.html"), (top, "INPUT", "counts.html"), (top, "--candidates", "list.html"),
                               (["measure", *data, "--items-file", "sites.html"], "--items-file", "sites.html"),
                               (query, "--sqlite", "shop.html"), (stream, "--ledger", "ledger.html"),
                               (["budget", "show", *ledger], "--ledger", "ledger.html"),
                               (["budget", "show", 1, *ledger], "--ledger", "ledger.html")):
        for path in (name, f"./{name}", f"link-{name}.html"):
            message = folder.refused(*call, "--report", path, stdin="a,9\n")
            assert f"is also the file of {option}" in message, message
    with open(folder.path / "counts.html", encoding="utf-8") as file:
        run = subprocess.run([PROGRAM, *map(str, ["top", "-", *top[2:], "--report", "counts.html"])], cwd=folder.path, stdin=file,
                             capture_output=True, text=True, check=False)
    assert run.returncode == 2 and "is also the file of INPUT" in run.stderr, run
    assert {name: (folder.path / name).read_bytes() for name in before} == before
    folder.good(*top, "--report", "new.html")
    folder.good(*top, "--report", "new.html")  # an earlier report may be replaced
    assert "Top 1 of 2" in page(folder, "new.html").text


def no_other_page_is_overwritten(folder):
    """A report replaces an earlier report, and nothing else that somebody wrote."""
    folder.call("budget", "create", "--ledger", "ledger.db", "--dataset", "d", "--epsilon", 9, "--unit", "visit")
    charged = ["--ledger", "ledger.db", "--dataset", "d"]
    foreign = {"mine.html": "<!DOCTYPE html>\n<title>freegap, my notes</title>\n", "data.html": "precious\n", "short.html": "<"}
    for name, text in foreign.items():
        folder.write(name, text)
        for call in ([*TOP, "-k", 1, "--epsilon", 1, *charged], ["budget", "show", *charged]):
            message = folder.refused(*call, "--report", name)
            assert "is no report of freegap" in message and name in message and "precious" not in message, message
        assert (folder.path / name).read_text() == text
    assert not folder.good("budget", "history", "--ledger", "ledger.db", "--format", "json")
    folder.write("empty.html", "")
    for name in ("empty.html", "new.html"):
        folder.good(*TOP, "-k", 1, "--epsilon", 1, *charged, "--report", name)
        folder.good("budget", "show", *charged, "--report", name)
        assert "Budget of d" in page(folder, name).text
        folder.good("budget", "show", 1, *charged, "--report", name)
        assert "Top 1 of" in page(folder, name).text


def main():
    parts = [footnotes, same_columns, documented_loading, pages, nothing_charged_for_a_bad_path,
             no_file_of_the_call_is_overwritten, no_other_page_is_overwritten]
    for part in parts:
        with Folder() as folder:
            folder.write("counts.csv", COUNTS)
            part(folder)
    print(f"{len(parts)} promises about tables, CSV and pages hold")


if __name__ == "__main__":
    main()
