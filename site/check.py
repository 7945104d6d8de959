"""Checks the built site: every link leads to a file and a place in it, and nothing is loaded from elsewhere."""

import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("audio", "src"), ("video", "src"),
          ("object", "data"), ("embed", "src"), ("image", "href"), ("use", "href")}
NOT_LOADED = {"canonical", "index", "search", "next", "prev", "author", "help", "copyright"}  # of <link rel=...>
OUTSIDE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|[a-z][a-z0-9+.-]*:", re.IGNORECASE)
STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(html.parser.HTMLParser):
    """The links of a page, what it loads, and the places in it that a link can lead to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.places = [], [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        for name in ("id", "name"):
            if named.get(name):
                self.places.add(named[name])
        for name, value in attributes:
            if value is None:
                continue
            if name == "style" or name == "srcset":
                self.loads += [link for found in STYLE.findall(value) for link in found if link]
            elif (tag, name) in LOADED and not (tag == "link" and named.get("rel") in NOT_LOADED):
                self.loads.append(value)
            elif name in ("href", "src"):
                self.links.append(value)


def check(site):
    """What is wrong with the site, one line each."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        name = path.relative_to(site)
        for link in page.loads:
            if OUTSIDE.match(link) and not link.startswith("data:"):
                wrong.append(f"{name}: loads {link} from elsewhere")
        for link in page.links + page.loads:
            if OUTSIDE.match(link):
                continue
            target, _, place = urllib.parse.unquote(link).partition("#")
            target = target.partition("?")[0]
            file = (path.parent / target).resolve() if target else path
            if file.is_dir():
                file /= "index.html"
            if not file.exists():
                wrong.append(f"{name}: {link}: no such file")
            elif file in pages and place not in pages[file].places:
                wrong.append(f"{name}: {link}: no such place")
    for path in sorted(site.rglob("*.css")):
        for found in STYLE.findall(path.read_text(encoding="utf-8")):
            for link in filter(None, found):
                if OUTSIDE.match(link) and not link.startswith("data:"):
                    wrong.append(f"{path.relative_to(site)}: loads {link} from elsewhere")
    return pages, wrong


def main():
    pages, wrong = check(pathlib.Path(sys.argv[1]).resolve())
    for line in wrong:
        print(line)
    print(f"site: {len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(wrong)} of them wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
