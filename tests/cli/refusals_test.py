"""Every refusal: a call that reaches it, its exit status, the option or file that its message names, and that it says what is wrong.

Nothing is printed and nothing is charged. Other tests reach what needs a fault of the machine (faults_test.py, tests/ledger/fault_test.cpp)."""

import gzip
import json
import shlex
import sqlite3

from ledger_file import added, forge
from options_test import squeezed
from program import Folder

TOP = "top shop.dat -k 1 --epsilon 1 --items-are-public --no-ledger"
NUMBERS = "top counts.csv -k 1 --epsilon 1 --items-are-public --no-ledger --unit visit"
ABOVE = "above shop.dat --threshold 1 -k 1 --epsilon 1 --items-are-public --no-ledger"
STREAM = "above - --threshold 1 -k 1 --epsilon 1 --sensitivity 1 --no-ledger"
MEASURE = "measure shop.dat --epsilon 1 --no-ledger"
CHOOSE = "choose counts.csv --epsilon 1 --items-are-public --no-ledger"
CREATE = "budget create --ledger new.db --dataset d --epsilon 1 --unit customer"
CHARGED = "top shop.dat -k 1 --epsilon 1/10 --items-are-public --ledger books.db --dataset"
SQL = "top --sqlite shop.db -k 1 --epsilon 1 --items-are-public --no-ledger --unit visit --query"

