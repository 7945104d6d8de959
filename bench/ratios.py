#!/usr/bin/env python3
"""How fast freegap is, in one table: ratios of times measured in turn in one run, each with its bar.

    bench/ratios.py build/release/bench/ratios

Writes to the folder --out: ratios.json, every ratio that has a bar; measurements.json, everything measured, with seconds;
cost_by_*.svg, the time of a release against n, k and epsilon. docs/performance.md says how to read them. Whatever the
ratios are, the exit status is 0."""

import argparse
import json
import pathlib
import subprocess
import sys

import peers

HERE = pathlib.Path(__file__).resolve().parent

# What a ratio is, by the first part of its name.
MEANINGS = {
    "top_k": "time of a private top-k / time of the best plain scan for the k largest; exponential noise",
    "top_k_laplace": "the same with Laplace noise",
    "top_k_int32": "the same with exponential noise on counts of 32 bits; k = 10, epsilon = 0.7",
    "control": "time of the plain scan / its own time: how far chance takes a ratio from 1",
    "naive": "time of noise for all and std::partial_sort in C++ / ours; n = 10^8, k = 10, epsilon = 0.7",
    "sparse_vector": "time of a sparse vector that mostly answers below / time of comparing with the threshold",
    "threads": "what a second thread gains us / what it gains the plain scan; n = 10^8",
    "constant_work": "time of a top-k with noise for every candidate / time of the plain scan; n = 10^6; variation: slowest / fastest shape",
    "samples": "exact geometric samples: time of std::geometric_distribution / ours; ours / time of the AES bits that they take",
    "universe": "time of a top 10 with 1,000 listed ids in the largest universe / in one of 1,024",
    "groups": "time of noise for all and std::partial_sort in C++ / time of a grouped top 10; 41,270 items",
    "estimates": "time per winner of estimates by likelihood: 1,000 winners / 10, and 10,000 / 1,000",
    **peers.MEANINGS,
}
AXES = {
    "n": ("candidates", "k = 10, ε = 0.7"),
    "k": ("k", "{n} candidates, ε = 0.7"),
    "epsilon": ("ε", "{n} candidates, k = 10"),
}
INKS = {"plain scan": "dashtype 2 linecolor 'black'", "naive C++": "dashtype 2 linecolor 'grey40'"}


def shown_seconds(seconds):
    for unit, size in (("s ", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:7.3g} {unit}"
    return f"{seconds / 1e-9:7.3g} ns"


def print_table(rows):
    print(f"{'':50}{'ratio':>9}  {'bar':<14}{'holds':<6}{'ours':>10}{'theirs':>12}")
    for group, meaning in MEANINGS.items():
        members = [row for row in rows if row["name"].split("/")[0] == group]
        if members:
            print(f"\n{meaning}")
        for row in members:
            bar = f"{row['bound']} {row['bar']:g}" if "bar" in row else "-"
            holds = {True: "yes", False: "NO", None: "-"}[row.get("holds")]
            print(f"  {row['name']:48}{row['ratio']:9.4g}  {bar:<14}{holds:<6}{shown_seconds(row['ours'])}"
                  f"  {shown_seconds(row['theirs'])}  {row['note']}".rstrip())


def lines_of(command):
    """The objects that a program prints, one per line, as it prints them."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def measure(options):
    """Everything that is measured, in the order it comes."""
    choice = (["--quick"] if options.quick else []) + ["--only", options.only]
    yield from lines_of([options.program, *choice])
    if options.quick or not peers.chosen(options.only):
        return
    python, problem = peers.install(options.out / "peers")
    if not problem:
        try:
            yield from lines_of([python, HERE / "peers.py", options.program, "--only", options.only])
        except subprocess.CalledProcessError as error:
            problem = str(error)
    if problem:
        yield {"missing": "of other libraries", "why": problem}


def settle(row):
    """Adds whether the bar holds."""
    if "bar" in row:
        row["holds"] = row["ratio"] <= row["bar"] if row["bound"] == "at most" else row["ratio"] >= row["bar"]
    return row


def draw(points, out, n):
    """One figure for each axis: seconds of a release against it."""
    for axis, (label, setting) in AXES.items():
        series = {}
        for point in points:
            if point["figure"] == axis:
                series.setdefault(point["series"], []).append((point["x"], point["seconds"]))
        if not series:
            continue
        commands = ["set terminal svg size 720,480 background rgb 'white'", f"set output '{out / f'cost_by_{axis}.svg'}'",
                    f"set title 'Time of a top-k release: {setting.format(n=n)}'", f"set xlabel '{label}'", "set ylabel 'milliseconds'",
                    "set logscale xy", "set format '10^{%L}'", "set key outside", "set grid", "set autoscale xfix"]
        for i, name in enumerate(series):
            commands += [f"$data{i} << END", *(f"{x} {seconds * 1e3}" for x, seconds in series[name]), "END"]
        commands.append("plot " + ", ".join(f"$data{i} with linespoints title '{name}' {INKS.get(name, '')}"
                                            for i, name in enumerate(series)))
        subprocess.run(["gnuplot"], input="\n".join(commands), text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="the program ratios")
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parent / "build/bench", help="folder (default build/bench)")
    parser.add_argument("--quick", action="store_true", help="a thousandth of the sizes, and no peers: to see that it works")
    parser.add_argument("--only", default="", metavar="NAME", help="only what has a name that begins so; figure/n for a figure")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    rows, points, notes = [], [], []
    for found in measure(options):
        if "figure" in found:
            points.append(found)
        elif "missing" in found:
            notes.append(f"Without rows {found['missing']}: {found['why']}.")
        else:
            rows.append(settle(found))
            print(f"{found['name']}: {found['ratio']:.4g}", file=sys.stderr)
    print_table(rows)
    print("", *notes, sep="\n")
    barred = [row for row in rows if "bar" in row]
    (options.out / "ratios.json").write_text(json.dumps(
        [{key: row[key] for key in ("name", "ratio", "bar", "holds", "bound")} for row in barred], indent=1) + "\n")
    (options.out / "measurements.json").write_text(json.dumps({"rows": rows, "points": points}, indent=1) + "\n")
    draw(points, options.out, "10,000" if options.quick else "10 million")
    print(f"\n{sum(row['holds'] for row in barred)} of {len(barred)} bars hold; {options.out}")


if __name__ == "__main__":
    main()
