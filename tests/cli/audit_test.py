"""The ledger as an auditor and a careless user meet it, through the program: what an entry keeps of a call, `budget check`
and `budget head`, data sets that are closed and renamed, files that lie beside a ledger, names that cannot be one, streams
of bad lines, and a machine that runs out of memory or of disk.

usage: audit_test.py PROGRAM
"""

import collections
import hashlib
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import time

from ledger_file import forge, recomputed
from program import PROGRAM, Folder

BOOKS = ["--ledger", "books.db", "--dataset", "shop"]
# So far above the values that a query passes with a chance below e^-1000.
STREAM = ["above", "-", "--threshold", "1000000", "-k", "2", "--epsilon", "1/10", "--kind", "general", "--sensitivity", "1",
          "--unit", "transaction"]
TOP = ["top", "shop.dat", "-k", "2", "--epsilon", "1/10", "--candidates", "list.txt"]


def with_books():
    folder = Folder()
    folder.write("shop.dat", "tea milk\ntea\nmilk tea\n")
    folder.write("list.txt", "tea\nmilk\ncocoa\n")
    folder.write("sites.csv", "item,utility\nnorth,41.5\nsouth,12\n")
    folder.call("budget", "create", *BOOKS, "--epsilon", "10", "--unit", "transaction")
    return folder


def entries(folder):
    return json.loads(folder.good("budget", "export", "--ledger", "books.db"))["entries"]


def an_entry_keeps_what_was_asked_of_what():
    with with_books() as folder:
        folder.json(*TOP, *BOOKS, "--note", "for the board, März")
        folder.write("shop.dat", "cocoa\n" * 500)  # other data under the same name
        folder.json(*TOP, *BOOKS, "--note", "for the board, März")
        database = sqlite3.connect(folder.path / "data.db")
        database.execute("CREATE TABLE t(item, count)")
        database.execute("INSERT INTO t VALUES ('tea', 3), ('milk', 1)")
        database.commit()
        sql = "SELECT item, count FROM t"
        folder.json("top", "--sqlite", "data.db", "--query", sql, "-k", "1", "--epsilon", "0.1", "--unit", "transaction",
                    "--items-are-public", *BOOKS)
        folder.json("choose", "sites.csv", "--epsilon", "0.1", "--sensitivity", "1", "--kind", "general", "--unit",
                    "transaction", "--items-are-public", *BOOKS, "--note", "where to build")
        folder.json("measure", "shop.dat", "--items", "tea", "--candidates", "list.txt", "--epsilon", "0.1",
                    *BOOKS, "--note", "tea")
        folder.good(*STREAM, *BOOKS, "--note", "a stream", stdin="monday,3\n")
        first, again, query, choose, measure, stream = [entry["asked"] for entry in entries(folder)]
        assert first == again, "what is kept depends on the data"
        assert first["input"] == "shop.dat" and first["note"] == "for the board, März"
        assert first["candidates"] == {"file": "list.txt", "length": 3,
                                       "sha256": hashlib.sha256(b"tea\nmilk\ncocoa\n").hexdigest()}
        assert measure["candidates"] == first["candidates"]
        assert first["options"]["--epsilon"] == ["1/10"] and first["options"]["-k"] == ["2"]
        assert list(first["options"]) == sorted(first["options"])
        version = folder.good("--version")
        assert first["freegap"] in version and f"commit {first['commit']})" in version
        assert query["sql"] == sql and query["input"] == "data.db" and "note" not in query
        assert [asked["note"] for asked in (choose, measure, stream)] == ["where to build", "tea", "a stream"]
        assert stream["input"] == "-"
        history = [json.loads(line) for line in folder.good("budget", "history", "--ledger", "books.db").splitlines()]
        assert history[0]["asked"] == first and history[0]["note"] == first["note"] and history[2]["note"] is None
        assert "for the bo" in folder.good("budget", "history", "--ledger", "books.db", "--format", "table")
        assert "where to build" in folder.good("budget", "export", "--ledger", "books.db", "--format", "csv")
        assert recomputed(folder.path / "books.db") == folder.good("budget", "head", "--ledger", "books.db").strip()
        assert "--note" in folder.refused(*TOP, *BOOKS, "--note", "a\nb")
        assert "--note" in folder.refused(*TOP, *BOOKS, "--note", "x" * 1001)
        assert "--note" in folder.refused(*TOP, "--no-ledger", "--note", "kept nowhere")
        assert len(entries(folder)) == 6


