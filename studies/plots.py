#!/usr/bin/env python3
"""Draws the figures of docs/estimates.md from the CSV files of estimates_study. Needs nothing but Python.

    estimates_study --csv DIR
    studies/plots.py DIR docs/figures
"""

import argparse
import csv
import html
import pathlib
import sys

COLOURS = {"blue": "#0072b2", "orange": "#d55e00", "green": "#009e73", "purple": "#aa4499", "grey": "#777777"}


class Drawing:
    """An SVG drawing of panels side by side."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.parts = [f'<rect width="{width}" height="{height}" fill="white"/>']

    def line(self, points, colour, width=1.6, dash=None):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>')

    def dot(self, x, y, colour, hollow=False):
        fill = "white" if hollow else colour
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{fill}" stroke="{colour}" stroke-width="1.3"/>')

    def bar(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>')

    def text(self, x, y, words, anchor="middle", size=12, colour="#222", weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}" '
                          f'font-weight="{weight}">{html.escape(words)}</text>')

    def save(self, path):
        body = "\n".join(self.parts)
        path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                        f'viewBox="0 0 {self.width} {self.height}" font-family="Helvetica, Arial, sans-serif">\n'
                        f"{body}\n</svg>\n", encoding="utf-8")


class Panel:
    """Axes within a drawing."""

    def __init__(self, drawing, left, top, width, height, x_range, y_range, title):
        self.drawing = drawing
        self.left, self.top, self.width, self.height = left, top, width, height
        self.x_range, self.y_range = x_range, y_range
        drawing.text(left + width / 2, top - 24, title, weight="bold", size=13)

    def at(self, x, y):
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        return (self.left + (x - x0) / (x1 - x0) * self.width, self.top + (y1 - y) / (y1 - y0) * self.height)

    def axes(self, x_ticks, y_ticks, x_label, y_label, show_x=str, show_y=str):
        for y in y_ticks:
            _, at = self.at(self.x_range[0], y)
            self.drawing.line([(self.left, at), (self.left + self.width, at)], "#dddddd", 1)
            self.drawing.text(self.left - 6, at + 4, show_y(y), "end", 11)
        for x in x_ticks:
            at, _ = self.at(x, self.y_range[0])
            self.drawing.text(at, self.top + self.height + 16, show_x(x), size=11)
        self.drawing.line([(self.left, self.top), (self.left, self.top + self.height),
                           (self.left + self.width, self.top + self.height)], "#444444", 1)
        self.drawing.text(self.left + self.width / 2, self.top + self.height + 34, x_label)
        self.drawing.text(self.left - 34, self.top - 8, y_label, "start", 11, "#555")

    def curve(self, points, colour, dash=None):
        low, high = self.y_range
        self.drawing.line([self.at(x, y) for x, y in points if low <= y <= high], colour, dash=dash)

    def dots(self, points, colour, hollow=False):
        for x, y in points:
            self.drawing.dot(*self.at(x, y), colour, hollow)

    def label(self, x, y, words, colour, anchor="start"):
        at = self.at(x, y)
        self.drawing.text(at[0], at[1], words, anchor, 11, colour)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def percent(x):
    return f"{100 * x:.0f} %"


def draw_reduction(data, path):
    """What gaps save, against k, over measuring alone: by likelihood and by linear combination, with the theory of the latter."""
    drawing = Drawing(760, 356)
    for number, (mechanism, title) in enumerate([("top-k", "Top-k"), ("sparse vector", "Sparse vector")]):
        panel = Panel(drawing, 60 + 370 * number, 50, 300, 230, (0, 25), (0, 0.7), title)
        panel.axes([2, 6, 10, 14, 18, 24], [i / 10 for i in range(8)], "k", "saved", show_y=percent)
        for distribution, colour in (("exponential", "blue"), ("Laplace", "orange")):
            mine = sorted((int(row["k"]), float(row["theory"]), float(row["linear"]), float(row["likelihood"]))
                          for row in data if row["mechanism"] == mechanism and row["distribution"] == distribution)
            panel.curve([(k, theory) for k, theory, _, _ in mine], COLOURS[colour], "4 3")
            panel.dots([(k, linear) for k, _, linear, _ in mine[::2]], COLOURS[colour], True)
            panel.dots([(k, likelihood) for k, _, _, likelihood in mine[::2]], COLOURS[colour])
            y = panel.top + (196 if distribution == "exponential" else 214)
            drawing.dot(panel.left + 206, y, COLOURS[colour])
            drawing.text(panel.left + 216, y + 4, distribution, "start", 11)
    drawing.text(380, 346, "filled: likelihood; hollow: linear (the paper), with its theory; 0 %: measuring alone", "middle", 11, "#555")
    drawing.save(path)


SHAPES = ["separated", "tied winners far above the rest", "mixed", "threshold just below all", "all equal, at the threshold",
          "threshold just above all", "threshold far above all", "one ahead of a crowd"]


def draw_selection(data, path):
    """Mean squared error after selection, of linear estimates and of those by likelihood, over measuring alone."""
    bottom = 50 + 36 * len(SHAPES)
    drawing = Drawing(760, bottom + 46)
    for number, (mechanism, title) in enumerate([("top-k", "Top-k"), ("sparse vector", "Sparse vector")]):
        left, width, top = 230 + 270 * number, 230, 50
        mine = {row["shape"]: row for row in data if row["mechanism"] == mechanism and row["distribution"] == "exponential"}
        most = 2.5
        place = lambda x: left + min(x, most) / most * width
        drawing.text(left + width / 2, 26, title, weight="bold", size=13)
        for x in (0, 0.5, 1, 1.5, 2, 2.5):
            drawing.line([(place(x), top), (place(x), bottom)], "#777777" if x == 1 else "#e2e2e2", 1)
            drawing.text(place(x), bottom + 16, f"{x:g}", size=11)
        drawing.text(place(1), top - 6, "measuring alone", size=11, colour="#555")
        for i, shape in enumerate(SHAPES):
            y = top + 36 * i
            if number == 0:
                drawing.text(left - 10, y + 22, shape, "end")
            if shape not in mine:
                drawing.text(left + 6, y + 22, "–", "start", 11, "#999")
                continue
            for offset, key, colour in ((6, "linear", "orange"), (19, "likelihood", "blue")):
                ratio = float(mine[shape][key])
                drawing.bar(left, y + offset, place(ratio) - left, 11, COLOURS[colour])
                inside = ratio > 2.2
                drawing.text(place(ratio) + (-4 if inside else 4), y + offset + 10, f"{ratio:.2f}",
                             "end" if inside else "start", 10, "white" if inside else "#222")
    y = bottom + 38
    drawing.text(10, y, "mean squared error / that of measuring alone:", "start", 11, "#555")
    drawing.bar(282, y - 9, 11, 11, COLOURS["orange"])
    drawing.text(298, y, "linear (the paper)", "start", 11)
    drawing.bar(432, y - 9, 11, 11, COLOURS["blue"])
    drawing.text(448, y, "likelihood (the default)", "start", 11)
    drawing.save(path)


def draw_split(data, path):
    """Standard errors of winners that stand apart against the share of the budget that measures."""
    drawing = Drawing(760, 356)
    for number, (key, title) in enumerate([("top_k", "Top-k"), ("sparse_vector", "Sparse vector")]):
        panel = Panel(drawing, 60 + 370 * number, 50, 300, 230, (0, 1), (1, 4), title)
        panel.axes([0, 0.25, 0.5, 0.75, 1], [1, 1.5, 2, 2.5, 3, 3.5, 4], "share of the budget that measures",
                   "standard error, in units of k/ε", show_x=percent)
        # A measurement alone has the same error for all k, in these units.
        panel.curve([(float(row["measuring_share"]), float(row["measured"])) for row in data if row["k"] == "10"], COLOURS["grey"], "1 3")
        for place, (k, colour) in enumerate(((2, "green"), (10, "orange"), (25, "blue"))):
            def curve(column):
                return [(float(row["measuring_share"]), float(row[column])) for row in data if int(row["k"]) == k]
            panel.curve(curve(f"{key}_linear"), COLOURS[colour], "4 3")
            panel.curve(curve(key), COLOURS[colour])
            panel.dots([min(curve(key), key=lambda point: point[1])], COLOURS[colour])
            y = panel.top + 30 + 18 * place
            drawing.line([(panel.left + 216, y), (panel.left + 236, y)], COLOURS[colour])
            drawing.text(panel.left + 242, y + 4, f"k = {k}", "start", 11)
        half = panel.at(0.5, 1)
        drawing.line([(half[0], panel.top), half], "#999999", 1, "2 3")
        drawing.text(half[0] - 4, panel.top + 222, "half and half", "end", 11, "#555")
    drawing.text(380, 346, "lines: likelihood, with the best share; dashes: linear (the paper); dots: measuring alone", "middle", 11, "#555")
    drawing.save(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=pathlib.Path, help="where estimates_study --csv wrote")
    parser.add_argument("figures", type=pathlib.Path, help="where the figures go")
    arguments = parser.parse_args()
    arguments.figures.mkdir(parents=True, exist_ok=True)
    draw_reduction(rows(arguments.tables / "reduction.csv"), arguments.figures / "reduction.svg")
    draw_selection(rows(arguments.tables / "selection.csv"), arguments.figures / "selection.svg")
    draw_split(rows(arguments.tables / "split.csv"), arguments.figures / "split.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
