"""Golden documents of every verb that releases, as JSON, tables, CSV and pages, and golden rows of `budget`.

The releases are simulations, which a seed decides. They are put into a ledger of fixed times and names, so that all that is shown of it is
fixed too, its hashes included. Then releases whose noise is 0 but with a chance below e^-40 each: what is charged and kept of them."""

import json
import re

from golden import WRITE, Golden
from ledger_file import added, forge, recomputed
from program import Folder

COUNTS = [('say "hi", twice', 961), ("=SUM(A1)", 700), ("plain", 640), ("d" * 30, 420), ("e", 30), ("f", 29), ("g", 3)]
SOURCE = ["counts.csv", "--unit", "visit"]
CALLS = {
    "top": ["top", *SOURCE, "-k", 3, "--epsilon", "1/10"],
    "top, not measured": ["top", *SOURCE, "-k", 2, "--epsilon", "1/2", "--measure", 0, "--neighbours", "replace"],
    "top, classic": ["top", *SOURCE, "-k", 2, "--epsilon", "1/2", "--classic", "--noise", "laplace"],
    "top in a crowd": ["top", "shop.dat", "-k", 4, "--universe", "0..99", "--epsilon", "1/5"],
    "top above": ["top", *SOURCE, "-k", 6, "--above", 400, "--epsilon", 1],
    "top above, none": ["top", *SOURCE, "-k", 2, "--above", 9000, "--epsilon", 1, "--measure", 0],
    "top above, estimates": ["top", *SOURCE, "-k", 2, "--above", 100, "--epsilon", 1, "--prefer", "estimates", "--measure", "1/4", "--range", "0..800"],
    "above": ["above", *SOURCE, "-k", 3, "--threshold", "500", "--epsilon", "1/2", "--order", "label"],
    "above, adaptive": ["above", *SOURCE, "-k", 3, "--threshold", "100.5", "--epsilon", 2, "--adaptive", "--measure", "1/4", "--confidence", "0.9"],
    "above, classic": ["above", *SOURCE, "-k", 1, "--threshold", 500, "--epsilon", 1, "--classic", "--stop-after", 1],
    "above of ids": ["above", "shop.dat", "-k", 2, "--threshold", 20, "--universe", "0..9", "--epsilon", 5],
    "choose": ["choose", "sites.csv", "--epsilon", 2, "--sensitivity", 3, "--unit", "visit"],
    "choose, classic": ["choose", "sites.csv", "--epsilon", 2, "--sensitivity", 3, "--classic"],
    "choose, led": ["choose", *SOURCE, "--epsilon", 2],
    "measure": ["measure", *SOURCE, "--items", "e,none,=SUM(A1)", "--epsilon", "1/10", "--tick", "1/4"],
    "measure reals": ["measure", "sites.csv", "--items", "north,west", "--epsilon", 2, "--kind", "general", "--sensitivity", "0.1", "--unit", "visit"],
}
PAGES = ["top", "top above", "top above, none", "above", "above, adaptive", "choose", "choose, classic", "top, classic", "measure"]
TIME = 1_700_000_000


def write_data(folder):
    quoted = "".join('"' + name.replace('"', '""') + f'",{count}\n' for name, count in COUNTS)
    folder.write("counts.csv", "item,count\n" + quoted)
    folder.write("shop.dat", "".join(f"{i % 3} {i % 7} {i % 11}\n" for i in range(60)))
    folder.write("bad.csv", "item,count\na,1\n=b,x\nc\n")
    folder.write("clear.dat", "7 8\n7\n" * 9)
    folder.write("sites.csv", "item,value\nnorth,41.5\nsouth,-12\nwest,39.25\n")


def simulated(folder, call):
    document = json.loads(folder.good("simulate", *call, "--seed", 8))
    del document["simulated"]
    version = document.pop("freegap")
    assert folder.good("--version").startswith(f"freegap {version} "), version
    return {"freegap": "1.2.3", **document}


def page(folder, name):
    """The elements of a page, one per line, without its style."""
    text = (folder.path / name).read_text(encoding="utf-8")
    return re.sub(r"(?<=>)(?=<)", "\n", re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL))


