"""The contract of the command line: what each verb says in JSON, as a table and as CSV, and what it refuses."""

import csv
import gzip
import io
import json
import os
import signal
import sqlite3
import subprocess
from fractions import Fraction

from program import PROGRAM, Folder

DATA = "\n".join(" ".join(str(item) for item in range(i % 7 + 1)) for i in range(700)) + "\n"
COUNTS = {str(item): sum(1 for i in range(700) if i % 7 >= item) for item in range(7)}
ROWS = "person,bought\n" + "".join(f"p{i},{j}\np{i},{j}\n" for i in range(9) for j in range(i % 3))
PUBLIC = ["--no-ledger"]
TOP = ["top", "data.dat", "-k", 3, "--universe", "0..99"]


def check_head(release, mechanism, reserved, spent):
    assert release["freegap"] and release["mechanism"] == mechanism, release
    assert Fraction(release["epsilon"]["reserved"]) == Fraction(reserved), release
    assert Fraction(release["epsilon"]["spent"]) == Fraction(spent), release
    for name in ("kind", "sensitivity", "neighbours", "monotone", "confidence"):
        assert name in release["parameters"], release


def fits(table):
    assert table.endswith("\n") and all(len(line) <= 80 for line in table.splitlines()), table


def top(folder):
    release = folder.json(*TOP, "--epsilon", "0.7", *PUBLIC)
    check_head(release, "top_k", "7/10", "7/10")
    parameters = release["parameters"]
    assert parameters["k"] == 3 and parameters["noise"] == "exponential" and parameters["measure"] == "1/2"
    assert parameters["kind"] == "counts" and parameters["sensitivity"] == 1 and parameters["monotone"] is True
    assert parameters["neighbours"] == "add-remove" and parameters["unit"] == "transaction"
    noise = release["noise"]
    # Half of 7/10 selects; monotone, so the scale is k / epsilon.
    assert noise["law"] == "exponential" and abs(noise["scale"] - 3 / 0.35) < 1e-12, noise
    assert len(release["winners"]) == 3
    for rank, winner in enumerate(release["winners"], start=1):
        assert winner["rank"] == rank and isinstance(winner["item"], str)
        assert winner["gap"] == winner["gap_ticks"] * noise["tick"]
        assert winner["interval"][0] < winner["estimate"] < winner["interval"][1]
        assert winner["standard_error"] > 0 and "lead_at_least" in winner and "measured" in winner
    # Without measuring there is no estimate; with replacement counts are not monotone.
    bare = folder.json(*TOP, "--epsilon", "0.7", "--measure", "0", "--neighbours", "replace", *PUBLIC)
    assert abs(bare["noise"]["scale"] - 2 * 3 / 0.7) < 1e-12 and bare["parameters"]["monotone"] is False
    assert all(winner["estimate"] is None and winner["measured"] is None for winner in bare["winners"])
    classic = folder.json(*TOP, "--epsilon", "0.7", "--classic", *PUBLIC)
    assert all(winner["gap"] is None and winner["estimate"] is not None for winner in classic["winners"])
    whole = folder.json(*TOP, "--epsilon", "0.7", "--noise", "geometric", *PUBLIC)
    assert whole["noise"]["tick"] == 1 and all(winner["gap"] == winner["gap_ticks"] for winner in whole["winners"])
    fits(folder.good(*TOP, "--epsilon", "0.7", *PUBLIC, "--format", "table"))
    rows = list(csv.DictReader(io.StringIO(folder.good(*TOP, "--epsilon", "0.7", *PUBLIC, "--format", "csv"))))
    assert [row["rank"] for row in rows] == ["1", "2", "3"] and float(rows[0]["interval_low"]) < float(rows[0]["estimate"])
    # Off a terminal the default is JSON.
    assert json.loads(folder.good(*TOP, "--epsilon", "0.7", *PUBLIC))["mechanism"] == "top_k"


