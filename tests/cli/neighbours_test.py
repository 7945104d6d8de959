"""Neighbouring data cannot be told apart by anything but the release. Random small data sets, empty ones included, are given
to the program together with a neighbour: one record more, one unit more, one unit exchanged; and, with --skip-bad-records,
one more record of whatever bytes. Exit status and standard error must be the same, and so must all of the output that is
not itself drawn with noise: parameters, cost where it is fixed, columns, number of lines, names and types of every member.
What a release shows on purpose (items, numbers, how many answers a threshold gave and what they cost) may differ, but the
form it is shown in may depend on the options alone, so it is compared across all runs, and with it items that are in the
data and items that are not.

One message of a well-formed file is exempt, as SECURITY.md says: without --separator and without --skip-bad-records, a file of
transactions may be refused for how its items look. So random pairs of transactions have either option, and a pair of known ones shows
what each of them is good for.

Without PAIRS they are the same each time, so that a change of the program, and not chance, decides whether the test passes; with PAIRS
there is a new seed each time.

usage: neighbours_test.py PROGRAM [PAIRS [SEED]]
"""

import collections
import concurrent.futures
import csv
import gzip
import io
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading

PROGRAM = os.path.abspath(sys.argv[1])
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else max(40, int(300 * float(os.environ.get("FREEGAP_TEST_SCALE", "1"))))
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(10**9) if len(sys.argv) > 2 else 1

# Candidates with names that are hard on a reader or on a table. All but ids need quotes, or stand for themselves.
IDS = [str(i) for i in range(10)]
LABELS = IDS[:6] + ["café", "日本語", "tea,milk", 'the "best"', "x" * 1024, "-3", "007", "null", "a;b"]
OUTSIDE = ["zz", "99", "-1", "+1", "00", "1.0", "1e0", "\u00a0", "y" * 1024, "18446744073709551616"]

# Records of whatever bytes; b"\n" ends a record, so none holds one.
GARBAGE = [
    b"\xff", b"\xff\xfe 3", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"1 \xc3", b"\xef\xbb\xbf1", b"\xef\xbb\xbf",
    b"\x00", b"1\x002", b"\x00" * 300, b"1\r2", b"\r", b"\r\r", b"\x1b[2J", b"\x7f", b"\xc2\x80", b"\t", b"\t1\t", b" ",
    b'"', b'""', b'"""', b'a"b,c', b'"unclosed,1', b'"a"b,1', b'1,"', b'"1","2","3"', b"'1',2", b",", b",,,,,", b"1,", b",1",
    b"item,count", b"who,what", b"item,utility", b"1;2", b"1,nan", b"1,inf", b"1,-inf", b"1,-1", b"1,1.5", b"1,1e400",
    b"1,99999999999999999999999999", b"1,-99999999999999999999999999", b"1,0x10", b"1,1_000", b"2,\xff", b"1,2,3",
    b"zz 99 007", b"z" * 1025, b"1 " + b"z" * 1025, b"1," + b"9" * 1025, b"z" * 70000, b"1 " * 40000, b"-", b"--epsilon",
    b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"SQLite format 3\x00", b"%s%n", b"${HOME}", b"$(exit 7)",
]
TOO_LONG = b"1 " * (9 << 20)  # beyond the longest line that is read
CELLS = [None, b"blob", b"\xff", 1.5, float("inf"), -1, 2**62, "", " ", "1\x002", "z" * 1025, "nan", "1", "zz"]  # in a database


class Different(Exception):
    """How two runs can be told apart."""


# ---- data ----------------------------------------------------------------------------------------------------------


def quoted(text):
    """A field of a table."""
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"') or text != text.strip() else text


class Transactions:
    """A .dat file; a record is a transaction."""

    unit = "transaction"
    whole = True
    bound = "--max-items"

    def __init__(self, rng, huge):
        del huge  # a count is a number of lines here
        pool = [item for item in LABELS + OUTSIDE if " " not in item and item == item.strip()]
        self.pool = rng.sample(pool, rng.randint(1, len(pool)))
        self.records = [self.record(rng) for _ in range(rng.choice([0, 0, 1, 2, 5, 40]))]
        self.header = []
        self.name = "data.dat"
        self.options = ["--separator", "blank"]  # without it, whether items look wrongly separated may show

    def record(self, rng):
        items = [rng.choice(self.pool) for _ in range(rng.choice([0, 1, 2, 3, 8]))]  # an item may stand there twice
        return self.of_items(rng, items)

    def of_items(self, rng, items):
        return rng.choice([" ", "\t", "  "]).join(items).encode()

    def cover(self, rng):
        """Makes every item of the pool occur, so that which of them do is the same for all neighbours."""
        for item in self.pool:
            self.records.insert(rng.randint(0, len(self.records)), self.of_items(rng, [item]))

    def neighbour(self, rng):
        """The records of a neighbour: one more, in any place."""
        place = rng.randint(0, len(self.records))
        return self.records[:place] + [self.record(rng)] + self.records[place:]

    def items(self, records):
        return {item.decode() for record in records for item in record.split()}

    def write(self, folder, records, ending, packed):
        text = b"\n".join(self.header + records) + (ending if self.header + records else b"")
        if packed:
            text = gzip.compress(text)
        with open(os.path.join(folder, self.name + (".gz" if packed else "")), "wb") as file:
            file.write(text)


