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