# What is called, and how the message begins after "freegap: ", or what it holds after "...".
REFUSALS = {
    # Numbers.
    f"{TOP} --measure 1": "--measure: it must be at least 0 and below 1",
    f"{TOP} --measure -1/9": "--measure: it must be at least 0 and below 1",
    f"{TOP} --confidence 1": "--confidence: it must be above 0 and below 1",
    f"{TOP} --confidence 0": "--confidence: it must be above 0 and below 1",
    f"{TOP} --threads 1025": "--threads: must be a whole number from 1 to 1024",
    f"{TOP} --threads 0": "--threads: must be a whole number from 1 to 1024",
    f"{TOP} --tick 3": "tick: ",
    f"{TOP} --tick x": "--tick: ",
    f"{TOP} --above x": "--above: ",
    f"{TOP} --sensitivity x": "--sensitivity: ",
    f"{TOP} --sensitivity 0": "--sensitivity: it must be above 0",
    f"{TOP} --sensitivity 1/2": "--sensitivity: whole numbers change by 1 or more",
    f"{TOP} --universe 1..9": "...--items-are-public excludes --universe",
    "top shop.dat -k 1 --epsilon 1 --no-ledger --universe 1..x": "--universe: write two whole numbers, for example 0..999999",
    "top shop.dat -k 1 --epsilon 1 --no-ledger --universe 2..1": "--universe: write two whole numbers",
    "top shop.dat -k 1 --epsilon 1 --no-ledger --universe 0..9 --candidates list": "...--candidates excludes --universe",
    "top shop.dat -k 1 --epsilon 1 --no-ledger --universe 0..9 --kind general": "--universe: ids that are not in the data count 0, so it goes with --kind counts",
    f"{TOP} --candidates list": "...--candidates excludes --items-are-public",
    f"{NUMBERS} --range 5": "--range: write two numbers, for example 0..1000",
    f"{NUMBERS} --range 5..4": "--range: its first end must not be above the second",
    f"{NUMBERS} --range 1/3..2/3": "--range: there is no whole number in it",
    f"{TOP} --range 0..9": "--range: it is for ready-made numbers; what is counted needs none",
    "top ids.csv -k 1 --epsilon 1 --no-ledger --unit visit --universe 0..9 --range 1..2": "--range: ids that are not in the data count 0, so it must hold 0",
    f"{CHOOSE} --unit v --value money --sensitivity 1 --range 0..1e30": "--range: it is too wide for this sensitivity",
    f"{MEASURE} --items 1 --tick 0": "tick: ",
    "simulate top shop.dat -k 1 --epsilon 1": "...--seed is required",
    "simulate top shop.dat -k 1 --epsilon 1 --seed 1 --runs 0": "--runs: must be a whole number from 1 to 2^64 - 1",
    "simulate top shop.dat -k 1 --epsilon 1 --seed -1": "--seed: must be a whole number from 0 to 2^64 - 1",
    "top shop.dat --epsilon 1 --items-are-public --no-ledger": "...-k is required",
    "top shop.dat -k 1 --items-are-public --no-ledger": "...--epsilon is required",
    "above shop.dat -k 1 --epsilon 1 --items-are-public --no-ledger": "...--threshold is required",
    "above shop.dat --threshold 1 --epsilon 1 --items-are-public --no-ledger": "...-k is required",
    "above shop.dat --threshold 1 -k 1 --items-are-public --no-ledger": "...--epsilon is required",
    "choose counts.csv --items-are-public --no-ledger": "...--epsilon is required",
    "measure shop.dat --items 1 --no-ledger": "...--epsilon is required",
    "top shop.dat -k 1000001 --epsilon 1 --universe 0..9999999 --no-ledger": "-k: it must be at most 1000000",
    # What goes with what.
    f"{TOP} --prefer identity": "--prefer: it goes with --above T",
    f"{TOP} --theta 1/2": "--theta: it goes with --above T",
    f"{TOP} --above 1 --theta 1/2": "--theta: it goes with --prefer estimates",
    f"{TOP} --above 1 --prefer identity --theta 1/2": "--theta: it goes with --prefer estimates",
    f"{TOP} --above 1 --classic": "--classic: with --above and --unknown-items the gaps are always released",
    f"{ABOVE} --branches 2": "...--branches requires --adaptive",
    f"{ABOVE} --sigma 2": "...--sigma requires --adaptive",
    f"{ABOVE} --order file": "--order: records are counted here",
    "above shop.dat --threshold 1 -k 1 --epsilon 1 --universe 0..9 --no-ledger --order label": "--order: the ids of a universe are asked in random order",
    f"{STREAM} --measure 1/2": "--measure: a stream is not measured",
    f"{STREAM} --order label": "INPUT: - answers a stream of name,value lines",
    "above - --threshold 1 -k 1 --epsilon 1 --no-ledger": "--sensitivity: a stream's values are not counts",
    "plan above -k 1 --epsilon 1 --branches 2": "...--branches requires --adaptive",
    "plan above -k 1 --epsilon 1 --sigma 2": "...--sigma requires --adaptive",
    "plan top -k 1": "-k: give two of -k, --epsilon and --target-error",
    "plan top --epsilon 1 --target-error 1/9": "--target-error: with this budget even a single winner has a standard error of 2.828",
    "plan top -k 9 --target-error 1/100": "--target-error: no budget from 1e-9 to 1000 gives this error",
    "plan top -k 1 --target-error 0": "--target-error: it must be above 0",
    "plan top -k 1 --target-error -1": "--target-error: it must be above 0",
    "plan top -k 1 --epsilon 1 --measure 0": "--measure: without measurements there is no error to plan",
    "plan top -k 1 --epsilon 1 --sensitivity 1/2": "--sensitivity: whole numbers change by 1 or more",
    "plan above -k 1 --epsilon 1 --theta 1": "theta: ",
    "plan above -k 1 --epsilon 1 --distance x": "--distance: ",
    # Names.
    f"{MEASURE}": "--items: which? Say --items A,B",
    f"{MEASURE} --items 1,1": "--items: name each item once",
    f"{MEASURE} --items '1, 2'": "--items: there is a blank beside a comma",
    f"{MEASURE} --items {'x' * 1025}": "--items: a name is 1 to 1024 bytes",
    f"{MEASURE} --item-name ' '": "--item-name: a name is 1 to 1024 bytes",
    f"{MEASURE} --item-name {'x' * 1025}": "--item-name: a name is 1 to 1024 bytes",
    f"{MEASURE} --items 1 --candidates list": '--candidates: "1" is not in the list',
    f"{MEASURE} --items 10 --universe 0..9": '--universe: "10" is not an id of it',
    f"{MEASURE} --items -1 --universe 0..9": '--universe: "-1" is not an id of it',
    f"{MEASURE} --items x --universe 0..9": '--universe: "x" is not an id of it',
    f"{MEASURE} --items 1 --universe 0..9 --candidates list": "...--candidates excludes --universe",
    f"{MEASURE} --items-file nosuch": "nosuch: it cannot be read",
    f"{MEASURE} --items-file twice": "twice, line 2: ",
    f"{TOP.replace('--items-are-public', '--candidates nosuch')}": "nosuch: it cannot be read",
    # What only the user can say.
    "top shop.dat -k 1 --epsilon 1 --no-ledger": "candidates: which items can win?",
    "above shop.dat --threshold 1 -k 1 --epsilon 1 --no-ledger": "candidates: which items can win?",
    "choose counts.csv --epsilon 1 --no-ledger --unit visit": "candidates: which items can win?",
    "top shop.dat -k 1 --epsilon 1 --items-are-public": "ledger: where is the cost to be charged?",
    "measure shop.dat --items 1 --epsilon 1": "ledger: where is the cost to be charged?",
    "top rows.csv --item thing -k 1 --epsilon 1 --items-are-public --no-ledger": "--unit: whose rows are they?",
    "top counts.csv -k 1 --epsilon 1 --items-are-public --no-ledger": "--unit: what do the numbers count?",
    "top counts.csv -k 1 --epsilon 1 --items-are-public --no-ledger --unit row": "--unit: a row of ready-made numbers is an item",
    "top shop.dat -k 1 --epsilon 1": "declarations: some things only you can say. Nothing was spent.\n- candidates: ",
    f"{NUMBERS} --value money": "counts.csv: the numbers stand in the column \"money\"",
    # Input.
    f"{TOP.replace('shop.dat', '')}": "input: give one file",
    f"{TOP.replace('shop.dat', 'nosuch.dat')}": "nosuch.dat: it cannot be read",
    f"{TOP.replace('shop.dat', 'shop')}": "shop: say how it is written with --input-format dat, csv or tsv",
    f"{TOP} --sqlite shop.db --query x": "input: give either a file or a database, not both",
    f"{TOP} --query x": "query: it needs a database: give --sqlite FILE",
    f"{TOP} --item x": "shop.dat: transactions have no columns",
    f"{TOP} --value x": "shop.dat: transactions have no columns",
    f"{TOP} --unit x": "shop.dat: transactions have no columns",
    f"{TOP} --separator xy": "--separator: write one sign of punctuation",
    f"{NUMBERS} --separator ,": "--separator: it is for transactions",
    f"{TOP} --input-format xml": "...--input-format",
    f"{TOP.replace('shop.dat', 'marks.dat')}": "marks.dat: cut at blanks, many of its items have commas in them: add --separator ','",
    f"{TOP.replace('shop.dat', 'semi.dat')}": "semi.dat: cut at blanks, many of its items have semicolons in them: add --separator ';'",
    f"{TOP.replace('shop.dat', 'bars.dat')}": "bars.dat: cut at blanks, many of its items have bars in them: add --separator '|'",
    f"{TOP.replace('shop.dat', 'mixed.dat')}": "mixed.dat: most of its lines have both spaces and tabs",
    f"{TOP.replace('shop.dat', 'plain.dat.gz')}": "plain.dat.gz: it is not compressed",
    f"{TOP.replace('shop.dat', 'cut.dat.gz')}": "cut.dat.gz: the compressed data ends too early",
    f"{TOP.replace('shop.dat', 'cut.dat.zst')}": "cut.dat.zst: the compressed data ends too early",
    f"{TOP.replace('shop.dat', 'torn.dat.gz')}": "torn.dat.gz: the compressed data is damaged",
    f"{TOP.replace('shop.dat', 'torn.dat.zst')}": "torn.dat.zst: the compressed data is damaged",
    f"{TOP.replace('shop.dat', 'control.dat')}": "control.dat, line 2: it has a control character",
    f"{TOP.replace('shop.dat', 'bytes.dat')}": "bytes.dat, line 3: it is not valid UTF-8",
    f"{TOP.replace('shop.dat', 'long.dat')}": "long.dat, line 1: it has an item longer than 1024 bytes",
    f"{NUMBERS.replace('counts.csv', 'empty.csv')}": "empty.csv: it is empty; the first line must name the columns",
    f"{NUMBERS.replace('counts.csv', 'quote.csv')}": "quote.csv: the header is malformed: ",
    f"{NUMBERS.replace('counts.csv', 'none.csv')}": 'none.csv: there is no column "count", "value" or "utility"',
    f"{NUMBERS.replace('counts.csv', 'several.csv')}": 'several.csv: there is more than one of "count", "value" and "utility"',
    f"{NUMBERS.replace('counts.csv', 'twofold.csv')}": 'twofold.csv: there is more than one column "count"',
    f"{NUMBERS} --item count --value count": "counts.csv: the numbers must stand in another column than the items",
    "top rows.csv --item thing --unit thing -k 1 --epsilon 1 --items-are-public --no-ledger": "rows.csv: the units must stand in another column than the items",
    "top rows.csv --item nosuch --unit row -k 1 --epsilon 1 --items-are-public --no-ledger": 'rows.csv: there is no column "nosuch"',
    "top named.csv --item thing --unit row -k 1 --epsilon 1 --items-are-public --no-ledger": "named.csv: --unit row counts rows, but there is a column \"row\" as well",
    f"{NUMBERS.replace('counts.csv', 'negative.csv')}": "negative.csv, line 2: ",
    f"{NUMBERS.replace('counts.csv', 'fraction.csv')}": "fraction.csv, line 2: the number is not whole",
    f"{NUMBERS.replace('counts.csv', 'word.csv')}": "word.csv, line 2: ",
    f"{NUMBERS.replace('counts.csv', 'nameless.csv')}": "nameless.csv, line 2: the item is empty",
    f"{NUMBERS.replace('counts.csv', 'short.csv')}": "short.csv, line 3: ",
    f"{NUMBERS.replace('counts.csv', 'again.csv')}": "again.csv, line 3: ",
    # Queries.
    f"{SQL} ''": "query: say what to ask the database: give --query SQL",
    f"{SQL} ' '": "query: it is empty",
    f"{SQL} 'SELECT item, count FROM t; SELECT 1'": "query: it must be a single statement",
    f"{SQL} 'DELETE FROM t'": "query: it must do nothing but read",
    f"{SQL} 'PRAGMA user_version'": "query: it must do nothing but read",
    f"{SQL} 'ATTACH x AS y'": "query: it must do nothing but read",
    f"{SQL} 'SELECT nosuch FROM t'": "query: SQLite says: no such column",
    f"{SQL} 'SELECT item, NULL AS count FROM t'": "query, row 1: the number is null",
    f"{SQL} 'SELECT item, 1.5 AS count FROM t'": "query, row 1: the number is not whole",
    f"{SQL} 'SELECT item, -1 AS count FROM t'": "query, row 1: ",
    f"{SQL} \"SELECT item, 'x' AS count FROM t\"": "query, row 1: ",
    f"{SQL} \"SELECT item, x'00' AS count FROM t\"": "query, row 1: ",
    f"{SQL} 'SELECT NULL AS item, 1 AS count FROM t'": "query, row 1: the item is null",
    f"{SQL} 'SELECT 1.5 AS item, 1 AS count FROM t'": "query, row 1: the item is neither text nor a whole number",
    f"{SQL} \"SELECT '' AS item, 1 AS count FROM t\"": "query, row 1: the item is empty",
    f"{SQL} \"SELECT printf('%01025d', 1) AS item, 1 AS count FROM t\"": "query, row 1: the item is longer than 1024 bytes",
    f"{SQL} 'SELECT 1 AS item, 1 AS count, 2 AS count FROM t'": 'query: there is more than one column "count"',
    f"{SQL.replace('shop.db', 'nosuch.db')} 'SELECT 1'": "nosuch.db: SQLite says: unable to open",
    f"{SQL.replace('shop.db', 'shop.dat')} 'SELECT 1'": "shop.dat: SQLite says: file is not a database",
    f"{SQL.replace('--sqlite shop.db', '')} 'SELECT 1'": "query: it needs a database: give --sqlite FILE",
    # Budgets.
    f"{CREATE} --column row": '--column: "row" stands for the rows themselves',
    "budget create --ledger new.db --dataset d --epsilon 1 --unit row --column id": "--column: the unit row has no column",
    "budget create --ledger new.db --dataset d --epsilon 0 --unit row": "--epsilon: ",
    "budget create --ledger new.db --dataset d --epsilon 1001 --unit row": "--epsilon: ",
    "budget create --ledger new.db --dataset '' --epsilon 1 --unit row": "data set: it must have 1 to 200 bytes",
    "budget create --ledger new.db --dataset d --epsilon 1 --unit ''": "unit: it must have 1 to 200 bytes",
    f"{CREATE} --column ''": "column: it must have 1 to 200 bytes",
    f"{CREATE} --delta 0": "--delta: it must be above 0 and below 1, for example 1e-9",
    f"{CREATE} --delta -1e-9": "--delta: it must be above 0 and below 1, for example 1e-9",
    f"{CREATE} --delta 1": "--delta: it must be above 0 and below 1, for example 1e-9",
    f"{CREATE} --delta 3/2": "--delta: it must be above 0 and below 1, for example 1e-9",
    f"{CREATE} --delta few": "--delta: ",
    f"{CREATE} --delta ''": "--delta: ",
    f"{CREATE} --delta nan": "--delta: ",
    "budget create --ledger folder/new.db --dataset d --epsilon 1 --unit row": 'there is no folder "folder" to make a ledger in',
    "budget create --ledger books.db --dataset shop --epsilon 1 --unit row": 'the ledger has a data set "shop" already',
    "budget create --ledger books.db --dataset old --epsilon 1 --unit row": 'the ledger has had a data set "old" already',
    "budget close --ledger books.db --dataset gone": 'data set "gone" is closed already',
    "budget close --ledger books.db --dataset nosuch": 'the ledger has no data set "nosuch"',
    "budget close --ledger books.db --dataset old": 'data set "old" was renamed to "new"',
    "budget rename --ledger books.db --dataset shop --name gone": 'the ledger has or had a data set "gone"',
    "budget rename --ledger books.db --dataset shop --name old": 'the ledger has or had a data set "old"',
    "budget rename --ledger books.db --dataset nosuch --name x": 'the ledger has no data set "nosuch"',
    "budget rename --ledger books.db --dataset shop --name ''": "new name: it must have 1 to 200 bytes",
    "budget show --ledger nosuch.db": 'there is no ledger "nosuch.db"',
    "budget show --ledger .": '"." is not a file',
    "budget show --ledger shop.dat": 'shop.dat" is not a ledger',
    "budget show --ledger linked.db": "linked.db",
    "budget show 0 --ledger books.db": "ENTRY: must be a whole number from 1 to ",
    "budget show 4 --ledger books.db": "the ledger has no entry 4",
    "budget show 2 --ledger books.db": "ENTRY: entry 2 is unfinished: 1/4 is charged",
    "budget show 1 --ledger books.db --dataset gone": 'ENTRY: entry 1 is of another data set, "shop"',
    "budget show --ledger books.db --dataset nosuch": 'the ledger has no data set "nosuch"',
    "budget show --ledger books.db --report x.html": "--report: it is about one data set: say --dataset NAME",
    "budget show --ledger books.db --report x.txt": "--report: the name must end in .html",
    "budget show 3 --ledger books.db --format table": '--format: this version does not know the mechanism "magic"; ask for json',
    "budget show 3 --ledger books.db --format csv": '--format: this version does not know the mechanism "magic"; ask for json',
    "budget history --ledger books.db --dataset nosuch": 'the ledger has no data set "nosuch"',
    "budget export --ledger books.db --dataset nosuch": 'the ledger has no data set "nosuch"',
    "budget export --ledger books.db --format table": "...--format",
    "budget check --ledger books.db --head x": "--head: write what `freegap budget head` printed, ROWS:HASH",
    f"budget check --ledger books.db --head {'0' * 63}": "--head: write what `freegap budget head` printed, ROWS:HASH",
    f"budget check --ledger books.db --head 1:{'G' * 64}": "--head: write what `freegap budget head` printed, ROWS:HASH",
    f"budget check --ledger books.db --head 0:{'0' * 64}": "--head: must be a whole number from 1 to ",
    f"{CHARGED} nosuch": 'the ledger has no data set "nosuch"; nothing was spent',
    f"{CHARGED} old": 'data set "old" was renamed to "new"; nothing was spent. Use that name',
    f"{CHARGED} gone": 'data set "gone": it is closed; nothing was spent',
    f"{CHARGED} new": 'data set "new": its budget protects unit "customer", neighbours replace; asked for unit "transaction", neighbours add-remove',
    f"{CHARGED} shop --neighbours replace": 'data set "shop": its budget protects unit "transaction", neighbours add-remove; asked for unit "transaction", neighbours replace',
    f"{CHARGED.replace('1/10', '8')} shop": 'data set "shop": asked for 8, left 7/4',
    f"{CHARGED} shop --note ''": "--note: a note is 1 to 1000 bytes",
    f"{CHARGED} shop --note {'n' * 1001}": "--note: a note is 1 to 1000 bytes",
    f"{CHARGED} shop --report shop.dat": "--report: the name must end in .html",
    f"{CHARGED} shop --report nosuch/x.html": "--report: there is no folder nosuch; make it first",
    f"{CHARGED} shop --report .html/": "--report: the name must end in .html",
    f"{CHARGED} shop --report folder.html": "--report: name a file to write, not a folder",
    f"{CHARGED} shop --report dangling.html": "--report: dangling.html is a link to a file that does not exist",
    f"{CHARGED} shop --report mine.html": "--report: mine.html exists and is no report of freegap",
    f"{CHARGED.replace('shop.dat', 'data.html --input-format dat')} shop --report data.html": "--report: data.html is also the file of INPUT",
    f"{CHARGED.replace('--items-are-public', '--candidates mine.html')} shop --report mine.html": "--report: mine.html is also the file of --candidates",
    "top rows.csv --item thing --unit thing2 -k 1 --epsilon 1/10 --items-are-public --neighbours replace --ledger books.db --dataset new":
        '--unit: the unit of "new" is customer, which the column "person" names: say --unit person',
    # The rest.
    "quest --transactions 0": "--transactions: must be a whole number from 1 to ",
    "quest nosuch": "...T10I4D100K",
    "quest --out shop.dat": "--out: shop.dat exists; --force overwrites it",
    "quest --out nosuch/x.dat": "--out: there is no folder nosuch; make it first",
    "reproduce --out out --runs 1": "--runs: must be a whole number from 2 to ",
    "reproduce --out out --runs 2 --figures split --data nosuch": "--data: nosuch is not a folder",
    "reproduce --out out --runs 2 --figures split --data same": "...--data: two data sets would go by one name: x (read from x-counts.csv) and x (read from x.dat)",
    "reproduce --out shop.dat --runs 2 --figures split": "--out: cannot make shop.dat",
    "reproduce --out out --figures nosuch": "...--figures",
    "verify --html nosuch/x.html": "--html: there is no folder nosuch; make it first",
    "verify --threads 1025": "--threads: must be a whole number from 1 to 1024",
    "verify --replays 0": f"--replays: must be a whole number from 1 to {1 << 40}",
    "verify --quick --replays 5": "...--quick excludes --replays",
    f"{TOP} --color sometimes": "...--color",
    "count shop.dat --value x": "shop.dat: transactions have no columns",
    "count bad.csv": "bad.csv, line 3: ",
}


