"""A ledger on PostgreSQL, as a team uses it: one server, many clients with different rights, clients and servers that die,
networks that are cut in the middle of a commit.

usage: team_ledger_test.py PROGRAM LEDGER_TEST...

The test programs of the ledger (LEDGER_TEST) run on the server, too: 64 processes at once, and 200 kills."""

import hashlib
import itertools
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from fractions import Fraction

from copy_kills import Copies
from program import PROGRAM, Folder

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from postgres_server import PORT, Server  # noqa: E402

SHOP = "".join(f"{item} {item % 7} {item % 3}\n" for item in range(60))
numbers = itertools.count(1)


class Team:
    """A folder with data, a server, and a database of its own with a ledger."""

    def __init__(self, folder, server):
        self.folder, self.server = folder, server
        self.database = f"books{next(numbers)}"
        server.run(f"CREATE DATABASE {self.database}")
        self.url = server.url(database=self.database)
        folder.write("shop.dat", SHOP)

    def create(self, url=None, epsilon="3", dataset="shop"):
        return self.folder.call("budget", "create", "--ledger", url or self.url, "--dataset", dataset, "--epsilon", epsilon,
                                "--unit", "transaction")

    def top(self, url=None, epsilon="1/7"):
        return self.folder.call("top", "shop.dat", "-k", "3", "--epsilon", epsilon, "--universe", "0..69", "--ledger",
                                url or self.url, "--dataset", "shop", "--format", "json")

    def budget(self, verb, *arguments, url=None):
        return self.folder.good("budget", verb, *arguments, "--ledger", url or self.url)

    def balance(self, url=None):
        return json.loads(self.budget("show", "--format", "json", url=url).splitlines()[0])

    def entries(self):
        return json.loads(self.budget("export"))["entries"]

    def sql(self, *statements, user="owner"):
        return self.server.run(*statements, user=user, database=self.database)


def made(folder, server):
    team = Team(folder, server)
    assert team.create().returncode == 0
    return team


def releases_are_charged(folder, server):
    team = made(folder, server)
    release = json.loads(team.top().stdout)
    assert release["ledger"] == {"entry": 1, "remaining": "20/7"}, release
    shown = json.loads(team.budget("show", "1", "--format", "json"))
    assert shown["winners"] == release["winners"]
    assert (team.balance()["spent"], team.balance()["remaining"]) == ("1/7", "20/7")
    refused = team.top(epsilon="5")
    assert refused.returncode == 2 and "asked for 5, left 20/7 of 3; nothing was spent" in refused.stderr, refused
    again = team.create()
    assert again.returncode == 2 and "already" in again.stderr, again
    assert team.create(dataset="other").returncode == 0
    assert "4 rows hold" in team.budget("check")


def changes_by_others_are_found(folder, server):
    team = made(folder, server)
    assert team.top().returncode == 0
    head = team.budget("head").strip()
    assert "continue from that head" in team.budget("check", "--head", head)
    for change, back, what in [
            ("UPDATE freegap.event SET spent = '0' WHERE sequence = 3", "UPDATE freegap.event SET spent = '1/7' WHERE sequence = 3",
             "row 3: its hash is wrong"),
            ("UPDATE freegap.head SET count = 2", "UPDATE freegap.head SET count = 3", "its head records 2 rows"),
            ("INSERT INTO freegap.head SELECT 2, format, count, hash FROM freegap.head", "DELETE FROM freegap.head WHERE id = 2",
             "several heads"),
            ("ALTER TABLE freegap.event ADD COLUMN more text", "ALTER TABLE freegap.event DROP COLUMN more", "its tables are not those"),
            ("UPDATE freegap.head SET id = 2", "UPDATE freegap.head SET id = 1", "its head is missing")]:
        team.sql(change)
        result = team.top()
        assert result.returncode == 2 and not result.stdout and what in result.stderr, (change, result)
        checked = folder.call("budget", "check", "--ledger", team.url)
        assert checked.returncode == 1 and what in checked.stderr, (change, checked)
        team.sql(back)
    team.sql("UPDATE freegap.head SET format = 3")
    newer = team.top()
    assert newer.returncode == 2 and "made by a newer freegap" in newer.stderr and not newer.stdout, newer
    team.sql("UPDATE freegap.head SET format = 1")  # whose tables have no column for delta
    assert "its tables are not those" in team.top().stderr
    team.sql("UPDATE freegap.head SET format = 2")
    assert "3 rows hold" in team.budget("check")


