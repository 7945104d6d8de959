"""The answers are about the data: the right item with the right number, from every source, in every verb and every format.

The budgets are so large that noise hardly shows: every scale is at most 0.03, so that a number is off by more than 1 with probability
below e^-33 each. Whatever is further away was read, looked up or written wrongly. With scales twenty times as large, `perturbed` fails."""

import csv
import gzip
import io
import json
import math
import os
import shutil
import subprocess
from fractions import Fraction

from program import PROGRAM, Folder

PLENTY = ["--epsilon", "900", "--no-ledger"]


def transactions(counts):
    """A .dat file in which each item occurs as often as it should, item by item."""
    return "".join(f"{item}\n" * count for item, count in counts.items())


def field_value(field, value):
    """What a field of CSV says: a text, or a number, which two libraries may write with 16 digits or with 17."""
    return field if isinstance(value, str) else json.loads(field)


def near(number, expected):
    assert abs(number - expected) < 1, (number, expected)


def check_values(rows, expected, member="item"):
    """The rows are about these items, in this order, and every number of theirs is near."""
    assert [row[member] for row in rows] == list(expected), (rows, expected)
    for row in rows:
        value = expected[row[member]]
        for name in ("measured", "estimate", "lower"):
            if row.get(name) is not None:
                near(row[name], value)
        if row.get("interval") is not None:
            low, high = row["interval"]
            assert low < row["estimate"] < high and value - 1 < low and high < value + 1, row


def universes(folder):
    """Ids at both ends of a universe count; what is outside, or is no id as it is always written, does not."""
    inside = {str(i): 100 * (i + 3) for i in (3, 2, 1, 0, -1, -2)}
    folder.write("ids.dat", transactions({"-3": 900, "4": 901, "003": 902, "+2": 903, "x": 904, "3.0": 905, "3x": 906, **inside}))
    release = folder.json("top", "ids.dat", "-k", 6, "--universe=-2..3", *PLENTY)
    check_values(release["winners"], inside)
    assert release["parameters"]["universe"] == [-2, 3] and release["parameters"]["candidate_count"] == 6
    for winner in release["winners"][:-1]:
        near(winner["gap"], 100)
    for last in range(-2, 4):
        [winner] = folder.json("top", "ids.dat", "-k", 1, f"--universe={last}..{last}", *PLENTY)["winners"]
        check_values([winner], {str(last): inside[str(last)]})
        chosen = folder.json("choose", "ids.dat", f"--universe=-2..{last}", "--kind", "counts", "--sensitivity", "1", *PLENTY)
        assert chosen["item"] == str(last) and chosen["parameters"]["candidate_count"] == last + 3, chosen
    for bad in ("5", "..", "1..", "..5", "3..2", "01..5", "1..05", "+1..5", "1...5", "a..b", "1..9223372036854775808"):
        assert "--universe" in folder.refused("top", "ids.dat", "-k", 1, f"--universe={bad}", *PLENTY), bad


def lists(folder):
    """Each name of a public list has its own number; what is not in the data counts 0, what is not in the list is left out."""
    counts = {"pear": 500, "fig": 300, "kiwi": 100}
    folder.write("fruit.dat", transactions({"out": 800, "fig": 300, "more": 700, "kiwi": 100, "pear": 500}))
    folder.write("fruit.txt", "none\nkiwi\npear\nnothing\nfig\n")
    listed = ["fruit.dat", "--candidates", "fruit.txt"]
    release = folder.json("top", *listed, "-k", 3, *PLENTY)
    check_values(release["winners"], counts)
    assert [round(winner["gap"] / 100) for winner in release["winners"]] == [2, 2, 1]
    assert [round(winner["lead_at_least"] / 100) for winner in release["winners"]] == [5, 3, 1], release
    assert release["parameters"]["candidate_count"] == 5 and release["parameters"]["candidates"] == "public list"
    public = folder.json("top", "fruit.dat", "--items-are-public", "-k", 5, *PLENTY)
    check_values(public["winners"], {"out": 800, "more": 700, **counts})
    named = {"pear": 500, "absent": 0, "kiwi": 100, "out": 800}
    check_values(folder.json("measure", "fruit.dat", "--items", ",".join(named), *PLENTY)["measurements"], named)
    assert "once" in folder.refused("measure", "fruit.dat", "--items", "pear,kiwi,pear", *PLENTY)