def an_entry_keeps_no_passwords():
    with with_books() as folder:
        database = sqlite3.connect(folder.path / "data.db")
        database.execute("CREATE TABLE t(item, count)")
        database.execute("INSERT INTO t VALUES ('tea', 3), ('milk', 1)")
        database.commit()
        query = "SELECT item, count FROM t WHERE item <> lower('{}')"
        for said, kept in (("host=db password=hunter2 user=ann", "host=db password=***"), ("x://ann:hunter2@db", "x://ann:***@db")):
            folder.json("top", "--sqlite", "data.db", "--query", query.format(said), "-k", "1", "--epsilon", "0.1", "--unit", "transaction",
                        "--items-are-public", *BOOKS, "--note", f"with {said}")
            asked = entries(folder)[-1]["asked"]
            assert asked["sql"] == query.format(kept) and asked["options"]["--query"] == [query.format(kept)], asked
            assert asked["note"] == f"with {kept}" == asked["options"]["--note"][0], asked
        assert b"hunter2" not in (folder.path / "books.db").read_bytes()


def the_whole_ledger_is_checked():
    with with_books() as folder:
        books = ["--ledger", "books.db"]
        folder.json(*TOP, *BOOKS)
        head = folder.good("budget", "head", *books).strip()
        assert head.startswith("3:") and len(head) == 2 + 64
        shutil.copy(folder.path / "books.db", folder.path / "copy.db")
        folder.json(*TOP, *BOOKS)
        later = folder.good("budget", "head", *books).strip()
        assert later == recomputed(folder.path / "books.db")
        assert later in folder.good("budget", "check", *books)
        folder.good("budget", "check", *books, "--head", head)
        folder.good("budget", "check", *books, "--head", head[2:])
        assert "does not continue" in folder.refused("budget", "check", "--ledger", "copy.db", "--head", later, status=1)
        for rows in (2, 4):  # the hash of another row
            assert f"row {rows} has another hash" in folder.refused("budget", "check", *books, "--head", f"{rows}{head[1:]}", status=1)
        assert "ROWS:HASH" in folder.refused("budget", "check", *books, "--head", "3:xyz")
        assert "there is no ledger" in folder.refused("budget", "check", "--ledger", "none.db")
        for change, row in [("UPDATE event SET reserved = '1/20' WHERE sequence = 4", "row 4:"),
                            ("UPDATE event SET total = '11' WHERE sequence = 1", "row 1:"),
                            ("UPDATE event SET details = replace(details, 'shop.dat', 'shop.dot')", "row 2:"),
                            ("DELETE FROM event WHERE sequence = 5", "is damaged")]:  # free pages, or another head
            shutil.copy(folder.path / "books.db", folder.path / "changed.db")
            database = sqlite3.connect(folder.path / "changed.db")
            database.execute(change)
            database.commit()
            database.close()
            message = folder.refused("budget", "check", "--ledger", "changed.db", status=1)
            assert row in message, (change, message)
        sound = (folder.path / "books.db").read_bytes()
        for damage, part in [(b"", "is damaged"), (b"X" + sound[1:], "is not a ledger"), (sound[:50], "is not a ledger"),
                             (sound[:68] + b"XXXX" + sound[72:], "is not a ledger"), (sound[:4096], "is damaged"),
                             (sound[:-1], "is damaged"), (b"a list of things", "is not a ledger")]:
            (folder.path / "changed.db").write_bytes(damage)
            assert part in folder.refused("budget", "check", "--ledger", "changed.db", status=1), damage[:80]
            assert part in folder.refused("budget", "show", "--ledger", "changed.db"), damage[:80]


def data_sets_are_closed_and_renamed():
    with with_books() as folder:
        folder.json(*TOP, *BOOKS)
        folder.call("budget", "rename", *BOOKS, "--name", "market")
        assert 'renamed to "market"' in folder.refused(*TOP, *BOOKS)
        market = ["--ledger", "books.db", "--dataset", "market"]
        assert json.loads(folder.good("budget", "show", *market))["spent"] == "1/10"
        folder.json(*TOP, *market)
        assert "had a data set" in folder.refused("budget", "create", *BOOKS, "--epsilon", "1", "--unit", "transaction")
        assert folder.call("budget", "close", *market).returncode == 0
        assert "it is closed" in folder.refused(*TOP, *market)
        assert json.loads(folder.good("budget", "show", *market))["status"] == "closed"
        assert len(entries(folder)) == 2 and folder.good("budget", "check", "--ledger", "books.db")