def forged_checkpoints_are_found(folder, server):
    """Opening reads a small ledger from its beginning: a checkpoint that raises the budget is refused."""
    team = made(folder, server)
    assert team.top().returncode == 0
    previous = team.budget("head").strip().split(":")[1]
    details = "entries\t1\ndataset\tshop\t1000\t0\t0\ttransaction\tadd-remove\t\topen\n"
    fields = ["4", "checkpoint", *[None] * 12, details]
    encoded = "".join("-," if field is None else f"{len(field.encode())}:{field}," for field in fields)
    digest = hashlib.sha256((previous + encoded).encode()).hexdigest()
    team.sql(f"INSERT INTO freegap.event(sequence, kind, details, hash) VALUES (4, 'checkpoint', '{details}', '{digest}')",
             f"UPDATE freegap.head SET count = 4, hash = '{digest}'")
    forged = team.top(epsilon="50")
    assert forged.returncode == 2 and "row 4: the checkpoint does not agree" in forged.stderr and not forged.stdout, forged


def tables_of_format_1_serve_until_a_delta_is_needed(folder, server):
    """Only the owner can change tables, and only the owner makes data sets: so the first one with a delta adds the column."""
    team = made(folder, server)
    team.sql("ALTER TABLE freegap.event DROP COLUMN delta", "UPDATE freegap.head SET format = 1",  # as the version before made them
             "CREATE ROLE early LOGIN", "GRANT USAGE ON SCHEMA freegap TO early", "GRANT SELECT ON freegap.event, freegap.head TO early",
             "GRANT INSERT ON freegap.event TO early", "GRANT UPDATE (count, hash) ON freegap.head TO early")
    early = server.url("early", team.database)

    def tables():
        return team.sql("SELECT format, (SELECT count(*) FROM information_schema.columns WHERE table_name = 'event' AND column_name = 'delta') "
                        "FROM freegap.head")

    assert team.top(early).returncode == 0 and team.create(dataset="pure").returncode == 0
    head = team.budget("head").strip()
    assert tables() == ["1|0"] and team.balance(early)["delta"]["total"] == "0", tables()
    create = ["budget", "create", "--dataset", "terms", "--epsilon", 1, "--delta", "1e-6", "--unit", "transaction", "--ledger"]
    refused = folder.call(*create, early)
    assert refused.returncode == 2 and "this user may not do that" in refused.stderr and tables() == ["1|0"], refused
    assert folder.call(*create, team.url).returncode == 0
    assert tables() == ["2|1"] and "continue from that head" in team.budget("check", "--head", head)
    assert team.top(early).returncode == 0  # whose rights stay as they were
    assert json.loads(team.budget("show", "--dataset", "terms", "--format", "json", url=early))["delta"] == {
        "total": "1/1000000", "spent": "0", "reserved": "0", "remaining": "1/1000000"}
    assert folder.call("budget", "copy", "--ledger", team.url, "--to", "delta.db").returncode == 0
    assert json.loads(team.budget("show", "--dataset", "terms", "--format", "json", url="delta.db"))["delta"]["total"] == "1/1000000"


