"""What notebooks show: the page that the program's --report writes, made small."""

import copy
import json
import re
import shutil
import subprocess

import pytest

import freegap as fg
from fragments import DRAWING, Fragment
from freegap import _core

EVIL = "<script>alert('x')</script>&\"\u202e"
COUNTS = {EVIL: 9000, "tea": 6000, "milk": 5800, "rye": 2900, "jam": 2700, "oil": 2600, "nut": 12}
NAMED = {"labels": list(COUNTS), "items_are_public": True, "unit": "customer"}
VALUES = list(COUNTS.values())


def outside(ledger):
    return _core.release_outside({"mechanism": "opendp", "epsilon": 1, "unit": "customer", "parameters": json.dumps({"<i>": EVIL}),
                                  "ledger": ledger}, lambda: json.dumps([1, EVIL]))


def online(ledger):
    with fg.SparseVector(threshold=5000, k=2, epsilon=1, sensitivity=1, unit="customer", ledger=ledger) as vector:
        for name, count in COUNTS.items():
            if vector.open:
                vector.ask(count, name=name)
    return vector.release


RELEASES = {  # the noise is far smaller than what lies between the counts
    "top_k": lambda ledger: fg.top_k(VALUES, k=4, epsilon=9, ledger=ledger, **NAMED),
    "without estimates": lambda ledger: fg.top_k(VALUES, k=4, epsilon=9, measure=0, ledger=ledger, **NAMED),
    "names alone": lambda ledger: fg.top_k(VALUES, k=4, epsilon=9, measure=0, classic=True, ledger=ledger, **NAMED),
    "top_k_above": lambda ledger: fg.top_k_above(VALUES, threshold=4000, k=5, epsilon=9, ledger=ledger, **NAMED),
    "estimates first": lambda ledger: fg.top_k_above(VALUES, threshold=4000, prefer="estimates", k=5, epsilon=9, ledger=ledger, **NAMED),
    "no winners": lambda ledger: fg.top_k_above(VALUES, threshold=10**6, k=5, epsilon=9, ledger=ledger, **NAMED),
    "sparse_vector": lambda ledger: fg.sparse_vector(VALUES, threshold=4000, k=5, epsilon=9, ledger=ledger, **NAMED),
    "adaptive": lambda ledger: fg.sparse_vector(VALUES, threshold=4000, adaptive=True, k=5, epsilon=9, ledger=ledger, **NAMED),
    "none above": lambda ledger: fg.sparse_vector(VALUES, threshold=10**6, k=5, epsilon=9, ledger=ledger, **NAMED),
    "online": online,
    "exponential": lambda ledger: fg.exponential(VALUES, sensitivity=1, epsilon=9, ledger=ledger, **NAMED),
    "choice alone": lambda ledger: fg.exponential(VALUES, sensitivity=1, epsilon=9, classic=True, ledger=ledger, **NAMED),
    "measure": lambda ledger: fg.measure(VALUES, items=["tea", EVIL], epsilon=9, ledger=ledger, **NAMED),
    "unknown items": lambda ledger: fg.top_k(VALUES, labels=[name.replace("\u202e", "") for name in COUNTS], unknown_items=True, delta="1e-9",
                                             bounded_by=3, unit="customer", k=4, epsilon=9, ledger=ledger),
    "opendp": outside,
}
#: How many drawings each has.
DRAWINGS = {"top_k": 2, "without estimates": 1, "names alone": 0, "no winners": 0, "none above": 0, "exponential": 1, "choice alone": 0,
            "measure": 1, "opendp": 0}


@pytest.fixture
def books(folder):
    return fg.Ledger.create(folder / "books.db", dataset="shop", epsilon=100, delta="1e-6", unit="customer")


def names_in(release):
    """The names that were released, as they are shown."""
    names = [row.get("item", row.get("query")) for row in release.rows if row.get("above", True)]
    return [name.replace("\u202e", "\\u{202E}") for name in names]


