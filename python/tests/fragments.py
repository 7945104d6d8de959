"""What a notebook shows of a release, taken apart."""

import html.parser
import re

VOID = {"line", "rect"}
DRAWING = re.compile(r'(?:<ul class="keys">.*?</ul>\n)?<div class="chart".*?\n</div>\n', re.DOTALL)


class Fragment(html.parser.HTMLParser):
    """Its elements are balanced and in one; it needs nothing from elsewhere, and changes nothing elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.style, self.tags, self.attributes = [], "", "", [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open
        assert text.startswith('<div class="freegap tex2jax_ignore mathjax_ignore">\n') and text.endswith("</div>\n")
        assert not {"script", "link", "img", "iframe", "object", "a", "form", "h1", "h2", "html", "body"} & set(self.tags), self.tags
        assert not {name for name in self.attributes if name.startswith("on") or name in ("id", "style", "src", "href")}, self.attributes
        assert not re.search(r"https?:|url\(|@import|javascript:", self.style)
        self.check_style()
        self.drawings = DRAWING.findall(text)

    def check_style(self):
        """One rule, which has all others in it: so they apply to nothing outside."""
        assert self.style.strip().startswith(".freegap.freegap {")
        depth = 0
        for i, c in enumerate(self.style.strip()):
            depth += {"{": 1, "}": -1}.get(c, 0)
            assert depth > 0 or i < len(".freegap.freegap {") or i == len(self.style.strip()) - 1, self.style[i:]
        assert depth == 0 and ":root" not in self.style and "prefers-color-scheme" not in self.style

    def handle_starttag(self, tag, attrs):
        assert self.open or not self.tags, "more than one element"
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "style" in self.open:
            self.style += data
        else:
            self.text += data
