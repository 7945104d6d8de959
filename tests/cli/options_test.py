"""Every option of every verb matters: the table below has a call with it and one without, and golden documents say what it changes.

Releases come from simulations, which a seed decides. Those with real noise must have the same parameters, costs and scales. An option or
a choice that the help lists and the table lacks fails the test."""

import functools
import gzip
import json
import re
import shlex
import sqlite3

from golden import WRITE, Golden, flat, same_leaf
from program import Folder

COUNTS = {"1": 60, "2": 48, "3": 33, "4": 18, "5": 6}
SQL = "'SELECT item, count FROM t'"


class Same:
    """A call in which the option changes nothing, as it should: a default that is written out, or work that is done otherwise."""

    def __init__(self, call):
        self.call = call


# What the table says of an option: what is added to the base of its verb; or a pair of whole calls, without and with; or several of these.
INPUT = {
    "--input-format": [("shop.dat", "shop --input-format dat"), ("shop.dat", "packed --input-format dat.gz"),
                       ("shop.dat", "squeezed --input-format dat.zst"), ("shop.dat", "table --input-format csv --unit visit"),
                       ("shop.dat", "tabs --input-format tsv --unit visit")],
    "--separator": [("marks.dat --separator blank", "marks.dat --separator ;"), ("marks.dat --separator ;", "marks.dat --separator ,"),
                    ("marks.dat --separator ;", "marks.dat --separator tab")],
    "--sqlite": ("shop.dat", f"--sqlite shop.db --query {SQL} --unit visit"),
    "--query": (f"--sqlite shop.db --query {SQL} --unit visit", "--sqlite shop.db --query 'SELECT item, 2 * count AS count FROM t' --unit visit"),
    "--item": ("rows.csv --item thing --unit row", "rows.csv --item place --unit row"),
    "--value": ("values.csv --value count --unit visit", "values.csv --value money --kind general --sensitivity 2 --unit visit"),
    "--unit": [("rows.csv --item thing --unit row", "rows.csv --item thing --unit person"),
               ("values.csv --value count --unit visit", "values.csv --value count --unit guest")],
    "--skip-bad-records": ("values.csv --unit visit", "bad.csv --unit visit --skip-bad-records"),
}
QUERIES = {
    "--kind": ["--kind general", Same("--kind counts")],
    "--sensitivity": ["--sensitivity 2", Same("--sensitivity 1")],
    "--neighbours": ["--neighbours replace", Same("--neighbours add-remove")],
}
RANGE = {"--range": ("values.csv --unit visit", "values.csv --unit visit --range 1..50")}
CANDIDATES = {
    "--candidates": ("shop.dat", "shop.dat --candidates list.txt"),
    "--universe": ("shop.dat", "shop.dat --universe 1..9"),
    "--items-are-public": Same(""),
}
BOUNDS = {
    "--max-items": [("shop.dat", "shop.dat --max-items 2"), ("rows.csv --item thing --unit person", "rows.csv --item thing --unit person --max-items 2")],
    "--bounded-by": ("values.csv --unit visit", "values.csv --unit visit --bounded-by 1"),
}
UNKNOWN = "--unknown-items --delta 0.9 --max-items 2 --epsilon 20"
NOISE = {
    "--noise": ["--noise laplace", "--noise geometric", Same("--noise exponential")],
    "--tick": ["--tick 1/4", "--tick 1"],
    "--estimator": ["--estimator linear", "--estimator measured", Same("--estimator likelihood")],
}
# Of each verb that releases: what follows the input in its calls, and its options.
RELEASES = {
    "top": ("-k 2 --epsilon 1 --items-are-public", {
        **INPUT, **QUERIES, **RANGE, **CANDIDATES, **BOUNDS, **NOISE,
        "--unknown-items": [("--epsilon 20 --max-items 2", UNKNOWN), (f"{UNKNOWN} --prefer identity", f"{UNKNOWN} --prefer estimates")],
        "--delta": (UNKNOWN, UNKNOWN.replace("0.9", "1e-9")),
        "-k": ("-k 2", "-k 3"), "--epsilon": ("--epsilon 1", "--epsilon 7/10"), "--measure": ["--measure 1/4", "--measure 0", Same("--measure 0.5")],
        "--above": ["--above 30", "--above 3"], "--prefer": [("--above 3", "--above 3 --prefer estimates"), Same("--above 3 --prefer identity")],
        "--theta": ("--above 3 --prefer estimates", "--above 3 --prefer estimates --theta 1/3"), "--classic": ["--classic", "--classic --measure 0"],
        "--threads": Same("--threads 3"), "--constant-work": ["--constant-work", ("--above 3", "--above 3 --constant-work")], "--confidence": ["--confidence 1/2", Same("--confidence 0.95")],
    }),
    "above": ("--threshold 30 -k 3 --epsilon 8 --order label --items-are-public", {
        **INPUT, **QUERIES, **RANGE, **CANDIDATES, **NOISE,
        "--max-items": ("--measure 1/4", "--measure 1/4 --max-items 2"),
        "--bounded-by": ("values.csv --unit visit --measure 1/4", "values.csv --unit visit --measure 1/4 --bounded-by 1"),
        "--threshold": ("--threshold 30", "--threshold 40"), "-k": ("-k 3", "-k 2"), "--epsilon": ("--epsilon 8", "--epsilon 7"),
        "--adaptive": "--adaptive", "--branches": [("--adaptive", "--adaptive --branches 3"), Same("--adaptive --branches 2")],
        "--sigma": [("--adaptive", "--adaptive --sigma 1/2"), Same("--adaptive --sigma 2")], "--theta": "--theta 1/3",
        "--stop-rule": [("--adaptive -k 1", "--adaptive -k 1 --stop-rule paper"), Same("--stop-rule afford")], "--stop-after": "--stop-after 1",
        "--measure": ["--measure 1/4", Same("--measure 0")], "--order": [("--order label", "--order random"), ("--order label", "--order file")],
        "--classic": ["--classic", "--classic --measure 1/4"], "--constant-work": "--constant-work",
        "--confidence": ["--confidence 1/2", Same("--confidence 0.95")],
        "--universe": ("shop.dat", "shop.dat --universe 1..9 --order random"),
    }),
    "choose": ("--epsilon 1 --items-are-public", {
        **INPUT, **RANGE, **CANDIDATES, "--kind": ["--kind counts", Same("--kind general")], "--sensitivity": ["--sensitivity 2", Same("--sensitivity 1")],
        "--neighbours": ["--neighbours replace", ("--kind counts", "--kind counts --neighbours replace"), Same("--neighbours add-remove")],
        "--value": ("values.csv --value count --unit visit", "values.csv --value money --sensitivity 2 --unit visit"),
        "--universe": ("shop.dat", "shop.dat --universe 1..9 --kind counts"),
        "--epsilon": ("--epsilon 1", "--epsilon 7/10"), "--tick": ["--tick 1/4", Same("--tick 1/1024")], "--classic": "--classic",
        "--constant-work": "--constant-work", "--confidence": ["--confidence 1/2", Same("--confidence 0.95")],
    }),
    "measure": ("--items 2,4 --epsilon 1", {
        **INPUT, **QUERIES, **RANGE, **BOUNDS, "--items": ("--items 2,4", "--items 4,2,6"), "--item-name": "--item-name 'a, b'", "--items-file": "--items-file list.txt",
        "--epsilon": ("--epsilon 1", "--epsilon 7/10"), "--tick": ["--tick 1/4", "--tick 1"], "--constant-work": Same("--constant-work"),
        "--candidates": Same("--candidates list2.txt"), "--universe": Same("--universe 2..4"), "--confidence": ["--confidence 1/2", Same("--confidence 0.95")],
    }),
}
# A file in the place of shop.dat; a choice or number in the place of one that the verb's base has.
PLACES = re.compile(r"^(\S+\.(?:dat|csv)|--sqlite .*|shop|packed|squeezed|table|tabs)(?= |$)")
OTHERS = {
    "count": ("", {
        **{option: rows for option, rows in INPUT.items() if option not in ("--unit", "--value")},
        "--unit": ("rows.csv --item thing --unit row", "rows.csv --item thing --unit person"), "--value": ("values.csv", "values.csv --value visits"),
        "--check": ("bad.csv --skip-bad-records", "bad.csv --check"), "--max-items": ("rows.csv --item thing --unit row", "rows.csv --item thing --unit row --max-items 1"),
    }),
    "plan top": ("-k 3 --epsilon 1", {
        **QUERIES, "-k": ("-k 3", "-k 2"), "--epsilon": ("--epsilon 1", "--epsilon 7/10"),
        "--target-error": [("-k 3 --epsilon 1", "-k 3 --target-error 9"), ("-k 3 --epsilon 1", "--epsilon 1 --target-error 9")],
        "--measure": ["--measure 1/4", Same("--measure 0.5")], "--noise": NOISE["--noise"], "--max-items": "--max-items 2",
        "--unknown-items": ("--max-items 2", "--unknown-items --delta 1e-9 --max-items 2"),
        "--delta": ("--unknown-items --delta 1e-9 --max-items 2", "--unknown-items --delta 1e-6 --max-items 2"),
    }),
    "plan above": ("-k 3 --epsilon 1", {
        **QUERIES, "-k": ("-k 3", "-k 2"), "--epsilon": ("--epsilon 1", "--epsilon 7/10"),
        "--target-error": [("-k 3 --epsilon 1", "-k 3 --target-error 9"), ("-k 3 --epsilon 1", "--epsilon 1 --target-error 40")],
        "--measure": ["--measure 1/4", Same("--measure 0")], "--noise": NOISE["--noise"], "--adaptive": "--adaptive",
        "--max-items": ("--measure 1/4", "--measure 1/4 --max-items 2"),
        "--branches": [("--adaptive", "--adaptive --branches 3"), Same("--adaptive --branches 2")],
        "--sigma": [("--adaptive --distance 20", "--adaptive --distance 20 --sigma 1/2"), Same("--adaptive --sigma 2")],
        "--stop-rule": [("--adaptive --distance 20", "--adaptive --distance 20 --stop-rule paper"), Same("--stop-rule afford")],
        "--theta": "--theta 1/3", "--distance": "--distance 20",
    }),
    "quest": ("--transactions 4", {
        "--transactions": ("--transactions 4", "--transactions 3"), "--mean-size": "--mean-size 3", "--mean-pattern": "--mean-pattern 2", "--patterns": "--patterns 30",
        "--items": "--items 40", "--correlation": "--correlation 0.9", "--corruption": "--corruption 0.1",
        "--item-weights": ["--item-weights uniform", Same("--item-weights exponential")], "--seed": ["--seed 2", Same("--seed 1")],
        "preset": ["T40I10D100K", Same("T10I4D100K")],
    }),
}
# Options of releases alone, of the ledger and of output: `kept`, `written` and `budgets` below. Of help and colour, and of the verbs
# `verify` and `reproduce`: tests of their own.
OF_RELEASES = {"--format", "--report", "--ledger", "--dataset", "--note", "--no-ledger"}
EVERYWHERE = {"-h", "--help", "--color"}
OF_ENGINES = {"--parquet", "--duckdb"}  # they need the Python package, and have a test of their own
ELSEWHERE = {"verify", "reproduce", "budget", "simulate", "plan"}
BUDGET = {"create": {"--ledger", "--dataset", "--epsilon", "--delta", "--unit", "--column", "--neighbours"}, "show": {"--ledger", "--dataset", "--format", "--report"},
          "history": {"--ledger", "--dataset", "--format"}, "export": {"--ledger", "--dataset", "--format"}, "check": {"--ledger", "--dataset", "--head"},
          "head": {"--ledger", "--dataset"}, "close": {"--ledger", "--dataset"}, "rename": {"--ledger", "--dataset", "--name"},
          "copy": {"--ledger", "--to", "--closed"}}
