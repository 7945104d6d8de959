"""Sphinx: formulas become MathML when the site is built, so that a browser shows them without a script or a network."""

import re
import xml.etree.ElementTree as ET

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
RELATIONS = set("=<>≤≥≠∈∉∼∝≈⟺→")
LIMITS = {"max", "min", "∑", "∏"}
WORD_JOINER = "\u2060"  # a full stop behind a formula stays with it
LONG = 20  # characters of TeX from which a formula within a line may be broken


def texts_joined(element):
    """Upright letters, which come one by one, become words again."""
    for child in element:
        texts_joined(child)
    joined = []
    for child in element:
        if child.tag == "mi" and child.get("mathvariant") == "normal" and joined and joined[-1].tag == "mi" and joined[-1].get("joined"):
            joined[-1].text += child.text
        else:
            if child.tag == "mi" and child.get("mathvariant") == "normal":
                child.set("joined", "yes")
            joined.append(child)
    element[:] = joined


def mended(root, display):
    """What the converter leaves to be done for browsers, which know MathML Core and no more."""
    texts_joined(root)
    for element in root.iter():
        if element.attrib.pop("joined", None) and len(element.text) > 1:
            element.attrib.pop("mathvariant")  # words are upright anyway
        if element.tag == "mi" and element.text in ("′", "~"):
            element.tag, element.text = "mo", element.text.replace("~", "∼")
        if element.tag == "mo" and element.text == "|":
            element.attrib.update(lspace="0", rspace="0")
        if element.tag == "msub" and display and element[0].tag == "mo" and element[0].text in LIMITS:
            element.tag = "munder"
        if element.tag == "mtr":
            for number, cell in enumerate(element):
                right = cell.attrib.pop("columnalign", "left") == "right"
                space = "2em" if right and number else "0"
                cell.set("style", f"text-align: {'right' if right else 'left'}; padding: .3em 0 .3em {space}")


def parts(root, source):
    """A formula within a line, cut after relations, so that the line can be broken there."""
    row = root[0] if len(root) == 1 and root[0].tag == "mrow" else root
    pieces = [[]]
    depth = 0
    for element in row:
        pieces[-1].append(element)
        text = element.text if element.tag == "mo" else ""
        depth += (text in set("([⌊⌈")) - (text in set(")]⌋⌉"))
        if text in RELATIONS and depth == 0 and len(source) >= LONG and len(pieces[-1]) > 1:
            element.set("form", "infix")
            pieces.append([])
    for piece in filter(None, pieces):
        math = ET.Element("math", root.attrib)
        math.extend(piece)
        yield ET.tostring(math, encoding="unicode")


def rendered(node, display):
    source = node.astext().strip()
    try:
        text = convert(source.replace("{aligned}", "{align*}"), display="block" if display else "inline")
        root = ET.fromstring(re.sub(r' xmlns="[^"]*"', "", text))
    except Exception as problem:  # the package raises many kinds
        LOGGER.warning("formula: %s: %r", source, problem, location=node)
        return ""
    if unknown := re.search(r"\\\w+|&amp;", text):
        LOGGER.warning("formula: %s: %s is not known", source, unknown.group(), location=node)
    mended(root, display)
    return ET.tostring(root, encoding="unicode") if display else "".join(parts(root, source)) + WORD_JOINER


def visit_inline(translator, node):
    translator.body.append(rendered(node, display=False))
    raise SkipNode


def visit_displayed(translator, node):
    translator.body.append(f'<div class="math-block" tabindex="0">{rendered(node, display=True)}</div>\n')
    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