def write_data(folder):
    folder.write("shop.dat", "1 2\n2\n")
    folder.write("shop", "1 2\n2\n")
    folder.write("list", "2\n")
    folder.write("twice", "2\n2\n")
    folder.write("mine.html", "2\n")
    folder.write("data.html", "1 2\n")
    files = {"counts.csv": "item,count,money\na,5,1.5\nb,3,2\n", "ids.csv": "item,count\n1,5\n", "rows.csv": "person,thing,thing2\nann,1,1\n", "empty.csv": "",
             "quote.csv": '"item,count\n', "none.csv": "item,other\na,1\n", "several.csv": "item,count,value\na,1,1\n", "twofold.csv": "item,count,count\na,1,1\n",
             "named.csv": "row,thing\nann,1\n", "negative.csv": "item,count\na,-1\n", "fraction.csv": "item,count\na,1.5\n", "word.csv": "item,count\na,x\n",
             "nameless.csv": "item,count\n,1\n", "short.csv": "item,count\na,1\nb\n", "again.csv": "item,count\na,1\na,2\n", "bad.csv": "item,count\na,1\nb,x\nc\n",
             "marks.dat": "a,b,c\nd,e\n", "semi.dat": "a;b;c\nd;e\n", "bars.dat": "a|b|c\nd|e\n", "mixed.dat": "a b\tc d\n", "plain.dat.gz": "1 2\n", "control.dat": "1\n\x07\n",
             "long.dat": "x" * 1025 + "\n"}
    for name, text in files.items():
        folder.write(name, text)
    folder.write("bytes.dat", b"1\n2\n\xff\n")
    packed, small = gzip.compress(b"1 2\n" * 9), squeezed(b"1 2\n" * 9)
    folder.write("cut.dat.gz", packed[:-9])
    folder.write("cut.dat.zst", small[:-9])
    folder.write("torn.dat.gz", packed[:-8] + b"\0" * 8)
    folder.write("torn.dat.zst", small[:9] + b"\xff\xff\xff" + small[12:])
    (folder.path / "folder.html").mkdir()
    (folder.path / "dangling.html").symlink_to("nosuch.html")
    (folder.path / "same").mkdir()
    for name in ("same/x.dat", "same/x-counts.csv"):
        folder.write(name, " ".join(map(str, range(200))) if name.endswith("dat") else "item,count\n" + "".join(f"{i},1\n" for i in range(200)))
    with sqlite3.connect(folder.path / "shop.db") as database:
        database.execute("CREATE TABLE t (item TEXT, count INTEGER)")
        database.execute("INSERT INTO t VALUES ('a', 5)")


