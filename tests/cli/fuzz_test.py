"""Calls the program at random, with good and bad options on good and bad data, and checks what every call must keep.

    fuzz_test.py PROGRAM [CALLS [SEED]]

Of every call:
- the exit status is 0, 2 or, where a file cannot be written, 3; never a signal, never a hang;
- a refused call (2) prints a message, no result, and leaves the ledger as it was;
- a release in JSON is charged exactly what it says it spent, and the budget is never exceeded;
- no message repeats a label that only the data has, and no release names one that is not a declared candidate.

The seed is printed, and the same seed makes the same calls (the program's own noise differs). Without CALLS they are the same each time,
so that a change of the program, and not chance, decides whether the test passes; with CALLS there is a new seed each time."""

import fractions
import gzip
import json
import os
import random
import sqlite3
import subprocess
import sys

from program import PROGRAM, Folder

SECRET = "hush"  # begins every label that stands in the data and nowhere else


def data(folder, rng):
    """Files of every format the program reads, well-formed and not."""
    public = ["tea", "milk", "rye bread", "6", "7", "42", "é", "=1+1", "a,b"]
    labels = public + [f"{SECRET}{n}" for n in range(6)]
    plain = [label for label in labels if " " not in label and "," not in label]
    baskets = [" ".join(rng.sample(plain, rng.randint(0, 4))) for _ in range(40)]
    folder.write("baskets.dat", "\n".join(baskets) + "\n")
    folder.write("numbers.dat", "".join(f"{rng.randint(0, 20)} {rng.randint(0, 20)}\n" for _ in range(60)))
    folder.write("baskets.dat.gz", gzip.compress(("\n".join(baskets) + "\n").encode()))
    folder.write("commas.dat", "".join(",".join(rng.sample(plain, 3)) + "\n" for _ in range(30)))
    quoted = [f'"{label}"' for label in labels]
    folder.write("counts.csv", "item,count\n" + "".join(f"{label},{rng.randint(0, 900)}\n" for label in quoted))
    folder.write("values.csv", "item,value\n" + "".join(f"{label},{rng.uniform(-9, 900)}\n" for label in quoted))
    folder.write("revenue.csv", "item,revenue,count\n" + "".join(f"{label},{rng.randint(0, 10**13)},3\n" for label in quoted))
    folder.write("utilities.tsv", "item\tutility\n" + "".join(f"{label}\t{rng.uniform(0, 50)}\n" for label in plain))
    rows = [f"{SECRET}{rng.randint(0, 30)},{rng.choice(plain)},{rng.randint(0, 99)}" for _ in range(80)]
    folder.write("rows.csv", "customer,product,price\n" + "\n".join(rows) + "\n")
    folder.write("headless.csv", "\n".join(rows) + "\n")
    folder.write("repeated.csv", f"item,count\n{SECRET}1,3\n{SECRET}1,4\n")
    folder.write("negative.csv", f"item,count\n{SECRET}1,-3\ntea,x{SECRET}\n")
    folder.write("torn.csv", f'item,count\n"{SECRET}1,3\n{SECRET}2\n')
    folder.write("bytes.dat", bytes(rng.randrange(256) for _ in range(300)))
    folder.write("empty.dat", "")
    folder.write("empty.csv", "")
    folder.write("header.csv", "item,count\n")
    folder.write("list", "\n".join(public) + "\n")
    folder.write("twice", "tea\ntea\n")
    folder.write("torn.gz", b"\x1f\x8b\x08\x00torn")
    base = sqlite3.connect(folder.path / "shop.db")
    base.execute("CREATE TABLE sales (customer, product, price)")
    base.executemany("INSERT INTO sales VALUES (?, ?, ?)", [row.split(",") for row in rows])
    base.commit()
    base.close()
    for dataset, unit in (("shop", "transaction"), ("people", "customer"), ("lines", "row")):
        made = folder.call("budget", "create", "--ledger", "ledger.db", "--dataset", dataset, "--epsilon", "1000", "--unit", unit)
        assert made.returncode == 0, made
    return public


