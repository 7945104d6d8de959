"""Types: the stubs say what functions take at run time, and a type checker accepts right uses and refuses wrong ones."""

import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys
import typing

import pytest

import freegap as fg
import freegap.typing
from counting import optional
from freegap import _signatures

ROOT = pathlib.Path(__file__).parents[2]
TYPED = pathlib.Path(__file__).parent / "typed"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: They pass options on in a dictionary, whose values have one type for a checker.
IN_DICTIONARIES = {"data_frames.md", "engines.md"}
VALUES = [600, 20, 300]


def run(*arguments, folder):
    """Runs a module of Python beside the package that is tested."""
    package = pathlib.Path(fg.__file__).parents[1]
    environment = os.environ | {"MYPYPATH": str(package), "PYTHONPATH": str(package)}
    return subprocess.run([sys.executable, "-m", *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def configure(folder, more):
    """Writes the settings of mypy."""
    (folder / "mypy.ini").write_text((TYPED / "mypy.ini").read_text(encoding="utf-8") + "\n" + more, encoding="utf-8")


def writer():
    """tools/write_stubs.py"""
    spec = importlib.util.spec_from_file_location("write_stubs", ROOT / "tools/write_stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_stubs_are_as_they_are_written():
    tool = writer()
    folder = pathlib.Path(fg.__file__).parent
    assert {path.stem for path in folder.glob("*.pyi")} == {*tool.STUBBED, "_core"}
    for name in tool.STUBBED:
        assert (folder / f"{name}.pyi").read_text(encoding="utf-8") == tool.stub(name), f"{name}.pyi is out of date: run tools/write_stubs.py"


def test_whoever_takes_options_has_a_stub():
    """Elsewhere types stand in the source, and options of any name would hide there."""
    stubbed = writer().STUBBED
    for path in pathlib.Path(fg.__file__).parent.glob("*.py"):
        assert path.stem in stubbed or "@signed(" not in path.read_text(encoding="utf-8"), path
    modules = [fg, *(getattr(fg, name) for name in fg.__all__ if inspect.ismodule(getattr(fg, name)))]
    functions = [getattr(module, name) for module in modules for name in module.__all__ if inspect.isfunction(getattr(module, name))]
    assert len(functions) > 35
    for function in functions:
        kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
        assert not kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}, function


def test_stubs_agree_with_the_run_time(folder):
    """Names, kinds and defaults, of every module."""
    optional("mypy")
    configure(folder, "[mypy-duckdb.*,numpy.*,polars.*]\nfollow_imports = skip\nfollow_imports_for_stubs = True\n")
    found = run("mypy.stubtest", "freegap", "--concise", "--mypy-config-file", "mypy.ini", "--allowlist", TYPED / "allowed.txt", folder=folder)
    assert found.returncode == 0, found.stdout + found.stderr


def pages():
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        blocks = list(BLOCK.finditer(text))
        if blocks and page.name not in IN_DICTIONARIES:
            lines = []
            for block in blocks:  # at their lines of the page
                lines += [""] * (text.count("\n", 0, block.start(1)) - len(lines)) + block.group(1).splitlines()
            yield page, "\n".join(lines) + "\n"


def test_uses_that_are_right_and_wrong(folder):
    """Examples of the documentation define functions without types, which --strict would not have."""
    optional("mypy")
    configure(folder, "[mypy-pages.*]\ndisallow_untyped_defs = False\ndisallow_incomplete_defs = False\ndisallow_untyped_calls = False\n")
    (folder / "pages").mkdir()
    (folder / "pages" / "__init__.py").touch()
    for page, text in pages():
        (folder / "pages" / f"{'_'.join(page.relative_to(ROOT).with_suffix('').parts)}.py").write_text(text, encoding="utf-8")
    assert len(list((folder / "pages").iterdir())) > 10
    found = run("mypy", "--strict", "--cache-dir", os.devnull, "--config-file", "mypy.ini", "pages", TYPED / "right.py", TYPED / "wrong.py",
                folder=folder)
    errors = {(pathlib.Path(file).name, int(line)) for file, line in re.findall(r"^(.+?):(\d+): error", found.stdout, re.MULTILINE)}
    marked = {("wrong.py", number) for number, line in enumerate((TYPED / "wrong.py").read_text(encoding="utf-8").splitlines(), 1) if "  # error" in line}
    assert len(marked) > 50
    assert errors == marked, found.stdout + found.stderr


@pytest.mark.parametrize("option, words", [("neighbours", freegap.typing.Neighbours), ("kind", freegap.typing.Kind), ("noise", freegap.typing.Noise),
                                           ("estimator", freegap.typing.Estimator), ("prefer", freegap.typing.Prefer),
                                           ("stop_rule", freegap.typing.StopRule), ("order", freegap.typing.Order)])
def test_words_are_those_that_are_taken(option, words):
    function, given = (fg.sparse_vector, {"threshold": 5}) if option in ("stop_rule", "order") else (fg.top_k_above, {"threshold": 5})
    given |= {"k": 1, "epsilon": 1, "labels": ["tea", "rye", "jam"], "items_are_public": True, "ledger": None}
    with pytest.raises(ValueError) as refused:
        function(VALUES, **given, **{option: "colour"})
    assert set(re.findall('"(.+?)"', str(refused.value))) == set(typing.get_args(words))
    for word in typing.get_args(words):
        function(VALUES, **given, **{option: word}, **({"sensitivity": 1} if word == "general" else {}))


def test_members_of_rows_are_those_that_occur():
    free = {"epsilon": 1, "ledger": None}
    above = {**free, "k": 2, "threshold": 100}
    top = fg.top_k(VALUES, k=2, **free)
    releases = [top, fg.top_k(VALUES, k=2, measure=0, **free), fg.top_k_above(VALUES, **above), fg.sparse_vector(VALUES, adaptive=True, **above),
                fg.measure(VALUES, items=[0], **free), fg.exponential(VALUES, sensitivity=1, **free)]
    rows = [row for release in releases for row in release.rows] + list(fg.estimate(top))
    types = typing.get_type_hints(fg.Row)
    assert {name for row in rows for name in row} == types.keys()
    for row in rows:
        for name, value in row.items():
            kinds = [typing.get_origin(kind) or kind for kind in typing.get_args(types[name]) or [types[name]] if kind is not typing.Any]
            assert isinstance(value, tuple(kinds)) or (value is None and typing.Any in typing.get_args(types[name])), name


#: So that nothing else is wrong than the option that is looked at.
GOOD = {"k": 1, "epsilon": 1, "threshold": 1, "items": ["0"], "seed": 1, "ledger": None, "item": "product", "unit": "row"}


def options_of(function):
    """Its options, and what is good for those that are required."""
    options = {name: parameter for name, parameter in inspect.signature(function).parameters.items() if parameter.kind is parameter.KEYWORD_ONLY}
    return options, {name: GOOD[name] for name, parameter in options.items() if parameter.default is parameter.empty}


def taken(function, *positions, **held):
    """Whether a function takes all options of its signature, and no other."""
    parameters, good = options_of(function)
    good |= held
    for option in (*parameters, "colour"):
        with pytest.raises((TypeError, ValueError)) as caught:
            function(*positions, **{**good, option: object()})
        refused = "does not take" in str(caught.value) or "goes with ready-made numbers" in str(caught.value)
        assert refused == (option == "colour"), f"{function.__qualname__}: {option}: {caught.value}"


#: Functions that draw no noise or take a seed, with what they need besides.
REPEATABLE = [(fg.plan.top_k, [], {"k": 1, "epsilon": 1}), (fg.plan.sparse_vector, [], {"k": 10, "epsilon": 1}),
              *((getattr(fg.simulate, name), [VALUES], more) for name, more in
                {"top_k": {}, "top_k_above": {"threshold": 1}, "sparse_vector": {}, "exponential": {"sensitivity": 1}, "measure": {}}.items())]


@pytest.mark.parametrize("function, positions, more", REPEATABLE)
def test_signatures_of_simulations_and_plans_name_what_is_taken(function, positions, more):
    taken(function, *positions, **more)


@pytest.mark.parametrize("function, positions, more", REPEATABLE)
def test_defaults_are_those_that_are_used(function, positions, more):
    options, good = options_of(function)
    good |= more
    plain = function(*positions, **good)
    for name in options.keys() & {"branches", "sigma"}:
        assert function(*positions, **good, adaptive=True, **{name: options.pop(name).default}) == function(*positions, **good, adaptive=True)
    for name, option in options.items():
        if option.default is not option.empty and option.default is not None and name not in good:
            assert function(*positions, **good, **{name: option.default}) == plain, name


def test_signatures_of_engines_name_what_is_taken():
    for name in ("top_k", "top_k_above", "sparse_vector", "measure"):
        taken(getattr(fg.duckdb, name), None, None, items_are_public=True, **({"threshold": 1} if name == "top_k_above" else {}))


def test_signatures_of_sessions_name_what_is_taken(ledger):
    shop = fg.Session(ledger, epsilon=1, k=1, threshold=1)
    general = {"exponential", "SparseVector"}
    for name in _signatures.PACKAGE:
        taken(getattr(shop, name), *([] if name == "SparseVector" else [VALUES]), **({"sensitivity": 1} if name in general else {}))
    with pytest.raises(TypeError, match="does not take 'colour'"):
        fg.Session(ledger, colour="red")
    for option in inspect.signature(fg.Session).parameters.keys() - {"ledger", "candidates"}:
        fg.Session(ledger, **{option: object()})  # it is looked at by the call that needs it
