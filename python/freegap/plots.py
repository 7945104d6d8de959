"""Pictures of releases, ledgers and plans, with matplotlib.

Each function draws one picture: in `ax`, or in a figure of its own. It returns the Axes. Nothing here looks at secret data: a picture of a
release is as public as the release.

>>> import matplotlib
>>> matplotlib.use("Agg")
>>> import freegap as fg
>>> release = fg.top_k([600, 20, 300], k=2, epsilon=1, ledger=None)
>>> axes = release.plot()
>>> axes.figure.savefig("release.png")
"""

from __future__ import annotations

import datetime
import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Sequence

from . import _releases

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._ledger import Ledger
    from ._releases import Release
    from .plan import Plan

__all__ = ["estimates", "ledger", "plan", "release"]

# Okabe and Ito's palette, which the colour-blind can tell apart.
_BLACK, _ORANGE, _SKY, _GREEN, _BLUE, _VERMILION, _GREY = "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#999999"
_LONGEST = 24  # characters of a name
_MOST_ROWS = 40
_PLANS = {"top": "top k", "above": "sparse vector"}


def _axes(ax: Any, height: float = 4.0) -> Any:
    try:
        from matplotlib import axes, pyplot
    except ImportError as missing:
        raise ImportError("plots need matplotlib: pip install matplotlib, or pip install \"freegap[plots]\"") from missing
    if isinstance(ax, axes.Axes):
        return ax
    if ax is not None:
        raise TypeError("ax: give the Axes of matplotlib to draw in, for example `figure, ax = pyplot.subplots()`, one of them where there are several; "
                        "or None for a new figure")
    figure, ax = pyplot.subplots(figsize=(7.0, height), layout="constrained")
    figure._freegap = True
    return ax


def _shortened(name: str) -> str:
    """A name in as many characters as a picture has room for. Dollar signs would start a formula."""
    short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
    return short.replace("$", r"\$")


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _finished(ax: Any, title: str) -> Any:
    """With title and legend: in a figure of our own the legend is below the axes, where it covers no mark."""
    ax.set_title(title, loc="left", fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    own = getattr(ax.figure, "_freegap", False)
    for earlier in list(ax.figure.legends) if own else []:  # of a picture that this one is drawn over
        earlier.remove()
    if not ax.get_legend_handles_labels()[0]:
        return ax
    if own:
        ax.figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    else:
        ax.legend(loc="best", fontsize="small")
    return ax


def _spent(release: Any) -> str:
    exact = str(release.spent)
    return f"spent ε = {exact}" if len(exact) <= 9 else f"spent ε ≈ {float(release.spent):.4g}"


def _names_on(ax: Any, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), [_shortened(name) for name in names])
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)


