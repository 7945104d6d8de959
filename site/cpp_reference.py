"""The reference of the public headers, one page per header, from what Doxygen reads in them."""

import itertools
import pathlib
import posixpath
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

SHOWN = ("public-func", "public-static-func", "public-attrib", "public-static-attrib", "public-type", "func", "enum", "var", "typedef", "friend",
         "user-defined")


def doxygen(root, out):
    """Doxygen's view of the headers, as XML in a folder. Its warnings are errors, as everywhere. Nothing is done if no header changed."""
    read = [root / "Doxyfile", *(root / "include").rglob("*.hpp")]
    done = out / "done"
    if not done.exists() or max(path.stat().st_mtime for path in read) >= done.stat().st_mtime:
        settings = read[0].read_text(encoding="utf-8")
        settings += f"\nOUTPUT_DIRECTORY = {out}\nGENERATE_HTML = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, cwd=root)
        done.touch()
    return out / "xml"


def words(element):
    """The text of a description, as Markdown."""
    if element is None:
        return ""
    text = element.text or ""
    for child in element:
        inner = words(child)
        text += {"computeroutput": f"`{inner}`", "emphasis": f"*{inner}*", "bold": f"**{inner}**", "para": f"{inner.strip()}\n\n",
                 "listitem": f"- {inner.strip()}\n", "ulink": f"<{child.get('url')}>", "ndash": "–", "mdash": "—",
                 "verbatim": f"\n\n```text\n{inner}\n```\n\n", "codeline": f"{inner}\n", "sp": " ",
                 "programlisting": f"\n\n```cpp\n{inner}```\n\n"}.get(child.tag, inner)
        text += child.tail or ""
    return text


def plain(element):
    return "" if element is None else "".join(element.itertext()).strip()


def tidy(code):
    """Doxygen's spelling of a declaration, as the project spells it."""
    code = re.sub(r"\s+", " ", code)
    code = re.sub(r"< (?=\S)", "<", code)
    code = re.sub(r"(?<=\S) >", ">", code)
    code = re.sub(r" ([&*]+)(?=\w)", r"\1 ", code)
    code = re.sub(r" ([&*]+)(?=[ ,)]|$)", r"\1", code)
    code = re.sub(r"freegap::(?=\w)", "", code)
    return re.sub(r"(\w)=(?=[\w{\"])", r"\1 = ", code).strip()


def template(element):
    parameters = element.find("templateparamlist")
    if parameters is None:
        return ""
    named = [f"{plain(p.find('type'))} {plain(p.find('declname'))}".strip() for p in parameters]
    requires = plain(element.find("requiresclause"))
    return f"template <{', '.join(named)}>" + (f" requires {requires}" if requires else "") + "\n"


def declaration(member):
    """A member as code."""
    kind, name = member.get("kind"), plain(member.find("name"))
    if kind == "enum":
        values = "".join(f"  {plain(value.find('name'))},{'  // ' + words(value.find('briefdescription')).strip() if plain(value.find('briefdescription')) else ''}\n"
                         for value in member.findall("enumvalue"))
        return f"enum class {name} {{\n{values}}};"
    before = "static " if member.get("static") == "yes" else ""
    before += "explicit " if member.get("explicit") == "yes" else ""
    if kind == "typedef":
        return f"using {name} = {tidy(plain(member.find('type')))};"
    if kind == "variable":
        value = plain(member.find("initializer"))
        return template(member) + tidy(f"{before}{plain(member.find('type'))} {name}{' ' + value if value else ''}") + ";"
    code = tidy(f"{before}{plain(member.find('type'))} {name}") + tidy(plain(member.find("argsstring")))
    if len(code) > 90:
        code = re.sub(r"\(", "(\n    ", code, count=1) if len(code) < 110 else re.sub(r", (?=[^()<>]*(?:<[^<>]*>[^()<>]*)*\))", ",\n    ", re.sub(r"\(", "(\n    ", code, count=1))
    return template(member) + code + ";"


def described(element):
    return (words(element.find("briefdescription")).strip() + "\n\n" + words(element.find("detaileddescription")).strip()).strip()


def plain_description(element):
    return (plain(element.find("briefdescription")) + " " + plain(element.find("detaileddescription"))).strip()