def rights_are_the_databases(folder, server):
    """As docs/ledger.md describes them."""
    team = made(folder, server)
    team.sql("CREATE ROLE spender LOGIN", "CREATE ROLE reader LOGIN", "CREATE ROLE keeper LOGIN IN ROLE owner", "CREATE ROLE nobody_yet LOGIN",
             "GRANT USAGE ON SCHEMA freegap TO spender, reader", "GRANT SELECT ON freegap.event, freegap.head TO spender, reader",
             "GRANT INSERT ON freegap.event TO spender", "GRANT UPDATE (count, hash) ON freegap.head TO spender")
    url = {user: server.url(user, team.database) for user in ("spender", "reader", "keeper", "nobody_yet")}
    assert team.top(url["spender"]).returncode == 0
    assert team.balance(url["reader"])["spent"] == "1/7"
    assert team.create(url["keeper"], dataset="kept").returncode == 0
    before = team.budget("head")
    for result in (team.top(url["reader"]), team.top(url["nobody_yet"]), team.create(url["spender"], dataset="mine"),
                   team.create(url["reader"], dataset="mine"),
                   folder.call("budget", "close", "--ledger", url["spender"], "--dataset", "shop"),
                   folder.call("budget", "rename", "--ledger", url["spender"], "--dataset", "shop", "--name", "mine"),
                   folder.call("budget", "show", "--ledger", url["nobody_yet"])):
        assert result.returncode == 2 and not result.stdout and "this user may not do that" in result.stderr, result
    for statement in ("DELETE FROM freegap.event", "UPDATE freegap.event SET spent = '0'", "TRUNCATE freegap.event",
                      "DELETE FROM freegap.head", "UPDATE freegap.head SET format = 9",
                      "INSERT INTO freegap.event(sequence, kind, hash) VALUES (99, 'dataset', 'x')"):
        try:
            team.sql(statement, user="spender")
        except subprocess.CalledProcessError as refused:
            assert "permission denied" in refused.stderr or "row-level security" in refused.stderr, refused.stderr
        else:
            raise AssertionError(statement)
    assert team.budget("head") == before
    mine = folder.call("budget", "copy", "--ledger", url["spender"], "--to", "mine.db")  # who may not close makes no copy
    assert mine.returncode == 2 and "this user may not do that" in mine.stderr and not (folder.path / "mine.db").exists(), mine
    copy = folder.call("budget", "copy", "--ledger", url["reader"], "--to", "archive.db", "--closed")
    assert copy.returncode == 0, copy  # an auditor needs no right to write


def copies_continue(folder, server):
    """A file becomes a database and a file again. One of the two is closed each time."""
    team = Team(folder, server)
    assert team.create("books.db").returncode == 0
    for _ in range(3):
        assert team.top("books.db").returncode == 0
    before = team.budget("head", url="books.db").strip()
    moved = folder.call("budget", "copy", "--ledger", "books.db", "--to", team.url)
    assert moved.returncode == 0 and moved.stdout == team.budget("head"), moved
    assert "continue from" in team.budget("check", "--head", before)
    assert "continue from" in team.budget("check", "--head", before, url="books.db")
    closed = team.top("books.db")
    assert closed.returncode == 2 and "it is closed; nothing was spent" in closed.stderr, closed
    assert json.loads(team.top().stdout)["ledger"] == {"entry": 4, "remaining": "17/7"}
    archived = folder.call("budget", "copy", "--ledger", team.url, "--to", "archive2.db", "--closed")
    assert archived.returncode == 0, archived
    assert "is closed" in team.top("archive2.db").stderr and team.top().returncode == 0
    for to in ("archive2.db", team.url):
        again = folder.call("budget", "copy", "--ledger", "books.db", "--to", to)
        assert again.returncode == 2 and "already; nothing was copied" in again.stderr, again


def urls_and_servers_that_do_not_serve(folder, server):
    team = made(folder, server)
    secret = server.url(database=team.database).replace("owner@", "owner:hunter2@")
    for url, status, what in [(secret, 2, "has a password"), (team.url + "&password=hunter2", 2, "has a password"),
                              ("postgresql://owner:hunter2@[", 2, "cannot be read"),
                              (f"postgresql://owner@/{team.database}?host={folder.path}", 3, "No such file or directory"),
                              (server.url(database="nowhere"), 3, "does not exist"), (server.url("eve", team.database), 3, "eve"),
                              (server.url(database="postgres"), 2, "there is no ledger")]:
        result = team.top(url)
        assert result.returncode == status and not result.stdout and what in result.stderr, (url, result)
        assert "hunter2" not in result.stderr, result
    assert team.balance()["remaining"] == "3"
    server.run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    latin = team.create(server.url(database="latin"))
    assert latin.returncode == 2 and "UTF8" in latin.stderr, latin
    server.kill()
    server.start("-c", "fsync=off")
    careless = team.top()
    server.kill()
    server.start()
    assert careless.returncode == 2 and "fsync = off" in careless.stderr and not careless.stdout, careless
    assert team.top().returncode == 0