class Separated(Transactions):
    """Transactions with items between commas, some of them with spaces or commas in them."""

    def __init__(self, rng, huge):
        super().__init__(rng, huge)
        self.pool = rng.sample(LABELS + ["rye bread", "bread, white"], rng.randint(1, len(LABELS)))
        self.records = [self.record(rng) for _ in range(rng.choice([0, 0, 1, 2, 5, 40]))]
        self.options = ["--separator", ","]

    def of_items(self, rng, items):
        return rng.choice([",", ",,"]).join(quoted(item) for item in items).encode()

    def items(self, records):
        return {item for row in csv.reader(record.decode() for record in records) for item in row if item}


class Rows(Transactions):
    """A table of (unit, item); a unit may have several records, and counts once for each item."""

    unit = "who"

    def __init__(self, rng, huge):
        del huge
        self.pool = LABELS + OUTSIDE
        self.separator = rng.choice([",", "\t"])
        self.records = [self.record(rng) for _ in range(rng.choice([0, 0, 1, 2, 5, 40]))]
        self.header = [self.separator.join(["who", "what"]).encode()]
        self.name = "data.csv" if self.separator == "," else "data.tsv"
        self.options = ["--item", "what", "--unit", "who"]

    def record(self, rng, unit=None):
        unit = unit or rng.choice(["ann", "bob", "eve", "zoë"])
        return self.separator.join([quoted(unit), quoted(rng.choice(self.pool))]).encode()

    def of_items(self, rng, items):
        return self.separator.join([rng.choice(["ann", "bob"]), quoted(items[0])]).encode()

    def neighbour(self, rng):
        """One more record of someone who is there already, or all records of someone new."""
        if rng.random() < 0.5:
            return super().neighbour(rng)
        records = list(self.records)
        for _ in range(rng.randint(1, 5)):
            records.insert(rng.randint(0, len(records)), self.record(rng, "new"))
        return records

    def items(self, records):
        rows = csv.reader((record.decode() for record in records), delimiter=self.separator)
        return {row[1].strip(" \t") for row in rows}


class WholeRows(Rows):
    """The same table, where a row is all that is protected."""

    unit = "row"

    def __init__(self, rng, huge):
        super().__init__(rng, huge)
        self.options = ["--item", "what", "--unit", "row"]

    def neighbour(self, rng):
        return Transactions.neighbour(self, rng)


class Headless(Rows):
    """A table that lacks its header: its first record must not be shown for one."""

    def __init__(self, rng, huge):
        super().__init__(rng, huge)
        self.header = []
        self.records = self.records or [self.record(rng)]
        self.options = rng.choice([["--item", "what", "--unit", "who"], ["--unit", "who"], ["--item", "what", "--unit", "row"]])


class Counts(Transactions):
    """A table of ready-made counts. One unit more adds one to some of them, and items with a count of one."""

    unit = "visit"
    bound = "--bounded-by"

    def __init__(self, rng, huge):
        self.bases = [2**63 - 2, 2**62, 10**30, 10**18, 2**53 + 1, 10**9] if huge else [0, 0, 1, 3, 17]
        self.table = {item: self.number(rng) for item in rng.sample(LABELS + OUTSIDE, rng.choice([0, 0, 1, 5, 20]))}
        self.records = self.lines(rng, self.table)
        self.header = [b"item,count"]
        self.name = "data.csv"
        self.options = ["--unit", "visit"]

    def number(self, rng):
        return rng.choice(self.bases)

    def moved(self, rng, number):
        return number + rng.choice([0, 1])

    def lines(self, rng, table):
        lines = [f"{quoted(item)},{number}".encode() for item, number in table.items()]
        rng.shuffle(lines)
        return lines

    def neighbour(self, rng):
        table = {item: self.moved(rng, number) for item, number in self.table.items()}
        for item in rng.sample(LABELS + OUTSIDE, rng.randint(0, 4)):
            table.setdefault(item, self.moved(rng, 0))
        return self.lines(rng, table)

    def items(self, records):
        return {row[0].strip(" \t") for row in csv.reader(record.decode() for record in records)}