def a_unit_is_tied_to_a_column():
    with with_books() as folder:
        folder.call("budget", "create", "--ledger", "books.db", "--dataset", "people", "--epsilon", "1", "--unit",
                    "customer", "--column", "customer_id")
        shown = json.loads(folder.good("budget", "show", "--ledger", "books.db", "--dataset", "people"))
        assert shown["unit"] == "customer" and shown["column"] == "customer_id"
        assert "column" in folder.refused("budget", "create", "--ledger", "books.db", "--dataset", "x", "--epsilon", "1",
                                          "--unit", "customer", "--column", "")


def names_that_cannot_be_a_ledger_are_refused():
    with with_books() as folder:
        os.symlink("nowhere.db", folder.path / "link.db")
        before = sorted(os.listdir(folder.path))
        for name, part in [("", "is empty"), ("link.db", "nowhere.db"), ("n" * 248, "too long"), ("n" * 300, "too long")]:
            rest = ["--dataset", "x", "--epsilon", "1", "--unit", "row"]
            assert part in folder.refused("budget", "create", "--ledger", name, *rest), name
            assert folder.call("budget", "show", "--ledger", name).returncode == 2
        assert sorted(os.listdir(folder.path)) == before


def nameless_files(path):
    """Whether the file system has them: a draft is one, where it can be."""
    try:
        os.close(os.open(path, os.O_TMPFILE | os.O_RDWR))
    except OSError:
        return False
    return True


def a_killed_creation_leaves_no_draft():
    with Folder() as folder:
        for i in range(40):
            process = subprocess.Popen([PROGRAM, "budget", "create", "--ledger", f"{i}.db", "--dataset", "x", "--epsilon",
                                        "1", "--unit", "row"], cwd=folder.path, stderr=subprocess.DEVNULL)
            time.sleep(0.001 * i)
            process.send_signal(signal.SIGTERM if i % 2 else signal.SIGKILL)
            process.wait()
        left = os.listdir(folder.path)
        if nameless_files(folder.path):  # elsewhere a draft has a name, which a killed process cannot take away
            assert all(name.endswith(".db") for name in left), left
        left = [name for name in left if name.endswith(".db")]
        for name in left:
            folder.good("budget", "check", "--ledger", name)


def a_stray_log_is_refused():
    with with_books() as folder:
        shutil.copy(folder.path / "books.db", folder.path / "old.db")
        database = sqlite3.connect(folder.path / "old.db")
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("UPDATE head SET count = 1, hash = lower(hash || '')")
        database.execute("UPDATE event SET unit = 'row' WHERE sequence = 1")
        database.commit()
        log = (folder.path / "old.db-wal").read_bytes()
        assert len(log) > 4096
        database.close()
        folder.json(*TOP, *BOOKS)
        before = (folder.path / "books.db").read_bytes()
        folder.write("books.db-wal", log)
        assert "write-ahead log" in folder.refused("budget", "show", "--ledger", "books.db")
        assert "write-ahead log" in folder.refused(*TOP, *BOOKS)
        assert (folder.path / "books.db").read_bytes() == before
        (folder.path / "books.db-wal").unlink()
        assert json.loads(folder.good("budget", "show", *BOOKS))["spent"] == "1/10"


def bad_lines_of_a_stream():
    with with_books() as folder:
        lines = f"monday,1\n{'x' * 5000},2\nbad\ntuesday,2\n{'y' * 1_000_000}\nlast,3"
        rows = [json.loads(line) for line in folder.good(*STREAM, *BOOKS, stdin=lines).splitlines()]
        kinds = [row.get("error", row.get("query")) for row in rows[:-1]]
        assert kinds[0] == "monday" and kinds[3] == "tuesday", kinds
        assert "line 2: the line is too long" in kinds[1] and "line 3:" in kinds[2] and "line 5:" in kinds[4]
        assert "line 6:" in kinds[5] and len(kinds) == 6
        longest = "z" * 1024 + "," + " " * (4096 - 1026) + "1"
        assert len(longest) == 4096
        rows = [json.loads(line) for line in folder.good(*STREAM, *BOOKS, stdin=longest + "\n").splitlines()]
        assert rows[0]["query"] == "z" * 1024
        output = folder.good(*STREAM, *BOOKS, "--skip-bad-records", stdin=lines)
        rows = [json.loads(line) for line in output.splitlines()]
        assert [row.get("query") for row in rows[:-1]] == ["monday", "tuesday"], rows
        stored = [entry["release"]["answers"] for entry in entries(folder)]
        assert [answer["query"] for answer in stored[2]] == ["monday", "tuesday"] and stored[2] == rows[:-1]


