"""The exceptions of the package. Bad input is a ValueError or a TypeError; nothing was spent then."""

from __future__ import annotations

from fractions import Fraction


class BudgetExceeded(ValueError):
    """A release would cost more than what is left of the budget. Nothing was spent."""

    def __init__(self, message: str, asked: Fraction, left: Fraction, total: Fraction, of: str = "epsilon"):
        super().__init__(message)
        #: What the release would have reserved.
        self.asked = asked
        #: What is left.
        self.left = left
        #: The total of the data set.
        self.total = total
        #: Which of the two is missing: "epsilon" or "delta".
        self.of = of

    def __reduce__(self):
        return type(self), (self.args[0], self.asked, self.left, self.total, self.of)


class MachineFault(RuntimeError):
    """Disk, entropy or memory failed, or code of yours after the charge. The message says what stays charged."""


class Exhausted(RuntimeError):
    """A query to a sparse vector that answers no more: its budget is used up, or it was closed."""