def sources(folder):
    """The same numbers from rows, units, ready-made counts and reals, whichever column they stand in."""
    counts = {"c": 9, "b": 6, "a": 3}
    rows = "".join(f"{unit},x,{item}\n" for item, count in counts.items() for unit in range(count))
    folder.write("rows.csv", "unit,other,item\n" + rows + rows)
    folder.write("ready.csv", "other,count,item\n" + "".join(f"x,{count},{item}\n" for item, count in counts.items()))
    reals = {"c": 9.5, "a": 3.25, "b": -6.75}
    folder.write("reals.tsv", "item\tvalue\n" + "".join(f"{item}\t{value}\n" for item, value in sorted(reals.items(), reverse=True)))
    general = ["--kind", "general", "--sensitivity", "1"]
    for source, expected in ((["rows.csv", "--item", "item", "--unit", "unit"], counts),
                             (["ready.csv", "--unit", "visit"], counts), (["reals.tsv", "--unit", "visit", *general], reals)):
        top = folder.json("top", *source, "-k", 3, "--items-are-public", *PLENTY)
        check_values(top["winners"], expected)
        measured = {item: expected[item] for item in "bca"}
        check_values(folder.json("measure", *source, "--items", "b,c,a", *PLENTY)["measurements"], measured)
        # In the order of the labels every answer is about its own number.
        above = folder.json("above", *source, "-k", 3, "--threshold", "5", "--order", "label", "--items-are-public", *PLENTY)
        assert [answer["query"] for answer in above["answers"]] == ["a", "b", "c"], above
        assert [answer["above"] for answer in above["answers"]] == [expected[item] > 5 for item in "abc"], above
        for answer in above["answers"]:
            if answer["above"]:
                near(answer["gap"], expected[answer["query"]] - 5)
                near(answer["estimate"], expected[answer["query"]])
    chosen = folder.json("choose", "reals.tsv", "--items-are-public", "--unit", "visit", *general, *PLENTY)
    assert chosen["item"] == "c" and abs(chosen["gap_in_utility"] - 6.25) < 1, chosen
    # Negative numbers are no counts; numbers between whole ones none either.
    for bad in ("a,-1", "a,1.5"):
        folder.write("bad.csv", "item,count\n" + bad + "\n")
        folder.refused("top", "bad.csv", "-k", 1, "--items-are-public", "--unit", "visit", *PLENTY)


def hybrids(folder):
    """Gaps are over the threshold where there are fewer winners than asked for, and to the next one where there are as many."""
    counts = {"a": 700, "b": 600, "c": 500, "d": 400}
    folder.write("four.dat", transactions(counts))
    command = ["top", "four.dat", "--items-are-public", *PLENTY]
    few = folder.json(*command, "-k", 4, "--above", "550")
    check_values(few["winners"], {"a": 700, "b": 600})
    assert {winner["gap_to"] for winner in few["winners"]} == {"threshold"}
    assert [round(winner["gap"]) for winner in few["winners"]] == [150, 50]
    assert Fraction(few["epsilon"]["spent"]) == Fraction(few["epsilon"]["selection"]) + Fraction(few["epsilon"]["measurement"])
    many = folder.json(*command, "-k", 2, "--above", "450")
    check_values(many["winners"], {"a": 700, "b": 600})
    assert {winner["gap_to"] for winner in many["winners"]} == {"next"}
    assert [round(winner["gap"]) for winner in many["winners"]] == [100, 100]
    estimates = folder.json(*command, "-k", 2, "--above", "450", "--prefer", "estimates")
    assert [round(winner["gap"]) for winner in estimates["winners"]] == [250, 150]
    check_values(estimates["winners"], {"a": 700, "b": 600})
    # Who is above by more is so by chance less often. At 10 all scales are below 1.
    for options in ([], ["--prefer", "estimates"]):
        first, second = folder.json(*command[:3], "--above", "550", "-k", 4, *options, "--epsilon", "10", "--no-ledger")["winners"]
        assert 0 < first["p_not_above"] < second["p_not_above"] < 1e-9, (first, second)
    assert "--classic" in folder.refused(*command, "-k", 2, "--above", "450", "--classic")


def choices(folder):
    """The gap of a choice is on the grid that was asked for, and only there where it was not declined."""
    folder.write("sites.csv", "item,utility\nnorth,41.5\nsouth,12\nwest,39\n")
    command = ["choose", "sites.csv", "--sensitivity", "1", "--items-are-public", "--unit", "visit", *PLENTY]
    for tick in ("1/1024", "1/4", "8"):
        chosen = folder.json(*command, *([] if tick == "1/1024" else ["--tick", tick]))
        assert chosen["item"] == "north" and chosen["tick"] == float(Fraction(tick)) and chosen["gap"] == chosen["gap_ticks"] * chosen["tick"]
        assert abs(chosen["gap_in_utility"] - 2.5) < 1 and 0 < chosen["lead_at_least"] < 3.5, chosen
    classic = folder.json(*command, "--classic")
    assert classic["item"] == "north" and classic["parameters"]["classic"] is True, classic
    for name in ("gap", "gap_ticks", "gap_in_utility", "lead_estimate", "lead_at_least", "p_not_best"):
        assert classic[name] is None, (name, classic)


