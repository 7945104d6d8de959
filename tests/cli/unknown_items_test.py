"""Items nobody listed: what the program releases, what it never says, what it refuses, and how δ is charged."""

import json
import random
import sqlite3
from fractions import Fraction

from program import Folder

ASK = ["--unknown-items", "--delta", "1e-9", "--max-items", 3, "--epsilon", "1"]
NO = ["--no-ledger"]
ITEMS = 40  # in the data


def make(folder):
    """Two frequent items, each in 5,000 baskets, and a tail of items that one basket each holds."""
    tail = [f"tail{i}" for i in range(ITEMS - 2)]
    baskets = ["tea milk"] * 5000 + tail
    random.Random(1).shuffle(baskets)
    folder.write("shop.dat", "\n".join(baskets) + "\n")
    rows = [f"c{i},{item}" for i, basket in enumerate(baskets) for item in basket.split()]
    folder.write("shop.csv", "customer,product\n" + "\n".join(rows) + "\n")
    folder.write("counts.csv", "item,count\ntea,5000\nmilk,5000\ngone,0\n" + "".join(f"{item},1\n" for item in tail))
    with sqlite3.connect(folder.path / "shop.db") as database:
        database.execute("CREATE TABLE sales (customer, product)")
        database.executemany("INSERT INTO sales VALUES (?, ?)", (row.split(",") for row in rows))


SOURCES = {
    "transactions": ["shop.dat"],
    "rows": ["shop.csv", "--item", "product", "--unit", "customer"],
    "query": ["--sqlite", "shop.db", "--query", "SELECT * FROM sales", "--item", "product", "--unit", "customer"],
}


def check_release(release, k):
    assert release["mechanism"] == "top_k_above" and release["delta"] == "1/1000000000", release
    parameters = release["parameters"]
    assert parameters["candidates"] == "unknown items" and parameters["max_items"] == 3 and parameters["k"] == k, parameters
    assert "candidate_count" not in parameters and "threshold_gap_ticks" not in release, release
    assert release["threshold"]["asked"] is None and release["threshold"]["used"] > 1, release["threshold"]
    assert release["epsilon"]["spent"] == release["epsilon"]["reserved"] == "1", release["epsilon"]
    assert Fraction(release["epsilon"]["selection"]) + Fraction(release["epsilon"]["measurement"]) == 1, release["epsilon"]


def releases(folder):
    """From every source: the frequent items and nothing else, with gaps, estimates and the facts that are public."""
    for k in (2, 10, 1000):  # also more than there are items
        for name, source in SOURCES.items():
            release = folder.json("top", *source, "-k", k, *ASK, *NO)
            check_release(release, k)
            assert {winner["item"] for winner in release["winners"]} == {"tea", "milk"} or k > 10, (name, release)
            for winner in release["winners"]:
                assert winner["interval"][0] <= winner["interval"][1] and winner["gap"] is not None, winner
    ready = ["counts.csv", "--unit", "customer", "--bounded-by", 3]
    release = folder.json("top", *ready, "-k", 2, "--unknown-items", "--delta", "1e-9", "--epsilon", "1", *NO)
    check_release(release, 2)
    assert {winner["item"] for winner in release["winners"]} == {"tea", "milk"}, release
    for prefer in ("identity", "estimates"):
        for noise in ("exponential", "geometric", "laplace"):
            release = folder.json("top", "shop.dat", "-k", 2, *ASK, *NO, "--prefer", prefer, "--noise", noise)
            check_release(release, 2)
            assert {winner["item"] for winner in release["winners"]} == {"tea", "milk"}, (prefer, noise, release)