def write_ledger(folder):
    for name, more in (("shop", ["--unit", "transaction"]), ("gone", ["--unit", "transaction"]),
                       ("old", ["--unit", "customer", "--column", "person", "--neighbours", "replace"])):
        folder.call("budget", "create", "--ledger", "books.db", "--dataset", name, "--epsilon", 2, *more)
    folder.call("budget", "close", "--ledger", "books.db", "--dataset", "gone")
    folder.call("budget", "rename", "--ledger", "books.db", "--dataset", "old", "--name", "new")
    document = json.dumps({"mechanism": "magic", "parameters": {}, "epsilon": {"reserved": "0", "spent": "0"}})
    reserve = {"kind": "reserve", "dataset": "shop", "time": 1, "who": "ann", "verb": "top", "parameters": "{}"}
    forge(folder.path / "books.db", added(6, **reserve, entry=1, reserved="1/8"), added(7, kind="settle", entry=1, spent="0", release="{}"),
          added(8, **reserve, entry=2, reserved="1/4"), added(9, **reserve, entry=3, reserved="1/8"),
          added(10, kind="settle", entry=3, spent="0", release=document))
    (folder.path / "linked.db").symlink_to("nosuch.db")


def check(folder, call, message, status):
    said = folder.refused(*shlex.split(call), stdin="a,1\n", status=status)
    text = said.removeprefix("freegap: ")
    assert message[3:] in said if message.startswith("...") else text.startswith(message) or (message[0] != "-" and message in text), (call[:300], said[:600])