def hybrids(folder):
    command = [*TOP, "--epsilon", "20", "--above", "150", *PUBLIC]
    identity = folder.json(*command, "--measure", "0")
    check_head(identity, "top_k_above", "20", identity["epsilon"]["spent"])
    assert {winner["gap_to"] for winner in identity["winners"]} <= {"threshold", "next"}
    nothing = folder.json(*TOP, "--epsilon", "20", "--above", "100000", *PUBLIC)
    assert nothing["winners"] == [] and "threshold_gap_ticks" in nothing
    # Nothing was selected, so all but the first rank and all of the measuring share come back.
    assert Fraction(nothing["epsilon"]["spent"]) == Fraction(10, 3), nothing["epsilon"]
    estimates = folder.json(*command, "--prefer", "estimates", "--measure", "0")
    assert all(winner["gap_to"] == "threshold" for winner in estimates["winners"])
    assert {"used", "epsilon", "scale"} <= estimates["threshold"].keys()
    assert {"branch", "epsilon", "scale", "offset_ticks", "cut_ticks"} <= estimates["branches"][0].keys()
    fits(folder.good(*command, "--format", "table"))


def above(folder):
    command = ["above", "data.dat", "--threshold", "250", "-k", 3, "--items-are-public"]
    release = folder.json(*command, "--epsilon", "30", "--order", "label", *PUBLIC)
    check_head(release, "sparse_vector", "30", release["epsilon"]["spent"])
    answers = release["answers"]
    assert [answer["query"] for answer in answers] == sorted(answer["query"] for answer in answers)
    assert any(answer["above"] for answer in answers)
    spent = Fraction(release["threshold"]["epsilon"])
    for answer in answers:
        if answer["above"]:
            assert answer["gap"] == answer["gap_ticks"] * release["noise"]["tick"]
            assert {"branch", "estimate", "standard_error", "lower", "p_not_above"} <= answer.keys()
            spent += Fraction(answer["spent"])
        else:
            assert answer.keys() == {"query", "above"}, answer
    assert spent == Fraction(release["epsilon"]["spent"])
    assert release["stopped"] in ("budget", "input", "stop_after") and release["stop_rule"] == "afford"
    adaptive = folder.json(*command, "--epsilon", "30", "--adaptive", "--branches", "3", "--measure", "0.5", *PUBLIC)
    assert adaptive["mechanism"] == "adaptive_sparse_vector" and len(adaptive["branches"]) == 3
    prices = [Fraction(branch["epsilon"]) for branch in adaptive["branches"]]
    assert prices[0] * 3 == prices[1] * 2 == prices[2], prices
    none = folder.json("above", "data.dat", "--threshold", "99999", "-k", 3, "--items-are-public", "--epsilon", "30",
                       "--measure", "0.5", *PUBLIC)
    assert Fraction(none["epsilon"]["spent"]) == Fraction(none["threshold"]["epsilon"])
    fits(folder.good(*command, "--epsilon", "30", *PUBLIC, "--format", "table"))


