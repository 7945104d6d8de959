"""Builds the site from a copy of the repository, and looks at it in a real browser: no dead link, nothing from elsewhere, nothing that sticks out at
phone and desktop width, no error on the console, search with and without a server, tabs by keyboard, dark mode. Then plants a dead link, a dead
anchor, a formula that cannot be shown, a script from elsewhere and so on, one at a time: each build must fail and say why. Screenshots are left in
the folder given as argument, if there is one."""

import contextlib
import functools
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/support")]

import repository  # noqa: E402
from browser import Browser  # noqa: E402

WIDTHS = (400, 1400)
PHOTOGRAPHED = ("index.html", "mechanisms/top_k.html", "proofs/top_k.html", "verification.html")
LOOKED_AT = ("quick_start/command_line.html", "quick_start/sql.html", "glossary.html", "performance.html", "peers.html", "privacy_officers.html",
             "notebooks/1_quick_start.html", "reference/cpp/budget.html", "reference/python.html", "decisions/index.html", "changelog.html",
             "source/LICENSE.html", "search.html")
CHECKED = {"freegap": "0.1.0", "rows": [
    {"mechanism": "top-k", "variant": "k | winners", "replays": 100, "alignment": 1.0, "exact": None, "black_box": 0.9, "same_law": False, "holds": True,
     "problem": ""},
    {"mechanism": "top-k", "variant": "broken", "replays": 0, "alignment": None, "exact": 2.0, "black_box": None, "same_law": True, "holds": False,
     "problem": "too much"}],
    "bad_variants": [{"name": "raw gaps", "caught": True, "by_alignment": True, "by_enumeration": False, "evidence": "costs 2"}]}

# What sticks out of the page, unless it can be scrolled by itself.
PROBE = """(() => {
  const width = document.documentElement.clientWidth;
  const scrolls = e => e.tagName !== 'ARTICLE' && (/auto|scroll|hidden/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const out = [...document.querySelectorAll('article *')].filter(e => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && (box.right > width + 1 || box.left < -1) && !scrolls(e.parentElement);
  }).map(e => e.tagName + ': ' + e.textContent.slice(0, 40));
  return {width, scroll: document.documentElement.scrollWidth, out};
})()"""
# Mistakes, built together where one does not hide the other: a file, what is planted in place of a text or at its end, what the build says.
PLANTED = (
    [("docs/glossary.md", None, "[gone](no_such_page.md)", "no_such_page.md: no such file")],
    [("docs/glossary.md", None, "[gone](estimates.md#no-such-heading)", "no-such-heading: no such heading")],
    [("docs/glossary.md", None, "[gone](../README.md#no-such-heading)", "no-such-heading: no such heading")],
    [("README.md", "## In Python\n", "## With Python\n", "README.md#in-python")],
    [("docs/mechanisms/top_k.md", "### In Python\n", "### In Cobol\n", "In Cobol")],
    [("include/freegap/item.hpp", "struct Item {", "struct Undocumented {};\nstruct Item {", "freegap::Item is not documented")],
    [("docs/glossary.md", None, "A formula: $\\nosuchcommand x$", "nosuchcommand is not known"),
     ("docs/estimates.md", None, "```{nosuchdirective}\n```", "nosuchdirective")],
    [("docs/glossary.md", None, '<script src="https://example.org/x.js"></script>', "glossary.html: loads https://example.org/x.js from elsewhere"),
     ("docs/estimates.md", None, '<a href="nowhere.html">gone</a>', "estimates.html: nowhere.html: no such file")],
)