def nothing_is_an_answer(folder):
    """Data without frequent items, or without any, gives an ordinary answer at the full price."""
    folder.write("rare.dat", "a b\nc\n")
    folder.write("none.dat", "")
    folder.write("none.csv", "customer,product\n")
    seen = set()
    for source in (["rare.dat"], ["none.dat"], ["none.csv", "--item", "product", "--unit", "customer"]):
        release = folder.json("top", *source, "-k", 5, *ASK, *NO)
        check_release(release, 5)
        assert release["winners"] == [], release
        release["parameters"].pop("unit")
        seen.add(json.dumps(release))
    assert len(seen) == 1, seen
    text = folder.good("top", "rare.dat", "-k", 5, *ASK, *NO, "--format", "table")
    assert "Up to 5 items above" in text and ", and δ 1e-09" in text, text


def nothing_tells_how_many(folder):
    """Tables, CSV, pages and rows of the ledger are the same whether 3 items occur or 400, none of which appears."""
    seen = []
    for i, baskets in enumerate((["a b", "c"], [f"x{j}" for j in range(400)])):
        folder.write("data.dat", "\n".join(baskets) + "\n")
        assert folder.call("budget", "create", "--ledger", f"many{i}.db", "--dataset", "d", "--epsilon", "9", "--delta", "1e-8", "--unit", "transaction").returncode == 0
        book = ["--ledger", f"many{i}.db", "--dataset", "d"]
        outputs = [folder.good("top", "data.dat", "-k", 5, *ASK, *book, "--format", how) for how in ("table", "csv", "json")]
        folder.good("top", "data.dat", "-k", 5, *ASK, *NO, "--report", f"page{i}.html")
        page = (folder.path / f"page{i}.html").read_text(encoding="utf-8")
        history = [{**json.loads(line), "time": None} for line in folder.good("budget", "history", *book, "--format", "json").splitlines()]
        seen.append(json.dumps([outputs, page, history]).replace(f"many{i}.db", "many.db").replace(f"page{i}", "page"))
    assert seen[0] == seen[1], [(a, b) for a, b in zip(*map(json.loads, seen)) if a != b]


def thresholds(folder):
    """A threshold of the user's own counts where it is higher; the safe one is that of `plan`."""
    safe = folder.json("top", "shop.dat", "-k", 2, *ASK, *NO)["threshold"]["used"]
    low = folder.json("top", "shop.dat", "-k", 2, *ASK, *NO, "--above", 5)["threshold"]
    high = folder.json("top", "shop.dat", "-k", 2, *ASK, *NO, "--above", 4000)["threshold"]
    assert (low["asked"], low["used"]) == (5, safe) and (high["asked"], high["used"]) == (4000, 4000), (safe, low, high)
    plan = folder.json("plan", "top", "-k", 2, *ASK)
    assert plan["threshold"]["used"] == safe and plan["delta"] == "1/1000000000", plan
    # The figure of docs/proofs/unknown_items.md: ε = 1 selects (as much again measures).
    plan = ["plan", "top", "-k", 10, "--epsilon", 2, "--unknown-items", "--delta", "1e-9", "--max-items", 20]
    assert 235 < folder.json(*plan)["threshold"]["used"] < 245, folder.json(*plan)
    text = folder.good(*plan, "--format", "table")
    assert "An item of 241 units appears about every second time. Items of far fewer can hardly appear, and one of a single unit with probability 1e-09 at most." in text, text


def budgets(folder):
    """δ is charged with ε, and never comes back."""
    book = ["--ledger", "books.db", "--dataset", "shop"]
    created = folder.call("budget", "create", *book, "--epsilon", "3", "--delta", "2e-9", "--unit", "transaction")
    assert created.returncode == 0, created
    folder.write("rare.dat", "a b\nc\n")
    for left in ("1/1000000000", "0"):
        release = folder.json("top", "rare.dat", "-k", 5, *ASK, *book)
        check_release(release, 5)
        balance = folder.json("budget", "show", *book)
        assert balance["delta"]["remaining"] == left, balance
    assert balance["spent"] == "2" and balance["delta"]["spent"] == "1/500000000", balance
    message = folder.refused("top", "rare.dat", "-k", 5, *ASK, *book)
    assert "δ" in message or "delta" in message, message
    assert folder.json("budget", "show", *book) == balance
    folder.json("top", "rare.dat", "-k", 1, "--epsilon", "1", "--items-are-public", *book)  # pure ε is left
    folder.call("budget", "create", "--ledger", "books.db", "--dataset", "pure", "--epsilon", "3", "--unit", "transaction")
    folder.refused("top", "rare.dat", "-k", 5, *ASK, "--ledger", "books.db", "--dataset", "pure")


