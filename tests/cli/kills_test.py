"""The program is killed at random moments, a thousand times, while it makes releases; and many of them want the last of a
budget. What must hold afterwards, exactly:
- of every release that was printed in whole the ledger has the entry, settled, at no less than the printed cost, with that
  very release; whatever else was printed, if only a byte, belongs to an entry that is charged;
- an entry without a release is charged in full; no sum of charges exceeds its total, at any time;
- nothing that was ever seen in the books changes or vanishes, but for an unfinished entry being settled.
The check is also given books that were tampered with, and must complain. Copies that move a budget are killed, too: it is never in
two places.

usage: kills_test.py PROGRAM [KILLS]
"""

import collections
import copy
import itertools
import json
import os
import random
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from fractions import Fraction

from copy_kills import Copies

PROGRAM = os.path.abspath(sys.argv[1])
SCALE = float(os.environ.get("FREEGAP_TEST_SCALE", "1"))
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else max(20, int(1000 * SCALE))
LEDGERS = 4  # at once
WORKERS = 2  # processes at once for each ledger
TOTAL = "23/7"

DATA = "".join(" ".join(str(item) for item in range(first, first + 8)) + "\n" for first in range(6))
FILES = {"shop.dat": DATA, "list.txt": "".join(f"{item}\n" for item in range(20)),
         "sites.csv": "item,utility\nnorth,41.5\nsouth,12\nwest,39\n"}
STREAM = "stream"
VERBS = {  # all with unit "transaction"
    "top": ["top", "shop.dat", "-k", "15", "--universe", "0..29", "--measure", "1/3"],
    "top above": ["top", "shop.dat", "-k", "5", "--universe", "0..29", "--above", "3"],
    "above": ["above", "shop.dat", "-k", "4", "--threshold", "3", "--adaptive", "--candidates", "list.txt"],
    "choose": ["choose", "sites.csv", "--sensitivity", "2", "--unit", "transaction", "--items-are-public"],
    "measure": ["measure", "shop.dat", "--items", "3,5,40"],
    STREAM: ["above", "-", "-k", "3", "--threshold", "4", "--adaptive", "--sensitivity", "1", "--unit", "transaction"],
}
PRICES = ["1/7", "1/3", "2/11", "0.1", "0.07"]


def call(arguments, folder):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=300,
                          stdin=subprocess.DEVNULL)


def good(arguments, folder):
    run = call(arguments, folder)
    assert run.returncode == 0, (arguments, run)
    return run.stdout


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


class Launch:
    """One run of the program. A confidence of its own, which stands in the books, tells it from all others."""

    def __init__(self, number, verb, price, dataset):
        self.number = number
        self.verb = verb
        self.price = Fraction(price)
        self.dataset = dataset
        self.mark = 0.75 + number / 2**20
        self.arguments = [*VERBS[verb], "--epsilon", price, "--confidence", f"{self.mark:.20f}", "--ledger", "books.db", "--dataset",
                          dataset, "--format", "json"]
        self.status = None
        self.printed = b""
        self.message = ""

    def run(self, folder, delay):
        """Runs the program, and kills it after `delay` seconds if it is still there. How long it ran."""
        out = os.path.join(folder, f"out-{self.number}")
        with open(out, "wb") as stdout, open(out + "-message", "wb") as stderr:
            began = time.monotonic()
            process = subprocess.Popen([PROGRAM, *self.arguments], cwd=folder, stdin=subprocess.PIPE, stdout=stdout,
                                       stderr=stderr)
        feeder = threading.Thread(target=self.feed, args=(process.stdin,))
        feeder.start()
        ended = os.pidfd_open(process.pid)
        select.select([ended], [], [], delay)
        os.close(ended)
        process.kill()  # nothing if it has ended
        self.status = process.wait()
        took = time.monotonic() - began
        feeder.join()
        with open(out, "rb") as file:
            self.printed = file.read()
        with open(out + "-message", encoding="utf-8") as file:
            self.message = file.read()
        os.remove(out)
        os.remove(out + "-message")
        return took

    def feed(self, stdin):
        """Lines that arrive one by one, so that there is time to be killed between two answers."""
        try:
            if self.verb == STREAM:
                for line in range(8):
                    stdin.write(f"query {line},{3 * line}\n".encode())
                    stdin.flush()
                    time.sleep(0.002)
            stdin.close()
        except BrokenPipeError:
            pass