def malformed(folder):
    """`count --check` lists what a verb would refuse, in every format."""
    assert [row["line"] for row in folder.json("count", "bad.csv", "--check")["malformed"]] == [3, 4]
    rows = folder.good("count", "bad.csv", "--check", "--format", "csv").splitlines()
    assert rows[0] == "line,problem" and [row.split(",")[0] for row in rows[1:]] == ["3", "4"], rows
    table = folder.good("count", "bad.csv", "--check", "--format", "table").splitlines()
    assert table[0].split() == ["line", "problem"] and [row.split()[0] for row in table[1:]] == ["3", "4"], table
    assert folder.good("count", "shop.dat", "--check", "--format", "table") == "No malformed records.\n"
    assert folder.good("count", "shop.dat", "--check", "--format", "csv") == "line,problem\n"


def main():
    with Folder() as folder:
        write_data(folder)
        write_ledger(folder)
        before = (folder.path / "books.db").read_bytes()
        for call, message in REFUSALS.items():
            check(folder, call, message, 2)
        check(folder, "quest --transactions 1 --out /dev/full --force", "cannot write /dev/full", 3)
        malformed(folder)
        assert (folder.path / "books.db").read_bytes() == before and not (folder.path / "new.db").exists()
    print(f"{len(REFUSALS)} refusals say what is wrong, and charge nothing")


if __name__ == "__main__":
    main()