class Caller:
    """Makes up calls."""

    def __init__(self, rng):
        self.rng = rng

    def some(self, chance, *arguments):
        return list(arguments) if self.rng.random() < chance else []

    def one(self, *choices):
        return self.rng.choice(choices)

    def number(self):
        return self.one("0", "1", "2", "3", "10", "0.5", "1/3", "7/10", "1e3", "250", "-1", "0x10", "010", "nan", "inf", "1e-300",
                        "1e400", "", "1/0", "9" * 400, "١", "2.", ".5", "1e999999999999", "0.7 ", "٣/٤", "--")

    def positive(self):
        return self.one("1", "0.5", "1/3", "2", "7/10", "0.01") if self.rng.random() < 0.9 else self.number()

    def source(self):
        kind = self.rng.random()
        if kind < 0.25:
            return [self.one("baskets.dat", "numbers.dat", "baskets.dat.gz", "commas.dat"), *self.some(0.2, "--separator", self.one(",", "\\t", ";", " ", ",,", ""))]
        if kind < 0.45:
            return ["counts.csv", *self.some(0.9, "--unit", self.one("customer", "row", "person"))]
        if kind < 0.6:
            return [self.one("values.csv", "revenue.csv", "utilities.tsv"), *self.some(0.8, "--unit", self.one("customer", "row")),
                    *self.some(0.8, "--kind", self.one("general", "counts"), "--sensitivity", self.positive()),
                    *self.some(0.3, "--value", self.one("revenue", "value", "count", "nothing")),
                    *self.some(0.2, "--range", self.one("0..1000", "0..1e12", "5..1", "x", "-10..10"))]
        if kind < 0.75:
            return ["rows.csv", "--item", self.one("product", "product", "customer", "nothing"), *self.some(0.9, "--unit", self.one("customer", "row", "price"))]
        if kind < 0.85:
            query = self.one("SELECT product AS item, COUNT(DISTINCT customer) AS count FROM sales GROUP BY 1",
                             "SELECT product AS item, SUM(price) AS value FROM sales GROUP BY 1", "SELECT customer, product FROM sales",
                             "DROP TABLE sales", "SELECT nothing FROM sales", "SELECT 1; SELECT 2", "")
            return ["--sqlite", self.one("shop.db", "shop.db", "none.db", "baskets.dat"), "--query", query, *self.some(0.8, "--unit", "customer"),
                    *self.some(0.2, "--item", "product")]
        return [self.one("headless.csv", "repeated.csv", "negative.csv", "torn.csv", "bytes.dat", "empty.dat", "empty.csv", "header.csv", "torn.gz",
                         "none.dat", ".", "/dev/null", "list", "ledger.db"), *self.some(0.5, "--unit", "customer"),
                *self.some(0.3, "--input-format", self.one("dat", "csv", "tsv", "xml"))]

    def candidates(self):
        return self.one(["--candidates", "list"], ["--candidates", "list"], ["--items-are-public"], ["--universe", self.one("0..99", "0..9223372036854775807", "5..4", "6..7", "a..b", "-5..5")],
                        [], ["--candidates", self.one("twice", "none", "bytes.dat", "")], ["--items-are-public", "--candidates", "list"])

    def common(self):
        return [*self.one(["--no-ledger"], ["--ledger", "ledger.db", "--dataset", self.one("shop", "people", "lines")], ["--ledger", "ledger.db", "--dataset", "people"],
                          ["--ledger", "ledger.db", "--dataset", "lines"], ["--ledger", "ledger.db", "--dataset", "shop"], [], ["--ledger", "none/ledger.db", "--dataset", "shop"],
                          ["--ledger", "", "--dataset", "shop"], ["--ledger", "ledger.db", "--dataset", "nobody"], ["--ledger", "baskets.dat", "--dataset", "shop"]),
                *self.some(0.1, "--format", self.one("table", "csv", "xml")), *self.some(0.2, "--skip-bad-records"),
                *self.some(0.1, "--neighbours", self.one("add-remove", "replace", "all")), *self.some(0.1, "--confidence", self.number()),
                *self.some(0.1, "--kind", self.one("counts", "general", "other")), *self.some(0.1, "--sensitivity", self.number()),
                *self.some(0.1, "--note", self.one("why not", "", "\x1b[31m", "é" * 3000)), *self.some(0.05, "--report", self.one("page.html", "none/page.html", ".", ""))]

    def noise(self):
        return [*self.some(0.2, "--noise", self.one("exponential", "laplace", "geometric", "cauchy")), *self.some(0.1, "--tick", self.one("1", "1/4", "1/3", "0", "2^3", "1e-9"))]

    def sparse(self):
        return ["--threshold", self.one("10", "100", "-5", "1e6", "0.25", self.number()), "-k", self.one("1", "3", "5", self.number()), "--epsilon", self.positive(),
                *self.some(0.4, "--adaptive"), *self.some(0.1, "--branches", self.one("1", "2", "5", "0", "1000000")), *self.some(0.1, "--sigma", self.number()),
                *self.some(0.1, "--theta", self.number()), *self.some(0.1, "--stop-rule", self.one("afford", "paper")), *self.some(0.1, "--stop-after", self.number()),
                *self.some(0.2, "--measure", self.number()), *self.some(0.1, "--classic"), *self.some(0.1, "--constant-work"), *self.noise()]

    def sensible(self):
        """A call that could be meant."""
        books = self.one(["--no-ledger"], ["--ledger", "ledger.db"], ["--ledger", "ledger.db"])
        source, dataset = self.one(
            (["baskets.dat"], "shop"), (["numbers.dat"], "shop"), (["baskets.dat.gz"], "shop"),
            (["commas.dat", "--separator", ","], "shop"), (["counts.csv", "--unit", "customer"], "people"),
            (["revenue.csv", "--value", "revenue", "--unit", "customer", "--kind", "general", "--sensitivity", "50", "--range", "0..1e13"], "people"),
            (["rows.csv", "--item", "product", "--unit", "customer"], "people"), (["rows.csv", "--item", "product", "--unit", "row"], "lines"),
            (["negative.csv", "--unit", "customer", "--skip-bad-records"], "people"))
        listed = self.one(["--candidates", "list"], ["--items-are-public"]) if "numbers.dat" not in source else ["--universe", "0..99"]
        verb = self.one(["top", *source, "-k", self.one("1", "2"), *listed, *self.some(0.3, "--above", "3"), *self.some(0.3, "--measure", "0.2")],
                        ["above", *source, "--threshold", "5", "-k", "2", *listed, *self.some(0.5, "--adaptive"), *self.some(0.2, "--order", "label")],
                        ["above", "-", "--threshold", "100", "-k", "2", "--sensitivity", "1", "--unit", "customer"],
                        ["choose", *source, *self.some(0.5, *([] if "--sensitivity" in source else ["--sensitivity", "2"])), *listed],
                        ["measure", *source, "--item-name", "tea", "--item-name", "6"])
        dataset = "people" if "-" in verb else dataset
        return [*verb, "--epsilon", self.one("1/7", "0.5", "0.01"), *books, *(["--dataset", dataset] if "--ledger" in books else []),
                *self.some(0.2, "--constant-work"), *self.some(0.2, "--note", "why not"), *self.some(0.1, "--report", "page.html"),
                *self.some(0.1, "--format", self.one("table", "csv", "csv-safe"))]

    def verb(self):
        if self.rng.random() < 0.5:
            return self.sensible()
        rng = self.rng.random()
        if rng < 0.35:
            return ["top", *self.source(), "-k", self.one("1", "2", "5", "0", "99", self.number()), "--epsilon", self.positive(), *self.candidates(), *self.noise(),
                    *self.some(0.2, "--measure", self.number()), *self.some(0.2, "--above", self.number()), *self.some(0.1, "--prefer", self.one("identity", "estimates")),
                    *self.some(0.1, "--classic"), *self.some(0.1, "--constant-work"), *self.some(0.05, "--threads", self.one("1", "2", "010", "0", "x")), *self.common()]
        if rng < 0.55:
            return ["above", *self.source(), *self.sparse(), *self.candidates(), *self.some(0.2, "--order", self.one("random", "file", "label", "size")), *self.common()]
        if rng < 0.65:
            return ["above", "-", *self.sparse(), "--sensitivity", self.positive(), *self.some(0.5, "--unit", "customer"), *self.common()]
        if rng < 0.75:
            return ["choose", *self.source(), "--epsilon", self.positive(), *self.some(0.8, "--sensitivity", self.positive()), *self.candidates(), *self.some(0.1, "--classic"), *self.common()]
        if rng < 0.88:
            return ["measure", *self.source(), *self.one(["--items", "tea,milk"], ["--items", "6"], ["--item-name", "a,b", "--item-name", "tea"], [], ["--items", ""], ["--items", ",,"], ["--items", "tea,tea"]),
                    "--epsilon", self.positive(), *self.some(0.1, "--tick", self.number()), *self.common()]
        if rng < 0.93:
            return ["plan", self.one("top", "above", "choose"), *self.some(0.8, "-k", self.number()), *self.some(0.8, "--epsilon", self.number()), *self.some(0.3, "--target-error", self.number()),
                    *self.some(0.2, "--adaptive"), *self.some(0.2, "--measure", self.number())]
        return ["budget", self.one("show", "history", "export", "create", "head", "check", "shwo"), *self.some(0.9, "--ledger", self.one("ledger.db", "ledger.db", "none.db", "rows.csv", "")),
                *self.some(0.3, "--dataset", self.one("shop", "people", "nobody")), *self.some(0.1, "--epsilon", self.number()), *self.some(0.1, self.number())]

    def spoil(self, call):
        """The call with an argument lost, doubled, exchanged, mistyped or invented."""
        call = list(call)
        place = self.rng.randrange(len(call))
        way = self.rng.randrange(5)
        if way == 0:
            del call[place]
        elif way == 1:
            call.insert(place, call[place])
        elif way == 2:
            other = self.rng.randrange(len(call))
            call[place], call[other] = call[other], call[place]
        elif way == 3 and call[place]:
            letter = self.rng.randrange(len(call[place]))
            call[place] = call[place][:letter] + self.one("", "x", "-", "\u202e", "\t") + call[place][letter + 1:]
        else:
            call.insert(place, self.one("--", "--no-such-option", "-", "", "--help", "\x1b]0;", "--epsilon=2", "-k7", "é"))
        return call

    def call(self):
        call = self.verb()
        while self.rng.random() < 0.25:
            call = self.spoil(call) or ["top"]
        return call

    def lines(self):
        """What a stream reads."""
        return "".join(self.one(f"{SECRET}{n},{self.rng.randint(-50, 500)}\n", "tea,12\n", "tea,nan\n", "\n", "x\n", f"{SECRET},1,2\n", "é,3.5\n", "late,7")
                       for n in range(self.rng.randint(0, 12)))