def shares(folder):
    """What measures and what selects are the declared shares of the budget, and together all of it."""
    for measure in (Fraction(1, 4), Fraction(0), Fraction(9, 10)):
        selecting, measuring = 900 * (1 - measure), 900 * measure
        top = folder.json("top", "four.dat", "-k", 2, "--items-are-public", "--measure", measure, *PLENTY)
        assert Fraction(top["epsilon"]["selection"]) == selecting and Fraction(top["epsilon"]["measurement"]) == measuring, top
        assert Fraction(top["epsilon"]["reserved"]) == Fraction(top["epsilon"]["spent"]) == 900, top
        assert abs(top["noise"]["scale"] * selecting - 2) < 1e-9, top["noise"]
        assert measure == 0 or abs(top["measurement"]["scale"] * measuring - 2) < 1e-9, top["measurement"]
        assert top["parameters"]["measure"] == str(measure)
        above = folder.json("above", "four.dat", "-k", 3, "--threshold", "550", "--order", "label", "--items-are-public", "--measure",
                            measure, *PLENTY)
        passed = [answer for answer in above["answers"] if answer["above"]]
        assert [answer["query"] for answer in passed] == ["a", "b"] and (passed[0].get("measured") is not None) == (measure > 0), above
        check_values(passed, {"a": 700, "b": 600}, "query")
        assert Fraction(above["epsilon"]["measurement"]) == measuring, above["epsilon"]
        spent = Fraction(above["threshold"]["epsilon"]) + sum(Fraction(answer["spent"]) for answer in passed)
        assert spent == Fraction(above["epsilon"]["selection"]) and spent < selecting, above["epsilon"]
        assert Fraction(above["epsilon"]["spent"]) == spent + measuring, above["epsilon"]


def sparse_vectors(folder):
    """Answers, gaps and the reason to stop; what was given as an option stands in the release."""
    command = ["above", "four.dat", "--threshold", "450", "--items-are-public", "--order", "label", *PLENTY]
    release = folder.json(*command, "-k", 9, "--tick", "1/1024", "--theta", "1/4", "--confidence", "0.5")
    check_values([answer for answer in release["answers"] if answer["above"]], {"a": 700, "b": 600, "c": 500}, "query")
    assert [round(answer["gap"]) for answer in release["answers"] if answer["above"]] == [250, 150, 50]
    assert release["answers"][3] == {"query": "d", "above": False} and release["stopped"] == "input", release
    parameters = release["parameters"]
    assert parameters["tick"] == "1/1024" and parameters["theta"] == "1/4" == release["theta"] and parameters["confidence"] == 0.5
    assert parameters["k"] == 9 and parameters["threshold"] == 450 and parameters["order"] == "label" and not parameters["classic"]
    assert release["noise"]["tick"] == 1 / 1024 and Fraction(release["threshold"]["epsilon"]) == 225
    one = folder.json(*command, "-k", 3, "--stop-after", 1)
    assert one["stopped"] == "stop_after" and [answer["query"] for answer in one["answers"]] == ["a"], one
    two = folder.json(*command, "-k", 3, "--stop-after", 2)
    assert two["stopped"] == "stop_after" and [answer["query"] for answer in two["answers"]] == ["a", "b"], two
    full = folder.json(*command, "-k", 2)
    assert full["stopped"] == "budget" and [answer["query"] for answer in full["answers"]] == ["a", "b"], full
    assert Fraction(full["epsilon"]["spent"]) == 900
    classic = folder.json(*command, "-k", 3, "--classic")
    assert [answer["above"] for answer in classic["answers"]] == [True, True, True] and classic["parameters"]["classic"] is True
    assert all(answer["gap"] is answer["estimate"] is answer["lower"] is None for answer in classic["answers"]), classic
    adaptive = folder.json(*command, "-k", 3, "--adaptive", "--branches", 3, "--sigma", "1")
    assert [branch["branch"] for branch in adaptive["branches"]] == [1, 2, 3] and adaptive["parameters"]["sigma"] == 1
    assert all(answer["branch"] == 1 for answer in adaptive["answers"] if answer["above"]), adaptive
    assert len(adaptive["answers"]) == 4 and adaptive["stopped"] == "input"
    spent = [Fraction(answer["spent"]) for answer in adaptive["answers"] if answer["above"]]
    assert spent == [Fraction(adaptive["branches"][0]["epsilon"])] * 3, adaptive
    assert Fraction(adaptive["threshold"]["epsilon"]) + sum(spent) == Fraction(adaptive["epsilon"]["spent"]), adaptive
    # Who is above by more is so by chance less often. At 5 the smallest of the gaps, 50, is more than 50 scales.
    chances = [answer["p_not_above"] for answer in folder.json(*command[:-3], "-k", 3, "--epsilon", "5", "--no-ledger")["answers"]]
    assert 0 < chances[0] < chances[1] < chances[2] < 1e-9, chances
    shuffled = [folder.json(*command[:5], *PLENTY, "-k", 4) for _ in range(12)]
    assert len({tuple(answer["query"] for answer in release["answers"]) for release in shuffled}) > 1  # wrong with (1/24)^11


