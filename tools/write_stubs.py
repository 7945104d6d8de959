#!/usr/bin/env python3
"""Writes the stubs of the Python package, python/freegap/*.pyi: the signatures that its functions have at run time, with types.

An option has one type wherever it is taken, and that type is said here. Modules that take no options have their types in the source, and no
stub. Run it after a change of python/freegap/_signatures.py, with the package built (tests fail until then):

    PYTHONPATH=build/dev/python build/venv/bin/python3 tools/write_stubs.py"""

import collections
import importlib
import inspect
import json
import pathlib
import re

import freegap
import freegap.typing

PACKAGE = pathlib.Path(__file__).parent.parent / "python/freegap"
STUBBED = ("__init__", "_online", "_session", "duckdb", "opendp", "plan", "postgres", "simulate", "spark")
ENGINES = ("duckdb", "postgres", "spark")
WIDTH = 140

#: Types by the names of parameters; in a module besides those of all. None is added where it is the default.
TYPES = {name: kind for kind, names in {
    "Exact": "delta distance epsilon measure confidence sensitivity sigma target_error theta threshold tick",
    "int": "bounded_by branches k max_items runs seed stop_after threads",
    "bool": "adaptive classic constant_work items_are_public unknown_items",
    "str": "item note unit",
    "Names": "candidates items labels",
    "Estimator": "estimator",
    "Kind": "kind",
    "Neighbours": "neighbours",
    "Noise": "noise",
    "Order": "order",
    "Prefer": "prefer",
    "StopRule": "stop_rule",
    "range": "universe",
    "tuple[Exact, Exact]": "range",
    "Callable[[], int]": "sampler",
}.items() for name in names.split()}
OF_MODULE = {
    "duckdb": {"connection": "DuckDBConnection", "source": "str | PathLike[str] | DuckDBRelation"},
    "postgres": {"connection": "PostgresConnection", "source": "str"},
    "spark": {"frame": "SparkFrame"},
    "opendp": {"input_domain": "Domain", "input_metric": "Metric"},
}
#: Where the names come from that annotations use.
IMPORTS = {
    "Callable": "collections.abc", "Fraction": "fractions", "PathLike": "os", "Any": "typing", "type_check_only": "typing",
    "Axes": "matplotlib.axes", "Domain": "opendp.mod", "Measurement": "opendp.mod", "Metric": "opendp.mod",
    "_online": ".", "Ledger": "._ledger", "Release": "._releases", "Row": "._releases", **dict.fromkeys(freegap.typing.__all__, ".typing"),
}


def type_of(parameter, signature, module):
    """What is annotated, or else the type of the option."""
    if parameter.annotation is not parameter.empty:
        return parameter.annotation
    if parameter.name == "values":
        return "Numbers | Frame" if "item" in signature.parameters else "Numbers"
    if parameter.name == "ledger":
        return "Ledger | None" if parameter.kind is parameter.KEYWORD_ONLY else "Ledger"
    kind = {**TYPES, **OF_MODULE.get(module, {})}[parameter.name]
    return f"{kind} | None" if parameter.default is None else kind


def written(parameter, signature, module):
    """A parameter with its type and its default."""
    if parameter.name == "self":
        return "self"
    text = f"{'*' if parameter.kind is parameter.VAR_POSITIONAL else ''}{parameter.name}: {type_of(parameter, signature, module)}"
    default = parameter.default
    if default is parameter.empty:
        return text
    return f"{text} = " + ("..." if default is ... else json.dumps(default) if isinstance(default, str) else repr(default))


def parameters_of(signature, module):
    """The parameters, with the marks between their kinds."""
    of_kind = {kind: [] for kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY)}
    others = []
    for parameter in signature.parameters.values():
        of_kind.get(parameter.kind, others).append(written(parameter, signature, module))
    positions, options = of_kind.values()
    return [*positions, *(["/"] if positions else []), *others, *(["*"] if options else []), *options]


