"""What goes wrong, and what it costs. Whatever is refused (status 2) prints no result and leaves the ledger as it was, to
the byte. A machine that fails (status 3: a full disk, a ledger in a read-only place, an output that takes nothing) never
shows a release that has not been paid for, and never loses one that has.

usage: faults_test.py PROGRAM
"""

import hashlib
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from fractions import Fraction

PROGRAM = os.path.abspath(sys.argv[1])
DONE, BAD_INPUT, MACHINE_FAULT = 0, 2, 3
BOOKS = ["--ledger", "books.db", "--dataset", "shop"]
TOP = ["top", "shop.dat", "-k", "2", "--epsilon", "1/10", "--universe", "0..9"]

FILES = {
    "shop.dat": b"1 2 3\n2 3\n3\n",
    "bad.dat": b"1 2 3\n2 \xff\n3\n",
    "rows.csv": b"who,what\nann,tea\nbob,tea\nbob,milk\n",
    "ragged.csv": b"who,what\nann,tea\nbob\n",
    "counts.csv": b"item,count\ntea,5\nmilk,3\n",
    "twice.csv": b"item,count\ntea,5\nmilk,3\ntea,5\n",
    "negative.csv": b"item,count\ntea,5\nmilk,-3\n",
    "fraction.csv": b"item,count\ntea,5\nmilk,2.5\n",
    "nan.csv": b"item,utility\ntea,5\nmilk,nan\n",
    "infinite.csv": b"item,utility\ntea,5\nmilk,inf\n",
    "quote.csv": b'item,count\ntea,5\nmi"lk,3\n',
    "headless.csv": b"",
    "sites.csv": b"item,utility\nnorth,41.5\nsouth,12\n",
    "list.txt": b"tea\nmilk\ncocoa\n",
    "list-twice.txt": b"tea\nmilk\ntea\n",
    "list-none.txt": b"\n\n",
    "data.txt": b"1 2\n",
    "commas.dat": b"1,2\n2,3\n",
}

COUNTS = ["top", "counts.csv", "-k", "1", "--epsilon", "1/10", "--unit", "transaction", "--items-are-public"]
ABOVE = ["above", "shop.dat", "-k", "1", "--epsilon", "1/10", "--threshold", "2", "--items-are-public"]
CHOOSE = ["choose", "sites.csv", "--epsilon", "1/10", "--sensitivity", "1", "--unit", "transaction",
          "--items-are-public"]
MEASURE = ["measure", "shop.dat", "--items", "1,2", "--epsilon", "1/10"]
STREAM = ["above", "-", "-k", "1", "--epsilon", "1/10", "--threshold", "2", "--sensitivity", "1", "--unit", "transaction"]


def change(arguments, *pairs):
    """The same command with some arguments exchanged."""
    changes = dict(zip(pairs[::2], pairs[1::2]))
    assert set(changes) <= set(arguments), changes
    return [changes.get(argument, argument) for argument in arguments]


def without(arguments, *dropped):
    return [argument for argument in arguments if argument not in dropped]