class Utilities(Counts):
    """A table of utilities that a unit moves by at most 1, up or down."""

    whole = False

    def __init__(self, rng, huge):
        super().__init__(rng, huge)
        self.bases = [1e18, -1e18, 1e300, -1e300, 2.0**53, 0.0] if huge else [0.0, -0.0, 0.1, -2.5, 17, 1e-300]
        self.table = {item: self.number(rng) for item in rng.sample(LABELS + OUTSIDE, rng.choice([0, 0, 1, 5, 20]))}
        self.records = self.lines(rng, self.table)
        self.header = [b"item,utility"]
        if rng.random() < 0.5:
            self.header = [b"item,score"]
            self.options = ["--unit", "visit", "--value", "score"]
        if rng.random() < 0.3:
            self.options = self.options + ["--range", rng.choice(["0..10", "-1e6..1e6", "-0.1..0.1", "0..1e14"])]

    def moved(self, rng, number):
        return number + rng.choice([-1, -0.25, 0, 0.5, 1])


class Database(Counts):
    """Counts that a query gives."""

    def __init__(self, rng, huge):
        super().__init__(rng, huge)
        if huge:
            self.bases = [2**62, 2**63 - 2, 10**18]
            self.table = {item: self.number(rng) for item in self.table}
        self.records = self.lines(rng, self.table)
        self.name = None
        self.options = ["--sqlite", "data.db", "--query", "select item, count from t order by rowid", "--unit", "visit"]

    def lines(self, rng, table):
        rows = list(table.items())
        rng.shuffle(rows)
        return rows

    def items(self, records):
        return {str(item) for item, _ in records}

    def write(self, folder, records, ending, packed):
        path = os.path.join(folder, "data.db")
        if os.path.exists(path):
            os.remove(path)
        database = sqlite3.connect(path)
        database.execute("create table t(item, count)")
        for item, count in records:
            if item == b"\xff":  # text that is not UTF-8
                database.execute("insert into t values (cast(x'ff31' as text), ?)", (count,))
            else:
                database.execute("insert into t values (?, ?)", (item, count))
        database.commit()
        database.close()


def spoiled(rng, source, records):
    """The same records and one of whatever bytes."""
    if isinstance(source, Database):
        record = (rng.choice(CELLS), rng.choice(CELLS))
    else:
        record = rng.choice(GARBAGE)
        if rng.random() < 0.3:
            record = bytes(b for b in rng.randbytes(rng.choice([1, 3, 20, 200])) if b != 10)
        elif rng.random() < 0.01:
            record = TOO_LONG
        elif rng.random() < 0.3:
            record = record[:rng.randint(0, len(record))] + rng.choice([b",", b" ", b"\t", b"\r"]) + rng.choice(GARBAGE)
    place = rng.randint(0, len(records))
    return records[:place] + [record] + records[place:]


# ---- questions -----------------------------------------------------------------------------------------------------


def question(rng, source, folders):
    """A command without its input, and the number of candidates: everything in it is public."""
    verb = rng.choice(["top", "top", "hybrid", "hybrid", "above", "above", "measure", "choose"])
    general = not source.whole or rng.random() < 0.4
    epsilon = rng.choice(["0.01", "1/3", "1", "40"])
    arguments = [{"hybrid": "top"}.get(verb, verb), "--epsilon", epsilon, "--kind", "general" if general else "counts"]
    if not source.whole:
        arguments += ["--sensitivity", "1"]
    if verb != "choose" and rng.random() < 0.4:  # what is cut away, and which items that leaves, must not show
        arguments += [source.bound, rng.choice(["1", "1", "2", "5", "18446744073709551615"])]
    if verb == "measure":
        named = rng.sample(IDS + ["café", "zz"], rng.randint(1, 5))
        names = [option for item in rng.sample(["tea,milk", "-3", 'the "best"'], rng.randint(0, 2)) for option in ("--item-name", item)]
        return arguments + ["--items", ",".join(named)] + names, None
    if verb == "hybrid" and not general and rng.random() < 0.5:  # which items occur, and how many, must not show
        arguments += ([] if source.bound in arguments else [source.bound, "2"]) + ["--unknown-items", "--delta", rng.choice(["1e-9", "0.9"])]
        arguments += ["-k", str(rng.randint(1, 12)), "--noise", rng.choice(["exponential", "laplace", "geometric"])]
        return (arguments + rng.choice([[], ["--measure", "0"], ["--above", "3.5"]]) +
                rng.choice([[], ["--prefer", "identity"], ["--prefer", "estimates"], ["--prefer", "estimates", "--theta", "1/4"]])), None
    if source.covered:
        size = len(source.pool)
        arguments.append("--items-are-public")
    elif not general and rng.random() < 0.5:
        size = rng.choice([1, 2, 10, 10**6, 2**63])
        arguments += ["--universe", f"0..{size - 1}"]
    else:
        listed = rng.sample(LABELS, rng.randint(1, len(LABELS)))
        size = len(listed)
        for folder in folders:
            with open(os.path.join(folder, "list.txt"), "w", encoding="utf-8") as file:
                file.write("\n".join(listed) + "\n")
        arguments += ["--candidates", "list.txt"]
    if verb == "choose":
        return arguments + rng.choice([[], ["--classic"], ["--tick", "1"]]), size
    distribution = rng.choice(["exponential", "laplace"] + ([] if general else ["geometric"]))
    k = rng.randint(1, min(size, 12))
    if rng.random() < 0.1:
        k = rng.choice([0, size, size + 1])  # out of range more often than not
        k = min(k, 12) if k <= size else k
    arguments += ["-k", str(k), "--noise", distribution]
    arguments += rng.choice([[], ["--measure", "0"], ["--measure", "0.5"], ["--measure", "9/10"]])
    threshold = rng.choice(["0", "2", "-5", "1e18", "3.5"])
    if verb == "top":
        return arguments + rng.choice([[], [], ["--classic"], ["--tick", "1"]]), size
    if verb == "hybrid":
        return arguments + ["--above", threshold] + rng.choice(
            [[], ["--prefer", "identity"], ["--prefer", "estimates"], ["--prefer", "estimates", "--theta", "1/4"]]), size
    orders = [[], ["--order", "label"], ["--order", "file"]] if "--universe" not in arguments else [[]]
    return (arguments + ["--threshold", threshold] + rng.choice([[], ["--adaptive"], ["--adaptive", "--branches", "3"]]) +
            rng.choice(orders) + rng.choice([[], [], ["--classic"]]) +
            rng.choice([[], ["--stop-after", "1"]]) + rng.choice([[], ["--stop-rule", "paper"]])), size