def accounts(folder):
    """Total, spent and reserved of every data set, as exact numbers."""
    result = {}
    for line in folder.good("budget", "show", "--ledger", "ledger.db", "--format", "json").splitlines():
        entry = json.loads(line)
        total, spent, reserved, remaining = (fractions.Fraction(entry[key]) for key in ("total", "spent", "reserved", "remaining"))
        assert total - spent - reserved == remaining >= 0, entry
        result[entry["dataset"]] = (total, spent, reserved)
    return result


def charged(stdout, stream):
    """What a release in JSON says it spent; of a stream its last line does."""
    try:
        text = stdout.strip().splitlines()[-1] if stream else stdout
        return fractions.Fraction(json.loads(text)["epsilon"]["spent"])
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def check(folder, call, result, before, public):
    """What every call must keep; returns the accounts after it."""
    assert result.returncode in (0, 2, 3) or (result.returncode == 1 and "check" in call), "exit status"
    stream = call[0] == "above" and "-" in call
    releases = call[0] in ("top", "above", "choose", "measure")
    names = [word for word in call if SECRET in word]
    assert names or SECRET not in result.stderr, "a message repeats a label of the data"
    if result.returncode == 3:
        assert any(word.startswith(("none/", ".", "/dev")) or word in ("", "rows.csv", "baskets.dat", "ledger.db", "shop.db") for word in call), "a fault of the machine"
    if result.returncode == 2 and not stream:
        assert not result.stdout and result.stderr.endswith("\n"), "a refusal"
    if releases and result.returncode == 0 and "--candidates" in call and not stream:
        assert SECRET not in result.stdout, "a release names what is no candidate"
    after = accounts(folder) if "ledger.db" in call or result.returncode == 0 else before
    if result.returncode == 2 or not releases:
        assert {name: after[name] for name in before} == before, "a refused call changed the ledger"
    elif result.returncode == 0 and before != after:
        (name,) = [name for name in before if before[name] != after[name]]
        assert name in call and before[name][2] == after[name][2], "an entry is left open"
        said = charged(result.stdout, stream)
        assert said is None or said == after[name][1] - before[name][1], "the cost"
    return after


