"""The page for those who come from other libraries runs, with these libraries."""

import json
import os
import re
import subprocess

import pages
import pytest
from counting import optional
from test_docs import ROOT

PAGE = ROOT / "docs" / "coming_from.md"
TUMULT = "Tumult Analytics"
ENVIRONMENT = ROOT / "build" / "tumult-venv"

#: One small driver. Compilation, by Spark and by Java, would take longer than what is compiled.
SPARK = ("--master local[2] --driver-memory 768m --driver-java-options -XX:TieredStopAtLevel=1 --conf spark.sql.codegen.wholeStage=false "
         "--conf spark.sql.shuffle.partitions=2 --conf spark.driver.bindAddress=127.0.0.1 --conf spark.ui.enabled=false "
         "--conf spark.ui.showConsoleProgress=false pyspark-shell")

#: What the page says about its bounds, asked of the same session and, where its budget is used up, of another.
BOUNDS = """
for query in (choose, count):
    print(session._noise_info(query, PureDPBudget(0.35))[0]["noise_parameter"])
other = Session.from_dataframe(PureDPBudget(1000), "sales", sales, protected_change=AddRowsWithID("customer"))
cut = other.evaluate(QueryBuilder("sales").enforce(MaxRowsPerID(3)).groupby(products).count(), PureDPBudget(1000))
print(cut.sort("product").first()["count"])
"""


@pytest.mark.long
def test_page(folder):
    for package in ("opendp", "diffprivlib"):
        optional(package)
    printed = pages.run(PAGE, lambda section: section != TUMULT)
    alone, with_gaps = [float(text[0]) for text in list(printed.values())[-2:]]
    assert with_gaps < 0.85 * alone  # simulated with a seed


def in_tumult(page):
    """What the page's code of Tumult prints, in its environment. The tests that ctest starts have it."""
    python = ENVIRONMENT / "bin" / "python3"
    if not python.exists() and "FREEGAP_PROGRAM" not in os.environ:
        pytest.skip("build/tumult-venv is not there: run tools/virtual_environment --tumult")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "JAVA_HOME") if name in os.environ}
    done = subprocess.run([python, pages.__file__, page, TUMULT], capture_output=True, text=True, check=False,
                          env={**kept, "PYSPARK_PYTHON": str(python), "PYSPARK_SUBMIT_ARGS": SPARK, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": "local"})
    assert done.returncode == 0, done.stderr
    return [text for lines in json.loads(done.stdout) for text in lines]


@pytest.mark.long
def test_tumult(folder):
    """Its code runs, has the noise that the page states, and cuts customers down only where the page says so."""
    page = folder / "page.md"
    page.write_text(f"{PAGE.read_text(encoding='utf-8')}\n## {TUMULT}\n\n```python{BOUNDS}```\n", encoding="utf-8")
    chosen, counted, _, *scales, cut = in_tumult(page)
    counts = json.loads(re.search(r"^counts = (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE).group(1))
    winners = json.loads(chosen)
    assert len(set(winners)) == 3 and min(counts[i] for i in winners) > 1000  # 1,500 below the third, by 50 scales
    assert [float(scale) for scale in scales] == pytest.approx([10 / 0.35, 3 / 0.35])
    assert json.loads(counted) == pytest.approx([counts[i] for i in winners], abs=30 * 3 / 0.35)  # beyond 30 scales once in e^30
    assert int(cut) == pytest.approx(4700, abs=50)  # which rows stay is decided by their hashes


def test_every_library_that_is_compared_has_code():
    text = PAGE.read_text(encoding="utf-8")
    sections = {section.partition("\n")[0]: section for section in text.split("\n## ")[1:]}
    compared = [name.strip() for name in re.search(r"^\| \|(.*)\|$", text, re.MULTILINE).group(1).split("|")]
    assert TUMULT in compared
    assert [name for name in compared if "```python" not in sections.get(name, "")] == []


def test_versions_are_those_that_are_installed():
    pins = "".join((ROOT / "tests" / name).read_text(encoding="utf-8") for name in ("check_requirements.txt", "tumult_requirements.txt"))
    opening = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    for name, package in {"OpenDP": "opendp", "diffprivlib": "diffprivlib", TUMULT: "tmlt.analytics"}.items():
        version = re.search(rf"^{package}==(.*)$", pins, re.MULTILINE).group(1)
        assert f"{name} {version}" in " ".join(opening.split())