# ---- what may and what may not differ --------------------------------------------------------------------------------

# Members that are drawn with noise, or follow from such. Their values may differ, never their types, except where a number
# can be missing because of the noisy values that are shown beside it.
DRAWN = {
    "top_k": {"winners"},
    "top_k_above": {"winners", "threshold_gap_ticks", "measurement"},
    "sparse_vector": {"answers", "stopped", "measurement"},
    "adaptive_sparse_vector": {"answers", "stopped", "measurement"},
    "measure": {"measurements"},
    "exponential": {"item", "gap", "gap_ticks", "gap_in_utility", "lead_estimate", "lead_at_least", "p_not_best"},
}
MAY_BE_MISSING = {"lead_at_least", "lower", "lead_estimate", "threshold_gap_ticks", "interval", "simultaneous", "interval_low", "simultaneous_low",
                  "interval_high", "simultaneous_high"}
COST_IS_DRAWN = {"top_k_above", "sparse_vector", "adaptive_sparse_vector"}
ROWS = ("winners", "answers", "measurements")


def form(name, value):
    """The type of a member, and of what is in it."""
    if name in MAY_BE_MISSING:
        numbers = [] if value is None else value if isinstance(value, list) else [value]
        if any(type(number) not in (int, float) for number in numbers):
            raise Different(f"{name} is {value!r}")
        return "numbers or null"
    if isinstance(value, dict):
        return tuple((key, form(key, inner)) for key, inner in value.items())
    if isinstance(value, list):
        return tuple(form("", inner) for inner in value)
    return type(value).__name__


def split(document):
    """What must be equal for neighbours; and the form of the rest, row by row."""
    mechanism = document["mechanism"]
    fixed, forms = {}, []
    for key, value in document.items():
        if key == "ledger":
            value = {"entry": value["entry"], "remaining": form("", value["remaining"])}
        elif key == "epsilon" and mechanism in COST_IS_DRAWN:
            value = {inner: number if inner == "reserved" else form("", number) for inner, number in value.items()}
        if key in ROWS:
            fixed[key] = len(value) if mechanism in ("top_k", "measure") else "some"
            for place, row in enumerate(value):
                # The last of all candidates has nobody to be ahead of: no gap. That follows from k.
                last = mechanism == "top_k" and place + 1 == len(value) == document["parameters"]["candidate_count"]
                forms.append(((key, row.get("above"), row.get("gap_to"), last), form("", row)))
        elif key in DRAWN[mechanism]:
            fixed[key] = "drawn"
            # Who is alone is chosen without a gap.
            forms.append(((key, document["parameters"].get("candidate_count") == 1), form(key, value)))
        else:
            fixed[key] = value
    return list(fixed.items()), forms


def rows_of(document):
    return next((document[key] for key in ROWS if key in document), [document])