def main():
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else max(400, int(2000 * float(os.environ.get("FREEGAP_TEST_SCALE", "1"))))
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(2**32) if len(sys.argv) > 2 else 1
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    statuses = {}
    released = 0
    with Folder() as folder:
        public = data(folder, rng)
        caller = Caller(rng)
        before = accounts(folder)
        for number in range(calls):
            call, lines = caller.call(), caller.lines()
            try:
                result = subprocess.run([PROGRAM, *call], cwd=folder.path, input=lines.encode(), capture_output=True, check=False, timeout=60)
                result.stdout, result.stderr = result.stdout.decode(errors="strict"), result.stderr.decode(errors="strict")
                after = check(folder, call, result, before, public)
            except (AssertionError, subprocess.TimeoutExpired, UnicodeDecodeError) as problem:
                sys.exit(f"call {number} of seed {seed}: {problem}\n{call}\n{result.returncode}\n{result.stdout}\n{result.stderr}")
            released += before != after
            before = after
            statuses[result.returncode] = statuses.get(result.returncode, 0) + 1
        folder.good("budget", "check", "--ledger", "ledger.db")
    assert statuses.get(0, 0) > calls // 20 and statuses.get(2, 0) > calls // 5 and released > calls // 100, (statuses, released)
    print(f"{calls} calls: " + ", ".join(f"{count} ended with {status}" for status, count in sorted(statuses.items()))
          + f"; {released} were charged")


if __name__ == "__main__":
    main()
