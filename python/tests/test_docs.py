"""Every ```python block of README.md and docs/ runs: each page from top to bottom, in a folder of its own (pages.py says how)."""

import pathlib

import pytest

import freegap as fg
from counting import optional
from pages import BLOCK, run

ROOT = pathlib.Path(__file__).parent.parent.parent
OTHERS = {"coming_from.md", "engines.md"}  # they need packages of their own: test_coming_from.py, test_spark.py
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
         if page.name not in OTHERS and BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page(page, folder, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    for package in ("pandas", "pyarrow", "duckdb"):
        optional(package)
    if page.name == "command_line.md":  # it reads what the program wrote
        release = fg.top_k([40, 2, 17], k=2, epsilon=1, ledger=None)
        pathlib.Path("top.json").write_text(release.to_json(), encoding="utf-8")
        release.to_pandas().to_csv("top.csv", index=False)
    run(page)


def test_what_python_offers_has_an_example():
    named = {"candidates", "exponential", "hybrid", "measure", "sparse_vector", "top_k"}
    assert named <= {page.stem for page in PAGES if page.parent.name == "mechanisms"}
    assert {"README", "python"} <= {page.stem for page in PAGES}


@pytest.mark.parametrize("line, right", [("print(1 + 1)  # 2", True), ("print(1 + 1)  # 3", False), ("print(1)  # e.g. 5", True),
                                         ("print(1)\nprint(2)  # 1", False), ("1 / 0", False), ("if False:\n    print(1)  # 1", False)])
def test_pages_that_are_wrong_are_noticed(line, right, folder):
    page = folder / "page.md"
    page.write_text(f"# Page\n\n```python\n{line}\n```\n", encoding="utf-8")
    if right:
        assert run(page)
    else:
        with pytest.raises((AssertionError, ZeroDivisionError)):
            run(page)


def test_sections_that_are_not_wanted_are_left_out(folder):
    page = folder / "page.md"
    page.write_text("# Page\n\n```python\nx = 1\n```\n\n## One\n\n```python\n1 / 0\n```\n\n## Two\n\n### Three\n\n```python\nprint(x)\n```\n", encoding="utf-8")
    assert list(run(page, lambda section: section == "Two").values()) == [["1"]]
    with pytest.raises(ZeroDivisionError):
        run(page)