def a_hang_up_ends_a_stream():
    for ending in (signal.SIGHUP, signal.SIGTERM):
        with with_books() as folder:
            process = subprocess.Popen([PROGRAM, *STREAM, *BOOKS, "--format", "json"], cwd=folder.path, text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdin.write("monday,1\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["query"] == "monday"
            process.send_signal(ending)
            rest, err = process.communicate(timeout=60)
            assert process.returncode == 0 and json.loads(rest)["stopped"] == "interrupted", (ending, rest, err)
            assert entries(folder)[0]["status"] == "settled"


def a_closed_input_is_refused_before_the_charge():
    with with_books() as folder:
        before = (folder.path / "books.db").read_bytes()
        run = subprocess.run([PROGRAM, *STREAM, *BOOKS], cwd=folder.path, capture_output=True, text=True, check=False,
                             preexec_fn=lambda: os.close(0))
        assert run.returncode == 2 and "closed" in run.stderr and not run.stdout, run
        assert (folder.path / "books.db").read_bytes() == before


def with_memory(limit, *call, **kwargs):
    """A call that may map so many bytes, libraries included."""
    return subprocess.run([PROGRAM, *call], stderr=subprocess.PIPE, text=True, check=False, **kwargs,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


def memory_can_be_limited():
    """A sanitizer maps terabytes, whatever the program does."""
    return with_memory(1 << 30, "--version", stdout=subprocess.DEVNULL).returncode == 0


def the_memory_of_a_stream_is_bounded():
    """200,000 answers take at most 60 MB more than one does: less than 300 bytes each, with a report or without. (The largest
    memory of a child, as the system reports it, includes that of Python before the program was started.) Later calls do not
    read them again."""
    with with_books() as folder:
        answers = 200_000
        folder.write("lines.txt", "".join(f"query {i},0\n" for i in range(answers)))
        folder.write("line.txt", "query,0\n")

        def status(name, limit, *options):
            with open(folder.path / name, "rb") as stdin:
                return with_memory(limit, *STREAM[:3], "1000000", *STREAM[4:], *BOOKS, *options, cwd=folder.path, stdin=stdin,
                                   stdout=subprocess.DEVNULL).returncode

        least = next(megabytes for megabytes in range(8, 400, 4) if status("line.txt", megabytes << 20) == 0)
        for options in [], ["--report", "stream.html"]:
            assert status("lines.txt", (least + 60) << 20, *options) == 0, (least, options)
            assert len(entries(folder)[-1]["release"]["answers"]) == answers
        assert f"0 of {answers} queries asked are above" in (folder.path / "stream.html").read_text(encoding="utf-8")
        # The answers take 8 MB; what a call maps differs by less than half of that from call to call.
        show = with_memory((least + 4) << 20, "budget", "show", *BOOKS, cwd=folder.path, stdout=subprocess.DEVNULL)
        assert show.returncode == 0, show


def out_of_memory_is_a_message():
    with with_books() as folder:
        folder.write("many.dat", "".join(f"{i} {7 * i} {13 * i}\n" for i in range(30_000)))
        folder.write("lines.txt", "".join(f"query {i},0\n" for i in range(60_000)))
        many = ["top", "many.dat", "-k", "3", "--epsilon", "1/10", "--items-are-public", *BOOKS]
        stream = [*STREAM[:3], "1000000", *STREAM[4:], *BOOKS]
        statuses = collections.Counter()
        # With less than it takes to start, the system or its loader ends the program, not the program itself.
        starts = 4 + next(megabytes for megabytes in range(8, 400, 4) if with_memory(
            megabytes << 20, "--version", stdout=subprocess.DEVNULL).returncode == 0)
        for megabytes in [*range(starts, starts + 40, 4), *range(starts + 40, starts + 100, 15), 400]:
            limit = megabytes << 20
            for call, source in ((many, os.devnull), (stream, folder.path / "lines.txt")):
                with open(source, "rb") as stdin:
                    run = with_memory(limit, *call, cwd=folder.path, stdin=stdin, stdout=subprocess.DEVNULL)
                statuses[run.returncode] += 1
                assert run.returncode in (0, 3), (megabytes, call, run)
                assert run.returncode == 0 or run.stderr.startswith("freegap: "), run
        print(f"exit statuses with little memory: {dict(statuses)}")
        assert statuses[0] > 0 and statuses[3] > 0, statuses
        folder.good("budget", "check", "--ledger", "books.db")


def a_release_that_cannot_be_stored_is_not_charged():
    with with_books() as folder:
        before = (folder.path / "books.db").read_bytes()
        limit = 100_000
        run = subprocess.run([PROGRAM, *TOP, *BOOKS], cwd=folder.path, capture_output=True, text=True, check=False,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        assert run.returncode == 3 and "no room" in run.stderr and not run.stdout, run
        assert (folder.path / "books.db").read_bytes() == before
        assert entries(folder) == []


def room_is_held_for_as_many_answers_as_there_can_be():
    """k answers above, for each branch; `--stop-after` bounds them too. A row takes up to 1024 bytes."""
    above = ["above", "shop.dat", "-k", "2000", "--epsilon", "1", "--threshold", "1000000", "--universe", "0..99999"]
    limit = 5_000_000
    for options, fits in ([], True), (["--adaptive"], True), (["--adaptive", "--branches", "16"], False), (
            ["--adaptive", "--branches", "16", "--stop-after", "100"], True):
        with with_books() as folder:
            run = subprocess.run([PROGRAM, *above, *options, *BOOKS], cwd=folder.path, capture_output=True, text=True, check=False,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            assert run.returncode == (0 if fits else 3) and (fits or "no room" in run.stderr), (options, run)
            assert len(entries(folder)) == (1 if fits else 0), options


def a_stream_ends_where_there_is_no_room_to_store_it():
    """It ends before the answer that could not be stored; those before it are stored, shown and paid for. Room is held a megabyte at a
    time: 3,000 answers of 900 bytes do not fit into files of at most 4 MB."""
    lines = "".join(f"{i:06}{'x' * 900},0\n" for i in range(3000))
    with with_books() as folder:
        limit = 4_000_000
        run = subprocess.run([PROGRAM, *STREAM, *BOOKS, "--format", "json"], cwd=folder.path, input=lines, capture_output=True, text=True,
                             check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        assert run.returncode == 3 and "no room" in run.stderr, run.stderr
        *answers, end = map(json.loads, run.stdout.splitlines())
        assert end["stopped"] == "room" and 1000 < len(answers) < 3000, (len(answers), end)
        [entry] = entries(folder)
        assert entry["status"] == "settled" and entry["release"]["answers"] == answers and entry["spent"] == end["epsilon"]["spent"]


def a_forged_ledger_cannot_write_to_the_terminal():
    with with_books() as folder:
        folder.json(*TOP, *BOOKS)
        for old, new, seen in [('"unit":"transaction"', r'"unit":"\u001b[31mr"', r"Presence of one \u{001B}[31mr protected"),
                               ('"law":"exponential"', '"law":"\u202e23456789"', r"\u{202E}23456789 noise"),
                               ('"spent":"1/10"', '"spent":"\u009b1m"', r"Spent ε \u{009B}1m of 1/10"),
                               ('"k":2', '"k":"\u009b"', r"Top \u{009B} of 3")]:
            shutil.copy(folder.path / "books.db", folder.path / "forged.db")
            forge(folder.path / "forged.db", ("UPDATE event SET release = replace(release, ?, ?)", (old, new)))
            folder.good("budget", "check", "--ledger", "forged.db")
            table = folder.good("budget", "show", 1, "--ledger", "forged.db", "--format", "table")
            assert seen in table and not any(odd in table for odd in "\x1b\u009b\u202e"), (table, seen)
        # Nor does the name of one that is damaged.
        shutil.copy(folder.path / "books.db", folder.path / "\x1b[31m.db")
        database = sqlite3.connect(folder.path / "\x1b[31m.db")
        database.execute("UPDATE event SET reserved = '1/20' WHERE sequence = 2")
        database.commit()
        database.close()
        message = folder.refused("budget", "check", "--ledger", "\x1b[31m.db", status=1)
        assert "\x1b" not in message and r"\u{001B}[31m.db" in message, message


def main():
    tests = [value for name, value in globals().items()
             if callable(value) and getattr(value, "__module__", "") == "__main__" and name not in
             ("main", "with_books", "entries", "nameless_files", "with_memory", "memory_can_be_limited")]
    assert len(tests) == 17
    of_memory = () if memory_can_be_limited() else (the_memory_of_a_stream_is_bounded, out_of_memory_is_a_message)
    for test in tests:
        if test in of_memory:
            print("left out, under a sanitizer:", test.__name__)
            continue
        test()
        print("ok", test.__name__)


main()