@pytest.mark.parametrize("name", RELEASES)
def test_it_is_the_page_of_the_program(name, books, program, folder):
    release = RELEASES[name](books)
    fragment = Fragment(release._repr_html_())
    for item in names_in(release):
        assert item in fragment.text
    program("budget", "show", 1, "--ledger", "books.db", "--format", "json", "--report", "page.html", folder=folder)
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert fragment.drawings == DRAWING.findall(page) and len(fragment.drawings) == DRAWINGS.get(name, 2)
    for part in ("How to read this", "Numbers", "Parameters"):
        on_page = re.findall(rf"<h2>{part}</h2>\n(.*?)</section>", page, re.DOTALL)
        assert re.findall(rf"<summary>{part}</summary>\n(.*?)</details>", release._repr_html_(), re.DOTALL) == on_page
    title = re.search(r"<h1>(.*?)</h1>", page)[1]
    assert f'<p class="title">{title}</p>' in release._repr_html_()
    assert ("Nothing is above the threshold." in fragment.text) == (name in ("no winners", "none above"))
    assert ("threshold 4000" in fragment.text) == (name in ("top_k_above", "estimates first", "sparse_vector", "adaptive"))


@pytest.mark.parametrize("name", RELEASES)
def test_what_was_spent(name, books):
    release = RELEASES[name](books)
    text = Fragment(release._repr_html_()).text
    short = [str(number) if len(str(number)) <= 9 else f"≈{float(number):.4g}" for number in (release.spent, release.reserved)]
    left = books.balance().remaining
    assert f"Spent ε {short[0]} of {short[1]} reserved{', and δ 1e-09' if release.delta else ''}; ledger entry 1, " in text
    assert f", {left if len(str(left)) <= 9 else f'≈{float(left):.4g}'} left" in text
    assert "--" not in text  # options of the command line
    again = fg.Release(release.to_json())
    assert again._repr_html_() == release._repr_html_()


def test_names_are_text(books):
    shown = RELEASES["top_k"](books)._repr_html_()
    assert "<script" not in shown and "\u202e" not in shown
    assert "&lt;script&gt;alert('x')&lt;/script&gt;&amp;&quot;\\u{202E}" in shown
    assert "<i>" not in outside(books)._repr_html_()


def test_a_choice():
    release = fg.exponential([5000, 0], sensitivity=1, epsilon="0.01", ledger=None)  # it takes the first but with probability exp(-25)
    text = Fragment(release._repr_html_()).text
    for name in ("noisy lead", "estimate of the true lead", "true lead at least", "Chance of such a lead if it were not the best"):
        assert name in text
    assert f"{release.rows[0].lead_estimate:.1f}" in text and f"{release.rows[0].lead_at_least:.1f}" in text


def test_many_rows_stay_small():
    count = 400
    release = fg.top_k([10**9 - 10**6 * i for i in range(count)], k=300, epsilon=900, ledger=None)
    fragment = Fragment(release._repr_html_())
    assert "The first 25 of 300 are drawn." in fragment.text and fragment.text.count("are drawn.") == 1
    assert [drawing.count('<div class="name"><span') for drawing in fragment.drawings] == [25, 25]
    assert len(release._repr_html_()) < 60_000
    answers = fg.sparse_vector([10**6] * count, threshold=1000, k=300, epsilon=900, ledger=None)
    assert "The first 25 of 300 are drawn." in Fragment(answers._repr_html_()).text and len(answers._repr_html_()) < 60_000


def paths(value, here=()):
    """Where there is something in a document."""
    yield here
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(inner, (*here, key))


SMALL = {
    "top_k": lambda ledger: fg.top_k([90, 5], k=2, epsilon=9, unit="customer", ledger=ledger),
    "top_k_above": lambda ledger: fg.top_k_above([90, 5], threshold=40, prefer="estimates", k=1, epsilon=9, unit="customer", ledger=ledger),
    "adaptive": lambda ledger: fg.sparse_vector([90, 5], threshold=40, adaptive=True, k=1, epsilon=9, unit="customer", ledger=ledger),
    **{name: RELEASES[name] for name in ("exponential", "measure", "opendp")},
}