def split_csv(text, size, arguments):
    """The same for a spreadsheet: columns, number of lines, and which cells are empty."""
    head, *rows = list(csv.reader(io.StringIO(text, newline="")))
    if any(len(row) != len(head) for row in rows):
        raise Different("a row with more or fewer cells than there are columns")
    some = any(word in arguments for word in ("--above", "--unknown-items", "above"))
    forms = []
    for place, row in enumerate(rows):
        cells = dict(zip(head, row))
        last = place + 1 == len(rows) == size
        forms.append(((tuple(head), cells.get("above"), cells.get("gap_to"), last), tuple(
            name for name, cell in cells.items() if not cell and name not in MAY_BE_MISSING)))
    return [("columns", head), ("rows", "some" if some else len(rows))], forms


# How many answers are above, and of how many asked, is part of the release.
FOUND = r"\d+ (?:of \d+ queries asked are|ids? found)"
NOTE = r"± is one |\* The gap hardly counts|sure\? yes: |Rank \d+ is estimated above "


def split_table(text):
    """The same for a table: everything but its rows, and numbers where they are drawn."""
    frame = []
    inside = noting = False
    for line in text.splitlines():
        # Footnotes follow from the rows that were released.
        noting = bool(re.match(NOTE, line)) or (noting and line and not re.match(r'"at least"|Stopped: |Spent ', line))
        if noting or (not line and frame and not frame[-1]):
            continue
        if re.match(r"(rank|item|query)  ", line):
            inside = True
            frame.append(" ".join(line.split()))
        elif inside and line:
            frame.append("row")
        else:
            inside = False
            frame.append(line)
    if frame[0].startswith("Chosen"):  # what is said of the lead follows from it; it takes as many lines as any other
        return [("lines", len(frame))]
    if frame[0].startswith("Up to") or re.match(FOUND + " above ", frame[0]):
        # As many rows as there were answers, with their heads, or a word instead of them; then the cost.
        said = r"row$|$|(rank|query) |Nothing is above|\"at least\" holds|Stopped: |Spent "
        return [("frame", [re.sub("^" + FOUND, "# of them", line) for line in frame if not re.match(said, line)])]
    return [("frame", frame)]


def asked_in_order(output, arguments, run):
    """The queries of `above` in the order in which they were asked, where that order is not random; else nothing."""
    if arguments[0] != "above" or run.returncode != 0 or output == "table" or "--order" not in arguments:
        return []
    text = run.stdout.decode()
    rows = json.loads(text)["answers"] if output == "json" else csv.DictReader(io.StringIO(text, newline=""))
    return [row["query"] for row in rows]


class Checker:
    """Compares runs. Remembers the form that options give a release, and requires it of every other run."""

    def __init__(self):
        self.lock = threading.Lock()
        self.forms = {}
        self.seen = collections.Counter()

    def parts(self, arguments, size, output, run):
        if run.returncode != 0:
            if run.stdout:
                raise Different("output of a run that failed")
            return [], []
        text = run.stdout.decode()
        if not text.endswith("\n"):
            raise Different("the last line has no end")
        if output == "json":
            return split(json.loads(text))
        return split_csv(text, size, arguments) if output == "csv" else (split_table(text), [])

    def remember(self, options, forms):
        """One form for all runs with these options, whatever was in the data."""
        with self.lock:
            for key, shape in forms:
                known = self.forms.setdefault((options, key), shape)
                if known != shape:
                    raise Different(f"the form depends on the data: {known} and {shape}")

    def compare(self, arguments, size, output, one, other):
        """Raises Different unless two runs of one command, with so many candidates, look alike."""
        if one.returncode != other.returncode:
            raise Different(f"exit status {one.returncode} and {other.returncode}")
        if one.stderr != other.stderr:
            raise Different(f"messages {one.stderr!r} and {other.stderr!r}")
        if one.returncode == 0 and one.stderr:
            raise Different(f"a message of a run that went well: {one.stderr!r}")
        parts = [self.parts(arguments, size, output, run) for run in (one, other)]
        if parts[0][0] != parts[1][0]:
            raise Different(f"fixed parts {parts[0][0]} and {parts[1][0]}")
        # How far it is asked depends on the answers; in which order does not.
        orders = [asked_in_order(output, arguments, run) for run in (one, other)]
        if any(a != b for a, b in zip(*orders)):
            raise Different(f"asked in the order {orders[0]} and {orders[1]}")
        # Options that decide on the form; data, candidates and sizes do not.
        deciding = (output, arguments[0]) + tuple(
            argument for argument in arguments
            if argument.startswith("--") and argument not in ("--candidates", "--universe", "--item", "--unit", "--sqlite",
                                                              "--query", "--input-format", "--skip-bad-records", "--order",
                                                              "--ledger", "--dataset", "--no-ledger", "--stop-after",
                                                              "--kind", "--stop-rule", "--branches", "--neighbours",
                                                              "--separator", "--value", "--sensitivity", "--items-are-public",
                                                              "--range", "--items", "--item-name"))
        measured = arguments[arguments.index("--measure") + 1] != "0" if "--measure" in arguments else None
        prefer = arguments[arguments.index("--prefer") + 1] if "--prefer" in arguments else None
        for _, forms in parts:
            self.remember((deciding, measured, prefer), forms)


