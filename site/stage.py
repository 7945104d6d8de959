"""Turns the Markdown of the repository into the sources of the site.

The repository's files are the only source. Each page of docs/ becomes a page of the same name. The pages of site/pages hold what only the
site needs: the start page, navigation, and places for sections of README.md and docs/README.md, which are put where a page says

    <!-- section README.md#in-python -->    the section with that heading; README.md# is what stands before the first
    <!-- code README.md#in-python -->       the first block of code in it
    <!-- rest README.md -->                 all sections that no page names
    <!-- pages -->                          in a list of pages: all pages of this folder that no list on this page names
    <!-- lab --> ... <!-- end -->           what stands there only if the site has a lab

Links are those of the repository, on the pages of the site too, and follow. A link to a section leads to where it is put, one to a public header to its reference, one to a notebook to its page, one to
another file to a page with its text. A link to a folder that has no page becomes plain text. A link to nothing is an error."""

import base64
import json
import os
import pathlib
import posixpath
import re

FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$", re.MULTILINE)
PLACE = re.compile(r"^<!-- (section|code|rest) (\S+?) -->$", re.MULTILINE)
LAB = re.compile(r"<!-- lab -->\n(.*?)<!-- end -->\n", re.DOTALL)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
EXAMPLE = re.compile(r"^## Example\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)

SECTIONED = ("README.md", "docs/README.md")  # their sections are put where the pages of the site say
PLACED = {"CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md", "CONTRIBUTING.md": "contributing.md",
          "python/notebooks/README.md": "notebooks/index.md", "docs/sql.md": "quick_start/sql.md"}
FOLDERS = {"docs/mechanisms": "mechanisms/index.md", "docs/proofs": "proofs/index.md", "docs/decisions": "decisions/index.md",
           "python/notebooks": "notebooks/index.md", "include/freegap": "reference/cpp/index.md", "include/freegap/release": "reference/cpp/index.md",
           "include/freegap/verify": "reference/cpp/index.md"}
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".patch": "diff", ".toml": "toml", ".sh": "sh", "": "text"}
TABS = {"In Python": ("Python", "python"), "On the command line": ("Command line", "sh"), "In SQL": ("SQL", "sql")}


class DeadLink(Exception):
    """A link, or a place for a section, that leads nowhere."""


def masked(text):
    """The text with code blanked out, of the same length."""
    def blank(code):
        return re.sub(r"[^\n]", " ", code.group())
    return CODE_SPAN.sub(blank, FENCE.sub(blank, text))