def linked(page, text):
    """The text with links to the pages that a comment names, and tests in the typeface of code."""
    folder = posixpath.dirname(page)
    text = re.sub(r"(?<![`\w/])docs/([\w/]+\.md)", lambda name: f"[docs/{name.group(1)}]({posixpath.relpath(name.group(1), folder)})", text)
    return re.sub(r"(?<![`\w/])((?:tests|src|examples)/[\w/]+\.(?:cpp|hpp|py))", r"`\1`", text)


def documented(member):
    return bool(plain(member.find("briefdescription")) or plain(member.find("detaileddescription")))


def line(element):
    return int(element.find("location").get("line", 0))


def file(element):
    return element.find("location").get("file")


def members(compound):
    """The public members of a compound that have a comment, in the order of the header."""
    found = [member for section in compound.findall("sectiondef") if section.get("kind") in SHOWN for member in section.findall("memberdef")
             if documented(member)]
    return sorted(found, key=line)


def pages(xml):
    """The pages of the reference by name: one per public header, and an index of them."""
    headers, entries = {}, {}
    for path in sorted(xml.glob("*.xml")):
        compound = ET.parse(path).getroot().find("compounddef")
        if compound is None or compound.find("location") is None:
            continue
        kind, name = compound.get("kind"), plain(compound.find("compoundname"))
        if kind == "file":
            headers[file(compound)] = compound
        elif "::detail" in name:
            continue
        elif kind in ("class", "struct", "concept") and documented(compound):
            entries.setdefault(file(compound), []).append((line(compound), 0, compound))
        elif kind == "namespace":
            for member in members(compound):
                entries.setdefault(file(member), []).append((line(member), 1, member))
    written = {}
    index = []
    for name, compound in sorted(headers.items()):
        if "/detail/" in name:
            continue
        short = name.removeprefix("freegap/")
        page = f"reference/cpp/{pathlib.PurePosixPath(short).with_suffix('')}"
        parts = [f"# {short}", described(compound), f"```cpp\n#include <{name}>\n```"]
        for _, is_member, entry in sorted(entries.get(name, []), key=lambda e: e[0]):
            parts += member_part(entry, "##") if is_member else class_part(entry)
        written[f"{page}.md"] = linked(f"{page}.md", "\n\n".join(part for part in parts if part) + "\n")
        brief = words(compound.find("briefdescription")).strip()
        index.append((short, page.removeprefix("reference/cpp/"), brief))
    rows = "".join(f"| [`{short}`]({page}.md) | {brief} |\n" for short, page, brief in index)
    tree = "".join(f"{page}\n" for _, page, _ in index)
    written["reference/cpp/index.md"] = (
        "# C++ reference\n\nThe public headers, as their comments describe them. `freegap.hpp` includes all of them but those in `verify/`.\n\n"
        f"| header | |\n|---|---|\n{rows}\n```{{toctree}}\n:hidden:\n\n{tree}```\n")
    return written


def member_part(member, level):
    title = plain(member.find("name"))
    return [f"{level} {title}" if not title.startswith("operator") else f"{level} `{title}`", f"```cpp\n{declaration(member)}\n```", described(member)]


def class_part(compound):
    name = plain(compound.find("compoundname")).removeprefix("freegap::")
    kind = compound.get("kind")
    if kind == "concept":
        return [f"## {name}", f"```cpp\n{plain(compound.find('initializer')).replace('freegap::', '')}\n```", described(compound)]
    base = [plain(b).replace("freegap::", "") for b in compound.findall("basecompoundref")]
    code = template(compound) + f"{kind} {name.rpartition('::')[2]}" + (f" : {', '.join(base)}" if base else "") + ";"
    parts = [f"## {name}", f"```cpp\n{code}\n```", described(compound)]
    for is_field, group in itertools.groupby(members(compound), lambda member: member.get("kind") == "variable"):
        if is_field:  # all of them in one block, with their comments
            fields = "".join(f"{declaration(member)}  // {re.sub(chr(92) + 's+', ' ', plain_description(member))}\n" for member in group)
            parts.append(f"```cpp\n{fields}```")
        else:
            for member in group:
                parts += [f"```cpp\n{declaration(member)}\n```", described(member)]
    return parts


def reference(root, out):
    return pages(doxygen(root, out))