def scales(folder):
    """The noise is that of what was declared: whichever candidates, twice as wide where numbers can move both ways, and as wide as the
    sensitivity demands."""
    folder.write("numbers.dat", transactions({str(i): 10 * i for i in range(1, 5)}))
    folder.write("numbers.txt", "1\n2\n3\n4\n")
    for candidates in (["--items-are-public"], ["--candidates", "numbers.txt"], ["--universe", "1..4"]):
        for kind in ("counts", "general"):
            for neighbours in ("add-remove", "replace"):
                for sensitivity in (1, 3):
                    if kind == "general" and candidates[0] == "--universe":
                        continue
                    declared = ["--kind", kind, "--neighbours", neighbours, "--sensitivity", sensitivity]
                    release = folder.json("top", "numbers.dat", "-k", 2, *candidates, *declared, "--tick", "1/4", *PLENTY)
                    factor = 1 if kind == "counts" and neighbours == "add-remove" else 2
                    assert abs(release["noise"]["scale"] * 450 - factor * 2 * sensitivity) < 1e-9, (candidates, declared, release["noise"])
                    assert abs(release["measurement"]["scale"] * 450 - 2 * sensitivity) < 1e-9, (declared, release["measurement"])
                    assert release["noise"]["tick"] == release["measurement"]["tick"] == 0.25, release
                    assert release["parameters"]["sensitivity"] == sensitivity and release["parameters"]["kind"] == kind
                    assert release["parameters"]["neighbours"] == neighbours
    assert "--universe" in folder.refused("top", "numbers.dat", "-k", 2, "--universe", "1..4", "--kind", "general", *PLENTY)
    # With gaps the estimates are better than the measurements alone.
    gaps = folder.json("top", "numbers.dat", "-k", 2, "--items-are-public", "--estimator", "linear", *PLENTY)
    alone = folder.json("top", "numbers.dat", "-k", 2, "--items-are-public", "--classic", *PLENTY)
    assert gaps["winners"][0]["standard_error"] < 0.9 * alone["winners"][0]["standard_error"], (gaps, alone)
    # A table says what is protected.
    for neighbours, words in (("add-remove", "Presence of one transaction protected"), ("replace", "Exchange of one transaction protected")):
        table = folder.good("top", "numbers.dat", "-k", 2, "--items-are-public", "--neighbours", neighbours, "--format", "table", *PLENTY)
        assert words in table, table