# Asked of a ledger that has enough budget: each is refused for what it says, not for what it would cost.
REFUSED = {
    "k of 0": change(TOP, "2", "0"),
    "k below 0": change(TOP, "2", "-1"),
    "k above the number of candidates": change(TOP, "2", "11"),
    "k that is no number": change(TOP, "2", "two"),
    "k that is not whole": change(TOP, "2", "1.5"),
    "k beyond 64 bits": change(TOP, "2", "18446744073709551617"),
    "k of 0 for above": change(ABOVE, "1", "0"),
    "epsilon that is not a number": change(TOP, "1/10", "nan"),
    "epsilon that is infinite": change(TOP, "1/10", "inf"),
    "epsilon of 0": change(TOP, "1/10", "0"),
    "epsilon below 0": change(TOP, "1/10", "-0.1"),
    "epsilon over 0": change(TOP, "1/10", "1/0"),
    "epsilon that is enormous": change(TOP, "1/10", "1e999999999"),
    "epsilon that is empty": change(TOP, "1/10", ""),
    "epsilon left out": without(TOP, "--epsilon", "1/10"),
    "threshold that is not a number": change(ABOVE, "2", "nan"),
    "k of 0 for a stream": change(STREAM, "1", "0"),
    "a stream that is to be measured": [*STREAM, "--measure", "0.5"],
    "sensitivity of 0": [*TOP, "--sensitivity", "0"],
    "sensitivity that is not a number": [*CHOOSE[:4], "--sensitivity", "nan", *CHOOSE[6:]],
    "measuring share of 1": [*TOP, "--measure", "1"],
    "measuring share below 0": [*TOP, "--measure", "-0.1"],
    "confidence of 1": [*TOP, "--confidence", "1"],
    "tick that is no power of two": [*TOP, "--tick", "3"],
    "theta without a threshold": [*TOP, "--theta", "0.5"],
    "theta of 1": [*ABOVE, "--theta", "1"],
    "unknown noise": [*TOP, "--noise", "gauss"],
    "unknown format": [*TOP, "--format", "xml"],
    "unknown option": [*TOP, "--no-such-option"],
    "universe backwards": change(TOP, "0..9", "9..0"),
    "universe of words": change(TOP, "0..9", "a..z"),
    "universe for real utilities": [*without(CHOOSE, "--items-are-public"), "--universe", "0..9"],
    "candidates that nobody declared": without(TOP, "--universe", "0..9"),
    "candidates that nobody declared, for above": without(ABOVE, "--items-are-public"),
    "candidates that nobody declared, for choose": without(CHOOSE, "--items-are-public"),
    "candidates declared twice": [*TOP, "--items-are-public"],
    "no such list of candidates": [*TOP[:-2], "--candidates", "nothing.txt"],
    "a list with a repeated candidate": [*TOP[:-2], "--candidates", "list-twice.txt"],
    "a list without candidates": [*TOP[:-2], "--candidates", "list-none.txt"],
    "nothing to measure": change(MEASURE, "1,2", ""),
    "an item to measure named twice": change(MEASURE, "1,2", "1,2,1"),
    "no such file": change(TOP, "shop.dat", "nothing.dat"),
    "a folder for a file": change(TOP, "shop.dat", "."),
    "an ending that says nothing": change(TOP, "shop.dat", "data.txt"),
    "columns of a file that has none": [*TOP, "--item", "what"],
    "no such column of items": change(COUNTS, "counts.csv", "rows.csv") + ["--item", "whom"],
    "no such column of units": ["top", "rows.csv", "-k", "1", "--epsilon", "1/10", "--items-are-public", "--item", "what",
                                "--unit", "transaction"],
    "no column of counts": change(COUNTS, "counts.csv", "rows.csv"),
    "a table without a header": change(COUNTS, "counts.csv", "headless.csv"),
    "a line that is not UTF-8": change(TOP, "shop.dat", "bad.dat"),
    "a line with a field too few": ["top", "ragged.csv", "-k", "1", "--epsilon", "1/10", "--items-are-public", "--item",
                                    "what", "--unit", "row"],
    "a repeated item": change(COUNTS, "counts.csv", "twice.csv"),
    "a count below 0": change(COUNTS, "counts.csv", "negative.csv"),
    "a count that is not whole": change(COUNTS, "counts.csv", "fraction.csv"),
    "a stray quote": change(COUNTS, "counts.csv", "quote.csv"),
    "a utility that is not a number": change(CHOOSE, "sites.csv", "nan.csv"),
    "a utility that is infinite": change(CHOOSE, "sites.csv", "infinite.csv"),
    "a file and a database": [*TOP, "--sqlite", "other.db", "--query", "select 1"],
    "a database without a query": ["top", "--sqlite", "other.db", "-k", "1", "--epsilon", "1/10", "--items-are-public",
                                   "--unit", "transaction"],
    "no such database": ["top", "--sqlite", "nothing.db", "--query", "select 1", "-k", "1", "--epsilon", "1/10",
                         "--items-are-public", "--unit", "transaction"],
    "a query that makes no sense": ["top", "--sqlite", "other.db", "--query", "select", "-k", "1", "--epsilon", "1/10",
                                    "--items-are-public", "--unit", "transaction"],
    "a query that writes": ["top", "--sqlite", "other.db", "--query", "delete from t", "-k", "1", "--epsilon", "1/10",
                            "--items-are-public", "--unit", "transaction"],
    "values that nobody declared": ["top", "sites.csv", "-k", "1", "--epsilon", "1/10", "--unit", "transaction",
                                    "--items-are-public"],
    "numbers without a unit": ["top", "counts.csv", "-k", "1", "--epsilon", "1/10", "--items-are-public"],
    "rows without a unit": ["top", "rows.csv", "-k", "1", "--epsilon", "1/10", "--items-are-public", "--item", "what"],
    "the order of counted records": [*ABOVE, "--order", "file"],
    "transactions cut at the wrong place": change(TOP, "shop.dat", "commas.dat"),
    # Refused by the ledger.
    "more than is left": change(TOP, "1/10", "3.01"),
    "another unit": change(COUNTS, "transaction", "row"),
    "other neighbours": [*TOP, "--neighbours", "replace"],
}