PUBLIC = ("mechanism", "parameters", "epsilon", "noise", "measurement", "theta", "threshold", "branches", "stop_rule", "rate", "utility_tick", "tick")
SPENT = {"epsilon.spent", "epsilon.selection", "epsilon.measurement"}


def squeezed(data):
    """A frame of Zstandard with one block that is stored as it is."""
    assert len(data) < 1 << 17
    return b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little") + (len(data) << 3 | 1).to_bytes(3, "little") + data


def write_data(folder):
    def transactions(more):
        return "".join(" ".join(item for item, count in COUNTS.items() if i < count + more * int(item)) + "\n" for i in range(70))

    folder.write("shop.dat", transactions(0))
    folder.write("shop", transactions(1))
    folder.write("packed", gzip.compress(transactions(2).encode()))
    folder.write("squeezed", squeezed(transactions(3).encode()))
    folder.write("table", "item,count\n" + "".join(f"{item},{4 * count}\n" for item, count in COUNTS.items()))
    folder.write("tabs", "item\tcount\n" + "".join(f"{item}\t{5 * count}\n" for item, count in COUNTS.items()))
    folder.write("marks.dat", "1;2;4,5;3\tx\n1;2;3\tx\n1;2,4;6\tx\n")
    folder.write("rows.csv", "person,thing,place\n" + "".join(f"p{i % 9},{1 + i % 5 % 4},{2 + i % 7 % 4}\n" for i in range(70)))
    values = "".join(f"{item},{count},{2.5 * count - 60},{count // 2}\n" for item, count in COUNTS.items())
    folder.write("values.csv", "item,count,money,visits\n" + values)
    folder.write("bad.csv", "item,count,money,visits\n" + values.replace("48,", "41,") + "6,x,1,1\n2\n9,70,1,1\n")
    folder.write("list.txt", "3\n5\nnone\n")
    folder.write("list2.txt", "2\n4\n9\n")
    with sqlite3.connect(folder.path / "shop.db") as database:
        database.execute("CREATE TABLE t (item TEXT, count INTEGER)")
        database.executemany("INSERT INTO t VALUES (?, ?)", [(item, 3 * count) for item, count in COUNTS.items()])