def copy(root):
    for path in repository.files(ROOT):
        target = root / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def build(root, out):
    """The exit status of a build, and all that it said."""
    lab = out.parent / "lab"  # a page in its place: the lab has tests of its own
    lab.mkdir(exist_ok=True)
    (lab / "index.html").write_text('<!DOCTYPE html><title>Lab</title><a href="../index.html">freegap</a>', encoding="utf-8")
    checked = out.parent / "verification.json"
    checked.write_text(json.dumps(CHECKED), encoding="utf-8")
    done = subprocess.run([ROOT / "build/site-venv/bin/python3", root / "site/build.py", "--root", root, "--out", out, "--verification", checked,
                           "--lab", lab, "--bench", ROOT / "docs/figures"],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@contextlib.contextmanager
def served(folder):
    """A server of static files on the loopback interface; its address."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def send_error(self, code, *arguments):  # a page has no icon, and a browser asks for one
            super().send_error(204 if self.path == "/favicon.ico" else code, *arguments)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


def check_files(out):
    """What can be seen without a browser."""
    pages = {path.relative_to(out).as_posix() for path in out.rglob("*.html")}
    for name in [path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")]:
        assert name in pages or name in ("README.html", "sql.html"), f"{name}: not on the site"
    start = (out / "index.html").read_text(encoding="utf-8")
    assert all(name in start for name in ("quick_start/python.html", "glossary.html", "<svg", 'class="button first" href="lab/index.html"'))
    assert 'href="../lab/index.html"' in (out / "mechanisms/top_k.html").read_text(encoding="utf-8")
    assert "as measured by" in (out / "performance.html").read_text(encoding="utf-8")
    assert all(code in re.sub(r"<[^>]*>", "", start) for code in ("freegap top sales.csv", "fg.top_k(", "SecureNoise noise;", "--sqlite shop.db"))
    with_all_tabs = with_formulas = 0
    for path in (out / "mechanisms").glob("*.html"):
        tabs = [tab.strip() for tab in re.findall(r"<label[^>]*sd-tab-label[^>]*>\s*(.*?)</label>", path.read_text(encoding="utf-8"))]
        assert path.name == "index.html" or len(tabs) >= 2, (path.name, tabs)
        with_all_tabs += tabs == ["C++", "Python", "Command line", "SQL"]
    for path in (out / "proofs").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "$" not in re.sub(r"<(code|script).*?</\1>", "", text, flags=re.DOTALL), f"{path.name}: a formula was not read"
        with_formulas += text.count("<math") > 5
    assert with_all_tabs >= 6 and with_formulas >= 11, (with_all_tabs, with_formulas)
    checked = (out / "verification.html").read_text(encoding="utf-8")
    assert "1 of 2 checks hold" in checked and "too much" in checked and "k | winners" in checked
    index = json.loads(re.search(r"\((.*)\)", (out / "searchindex.js").read_text(encoding="utf-8"), re.DOTALL).group(1))
    assert "glossary" in index["docnames"] and "proofs/top_k" in index["docnames"] and len(index["docnames"]) > 80
    found = {number for numbers in index["terms"].values() for number in (numbers if isinstance(numbers, list) else [numbers])}
    assert "borrow" in index["terms"] and not any(index["docnames"][number].startswith("source/") for number in found)
    return pages


def check_page(browser, address, name, width):
    browser.open(address + name, width)
    found = browser.evaluate(PROBE)
    assert found["width"] == width and found["scroll"] <= width and not found["out"], (name, width, found)
    assert not browser.errors, (name, browser.errors)
    elsewhere = [url for url in browser.requests if not url.startswith((address, "data:"))]
    assert not elsewhere, (name, elsewhere)


def check_in_browser(out, address, browser, screenshots):
    names = [*PHOTOGRAPHED, *LOOKED_AT]
    names += [path.relative_to(out).as_posix() for folder in ("proofs", "mechanisms") for path in (out / folder).glob("*.html")]
    for name in dict.fromkeys(names):
        for width in WIDTHS:
            check_page(browser, address, name, width)
            if screenshots and name in PHOTOGRAPHED:
                screenshots.mkdir(parents=True, exist_ok=True)
                browser.screenshot(screenshots / f"site-{name.replace('/', '-')}-{width}.png")
    # Search, from a server and from a folder.
    for place in (address, f"file://{out}/"):
        browser.open(f"{place}search.html?q=borrow", 1400)
        browser.wait_for("document.querySelectorAll('#search-results li').length > 1")
        assert browser.evaluate("[...document.querySelectorAll('#search-results a')].some(a => a.href.includes('proofs/top_k'))")
        assert not browser.errors, browser.errors
    # Tabs by keyboard.
    browser.open(f"{address}mechanisms/top_k.html", 1400)
    shown = "[...document.querySelectorAll('.sd-tab-set > input')].findIndex(input => input.checked)"
    assert browser.evaluate(shown) == 0
    browser.evaluate("document.querySelector('.sd-tab-set > input').focus()")
    browser.press("ArrowRight", 39)
    assert browser.evaluate(shown) == 1
    # Dark mode.
    brightness = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b)"
    assert browser.evaluate(brightness) > 700
    browser.open(f"{address}index.html", 400, dark=True)
    assert browser.evaluate(brightness) < 150
    # The probe sees what sticks out.
    browser.evaluate("document.querySelector('article h1').style.width = '2000px'")
    assert browser.evaluate(PROBE)["out"]
    return len(dict.fromkeys(names))


def check_planted(root, out):
    for mistakes in PLANTED:
        before = {}
        for name, old, new, _ in mistakes:
            path = root / name
            before[path] = text = path.read_text(encoding="utf-8")
            assert old is None or text.count(old) == 1, (name, old)
            path.write_text(f"{text}\n{new}\n" if old is None else text.replace(old, new), encoding="utf-8")
        status, output = build(root, out)
        for name, _, new, said in mistakes:
            assert status != 0 and said in output, (name, new, status, output)
        for path, text in before.items():
            path.write_text(text, encoding="utf-8")


def main():
    screenshots = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder:
        root, out = pathlib.Path(folder) / "repository", pathlib.Path(folder) / "site"
        copy(root)
        status, output = build(root, out)
        assert status == 0, output
        pages = check_files(out)
        with served(out) as address, Browser() as browser:
            looked_at = check_in_browser(out, address, browser, screenshots)
        check_planted(root, out)
    print(f"{len(pages)} pages, {looked_at} of them looked at in chromium; {sum(map(len, PLANTED))} planted mistakes fail the build")


if __name__ == "__main__":
    main()