class Failed(Exception):
    """What a check found wrong."""


def require(holds, *what):
    if not holds:
        raise Failed(*what)


def call(arguments, folder, **options):
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    program = options.pop("program", [PROGRAM])
    return subprocess.run([*program, *arguments], cwd=folder, input=b"monday,812\ntuesday,40\n", check=False, timeout=300,
                          **options)


def contents(folder):
    """Every file, by its hash: what a refusal must not change."""
    hashes = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                hashes[name] = hashlib.sha256(file.read()).hexdigest()
    return hashes


def check_refused(what, arguments, folder):
    """Status 2, a message, no result, and no byte of any file changed."""
    before = contents(folder)
    run = call(arguments, folder)
    require(run.returncode == BAD_INPUT, what, arguments, run)
    require(not run.stdout, what, "printed a result", run)
    require(run.stderr, what, "gave no message", run)
    require(contents(folder) == before, what, "changed a file", run)
    return run.stderr.decode()


def books_of(folder):
    """The balance and all entries, as the program tells them."""
    show = call(["budget", "show", *BOOKS, "--format", "json"], folder)
    export = call(["budget", "export", "--ledger", "books.db"], folder)
    require(show.returncode == DONE and export.returncode == DONE, "the books cannot be read", show, export)
    return json.loads(show.stdout), json.loads(export.stdout)["entries"]


def check_sum(balance, entries):
    spent = sum(Fraction(entry["spent"]) for entry in entries if entry["status"] == "settled")
    reserved = sum(Fraction(entry["reserved"]) for entry in entries if entry["status"] == "unfinished")
    require(spent == Fraction(balance["spent"]) and reserved == Fraction(balance["reserved"]), balance, entries)
    require(spent + reserved + Fraction(balance["remaining"]) == Fraction(balance["total"]), balance)


def make_folder(parent, name):
    folder = os.path.join(parent, name)
    os.mkdir(folder)
    for file, text in FILES.items():
        with open(os.path.join(folder, file), "wb") as out:
            out.write(text)
    with sqlite3.connect(os.path.join(folder, "other.db")) as other:
        other.execute("create table t(item text, count integer)")
        other.execute("insert into t values ('tea', 5)")
    other.close()
    made = call(["budget", "create", *BOOKS, "--epsilon", "3", "--unit", "transaction"], folder)
    require(made.returncode == DONE and not made.stdout, "budget create", made)
    return folder


def refusals(parent):
    folder = make_folder(parent, "refusals")
    for what, arguments in REFUSED.items():
        check_refused(what, [*arguments, *BOOKS], folder)
    # The same commands are answered when nothing is wrong with them: it is not some other mistake that is refused.
    for arguments in (TOP, COUNTS, ABOVE, STREAM, CHOOSE, MEASURE):
        run = call([*arguments, *BOOKS], folder)
        require(run.returncode == DONE and run.stdout and not run.stderr, arguments, run)
    left = books_of(folder)[0]["remaining"]
    message = check_refused("a budget that does not suffice", [*change(TOP, "1/10", "2.95"), *BOOKS], folder)
    for part in ("asked for 59/20", f"left {left}", "of 3", "nothing was spent"):
        require(part in message, "the refusal does not say", part, message)
    message = check_refused("no ledger", TOP, folder)
    require("--no-ledger" in message and "--ledger" in message, message)
    check_refused("a ledger and none", [*TOP, *BOOKS, "--no-ledger"], folder)
    check_refused("a ledger without a data set", [*TOP, "--ledger", "books.db"], folder)
    check_refused("a data set without a ledger", [*TOP, "--dataset", "shop"], folder)
    check_refused("no such data set", [*TOP, "--ledger", "books.db", "--dataset", "shops"], folder)
    check_refused("a data set that exists", ["budget", "create", *BOOKS, "--epsilon", "9", "--unit", "transaction"], folder)
    check_refused("no such entry", ["budget", "show", "99", "--ledger", "books.db"], folder)

    # The check complains where it should: of a command that is answered, and of one that changes the books.
    for what, arguments in (("answered", [*TOP, "--no-ledger"]), ("charged", [*TOP, *BOOKS])):
        try:
            check_refused(what, arguments, folder)
        except Failed:
            continue
        raise Failed("the check does not notice what was", what)
    return len(REFUSED) + 8