def write_ledger(folder, documents):
    """A ledger with these releases as entries 1, 2, and so on, an entry that is not settled, and data sets that are open, closed, renamed."""
    create = ["budget", "create", "--ledger", "books.db", "--dataset"]
    folder.call(*create, "shop", "--epsilon", 40, "--unit", "visit")
    folder.call(*create, "people", "--epsilon", "7/2", "--unit", "customer", "--column", "customer_id", "--neighbours", "replace")
    folder.call(*create, "old", "--epsilon", "1/3", "--unit", "transaction")
    rows = []

    def add(**fields):
        rows.append(added(4 + len(rows), **fields))

    for number, (name, document) in enumerate(documents.items(), start=1):
        dataset = "people" if name == "choose" else "shop"
        asked = {"input": "counts.csv", "options": {"--epsilon": ["1"]}, "freegap": "1.2.3", "commit": "abc", **({"note": f"={name}"} if number % 2 else {})}
        add(kind="reserve", dataset=dataset, entry=number, time=TIME + 4000 * number, who=f"ann {number % 3}", verb=name.split()[0].strip(","),
            parameters=json.dumps(document["parameters"]), reserved=document["epsilon"]["reserved"], details=json.dumps(asked) if number % 3 else None)
        add(kind="settle", entry=number, spent=document["epsilon"]["spent"], release=json.dumps(document))
    add(kind="reserve", dataset="shop", entry=len(documents) + 1, time=TIME + 99_999, who="bob", verb="top", parameters="{}", reserved="5/4")
    add(kind="close", dataset="old", time=TIME + 100_000, who="bob")
    add(kind="rename", dataset="old", time=TIME + 100_001, who="bob", details="older")
    forge(folder.path / "books.db", *rows)


def releases(folder, golden, documents):
    """Each stored release in every format."""
    for number, name in enumerate(documents, start=1):
        show = ["budget", "show", number, "--ledger", "books.db"]
        assert folder.json(*show) == {**documents[name], "ledger": {"entry": number}}, name
        golden.text(f"{name}: table", folder.good(*show, "--format", "table"))
        golden.text(f"{name}: csv", folder.good(*show, "--format", "csv"))
        if number == 1:
            golden.text(f"{name}: csv-safe", folder.good(*show, "--format", "csv-safe"))
        if name in PAGES:
            folder.good(*show, "--report", f"{number}.html")
            golden.text(f"{name}: page", page(folder, f"{number}.html"))


def budgets(folder, golden):
    """What each verb of `budget` shows of the ledger."""
    books = ["--ledger", "books.db"]
    for verb in ("show", "history"):
        for form in ("json", "csv", "csv-safe", "table"):
            golden.text(f"budget {verb}: {form}", folder.good("budget", verb, *books, "--format", form))
    golden.text("budget show: one data set", folder.good("budget", "show", *books, "--dataset", "people"))
    golden.text("budget history: one data set", folder.good("budget", "history", *books, "--dataset", "people"))
    export = json.loads(folder.good("budget", "export", *books, "--dataset", "people"))
    assert folder.good("--version").startswith(f"freegap {export.pop('freegap')} ")
    assert export.pop("head") == recomputed(folder.path / "books.db") == folder.good("budget", "head", *books).strip()
    golden.document("budget export", export)
    assert len(json.loads(folder.good("budget", "export", *books))["entries"]) == len(CALLS) + 1
    golden.text("budget export: csv", folder.good("budget", "export", *books, "--dataset", "people", "--format", "csv"))
    everything = folder.good("budget", "export", *books, "--format", "csv-safe").splitlines()
    golden.text("budget export: csv-safe", "\n".join([everything[0], everything[1][:60], everything[-1]]))
    for name, dataset in (("spending", "shop"), ("no spending", "older")):
        folder.good("budget", "show", *books, "--dataset", dataset, "--report", f"{dataset}.html")
        golden.text(f"budget show: page of {name}", page(folder, f"{dataset}.html"))
    folder.call("budget", "create", "--ledger", "new.db", "--dataset", "x", "--epsilon", 1, "--unit", "row")
    for form in ("json", "csv", "table"):
        golden.text(f"budget history, no entries: {form}", folder.good("budget", "history", "--ledger", "new.db", "--format", form))


