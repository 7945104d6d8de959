"""Pages in a real browser, headless: at phone and desktop width nothing sticks out, at desktop width no table has to be scrolled, bars are
drawn where they belong, names and numbers do not overlap, dark mode is dark. Screenshots are left in the folder given as second argument, if there is one."""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

from program import Folder

WIDTHS = (390, 1280)
DARK = "--blink-settings=preferredColorScheme=0"

# Runs in a copy of the page, in a frame of the width in question (a window cannot be as narrow as a phone), and leaves what it finds in
# the title of the page around it.
PROBE = """<script>
const box = e => e.getBoundingClientRect();
const width = document.documentElement.clientWidth;
const scrolls = e => e.parentElement.closest('.scroll') !== null;
const out = [...document.querySelectorAll('body *')].filter(e => !scrolls(e) && box(e).width > 0 && (box(e).right > width + 0.5 || box(e).left < -0.5))
  .map(e => e.tagName + '.' + e.getAttribute('class'));
const scrolled = [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.scrollWidth);
const narrow = [...document.querySelectorAll('td.text')].map(e => box(e).width).filter(w => w < 140);
const overlaps = [...document.querySelectorAll('.row')].filter(r => {
  const parts = ['.name', '.plot', '.figure'].map(c => r.querySelector(c)).filter(e => e && box(e).width > 0).map(box);
  return parts.some((a, i) => parts.slice(i + 1).some(b => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 &&
                                                           b.top < a.bottom - 0.5));
}).length;
const bars = [...document.querySelectorAll('.bar')].map(e => [Math.round(box(e).left), Math.round(box(e).width), Math.round(box(e).height)]);
parent.document.title = JSON.stringify({width, scroll: document.documentElement.scrollWidth, out, scrolled, narrow, overlaps, bars,
  paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color});
</script></body>"""


def chromium(*arguments):
    program = shutil.which("chromium")
    assert program, "there is no chromium; tools/bootstrap chromium installs it"
    return subprocess.run([program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *arguments],
                          capture_output=True, text=True, check=True, timeout=120).stdout


def seen(folder, name, width, *options):
    """What the probe finds in a page at a width."""
    text = (folder.path / name).read_text(encoding="utf-8")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    assert text.count("</body>") == 1
    probed = html.escape(text.replace("</body>", PROBE))
    (folder.path / "probed.html").write_text(
        f'<!DOCTYPE html><title></title><iframe style="border: 0; width: {width}px; height: 1200px" srcdoc="{probed}"></iframe>',
        encoding="utf-8")
    dom = chromium("--window-size=1400,1300", *options, "--dump-dom", f"file://{folder.path}/probed.html")
    return json.loads(html.unescape(re.search(r"<title>(\{.*?\})</title>", dom, re.DOTALL).group(1)))


def brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


def make_pages(folder):
    """A page of each kind, with names as long as they may be."""
    long = "an-item-whose-name-has-no-blanks-" * 8
    folder.write("counts.csv", "item,count\n" + "".join(f"item {i},{90000 - 4000 * i}\n" for i in range(12)) + f"{long},99000\n")
    folder.call("budget", "create", "--ledger", "ledger.db", "--dataset", "shop", "--epsilon", 10, "--unit", "customer")
    data = ["counts.csv", "--unit", "customer", "--items-are-public"]
    charged = ["--epsilon", 1, "--ledger", "ledger.db", "--dataset", "shop"]
    folder.good("top", *data, "-k", 10, *charged, "--report", "top.html")
    folder.write("large.csv", "item,count\n" + "".join(f"{long}{i},{9_876_543_210 - 10**9 * i}\n" for i in range(8)))
    folder.good("top", "large.csv", *data[1:], "-k", 5, "--epsilon", "1/100000", "--no-ledger", "--report", "large.html")
    folder.good("above", *data, "--threshold", 50000, "-k", 20, *charged, "--report", "above.html")
    folder.good("measure", "counts.csv", "--unit", "customer", "--items", f"{long},item 3", *charged, "--report", "measure.html")
    folder.write("sites.csv", f"item,utility\n{long},4100.5\nsouth,-12\n")
    folder.good("choose", "sites.csv", "--epsilon", 1, "--sensitivity", 2, "--items-are-public", "--no-ledger", "--report", "choose.html")
    folder.good("budget", "show", "--ledger", "ledger.db", "--report", "budget.html")
    return {"top.html": 20, "large.html": 5, "above.html": 1, "measure.html": 2, "choose.html": 1, "budget.html": 0}


def main():
    screenshots = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with Folder() as folder:
        pages = make_pages(folder)
        for name, least_bars in pages.items():
            for width in WIDTHS:
                found = seen(folder, name, width)
                assert found["width"] == width and found["scroll"] <= width, (name, found)
                assert not found["out"] and found["overlaps"] == 0, (name, width, found)
                assert not found["narrow"] and (width < 1000 or not found["scrolled"]), (name, width, found)
                assert len(found["bars"]) >= least_bars, (name, found)
                assert all(0 <= left and left + wide <= width and high == 18 for left, wide, high in found["bars"]), (name, found)
                assert brightness(found["paper"]) > 700 and brightness(found["ink"]) < 200, (name, found)
                if screenshots:
                    screenshots.mkdir(parents=True, exist_ok=True)
                    chromium(f"--window-size={width},1600", f"--screenshot={screenshots / name}-{width}.png", f"file://{folder.path}/{name}")
        top = seen(folder, "top.html", 1280)["bars"]
        assert all(bar[1] > 100 for bar in top[:10]) and top[0][1] > top[9][1] + 50, top  # the first is drawn longer than the tenth
        dark = seen(folder, "top.html", 390, DARK)
        assert brightness(dark["paper"]) < 150 and brightness(dark["ink"]) > 500, dark
        # The probe sees a page that is too wide, a table that is, and one whose parts overlap.
        wide = (folder.path / "top.html").read_text(encoding="utf-8")
        (folder.path / "wide.html").write_text(wide.replace("<h1>", '<h1 style="width: 2000px">'), encoding="utf-8")
        assert seen(folder, "wide.html", 390)["out"]
        (folder.path / "table.html").write_text(wide.replace("<th ", '<th style="min-width: 30rem" '), encoding="utf-8")
        assert seen(folder, "table.html", 1280)["scrolled"]
        (folder.path / "over.html").write_text(wide.replace('<div class="figure">', '<div class="figure" style="margin-left: -300px">'), encoding="utf-8")
        assert seen(folder, "over.html", 1280)["overlaps"]
    print(f"{len(pages)} pages fit {len(WIDTHS)} widths in chromium")


if __name__ == "__main__":
    main()