def call_of(base, text, source):
    """The words of a call: the base, its input and whatever it has a choice of replaced by what `text` says."""
    place = PLACES.match(text) if source else None
    rest = text[place.end():] if place else text
    given = shlex.split(base)
    for option in re.findall(r"(?:^| )(--?[a-z-]+)", rest):
        if option in given and option not in ("--items-are-public", "--adaptive"):
            at = given.index(option)
            del given[at:at + 2]
    if re.search("--candidates|--universe|--unknown-items", rest) and "--items-are-public" in given:
        given.remove("--items-are-public")
    if "--target-error" in rest:
        given = []
    return [*(shlex.split(place.group() if place else "shop.dat") if source else []), *given, *shlex.split(rest)]


def rows_of(table):
    for option, rows in table.items():
        for row in rows if isinstance(rows, list) else [rows]:
            yield option, row


def listed(folder, *verb):
    """The options that a help lists, each with its choices; arguments without a name but for INPUT, too."""
    options = {}
    text = folder.good(*verb, "--help")
    for names, choices in re.findall(r"^  (-\S+)(?: [A-Z]+(?::\{(.*?)\})?)?", text, re.MULTILINE):
        for name in names.split(","):
            options[name] = choices.split(",") if choices else []
    return {name: choices for name, choices in options.items() if name not in EVERYWHERE | OF_ENGINES}