class Seen:
    """What the books have said so far: it may grow, and what is unfinished may be settled."""

    def __init__(self):
        self.rows = {}
        self.complaints = []

    def look(self, rows, totals):
        now = {row["entry"]: row for row in rows}
        for number, before in self.rows.items():
            after = now.get(number)
            if before["status"] == "unfinished" and after is not None and after["status"] == "settled":
                before = {**before, "status": "settled", "spent": after["spent"]}
            if after != before:
                self.complaints.append(f"entry {number} was {before} and is {after}")
        charged = collections.Counter()
        for row in rows:
            charged[row["dataset"]] += charge(row)
        for dataset, sum_charged in charged.items():
            if sum_charged > totals[dataset]:
                self.complaints.append(f"{dataset} was charged {sum_charged} of {totals[dataset]}")
        self.rows.update(now)


def charge(row):
    """What an entry takes of the budget."""
    return Fraction(row["spent"] if row["status"] == "settled" else row["reserved"])


def released(launch):
    """What a launch printed, if it is whole: the release as the books should have it, and its entry."""
    if not launch.printed.endswith(b"\n"):
        return None
    rows = lines(launch.printed.decode())
    if "ledger" not in rows[-1]:
        return None
    document = rows[-1]
    entry = document.pop("ledger")["entry"]
    if launch.verb == STREAM:
        document["answers"] = rows[:-1]
    return document, entry


def check(launches, books, seen):
    """All that is wrong with the books, given what was printed and what they said before."""
    wrong = []
    entries = {entry["entry"]: entry for entry in books["entries"]}
    owners = {launch.mark: launch for launch in launches}
    charged = collections.defaultdict(lambda: {"spent": Fraction(0), "reserved": Fraction(0)})
    by_launch = {}
    for number, entry in entries.items():
        launch = owners.get(entry["parameters"]["confidence"])
        if launch is None or launch.number in by_launch:
            wrong.append(f"entry {number} is nobody's, or one too many")
            continue
        by_launch[launch.number] = entry
        reserved, dataset = Fraction(entry["reserved"]), entry["dataset"]
        if reserved != launch.price or dataset != launch.dataset:
            wrong.append(f"entry {number} reserves {reserved} of {dataset} for {launch.price} of {launch.dataset}")
        if entry["status"] == "unfinished":
            charged[dataset]["reserved"] += reserved
            if entry["spent"] is not None or entry["release"] is not None:
                wrong.append(f"entry {number} is unfinished, with a release")
        else:
            charged[dataset]["spent"] += Fraction(entry["spent"])
            if Fraction(entry["spent"]) > reserved:
                wrong.append(f"entry {number} spent more than it reserved")
            if Fraction(entry["spent"]) < Fraction(entry["release"]["epsilon"]["spent"]):
                wrong.append(f"entry {number} spent less than its release says")
    for launch in launches:
        entry = by_launch.get(launch.number)
        what = f"launch {launch.number} ({launch.verb}, status {launch.status})"
        if launch.status not in (0, 2, -9):
            wrong.append(f"{what} failed: {launch.message}")
        if launch.status == 2 and (entry is not None or launch.printed or "asked for" not in launch.message):
            wrong.append(f"{what} was refused, and charged or answered: {launch.message}")
        if launch.printed and entry is None:
            wrong.append(f"{what} printed something and was not charged")
            continue
        whole = released(launch)
        if launch.status == 0 and whole is None:
            wrong.append(f"{what} did not print its release")
        if whole is not None:
            release, number = whole
            if entry["entry"] != number or entry["status"] != "settled" or entry["release"] != release:
                wrong.append(f"{what} printed entry {number}, which is {entry}")
            elif Fraction(entry["spent"]) < Fraction(release["epsilon"]["spent"]):
                wrong.append(f"{what} printed a release of {release['epsilon']['spent']} and was charged {entry['spent']}")
        elif launch.printed and launch.verb != STREAM and entry["status"] != "settled":
            wrong.append(f"{what} printed part of a release that is not in the books")
    for dataset in books["datasets"]:
        name, total = dataset["dataset"], Fraction(dataset["total"])
        spent, reserved, remaining = (Fraction(dataset[key]) for key in ("spent", "reserved", "remaining"))
        if spent != charged[name]["spent"] or reserved != charged[name]["reserved"]:
            wrong.append(f"{name} is not the sum of its entries: {dataset}")
        if spent + reserved > total or remaining != total - spent - reserved or total != Fraction(TOTAL):
            wrong.append(f"{name} does not add up: {dataset}")
    before = len(seen.complaints)
    seen.look([{key: value for key, value in entry.items() if key != "release"} for entry in books["entries"]],
              {dataset["dataset"]: Fraction(dataset["total"]) for dataset in books["datasets"]})
    return wrong + seen.complaints[before:]


