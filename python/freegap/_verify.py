"""The alignment checker for mechanisms written in Python."""

from __future__ import annotations

from array import array
from fractions import Fraction
from typing import TYPE_CHECKING, Callable, NamedTuple, Sequence

from . import _core

if TYPE_CHECKING:
    from .typing import Exact, TapeNoise


class Verdict(NamedTuple):
    """What a check found."""

    #: Tapes that were checked.
    replays: int
    #: The largest cost of an alignment.
    worst_cost: Fraction
    #: What does not hold, with all that is needed to see it again; None where everything held.
    counterexample: str | None

    @property
    def holds(self) -> bool:
        """Whether everything held."""
        return self.counterexample is None


def _whole(numbers: Sequence[int]) -> list[int]:
    return array("q", list(numbers)).tolist()


def verify(mechanism: Callable[[list[int], TapeNoise], list[int]], *, align: Callable[[list[int], list[int], list[int], list[int]], list[int]],
           recover: Callable[[list[int], list[int], list[int], list[int]], list[int]], epsilon: Exact,
           pairs: Sequence[tuple[Sequence[int], Sequence[int]]], tapes: int = 200, seed: int = 1) -> Verdict:
    """Checks the privacy proof of a mechanism on its own code, tape by tape.

    `mechanism(answers, noise)` returns all that an observer sees, as a list of whole numbers. It draws by `noise.geometric(rate)`,
    `noise.laplace(rate)` and `noise.below(n)`. `align(first, second, output, draws)` returns the draws that give the same output on the
    neighbour `second` as `draws` do on `first`; `recover` is its inverse. `pairs` are neighbours. What holds on all tapes at a cost of
    at most `epsilon` is epsilon-differentially private (docs/verify.md).

    >>> import freegap as fg
    >>> def noisy(answers, noise):
    ...     return [answers[0] + noise.laplace(1)]
    >>> def moved(first, second, output, draws):
    ...     return [draws[0] + first[0] - second[0]]
    >>> def back(first, second, output, draws):
    ...     return [draws[0] - first[0] + second[0]]
    >>> fg.verify(noisy, align=moved, recover=back, epsilon=1, pairs=[([3], [4]), ([4], [3])]).holds
    True
    >>> fg.verify(noisy, align=moved, recover=back, epsilon="1/2", pairs=[([3], [4])]).holds
    False
    """
    if not all(map(callable, (mechanism, align, recover))):
        raise TypeError("mechanism, align, recover: give functions")
    try:
        checked = [(_whole(first), _whole(second)) for first, second in pairs]
    except (TypeError, ValueError):
        raise TypeError("pairs: give pairs of lists of whole numbers, for example [([3, 5], [4, 5])]") from None
    except OverflowError:
        raise ValueError("pairs: whole numbers must fit 64 bits") from None
    found = _core.check_alignment(mechanism, align, recover, epsilon, checked, tapes, seed)
    return Verdict(**found)
