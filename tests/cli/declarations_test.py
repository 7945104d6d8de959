"""What only the user can declare is asked for, before anything is read or spent, and what was declared stands in the release
and in the ledger: units, values that are not counts, orders, separators, ranges, candidates. No message repeats a record."""

import json
import re
import shlex
import sqlite3
from fractions import Fraction

from program import Folder

NO = ["--no-ledger"]
ASK = ["--epsilon", "1", *NO]
VALUES = "item,value\nnorth,4000\nsouth,12\n"


def values_are_not_counts(folder):
    """A column that is not named count needs kind and sensitivity, in tables and in queries; one that is named so does not."""
    folder.write("value.csv", VALUES)
    folder.write("utility.csv", VALUES.replace("value", "utility"))
    folder.write("money.csv", VALUES.replace("value", "money"))
    folder.write("count.csv", VALUES.replace("value", "count"))
    with sqlite3.connect(folder.path / "shop.db") as database:
        database.execute("CREATE TABLE t (item, money)")
        database.execute("INSERT INTO t VALUES ('north', 4000)")
    query = ["--sqlite", "shop.db", "--query"]
    sources = (["value.csv"], ["utility.csv"], ["money.csv", "--value", "money"], [*query, "SELECT item, money AS value FROM t"],
               [*query, "SELECT item, money FROM t", "--value", "money"])
    verbs = (["top", "-k", 1, "--items-are-public"], ["top", "-k", 1, "--items-are-public", "--above", 9],
             ["above", "-k", 1, "--threshold", 9, "--items-are-public"], ["measure", "--items", "north"])
    columns = ("value", "utility", "money", "value", "money")
    for source, column in zip(sources, columns):
        for verb, *options in verbs:
            ask = [verb, *source, *options, "--unit", "customer", *ASK]
            for part in ([], ["--kind", "general"], ["--sensitivity", "100"], ["--kind", "counts"]):
                message = folder.refused(*ask, *part)
                assert "values are not counts: say how much one unit can change one of them" in message, message
                assert "--kind general --sensitivity 100" in message and "north" not in message, message
            release = folder.json(*ask, "--kind", "general", "--sensitivity", "100")
            parameters = release["parameters"]
            assert parameters["kind"] == "general" and parameters["sensitivity"] == 100, parameters
            assert parameters["value"] == column and parameters["unit"] == "customer", parameters
    for source in (["count.csv"], ["count.csv", "--value", "count"], [*query, "SELECT item, money AS count FROM t"]):
        for verb, *options in verbs:
            parameters = folder.json(verb, *source, *options, "--unit", "customer", *ASK)["parameters"]
            assert (parameters["kind"], parameters["sensitivity"], parameters["value"]) == ("counts", 1, "count"), parameters
    # Utilities are general, but their sensitivity is said.
    for source, column in zip(sources, columns):
        ask = ["choose", *source, "--items-are-public", "--unit", "customer", *ASK]
        for part in ([], ["--kind", "general"], ["--kind", "counts"]):
            message = folder.refused(*ask, *part)
            assert "values are not counts: say how much one unit can change one of them" in message, message
        parameters = folder.json(*ask, "--sensitivity", "100")["parameters"]
        assert (parameters["kind"], parameters["sensitivity"], parameters["value"]) == ("general", 100, column), parameters
    for source in (["count.csv"], [*query, "SELECT item, money AS count FROM t"]):
        parameters = folder.json("choose", *source, "--items-are-public", "--unit", "customer", *ASK)["parameters"]
        assert (parameters["kind"], parameters["sensitivity"]) == ("general", 1), parameters
    # The names of the items may stand in another column, too.
    folder.write("towns.csv", VALUES.replace("item,value", "town,money"))
    named = folder.json("measure", "towns.csv", "--item", "town", "--value", "money", "--kind", "general", "--sensitivity", "1", "--unit",
                        "customer", "--item-name", "north", "--epsilon", "900", *NO)
    assert round(named["measurements"][0]["measured"]) == 4000, named
    # Where the sensitivity is not on the grid, what was declared stands beside what is used.
    parameters = folder.json("top", "value.csv", "-k", 1, "--items-are-public", "--unit", "customer", "--kind", "general",
                             "--sensitivity", "0.1", *ASK)["parameters"]
    assert parameters["sensitivity"] == 0.1 < parameters["sensitivity_used"] < 0.100002, parameters
    # A stream has no column; its sensitivity is said.
    stream = ["above", "-", "-k", 1, "--threshold", 9, *ASK]
    assert "values are not counts: say how much one unit can change one of them" in folder.refused(*stream, stdin="a,1\n")
    end = json.loads(folder.good(*stream, "--sensitivity", 5, "--format", "json", stdin="a,1\n").splitlines()[-1])
    assert end["parameters"]["sensitivity"] == 5 and end["parameters"]["kind"] == "general", end