class Loop:
    """Releases on one ledger, most of them killed."""

    def __init__(self, folder, kills, rng):
        self.folder = folder
        self.kills = kills
        self.rng = rng
        self.lock = threading.Lock()
        self.launches = []
        self.killed = 0
        self.datasets = 0
        self.refusals = 0
        self.typical = {}
        self.seen = Seen()
        self.looks = 0
        self.failed = None
        os.mkdir(folder)
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.new_dataset()

    def new_dataset(self):
        self.datasets += 1
        self.refusals = 0
        good(["budget", "create", "--ledger", "books.db", "--dataset", f"shop {self.datasets}", "--epsilon", TOTAL, "--unit",
              "transaction"], self.folder)

    def next(self):
        """The next launch and when to kill it; nothing when there were enough."""
        with self.lock:
            if self.killed >= self.kills or self.failed:
                return None
            if self.refusals >= 3:  # the budget is as good as used up
                self.new_dataset()
            verb = self.rng.choice(list(VERBS))
            launch = Launch(len(self.launches) + 1, verb, self.rng.choice(PRICES), f"shop {self.datasets}")
            self.launches.append(launch)
            calm = verb not in self.typical or self.rng.random() < 0.1  # to see how long it takes
            return launch, None if calm else self.rng.uniform(0, 1.2 * self.typical[verb])

    def work(self):
        try:
            while (todo := self.next()) is not None:
                launch, delay = todo
                took = launch.run(self.folder, delay)
                with self.lock:
                    self.killed += launch.status == -9
                    self.refusals += launch.status == 2 and launch.dataset == f"shop {self.datasets}"
                    if delay is None and launch.status == 0:  # the ledger grows, and everything takes longer
                        self.typical[launch.verb] = (self.typical.get(launch.verb, took) + took) / 2
        except Exception as problem:
            self.failed = problem

    def watch(self, done):
        """Reads the books while they are being written, and processes that write them die."""
        try:
            while not done.wait(0.2):
                balances = lines(good(["budget", "show", "--ledger", "books.db"], self.folder))
                rows = lines(good(["budget", "history", "--ledger", "books.db"], self.folder))
                for balance in balances:
                    if Fraction(balance["spent"]) + Fraction(balance["reserved"]) > Fraction(balance["total"]):
                        self.seen.complaints.append(f"too much: {balance}")
                totals = collections.defaultdict(lambda: Fraction(TOTAL))
                self.seen.look(rows, totals)
                self.looks += 1
        except Exception as problem:
            self.failed = problem

    def run(self):
        done = threading.Event()
        watcher = threading.Thread(target=self.watch, args=(done,))
        workers = [threading.Thread(target=self.work) for _ in range(WORKERS)]
        watcher.start()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        done.set()
        watcher.join()

    def books(self):
        return json.loads(good(["budget", "export", "--ledger", "books.db"], self.folder))

    def finish(self):
        """Checks the books; says when the killed were killed."""
        if self.failed:
            raise self.failed
        books = self.books()
        wrong = check(self.launches, books, self.seen) + self.seen.complaints
        assert not wrong, "\n".join(wrong)
        self.check_parts(books)
        entries = {entry["parameters"]["confidence"]: entry["status"] for entry in books["entries"]}
        when = collections.Counter()
        for launch in self.launches:
            if launch.status == -9:
                status = entries.get(launch.mark, "not charged")
                if released(launch):
                    status = "printed in whole"
                elif launch.printed:
                    status += ", printed in part"
                when[status] += 1
        return books, when

    def check_parts(self, books):
        """What was printed in part is the beginning of the stored release."""
        entries = {entry["parameters"]["confidence"]: entry["entry"] for entry in books["entries"]}
        for launch in self.launches:
            if launch.printed and launch.verb != STREAM and not released(launch):
                number = entries[launch.mark]
                stored = good(["budget", "show", str(number), "--ledger", "books.db", "--format", "json"], self.folder)
                stored = stored[:stored.rindex(',"ledger"')].encode()
                assert stored.startswith(launch.printed[:len(stored)]), (launch.arguments, launch.printed, stored)


def balanced(books):
    """The same books with sums that agree with the entries: so that it takes more than adding up to see what is wrong."""
    for dataset in books["datasets"]:
        rows = [entry for entry in books["entries"] if entry["dataset"] == dataset["dataset"]]
        spent = sum((charge(row) for row in rows if row["status"] == "settled"), Fraction(0))
        reserved = sum((charge(row) for row in rows if row["status"] == "unfinished"), Fraction(0))
        dataset.update(spent=str(spent), reserved=str(reserved), remaining=str(Fraction(dataset["total"]) - spent - reserved))
    return books