def damage(folder):
    """Things that are not a ledger, or are one no longer: file names and what makes them."""
    with open(os.path.join(folder, "books.db"), "rb") as file:
        ledger = file.read()

    def flipped(place):
        return ledger[:place] + bytes([ledger[place] ^ 1]) + ledger[place + 1:]

    place = ledger.index(b"transaction", 4096)  # in a row
    return {
        "empty": b"",
        "text": b"item,count\ntea,5\n",
        "text as long as a page": b"tea " * 1024,
        "cut off in the header": ledger[:60],
        "cut off in a page": ledger[:-100],
        "cut off by a page": ledger[:-4096],
        "longer by a page": ledger + bytes(4096),
        "longer by a byte": ledger + b"\n",
        "all zeros": bytes(len(ledger)),
        "a bit in a row": flipped(place),
        "a bit in the magic": flipped(3),
        "a bit in the application's id": flipped(70),
        "a newer format": ledger[:60] + (1000).to_bytes(4, "big") + ledger[64:],
        "a bit in the last page": flipped(len(ledger) - 5),
    }


def bad_ledgers(parent):
    folder = make_folder(parent, "bad-ledgers")
    require(call([*TOP, *BOOKS], folder).returncode == DONE, "a first entry")
    cases = damage(folder)
    for what, text in cases.items():
        with open(os.path.join(folder, "bad.db"), "wb") as file:
            file.write(text)
        for verb in (TOP, ["budget", "show"], ["budget", "history"], ["budget", "export"], ["budget", "show", "1"]):
            books = ["--ledger", "bad.db"] + (["--dataset", "shop"] if verb is TOP else [])
            check_refused(what, [*verb, *books], folder)
        check_refused(what, ["budget", "create", "--ledger", "bad.db", "--dataset", "new", "--epsilon", "1", "--unit", "row"],
                      folder)
    os.remove(os.path.join(folder, "bad.db"))
    for what, name in (("missing", "none.db"), ("in no folder", "no/such/books.db"), ("a folder", "."), ("foreign", "other.db"),
                       ("an empty name", "")):
        for verb in (TOP, ["budget", "show"], ["budget", "history"], ["budget", "export"]):
            books = ["--ledger", name] + (["--dataset", "shop"] if verb is TOP else [])
            check_refused(what, [*verb, *books], folder)
    return len(cases) + 5


def check_unpaid(what, run, folder, before):
    """A machine that failed: status 3, a message, nothing shown; the books can be read, and nothing that was charged has
    come back. Says what became of the entry."""
    require(run.returncode == MACHINE_FAULT, what, run)
    require(not run.stdout, what, "printed a result", run)
    require(run.stderr, what, "gave no message", run)
    balance, entries = books_of(folder)
    check_sum(balance, entries)
    require(entries[:len(before)] == before, what, "an entry was changed", entries)
    require(len(entries) - len(before) in (0, 1), what, entries)
    if len(entries) == len(before):
        return "not charged"
    require(entries[-1]["status"] == "unfinished", what, "settled, and not shown", entries[-1])
    return "charged, unfinished"


def size_limits(parent):
    """A disk that is full after so many bytes: no file may grow beyond a limit (SIGXFSZ ignored: writing fails, as on a
    full disk). The limit goes through every half page up to a ledger that has room for everything. What has no room for
    its release is not charged."""
    folder = make_folder(parent, "limits")
    # As many entries as it takes for the ledger to be larger than its journal gets.
    for _ in range(6):
        require(call([*change(TOP, "1/10", "1/100"), *BOOKS], folder).returncode == DONE, "an entry")
    ledger = os.path.join(folder, "books.db")
    with open(ledger, "rb") as file:
        kept = file.read()
    _, before = books_of(folder)
    outcomes = {}
    for limit in [*range(0, len(kept) + 5 * 4096, 2048), *range(len(kept) + (1 << 17), len(kept) + (1 << 19), 1 << 16)]:
        with open(ledger, "wb") as file:
            file.write(kept)

        def full(limit=limit):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        run = call([*TOP, *BOOKS], folder, preexec_fn=full)
        if run.returncode == DONE:
            require(json.loads(run.stdout)["ledger"]["entry"] == len(before) + 1, run)
            outcome = "released"
        else:
            outcome = check_unpaid(f"files of at most {limit} bytes", run, folder, before)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        for verb in (["budget", "show"], ["budget", "history"]):  # looking takes no room
            run = call([*verb, *BOOKS], folder, preexec_fn=full)
            require(run.returncode == DONE, "looking at a ledger on a full disk", verb, run)
    require(set(outcomes) == {"not charged", "released"}, "charged without room, or limits too narrow", outcomes)
    new = call(["budget", "create", "--ledger", "new.db", "--dataset", "shop", "--epsilon", "1", "--unit", "row"], folder,
               preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                   resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))))
    require(new.returncode == MACHINE_FAULT and not new.stdout, "a new ledger on a full disk", new)
    require(not [name for name in os.listdir(folder) if name.startswith("new.db")], "left something behind")
    return outcomes