def check_complete(folder, verb, table, more=()):
    """Every option and every choice that the help lists has a row."""
    options = listed(folder, *verb.split())
    assert options.keys() == (table.keys() - {"preset"}) | set(more), (verb, options.keys() ^ ((table.keys() - {"preset"}) | set(more)))
    for option, row in rows_of(table):
        text = row.call if isinstance(row, Same) else row if isinstance(row, str) else row[1]
        assert option in text or option in ("preset", "--items-are-public"), (verb, option, text)
    for option, choices in options.items():
        if option in table and choices:
            texts = " ".join(str(row.call if isinstance(row, Same) else row) for name, row in rows_of(table) if name == option)
            unused = [choice for choice in choices if not re.search(rf"{option} {re.escape(choice)}(?![\w.])", texts)]
            assert unused == [] or (option == "--order" and unused == ["label"]), (verb, option, unused)


def check_released(released, simulated, where):
    """What is public of a release with noise of its own is that of the simulation."""
    def public(document):  # how many items pass a threshold, and so the noise of their measurement, is chance
        members = set(PUBLIC) - ({"measurement"} if "threshold" in document else set())
        return {path: value for path, value in flat(document).items() if re.split(r"[.\[]", path)[0] in members and path not in SPENT}

    released, simulated = public(released), public(simulated)
    assert released.keys() == simulated.keys(), (where, released.keys() ^ simulated.keys())
    for path, value in simulated.items():
        assert same_leaf(released[path], value), (where, path, released[path], value)


def without_pairs(document):
    """The release without intervals as pairs, whose ends stand beside them."""
    for row in [*document.get("winners", []), *document.get("answers", []), *document.get("measurements", [])]:
        for name in ("interval", "simultaneous"):
            if (pair := row.pop(name, None)) is not None:
                assert pair == [row[f"{name}_low"], row[f"{name}_high"]], row
    return document