def stream(folder):
    lines = "one,9000\nnonsense\ntwo,-9000\n,5\nthree,nan\n\nfour,9000\r\nfive,9000\n"
    command = ["above", "-", "--threshold", "100", "-k", 2, "--epsilon", "10", "--sensitivity", "1", *PUBLIC]
    objects = [json.loads(line) for line in folder.good(*command, "--format", "json", stdin=lines).splitlines()]
    *answers, end = objects
    assert [answer["query"] for answer in answers if "query" in answer] == ["one", "two", "four"]
    assert [answer["line"] for answer in answers if "error" in answer] == [2, 4, 5, 6]
    assert [answer["above"] for answer in answers if "query" in answer] == [True, False, True]
    assert end["stopped"] == "budget" and Fraction(end["epsilon"]["spent"]) == 10
    assert end["parameters"]["kind"] == "general" and end["parameters"]["monotone"] is False
    short = folder.good(*command, "--format", "json", stdin="one,-9000\n").splitlines()
    assert json.loads(short[-1])["stopped"] == "input"
    # Of a table and of CSV a message says why, and what was spent.
    for form in ("table", "csv"):
        told = folder.call(*command, "--format", form, stdin="one,-9000\n")
        assert told.returncode == 0 and "stopped (input); spent" in told.stderr and "one" in told.stdout, told
    # Without its line feed a line may be cut off, 9000 to 9: it is not answered.
    *answers, cut_off, end = map(json.loads, folder.good(*command, "--format", "json", stdin="one,-9000\ntwo,9").splitlines())
    assert [answer["query"] for answer in answers] == ["one"] and end["stopped"] == "input"
    assert cut_off["line"] == 2 and "line feed" in cut_off["error"], cut_off
    assert "measured" in folder.refused(*command, "--measure", "0.5", stdin="")
    # What is for files is refused, and what was asked for stands in the release.
    for option in (["--items-are-public"], ["--candidates", "list"], ["--universe", "0..9"], ["--input-format", "csv"], ["--separator", ","],
                   ["--item", "x"], ["--value", "x"], ["--sqlite", "data.db"], ["--query", "SELECT 1"], ["--order", "label"]):
        assert "are for files" in folder.refused(*command, *option, stdin="one,9000\n"), option
    told = json.loads(folder.good(*command, "--tick", "1", "--theta", "0.3", "--format", "json", stdin="").splitlines()[-1])
    assert told["parameters"]["tick"] == "1" and told["parameters"]["theta"] == "0.3", told
    # Which the help says. A simulation reads a file, as the other verbs do.
    for verb, dash in ((["above"], "- to answer `name,value` lines"), (["simulate", "above"], "- for standard input"),
                       (["top"], "- for standard input")):
        assert dash in " ".join(folder.good(*verb, "--help").split()), verb


def choose_and_measure(folder):
    folder.write("sites.csv", "item,utility\nnorth,4.5\nsouth,-3\n")
    choice = folder.json("choose", "sites.csv", "--epsilon", "100", "--sensitivity", "1", "--items-are-public", *PUBLIC)
    check_head(choice, "exponential", "100", "100")
    assert choice["item"] == "north" and choice["gap"] == choice["gap_ticks"] * choice["tick"]
    assert {"gap_in_utility", "p_not_best"} <= choice.keys() and choice["parameters"]["kind"] == "general"
    fits(folder.good("choose", "sites.csv", "--epsilon", "1", "--sensitivity", "1", "--items-are-public", *PUBLIC, "--format", "table"))
    measured = folder.json("measure", "data.dat", "--items", "0,6,none", "--epsilon", "300", *PUBLIC)
    check_head(measured, "measure", "300", "300")
    assert abs(measured["noise"]["scale"] - 0.01) < 1e-15 and [row["item"] for row in measured["measurements"]] == ["0", "6", "none"]
    assert [round(row["measured"]) for row in measured["measurements"]] == [700, 100, 0]
    fits(folder.good("measure", "data.dat", "--items", "0,6,none", "--epsilon", "300", *PUBLIC, "--format", "table"))


def counting(folder):
    with gzip.open(folder.path / "data.dat.gz", "wb") as packed:
        packed.write(DATA.encode())
    with sqlite3.connect(folder.path / "data.db") as database:
        database.execute("CREATE TABLE t (item TEXT, count INTEGER)")
        database.executemany("INSERT INTO t VALUES (?, ?)", COUNTS.items())
    for source in (["data.dat"], ["data.dat.gz"], ["--sqlite", "data.db", "--query", "SELECT item, count FROM t"]):
        result = folder.call("count", *source, "--format", "json")
        assert result.returncode == 0 and "not private" in result.stderr, result
        assert {row["item"]: row["count"] for row in json.loads(result.stdout)["counts"]} == COUNTS, source
    units = json.loads(folder.call("count", "rows.csv", "--item", "bought", "--unit", "person", "--format", "json").stdout)
    assert units["unit"] == "person" and {row["item"]: row["count"] for row in units["counts"]} == {"0": 6, "1": 3}
    bad = folder.write("bad.csv", "item,count\na,1\nb\nc,2\n")
    listed = folder.json("count", bad, "--check")
    assert [row["line"] for row in listed["malformed"]] == [3], listed