def the_ledger_keeps_what_was_declared(folder):
    ledger = ["--ledger", "declared.db", "--dataset", "shop"]
    folder.call("budget", "create", *ledger, "--epsilon", "9", "--unit", "customer")
    shown = folder.json("top", "money.csv", "--value", "money", "-k", 1, "--items-are-public", "--unit", "customer", "--kind", "general",
                        "--sensitivity", "100", "--range", "0..5000", "--epsilon", "1", *ledger)
    kept = folder.json("budget", "show", 1, "--ledger", "declared.db")["parameters"]
    expected = {"kind": "general", "sensitivity": 100, "value": "money", "unit": "customer", "range": [0, 5000]}
    assert expected.items() <= kept.items() and kept == shown["parameters"], kept
    stated = json.loads(folder.good("budget", "export", "--ledger", "declared.db"))["entries"][0]["parameters"]
    stated = json.loads(stated) if isinstance(stated, str) else stated
    assert expected.items() <= stated.items(), stated


def units_are_said(folder):
    folder.write("rows.csv", "customer_id,product\nann,tea\nann,tea\nbob,tea\n")
    rows = ["top", "rows.csv", "--item", "product", "-k", 1, "--items-are-public", *ASK]
    message = folder.refused(*rows)
    assert "--unit COLUMN" in message and "--unit row" in message, message
    assert folder.json(*rows, "--unit", "row")["parameters"]["unit"] == "row"
    assert folder.json(*rows, "--unit", "customer_id")["parameters"]["unit"] == "customer_id"
    for verb in (["top", "-k", 1, "--items-are-public"], ["above", "-k", 1, "--threshold", 9, "--items-are-public"],
                 ["measure", "--items", "north"]):
        message = folder.refused(verb[0], "count.csv", *verb[1:], *ASK)
        assert "--unit NAME" in message and "Nothing was spent" in message, message
    # Without a ledger a choice and a stream claim no unit that nobody named; with one it is the data set's.
    choose = ["choose", "utility.csv", "--items-are-public", "--sensitivity", "1", "--epsilon", "1"]
    stream = ["above", "-", "-k", 1, "--threshold", 9, "--sensitivity", "1", "--epsilon", "1"]
    folder.call("budget", "create", "--ledger", "units.db", "--dataset", "shop", "--epsilon", "99", "--unit", "customer", "--column",
                "customer_id")
    ledger = ["--ledger", "units.db", "--dataset", "shop"]
    for command in (choose, stream):
        last = json.loads(folder.good(*command, *NO, stdin="a,1\n").splitlines()[-1])
        assert "unit" not in last["parameters"], last
        last = json.loads(folder.good(*command, *NO, "--unit", "visitor", stdin="a,1\n").splitlines()[-1])
        assert last["parameters"]["unit"] == "visitor", last
        last = json.loads(folder.good(*command, *ledger, stdin="a,1\n").splitlines()[-1])
        assert last["parameters"]["unit"] == "customer", last
        assert "unit" in folder.refused(*command, *ledger, "--unit", "visitor", stdin="a,1\n")
    folder.good(*choose, *NO, "--format", "table")
    # A column that the data set ties to its unit stands for it; another column does not.
    tied = [*rows[:-1], *ledger]
    release = folder.json(*tied, "--unit", "customer_id")
    assert release["parameters"]["unit"] == "customer", release
    assert folder.json("budget", "show", release["ledger"]["entry"], "--ledger", "units.db")["parameters"]["unit"] == "customer"
    # An entry states it from the reservation on, whether it was settled or not.
    stated = [json.loads(line)["parameters"]["unit"] for line in folder.good("budget", "history", "--ledger", "units.db").splitlines()]
    assert stated == ["customer"] * 3, stated
    assert "--unit customer_id" in folder.refused(*tied, "--unit", "row")
    folder.write("other.csv", "customer,product\nann,tea\n")
    assert "--unit customer_id" in folder.refused("top", "other.csv", *tied[2:], "--unit", "customer")
    # No column stands for the rows themselves, and none names a unit that has a meaning of its own.
    for unit, column in (("customer", "row"), ("row", "customer_id"), ("transaction", "customer_id"), ("row", "row")):
        message = folder.refused("budget", "create", "--ledger", "false.db", "--dataset", "shop", "--epsilon", "9", "--unit", unit,
                                 "--column", column)
        assert "--column" in message and not (folder.path / "false.db").exists(), message
    # Ready-made numbers count no rows of their own: a row of theirs is an item.
    for command in (["top", "count.csv", "-k", 1, "--items-are-public"], ["measure", "count.csv", "--items", "north"],
                    ["top", "--sqlite", "shop.db", "--query", "SELECT item, money AS count FROM t", "-k", 1, "--items-are-public"],
                    ["choose", "utility.csv", "--items-are-public", "--sensitivity", "1"]):
        message = folder.refused(*command, "--unit", "row", *ASK)
        assert "--unit NAME" in message and "Nothing was spent" in message, message
    # Data that is not secret needs none.
    folder.good("simulate", *rows[:-1], "--seed", 1)
    folder.good("simulate", "top", "count.csv", "-k", 1, "--epsilon", "1", "--seed", 1)
    assert folder.call("count", "count.csv").returncode == folder.call("count", "rows.csv", "--item", "product").returncode == 0