def deltas(folder, golden, document):
    """The same of a ledger whose data set has a δ: an entry with δ, one without, and an unfinished one."""
    books = ["--ledger", "delta.db"]
    for dataset, delta in (("terms", ["--delta", "1e-6"]), ("pure", [])):
        made = folder.call("budget", "create", *books, "--dataset", dataset, "--epsilon", 3, *delta, "--unit", "visit")
        golden.text(f"budget create of {dataset}", made.stderr)
    released = {**document, "epsilon": {"reserved": "1", "spent": "1"}, "delta": "1/1000000000"}
    asked = {"dataset": "terms", "who": "ann", "verb": "top", "parameters": json.dumps(document["parameters"])}
    forge(folder.path / "delta.db",
          added(3, kind="reserve", entry=1, time=TIME, reserved="1", delta="1/1000000000", details='{"note":"first"}', **asked),
          added(4, kind="settle", entry=1, spent="1", release=json.dumps(released)),
          added(5, kind="reserve", entry=2, time=TIME + 4000, reserved="1/2", **asked),
          added(6, kind="settle", entry=2, spent="1/4", release="{}"),
          added(7, kind="reserve", entry=3, time=TIME + 9000, reserved="1/2", delta="3/70000000", **asked))
    for verb in ("show", "history"):
        for form in ("json", "csv", "table"):
            golden.text(f"budget {verb} with delta: {form}", folder.good("budget", verb, *books, "--format", form))
    export = json.loads(folder.good("budget", "export", *books))
    assert export["head"] == recomputed(folder.path / "delta.db"), export["head"]
    assert export["datasets"][0]["delta"] == {"total": "1/1000000", "spent": "1/1000000000", "reserved": "3/70000000",
                                              "remaining": "6693/7000000000"}, export["datasets"]
    assert [entry.get("delta") for entry in export["entries"]] == ["1/1000000000", None, "3/70000000"], export["entries"]
    assert folder.good("budget", "export", *books, "--format", "csv").startswith("entry,dataset,time,who,verb,reserved,spent,delta,status,note,")
    golden.text("budget show with delta: table of a release", folder.good("budget", "show", 1, *books, "--format", "table"))
    golden.text("budget show with delta: unfinished", folder.refused("budget", "show", 3, *books))
    for name, arguments in (("release", [1]), ("data set", ["--dataset", "terms"])):
        folder.good("budget", "show", *arguments, *books, "--report", "delta.html")
        text = page(folder, "delta.html")
        golden.text(f"budget show with delta: page of a {name}", "\n".join(line for line in text.splitlines() if "δ" in line or "1e-" in line))


