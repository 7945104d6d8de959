"""The options of the public functions, with their defaults, in one place.

C++ reads and checks options where they are needed (docs/decisions/0025-python-package.md). From this file come what `help` shows, what a
session can hold and, with the types of tools/write_stubs.py, the stubs that editors and type checkers read.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, Container, Iterable

_ENDING = "confidence=0.95, constant_work=False, tick=None, note=None, ledger"
_QUERIES = "neighbours='add-remove', kind='counts', sensitivity=1, "
_GENERAL = "neighbours='add-remove', kind='general', sensitivity=None, "
_NUMBERS = "range=None, unit=None, labels=None, candidates=None, universe=None, items_are_public=False, "
_COUNTED = "item=None, max_items=None, bounded_by=None, " + _QUERIES + _NUMBERS + _ENDING
_UNKNOWN = "unknown_items=False, delta=None, "
_SELECTION = "noise='exponential', estimator='likelihood', "
_BRANCHES = "adaptive=False, branches=2, sigma=2, theta=None, stop_rule='afford', "
_SPARSE_VECTOR = "threshold, k, epsilon, " + _BRANCHES + "stop_after=None, "
_PLAN = "k=None, epsilon=None, target_error=None, "
_EXPECTED = "noise='exponential', max_items=None, " + _QUERIES


def _read(parameters: str) -> inspect.Signature:
    names: dict[str, Any] = {}
    exec(f"def read({parameters}): ...", names)  # noqa: S102: a literal of this file
    return inspect.signature(names["read"])


#: Of the functions of the package, and of its class SparseVector.
PACKAGE = {
    "top_k": _read("values, *, k, epsilon, measure=0.5, classic=False, threads=1, prefer=None, theta=None, " + _SELECTION + _UNKNOWN + _COUNTED),
    "top_k_above": _read("values, *, k, epsilon, threshold=None, prefer='identity', theta=None, measure=0.5, threads=1, " + _SELECTION + _UNKNOWN +
                         _COUNTED),
    "sparse_vector": _read("values, *, " + _SPARSE_VECTOR + "order='random', measure=0, classic=False, " + _SELECTION + _COUNTED),
    "exponential": _read("values, *, epsilon, classic=False, sampler=None, " + _GENERAL + _NUMBERS + _ENDING),
    "measure": _read("values, *, items, epsilon, " + _COUNTED),
    "SparseVector": _read("*, " + _SPARSE_VECTOR + "classic=False, " + _SELECTION + _GENERAL + "range=None, unit=None, " + _ENDING),
}
#: Of freegap.plan.
PLAN = {
    "top_k": _read("*, " + _PLAN + "measure=0.5, " + _UNKNOWN + _EXPECTED),
    "sparse_vector": _read("*, " + _PLAN + "measure=0, " + _BRANCHES + "distance=None, " + _EXPECTED),
}
#: By any function, or between this package and its module.
_TAKEN = {"runs", "seed", "input", "mode", "sql", "_counted"}.union(*(signature.parameters for signature in (*PACKAGE.values(), *PLAN.values())))
#: What goes with rows that freegap counts, and what with ready-made numbers.
ROWS_ONLY = ("item", "max_items")
NUMBERS_ONLY = ("bounded_by", "kind", "sensitivity", "range", "labels")
_ONE_CALL = ("item", "items", "labels", "sampler")  #: what differs from call to call
_SELF = _read("self").parameters["self"]


def signed(signature: inspect.Signature) -> Callable[[Any], Any]:
    """Gives a function the signature that it has by its options."""
    def sign(function: Any) -> Any:
        function.__signature__ = signature
        return function

    return sign


def _options(function: str, without: Container[str] = ()) -> list[inspect.Parameter]:
    parameters = PACKAGE[function].parameters.values()
    return [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in without]


def missing(function: str, given: Iterable[str], message: str) -> str:
    """The refusal of a call that lacks an option: a name that no function takes may be that option, misspelt."""
    unknown = [name for name in given if name not in _TAKEN]
    return f"{function}() does not take {', '.join(map(repr, unknown))}; {message}" if unknown else message


def method(signature: inspect.Signature) -> inspect.Signature:
    """The same, of a method."""
    return signature.replace(parameters=[_SELF, *signature.parameters.values()])


def simulated(function: str) -> inspect.Signature:
    """Of a simulation: it takes numbers, charges nothing, and is drawn from a seed."""
    others = (*ROWS_ONLY, "unit", "note", "ledger")
    seeded = _read("*, runs=1, seed").parameters.values()
    return inspect.Signature([PACKAGE[function].parameters["values"], *_options(function, others), *seeded])


def counted(function: str, rows: Iterable[inspect.Parameter]) -> inspect.Signature:
    """Of an engine: `rows` are the parameters that say what is counted."""
    columns = _read("*, item, unit").parameters
    positions = [parameter.replace(kind=parameter.POSITIONAL_ONLY, annotation=parameter.empty) for parameter in rows]
    return inspect.Signature([*positions, *columns.values(), *_options(function, (*NUMBERS_ONLY, *columns))])


def made(function: str, without: Container[str]) -> inspect.Signature:
    """Of a measurement of OpenDP: `without` is what others say."""
    domain = _read("input_domain, input_metric").parameters.values()
    return inspect.Signature([*domain, *_options(function, without)])


def session() -> inspect.Signature:
    """Of a session: all that it can hold. None counts as not given."""
    held = {option.name: option.replace(default=None) for function in PACKAGE for option in _options(function, (*_ONE_CALL, "ledger"))}
    return inspect.Signature([*_read("ledger").parameters.values(), *held.values()])


def asked(signature: inspect.Signature) -> inspect.Signature:
    """Of a function of a session: what is not given is held, or left to the function. `ledger` is that of the session unless given."""
    def optional(parameter: inspect.Parameter) -> inspect.Parameter:
        if parameter.kind is not parameter.KEYWORD_ONLY or (parameter.name in _ONE_CALL and parameter.default is parameter.empty):
            return parameter
        return parameter.replace(default=... if parameter.name == "ledger" else None)

    return signature.replace(parameters=[optional(parameter) for parameter in signature.parameters.values()])