def all_at_once(folder):
    """What only the user can say is asked for in one message: what values are, their unit, the candidates and the ledger."""
    message = folder.refused("top", "value.csv", "-k", 1, "--epsilon", "1")
    for option in ("--kind general --sensitivity 100", "--unit NAME", "--items-are-public", "--no-ledger"):
        assert option in message, message
    assert message.count("Nothing was spent") == 1, message
    release = folder.json("top", "value.csv", "-k", 1, "--kind", "general", "--sensitivity", "100", "--unit", "customer", "--items-are-public",
                          *ASK)
    assert release["winners"]
    for command in (["choose", "utility.csv"], ["measure", "value.csv", "--items", "north"]):
        message = folder.refused(*command, "--epsilon", "1")
        assert "values are not counts" in message and "--no-ledger" in message, message
    # A file without the columns may be no table at all: then nobody is asked for the unit of its numbers.
    message = folder.refused("top", "baskets.txt", "--input-format", "csv", "-k", 1, "--epsilon", "1")
    assert "--input-format dat" in message and "--unit NAME" not in message, message


def standard_input(folder):
    """It is what "-" means, also where a file has that name."""
    folder.write("-", "no table")
    call = ["top", "-", "--input-format", "csv", "--item", "thing", "--unit", "row", "-k", 1, *ASK, *NO, "--items-are-public"]
    folder.good(*call, stdin="thing\na\nb\na\n")
    (folder.path / "-").unlink()