def call(arguments, folder, stdin=None):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, check=False, input=stdin or b"", timeout=300)


def check_names(checker, arguments, run, present):
    """Every item that is named is one of the candidates, written as they are; counts those in the data and those not."""
    if run.returncode != 0 or arguments[0] == "measure":
        return
    document = json.loads(run.stdout)
    for row in rows_of(document):
        item = row.get("item", row.get("query"))
        if "--universe" in arguments:
            last = arguments[arguments.index("--universe") + 1].split("..")[1]
            if not re.fullmatch(r"0|[1-9][0-9]*", item) or int(item) > int(last):
                raise Different(f"an item that is no id: {item!r}")
        elif item not in LABELS and "--candidates" in arguments:
            raise Different(f"an item that is no candidate: {item!r}")
        with checker.lock:
            checker.seen["named, in the data" if item in present else "named, not in the data"] += 1


def one_pair(checker, number, parent):
    rng = random.Random(f"{SEED}/{number}")
    folders = [os.path.join(parent, f"{number}-{side}") for side in (0, 1)]
    for folder in folders:
        os.mkdir(folder)
    source = rng.choice([Transactions, Transactions, Separated, Rows, Rows, WholeRows, Headless, Counts, Utilities, Utilities,
                         Database])(rng, rng.random() < 0.3)
    # Which items occur may be declared public, and then it is the same for all neighbours.
    source.covered = type(source) in (Transactions, Separated, Rows, WholeRows) and rng.random() < 0.4
    if source.covered:
        source.pool = rng.sample(source.pool, min(4, len(source.pool)))
        source.records = [source.record(rng) for _ in source.records]
        source.cover(rng)
    arguments, size = question(rng, source, folders)
    records = [source.records, source.records]
    way = rng.choice(["one more", "one more", "whatever bytes", "whatever bytes", "exchanged"])
    records[1] = source.neighbour(rng)
    if way == "whatever bytes" and (source.covered or isinstance(source, Headless)):
        way = "one more"  # such bytes may be an item more, or a header
    if way == "whatever bytes":
        arguments.append("--skip-bad-records")
        if type(source) is Transactions and rng.random() < 0.7:
            source.options = []
        records[1] = spoiled(rng, source, records[0])
        if rng.random() < 0.3:  # among others of its kind
            records = [spoiled(rng, source, records[0]) for _ in range(2)]
    elif way == "exchanged":
        records[0] = source.neighbour(rng)
        arguments += ["--neighbours", "replace"]
    packed = source.name is not None and rng.random() < 0.15
    ending = rng.choice([b"\n", b"\n", b"", b"\r\n", b"\n\n\n"])
    for folder, some in zip(folders, records):
        source.write(folder, some, ending, packed)
    piped = source.name is not None and rng.random() < 0.1 and arguments[0] != "above"
    name = source.name + (".gz" if packed else "") if source.name else None
    if piped:
        written = source.name.split(".")[1]
        arguments += ["-", "--input-format", written + (".gz" if packed and written == "dat" else "")]
    elif name:
        arguments.append(name)
    arguments += source.options
    output = rng.choice(["json", "json", "csv", "table"])
    arguments += ["--format", output]
    kept = rng.random() < 0.15
    if kept:
        total = rng.choice(["50", "50", "0.005"])
        for folder in folders:
            call(["budget", "create", "--ledger", "books.db", "--dataset", "shop", "--epsilon", total, "--unit", source.unit,
                  "--neighbours", "replace" if way == "exchanged" else "add-remove"], folder)
        arguments += ["--ledger", "books.db", "--dataset", "shop"]
    else:
        arguments.append("--no-ledger")

    runs = []
    for folder in folders:
        stdin = None
        if piped:
            with open(os.path.join(folder, name), "rb") as file:
                stdin = file.read()
        runs.append(call(arguments, folder, stdin))
    try:
        checker.compare(arguments, size, output, *runs)
        for run, some, folder in zip(runs, records, folders):
            if output == "json" and way != "whatever bytes":
                check_names(checker, arguments, run, source.items(some))
            if kept and run.returncode == 0:
                check_stored(arguments, output, run, folder)
    except Different as problem:
        raise AssertionError(f"seed {SEED}, pair {number}: {' '.join(arguments)} on {records!r:.1000}: {problem}") from problem
    with checker.lock:
        checker.seen["runs"] += 2
        checker.seen[way] += 1
        checker.seen["with status " + str(runs[0].returncode)] += 1
        checker.seen["with empty data"] += not source.records
    return arguments[0]


