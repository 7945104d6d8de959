"""The exceptions of the package. Bad input is a ValueError or a TypeError; nothing was spent then."""

from __future__ import annotations

from fractions import Fraction


class BudgetExceeded(ValueError):
    """A release would cost more than what is left of the budget. Nothing was spent.

    >>> import freegap as fg
    >>> ledger = fg.Ledger.create("books.db", dataset="shop", epsilon=3, unit="customer")
    >>> try:
    ...     fg.top_k([40, 2, 17], k=1, epsilon=5, unit="customer", ledger=ledger)
    ... except fg.BudgetExceeded as refused:
    ...     print(refused.asked, refused.left, refused.of)
    5 3 epsilon
    """

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

    def __reduce__(self) -> tuple[type[BudgetExceeded], tuple[object, ...]]:
        return type(self), (self.args[0], self.asked, self.left, self.total, self.of)


class MachineFault(RuntimeError):
    """Disk, entropy or memory failed, or code of yours after the charge. The message says what stays charged."""


class Exhausted(RuntimeError):
    """A query to a sparse vector that answers no more: its budget is used up, or it was closed.

    >>> import freegap as fg
    >>> with fg.SparseVector(threshold=500, k=1, epsilon=1, sensitivity=1, ledger=None) as monitor:
    ...     answer = monitor.ask(3)
    >>> try:
    ...     monitor.ask(5)
    ... except fg.Exhausted:
    ...     print("closed")
    closed
    """