class Proxy:
    """Stands between a client and the server. Cuts the connection at the client's n-th COMMIT: before the server sees it, or
    after the server has carried it out, before the client hears of it. `reachable`: whether the client can connect again."""

    def __init__(self, server, folder, commit, after, reachable):
        self.target = f"{server.folder}/.s.PGSQL.{PORT}"
        self.commit, self.after, self.reachable = commit, after, reachable
        self.commits, self.is_cut = 0, False
        self.folder = folder
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/.s.PGSQL.{PORT}")
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut and not self.reachable:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.target)
            for work in ((client, server, self.watch), (server, client, None)):
                threading.Thread(target=self.carry, args=work, daemon=True).start()

    def watch(self, data, client, server):
        """Whether the connection is cut at this message."""
        if b"COMMIT\0" not in data:
            return False
        self.commits += 1
        if self.commits != self.commit:
            return False
        self.is_cut = True
        client.shutdown(socket.SHUT_RDWR)
        if self.after:
            server.sendall(data)
        server.shutdown(socket.SHUT_WR)
        return True

    def carry(self, source, target, watch):
        try:
            while data := source.recv(1 << 16):
                if watch and watch(data, source, target):
                    return
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.listener.close()
        os.unlink(f"{self.folder}/.s.PGSQL.{PORT}")


def cut_networks(folder, server):
    """The client says what is charged, as far as it can be known, and shows nothing that is not."""
    said = {(1, False, True): "nothing was charged", (1, True, True): "the reservation is charged in full",
            (1, False, False): "the reservation may be charged", (1, True, False): "the reservation may be charged",
            (2, False, True): "entry 1 stays charged in full", (2, True, True): "entry 1 was settled nevertheless",
            (2, False, False): "entry 1 is charged in full unless it was settled",
            (2, True, False): "entry 1 is charged in full unless it was settled"}
    for (commit, after, reachable), message in said.items():
        team = made(folder, server)
        proxy = Proxy(server, folder.path, commit, after, reachable)
        result = team.top(server.url(database=team.database, folder=folder.path))
        proxy.close()
        case = (commit, after, reachable, result)
        assert proxy.is_cut and result.returncode == 3 and not result.stdout and message in result.stderr, case
        wait_for_end_of_transactions(team)
        charged = [(entry["status"], entry["spent"]) for entry in team.entries()]
        expected = {(1, False): [], (1, True): [("unfinished", None)], (2, False): [("unfinished", None)], (2, True): [("settled", "1/7")]}
        assert charged == expected[commit, after], (case, charged)
        assert team.balance()["remaining"] == ("3" if not charged else "20/7"), case
        if charged and charged[0][0] == "settled":
            assert len(json.loads(team.budget("show", "1", "--format", "json"))["winners"]) == 3
        assert team.top().returncode == 0


def copies_of(folder):
    return Copies([PROGRAM], folder.call, folder.path)


def cut_copies(folder, server):
    """A copy to a database commits there twice, to make it and to open it; a copy from one commits once, to close it. Whichever
    of them is cut, the budget is in one place, and the next call finishes the copy."""
    copies, found = copies_of(folder), []
    for to_database, commit in ((True, 1), (True, 2), (False, 1)):
        for after, reachable in itertools.product((False, True), repeat=2):
            team, file = Team(folder, server), f"cut{next(numbers)}.db"
            original, copy = (file, team.url) if to_database else (team.url, file)
            assert team.create(original).returncode == 0 and team.top(original).returncode == 0
            history = copies.history(original)
            proxy = Proxy(server, folder.path, commit, after, reachable)
            through = server.url(database=team.database, folder=folder.path)
            result = folder.call("budget", "copy", "--ledger", file if to_database else through, "--to", through if to_database else file)
            proxy.close()
            case = (to_database, commit, after, reachable, result)
            assert proxy.is_cut and result.returncode == 3 and not result.stdout and "to finish it" in result.stderr, case
            wait_for_end_of_transactions(team)
            found.append(copies.finish(original, copy, history))
    assert len(set(found)) == 4, found
    print(f"{len(found)} copies cut at a commit, none open twice, all finished by the next call: {sorted(found)}")