def anchor(heading):
    """The fragment that a heading is reached by, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def sections(text):
    """The parts of a page by their anchors, each with its heading of the second level; '' is what stands before the first of these."""
    starts = [match for match in HEADING.finditer(masked(text)) if len(match.group(1)) == 2]
    ends = [match.start() for match in starts] + [len(text)]
    parts = {"": HEADING.sub("", text[:ends[0]], count=1)}
    for match, end in zip(starts, ends[1:]):
        parts[anchor(match.group(2))] = text[match.start():end]
    return parts


def anchors_in(text):
    """The anchors of all headings in a text."""
    return {anchor(match.group(2)) for match in HEADING.finditer(masked(text))}


def tabs(text):
    """The examples of a mechanism, which follow each other in Markdown, beside each other."""
    def beside(example):
        parts = re.split(r"^### (.*)\n", example.group(1), flags=re.MULTILINE)
        if len(parts) == 1:
            return example.group()
        before, fence, program = parts[0].partition("```cpp\n")
        items = [("C++", "cpp", fence + program)] if fence else []
        for heading, body in zip(parts[1::2], parts[2::2]):
            if heading not in TABS:
                raise DeadLink(f"an example has the heading '{heading}': the tabs are {', '.join(TABS)}")
            items.append((*TABS[heading], body))
        shown = "".join(f"````{{tab-item}} {title}\n:sync: {key}\n\n{body.strip()}\n````\n" for title, key, body in items)
        return f"## Example\n{before}\n`````{{tab-set}}\n:sync-group: language\n\n{shown}`````\n\n"
    return EXAMPLE.sub(beside, text)


class Site:
    """The sources of the site, written to a folder."""

    def __init__(self, root, out, lab):
        self.root = root
        self.out = out
        self.written = set()
        self.shown = set()  # files of the repository that are shown as they are, because a page links to them
        self.pages = {path.relative_to(root / "site/pages").as_posix(): LAB.sub(r"\1" if lab else "", path.read_text(encoding="utf-8"))
                      for path in sorted((root / "site/pages").rglob("*.md"))}
        self.sections = {name: sections((root / name).read_text(encoding="utf-8")) for name in SECTIONED}
        self.places = self.find_places()
        self.texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in self.sources()}

    def sources(self):
        """The Markdown files that become a page each."""
        for path in sorted((self.root / "docs").rglob("*.md")):
            if path.relative_to(self.root).as_posix() not in SECTIONED:
                yield path
        for name in PLACED:
            if not name.startswith("docs/"):
                yield self.root / name

    def find_places(self):
        """The page on which each section stands."""
        places = {}
        rest = {}
        for page, text in self.pages.items():
            for kind, target in PLACE.findall(text):
                name, _, fragment = target.partition("#")
                if kind == "code":
                    self.code(name, fragment)
                elif name not in self.sections or (kind == "section" and fragment not in self.sections[name]):
                    raise DeadLink(f"site/pages/{page}: no section {target}")
                elif kind == "rest":
                    rest[name] = page
                elif kind == "section":
                    places[name, fragment] = page
        for name, parts in self.sections.items():
            for fragment in parts:
                places.setdefault((name, fragment), rest[name])
        return places

    def code(self, name, fragment):
        """The first block of code in a section of a file."""
        try:
            return FENCE.search(sections((self.root / name).read_text(encoding="utf-8"))[fragment]).group()
        except (OSError, KeyError, AttributeError):
            raise DeadLink(f"site/pages: no code in {name}#{fragment}") from None

    def place(self, name):
        """The page that a file of the repository has on the site, or None."""
        path = pathlib.PurePosixPath(name)
        if name in PLACED:
            return PLACED[name]
        if name in FOLDERS:
            return FOLDERS[name]
        if path.suffix == ".ipynb":
            return f"notebooks/{path.stem}.md"
        for folder in ("docs", "site/pages"):
            if path.is_relative_to(folder):
                return path.relative_to(folder).as_posix()
        if path.parts[:2] == ("include", "freegap") and path.suffix == ".hpp" and "detail" not in path.parts:
            return f"reference/cpp/{path.relative_to('include/freegap').with_suffix('.md')}"
        if (self.root / name).is_dir():
            return None
        self.shown.add(name)
        return f"source/{name}.md"

    def target(self, link, source):
        """The page and fragment that a link in a file of the repository leads to; None if it becomes plain text."""
        name, _, fragment = link.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(source), name)) if name else source
        if not (self.root / name).exists():
            raise DeadLink(f"{source}: {link}: no such file")
        if name in self.sections:
            for part, text in self.sections[name].items():
                if fragment == part or fragment in anchors_in(text):
                    return self.places[name, part], fragment
            raise DeadLink(f"{source}: {link}: no such heading")
        page = self.place(name)
        if page and fragment and name in self.texts and fragment not in anchors_in(self.texts[name]):
            raise DeadLink(f"{source}: {link}: no such heading")
        return (page, fragment) if page else None

    def relinked(self, text, source, page):
        """The text with links that work on the site."""
        plain = masked(text)
        parts = []
        end = 0
        for match in LINK.finditer(plain):
            image, link = match.group(1), match.group(3)
            shown = text[match.start(2):match.end(2)]
            if ELSEWHERE.match(link):
                continue
            found = self.target(link, source)
            if found is None:
                replaced = shown
            elif image:
                replaced = f"![{shown}]({posixpath.relpath(found[0], posixpath.dirname(page) or '.')})"
            else:
                name = "" if found[0] == page and found[1] else posixpath.relpath(found[0], posixpath.dirname(page) or ".")
                replaced = f"[{shown}]({name}{'#' + found[1] if found[1] else ''})"
            parts += [text[end:match.start()], replaced]
            end = match.end()
        return "".join([*parts, text[end:]])

    def filled(self, page, text):
        """A page of the site with sections in their places."""
        def fill(match):
            kind, (name, _, fragment) = match.group(1), match.group(2).partition("#")
            if kind == "code":
                return self.code(name, fragment)
            parts = self.sections[name]
            if kind == "section":
                return self.relinked(parts[fragment], name, page)
            rest = [part for fragment, part in parts.items() if fragment and self.places[name, fragment] == page]
            return self.relinked("".join(rest), name, page)
        return PLACE.sub(fill, text)

    def with_all_pages(self, page, text):
        """A page whose navigation has every page of its folder."""
        folder = posixpath.dirname(page)
        named = set(re.findall(r"^[\w/]+$", text, re.MULTILINE))
        here = {posixpath.basename(other)[:-3] for other in [*map(self.place, self.texts), *self.pages] if posixpath.dirname(other) == folder}
        return text.replace("<!-- pages -->", "\n".join(sorted(here - named - {"index"})))

    def write(self, page, text):
        """Writes a page if it changed, so that what did not change need not be built again."""
        path = self.out / page
        self.written.add(path)
        data = text if isinstance(text, bytes) else text.encode()
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def write_notebook(self, path):
        """A notebook as a page, with what its cells printed and drew."""
        name = path.relative_to(self.root).as_posix()
        parts = []
        pictures = 0
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                parts.append(self.relinked(text, name, self.place(name)))
                continue
            parts.append(f"```python\n{text}\n```")
            for output in cell["outputs"]:
                data = output.get("data", {})
                if "image/png" in data:
                    pictures += 1
                    picture = f"{path.stem}_{pictures}.png"
                    self.write(f"notebooks/{picture}", base64.b64decode("".join(data["image/png"])))
                    parts.append(f"![what the cell above draws]({picture})")
                else:
                    printed = "".join(output.get("text", data.get("text/plain", "")))
                    parts.append(f"```text\n{printed.rstrip()}\n```")
        self.write(f"notebooks/{path.stem}.md", "\n\n".join(parts) + "\n")

    def write_source(self, name):
        """A page with the text of a file of the repository."""
        text = (self.root / name).read_text(encoding="utf-8")
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        language = LANGUAGES.get(pathlib.PurePosixPath(name).suffix, "text")
        self.write(f"source/{name}.md", f"---\norphan: true\nnosearch: true\n---\n# {name}\n\n{fence}{language}\n{text}\n{fence}\n")

    def with_plots(self, text, folder):
        """The page on performance, with the plots that `make bench` left in a folder."""
        for path in sorted(folder.glob("*.svg")):
            self.write(f"figures/bench/{path.name}", path.read_bytes())
            text += f"\n![{path.stem.replace('_', ' ')}, as measured by `make bench`](figures/bench/{path.name})\n"
        return text

    def stage(self, bench=None):
        """Writes the pages that come from Markdown."""
        for name, text in self.texts.items():
            page = self.place(name)
            text = self.relinked(text, name, page)
            if page == "performance.md" and bench:
                text = self.with_plots(f"{text}\n## Plots of this machine\n", bench)
            if page == "notebooks/index.md":
                text += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
            self.write(page, tabs(text) if page.startswith("mechanisms/") else text)
        for page, text in self.pages.items():
            text = self.filled(page, self.relinked(text, f"site/pages/{page}", page))
            self.write(page, self.with_all_pages(page, text))
        for path in sorted((self.root / "python/notebooks").glob("*.ipynb")):
            self.write_notebook(path)
        for path in sorted((self.root / "docs/figures").glob("*")):
            self.write(f"figures/{path.name}", path.read_bytes())
        for name in sorted(self.shown):
            self.write_source(name)

    def finish(self, others):
        """Writes the others, which were generated: a dictionary of names and texts. Removes what is no page any more."""
        for page, text in others.items():
            self.write(page, text)
        for path in sorted(self.out.rglob("*"), reverse=True):
            if path.is_file() and path not in self.written:
                path.unlink()
            elif path.is_dir() and not os.listdir(path):
                path.rmdir()