def kinds(folder):
    """Counted data is whole whatever its kind, and every verb takes every kind of every source, in the data or not."""
    folder.write("list", "0\n6\nnone\n")
    folder.write("ready.csv", "item,count\n0,5\n6,3\n")
    sources = (["data.dat"], ["rows.csv", "--item", "bought", "--unit", "row"], ["rows.csv", "--item", "bought", "--unit", "person"],
               ["ready.csv", "--unit", "visit"])
    verbs = (["top", "-k", 2, "--candidates", "list"], ["top", "-k", 2, "--candidates", "list", "--above", "3"],
             ["above", "-k", 2, "--threshold", "3", "--candidates", "list"], ["choose", "--candidates", "list"],
             ["measure", "--items", "0,6,none"], ["top", "-k", 1, "--items-are-public"])
    for kind in ("counts", "general"):
        for source in sources:
            for verb, *options in verbs:
                release = folder.json(verb, *source, *options, "--kind", kind, "--epsilon", "1", *PUBLIC)
                assert release["parameters"]["kind"] == kind and release["parameters"]["sensitivity"] == 1
            if source[0] != "ready.csv" or kind == "counts":  # one record changes a count by 1, and that is known
                folder.refused("measure", *source, "--items", "0", "--kind", kind, "--sensitivity", "0.5", "--epsilon", "1", *PUBLIC)
    # Noise that is all but never there: its variance is 0 as a double.
    exact = folder.json("measure", "data.dat", "--items", "0", "--epsilon", "999", "--tick", "1", *PUBLIC)
    assert exact["measurements"][0]["measured"] == 700