def inside(script, *arguments):
    """The script in a name space of its own, where it may mount; nothing where the system does not allow that."""
    if shutil.which("unshare") is None:
        return None
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", *arguments]


def may_mount(parent):
    place = os.path.join(parent, "place")
    os.mkdir(place)
    probe = inside('mount -t tmpfs -o size=64k none "$1" && mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"', place)
    return probe is not None and subprocess.run(probe, capture_output=True, check=False).returncode == 0


def full_disks(parent):
    """A real file system with a few pages left, from none to enough. What has no room for its release is not charged."""
    folder = make_folder(parent, "full")
    for _ in range(6):
        require(call([*change(TOP, "1/10", "1/100"), *BOOKS], folder).returncode == DONE, "an entry")
    with open(os.path.join(folder, "books.db"), "rb") as file:
        kept = file.read()
    _, before = books_of(folder)
    script = ('mount -t tmpfs -o size=1m none "$1" && cp books.db "$1/books.db" || exit 99; '
              '{ cat /dev/zero >"$1/rest"; truncate -s "-$2" "$1/rest"; } 2>/dev/null; place=$1; shift 2; '
              '"$@" --ledger "$place/books.db" --dataset shop; status=$?; rm "$place/rest"; '
              'cp "$place"/books.db* .; exit $status')
    outcomes = {}
    for pages in [*range(12), 40, 80, 96, 120]:
        with open(os.path.join(folder, "books.db"), "wb") as file:
            file.write(kept)
        place = os.path.join(parent, "place")
        run = call(TOP, folder, program=[*inside(script, place, str(4096 * pages), PROGRAM)])
        outcome = ("released" if run.returncode == DONE else
                   check_unpaid(f"a disk with {pages} pages left", run, folder, before))
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    require(set(outcomes) == {"not charged", "released"}, "charged without room, or disks too much alike", outcomes)
    return outcomes


def read_only_places(parent, mounts):
    """A ledger that cannot be written: status 3, nothing released, not a byte changed."""
    folder = make_folder(parent, "read-only")
    require(call([*TOP, *BOOKS], folder).returncode == DONE, "a first entry")
    before = contents(folder)
    ways = []
    if mounts:
        script = 'mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" || exit 99; exec "$@"'
        ways.append(("a read-only file system", {"program": inside(script, PROGRAM)}))
    if os.geteuid() != 0:
        ways.append(("a folder without leave to write", {}))
    else:  # root needs no leave, so be someone else, who may look but not touch
        ways.append(("someone else's folder", {"user": 65534, "group": 65534, "extra_groups": []}))
    count = 0
    for what, options in ways:
        if what != "a read-only file system":
            os.chmod(parent, 0o755)
            os.chmod(os.path.join(folder, "books.db"), 0o444)
            os.chmod(folder, 0o555)
            try:
                call(["--version"], folder, **options)
            except PermissionError:
                continue  # someone else may not even run the program
        run = call([*TOP, *BOOKS], folder, **options)
        require(run.returncode == MACHINE_FAULT and not run.stdout and run.stderr, what, run)
        run = call(["budget", "create", "--ledger", "new.db", "--dataset", "shop", "--epsilon", "1", "--unit", "row"], folder,
                   **options)
        require(run.returncode == MACHINE_FAULT and not run.stdout and run.stderr, what, run)
        run = call(["budget", "show", *BOOKS], folder, **options)
        require(run.returncode == DONE and json.loads(run.stdout)["spent"] == "1/10", what, "cannot be looked at", run)
        require(contents(folder) == before, what, "changed a file")
        count += 1
    os.chmod(folder, 0o755)
    return count