def check_stored(arguments, output, run, folder):
    """As many rows were shown as the release has."""
    again = call(["budget", "show", "1", "--ledger", "books.db", "--format", "json"], folder)
    if again.returncode != 0:
        raise Different(f"the release is not in the books: {again.stderr!r}")
    document = json.loads(again.stdout)
    rows = [row for row in rows_of(document) if output != "table" or row.get("above", True)]
    text = run.stdout.decode()
    if output == "csv":
        shown = len(list(csv.reader(io.StringIO(text, newline="")))) - 1
    elif output == "json":
        shown = len(rows_of(json.loads(text)))
    elif arguments[0] == "choose":
        shown = 1
    else:
        after = re.split(r"(?m)^ *(?:rank|item|query)  .*\n", text)
        shown = len(after[1].split("\n\n")[0].splitlines()) if len(after) > 1 else 0
    if shown != len(rows):
        raise Different(f"{shown} rows shown of {len(rows)} released")


def known_pairs(checker, parent):
    """Neighbours whose first record differs, for every kind of input that is counted: neither the order in which queries are asked
    nor a message may tell it. All queries are far below the threshold, so all are asked, but with probability exp(-1000)."""
    above = ["above", "-k", "9", "--threshold", "1e9", "--epsilon", "1", "--items-are-public", "--no-ledger"]
    verbs = [["top", "-k", "1", "--items-are-public"], ["choose", "--items-are-public"], ["measure", "--items", "a,b"]]
    counted = {"data.dat": ([], b"a b\nb\n", b"b a\na b\nb\n"), "commas.dat": (["--separator", ","], b"a,b\nb\n", b"b,a\na,b\nb\n"),
               "rows.csv": (["--item", "what", "--unit", "who"], b"who,what\nann,a\nbob,b\n", b"who,what\nzoe,b\nann,a\nbob,b\n"),
               "rows.tsv": (["--item", "what", "--unit", "row"], b"who\twhat\nann\ta\nbob\tb\n", b"who\twhat\nzoe\tb\nann\ta\nbob\tb\n")}
    headless = [("none.csv", (columns, b"ann,a\nbob,b\n", b"zoe,b\nann,a\nbob,b\n"))
                for columns in (["--item", "what", "--unit", "who"], ["--unit", "who"], ["--value", "n", "--unit", "who"])]
    folders = [os.path.join(parent, side) for side in ("first", "second")]
    for folder in folders:
        os.mkdir(folder)
    for name, (options, *texts) in [*counted.items(), *headless]:
        for folder, text in zip(folders, texts):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text)
        commands = [[*above, name, *options, "--order", order] for order in ("file", "label")]
        commands += [[*verb, name, *options, "--epsilon", "1", "--no-ledger"] for verb in verbs if name == "none.csv"]
        for command in commands:
            for output in ("json", "csv"):
                runs = [call([*command, "--format", output], folder) for folder in folders]
                try:
                    checker.compare(command, 2, output, *runs)
                except Different as problem:
                    raise AssertionError(f"{' '.join(command)}: {problem}") from problem


def known_tables(checker, parent):
    """Tables of the verbs whose number of rows is drawn: 8 runs of each show from none to all, and nothing else differs."""
    folder = os.path.join(parent, "tables")
    os.mkdir(folder)
    with open(os.path.join(folder, "data.dat"), "wb") as file:
        file.write(b"1 2\n2\n")
    above = ["above", "data.dat", "-k", "5", "--threshold", "1", "--epsilon", "1"]
    for command in ([*above, "--universe", "0..9"], [*above, "--items-are-public"],
                    *(["top", "data.dat", "-k", "5", "--above", "1", "--prefer", prefer, "--epsilon", "1", "--universe", "0..9"]
                      for prefer in ("identity", "estimates"))):
        command = [*command, "--no-ledger", "--skip-bad-records", "--format", "table"]
        runs = [call(command, folder) for _ in range(8)]
        for run in runs[1:]:
            try:
                checker.compare(command, 10, "table", runs[0], run)
            except Different as problem:
                raise AssertionError(f"{' '.join(command)}: {problem}") from problem


