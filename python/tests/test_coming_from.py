"""The page for those who come from other libraries runs, with these libraries."""

import pytest
from counting import optional
from test_docs import ROOT, run


@pytest.mark.long
def test_page(folder):
    for package in ("opendp", "diffprivlib"):
        optional(package)
    printed = run(ROOT / "docs" / "coming_from.md")
    alone, with_gaps = [float(text[0]) for text in list(printed.values())[-2:]]
    assert with_gaps < 0.85 * alone  # simulated with a seed


def test_what_has_no_code_is_said():
    """Every library that the page compares has code, or is said to have none."""
    text = (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")
    sections = {section.partition("\n")[0]: section for section in text.split("\n## ")[1:]}
    without = [name for name in ("OpenDP", "diffprivlib", "freegap", "Tumult Analytics") if "```python" not in sections[name]]
    assert [name for name in without if f"There is no code of {name}" not in text.partition("\n## ")[0]] == []