def check_the_check(loop, books):
    """Tampers with the books in ways that a faulty ledger might, and with what they said before."""
    printed = [launch for launch in loop.launches if launch.verb != STREAM and released(launch)]
    number = released(printed[0])[1]

    def doctored(change, balance=True):
        other = copy.deepcopy(books)
        change(other, next(entry for entry in other["entries"] if entry["entry"] == number))
        return balanced(other) if balance else other

    def unsettle(_, entry):
        entry.update(status="unfinished", spent=None, release=None)

    def halve(_, entry):
        entry.update(spent=str(Fraction(entry["spent"]) / 2))

    def halve_everywhere(_, entry):
        halve(_, entry)
        entry["release"]["epsilon"]["spent"] = entry["spent"]

    def exceed(other, _):
        other["datasets"][0]["total"] = "1/1000"

    cases = {
        "less spent": doctored(halve),
        "less spent, in the release too": doctored(halve_everywhere),
        "less spent than the sum": doctored(halve, balance=False),
        "an entry missing": doctored(lambda other, entry: other["entries"].remove(entry)),
        "an entry twice": doctored(lambda other, entry: other["entries"].append({**entry, "entry": 10**6})),
        "less reserved": doctored(lambda _, entry: entry.update(reserved=str(Fraction(entry["reserved"]) / 2))),
        "not settled": doctored(unsettle),
        "another release": doctored(lambda _, entry: entry["release"].update(mechanism="another")),
        "more than the total": doctored(exceed),
    }
    unfinished = [entry for entry in books["entries"] if entry["status"] == "unfinished"]
    if unfinished:
        other = copy.deepcopy(books)
        next(entry for entry in other["entries"] if entry["entry"] == unfinished[0]["entry"])["reserved"] = "1/1000"
        cases["an unfinished entry not charged in full"] = balanced(other)
    assert not check(loop.launches, copy.deepcopy(books), Seen())
    for what, other in cases.items():
        assert check(loop.launches, other, Seen()), f"the check does not notice: {what}"
    # Entries whose launch printed nothing are held to what the books said before.
    seen = Seen()
    rows = [{key: value for key, value in entry.items() if key != "release"} for entry in books["entries"]]
    totals = collections.defaultdict(lambda: Fraction(TOTAL))
    seen.look(rows, totals)
    assert not seen.complaints
    for what, later in (("vanished", rows[1:]), ("changed", [{**rows[0], "who": "nobody"}, *rows[1:]])):
        count = len(seen.complaints)
        seen.look(later, totals)
        assert len(seen.complaints) > count, f"the check does not notice that an entry {what}"
        seen.look(rows, totals)
    return len(cases) + 2