def orders(folder):
    """The order of counted records would show which came first."""
    folder.write("first.dat", "a b a\n")
    folder.write("second.dat", "b a\n")
    folder.write("ab.txt", "b\na\n")
    above = ["-k", 9, "--threshold", 1, *ASK]
    for data in (["first.dat"], ["second.dat"], ["rows.csv", "--item", "product", "--unit", "row"]):
        message = folder.refused("above", *data, *above, "--items-are-public", "--order", "file")
        assert "--order label" in message, message
        folder.good("above", *data, *above, "--items-are-public", "--order", "label")

    def asked(*options):
        return [answer["query"] for answer in folder.json("above", *options)["answers"]]

    for data in ("first.dat", "second.dat"):  # a public list has an order of its own
        order = asked(data, "-k", 9, "--threshold", 99999, *ASK, "--candidates", "ab.txt", "--order", "file")
        assert order == ["b", "a"], order
    assert asked("count.csv", "-k", 9, "--threshold", 99999, "--unit", "customer", "--items-are-public", "--order", "file",
                 *ASK) == ["north", "south"]
    folder.good("simulate", "above", "first.dat", "-k", 9, "--threshold", 1, "--epsilon", "1", "--order", "file", "--seed", 1)


BASKETS = [["whole milk", "rye bread", "eggs"], ["eggs", "whole milk"], ["tea", "rye bread", "whole milk", "butter"], ["butter", "tea"]]


def attempts(folder, name, shop, separator, *asked):
    """Follows messages alone: whatever options a refusal offers are added as they are written, up to the next blank. How many
    attempts it took until single items were released; baskets never are."""
    most = 3
    folder.write(name, "".join(separator.join(basket) + "\n" for basket in shop))
    items = {item.strip(" ,") for basket in shop for item in basket} - {""}
    command = ["top", name, *asked]
    for attempt in range(1, most + 1):
        result = folder.call(*command, "--format", "json")
        if result.returncode == 0:
            winners = [winner["item"] for winner in json.loads(result.stdout)["winners"]]
            assert len(winners) == asked[1] and set(winners) <= items, (name, winners)
            return attempt
        assert result.returncode == 2 and not result.stdout, result
        assert "Nothing was spent" in result.stderr, result.stderr
        assert not any(item in result.stderr for item in items), f"a message repeats a record: {result.stderr}"
        remedies = [found for remedy in ("--items-are-public", "--no-ledger", r"--input-format dat\b", r"--separator \S+")
                    for found in re.findall(remedy, result.stderr)[:1]]
        assert remedies, result.stderr
        for remedy in remedies:
            words = shlex.split(remedy)
            if words[0] not in command:
                command += words
    raise AssertionError(f"{name} took more than {most} attempts: {result.stderr}")