def interrupted_after(folder, command, text, stop):
    """What a stream says that gets `text`, answers its first line and is then sent a signal: all objects, the last its end."""
    with subprocess.Popen([PROGRAM, *command], cwd=folder.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        running.stdin.write(text)
        running.stdin.flush()
        first = running.stdout.readline()
        running.send_signal(stop)
        rest = running.stdout.read()
    assert running.returncode == 0, (running.returncode, rest)
    return [json.loads(line) for line in (first + rest).splitlines()]


def interruption(folder):
    """Ctrl-C ends a stream; its answers are stored, and what was not used comes back."""
    folder.call("budget", "create", "--ledger", "stream.db", "--dataset", "s", "--epsilon", "1", "--unit", "row")
    command = ["above", "-", "--threshold", "100", "-k", "5", "--epsilon", "1", "--sensitivity", "1", "--ledger", "stream.db",
               "--dataset", "s"]
    answer, end = interrupted_after(folder, command, "one,90000\n", signal.SIGINT)
    assert answer["above"] and end["stopped"] == "interrupted"
    assert folder.json("budget", "show", 1, "--ledger", "stream.db")["answers"] == [answer]
    assert Fraction(folder.json("budget", "show", "--ledger", "stream.db")["remaining"]) == 1 - Fraction(end["epsilon"]["spent"]) > 0
    # Part of a line is no line: neither an answer nor an error.
    unkept = ["above", "-", "--threshold", "100", "-k", "5", "--epsilon", "1", "--sensitivity", "1", *PUBLIC]
    for stop in (signal.SIGINT, signal.SIGTERM):
        answer, end = interrupted_after(folder, unkept, "one,-90000\ntwo,9", stop)
        assert answer["query"] == "one" and end["stopped"] == "interrupted"
    # Lines that wait to be answered do not delay the end. Before the signal there are as many answers as a pipe holds.
    waiting = 15000
    several = interrupted_after(folder, [*unkept[:7], "1000", *unkept[8:]], "a,0\n" * waiting, signal.SIGINT)
    assert several[-1]["stopped"] == "interrupted" and len(several) < waiting / 3, (len(several), several[-1])
    # Started with the signal ignored, as a shell does in the background, it does not end by it.
    with subprocess.Popen([PROGRAM, *unkept], cwd=folder.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) as running:
        running.stdin.write("one,-90000\n")
        running.stdin.flush()
        lines = [running.stdout.readline()]
        running.send_signal(signal.SIGINT)
        lines += running.communicate("two,-90000\n")[0].splitlines()
    assert [json.loads(line).get("query", "end") for line in lines] == ["one", "two", "end"] and running.returncode == 0, lines
    assert json.loads(lines[-1])["stopped"] == "input"
    for option in (["--order", "label"], ["--candidates", "list"], ["--input-format", "csv"], ["--skip-bad-records"]):
        folder.refused(*command, *option, stdin="")


def ends(folder):
    """The table of a stored stream says why it ended: never that there were enough answers where something else ended it."""
    ledger = ["--ledger", "ends.db"]
    folder.call("budget", "create", *ledger, "--dataset", "s", "--epsilon", "9", "--unit", "row")
    command = ["above", "-", "--threshold", "100", "-k", "5", "--epsilon", "1", "--sensitivity", "1", *ledger, "--dataset", "s"]
    interrupted_after(folder, command, "one,90000\n", signal.SIGINT)
    with open("/dev/full", "wb") as full:
        subprocess.run([PROGRAM, *command], cwd=folder.path, input=b"one,90000\n", stdout=full, stderr=subprocess.DEVNULL, check=False)
    unreadable = os.open(folder.path, os.O_RDONLY)
    subprocess.run([PROGRAM, *command], cwd=folder.path, stdin=unreadable, capture_output=True, check=False)
    os.close(unreadable)
    folder.good(*command, "--stop-after", 1, stdin="one,90000\ntwo,90000\n")
    folder.good(*command, stdin="one,90000\n")
    folder.good(*command, stdin="".join(f"{i},90000\n" for i in range(9)))
    sentences = {"interrupted": "it was interrupted", "output": "the output took no more", "fault": "the input could not be read",
                 "stop_after": "enough answers above", "input": "no more queries", "budget": "the budget is used up"}
    for entry, (stopped, sentence) in enumerate(sentences.items(), start=1):
        assert folder.json("budget", "show", entry, *ledger)["stopped"] == stopped, (entry, stopped)
        table = folder.good("budget", "show", entry, *ledger, "--format", "table")
        assert f"Stopped: {sentence}. Spent" in table, (stopped, table)
        fits(table)


def planning(folder):
    plan = folder.json("plan", "top", "-k", 10, "--epsilon", "0.7")
    # Exponential noise, monotone: a linear combination saves 60 % of the squared error at k = 10, the likelihood 63.75 %.
    assert abs(plan["mse_reduction"] - 0.6375) < 0.005 and plan["estimate_error"] < plan["measured_error"], plan
    target = folder.json("plan", "top", "-k", 10, "--target-error", plan["estimate_error"])
    assert abs(float(Fraction(target["epsilon"])) - 0.7) < 1e-5, target
    sparse = folder.json("plan", "above", "-k", 10, "--epsilon", "0.7", "--adaptive", "--distance", "10000")
    assert abs(sparse["expected_answers"] - 20) < 0.01, sparse
    fits(folder.good("plan", "above", "-k", 10, "--epsilon", "0.7", "--measure", "0.5", "--format", "table"))
    # The table has the numbers of the document.
    laplace = ["plan", "top", "-k", 10, "--epsilon", "0.7", "--noise", "laplace"]
    plan = folder.json(*laplace)
    lines = [line.strip() for line in folder.good(*laplace, "--format", "table").splitlines()]
    for what, value in (("if the winners stand apart", f"{plan['estimate_error']:.1f}"), ("standard error of a gap", f"{plan['gap_error']:.1f}"),
                        ("whatever the data (measuring alone)", f"{plan['measured_error']:.1f}"),
                        ("mean squared error saved", f"{100 * plan['mse_reduction']:.1f} %"), ("share to measure", plan["best_measure"])):
        assert any(line.startswith(what) and line.endswith(f" {value}") for line in lines), (what, value, lines)
    # The third question: how many winners.
    many = folder.json("plan", "top", "--epsilon", 1, "--target-error", 50)
    assert (many["winners"], many["winners_whatever_the_data"], many["parameters"]["k"]) == (31, 17, 31), many
    assert many["estimate_error"] <= 50 < folder.json("plan", "top", "-k", 32, "--epsilon", 1)["estimate_error"], many
    table = folder.good("plan", "top", "--epsilon", 1, "--target-error", 50, "--format", "table")
    assert "if the winners stand apart" in table and "whatever the data" in table and " 31\n" in table and " 17\n" in table, table
    fits(table)
    # No more are looked for.
    assert many["winners_limit"] == 1_000_000, many
    everyone = folder.json("plan", "top", "--epsilon", 1, "--target-error", "1e30")
    assert everyone["winners"] == everyone["winners_whatever_the_data"] == everyone["winners_limit"], everyone
    assert folder.good("plan", "top", "--epsilon", 1, "--target-error", "1e30", "--format", "table").count(" 1000000 or more\n") == 2
    unmeasured = folder.json("plan", "above", "--epsilon", 1, "--target-error", 50)
    assert unmeasured["winners"] > 0 and unmeasured["winners_whatever_the_data"] is None, unmeasured
    assert "2.828" in folder.refused("plan", "top", "--epsilon", 1, "--target-error", 2)  # k = 1 measures with error 2 sqrt(2)
    for given in ([], ["-k", 2], ["--epsilon", 1], ["--target-error", 9], ["-k", 2, "--epsilon", 1, "--target-error", 9]):
        for verb in ("top", "above"):
            message = folder.refused("plan", verb, *given)
            assert all(option in message for option in ("-k", "--epsilon", "--target-error")), message


def simulation(folder):
    command = ["simulate", "top", "data.dat", "-k", 2, "--epsilon", "1", "--runs", 3, "--seed", 5]
    runs = [json.loads(line) for line in folder.good(*command).splitlines()]
    assert [run["simulated"] for run in runs] == [{"seed": 5, "run": run} for run in (1, 2, 3)]
    assert folder.good(*command) == folder.good(*command) and "ledger" not in runs[0]
    assert runs[0]["winners"] != runs[1]["winners"]
    assert folder.call("simulate", "top", "data.dat", "-k", 2, "--epsilon", "1").returncode == 2  # no seed


def ledger(folder):
    ledger = ["--ledger", "ledger.db"]
    create = ["budget", "create", *ledger, "--dataset", "shop", "--epsilon", "1", "--unit", "transaction"]
    assert folder.call(*create).returncode == 0
    assert (folder.path / "ledger.db").stat().st_mode & 0o777 == 0o600
    charged = [*ledger, "--dataset", "shop"]
    shown = []
    for _ in range(9):
        shown.append(folder.json(*TOP, "--epsilon", "0.1", *charged))
    assert shown[-1]["ledger"] == {"entry": 9, "remaining": "1/10"}
    # Ten times a tenth is one; then nothing more is to be had.
    message = folder.refused(*TOP, "--epsilon", "0.1001", *charged)
    assert "1001/10000" in message and "1/10" in message and "1" in message, message
    shown.append(folder.json(*TOP, "--epsilon", "0.1", *charged))
    balance = folder.json("budget", "show", *charged)
    expected = {"dataset": "shop", "total": "1", "spent": "1", "reserved": "0", "remaining": "0"}
    assert expected.items() <= balance.items(), balance
    folder.refused(*TOP, "--epsilon", "1e-9", *charged)
    # A paid-for answer is never lost, and showing it again is free.
    for entry, release in enumerate(shown, start=1):
        again = folder.json("budget", "show", entry, *ledger)
        release["ledger"].pop("remaining")
        assert again == release, (again, release)
    history = [json.loads(line) for line in folder.good("budget", "history", *ledger, "--format", "json").splitlines()]
    assert [entry["entry"] for entry in history] == list(range(1, 11))
    assert all(entry["verb"] == "top" and entry["status"] == "settled" for entry in history)
    assert all(len(entry["time"]) == len("2026-01-01T00:00:00Z") and entry["who"] for entry in history)
    export = json.loads(folder.good("budget", "export", *ledger))
    assert export["entries"][3]["release"]["winners"] == shown[3]["winners"] and export["datasets"][0]["total"] == "1"
    fits(folder.good("budget", "show", *ledger, "--format", "table"))
    fits(folder.good("budget", "history", *ledger, "--format", "table"))
    # What does not match the data set's unit or neighbours is refused: such budgets do not add.
    assert folder.call("budget", "create", *ledger, "--dataset", "people", "--epsilon", "1", "--unit", "person").returncode == 0
    people = [*ledger, "--dataset", "people"]
    assert "unit" in folder.refused(*TOP, "--epsilon", "0.1", *people)
    assert "neighbours" in folder.refused(*TOP, "--epsilon", "0.1", "--neighbours", "replace", *charged)
    folder.json("top", "rows.csv", "--item", "bought", "--unit", "person", "-k", 1, "--universe", "0..9",
                "--epsilon", "0.1", *people)
    # Unspent budget comes back.
    folder.json("above", "rows.csv", "--item", "bought", "--unit", "person", "--threshold", "999", "-k", 5,
                "--items-are-public", "--epsilon", "0.5", *people)
    after = folder.json("budget", "show", *people)
    assert Fraction(after["remaining"]) > Fraction(4, 10) and after["reserved"] == "0", after


def every_verb_is_charged(folder):
    """Every verb tells the ledger all that it may spend, measuring included, its unit and its neighbours."""
    folder.write("list", "0\n1\n2\nnone\n")
    folder.write("ready.csv", "item,count\n0,5\n1,3\n")
    listed = ["--candidates", "list"]
    verbs = (["top", "-k", 2, *listed], ["top", "-k", 2, *listed, "--above", "3"], ["choose", *listed], ["measure", "--items", "0,1"],
             ["top", "-k", 2, *listed, "--above", "3", "--prefer", "estimates"],
             ["above", "-k", 2, "--threshold", "3", *listed, "--measure", "0.5"],
             ["above", "-k", 2, "--threshold", "3", *listed, "--measure", "0.5", "--adaptive"])
    units = {"transaction": ["data.dat"], "person": ["rows.csv", "--item", "bought", "--unit", "person"],
             "row": ["rows.csv", "--item", "bought", "--unit", "row"], "visit": ["ready.csv", "--unit", "visit"]}
    questions = [(unit, [verb[0], *source, *verb[1:]]) for unit, source in units.items() for verb in verbs]
    questions += [(unit, ["above", "-", "-k", 2, "--threshold", "3", "--sensitivity", "1", "--unit", unit]) for unit in units]
    ledger = ["--ledger", "verbs.db"]
    for unit in units:
        for neighbours in ("add-remove", "replace"):
            made = folder.call("budget", "create", *ledger, "--dataset", f"{unit} {neighbours}", "--epsilon", "100", "--unit", unit,
                               "--neighbours", neighbours)
            assert made.returncode == 0, made
    for number, (unit, question) in enumerate(questions, start=1):
        neighbours, others = ("add-remove", "replace")[::1 if number % 2 else -1]  # every verb gets both, by turns
        other_unit = "row" if unit == "transaction" else "transaction"
        ask = [*question, "--epsilon", "7/10", "--neighbours", neighbours, *ledger, "--dataset"]
        assert "unit" in folder.refused(*ask, f"{other_unit} {neighbours}", stdin="a,9\n"), question
        assert "neighbours" in folder.refused(*ask, f"{unit} {others}", stdin="a,9\n"), question
        release = json.loads(folder.good(*ask, f"{unit} {neighbours}", stdin="a,9\n").splitlines()[-1])
        entry = json.loads(folder.good("budget", "history", *ledger).splitlines()[-1])
        assert entry["entry"] == release["ledger"]["entry"] == number and entry["dataset"] == f"{unit} {neighbours}", entry
        assert Fraction(entry["reserved"]) == Fraction(release["epsilon"]["reserved"]) == Fraction(7, 10), (question, entry)
        assert Fraction(entry["spent"]) == Fraction(release["epsilon"]["spent"]), (question, entry)


def refusals(folder):
    message = folder.refused("top", "data.dat", "-k", 3, "--epsilon", "1", *PUBLIC)
    assert len(message.strip().splitlines()) == 4 and all(
        flag in message for flag in ("--candidates", "--universe", "--items-are-public")), message
    assert "--no-ledger" in folder.refused(*TOP, "--epsilon", "1")
    for epsilon in ("nan", "0", "-1", "inf", "1001", "x", ""):
        folder.refused(*TOP, "--epsilon", epsilon, *PUBLIC)
    # Every option that is a whole number: no sign, which would wrap around, and no leading zero, which would mean octal.
    sparse = ["--threshold", "1", "-k", "1", "--epsilon", "1"]
    simulated = ["simulate", "top", "data.dat", "-k", "1", "--epsilon", "1"]
    for *command, option, least in (
            [*TOP[:2], "--universe", "0..99", "--epsilon", "1", *PUBLIC, "-k", 1],
            ["above", "data.dat", "--items-are-public", *sparse, *PUBLIC, "--stop-after", 1],
            ["above", "data.dat", "--items-are-public", *sparse, *PUBLIC, "--adaptive", "--branches", 1],
            ["plan", "top", "--epsilon", "1", "-k", 1], ["plan", "above", "--epsilon", "1", "-k", 1],
            ["plan", "above", "-k", "1", "--epsilon", "1", "--adaptive", "--branches", 1],
            [*simulated, "--seed", "1", "--runs", 1], [*simulated, "--seed", 0],
            ["quest", "--transactions", 1], ["quest", "--transactions", "1", "--items", 1],
            ["quest", "--transactions", "1", "--patterns", 1], ["quest", "--transactions", "1", "--seed", 0]):
        folder.good(*command, option, least)
        for bad in (least - 1, -5, "010", "0x1", "1.5", "+1", "1e3", "18446744073709551617", ""):
            message = folder.refused(*command, option, bad)
            assert option in message, (option, bad, message)
    folder.refused("verify", "--seed", "-5")
    for k in ("0", "101", "-1", "x"):
        folder.refused("top", "data.dat", "-k", k, "--universe", "0..99", "--epsilon", "1", *PUBLIC)
    for option in (["--measure", "1"], ["--measure", "-0.1"], ["--confidence", "1"], ["--tick", "3"], ["--noise", "gauss"],
                   ["--sensitivity", "0"], ["--universe", "9..0"], ["--prefer", "identity"], ["--theta", "0.5"],
                   ["--unit", "person"], ["--item", "x"], ["--dataset", "x"], ["--seed", "1"]):
        folder.refused(*TOP, "--epsilon", "1", *PUBLIC, *option)
    folder.refused("top", "nosuch.dat", "-k", 1, "--universe", "0..9", "--epsilon", "1", *PUBLIC)
    folder.refused("top", "data.xyz", "-k", 1, "--universe", "0..9", "--epsilon", "1", *PUBLIC)
    message = folder.refused("top", "rows.csv", "--item", "nosuch", "--unit", "row", "-k", 1, "--items-are-public", "--epsilon", "1",
                             *PUBLIC)
    assert "nosuch" in message and "bought" not in message, message  # without a header that line would be a record
    repeated = folder.write("repeated.csv", "item,count\na,1\na,2\n")
    folder.refused("top", repeated, "--unit", "visit", "-k", 1, "--items-are-public", "--epsilon", "1", *PUBLIC)


def main():
    parts = [top, hybrids, above, stream, choose_and_measure, counting, kinds, interruption, ends, planning, simulation, ledger,
             every_verb_is_charged, refusals]
    with Folder() as folder:
        folder.write("data.dat", DATA)
        folder.write("rows.csv", ROWS)
        for part in parts:
            part(folder)
    print(f"{len(parts)} parts of the contract hold")


if __name__ == "__main__":
    main()