def killed_copies(folder, server, kills=30):
    """From a file to a database, back, and between databases. Two serve for all: many would take long to make, and to recover."""
    copies, rng = copies_of(folder), random.Random(5)
    team = Team(folder, server)
    assert team.create("killed.db").returncode == 0 and team.top("killed.db").returncode == 0

    databases = itertools.cycle([Team(folder, server), Team(folder, server)])

    def database():
        other = next(databases)
        other.sql("DROP SCHEMA IF EXISTS freegap CASCADE")
        return other.url

    def file():
        return f"killed{next(numbers)}.db"

    def original(url):
        source = file()
        shutil.copy(folder.path / "killed.db", folder.path / source)
        if url is None:
            return source
        assert folder.call("budget", "copy", "--ledger", source, "--to", url).returncode == 0
        return url

    for what, fresh in (("to a database", lambda: (original(None), database())), ("to a file", lambda: (original(database()), file())),
                        ("between databases", lambda: (original(database()), database()))):
        print(f"{what}: {copies.kill_many(kills, fresh, rng, lambda: wait_for_end_of_transactions(team, everywhere=True), what == 'to a file')}")


def wait_for_end_of_transactions(team, everywhere=False):
    """Until the server has noticed that the client is gone."""
    until = time.monotonic() + 120
    where = "datname IS NOT NULL" if everywhere else "datname = current_database()"
    while team.sql(f"SELECT count(*) FROM pg_stat_activity WHERE {where} AND backend_type = 'client backend' AND state <> 'idle' "
                   "AND pid <> pg_backend_pid()") != ["0"]:
        assert time.monotonic() < until
        time.sleep(0.05)


def killed_servers(folder, server, kills=5):
    """The server crashes and comes back, while four clients go on asking."""
    team = Team(folder, server)
    assert team.create(epsilon="1000").returncode == 0
    stop, printed, faults, wrong = threading.Event(), [], [], []

    def ask():
        while not stop.is_set():
            result = team.top()
            if result.returncode == 0:
                printed.append(json.loads(result.stdout))
            else:
                if result.returncode != 3 or result.stdout:
                    wrong.append(result)
                faults.append(result.stderr)
                time.sleep(0.2)  # until the server is back

    workers = [threading.Thread(target=ask) for _ in range(4)]
    for worker in workers:
        worker.start()
    for _ in range(kills):
        seen = len(printed)
        while len(printed) < seen + 5 and any(worker.is_alive() for worker in workers):
            time.sleep(0.01)
        server.kill()
        server.start()
    stop.set()
    for worker in workers:
        worker.join()
    assert not wrong, wrong
    entries = {entry["entry"]: entry for entry in team.entries()}
    for release in printed:
        entry = entries[release["ledger"]["entry"]]
        assert entry["spent"] == "1/7" and entry["release"]["winners"] == release["winners"], (release, entry)
    assert len({release["ledger"]["entry"] for release in printed}) == len(printed)
    charged = sum(Fraction(entry["spent"] or entry["reserved"]) for entry in entries.values())
    assert Fraction(team.balance()["remaining"]) == 1000 - charged
    assert "rows hold" in team.budget("check")
    unfinished = sum(entry["spent"] is None for entry in entries.values())
    print(f"{kills} crashes of the server: {len(printed)} releases shown, all charged once; {len(faults)} faults; "
          f"{unfinished} entries unfinished, all charged; 0 lost")
    assert faults and len(printed) >= 5 * kills


def tests_of_the_ledger(server):
    """What holds for a file holds for a database: the same tests, on the server."""
    for test in sys.argv[2:]:
        environment = {**os.environ, "FREEGAP_TEST_POSTGRES": server.url(database="%s"), "FREEGAP_TEST_SCALE": "0.05"}
        result = subprocess.run([test, "--gtest_brief=1"], env=environment, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
        print("".join(line + "\n" for line in result.stdout.splitlines() if line.startswith(("races", "kills", "copies", "[  PASSED"))), end="")


def main():
    with Folder() as folder, Server() as server:
        for test in (releases_are_charged, changes_by_others_are_found, forged_checkpoints_are_found, tables_of_format_1_serve_until_a_delta_is_needed,
                     rights_are_the_databases, copies_continue, urls_and_servers_that_do_not_serve, cut_networks, cut_copies, killed_copies,
                     killed_servers):
            start = time.monotonic()
            test(folder, server)
            print(f"{test.__name__}: {time.monotonic() - start:.1f} s", flush=True)
        tests_of_the_ledger(server)


if __name__ == "__main__":
    assert PROGRAM.exists()
    main()