@pytest.mark.parametrize("name", SMALL)
def test_other_documents_are_refused_or_shown(name, books):
    """One changed in any place: it is shown, or a ValueError says so. Nothing in it ends the interpreter."""
    document = SMALL[name](books).to_dict()
    refused = shown = 0
    for path in list(paths(document))[1:]:
        for change in ("gone", None, "1000000000/0", "</div>", -1, 1e308, [], {}, [[]]):
            changed = copy.deepcopy(document)
            place = changed
            for key in path[:-1]:
                place = place[key]
            if change == "gone":
                del place[path[-1]]
            else:
                place[path[-1]] = change
            try:
                page = fg.Release(json.dumps(changed))._repr_html_()
                shown += 1
            except ValueError:
                refused += 1
                continue
            if change == "</div>":
                Fragment(page)
    assert refused > 20 and shown > 20


def test_documents_nested_without_end(books):
    """They would overflow the stack when they are written."""
    text = SMALL["top_k"](books).to_json()
    for depth, refused in ((60, False), (100, True), (200_000, True)):
        nested = text.replace('"parameters":{', f'"parameters":{{"nested":{"[" * depth}{"]" * depth},')
        assert nested != text
        if refused:
            with pytest.raises(ValueError, match="nested more deeply"):
                fg.Release(nested)
        else:
            Fragment(fg.Release(nested)._repr_html_())


NOTEBOOK = """<!DOCTYPE html><meta charset="utf-8"><title></title><style>
body {{ margin: 0; background: {paper}; color: {ink}; font: 14px sans-serif; }} .cell {{ padding: 8px; }}
.output table {{ margin-left: auto; table-layout: fixed; }} .output ul:not(.plain) {{ padding-left: 3em; }} .output p {{ margin: 0 0 1em; }}
.row {{ margin: 0 -15px; }} .row:before, .row:after {{ display: table; content: " "; }} .bar {{ fill: red; }} .name {{ color: red; }}
</style><body><h1 class="title">A notebook</h1><div class="cell output">{cells}</div><p class="soft">its text</p>
<div class="row"><span class="name">its row</span></div><script>
const box = e => e.getBoundingClientRect(), style = (e, pseudo) => getComputedStyle(e, pseudo), all = s => [...document.querySelectorAll(s)];
document.title = JSON.stringify({{scroll: document.documentElement.scrollWidth,
  bars: all('.freegap .bar').map(e => [box(e).height, style(e).fill]), names: all('.freegap .row:not(.axis) .name').map(e => style(e).color),
  before: all('.freegap .row').map(e => style(e, '::before').content), heights: all('.freegap .row:not(.axis)').map(e => box(e).height),
  outside: [style(document.querySelector('h1')).fontSize, style(document.querySelector('body > .soft')).color,
            style(document.querySelector('body > .row')).display, style(document.querySelector('body > .row .name')).color]}});
</script></body>"""


@pytest.mark.long
@pytest.mark.parametrize(("paper", "ink"), [("rgb(255, 255, 255)", "rgb(20, 20, 20)"), ("rgb(17, 17, 17)", "rgb(230, 230, 230)")])
@pytest.mark.parametrize("width", [500, 1000])
def test_in_a_notebook_of_either_theme(paper, ink, width, folder):
    """In chromium: drawn as on its page, in the notebook's ink, whatever the notebook's own style says, which stays as it is."""
    cells = "".join(RELEASES[name](None)._repr_html_() for name in ("top_k", "top_k_above", "measure", "exponential"))
    browser = shutil.which("chromium")
    assert browser, "there is no chromium; tools/bootstrap chromium installs it"

    def seen(cells):
        (folder / "notebook.html").write_text(NOTEBOOK.format(paper=paper, ink=ink, cells=cells), encoding="utf-8")
        dom = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},2000",
                              "--dump-dom", f"file://{folder}/notebook.html"], capture_output=True, text=True, check=True, timeout=120).stdout
        return json.loads(re.search(r"<title>(\{.*?\})</title>", dom, re.DOTALL)[1])

    found, empty = seen(cells), seen("")
    assert found["scroll"] == empty["scroll"] and len(found["bars"]) > 15
    assert all(bar == [18, "rgb(75, 134, 180)"] for bar in found["bars"])
    assert set(found["names"]) == {ink} and set(found["before"]) == {"none"} and max(found["heights"]) < 80
    assert found["outside"] == empty["outside"]
