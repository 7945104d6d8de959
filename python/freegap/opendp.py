"""OpenDP: a selection of freegap as one of its measurements, and its measurements charged to a ledger of freegap.

    import opendp.prelude as dp
    import freegap as fg

    dp.enable_features("contrib", "honest-but-curious")
    baskets = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    top = fg.opendp.make_top_k(*baskets, candidates=["tea", "jam", "rye"], k=2, epsilon="1/2")
    both = dp.c.make_composition([top, dp.t.make_count(*baskets) >> dp.m.then_laplace(scale=2.0)])
    release, count = both(rows)

    count = fg.opendp.invoke(measurement, rows, d_in=1, unit="customer", ledger=ledger)

The privacy map is what freegap reserves, the worst case, rounded up to a double; never what a release turned out to cost. OpenDP cannot
check what such a measurement says of itself, so that its features "contrib" and "honest-but-curious" must be enabled.
"""

from __future__ import annotations

import collections
import importlib.metadata
import json
import math
import operator
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable

from . import _core, _counting
from ._ledger import Ledger
from ._releases import Release
from ._signatures import made, signed

if TYPE_CHECKING:
    from opendp.mod import Domain, Measurement, Metric

__all__ = ["invoke", "make_measure", "make_sparse_vector", "make_top_k", "make_top_k_above"]

#: Metrics of data sets: which neighbours a distance of 1 means.
_ROWS = {"SymmetricDistance": "add-remove", "InsertDeleteDistance": "add-remove", "ChangeOneDistance": "replace", "HammingDistance": "replace"}
#: The same of metrics that only measurements of OpenDP have.
_UNITS = {**_ROWS, "SymmetricIdDistance": "add-remove", "ChangeOneIdDistance": "replace"}
_OURS = ("unit", "item", "neighbours", "kind", "sensitivity", "ledger")
#: What is more than pure ε, or rests on a bound that no metric of OpenDP states.
_ELSEWHERE = ("unknown_items", "delta", "max_items", "bounded_by")
_LARGEST_EXAMPLE = 2**24


@signed(made("top_k", (*_OURS, *_ELSEWHERE)))
def make_top_k(input_domain: Domain, input_metric: Metric, **options: Any) -> Measurement:
    """A measurement that returns the `Release` of `freegap.top_k`.

    The input is
    - a vector of items, of which equal ones are counted, with a metric of data sets (symmetric_distance, insert_delete_distance;
      change_one_distance, hamming_distance). Say `candidates`, `universe` or `items_are_public`;
    - a vector of counts, with linf_distance(T, monotonic=True), or without `monotonic` where counts can rise and fall at once.

    A distance of d costs d times `epsilon`. Options are those of `freegap.top_k` but for unit, neighbours and ledger: OpenDP accounts for the cost.
    They are checked here, by a draw from made-up counts, so that a measurement with bad options is never charged.
    """
    return _made("top_k", input_domain, input_metric, options)


@signed(made("top_k_above", (*_OURS, *_ELSEWHERE)))
def make_top_k_above(input_domain: Domain, input_metric: Metric, **options: Any) -> Measurement:
    """The same of `freegap.top_k_above`."""
    return _made("top_k_above", input_domain, input_metric, options)


@signed(made("sparse_vector", (*_OURS, *_ELSEWHERE)))
def make_sparse_vector(input_domain: Domain, input_metric: Metric, **options: Any) -> Measurement:
    """The same of `freegap.sparse_vector`."""
    return _made("sparse_vector", input_domain, input_metric, options)


@signed(made("measure", (*_OURS, *_ELSEWHERE)))
def make_measure(input_domain: Domain, input_metric: Metric, **options: Any) -> Measurement:
    """The same of `freegap.measure`."""
    return _made("measure", input_domain, input_metric, options)


def invoke(measurement: Measurement, data: Any, *, d_in: Any, unit: str, ledger: Ledger, note: str | None = None) -> Any:
    """What a measurement of OpenDP returns for the data, charged to a ledger of freegap before it is drawn.

    Args:
        measurement: one of pure differential privacy (max_divergence).
        d_in: how far apart two data sets are, by the metric of the measurement, that differ in one unit.
        unit: whose presence is protected; that of the data set in the ledger.

    The whole of what the privacy map says is charged. If the measurement fails after that, a `MachineFault` says what stays charged. What
    it returns is stored in the ledger if JSON can hold it.
    """
    opendp = _opendp()
    if not isinstance(measurement, opendp.mod.Measurement):
        raise TypeError("measurement: give a measurement of OpenDP")
    if measurement.output_measure != opendp.measures.max_divergence():
        raise ValueError(f"measurement: the ledger adds up pure epsilon, and this one is measured by {measurement.output_measure}; its "
                         "output measure must be max_divergence(). Nothing was spent")
    if not isinstance(ledger, Ledger):
        raise TypeError("ledger: give a freegap.Ledger. (To charge nothing, call the measurement itself)")
    _check_neighbours(str(measurement.input_metric), ledger.neighbours, d_in)
    parameters = {"d_in": str(d_in), "input_domain": str(measurement.input_domain), "input_metric": str(measurement.input_metric),
                  "output_measure": str(measurement.output_measure), "opendp": importlib.metadata.version("opendp")}
    drawn: list[Any] = []

    def draw() -> str:
        drawn.append(measurement(data))
        return _as_json(drawn[0])

    options = {"mechanism": "opendp", "epsilon": _charge(measurement, d_in), "unit": unit, "neighbours": ledger.neighbours,
               "parameters": json.dumps(parameters), "ledger": ledger, "note": note}
    _core.release_outside(options, draw)
    return drawn[0]