def release(release: Release, ax: Axes | None = None) -> Axes:
    """A release: estimates with their intervals, and the gaps.

    Filled marks used their gap, hollow ones are direct measurements alone. A threshold is a dashed line; queries below it are grey. What was
    released without a number, as by `classic=True`, has a mark at the side.

    >>> import freegap as fg
    >>> axes = fg.plots.release(fg.top_k([600, 20, 300], k=2, epsilon=1, ledger=None))

    Args:
        release: a Release of any mechanism.
        ax: where to draw; a new figure if None.
    """
    if not isinstance(release, _releases.Release):
        raise TypeError("release: give a freegap.Release")
    if release.mechanism == "exponential":
        return _choice(release, ax)
    document = release.to_dict()
    if "value" in document:
        raise ValueError("release: what other libraries released has no rows that could be drawn; its value is to_dict()[\"value\"]")
    rows = release.rows[:_MOST_ROWS]
    ax = _axes(ax, height=1.6 + 0.3 * max(len(rows), 3))
    names = [row.get("item") or row["query"] for row in rows]
    threshold = document.get("threshold")
    if threshold is None and not ax.has_data() and all(_alone(row) for row in rows):
        ax.set_xticks([])  # no number gives it a scale
    _draw_estimates(ax, rows)
    _draw_gaps(ax, rows, release)
    _draw_names_alone(ax, rows)
    if threshold is not None:
        ax.axvline(threshold["used"], color=_VERMILION, linestyle="--", linewidth=1, label="threshold")
    _names_on(ax, names)
    ax.set_xlabel(release.parameters.get("value", "value" if release.parameters.get("kind") == "general" else "count"))
    ax.grid(axis="x", color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    more = len(release.rows) - len(rows)
    besides = f", first {len(rows)} of {len(release.rows)}" if more > 0 else ""
    return _finished(ax, f"{release.mechanism.replace('_', ' ')}, {_spent(release)}{besides}")


def _draw_estimates(ax: Any, rows: Sequence[Any]) -> None:
    for used, face, label in ((True, _BLUE, "estimate, with its gap"), (False, "white", "estimate, by measurement alone")):
        places = [i for i, row in enumerate(rows) if row.get("estimate") is not None and bool(row.get("used_gap")) == used]
        if not places:
            continue
        values = [rows[i]["estimate"] for i in places]
        bars = [[_reach(rows[i], end) for i in places] for end in ("interval_low", "interval_high")]
        ax.errorbar(values, places, xerr=bars, fmt="o", color=_BLUE, markerfacecolor=face, capsize=3, markersize=5, label=label)
    below = [i for i, row in enumerate(rows) if row.get("above") is False]
    if below:
        ax.scatter([0.01] * len(below), below, marker="x", color=_GREY, transform=ax.get_yaxis_transform(), label="below", clip_on=False)


def _alone(row: Any) -> bool:
    """Whether a winner, or an answer above, was released without a number."""
    return row.get("above") is not False and row.get("estimate") is None and row.get("gap") is None


def _draw_names_alone(ax: Any, rows: Sequence[Any]) -> None:
    """Those above stand at the other side than those below; where nothing is below, at the side of the names."""
    for above, place, marker, label in ((True, 0.99, "^", "above, without a number"), (None, 0.01, "D", "winner, without a number")):
        places = [i for i, row in enumerate(rows) if row.get("above") is above and _alone(row)]
        if places:
            ax.scatter([place] * len(places), places, marker=marker, color=_BLUE, transform=ax.get_yaxis_transform(), label=label, clip_on=False)


def _reach(row: Any, end: str) -> float:
    """How far an error bar reaches. An estimate may have no interval, or lie outside it by rounding."""
    return 0.0 if row.get(end) is None else max(0.0, (row[end] - row["estimate"]) * (1 if end == "interval_high" else -1))


def _draw_gaps(ax: Any, rows: Sequence[Any], release: Any) -> None:
    """A gap reaches from an estimate to the next winner, or to the threshold. Without estimates, gaps are bars from 0."""
    estimated = any(row.get("estimate") is not None for row in rows)
    label = "gap"
    for i, row in enumerate(rows):
        gap = row.get("gap")
        if gap is None:
            continue
        if estimated and row.get("estimate") is not None:
            ax.plot([row["estimate"] - gap, row["estimate"]], [i + 0.22, i + 0.22], color=_ORANGE, linewidth=3, solid_capstyle="butt", label=label)
        else:
            ax.barh(i, gap, height=0.5, color=_ORANGE, label=label)
        label = "_again"


def _choice(release: Any, ax: Any) -> Any:
    row = release.rows[0]
    ax = _axes(ax, height=2.2)
    if row["lead_estimate"] is None and row["lead_at_least"] is None:  # as of a gap of 0
        if not ax.has_data():
            ax.set_xticks([])
        _draw_names_alone(ax, [{}])
    if row["lead_estimate"] is not None:
        ax.barh([0], [row["lead_estimate"]], height=0.5, color=_ORANGE, label="lead, estimated")
    if row["lead_at_least"] is not None:
        ax.plot([row["lead_at_least"]], [0], marker="D", color=_BLUE, linestyle="none", label="lead, at least")
    _names_on(ax, [row["item"]])
    ax.set_xlabel("utility ahead of the next")
    return _finished(ax, f"exponential, {_spent(release)}")


def estimates(release: Release, ax: Axes | None = None) -> Axes:
    """What the estimator used: the standard error of each estimate beside that of its measurement alone.

    >>> import freegap as fg
    >>> axes = fg.plots.estimates(fg.top_k([600, 20, 300], k=2, epsilon=1, ledger=None))

    Args:
        release: a Release of top_k, top_k_above or sparse_vector with measurements (`measure` above 0).
        ax: where to draw; a new figure if None.
    """
    rows = [row for row in release.rows if row.get("standard_error") is not None][:_MOST_ROWS]
    measurement = release.to_dict().get("measurement")
    if not rows or measurement is None:
        raise ValueError("the release has no measurements that gaps could make better: release with measure= above 0")
    ax = _axes(ax, height=1.6 + 0.3 * max(len(rows), 3))
    alone = measurement["scale"] * 2**0.5
    for i, row in enumerate(rows):
        ax.plot([alone, row["standard_error"]], [i, i], color=_GREY, linewidth=1, zorder=1)
    ax.scatter([alone] * len(rows), range(len(rows)), facecolors="white", edgecolors=_BLUE, zorder=2, label="measurement alone")
    ax.scatter([row["standard_error"] for row in rows], range(len(rows)), color=_BLUE, zorder=3, label="with its gap")
    _names_on(ax, [row.get("item") or row["query"] for row in rows])
    ax.set_xlim(left=0)
    ax.set_xlabel("standard error")
    return _finished(ax, f"what the gaps are worth ({release.parameters['estimator']})")


def ledger(ledger: Ledger, ax: Axes | None = None) -> Axes:
    """A budget over time: what was spent, what is reserved by unfinished releases, and the total.

    >>> import freegap as fg
    >>> ledger = fg.Ledger.create("plots.db", dataset="shop", epsilon=3, unit="customer")
    >>> release = fg.top_k([600, 20, 300], k=2, epsilon=1, unit="customer", ledger=ledger)
    >>> axes = fg.plots.ledger(ledger)

    Args:
        ledger: a Ledger.
        ax: where to draw; a new figure if None.
    """
    ax = _axes(ax)
    balance, history = ledger.balance(), ledger.history()
    times = [datetime.datetime.fromtimestamp(float(entry["time"]), datetime.timezone.utc) for entry in history]
    charged = [entry["reserved"] if entry["spent"] is None else entry["spent"] for entry in history]
    totals = [float(total) for total in itertools.accumulate(charged)]
    ax.axhline(float(balance.total), color=_VERMILION, linestyle="--", linewidth=1, label="total")
    if history:
        _draw_charges(ax, history, times, totals)
    else:
        ax.set_xticks([])
        ax.text(0.5, 0.5, "nothing was spent", transform=ax.transAxes, ha="center", va="center", color=_GREY)
    ax.set_ylim(0, float(balance.total) * 1.08)
    ax.set_ylabel("ε")
    left = f"{float(balance.remaining):.6g} of {float(balance.total):.6g} left"
    if balance.delta.total:
        left += f", δ: {float(balance.delta.remaining):.3g} of {float(balance.delta.total):.3g} left"
    return _finished(ax, f"budget of {_shortened(ledger.dataset)}: {left}")


def _draw_charges(ax: Any, history: Sequence[Any], times: Sequence[Any], totals: Sequence[float]) -> None:
    from matplotlib import dates

    ax.step([times[0], *times], [0.0, *totals], where="post", color=_BLUE, label="charged")
    for open_, colour, marker, label in ((False, _BLUE, "o", "release"), (True, _ORANGE, "s", "unfinished, stays charged")):
        places = [i for i, entry in enumerate(history) if (entry["spent"] is None) == open_]
        if places:
            ax.plot([times[i] for i in places], [totals[i] for i in places], marker, color=colour, markersize=5, label=label)
    locator = dates.AutoDateLocator(maxticks=6)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    room = max((times[-1] - times[0]) / 20, datetime.timedelta(seconds=30))
    ax.set_xlim(times[0] - room, times[-1] + room)
    ax.set_xlabel("time (UTC)")


def plan(plan: Plan, ax: Axes | None = None) -> Axes:
    """A plan: the expected error of estimates against ε, and where the plan is.

    >>> import freegap as fg
    >>> axes = fg.plots.plan(fg.plan.top_k(k=10, epsilon="0.7"))

    Args:
        plan: what `freegap.plan.top_k` or `freegap.plan.sparse_vector` returned.
        ax: where to draw; a new figure if None.
    """
    ax = _axes(ax)
    here = float(Fraction(plan["epsilon"]))
    epsilons = [epsilon for step in range(-16, 17) if 1e-40 <= (epsilon := here * 2 ** (step / 8)) <= 1000]
    plans = [plan._with(epsilon) for epsilon in epsilons]  # type: ignore[attr-defined]  # stubs have no private names
    # Wide lines first: where two curves are one, both are seen.
    for member, colour, style, width, label in (("measured_error", "#cccccc", "-", 6, "measurement alone"), ("estimate_error", _BLUE, "-", 2, "estimate"),
                                                ("gap_error", _ORANGE, "--", 1.5, "gap")):
        if plan.get(member) is not None:
            ax.plot(epsilons, [other[member] for other in plans], style, color=colour, linewidth=width, label=label)
    if plan.get("estimate_error") is not None:
        ax.plot([here], [plan["estimate_error"]], "o", color=_BLUE, label=f"this plan: ± {_number(plan['estimate_error'])}")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    _plain_ticks(ax, here)
    ax.set_xlabel("ε")
    ax.set_ylabel("expected error (standard deviation)")
    return _finished(ax, f"plan of {_PLANS[plan['plan']]}, k = {plan['parameters']['k']}")


def _plain_ticks(ax: Any, here: float) -> None:
    """Numbers as people write them, instead of powers."""
    from matplotlib import ticker

    ax.set_xticks([here * factor for factor in (0.25, 0.5, 1, 2, 4)], [f"{here * factor:.3g}" for factor in (0.25, 0.5, 1, 2, 4)])
    ax.xaxis.set_minor_locator(ticker.NullLocator())
    ax.yaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: _number(value)))
    ax.yaxis.set_minor_locator(ticker.NullLocator())
