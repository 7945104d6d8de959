"""The examples of the docstrings run, every public function and class has one, and signatures are those of the functions."""

import doctest
import importlib
import inspect
import pathlib
import pkgutil

import pytest

import freegap as fg
from counting import optional

ENGINES = pathlib.Path(__file__).parents[2] / "docs" / "engines.md"
OPTIONAL = {"duckdb", "plots", "_frames"}  # they need packages that are not always there; their own tests run them
MODULES = [fg, *(importlib.import_module(f"freegap.{module.name}") for module in pkgutil.iter_modules(fg.__path__)
                 if module.name not in OPTIONAL and module.name != "_core")]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples(module, folder):
    tests = doctest.DocTestFinder(exclude_empty=True).find(module)
    for number, test in enumerate(tests):
        place = folder / str(number)
        place.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(place)
            results = doctest.DocTestRunner().run(test)
        assert results.failed == 0, test.name


def test_every_public_name_is_documented():
    for name in fg.__all__:
        assert inspect.getdoc(getattr(fg, name)), name


#: They come from others, whose examples show them; no example can make a machine fail.
SHOWN_ELSEWHERE = {"Balance", "MachineFault", "Verdict"}


@pytest.mark.parametrize("module", ["freegap", "freegap.plan", "freegap.simulate", "freegap.plots"])
def test_every_public_function_and_class_has_an_example(module):
    """The functions of an engine differ by what they count; the example of their module, or of docs/engines.md, is theirs."""
    module = importlib.import_module(module)
    named = {name: getattr(module, name) for name in module.__all__ if not inspect.ismodule(getattr(module, name))}
    run = {test.name for source in {public.__module__ for public in named.values()}
           for test in doctest.DocTestFinder().find(importlib.import_module(source)) if test.examples}
    assert {name for name, public in named.items() if f"{public.__module__}.{public.__qualname__}" not in run} <= SHOWN_ELSEWHERE


@pytest.mark.parametrize("module", ["duckdb", "opendp", "postgres", "spark"])
def test_engines_have_an_example(module):
    text = inspect.getdoc(getattr(fg, module))
    assert f"fg.{module}." in text and (">>> " in text or f"fg.{module}." in ENGINES.read_text(encoding="utf-8"))


#: So that nothing else is wrong than the option that is looked at.
GOOD = {"k": 1, "epsilon": 1, "threshold": 1, "items": [0], "sensitivity": 1, "ledger": None}


def test_signatures_name_what_is_taken():
    for name in ("top_k", "top_k_above", "sparse_vector", "exponential", "measure", "SparseVector"):
        parameters = dict(inspect.signature(getattr(fg, name)).parameters)
        assert parameters["ledger"].default is inspect.Parameter.empty
        values = [[3, 4]] if parameters.pop("values", None) else []
        good = {option: value for option, value in GOOD.items() if option in parameters}
        assert len(parameters) > 10
        for option in (*parameters, "colour"):
            with pytest.raises((TypeError, ValueError)) as caught:
                getattr(fg, name)(*values, **{**good, option: object()})
            assert ("does not take" in str(caught.value)) == (option == "colour"), option


def test_a_stream_refuses_what_needs_a_list():
    others = set(inspect.signature(fg.sparse_vector).parameters) - set(inspect.signature(fg.SparseVector).parameters) - {"values", "measure"}
    assert {"order", "labels", "candidates", "item"} <= others
    good = {option: GOOD[option] for option in ("k", "epsilon", "threshold", "sensitivity", "ledger")}
    for option in others:
        with pytest.raises(TypeError, match="does not take"):
            fg.SparseVector(**good, **{option: 1})
    with pytest.raises(ValueError, match="not measured"):
        fg.SparseVector(**good, measure=0.5)


def test_the_package_is_typed():
    assert (pathlib.Path(fg.__file__).parent / "py.typed").exists()


def test_no_test_is_skipped_where_ctest_starts_it(monkeypatch):
    """`counting.optional` fails there; `importorskip` would not."""
    direct = [path.name for path in pathlib.Path(__file__).parent.glob("*.py") if "pytest.importor" + "skip(" in path.read_text(encoding="utf-8")]
    assert direct == ["counting.py"]
    monkeypatch.setenv("FREEGAP_PROGRAM", "freegap")
    with pytest.raises(ModuleNotFoundError):
        optional("no_such_package")
    monkeypatch.delenv("FREEGAP_PROGRAM")
    with pytest.raises(pytest.skip.Exception):
        optional("no_such_package")