def compare(golden, name, base, row, run, source=True):
    """Runs the calls of one row. Returns the call with the option, and what it gave."""
    if isinstance(row, Same):
        call = call_of(base, row.call, source)
        # Without the option: the same words but for the last one or two, which are the option under test.
        words = row.call.split()
        last = max((i for i, word in enumerate(words) if word.startswith("-")), default=0)
        plain = call_of(base, " ".join(words[:last]), source)
        before, after = flat(run(plain)), flat(run(call))
        assert before == after, (name, [path for path in {**before, **after} if before.get(path) != after.get(path)])
        return call, None
    without, given = ("", row) if isinstance(row, str) else row
    call = call_of(base, given, source)
    after = run(call)
    golden.change(name, run(call_of(base, without, source)), after)
    return call, after


def releases(folder, golden):
    for verb, (base, table) in RELEASES.items():
        check_complete(folder, verb, table, OF_RELEASES)
        check_complete(folder, f"simulate {verb}", table, {"--runs", "--seed"})

        @functools.cache
        def simulated(*call, verb=verb):
            document = json.loads(folder.good("simulate", verb, *call, "--seed", 3))
            assert document.pop("simulated") == {"seed": 3, "run": 1} and document.pop("freegap")
            return without_pairs(document)

        def run(call, simulated=simulated):
            return simulated(*call)

        golden.document(f"{verb}: base", run(call_of(base, "", True)))
        for number, (option, row) in enumerate(rows_of(table)):
            call, document = compare(golden, f"{verb} {option} {number}", base, row, run)
            if document and option not in ("--order",):  # the order of counted records is secret
                released = folder.json(verb, *call, "--no-ledger")
                assert released.pop("freegap")
                check_released(without_pairs(released), document, (verb, option))


def simulations(folder):
    """One seed gives one sequence of runs, whatever their number."""
    for verb, (base, _) in RELEASES.items():
        call = ["simulate", verb, *call_of(base, "", True)]
        three = [json.loads(line) for line in folder.good(*call, "--seed", 3, "--runs", 3).splitlines()]
        assert [run.pop("simulated") for run in three] == [{"seed": 3, "run": run} for run in (1, 2, 3)]
        one, other = (json.loads(folder.good(*call, "--seed", seed)) for seed in (3, 4))
        assert one.pop("simulated") == {"seed": 3, "run": 1} and other.pop("simulated") == {"seed": 4, "run": 1}
        assert one == three[0] != three[1] and other != one and three[1] != three[2], verb


def others(folder, golden):
    for verb, (base, table) in OTHERS.items():
        source = verb == "count"
        check_complete(folder, verb, table, {"quest": {"--out", "--force"}}.get(verb, {"--format"}))

        @functools.cache
        def said(*call, verb=verb):
            if verb == "quest":
                return {"lines": folder.good(verb, *call).splitlines()}
            result = folder.call(*verb.split(), *call, "--format", "json")
            assert result.returncode == 0, (call, result)
            document = json.loads(result.stdout)
            assert document.pop("freegap")
            return document

        def run(call, said=said):
            return said(*call)

        golden.document(f"{verb}: base", run(call_of(base, "", source)))
        for number, (option, row) in enumerate(rows_of(table)):
            compare(golden, f"{verb} {option} {number}", base, row, run, source)


def kept(folder):
    """--ledger, --dataset, --note and --no-ledger of every verb that releases: what is charged, where, and with which note."""
    for name in ("one", "two"):
        folder.call("budget", "create", "--ledger", "books.db", "--dataset", name, "--epsilon", 100, "--unit", "transaction")
    entry = 0
    for verb, (base, _) in RELEASES.items():
        call = [verb, *call_of(base, "", True)]
        assert "ledger" not in folder.json(*call, "--no-ledger")
        for name, note in (("one", []), ("two", ["--note", f"why {verb}"])):
            entry += 1
            release = folder.json(*call, "--ledger", "books.db", "--dataset", name, *note)
            row = json.loads(folder.good("budget", "history", "--ledger", "books.db").splitlines()[-1])
            assert release["ledger"]["entry"] == row["entry"] == entry and row["dataset"] == name and row["verb"] == verb, row
            assert row["note"] == (note[1] if note else None) and row["status"] == "settled" and row["parameters"] == release["parameters"], row
            assert row["reserved"] == release["epsilon"]["reserved"] and row["spent"] == release["epsilon"]["spent"], row
        for options, message in ((["--ledger", "books.db"], "--dataset"), (["--dataset", "one"], "--ledger"), (["--note", "n", "--no-ledger"], "--ledger"),
                                 (["--ledger", "books.db", "--dataset", "one", "--no-ledger"], "--no-ledger"), ([], "--no-ledger"),
                                 (["--ledger", "books.db", "--dataset", "three"], '"three"'), (["--ledger", "none.db", "--dataset", "one"], "none.db")):
            assert message in folder.refused(*call, *options), (verb, options)
    assert len(folder.good("budget", "history", "--ledger", "books.db").splitlines()) == entry