def baskets(folder):
    """Baskets as a shop exports them, whatever separates their items and whatever the file is called: at most three attempts, by
    following messages alone."""
    many = BASKETS * 50
    taken = {}
    for name, separator in (("baskets.csv", ","), ("baskets.dat", ","), ("spaced.dat", ", "), ("spaced.csv", ", "), ("baskets.txt", ","),
                            ("semicolons.dat", ";"), ("semicolons.csv", ";"), ("bars.csv", "|"), ("tabs.csv", "\t"), ("tabs.dat", "\t"),
                            ("baskets.tsv", "\t"), ("commas.tsv", ","), ("semicolons.tsv", ";")):
        taken[name] = attempts(folder, name, many, separator, "-k", 4, "--epsilon", "100")
    taken["ragged.csv"] = attempts(folder, "ragged.csv", [basket + [""] * (4 - len(basket)) for basket in many], ",", "-k", 4, "--epsilon", "100")
    # Names with commas in them, between semicolons.
    named = [[item.replace(" ", ", ") for item in basket] for basket in many]
    taken["names.csv"] = attempts(folder, "names.csv", named, ";", "-k", 4, "--epsilon", "100")
    # The first command of somebody who knows nothing yet: the twenty most frequent of a comma-separated file.
    shop = [[f"product {(i * 7 + j * j) % 40}" for j in range(1 + i % 6)] for i in range(600)]
    for name, separator in (("shop.csv", ","), ("shop_semicolons.csv", ";"), ("shop.dat", ",")):
        taken[name] = attempts(folder, name, shop, separator, "-k", 20, "--epsilon", "1")
    # The same under a ledger: refusals cost nothing.
    folder.call("budget", "create", "--ledger", "baskets.db", "--dataset", "shop", "--epsilon", "2", "--unit", "transaction")
    command = ["top", "shop.csv", "-k", 20, "--epsilon", "1", "--ledger", "baskets.db", "--dataset", "shop"]
    assert "--items-are-public" in folder.refused(*command)
    assert "--separator ','" in folder.refused(*command, "--items-are-public", "--input-format", "dat")
    release = folder.json(*command, "--items-are-public", "--input-format", "dat", "--separator", ",")
    assert len(release["winners"]) == 20 and all(winner["item"].startswith("product ") for winner in release["winners"])
    assert Fraction(release["ledger"]["remaining"]) == 1
    # A table whose columns are separated by something else is no list of baskets.
    folder.write("columns.csv", "customer;product\nann;tea\n")
    message = folder.refused("top", "columns.csv", "--item", "product", "--unit", "customer", "-k", 1, "--items-are-public", *ASK)
    assert "semicolons separate its columns" in message and "--input-format dat" not in message, message
    folder.write("tabbed.csv", "customer\tproduct\nann\ttea\n")
    rows = ["top", "tabbed.csv", "--item", "product", "--unit", "customer", "-k", 1, "--items-are-public", *ASK]
    assert "--input-format tsv" in folder.refused(*rows)
    folder.good(*rows, "--input-format", "tsv")
    # Where messages must not depend on records nothing is refused.
    folder.good("top", "baskets.dat", "-k", 1, "--items-are-public", "--skip-bad-records", *ASK)
    return taken


def separators(folder):
    folder.write("s.dat", 'a;"b;c"\nb; a \n')
    counts = json.loads(folder.call("count", "s.dat", "--separator", ";", "--format", "json").stdout)["counts"]
    assert {row["item"]: row["count"] for row in counts} == {"a": 2, "b;c": 1, "b": 1}, counts
    folder.write("t.dat", "ice cream\ttea\n")
    for written in ("tab", "\\t", "\t"):
        counts = json.loads(folder.call("count", "t.dat", "--separator", written, "--format", "json").stdout)["counts"]
        assert {row["item"] for row in counts} == {"ice cream", "tea"}, (written, counts)
    for wrong in ("", ",,", "x", "7", '"', "é", "\n"):
        assert "--separator" in folder.refused("count", "s.dat", "--separator", wrong), wrong
    assert "--input-format dat" in folder.refused("count", "rows.csv", "--item", "product", "--separator", ",")


def names_to_measure(folder):
    folder.write("wide.csv", 'item,count\n"bread, white",400\n"=odd",7\ntea,50\n')
    folder.write("names.txt", "bread, white\ntea\n")
    measure = ["measure", "wide.csv", "--unit", "customer", "--epsilon", "900", *NO]

    def measured(*options):
        return {row["item"]: round(row["measured"]) for row in folder.json(*measure, *options)["measurements"]}

    assert measured("--item-name", "bread, white", "--item-name", "=odd") == {"bread, white": 400, "=odd": 7}
    assert measured("--items-file", "names.txt") == {"bread, white": 400, "tea": 50}
    assert measured("--items", "tea,=odd", "--item-name", "bread, white") == {"tea": 50, "=odd": 7, "bread, white": 400}
    assert "name each item once" in folder.refused(*measure, "--items", "tea", "--items-file", "names.txt")
    for split in ("bread, white", "bread ,white", "tea, =odd", "tea,bread,\twhite"):
        message = folder.refused(*measure, "--items", split)
        assert "--item-name" in message and "Nothing was spent" in message, message
    message = folder.refused(*measure)
    assert "--item-name NAME" in message and "--items-file FILE" in message, message
    # A name that is no declared candidate is refused: measured, it would be noise around 0.
    assert measured("--candidates", "names.txt", "--item-name", "bread, white") == {"bread, white": 400}
    assert '"white" is not in the list' in folder.refused(*measure, "--candidates", "names.txt", "--items", "tea,white")
    assert "is not an id" in folder.refused(*measure, "--universe", "0..9", "--items", "3,10")
    assert measured("--universe", "0..9", "--items", "0,9") == {"0": 0, "9": 0}


