"""Many processes on a long ledger: 64 of them want parts of a budget that suffices for 40. All end with 0 or a budget
refusal, none with a lock; the charges add up; and opening the ledger takes below 50 ms of work, however long it is.

The ledger is written here, without freegap, in format 1; freegap checks it and upgrades it.

usage: load_test.py PROGRAM [ENTRIES]
"""

import collections
import hashlib
import json
import resource
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from program import PROGRAM, Folder

ENTRIES = int(sys.argv[2]) if len(sys.argv) > 2 else 3_000
PROCESSES, AFFORDED = 64, 40
BOOKS = ["--ledger", "books.db", "--dataset", "shop"]
TOP = ["top", "shop.dat", "-k", "2", "--epsilon", "1/100", "--universe", "0..9", *BOOKS, "--format", "json"]
COLUMNS = "sequence kind dataset total unit neighbours entry time who verb parameters reserved spent release".split()
FORMAT_1 = """CREATE TABLE event(
  sequence INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  dataset TEXT,
  total TEXT,
  unit TEXT,
  neighbours TEXT,
  entry INTEGER,
  time INTEGER,
  who TEXT,
  verb TEXT,
  parameters TEXT,
  reserved TEXT,
  spent TEXT,
  release TEXT,
  hash TEXT NOT NULL
) STRICT"""
HEAD = "CREATE TABLE head(\n  id INTEGER PRIMARY KEY,\n  count INTEGER NOT NULL,\n  hash TEXT NOT NULL\n) STRICT"
RELEASE = json.dumps({"winners": ["w" * 60] * 30})  # about 2 kB


def rows(entries):
    """The rows of a ledger with so many settled entries of 1/1000, whose total leaves 41/100."""
    total = Fraction(entries, 1000) + Fraction(AFFORDED + 1, 100)
    yield {"kind": "dataset", "dataset": "shop", "total": str(total), "unit": "transaction",
           "neighbours": "add-remove"}
    for entry in range(1, entries + 1):
        yield {"kind": "reserve", "dataset": "shop", "entry": entry, "time": 1_700_000_000 + entry, "who": "ada",
               "verb": "top", "parameters": '{"k":2}', "reserved": "1/1000"}
        yield {"kind": "settle", "entry": entry, "spent": "1/1000", "release": RELEASE}


def write_ledger(path, entries):
    database = sqlite3.connect(path, isolation_level=None)
    for statement in ("PRAGMA page_size = 4096", f"PRAGMA application_id = {0x46476170}", "PRAGMA user_version = 1",
                      "PRAGMA synchronous = OFF", "BEGIN", FORMAT_1, HEAD):
        database.execute(statement)
    previous = "0" * 64
    for sequence, row in enumerate(rows(entries), 1):
        values = [sequence, *(row.get(column) for column in COLUMNS[1:])]
        fields = ("-," if value is None else f"{len(str(value))}:{value}," for value in values)
        previous = hashlib.sha256((previous + "".join(fields)).encode()).hexdigest()
        database.execute(f"INSERT INTO event VALUES ({','.join('?' * 15)})", [*values, previous])
    database.execute("INSERT INTO head VALUES (1, ?, ?)", [2 * entries + 1, previous])
    database.execute("COMMIT")
    database.close()


def work_of_children():
    """Processor seconds of all programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(*arguments, cwd):
    """Seconds that pass, and seconds of work: those do not depend on what else the machine does."""
    start, work = time.perf_counter(), work_of_children()
    run = subprocess.run([PROGRAM, *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run
    return time.perf_counter() - start, work_of_children() - work


def shortest(*arguments, cwd):
    """The same for the quickest of ten calls, each of the two by itself."""
    return map(min, zip(*(timed(*arguments, cwd=cwd) for _ in range(10)), strict=True))


def main():
    with Folder() as folder:
        folder.write("shop.dat", "1 2 3\n2 3\n3\n")
        write_ledger(folder.path / "books.db", ENTRIES)
        checked, _ = timed("budget", "check", "--ledger", "books.db", cwd=folder.path)
        head = folder.good("budget", "head", "--ledger", "books.db").strip()
        assert json.loads(subprocess.run([PROGRAM, *TOP], cwd=folder.path, capture_output=True, text=True, check=True)
                          .stdout)["ledger"]["entry"] == ENTRIES + 1
        empty, empty_work = shortest("--version", cwd=folder.path)
        opened, opened_work = shortest("budget", "show", "--ledger", "books.db", cwd=folder.path)
        print(f"{ENTRIES} entries: checked in {checked:.2f} s; shown in {1000 * opened:.0f} ms, of which "
              f"{1000 * empty:.0f} ms are the start of the program; work {1000 * (opened_work - empty_work):.0f} ms")
        assert opened_work - empty_work < 0.050, (opened_work, empty_work)

        start = time.perf_counter()
        with ThreadPoolExecutor(PROCESSES) as pool:
            runs = list(pool.map(lambda _: subprocess.run([PROGRAM, *TOP], cwd=folder.path, capture_output=True, text=True,
                                                          check=False), range(PROCESSES)))
        statuses = collections.Counter(run.returncode for run in runs)
        print(f"{PROCESSES} processes in {time.perf_counter() - start:.1f} s: exit statuses {dict(statuses)}")
        assert set(statuses) <= {0, 2}, [run.stderr for run in runs if run.returncode not in (0, 2)]
        assert all("asked for 1/100" in run.stderr for run in runs if run.returncode == 2)
        assert statuses[0] == AFFORDED, statuses
        numbers = sorted(json.loads(run.stdout)["ledger"]["entry"] for run in runs if run.returncode == 0)
        assert numbers == list(range(ENTRIES + 2, ENTRIES + 2 + AFFORDED))
        shown = json.loads(folder.good("budget", "show", *BOOKS))
        assert shown["remaining"] == "0" and shown["reserved"] == "0", shown
        folder.good("budget", "check", "--ledger", "books.db", "--head", head)


main()