def charged(folder, golden):
    """Releases with noise of their own, which at this price is 0 (a gap to the next, which is rounded by chance, is not asked for): all that is kept of them, but for when, by whom and of which commit."""
    plenty = ["--epsilon", 300, "--tick", 1]
    calls = (["top", *SOURCE, "-k", 2, "--items-are-public", "--note", "why", "--classic"],
             ["top", *SOURCE, "-k", 3, "--candidates", "list.txt", "--above", 9, "--prefer", "estimates", "--estimator", "measured"],
             ["measure", *SOURCE, "--items", "plain,e", "--candidates", "list.txt"],
             ["above", *SOURCE, "--threshold", 500, "-k", 2, "--items-are-public", "--order", "label"],
             ["top", "clear.dat", "-k", 1, "--universe", "0..99", "--classic"])
    folder.write("list.txt", "plain\ne\nnone\n")
    for name, unit in (("a", "visit"), ("b", "visit"), ("c", "transaction")):
        folder.call("budget", "create", "--ledger", "spent.db", "--dataset", name, "--epsilon", 1000, "--unit", unit)
    for number, call in enumerate(calls, start=1):
        dataset = "c" if "clear.dat" in call else "a" if number < 4 else "b"
        release = folder.json(*call, *plenty, "--ledger", "spent.db", "--dataset", dataset, "--report", "page.html")
        assert release.pop("freegap")
        golden.document(f"charged {number}", release)
        golden.text(f"charged {number}: page", "\n".join(re.findall(r".*(?:<b>|<dd>|ε left|ε in all|spent by other|spent here|reserved ).*", page(folder, "page.html"))))
    stream = ["above", "-", "--threshold", 100, "-k", 2, "--sensitivity", 1, *plenty, "--ledger", "spent.db", "--dataset", "b"]
    text = "one,5\ntwo,150\nnonsense\nthree,300\nfour,1\n"
    for form in ("json", "csv", "table"):
        said = folder.call(*stream, "--format", form, stdin=text) if form == "json" else folder.call(*stream[:-4], "--no-ledger", "--format", form, stdin=text)
        assert said.returncode == 0, said
        golden.text(f"stream: {form}", re.sub(r'"freegap":"[^"]*"', '"freegap":"1.2.3"', said.stdout) + said.stderr)
    [*entries] = json.loads(folder.good("budget", "export", "--ledger", "spent.db"))["entries"]
    for entry in entries:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry.pop("time")) and entry.pop("who") and entry["asked"].pop("commit"), entry
        assert entry["asked"].pop("freegap") == entry["release"].pop("freegap")
        golden.document(f"entry {entry['entry']}", entry)
    golden.text("balances", folder.good("budget", "show", "--ledger", "spent.db"))


def others(folder, golden):
    """The verbs that release nothing, as tables and CSV; their JSON stands in options_test.py. What `reproduce` says of itself."""
    for call in (["plan", "top", "-k", 1, "--epsilon", 1], ["plan", "top", "--epsilon", 1, "--target-error", 3],
                 ["plan", "above", "-k", 3, "--epsilon", 1, "--adaptive", "--distance", 20], ["count", "counts.csv"], ["count", "bad.csv", "--check"]):
        for form in ("table", "csv", "csv-safe"):
            said = folder.call(*call, "--format", form)
            assert said.returncode == 0, said
            golden.text(f"{' '.join(map(str, call))}: {form}", said.stdout + said.stderr)
    data = folder.path / "data"
    data.mkdir()
    (data / "few-counts.csv").write_text("item,count\n1,1\n")
    (data / "many-counts.csv").write_text("item,count\n" + "".join(f"{i},{i}\n" for i in range(1, 301)))
    said = folder.call("reproduce", "--out", "out", "--figures", "split", "--runs", 2, "--seed", 5, "--threads", 1, "--data", "data")
    assert said.returncode == 0 and said.stdout == "out/report.html\n", said
    golden.text("reproduce: messages", re.sub("(?s)freegap: there is no gnuplot.*", "", said.stderr))
    record = json.loads((folder.path / "out" / "run.json").read_text(encoding="utf-8"))
    version = record.pop("freegap")
    assert folder.good("--version").startswith(f"freegap {version} ") and record.pop("seconds") >= 0 and record.pop("compiler")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record.pop("finished")) and "gnuplot" in record
    del record["gnuplot"]
    golden.document("reproduce: run.json", record)
    alone = ["reproduce", "--out", "alone", "--figures", "split", "--runs", 3, "--data", "data", "--without-embedded"]
    folder.call(*alone)
    record = json.loads((folder.path / "alone" / "run.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in record["data"]] == ["many"] and (record["runs"], record["seed"]) == (3, 1), record


def main():
    golden = Golden("documents.json")
    with Folder() as folder:
        write_data(folder)
        documents = {name: simulated(folder, call) for name, call in CALLS.items()}
        for name, document in documents.items():
            golden.document(name, document)
        write_ledger(folder, documents)
        releases(folder, golden, documents)
        budgets(folder, golden)
        deltas(folder, golden, documents["top"])
        charged(folder, golden)
        others(folder, golden)
    print(f"{golden.finish()} golden documents {'written' if WRITE else 'hold'}")


if __name__ == "__main__":
    main()