def hot_journals(parent, wanted, rng):
    """Kills while a journal lies beside the ledger, that is, in the middle of a write. The next to open it, here someone who
    only looks, must put the books back as they were, and go on."""
    loop = Loop(os.path.join(parent, "hot"), 10**9, rng)
    ledger = os.path.join(loop.folder, "books.db")
    journal = ledger + "-journal"
    hot = tries = 0
    while hot < wanted:
        tries += 1
        assert tries < 50 * wanted + 100, "no journal was ever left behind"
        launch, _ = loop.next()
        process = subprocess.Popen([PROGRAM, *launch.arguments], cwd=loop.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        writes = rng.choice([1, 2])  # reserving, settling
        there = False
        while process.poll() is None and writes > 0:
            was, there = there, os.path.exists(journal)
            writes -= there and not was
        until = time.monotonic() + rng.uniform(0, 0.008)
        while time.monotonic() < until:
            pass
        process.kill()
        launch.status = process.wait()
        if launch.status == 2:
            loop.refusals += 1
        if not os.path.exists(journal):
            continue
        hot += 1
        verb = rng.choice([["show"], ["history"], ["export"]])
        good(["budget", *verb, "--ledger", "books.db"], loop.folder)
        loop.seen.look(lines(good(["budget", "history", "--ledger", "books.db"], loop.folder)),
                       collections.defaultdict(lambda: Fraction(TOTAL)))
        good([*VERBS["measure"], "--epsilon", "1/1000000", "--ledger", "books.db", "--dataset", f"shop {loop.datasets}"],
             loop.folder)
        assert not os.path.exists(journal)
    books = loop.books()
    loop.seen.look([{key: value for key, value in entry.items() if key != "release"} for entry in books["entries"]],
                   collections.defaultdict(lambda: Fraction(TOTAL)))
    assert not loop.seen.complaints, loop.seen.complaints
    unfinished = sum(entry["status"] == "unfinished" for entry in books["entries"])
    return f"{hot} hot journals in {tries} kills, {unfinished} entries left unfinished"


def race(parent, rounds, racers=64):
    """Many processes want the last 0.01 at once: exactly one gets it. They wait for their data, which all get together."""
    for number in range(rounds):
        folder = os.path.join(parent, f"race-{number}")
        os.mkdir(folder)
        books = ["--ledger", "books.db", "--dataset", "shop"]
        ask = ["measure", "-", "--input-format", "dat", "--items", "1", *books]
        good(["budget", "create", *books, "--epsilon", "1", "--unit", "transaction"], folder)
        good([*ask, "--epsilon", "0.99"], folder)
        runs = [subprocess.Popen([PROGRAM, *ask, "--epsilon", "0.01"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE) for _ in range(racers)]
        time.sleep(0.2)
        for run in runs:
            run.stdin.write(DATA.encode())
            run.stdin.flush()
        for run in runs:
            run.stdin.close()
            run.stdin = None
        ended = [(run.communicate(timeout=300), run.returncode) for run in runs]
        winners = [out for (out, _), status in ended if status == 0]
        losers = [(out, message.decode()) for (out, message), status in ended if status == 2]
        assert len(winners) == 1 and len(losers) == racers - 1, ended
        assert json.loads(winners[0])["ledger"] == {"entry": 2, "remaining": "0"}, winners
        for out, message in losers:
            assert not out and re.search(r"asked for 1/100, left 0 of 1; nothing was spent", message), (out, message)
        balance = json.loads(good(["budget", "show", *books], folder))
        assert (balance["spent"], balance["reserved"], balance["remaining"]) == ("1", "0", "0"), balance


def killed_copies(parent, kills, rng):
    folder = os.path.join(parent, "copies")
    os.mkdir(folder)
    for name, text in FILES.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    books = ["--ledger", "books.db", "--dataset", "shop"]
    good(["budget", "create", *books, "--epsilon", "1", "--unit", "transaction"], folder)
    for _ in range(3):
        good([*VERBS["measure"], "--epsilon", "0.1", *books], folder)
    numbers = itertools.count(1)

    def fresh():
        number = next(numbers)
        shutil.copy(os.path.join(folder, "books.db"), os.path.join(folder, f"from-{number}.db"))
        return f"from-{number}.db", f"to-{number}.db"

    copies = Copies([PROGRAM], lambda *arguments: call(arguments, folder), folder)
    return copies.kill_many(kills, fresh, rng, is_file=True)


def main():
    seed = random.SystemRandom().randrange(10**9)
    rng = random.Random(seed)
    try:
        with tempfile.TemporaryDirectory() as parent:
            loops = [Loop(os.path.join(parent, f"loop-{number}"), -(-KILLS // LEDGERS), random.Random(rng.random()))
                     for number in range(LEDGERS)]
            threads = [threading.Thread(target=loop.run) for loop in loops]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            when, refused, tampered = collections.Counter(), 0, 0
            for loop in loops:
                books, moments = loop.finish()
                when += moments
                refused += sum(launch.status == 2 for launch in loop.launches)
                tampered = check_the_check(loop, books)
            launched = sum(len(loop.launches) for loop in loops)
            looks = sum(loop.looks for loop in loops)
            # The kills reach every stage of a release. One in 70 finds it settled and not printed: of 5,000 none does with a chance
            # of e^-70, of 1,000 with e^-14, which is too often.
            stages = ["not charged", "unfinished"] + (["unfinished, printed in part", "settled"] if KILLS >= 5000 else [])
            for stage in stages if KILLS >= 1000 else []:
                assert when[stage], f"no kill at one stage: {when}"
            hot = hot_journals(parent, max(3, int(20 * min(1, KILLS / 1000))), rng)
            rounds = max(1, int(5 * min(1, KILLS / 1000)))
            race(parent, rounds)
            copies = killed_copies(parent, max(20, KILLS // 5), rng)
    except BaseException:
        print(f"seed {seed}", file=sys.stderr)
        raise
    print(f"{sum(when.values())} kills in {launched} releases: {dict(when)}; {refused} refused; {looks} looks at the books "
          f"meanwhile; {tampered} kinds of tampering noticed; {hot}; {rounds} races of 64 with one winner each; {copies}")


if __name__ == "__main__":
    main()
