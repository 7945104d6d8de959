"""--constant-work on every verb that has it: the same answers at a budget so large that noise does not matter, and what is refused."""

from program import Folder

DATA = "\n".join(" ".join(str(item) for item in range(i % 7 + 1)) for i in range(700)) + "\n"
LARGE = ["--epsilon", "1000", "--no-ledger"]
SOURCE = ["data.dat", *LARGE]


def winners(release):
    return [winner["item"] for winner in release["winners"]]


def both(folder, seen, *command, stdin=None):
    """What is seen of a release with and without the option must be the same, and something."""
    plain = seen(folder.json(*command, stdin=stdin))
    assert plain and plain == seen(folder.json(*command, "--constant-work", stdin=stdin)), (command, plain)


def selections(folder):
    folder.write("items.txt", "".join(f"{i}\n" for i in range(40)))
    for candidates in (["--universe", "0..99"], ["--universe=-5..100000"], ["--candidates", "items.txt"]):
        both(folder, winners, "top", *SOURCE, "-k", 4, *candidates)
        for prefer in ("identity", "estimates"):
            both(folder, winners, "top", *SOURCE, "-k", 6, "--above", 250, "--prefer", prefer, *candidates)
        both(folder, lambda release: release["item"], "choose", *SOURCE, "--kind", "counts", *candidates)
    for adaptive in ([], ["--adaptive"]):
        both(folder, lambda release: sorted((answer["query"], answer["above"]) for answer in release["answers"]),
             "above", *SOURCE, "--threshold", 250, "-k", 20, "--candidates", "items.txt", *adaptive)


def measurements(folder):
    both(folder, lambda release: [round(row["measured"]) for row in release["measurements"]],
         "measure", *SOURCE, "--items", "0,3,99")


def streams(folder):
    lines = "a,5\nb,900\nc,499\nd,501\n"
    command = ["above", "-", "--threshold", 500, "-k", 9, *LARGE, "--kind", "counts", "--sensitivity", 1, "--format", "csv"]
    for more in ([], ["--constant-work"]):
        rows = folder.call(*command, *more, stdin=lines).stdout.splitlines()[1:]
        assert [row.split(",")[:2] for row in rows] == [["a", "false"], ["b", "true"], ["c", "false"], ["d", "true"]], rows


# The size of a universe is public: it decides, before anything is drawn or charged.
def refusals(folder):
    for command in (["top", *SOURCE, "-k", 1, "--universe", "0..268435456"],
                    ["top", *SOURCE, "-k", 1, "--above", 1, "--universe", "0..9000000000000000000"],
                    ["choose", *SOURCE, "--kind", "counts", "--universe", "0..16777216"]):
        message = folder.refused(*command, "--constant-work")
        assert "constant" in message and "at most" in message and "smaller universe" in message, message
        folder.good(*command)


with Folder() as folder:
    folder.write("data.dat", DATA)
    selections(folder)
    measurements(folder)
    streams(folder)
    refusals(folder)
print("constant work: the same answers")