def universes(folder):
    """Both ends of a universe count, for every verb; ids beyond do not. A wrong winner has probability below exp(-1000)."""
    folder.write("ends.dat", "0 9 10 -1\n" * 400 + "5\n")
    top = {winner["item"] for winner in folder.json("top", "ends.dat", "-k", 2, "--universe", "0..9", "--epsilon", "900", *NO)["winners"]}
    assert top == {"0", "9"}, top
    for size in ("0..9", "0..9223372036854775806"):
        release = folder.json("above", "ends.dat", "-k", 4, "--threshold", 200, "--universe", size, "--epsilon", "900", *NO)
        expected = {"0", "9"} if size == "0..9" else {"0", "9", "10"}
        assert {answer["query"] for answer in release["answers"]} == expected, release
        assert all(answer["above"] for answer in release["answers"]) and release["stopped"] == "input", release
        assert release["parameters"]["candidates"] == "universe" and release["parameters"]["order"] == "random", release
        assert release["parameters"]["answers"] == "above", release
        assert "asked" not in release and "asked" not in release["parameters"], release
    limited = ["above", "ends.dat", "--threshold", 200, "--universe", "0..9", "--epsilon", "900", *NO]
    assert folder.json(*limited, "-k", 1)["stopped"] == "budget"
    assert folder.json(*limited, "-k", 2, "--stop-after", 1)["stopped"] == "stop_after"
    # A clear answer costs half; then another such can be paid for, and the most expensive one cannot.
    for rule, found in (("paper", 1), ("afford", 2)):
        stopped = folder.json(*limited, "-k", 1, "--adaptive", "--stop-rule", rule)
        assert (len(stopped["answers"]), stopped["stopped"]) == (found, "budget"), (rule, stopped)
    adaptive = folder.json(*limited, "-k", 2, "--adaptive", "--measure", "0.5")
    assert {round(answer["measured"]) for answer in adaptive["answers"]} == {400}, adaptive
    table = folder.good(*limited, "-k", 2, "--format", "table")
    assert "2 ids found above 200" in table and all(len(line) <= 80 for line in table.splitlines()), table
    assert "random order" in folder.refused(*limited, "-k", 2, "--order", "label")
    assert "--kind counts" in folder.refused(*limited, "-k", 2, "--kind", "general")


