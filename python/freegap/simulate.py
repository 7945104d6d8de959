"""The mechanisms on data that is NOT secret, with noise from a seed: to learn how they behave.

Each function takes the options of its namesake, without `ledger` and `unit`, besides `seed` and `runs` (1), and returns a list of releases.
They are those of `freegap simulate` with the same seed. Never publish the result of a simulation on real data: anyone who knows the seed
can subtract the noise.

They take numbers, not data frames. Count rows first, for example by counts = frame.groupby("product")["customer"].nunique(), and give
counts.to_numpy() with labels=list(counts.index).
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import seen
from ._releases import Release
from ._signatures import signed, simulated

__all__ = ["exponential", "measure", "sparse_vector", "top_k", "top_k_above"]


def _simulated(function: Any, values: Any, options: dict[str, Any]) -> list[Release]:
    if options.pop("item", None) is not None or hasattr(type(values), "columns"):
        raise TypeError("values: simulations take numbers, not data frames. Count the rows first, for example counts = "
                        "frame.groupby(\"product\")[\"customer\"].nunique(), and give counts.to_numpy() with labels=list(counts.index)")
    if options.pop("unit", None) is not None:
        raise TypeError("unit: a simulation protects nobody and takes none")
    return function(seen(values), options)


@signed(simulated("top_k"))
def top_k(values: Any, **options: Any) -> list[Release]:
    """Simulates `top_k`.

    >>> import freegap as fg
    >>> first, second = fg.simulate.top_k([40, 2, 17], k=1, epsilon=1, runs=2, seed=1)
    >>> first.to_dict()["simulated"]
    {'seed': 1, 'run': 1}
    """
    return _simulated(_core.simulate_top_k, values, options)


@signed(simulated("top_k_above"))
def top_k_above(values: Any, **options: Any) -> list[Release]:
    """Simulates `top_k_above`.

    >>> import freegap as fg
    >>> [release] = fg.simulate.top_k_above([600000, 20, 300000], threshold=1000, k=3, epsilon=1, seed=1)
    >>> [winner.item for winner in release.winners]
    ['0', '2']
    """
    return _simulated(_core.simulate_top_k_above, values, options)


@signed(simulated("sparse_vector"))
def sparse_vector(values: Any, **options: Any) -> list[Release]:
    """Simulates `sparse_vector`.

    >>> import freegap as fg
    >>> [release] = fg.simulate.sparse_vector([600000, 20, 300000], threshold=1000, k=3, epsilon=1, order="file", seed=1)
    >>> [answer.above for answer in release.answers]
    [True, False, True]
    """
    return _simulated(_core.simulate_sparse_vector, values, options)


@signed(simulated("exponential"))
def exponential(values: Any, **options: Any) -> list[Release]:
    """Simulates `exponential`.

    >>> import freegap as fg
    >>> [release] = fg.simulate.exponential([41.5, 1e6, 39.0], epsilon=1, sensitivity=2, seed=1)
    >>> release.item
    '1'
    """
    return _simulated(_core.simulate_exponential, values, options)


@signed(simulated("measure"))
def measure(values: Any, **options: Any) -> list[Release]:
    """Simulates `measure`.

    >>> import freegap as fg
    >>> [release] = fg.simulate.measure([40, 2, 17], items=[0, 2], epsilon=1, seed=1)
    >>> [row.item for row in release.measurements]
    ['0', '2']
    """
    return _simulated(_core.simulate_measure, values, options)