def broken_pipe():
    """The writing end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def outputs(parent):
    """An output that takes nothing: what was paid for is safe in the books, and the message says where."""
    folder = make_folder(parent, "outputs")
    count = 0
    for verb in (TOP, COUNTS, ABOVE, STREAM, CHOOSE, MEASURE):
        for form in ("json", "table", "csv"):
            for what in ("a full device", "a broken pipe", "none at all"):
                _, before = books_of(folder)
                arguments = [*change(verb, "1/10", "1/1000"), *BOOKS, "--format", form]
                if what == "none at all":
                    run = call(arguments, folder, stdout=None, preexec_fn=lambda: os.close(1))
                else:
                    target = os.open("/dev/full", os.O_WRONLY) if what == "a full device" else broken_pipe()
                    run = call(arguments, folder, stdout=target)
                    os.close(target)
                require(run.returncode == MACHINE_FAULT, what, verb, run)
                _, entries = books_of(folder)
                require(entries[:-1] == before and entries[-1]["status"] == "settled", what, verb, entries[-1:])
                number = entries[-1]["entry"]
                require(f"budget show {number} --ledger books.db" in run.stderr.decode(), what, verb, run)
                again = call(["budget", "show", str(number), "--ledger", "books.db"], folder)
                require(again.returncode == DONE, what, verb, again)
                document = json.loads(again.stdout)
                require(document.pop("ledger") == {"entry": number}, what, document)
                require(document == entries[-1]["release"], what, document, entries[-1])
                require(Fraction(document["epsilon"]["spent"]) == Fraction(entries[-1]["spent"]), what, document)
                require(books_of(folder)[1] == entries, what, "looking cost something")
                count += 1
    for arguments in ([*TOP, "--no-ledger"], ["budget", "show", *BOOKS], ["budget", "history", *BOOKS],
                      ["budget", "export", "--ledger", "books.db"], ["count", "shop.dat"], ["--version"], ["--help"],
                      ["top", "--help"], ["budget", "show", "--help"], ["plan", "top", "-k", "2", "--epsilon", "1"],
                      ["quest", "--transactions", "9"], ["simulate", *TOP, "--seed", "1"]):
        with open("/dev/full", "wb") as target:
            run = call(arguments, folder, stdout=target)
        require(run.returncode == MACHINE_FAULT and run.stderr, "a full device", arguments, run)
        # Without a ledger the release is nowhere else, and nothing is said of it.
        require(arguments[-1] != "--no-ledger" or run.stderr.decode().endswith(" standard output\n"), "a full device", arguments, run)
        count += 1
    return count


def inputs(parent):
    """A stream whose input cannot be read does not end as if there were no more of it. What was answered is in the books, and
    what was not used comes back. One that cannot be read by its mode is refused before anything is charged."""
    folder = make_folder(parent, "inputs")
    ways = {"a folder": (folder, os.O_RDONLY), "open for writing only": (os.devnull, os.O_WRONLY)}
    for what, way in ways.items():
        before = books_of(folder)[1]
        place = os.open(*way)
        run = subprocess.run([PROGRAM, *STREAM, *BOOKS], cwd=folder, stdin=place, capture_output=True, check=False, timeout=300)
        os.close(place)
        if way[1] == os.O_WRONLY:
            require(run.returncode == BAD_INPUT and b"closed" in run.stderr and not run.stdout, what, run)
            require(books_of(folder)[1] == before, what, "was charged")
            continue
        require(run.returncode == MACHINE_FAULT and b"standard input" in run.stderr, what, run)
        end = json.loads(run.stdout)
        balance, entries = books_of(folder)
        check_sum(balance, entries)
        require(end["stopped"] == "fault" and entries[:-1] == before, what, end, entries)
        require(entries[-1]["status"] == "settled" and entries[-1]["release"]["answers"] == [], what, entries[-1])
        require(Fraction(entries[-1]["spent"]) == Fraction(end["epsilon"]["spent"]) < Fraction(1, 10), what, entries[-1])
    return len(ways)


def main():
    with tempfile.TemporaryDirectory() as parent:
        refused = refusals(parent)
        ledgers = bad_ledgers(parent)
        limits = size_limits(parent)
        mounts = may_mount(parent)
        disks = full_disks(parent) if mounts else "not tried: no leave to mount"
        places = read_only_places(parent, mounts)
        lost = outputs(parent)
        unread = inputs(parent)
    print(f"{refused} requests and {ledgers} bad ledgers refused, no byte changed; files limited in size: {limits}; "
          f"full disks: {disks}; {places} read-only places; {lost} outputs that take nothing, "
          f"{unread} inputs that give nothing")


if __name__ == "__main__":
    main()