def ranges(folder):
    """Large numbers are clamped nowhere without a word: at the declared range, or at a limit that the release states."""
    folder.write("large.csv", "item,value\nbig,1e12\nsmall,-7\n")
    measure = ["measure", "large.csv", "--items", "big,small,none", "--kind", "general", "--sensitivity", "1", "--unit", "customer",
               "--epsilon", "60", *NO]
    plain = folder.json(*measure)
    assert plain["parameters"]["limit"] == 2**36 and "range" not in plain["parameters"], plain["parameters"]
    assert abs(plain["measurements"][0]["measured"] - 2**36) < 9, plain
    wide = folder.json(*measure, "--range", "-10..1e13")
    assert wide["parameters"]["range"] == [-10, 10**13] and "limit" not in wide["parameters"], wide["parameters"]
    assert [round(row["measured"], -1) for row in wide["measurements"]] == [10**12, -10 if wide["measurements"][1]["measured"] < -5 else 0, 0], wide
    narrow = folder.json(*measure, "--range", "1/2..100")
    assert abs(narrow["measurements"][0]["measured"] - 100) < 9 and abs(narrow["measurements"][2]["measured"] - 0.5) < 9, narrow
    # An item that is not in the data counts as the number in the range that is nearest to 0, whole numbers and others.
    folder.write("large.txt", "big\nsmall\nnone\n")
    folder.write("range.csv", "item,count\nbig,900\n")
    whole = ["range.csv", "--unit", "customer", "--epsilon", "60", *NO]
    for source, names in (([*measure[:2]], measure[4:]), (["measure", whole[0]], whole[1:])):
        rows = folder.json(*source, "--items", "big,small,none", *names, "--range", "500..600")["measurements"]
        assert all(abs(row["measured"] - value) < 9 for row, value in zip(rows, (600, 500, 500), strict=True)), rows
    # Of a universe they count 0, whatever the range.
    folder.write("ids.csv", "item,count\n3,900\n")
    universe = ["top", "ids.csv", *whole[1:], "-k", 1, "--universe", "0..9", "--range"]
    for apart in ("500..600", "1..600"):
        assert "it must hold 0" in folder.refused(*universe, apart)
    assert abs(folder.json(*universe, "0..600")["winners"][0]["measured"] - 600) < 9
    winners = folder.json("top", *whole, "-k", 3, "--candidates", "large.txt", "--range", "500..600")["winners"]
    assert all(abs(row["measured"] - (600 if row["item"] == "big" else 500)) < 9 for row in winners), winners
    assert "100, as declared" in folder.good(*measure, "--range", "1/2..100", "--format", "table")
    assert "±6.87" in folder.good(*measure, "--format", "table") or "68719476736" in folder.good(*measure, "--format", "table")
    assert "too wide" in folder.refused(*measure, "--range", "0..1e30")
    for wide in ("0..4e15", "-4e15..0", "-4e15..4e15"):
        assert "too wide for the grid of the noise" in folder.refused(*measure, "--range", wide, "--tick", "1/1048576"), wide
    for wrong in ("5", "5..4", "a..b", "..", "0..nan"):
        assert "--range" in folder.refused(*measure, "--range", wrong), wrong
    for verb in (["top", "-k", 1, "--items-are-public"], ["above", "-k", 1, "--threshold", 9, "--items-are-public"],
                 ["choose", "--items-are-public"]):
        ask = [verb[0], "large.csv", *verb[1:], "--kind", "general", "--sensitivity", "1", "--unit", "customer", *ASK]
        assert folder.json(*ask)["parameters"]["limit"] == 2**36
        assert folder.json(*ask, "--range", "0..1e9")["parameters"]["range"] == [0, 10**9]
    stream = ["above", "-", "-k", 1, "--threshold", 5e11, "--sensitivity", "1", "--epsilon", "60", *NO]
    lines = folder.good(*stream, stdin="big,1e12\n").splitlines()
    assert not json.loads(lines[0])["above"] and json.loads(lines[-1])["parameters"]["limit"] == 2**36, lines
    assert json.loads(folder.good(*stream, "--range", "0..1e13", stdin="big,1e12\n").splitlines()[0])["above"]
    assert "it is for ready-made numbers" in folder.refused("measure", "first.dat", "--items", "a", "--range", "0..5", *ASK)
    folder.write("counts.csv", f"item,count\nbig,{10**18}\nsmall,7\n")
    counts = ["measure", "counts.csv", "--items", "big", "--unit", "customer", *ASK, "--tick", "1/1048576"]
    assert folder.json(*counts)["parameters"]["limit"] == 2**42
    assert f"Numbers beyond {2**42} would be clamped" in folder.good(*counts, "--format", "table")
    # Where winners are measured, the finest grid that may be drawn on decides: that of a single one.
    ready = ["counts.csv", "--unit", "customer", *NO]

    def limit(verb, *options):
        return folder.json(verb, *ready, *options)["parameters"]["limit"]

    finest = limit("measure", "--items", "big", "--epsilon", "1/2")
    assert finest < limit("measure", "--items", "big,small", "--epsilon", "1/2")
    for verb in (["top", "-k", 2], ["top", "-k", 2, "--above", 5], ["above", "-k", 2, "--threshold", 5]):
        assert limit(*verb, "--items-are-public", "--epsilon", 1, "--measure", "1/2") == finest, verb
    assert "clamped" not in folder.good("measure", "first.dat", "--items", "a", *ASK, "--format", "table")
    text = " ".join(folder.good("measure", "--help").split())
    assert "counts are clamped at 2^62 ticks of the noise, other numbers at about 2^36 sensitivities" in text, text