def filled(parts, indent):
    """The parts, with commas, in lines."""
    lines = [""]
    for part in parts:
        if lines[-1] and len(indent + lines[-1]) + len(part) + 2 > WIDTH:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{part},"
    return "\n".join(indent + line for line in lines).removesuffix(",")


def definition(name, function, module, indent="", doc=False):
    """A function, or with an indent a method, as a stub has it."""
    returns = function.__annotations__.get("return", "None").strip("\"'")
    parts = parameters_of(inspect.signature(function), module)
    if indent and parts[0] != "self":
        parts.insert(0, "self")
    line = f"{indent}def {name}({', '.join(parts)}) -> {returns}:"
    if len(line) + 4 > WIDTH:
        line = f"{indent}def {name}(\n{filled(parts, indent + '    ')}\n{indent}) -> {returns}:"
    if not doc:
        return f"{line} ...\n"
    text = inspect.getdoc(function).replace("\n", f"\n{indent}    ").replace(f"\n{indent}    \n", "\n\n")
    return f'{line}\n{indent}    """{text}"""\n'


def members(kind, module):
    """The body of a class."""
    for name, member in vars(kind).items():
        if name.startswith("_") and name not in ("__init__", "__enter__", "__exit__"):
            continue
        if isinstance(member, property):
            returns = member.fget.__annotations__["return"]
            yield f"    @property\n    def {name}(self) -> {f'_{name.title()}' if returns == '_Engine' else returns}: ...\n"
        elif inspect.isfunction(member):
            yield definition(name, member, module, "    ")


def session_engines():
    """What the properties of a session return: the functions of an engine, with what the session holds."""
    from freegap import _session

    for engine in ENGINES:
        held = _session._Engine(None, engine)
        methods = [definition(name, getattr(held, name), engine, "    ", doc=True) for name in ("top_k", "top_k_above", "sparse_vector", "measure")]
        yield f"@type_check_only\nclass _{engine.title()}:\n{''.join(methods)}    above = sparse_vector\n"


def body(module, name):
    """The public names that the module itself defines, in the order of its source."""
    source = inspect.getsource(module)
    for public, value in vars(module).items():
        if public.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            bases = str(vars(value).get("__orig_bases__", "")).replace("typing.", "").replace(",)", ")")
            yield f"class {public}{bases}:\n{''.join(members(value, name))}"
        elif value.__name__ != public:
            yield f"{public} = {value.__name__}\n"
        else:
            yield definition(public, value, name, doc=f"def {public}(" not in source)
    if name == "_session":
        yield from session_engines()


def imports(text, name):
    """The lines that bring in what the text uses."""
    used = collections.defaultdict(set)
    for word in set(re.findall(r"\w+", text)) & IMPORTS.keys():
        used[IMPORTS[word]].add(word)
    if name == "__init__":  # what it passes on
        for public in freegap.__all__:
            value = getattr(freegap, public)
            source = "." if inspect.ismodule(value) else value.__module__.removeprefix("freegap")
            if source:
                used[source].add(public)
    return "".join(f"from {source} import {', '.join(sorted(used[source]))}\n" for source in sorted(used, key=lambda name: (name[0] == ".", name)))


def stub(name):
    """The stub of a module, as text."""
    module = freegap if name == "__init__" else importlib.import_module(f"freegap.{name}")
    text = "\n".join(body(module, name))
    names = filled(map(json.dumps, getattr(module, "__all__", ())), "    ")
    public = f"__all__ = [\n{names},\n]\n\n" if names.strip() else ""
    version = "__version__: str\n\n" if name == "__init__" else ""
    return f"# Written by tools/write_stubs.py.\n{imports(text, name)}\n{public}{version}{text}"


def main():
    for name in STUBBED:
        (PACKAGE / f"{name}.pyi").write_text(stub(name), encoding="utf-8")


if __name__ == "__main__":
    main()