def written(folder):
    """--format and --report of every verb that has them: the output is of that form, and the page is there."""
    calls = {verb: [*call_of(base, "", True), "--no-ledger"] for verb, (base, _) in RELEASES.items()}
    calls |= {"count": ["shop.dat"], "plan top": shlex.split(OTHERS["plan top"][0]), "plan above": shlex.split(OTHERS["plan above"][0])}
    for verb, call in calls.items():
        def output(form, verb=verb, call=call):
            result = folder.call(*verb.split(), *call, *(["--format", form] if form else []))
            assert result.returncode == 0, result
            return result.stdout

        assert json.loads(output("json")).keys() == json.loads(output("")).keys(), verb
        header = output("csv").splitlines()[0]
        assert re.fullmatch(r"[a-z_]+(,[a-z_]+)+", header) and output("csv-safe").splitlines()[0] == header, verb
        assert output("table").splitlines()[0] != header and not output("table").startswith("{"), verb
        assert "--format" in folder.refused(*verb.split(), *call, "--format", "xml")
        if verb in RELEASES:
            folder.good(verb, *call, "--report", f"{verb}.html")
            assert (folder.path / f"{verb}.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        else:
            assert "--report" in folder.refused(*verb.split(), *call, "--report", "page.html")
    folder.good("quest", "--transactions", 2, "--out", "made.dat")
    assert (folder.path / "made.dat").read_text() == folder.good("quest", "--transactions", 2)
    assert "--force" in folder.refused("quest", "--transactions", 2, "--out", "made.dat")
    folder.good("quest", "--transactions", 1, "--out", "made.dat", "--force")
    assert len((folder.path / "made.dat").read_text().splitlines()) == 1


def budgets(folder):
    """The options of `budget`: golden rows stand in documents_test.py."""
    for verb, options in BUDGET.items():
        assert listed(folder, "budget", verb).keys() == options, verb
    create = ["budget", "create", "--ledger", "all.db", "--unit", "customer", "--epsilon"]
    folder.call(*create, "7/2", "--dataset", "a", "--column", "id", "--neighbours", "replace")
    folder.call(*create, 2, "--dataset", "b", "--neighbours", "add-remove")
    folder.call(*create, 2, "--dataset", "c", "--delta", "2e-9")
    rows = [json.loads(line) for line in folder.good("budget", "show", "--ledger", "all.db").splitlines()]
    assert [(row["dataset"], row["total"], row["unit"], row["column"], row["neighbours"], row["status"]) for row in rows] == [
        ("a", "7/2", "customer", "id", "replace", "open"), ("b", "2", "customer", None, "add-remove", "open"),
        ("c", "2", "customer", None, "add-remove", "open")], rows
    assert [row["delta"] for row in rows] == [{"total": delta, "spent": "0", "reserved": "0", "remaining": delta} for delta in
                                              ("0", "0", "1/500000000")], rows
    for verb in ("create", "close", "rename"):
        more = {"create": ["--epsilon", 1, "--unit", "row"], "rename": ["--name", "x"]}.get(verb, [])
        assert "--dataset" in folder.refused("budget", verb, "--ledger", "all.db", *more)
        assert "--ledger" in folder.refused("budget", verb, "--dataset", "a", *more)
    for option in ("--epsilon", "--unit"):
        whole = ["budget", "create", "--ledger", "all.db", "--dataset", "d", "--epsilon", 1, "--unit", "row"]
        at = whole.index(option)
        assert option in folder.refused(*whole[:at], *whole[at + 2:])
    assert "--name" in folder.refused("budget", "rename", "--ledger", "all.db", "--dataset", "a")
    head = folder.good("budget", "head", "--ledger", "all.db").strip()
    renamed = folder.call("budget", "rename", "--ledger", "all.db", "--dataset", "a", "--name", "z")
    assert renamed.returncode == 0 and renamed.stderr == 'freegap: "a" is now "z"\n' and not renamed.stdout, renamed
    closed = folder.call("budget", "close", "--ledger", "all.db", "--dataset", "b")
    assert closed.returncode == 0 and closed.stderr == 'freegap: "b" is closed: nothing more can be released from it\n', closed
    rows = [json.loads(line) for line in folder.good("budget", "show", "--ledger", "all.db").splitlines()]
    assert [(row["dataset"], row["status"]) for row in rows] == [("z", "open"), ("b", "closed"), ("c", "open")], rows
    for given, said in (([], "5 rows hold; head 5:"), (["--head", head], "5 rows hold and continue from that head; head 5:"),
                        (["--head", head.split(":")[1]], "5 rows hold and continue from that head; head 5:")):
        assert folder.good("budget", "check", "--ledger", "all.db", *given).startswith(said), given
    copies(folder)


def copies(folder):
    """Of a ledger and its copy, one is open."""
    def open_sets(ledger):
        rows = [json.loads(line) for line in folder.good("budget", "show", "--ledger", ledger).splitlines()]
        return [row["dataset"] for row in rows if row["status"] == "open"]

    head = folder.good("budget", "head", "--ledger", "all.db")
    assert "--to" in folder.refused("budget", "copy", "--ledger", "all.db")
    archive = folder.call("budget", "copy", "--ledger", "all.db", "--to", "archive.db", "--closed")
    assert archive.returncode == 0 and archive.stdout == folder.good("budget", "head", "--ledger", "archive.db"), archive
    assert open_sets("archive.db") == [] and open_sets("all.db") == ["z", "c"]
    assert folder.good("budget", "head", "--ledger", "all.db") == head
    for ledger in ("archive.db", "all.db"):
        assert "continue from that head" in folder.good("budget", "check", "--ledger", ledger, "--head", head.strip())
    moved = folder.call("budget", "copy", "--ledger", "all.db", "--to", "moved.db")
    assert moved.returncode == 0 and moved.stdout == folder.good("budget", "head", "--ledger", "moved.db"), moved
    assert "continue from that head" in folder.good("budget", "check", "--ledger", "moved.db", "--head", head.strip())
    assert moved.stderr == "freegap: moved.db has all rows up to this head; the data sets of all.db are closed now\n", moved
    assert open_sets("moved.db") == ["z", "c"] and open_sets("all.db") == []
    again = folder.refused("budget", "copy", "--ledger", "all.db", "--to", "moved.db")
    assert 'are closed already; nothing was copied. It was copied to "moved.db": releases go on there' in again, again
    assert "already; nothing was copied" in folder.refused("budget", "copy", "--ledger", "moved.db", "--to", "archive.db")
    assert open_sets("moved.db") == ["z", "c"]
    for url, what in (("postgresql://ada:secret@/books", "has a password"), ("postgresql://ada:secret@[", "cannot be read"),
                      ("Postgresql://ada:secret@/books", "neither a file nor a URL"), ("host=db password=secret", "neither a file nor a URL"),
                      ("host=db Password = secret", "neither a file nor a URL"), ("postgres:ada:secret@h", "neither a file nor a URL"),
                      (" Postgresql:/ada:secret@h/b", "neither a file nor a URL")):
        message = folder.refused("budget", "copy", "--ledger", "moved.db", "--to", url)
        assert what in message and "secret" not in message, message
    assert "No such file" in folder.refused("budget", "show", "--ledger", f"postgresql:///books?host={folder.path}/nowhere", status=3)


def main():
    golden = Golden("options.json")
    with Folder() as folder:
        write_data(folder)
        verbs = re.search(r"^Subcommands:\n((?:  .*\n)+)", folder.good("--help"), re.MULTILINE).group(1)
        known = {verb.split()[0] for verb in (*RELEASES, *OTHERS)} | ELSEWHERE
        assert set(re.findall(r"^  (\w+)", verbs, re.MULTILINE)) == known, verbs
        releases(folder, golden)
        simulations(folder)
        others(folder, golden)
        kept(folder)
        written(folder)
        budgets(folder)
    print(f"{golden.finish()} golden changes by options {'written' if WRITE else 'hold'}")


if __name__ == "__main__":
    main()