def suggestions(folder):
    for command, meant in ((["tpo", "x.dat"], "top"), (["mesure"], "measure"), (["budget", "sohw"], "show"), (["simulate", "abov"], "above"),
                           (["top", "x.dat", "-k", "1", "--epsilom", "1"], "--epsilon"), (["top", "x.dat", "--univers=0..9"], "--universe"),
                           (["budget", "create", "--leger", "x"], "--ledger"), (["above", "-", "--sensitivty", "1"], "--sensitivity"),
                           (["choose", "x.csv", "--items-are"], "--items-are-public"),
                           (["top", "x.dat", "-K", "3"], "-k"), (["top", "x.dat", "--k", "3"], "-k"), (["TOP", "x.dat"], "top"),
                           (["budget", "show", "--datset", "x"], "--dataset"),
                           (["budget", "show", "--ledger", "x", "--formt", "json"], "--format")):
        message = folder.refused(*command)
        assert f"did you mean {meant}?" in message, (command, message)
    assert "did you mean" not in folder.refused("top", "x.dat", "--zzzzzz", "1")
    assert "did you mean" not in folder.refused("xyzzy")
    assert "did you mean" not in folder.refused("top", "x.dat", "-z", "1")  # one letter for another is no typing error
    assert "did you mean" not in folder.refused("budget", "show", "x", "--ledger", "x")
    assert "did you mean" not in folder.refused("top", "x.dat", "-k", "1")  # nothing is mistyped


def no_message_repeats_a_record(folder):
    secret = "Ann Miller"
    files = {"headless.csv": f"{secret},tests\n{secret},other\n", "quote.csv": f'item,count\n{secret}"x,1\n',
             "fields.csv": f"item,count\n{secret},1,2\n", "number.csv": f"item,count\ntea,{secret}\n",
             "twice.csv": f"item,count\n{secret},1\n{secret},2\n", "bytes.dat": f"{secret} \x01\n",
             "long.dat": secret.replace(" ", "") * 200 + "\n", "commas.dat": f"{secret},b\nc,d\n"}
    for name, text in files.items():
        folder.write(name, text)
        for options in ([], ["--item", "x", "--unit", "y"], ["--value", "z"]):
            if name.endswith(".dat") and options:
                continue
            unit = [] if name.endswith(".dat") or "--unit" in options else ["--unit", "customer"]
            message = folder.refused("top", name, "-k", 1, "--items-are-public", *unit, *options, *ASK)
            assert not any(part in message for part in ("Ann", "Miller", "tests")), (name, message)
    for line in (f"{secret}", f"{secret},x{secret}"):
        out = folder.good("above", "-", "-k", 1, "--threshold", 9, "--sensitivity", 1, *ASK, "--format", "json", stdin=line + "\n")
        assert "Miller" not in out, out


def main():
    parts = [values_are_not_counts, the_ledger_keeps_what_was_declared, units_are_said, standard_input, orders, baskets, all_at_once, separators, names_to_measure,
             universes, ranges, suggestions, no_message_repeats_a_record]
    with Folder() as folder:
        notes = [part(folder) for part in parts]
    print(f"{len(parts)} kinds of declarations are asked for and kept; attempts: {next(note for note in notes if note)}")


if __name__ == "__main__":
    main()