def wrongly_separated(checker, parent):
    """Neighbours of which one looks wrongly separated. Without --separator and --skip-bad-records that is a refusal, the exception that
    SECURITY.md makes; it repeats no record and charges nothing. With either option nothing tells them apart."""
    folders = [os.path.join(parent, side) for side in ("blanks", "commas")]
    for folder, text in zip(folders, (b"a b\nb,c\n", b"a b\nb,c\nd,e\n")):
        os.mkdir(folder)
        with open(os.path.join(folder, "data.dat"), "wb") as file:
            file.write(text)
        call(["budget", "create", "--ledger", "books.db", "--dataset", "shop", "--epsilon", "50", "--unit", "transaction"], folder)
    top = ["top", "data.dat", "-k", "2", "--epsilon", "1", "--universe", "0..9"]
    plain, refused = (call([*top, "--ledger", "books.db", "--dataset", "shop"], folder) for folder in folders)
    assert plain.returncode == 0 and refused.returncode == 2, (plain, refused)
    assert b"--separator" in refused.stderr and b"d,e" not in refused.stderr and not refused.stdout, refused
    history = call(["budget", "history", "--ledger", "books.db", "--format", "json"], folders[1])
    assert history.returncode == 0 and not history.stdout, history
    for options in (["--separator", "blank"], ["--separator", ","], ["--skip-bad-records"]):
        command = [*top, *options, "--no-ledger"]
        checker.compare(command, 10, "json", *(call(command, folder) for folder in folders))


def check_the_checker(parent):
    """It complains of what would give a record away: a refusal, a message, a line, a member, a candidate more."""
    folders = [os.path.join(parent, side) for side in ("d", "e")]
    for folder, text in zip(folders, (b"1 2\n2\n", b"1 2\n\xff\n2\n3\n")):
        os.mkdir(folder)
        with open(os.path.join(folder, "data.dat"), "wb") as file:
            file.write(text)
    top = ["top", "data.dat", "-k", "2", "--epsilon", "1", "--no-ledger"]
    skipping = [*top, "--universe", "0..9", "--skip-bad-records"]
    one, other = (call(skipping, folder) for folder in folders)
    Checker().compare(skipping, 10, "json", one, other)  # nothing to complain of

    def altered(**changes):
        return subprocess.CompletedProcess([], **{"returncode": 0, "stdout": other.stdout, "stderr": other.stderr, **changes})

    document = json.loads(other.stdout)
    document["winners"][0]["in_data"] = False
    member = json.dumps(document).encode() + b"\n"
    del document["winners"][0]["in_data"]
    document["winners"][1]["measured"] = None
    null = json.dumps(document).encode() + b"\n"
    document["winners"].pop()
    fewer = json.dumps(document).encode() + b"\n"
    strict = [call([*top, "--universe", "0..9"], folder) for folder in folders]
    public = [call([*top, "--items-are-public", "--skip-bad-records"], folder) for folder in folders]
    missed = []
    ordered = ["above", "data.dat", "--threshold", "1", "-k", "9", "--epsilon", "40", "--order", "label", "--items-are-public", "--no-ledger"]
    asked = call(ordered, folders[0])
    turned = json.loads(asked.stdout)
    turned["answers"].reverse()
    try:
        Checker().compare(ordered, 2, "json", asked, subprocess.CompletedProcess([], 0, json.dumps(turned).encode() + b"\n", b""))
        missed.append("another order")
    except Different:
        pass
    for what, pair in {"a refusal": strict, "another number of candidates": public, "a message": (one, altered(stderr=b"2 bad")),
                       "a status": (one, altered(returncode=3, stdout=b"")), "a member more": (one, altered(stdout=member)),
                       "a null": (one, altered(stdout=null)), "a winner less": (one, altered(stdout=fewer))}.items():
        try:
            Checker().compare(skipping, 10, "json", *pair)
            missed.append(what)
        except Different:
            pass
    for output, line in (("table", b"One record was dropped.\n"), ("csv", b"3,7,1.5,3,2.5,2.5,1.5,1.5,2.5,,1\n")):
        pair = [call([*skipping, "--format", output], folder) for folder in folders]
        Checker().compare(skipping, 10, output, *pair)
        pair[1].stdout += line
        try:
            Checker().compare(skipping, 10, output, *pair)
            missed.append(f"a line more, {output}")
        except Different:
            pass
    assert not missed, f"the checker does not notice: {missed}"


def main():
    checker = Checker()
    verbs = collections.Counter()
    with tempfile.TemporaryDirectory() as parent:
        check_the_checker(parent)
        known_pairs(checker, parent)
        known_tables(checker, parent)
        wrongly_separated(checker, parent)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for verb in pool.map(lambda number: one_pair(checker, number, parent), range(PAIRS)):
                verbs[verb] += 1
    seen = checker.seen
    if PAIRS >= 300:
        for what in ("named, in the data", "named, not in the data", "with status 0", "with status 2", "with empty data",
                     "one more", "whatever bytes", "exchanged"):
            assert seen[what] >= 10, f"too few to say anything: {what}, {seen}"
    print(f"{PAIRS} pairs of neighbours look alike ({dict(verbs)}; {dict(seen)}; {len(checker.forms)} forms; seed {SEED})")


if __name__ == "__main__":
    main()