def input_formats(folder):
    """What --input-format says is what is read, whatever the file is called, and from standard input."""
    dat = b"a b\na\n" * 20
    csv_table = b"item,count\na,40\n\"b,c\",20\n"
    files = {"dat": dat, "dat.gz": gzip.compress(dat), "csv": csv_table, "tsv": csv_table.replace(b",", b"\t", 1).replace(
        b"a,40", b"a\t40").replace(b"\"b,c\",20", b"b,c\t20")}
    if shutil.which("zstd"):
        files["dat.zst"] = subprocess.run(["zstd", "-c"], input=dat, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    for form, content in files.items():
        folder.write("data", content)
        other = "b" if form.startswith("dat") else "b,c"
        for source in ("data", "-"):
            with (folder.path / "data").open("rb") as file:
                result = subprocess.run([PROGRAM, "count", source, "--input-format", form, "--format", "json"], cwd=folder.path, stdin=file,
                                        capture_output=True, check=False)
            assert result.returncode == 0, (form, source, result)
            assert [(row["item"], row["count"]) for row in json.loads(result.stdout)["counts"]] == [("a", 40), (other, 20)], (form, result)
    folder.write("data", dat)
    for packed in ("dat.gz", "dat.zst"):
        assert "not compressed" in folder.refused("count", "data", "--input-format", packed)


def names(folder):
    """Names given on the command line are names as they stand in the data."""
    command = ["measure", "four.dat", *PLENTY, "--items"]
    check_values(folder.json(*command, "a,b")["measurements"], {"a": 700, "b": 600})
    for bad in (" a ,b", "a, ,b", "a\x07", "x" * 1025, "a,\u0085"):
        folder.refused(*command, bad)
    folder.json(*command, "x" * 1024)
    folder.write("names.txt", "c\nd\n")
    both = folder.json("measure", "four.dat", *PLENTY, "--item-name", "a", "--items-file", "names.txt")
    check_values(both["measurements"], {"a": 700, "c": 500, "d": 400})


def charges(folder):
    """Who asks is charged for all that may be spent, under their own unit and neighbours; what was not spent comes back."""
    books = ["--ledger", "c.db"]
    for name, unit, neighbours in (("d", "transaction", "add-remove"), ("e", "person", "add-remove"), ("f", "transaction", "replace")):
        folder.call("budget", "create", *books, "--dataset", name, "--epsilon", "10", "--unit", unit, "--neighbours", neighbours)

    def last():
        return json.loads(folder.good("budget", "history", *books, "--format", "json").splitlines()[-1])

    ask = ["measure", "four.dat", "--items", "a", "--epsilon", "1", *books, "--dataset"]
    assert "unit" in folder.refused(*ask, "e")
    assert "neighbours" in folder.refused(*ask, "f") and "neighbours" in folder.refused(*ask, "d", "--neighbours", "replace")
    # Of a stream that cannot be paid for no line is answered.
    stream = ["above", "-", "--threshold", "5", "-k", 2, "--unit", "transaction", "--sensitivity", "1", *books, "--dataset", "d"]
    assert "left 10 of 10" in folder.refused(*stream, "--epsilon", "11", stdin="one,9\n")
    assert folder.good("budget", "history", *books, "--format", "json") == ""
    top = folder.json("top", "four.dat", "-k", 2, "--items-are-public", "--epsilon", "1", *books, "--dataset", "d")
    assert last()["reserved"] == "1" == last()["spent"] and top["ledger"] == {"entry": 1, "remaining": "9"}, (last(), top)
    none = folder.json("top", "four.dat", "-k", 2, "--above", "99999", "--items-are-public", "--epsilon", "1", *books, "--dataset", "d")
    assert last()["reserved"] == "1" and last()["spent"] == none["epsilon"]["spent"] == "1/4" and none["epsilon"]["measurement"] == "0"
    assert none["ledger"]["remaining"] == "35/4", none
    # A line without its end may be cut off, and is not answered.
    cut_off = [json.loads(line) for line in folder.good(*stream, "--epsilon", "1", "--format", "json", stdin="a,-900\nb,9").splitlines()]
    assert [row.get("line") for row in cut_off] == [None, 2, None] and "line feed" in cut_off[1]["error"], cut_off
    # A process that dies leaves an entry that is charged in full.
    with subprocess.Popen([PROGRAM, *map(str, stream), "--epsilon", "2"], cwd=folder.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as dying:
        dying.stdin.write("a,-900\n")
        dying.stdin.flush()
        dying.stdout.readline()
        dying.kill()
    assert (last()["status"], last()["reserved"], last()["spent"]) == ("unfinished", "2", None), last()
    assert "unfinished" in folder.refused("budget", "show", last()["entry"], *books)
    assert folder.json("budget", "show", *books, "--dataset", "d")["reserved"] == "2"
    # A stream whose input cannot be read is a fault of the machine, and is settled.
    unreadable = os.open(folder.path, os.O_RDONLY)
    result = subprocess.run([PROGRAM, *map(str, stream), "--epsilon", "1"], cwd=folder.path, stdin=unreadable, capture_output=True, check=False)
    os.close(unreadable)
    assert result.returncode == 3 and b"cannot read" in result.stderr and last()["status"] == "settled", result
    # A release that cannot be shown is a fault of the machine, and is safe.
    with open("/dev/full", "wb") as full:
        result = subprocess.run([PROGRAM, *map(str, ask), "d"], cwd=folder.path, stdout=full, stderr=subprocess.PIPE, check=False)
    assert result.returncode == 3 and b"budget show" in result.stderr and last()["status"] == "settled", result


def simulations(folder):
    """As many runs as asked for, each with noise of its own, the same for the same seed."""
    command = ["simulate", "measure", "four.dat", "--items", "a,b", "--epsilon", "1", "--runs", 3, "--seed"]
    runs = [json.loads(line) for line in folder.good(*command, 5).splitlines()]
    assert [run["simulated"] for run in runs] == [{"seed": 5, "run": run} for run in (1, 2, 3)]
    assert len({run["measurements"][0]["measured_ticks"] for run in runs}) == 3, runs
    assert folder.good(*command, 5) == folder.good(*command, 5) != folder.good(*command, 6)


def shapes(folder):
    """Numbers and shares on the command line are what they look like, or refused."""
    top = ["top", "four.dat", "--items-are-public", *PLENTY]
    for bad in ("0", "-1", "1x", "x", "1.0", "01", ""):
        assert "-k" in folder.refused(*top, "-k", bad), bad
    for bad in ("1", "-0.1", "1.5", "x"):
        assert "--measure" in folder.refused(*top, "-k", 1, "--measure", bad), bad
    assert "-k: it must be at most 1000000" in folder.refused("top", "four.dat", "-k", 1_000_001, "--universe", "0..9999999", *PLENTY)


def plans(folder):
    """A plan promises the errors that the release then states, for every declaration; those of estimates on average."""

    def same(one, other):
        assert abs(one / other - 1) < 1e-4, (one, other)

    for options in ([], ["--noise", "laplace"], ["--kind", "general"], ["--sensitivity", "3"], ["--measure", "0.25"],
                    ["--neighbours", "replace"]):
        plan = folder.json("plan", "top", "-k", 2, "--epsilon", "900", *options)
        release = folder.json("top", "four.dat", "-k", 2, "--items-are-public", *options, *PLENTY)
        same(plan["gap_error"], release["noise"]["scale"] * (2 if "laplace" in options else math.sqrt(2)))
        same(plan["measured_error"], release["measurement"]["scale"] * math.sqrt(2))
        for winner in release["winners"]:
            assert 0.2 < winner["standard_error"] / plan["estimate_error"] < 10, (winner, plan["estimate_error"])
        assert plan["estimate_error"] < plan["measured_error"]
        same(plan["mse_reduction"], 1 - (plan["estimate_error"] / plan["measured_error"]) ** 2)
        reached = folder.json("plan", "top", "-k", 2, "--target-error", plan["estimate_error"], *options)
        same(float(Fraction(reached["epsilon"])), 900)
    for options in ([], ["--noise", "laplace"], ["--theta", "1/4"], ["--measure", "0.25"], ["--kind", "general"],
                    ["--noise", "geometric", "--sensitivity", "150"]):
        plan = folder.json("plan", "above", "-k", 2, "--epsilon", "900", "--distance", "100", *options)
        release = folder.json("above", "four.dat", "-k", 2, "--threshold", "450", "--items-are-public", *options, *PLENTY)
        assert plan["theta"] == release["theta"] and plan["expected_answers"] == 2, (plan, release["theta"])
        for answer in release["answers"]:
            if answer["above"] and plan["measured_error"] is None:
                same(plan["estimate_error"], answer["standard_error"])
            elif answer["above"]:
                assert 0.2 < answer["standard_error"] / plan["estimate_error"] < 10, (answer, plan["estimate_error"])
    assert folder.json("plan", "top", "-k", 2, "--epsilon", 1, "--measure", "0.25")["parameters"]["measure"] == "1/4"
    # What measures is no part of the budget that the threshold shares: on ticks the best share depends on it.
    ticks = ["-k", 2, "--noise", "geometric", "--measure", "1/2"]
    plan = folder.json("plan", "above", *ticks, "--epsilon", 40)
    release = folder.json("above", "four.dat", *ticks, "--threshold", "450", "--items-are-public", "--epsilon", 40, "--no-ledger")
    assert plan["theta"] == release["theta"] != folder.json("plan", "above", *ticks, "--epsilon", 80)["theta"], (plan, release)
    assert folder.json("plan", "above", "-k", 2, "--epsilon", "900", "--distance", "100", "--adaptive", "--branches", "2")[
        "expected_answers"] == 4
    for form in ("csv", "csv-safe"):
        [row] = csv.DictReader(io.StringIO(folder.good("plan", "above", "-k", 2, "--epsilon", "900", "--format", form)))
        plan = folder.json("plan", "above", "-k", 2, "--epsilon", "900")
        for name, field in row.items():
            assert plan[name] is None if field == "" else field_value(field, plan[name]) == plan[name], (name, field, plan[name])
    # The budget for an error suffices for it, and hardly exceeds what it takes.
    for verb in ("top", "above"):
        for error in (1, 7, 50):
            plan = folder.json("plan", verb, "-k", 2, "--target-error", error)
            assert 0.9999 * error < plan["estimate_error"] <= error, plan
    # A first branch that is further off answers less often, whatever the distance.
    adaptive = ["plan", "above", "-k", 10, "--epsilon", "0.7", "--adaptive", "--distance", 50, "--sigma"]
    near_branch, far_branch = (folder.json(*adaptive, sigma) for sigma in (1, 4))
    assert near_branch["parameters"]["sigma"] == 1 and far_branch["parameters"]["sigma"] == 4
    assert near_branch["expected_answers"] > far_branch["expected_answers"] + 1, (near_branch, far_branch)
    for bad in ([], ["--epsilon", "1", "--target-error", "1"], ["--target-error", "0"], ["--target-error", "1e-9"]):
        folder.refused("plan", "top", "-k", 2, *bad)
    for form in ("csv", "csv-safe"):
        [row] = csv.DictReader(io.StringIO(folder.good("plan", "top", "--epsilon", "1", "--target-error", "50", "--format", form)))
        assert (row["winners"], row["winners_whatever_the_data"]) == ("31", "17"), row


def confidence(folder):
    """A wider interval for more confidence, and it is the one that was asked for."""
    widths = []
    for level in ("0.5", "0.9", "0.99"):
        measured = folder.json("measure", "four.dat", "--items", "a", "--confidence", level, *PLENTY)
        assert measured["parameters"]["confidence"] == float(level)
        low, high = measured["measurements"][0]["interval"]
        widths.append(high - low)
    # Laplace of scale 1/900: P(|X| <= t) = 1 - exp(-900 t).
    for width, tail in zip(widths, (0.5, 0.1, 0.01), strict=True):
        assert abs(width / 2 * 900 / -math.log(tail) - 1) < 0.05, (width, tail)
    # A level that is none is refused for every verb, also for those that need it only after the noise was drawn.
    verbs = (["measure", "four.dat", "--items", "a"], ["top", "four.dat", "-k", 1, "--items-are-public"],
             ["choose", "four.dat", "--items-are-public"], ["above", "four.dat", "-k", 1, "--threshold", 9, "--items-are-public"],
             ["above", "-", "-k", 1, "--threshold", 9, "--sensitivity", "1"])
    for verb in verbs:
        for bad in ("0", "1", "-0.5", "1.5", "95"):
            assert "--confidence: it must be above 0 and below 1" in folder.refused(*verb, "--confidence", bad, *PLENTY, stdin=""), (verb, bad)


def streams(folder):
    """Each line is answered by itself, under its own name; what was shown is what is stored."""
    folder.call("budget", "create", "--ledger", "s.db", "--dataset", "s", "--epsilon", "1000", "--unit", "row")
    ledger = ["--ledger", "s.db", "--dataset", "s"]
    command = ["above", "-", "--threshold", "100", "-k", 3, "--epsilon", "900", "--unit", "row", "--sensitivity", "1"]
    longest = "x" * 1024
    lines = ["a,b, 300 ", " two ,-5", f"{longest},200.5", f"{longest}x,900", "bell\x07,900", "name", "name,", "name,1e400x", " ,7",
             "five,1e1", "six,+400\r", "seven,500"]
    objects = [json.loads(line) for line in
               folder.good(*command, "--kind", "general", *ledger, "--format", "json", stdin="\n".join(lines) + "\n").splitlines()]
    *answers, end = objects
    assert [answer.get("query", answer.get("line")) for answer in answers] == ["a,b", "two", longest, 4, 5, 6, 7, 8, 9, "five", "six"]
    values = {"a,b": 300, longest: 200.5, "six": 400}
    passed = [answer for answer in answers if answer.get("above")]
    check_values(passed, values, "query")
    for answer in passed:
        near(answer["gap"], values[answer["query"]] - 100)
    assert [answer["above"] for answer in answers if "query" in answer] == [True, False, True, False, True]
    assert end["stopped"] == "budget" and "answers" not in end and Fraction(end["epsilon"]["spent"]) == 900
    stored = folder.json("budget", "show", 1, "--ledger", "s.db")
    assert stored.pop("answers") == [answer for answer in answers if "query" in answer]
    end["ledger"].pop("remaining")
    assert stored == end
    # Counts are whole and not negative; other whole numbers may be.
    for kind, noise, good in (("counts", "exponential", ["3", "4.0"]), ("general", "geometric", ["3", "4.0", "-1"]),
                              ("general", "exponential", ["3", "4.0", "-1", "1.5"])):
        text = "".join(f"{number},{number}\n" for number in ("3", "4.0", "-1", "1.5", "nan", "0x1"))
        told = folder.good(*command, "--kind", kind, "--noise", noise, "--no-ledger", "--format", "json", stdin=text).splitlines()[:-1]
        assert [row["query"] for row in map(json.loads, told) if "query" in row] == good, (kind, noise, told)
    # As CSV and as a table.
    text = "low,1\nwrong\nhigh,300\n"
    result = folder.call(*command, "--kind", "general", "--no-ledger", "--format", "csv", stdin=text)
    low, wrong, high = csv.DictReader(io.StringIO(result.stdout))
    assert (low["query"], low["above"], low["gap"], low["error"]) == ("low", "false", "", ""), low
    assert wrong["query"] == "" and wrong["error"].startswith("line 2: "), wrong
    assert (high["query"], high["above"], high["branch"]) == ("high", "true", "1"), high
    near(float(high["gap"]), 200)
    near(float(high["estimate"]), 300)
    result = folder.call(*command, "--kind", "general", "--no-ledger", "--format", "table", stdin=text)
    assert result.stdout.splitlines()[0] == "low: below" and "high: above by " in result.stdout, result


def formats(folder):
    """A stored release says the same as JSON, as CSV and again: every column has its own number."""
    folder.call("budget", "create", "--ledger", "f.db", "--dataset", "d", "--epsilon", "1000", "--unit", "transaction")
    verbs = ((["top", "-k", 2, "--items-are-public"], "winners"), (["top", "-k", 2, "--above", "550", "--items-are-public"], "winners"),
             (["above", "-k", 2, "--threshold", "550", "--measure", "0.5", "--items-are-public"], "answers"),
             (["measure", "--items", "b,a"], "measurements"), (["choose", "--items-are-public"], None))
    for entry, ((verb, *options), rows) in enumerate(verbs, start=1):
        shown = folder.json(verb, "four.dat", *options, "--epsilon", "100", "--ledger", "f.db", "--dataset", "d")
        again = folder.json("budget", "show", entry, "--ledger", "f.db")
        assert shown["ledger"].pop("remaining") and shown == again, (shown, again)
        table = csv.DictReader(io.StringIO(folder.good("budget", "show", entry, "--ledger", "f.db", "--format", "csv")))
        for row, flat in zip([again] if rows is None else again[rows], table, strict=True):
            low, high = row.get("interval") or (None, None)
            for name, field in flat.items():
                value = {"interval_low": low, "interval_high": high}.get(name, row.get(name))
                assert value is None if field == "" else field_value(field, value) == value, (verb, name, field, value)


def budgets(folder):
    """A data set's history, balance and export are its own."""
    books = ["--ledger", "two.db"]
    for name, unit in (("x", "transaction"), ("y", "transaction")):
        assert folder.call("budget", "create", *books, "--dataset", name, "--epsilon", "10", "--unit", unit).returncode == 0
    for name, epsilon in (("x", "1"), ("y", "2"), ("x", "3"), ("y", "1/3")):
        folder.json("measure", "four.dat", "--items", "a", "--epsilon", epsilon, *books, "--dataset", name)

    def lines(*arguments):
        return [json.loads(line) for line in folder.good("budget", *arguments, *books, "--format", "json").splitlines()]

    assert [(row["entry"], row["dataset"], row["spent"]) for row in lines("history")] == [
        (1, "x", "1"), (2, "y", "2"), (3, "x", "3"), (4, "y", "1/3")]
    assert [row["entry"] for row in lines("history", "--dataset", "y")] == [2, 4]
    assert [(row["dataset"], row["spent"], row["reserved"], row["remaining"]) for row in lines("show")] == [
        ("x", "4", "0", "6"), ("y", "7/3", "0", "23/3")]
    assert [row["remaining"] for row in lines("show", "--dataset", "y")] == ["23/3"]
    assert lines("show", 3, "--dataset", "x")[0]["epsilon"]["spent"] == "3"
    assert "another data set" in folder.refused("budget", "show", 3, *books, "--dataset", "y")
    for bad in (0, 5, -1):
        folder.refused("budget", "show", bad, *books)
    for verb in ("show", "history", "export"):
        folder.refused("budget", verb, *books, "--dataset", "z")
    exported = json.loads(folder.good("budget", "export", *books, "--dataset", "y"))
    assert [row["entry"] for row in exported["entries"]] == [2, 4] and [row["dataset"] for row in exported["datasets"]] == ["y"]
    table = list(csv.DictReader(io.StringIO(folder.good("budget", "export", *books, "--format", "csv"))))
    assert [(row["entry"], row["reserved"]) for row in table] == [("1", "1"), ("2", "2"), ("3", "3"), ("4", "1/3")]
    assert json.loads(table[3]["release"])["epsilon"]["spent"] == "1/3" and json.loads(table[3]["parameters"])["items"] == ["a"]


def counting(folder):
    """Exact counts, the largest first and equal ones by name, in every format; malformed records only if they are to be skipped."""
    folder.write("few.dat", "b a\nc\na b\n\xff".encode("latin-1") + b"\na d\n")
    assert "line 4" in folder.refused("count", "few.dat")
    expected = [("a", 3), ("b", 2), ("c", 1), ("d", 1)]

    def output(form):
        result = folder.call("count", "few.dat", "--skip-bad-records", "--format", form)
        assert result.returncode == 0 and "not private" in result.stderr, result
        return result.stdout

    document = json.loads(output("json"))
    assert [(row["item"], row["count"]) for row in document["counts"]] == expected
    assert document["records"] == 4 and document["unit"] == "transaction" and document["private"] is False
    assert [(row["item"], int(row["count"])) for row in csv.DictReader(io.StringIO(output("csv")))] == expected
    assert [tuple(line.split()) for line in output("table").splitlines()[1:]] == [(str(count), item) for item, count in expected]
    # Names come back from CSV as they are.
    tricky = ['say "hi"', "a, b", '"', ",", "=1+1", "plain", 'x""y']
    quoted = "".join('"' + name.replace('"', '""') + f'",{count}\n' for count, name in enumerate(tricky, start=1))
    folder.write("tricky.csv", "item,count\n" + quoted)
    result = folder.call("count", "tricky.csv", "--format", "csv")
    assert [row["item"] for row in csv.DictReader(io.StringIO(result.stdout))] == tricky[::-1], result
    released = folder.good("top", "tricky.csv", "-k", len(tricky), "--unit", "visit", "--items-are-public", *PLENTY, "--format", "csv")
    assert [row["item"] for row in csv.DictReader(io.StringIO(released))] == tricky[::-1], released
    checked = folder.json("count", "few.dat", "--check")
    assert checked["records"] == 4 and checked["malformed"] == [{"line": 4, "problem": "it is not valid UTF-8"}], checked


def perturbed(folder):
    """Twenty times the noise is noticed: of 200 numbers not all are near, but with probability 0.82^200, below e^-39."""
    expected = {str(i): 5 for i in range(200)}
    folder.write("many.dat", transactions(expected))
    rows = folder.json("measure", "many.dat", "--items", ",".join(expected), "--epsilon", "1000/3", "--no-ledger")
    try:
        check_values(rows["measurements"], expected)
    except AssertionError:
        return
    raise AssertionError("noise of scale 0.6 in 200 numbers was never above 1")


def main():
    parts = [universes, lists, sources, hybrids, choices, shares, sparse_vectors, scales, input_formats, names, charges, simulations, shapes, plans,
             confidence, streams, formats, budgets, counting, perturbed]
    with Folder() as folder:
        for part in parts:
            part(folder)
    print(f"{len(parts)} groups of answers are right")


if __name__ == "__main__":
    main()