def simulations(folder):
    """`simulate` draws the same from the same seed, the cut included."""
    call = ["simulate", "top", "shop.dat", "-k", 2, "--unknown-items", "--delta", "1e-9", "--max-items", 1, "--epsilon", "1", "--seed"]
    assert folder.good(*call, 5) == folder.good(*call, 5) != folder.good(*call, 6)
    release = json.loads(folder.good(*call, 5).splitlines()[0])
    # One item of each basket is kept: about half of 5,000.
    assert len(release["winners"]) == 2 and all(2000 < winner["estimate"] < 3000 for winner in release["winners"]), release


def refusals(folder):
    """What cannot be meant is refused before anything is read or spent."""
    folder.write("list", "tea\nmilk\n")
    call = ["top", "shop.dat", "-k", 2, "--epsilon", "1", *NO, "--unknown-items"]
    whole = [*call, "--delta", "1e-9", "--max-items", 3]
    for delta in ("0", "-1e-9", "1", "3/2", "x", "nan", ""):
        assert "--delta" in folder.refused(*call, "--max-items", 3, "--delta", delta)
    assert "--delta" in folder.refused(*call, "--max-items", 3)
    assert "--max-items" in folder.refused(*call, "--delta", "1e-9")
    assert "--max-items" in folder.refused(*call, "--delta", "1e-9", "--max-items", 0)
    for declared in (["--candidates", "list"], ["--universe", "0..9"], ["--items-are-public"]):
        assert "--unknown-items" in folder.refused(*whole, *declared), declared
    assert "--delta" in folder.refused("top", "shop.dat", "-k", 2, "--epsilon", "1", *NO, "--items-are-public", "--delta", "1e-9")
    assert "--neighbours" in folder.refused(*whole, "--neighbours", "replace")
    for bad in (["--kind", "general", "--sensitivity", "1"], ["--sensitivity", "2"]):
        assert "--unknown-items" in folder.refused(*whole, *bad), bad
    assert "--classic" in folder.refused(*whole, "--classic")
    assert "--constant-work" in folder.refused(*whole, "--constant-work")
    assert "--theta" in folder.refused(*whole, "--theta", "1/2")
    ready = ["top", "counts.csv", "--unit", "customer", "-k", 2, "--epsilon", "1", *NO, "--unknown-items", "--delta", "1e-9"]
    assert "--bounded-by" in folder.refused(*ready)
    assert "--bounded-by" in folder.refused(*ready, "--max-items", 3)
    assert "--unknown-items" in folder.refused(*ready, "--bounded-by", 3, "--range", "5..9")
    assert "--max-items" in folder.refused(*whole[:-2], "--bounded-by", 3)
    for part in (["--delta", "1e-9"], ["--unknown-items", "--delta", "1e-9"], ["--unknown-items", "--max-items", 3]):
        folder.refused("plan", "top", "-k", 2, "--epsilon", "1", *part)
    plan = ["plan", "top", "-k", 2, "--epsilon", 1, "--unknown-items", "--delta", "1e-9", "--max-items", 2]
    folder.good(*plan)
    for other in (["--sensitivity", 2], ["--kind", "general"], ["--neighbours", "replace"]):
        assert "--unknown-items" in folder.refused(*plan, *other), other


def main():
    with Folder() as folder:
        make(folder)
        for test in (releases, nothing_is_an_answer, nothing_tells_how_many, thresholds, budgets, simulations, refusals):
            test(folder)
    print("unknown items: what is released, refused and charged")


if __name__ == "__main__":
    main()