def _opendp() -> Any:
    import opendp.measures
    import opendp.mod

    return opendp


def _name(metric: Any) -> str:
    return re.split(r"\W", str(metric), maxsplit=1)[0]


def _charge(measurement: Any, d_in: Any) -> Fraction:
    """The exact value of the double that bounds the loss."""
    epsilon = float(measurement.map(d_in))
    if not math.isfinite(epsilon) or epsilon <= 0:
        raise ValueError(f"measurement: its privacy map says {epsilon} for d_in={d_in}, which cannot be charged. Nothing was spent")
    return Fraction(epsilon)


def _check_neighbours(metric: str, neighbours: str, d_in: Any) -> None:
    if "monotonic" in metric and neighbours == "replace":
        # No d_in helps: the metric compares counts that all rise, or all fall, and a replaced record does both.
        raise ValueError("measurement: its metric is monotonic, and the data set has neighbours by replacement: a replaced record raises some "
                         "counts and lowers others. Take the metric without `monotonic`. Nothing was spent")
    metric = _name(metric.removeprefix("FrameDistance("))
    if metric not in _UNITS or _UNITS[metric] == neighbours:
        return
    if neighbours == "replace":
        if not isinstance(d_in, (int, float)):
            raise ValueError("d_in: the data set has neighbours by replacement, and this metric has other ones. Take a metric of replacement. "
                             "Nothing was spent")
        if d_in >= 2:
            return
        raise ValueError("d_in: the data set has neighbours by replacement, and one replaced record is two steps of this metric: at least 2. "
                         "Nothing was spent")
    raise ValueError(f"measurement: {metric} compares data sets of equal size, and the data set in the ledger protects against addition and "
                     "removal. Nothing was spent")


def _as_json(value: Any) -> str:
    """A text that the ledger can hold as it is, or else "null": 64 bits are the most that its whole numbers have."""
    try:
        if isinstance(value, Release):
            return value.to_json()
        text = json.dumps(value, allow_nan=False)
        return text if all(-2**63 <= number < 2**64 for number in _whole_numbers(text)) else "null"
    except (TypeError, ValueError, RecursionError):
        return "null"


def _whole_numbers(text: str) -> list[int]:
    found: list[int] = []
    json.loads(text, parse_int=lambda digits: found.append(int(digits)))
    return found


def _rounded_up(value: Fraction) -> float:
    """The smallest double that is not below it."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def _made(function: str, input_domain: Any, input_metric: Any, options: dict[str, Any]) -> Measurement:
    import opendp.measurements
    import opendp.measures

    epsilon, draw = _checked(function, input_domain, input_metric, options)

    def released(data: Any) -> Release:
        release = draw(data)
        if release.reserved > epsilon or release.delta:
            raise RuntimeError("the release reserved more than the privacy map says")
        return release

    return opendp.measurements.make_user_measurement(input_domain, input_metric, opendp.measures.max_divergence(), released,
                                                     lambda d_in: _rounded_up(Fraction(d_in) * epsilon))


def _checked(function: str, input_domain: Any, input_metric: Any, options: dict[str, Any]) -> tuple[Fraction, Callable[[Any], Release]]:
    """What one step costs, and how to draw. Options are checked by a draw from made-up counts, which is thrown away."""
    for name in _OURS:
        if name in options:
            raise TypeError(f"{name}= follows from the metric, or is for OpenDP to say")
    for name in _ELSEWHERE:
        if options.get(name) is not None and options[name] is not False:
            raise ValueError(f"{name}= cannot be said here: the measurement promises pure epsilon for the distances of its metric. Call "
                             f"freegap.{function} with a ledger instead")
    if options.get("epsilon") is None:
        raise TypeError("epsilon= must be given")
    epsilon = Fraction(str(options["epsilon"]))
    metric = _name(input_metric)
    if metric in _ROWS:
        draw = _of_rows(function, {**options, "epsilon": epsilon, "neighbours": _ROWS[metric]})  # which looks at all options
    elif metric == "LInfDistance":
        draw = _of_counts(function, {**options, "epsilon": epsilon, "neighbours": "add-remove" if "monotonic" in str(input_metric) else "replace"})
        draw([0] * _example_size(input_domain, options))
    else:
        raise ValueError(f"input_metric: {metric} does not say by how much counts change. Take a metric of data sets, or linf_distance")
    return epsilon, draw


def _whole(value: Any) -> int:
    """A whole number of an option, or 0 where it is none: that is refused elsewhere."""
    return operator.index(value) if hasattr(value, "__index__") else 0


def _example_size(domain: Any, options: dict[str, Any]) -> int:
    """How many counts an example has: what the domain or the labels say, or else enough of them."""
    if getattr(domain, "size", None) is not None:
        return domain.size
    if options.get("labels") is not None:
        return len(options["labels"])
    positions = [_whole(item) for item in options.get("items") or () if not isinstance(item, str)]
    return min(max([_whole(options.get("k")), *positions, 0]), _LARGEST_EXAMPLE) + 1


def _of_rows(function: str, options: dict[str, Any]) -> Callable[[Any], Release]:
    asked, options = _counting.take(function, {**options, "item": "item", "unit": "row", "ledger": None})

    def draw(rows: Any) -> Release:
        tally = _counting.Tally(asked, collections.Counter(rows).items())
        return _counting.release(function, asked, {**options, "input": "OpenDP"}, tally)

    return draw


def _of_counts(function: str, options: dict[str, Any]) -> Callable[[Any], Release]:
    import freegap

    return lambda counts: getattr(freegap, function)(list(counts), **options, ledger=None)
