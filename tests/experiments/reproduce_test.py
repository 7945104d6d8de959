"""`freegap reproduce` as people run it: 200 runs a point, and the numbers in its tables against theory and against a run of 10,000
(2,000 for estimates by likelihood, and for linear ones of hybrids and splits).

    reproduce_test.py PROGRAM                    run it and check
    reproduce_test.py --summarise DIR > FILE     make reference.json from a run of 10,000

Means are accepted within 8 standard errors, their own and the reference's together: for a normal distribution a false alarm once in 1e15.
Their distribution is not quite normal, as squared noise has long tails, which the wide limit allows for
(60 other seeds gave 17,940 distances, the largest of them 4.5).
Shares and other numbers between 0 and 1 may hang on a few rare runs, so that no standard error is to be trusted; they are accepted by Bernstein's
inequality, with the variance of the reference, at 3e-14 each, and where the probability is known exactly by Chernoff's bound, at 1e-12. So a right
program fails for its seed with probability below 1e-9. The seed is fixed: what passes once passes always. That wrong figures are
rejected is tested, too."""

import collections
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

LIMIT = 8
CHERNOFF = math.log(2 / 1e-12)


def read(folder, name):
    with open(folder / "tables" / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Figures(dict):
    """Means over rows of a table: name -> (value, standard error, runs); `runs` is 0 for what is not between 0 and 1."""

    def add(self, rows, keys, value, error, label, scale=1, share=False):
        groups = {}
        for row in rows:
            if row[value] not in ("", "inf"):
                cells = (float(row[value]) / scale, float(row[error]) / scale, int(row["runs"]))
                groups.setdefault("/".join(row[key] for key in keys), []).append(cells)
        for key, cells in groups.items():
            self[f"{label}: {key}"] = (sum(v for v, _, _ in cells) / len(cells), math.sqrt(sum(e * e for _, e, _ in cells)) / len(cells),
                                       sum(n for _, _, n in cells) if share else 0)


def figures(folder):
    """What is compared: figures of a report, averaged over k or the budget so that few runs tell much."""
    result = Figures()
    for table in ("reduction-k", "reduction-epsilon", "general"):
        keys = ("data", "mechanism", "noise")
        result.add(read(folder, table), keys, "linear_percent", "linear_standard_error", table)
        result.add(read(folder, table), keys, "likelihood_percent", "likelihood_standard_error", f"{table}, likelihood")
    for table in ("adaptive", "choices", "branches"):
        # One order for all runs differs from seed to seed by more than the standard errors say.
        rows = [row for row in read(folder, table) if row["way"] != "one order for all runs"]
        result.add(rows, ("data", "way"), "answers", "answers_error", f"{table}, answers")
        for value in ("precision", "f_measure"):
            result.add(rows, ("data", "way"), value, f"{value}_error", f"{table}, {value}", share=True)
        result.add(rows, ("data", "way"), "left_percent", "left_error", f"{table}, left", 100, True)
    hybrids = read(folder, "hybrids")
    result.add(hybrids, ("data", "mechanism"), "recall", "recall_error", "hybrids, recall", share=True)
    result.add(hybrids, ("data", "mechanism"), "spent_percent", "spent_error", "hybrids, spent", 100, True)
    for method in ("linear", "likelihood"):
        result.add(hybrids, ("data", "mechanism"), method, f"{method}_error", f"hybrids, {method}")
        result.add(read(folder, "split"), ("mechanism",), method, f"{method}_error", f"split, {method}")
    crowds = read(folder, "crowds")
    for method in ("linear", "likelihood"):
        result.add(crowds, ("data", "candidates", "epsilon"), f"{method}_ratio", f"{method}_ratio_error", f"crowds, {method}")
    return result


def distance(found, reference):
    """In standard errors, or what has the same probability under Bernstein's inequality."""
    difference = abs(found[0] - reference[0])
    if found[2] == 0:
        error = math.hypot(found[1], reference[1])
    else:
        variance = reference[1] ** 2 * reference[2]  # of one run
        error = math.sqrt(variance / found[2] + variance / reference[2] + difference / (3 * found[2]))
    return difference / error if error > 0 else (0.0 if difference < 1e-9 else math.inf)


def share_is(share, runs, probability):
    """Whether a share of so many runs may have this probability, by Chernoff's bound."""
    def part(s, p):
        return 0.0 if s == 0 else math.inf if p == 0 else s * math.log(s / p)
    return runs * (part(share, probability) + part(1 - share, 1 - probability)) <= CHERNOFF


def check_closed_forms(folder):
    """The column of theory for linear estimates, computed here by hand."""
    for table in ("reduction-k", "reduction-epsilon", "general"):
        for row in read(folder, table):
            k = int(row["k"])
            c = 1 if row["queries"] == "counts" else 2
            variances = 2 if row["noise"] == "Laplace" else 1
            if row["mechanism"] == "top-k":
                lam = variances * c * c / 2
                wanted = (k - 1) / (k * (1 + lam))
            else:
                gap = variances * (1 + (c * k) ** (2 / 3)) ** 3
                wanted = 2 * k * k / (2 * k * k + gap)
            # Geometric noise differs by the width of a tick against the noise.
            slack = 0.3 if row["noise"] == "geometric" else 0.001
            assert abs(float(row["linear_theory_percent"]) - 100 * wanted) < slack, row


def check_theta(folder):
    def variance(theta, epsilon, k):
        def v(a):
            return 1 / (4 * math.sinh(a / 2) ** 2)
        return v(theta * epsilon) + v((1 - theta) * epsilon / k)
    rows = read(folder, "theta")
    assert len(rows) == 50
    for row in rows:
        k = int(row["k"])
        assert abs(float(row["curve"]) - 1 / (1 + k ** (2 / 3))) < 1e-5
        for epsilon in (1, 10, 50):
            theta = float(row[f"geometric_epsilon_{epsilon}"])
            least = variance(theta, epsilon, k)
            for other in (theta * 0.98, theta * 1.02):
                assert variance(other, epsilon, k) > least, (row, epsilon)


def check_exact(folder):
    """Where probabilities and means are known exactly."""
    for row in read(folder, "exponential"):
        assert share_is(float(row["best_chosen"]), int(row["runs"]), float(row["best_chosen_theory"])), row
        if row["gap_over_lead"] and float(row["gap_over_lead_error"] or "inf") < math.inf:
            runs_best = int(row["runs"]) - int(row["runs_not_best"])
            if runs_best >= 50:
                assert distance((float(row["gap_over_lead"]), float(row["gap_over_lead_error"]), 0),
                                (float(row["gap_over_lead_theory"]), 0, 0)) < LIMIT, row
    for row in read(folder, "beside-threshold"):
        runs = int(row["runs"])
        passes = float(row["passes_theory"])
        assert share_is(float(row["passes"]), runs, passes), row
        assert passes < 0.85 or not share_is(float(row["passes"]), runs, 0.6), row  # a wrong one is noticed
        if runs * passes >= 100:
            assert distance((float(row["bias"]), float(row["bias_error"]), 0), (float(row["bias_theory"]), 0, 0)) < LIMIT, row


def check_unknown(folder):
    """Recall among items nobody listed. Margins are far above the standard errors, which are below 0.02 even in 40 runs."""
    recall = {(row["transactions"], row["max_items"], row["way"]): float(row["recall"]) for row in read(folder, "unknown")}
    assert len(recall) == 18
    universe, unknown, every = "declared universe, pure ε", "items nobody listed", "noise on every count"
    for size in ("50000", "100000"):
        # Where few units are cut, hardly anything is lost against a declared universe; noise on every count pays for M.
        assert recall[size, "100", unknown] > 0.85 and recall[size, "100", every] < 0.5, recall
        assert recall[size, "20", unknown] > 0.5 and recall[size, "20", universe] > 0.85, recall
    assert recall["20000", "20", unknown] < 0.1 < 0.7 < recall["20000", "20", universe], recall  # counts below the threshold


def counts_of(program, data):
    """The embedded data, made here from what its description says, largest first."""
    if data == "Zipf":
        return [100000 // rank for rank in range(1, 2001)]
    text = subprocess.run([program, "quest", data.removeprefix("Quest ")], capture_output=True, check=True).stdout
    return sorted(collections.Counter(text.split()).values(), reverse=True)


def claims_theory(counts, epsilon, alpha):
    """The exponential mechanism's claims at level alpha: P(p-value at most alpha, another than the best chosen), P(claimed lead above the true one).
    In units of the noise, the lead of i over all others together is logistic around the true one, i is chosen where it is above 0, and the
    gap is what it is then; a claim is made from a certain gap on."""
    weights = [math.exp(epsilon * (count - counts[0])) for count in counts]
    total = math.fsum(weights)

    def chosen_with_gap_above(i, e_to_gap):
        return weights[i] / (weights[i] + e_to_gap * (total - weights[i]))
    others = math.fsum(chosen_with_gap_above(i, 2 / alpha - 1) for i in range(1, len(counts)))
    lead = math.exp(epsilon * (counts[0] - counts[1]))
    return others, others + chosen_with_gap_above(0, ((1 - alpha) * lead + 1) / alpha)


def check_claims(program, rows):
    """The exponential mechanism's claims are false at most as often as allowed, in each row; and over all rows as often as the exact distribution says.
    Chernoff's bound holds for sums over rows, too, with the mean of their probabilities."""
    counts = {data: counts_of(program, data) for data in {row["data"] for row in rows}}
    all_runs = sum(int(row["runs"]) for row in rows)
    found = [0, 0]
    theory = {0.05: [0, 0], 0.03: [0, 0], 0.08: [0, 0]}
    for row in rows:
        runs, others = int(row["runs"]), int(row["runs_not_best"])
        alarms, leads = float(row["p_at_most_005_given_not_best"] or 0), float(row["false_claims_of_lead"])
        for share, of in ((alarms, others), (leads, runs)):
            assert share <= 0.05 or share_is(share, of, 0.05), row
        here = counts[row["data"]]
        for i, number in enumerate((alarms * others, leads * runs)):
            found[i] += number
            for alpha, sums in theory.items():
                sums[i] += runs * claims_theory(here, float(row["epsilon_times_lead"]) / (here[0] - here[1]), alpha)[i]
    for i in (0, 1):
        for alpha, sums in theory.items():  # claims at another level than they say are noticed
            assert share_is(found[i] / all_runs, all_runs, sums[i] / all_runs) == (alpha == 0.05), (i, alpha, found, theory)
    assert not share_is(0.1, int(rows[0]["runs"]), 0.05)  # as is a row with twice as many false ones as allowed


def beside_theory(distance_in_scales):
    """One query beside the threshold, k = 10 at 0.7, one-sided noise, by numerical integration: P(it passes), and given that the bias of its gap in
    nominal deviations, the squared error over the nominal variance, and the variance of that square."""
    theta = 1 / (1 + 10 ** (2 / 3))
    b0, b1 = 1 / (0.7 * theta), 10 / (0.7 * (1 - theta))
    deviation = math.hypot(b0, b1)
    # It passes from this difference of the two noises on.
    start = b1 - b0 - round(distance_in_scales * b1)
    step = 0.02
    moments = [0, 0, 0, 0]
    for i in range(int((40 * b1 - min(start, 0)) / step)):
        z = start + (i + 0.5) * step
        density = math.exp(-z / b1 if z > 0 else z / b0) / (b0 + b1)
        error = (z - (b1 - b0)) / deviation
        for m, factor in enumerate((1, error, error ** 2, error ** 4)):
            moments[m] += step * density * factor
    passes, bias, square, fourth = moments[0], *(moment / moments[0] for moment in moments[1:])
    return passes, bias, square, fourth - square ** 2


def check_beside(rows):
    """The columns of theory; and squared errors against them, summed over the rows where the query passes by luck (up to half a scale above the
    threshold) and over the others. Sums of thousands of squares are nearly normal, and their standard error is exact: at 8 of them
    what long tails remain leave a false alarm less than once in 1e11."""
    sums = {True: [0, 0, 0], False: [0, 0, 0]}
    for row in rows:
        x = float(row["distance_in_scales"])
        passes, bias, square, variance = beside_theory(x)
        for column, value in (("passes", passes), ("bias", bias), ("squared_error_ratio", square)):
            assert abs(float(row[f"{column}_theory"]) - value) < 1e-3 * max(1, value), (row, column, value)
        number = round(int(row["runs"]) * float(row["passes"]))
        found = float(row["squared_error_ratio"]) if number > 0 else 0
        for i, value in enumerate((number * (found - square), number * variance, number * (found - 1))):
            sums[x <= 0.5][i] += value
    for lucky, (difference, variance, without_selection) in sums.items():
        assert abs(difference) < LIMIT * math.sqrt(variance), sums
        # A theory that forgets selection, which matters to the lucky, is noticed.
        assert not lucky or abs(without_selection) > LIMIT * math.sqrt(variance), sums


def check_figures(found, reference):
    assert set(found) == set(reference), set(found) ^ set(reference)
    distances = {name: distance(found[name], reference[name]) for name in found}
    wrong = {name: (found[name], reference[name]) for name, d in distances.items() if not d < LIMIT}
    assert not wrong, wrong
    return max(distances.values()), len(distances)


def check_rejections(found, reference):
    """That the same checks notice what is wrong."""
    data = "Quest T40I10D100K"
    for mechanism in ("top-k", "sparse vector"):
        laplace = found[f"reduction-k: {data}/{mechanism}/Laplace"]
        assert distance(laplace, reference[f"reduction-k: {data}/{mechanism}/exponential"]) > LIMIT
        general = found[f"general: {data}/{mechanism}/exponential"]
        assert distance(general, reference[f"reduction-k: {data}/{mechanism}/exponential"]) > LIMIT
    crowd = "one ahead of a crowd/20000/0.7"
    assert distance(found[f"crowds, likelihood: {crowd}"], reference[f"crowds, linear: {crowd}"]) > LIMIT
    wider = found[f"choices, answers: {data}/cut-off 4σ"]
    assert distance(wider, reference[f"choices, answers: {data}/adaptive"]) > LIMIT
    later = found[f"choices, answers: {data}/as long as a branch can be paid for"]
    assert distance(later, reference[f"choices, answers: {data}/adaptive"]) > LIMIT
    finds_less = found[f"adaptive, f_measure: {data}/classic"]
    assert distance(finds_less, reference[f"adaptive, f_measure: {data}/adaptive"]) > LIMIT
    for name, factor in ((f"reduction-k: {data}/top-k/exponential", 1.1), (f"adaptive, answers: {data}/adaptive", 1.02),
                         (f"adaptive, left: {data}/adaptive", 1.03), (f"hybrids, linear: {data}/identity first", 1.15)):
        value, error, runs = reference[name]
        assert distance(found[name], (factor * value, error, runs)) > LIMIT, name


def call(program, *arguments, **more):
    return subprocess.run([program, "reproduce", *arguments], capture_output=True, text=True, check=False, **more)


def check_files(folder):
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert record["runs"] == 200 and record["seed"] == 5 and record["gnuplot"], record
    page = (folder / "report.html").read_text(encoding="utf-8")
    panels = sorted(path.stem for path in (folder / "plots").glob("*.gp"))
    assert len(panels) > 40
    for panel in panels:
        assert "<svg" in (folder / "figures" / f"{panel}.svg").read_text(encoding="utf-8"), panel
        assert (folder / "figures" / f"{panel}.pdf").read_bytes().startswith(b"%PDF"), panel
    assert page.count("data:image/svg+xml;base64,") == len(panels) and "not drawn" not in page


def check_threads(program, folder):
    """The same tables whatever the number of threads and the other figures."""
    quick = ("--runs", "20", "--seed", "3")
    one = call(program, "--out", str(folder / "one"), *quick, "--threads", "1", "--figures", "reduction-k,adaptive,crowds")
    two = call(program, "--out", str(folder / "two"), *quick, "--threads", "3", "--figures", "crowds,reduction-k")
    assert one.returncode == 0 and two.returncode == 0, (one, two)
    for table in ("reduction-k", "crowds", "beside-threshold"):
        assert read(folder / "one", table) == read(folder / "two", table)
    assert not (folder / "two" / "tables" / "adaptive.csv").exists()


def check_folder_and_no_gnuplot(program, folder):
    """Data from a folder; and tables with a word about figures where there is no gnuplot."""
    data = folder / "data"
    data.mkdir()
    with open(data / "shop.dat", "w", encoding="utf-8") as file:
        for line in range(4000):
            file.write(" ".join(str(item) for item in range(300) if line % (item + 2) == 0 or item == line % 300) + "\n")
    (data / "kosarak-counts.csv").write_text("item,count\n" + "".join(f"{i},{5000 - 20 * i}\n" for i in range(240)), encoding="utf-8")
    (data / "small.dat").write_text("1 2 3\n", encoding="utf-8")
    (data / "notes.txt").write_text("not data\n", encoding="utf-8")
    out = folder / "from-data"
    run = call(program, "--out", str(out), "--data", str(data), "--without-embedded", "--runs", "20", "--figures",
               "reduction-k,speed", env=os.environ | {"PATH": str(folder / "nowhere")})
    assert run.returncode == 0, run
    assert "left out small.dat" in run.stderr and "not the paper's: it has 41270 items" in run.stderr, run.stderr
    assert "gnuplot" in run.stderr and "gnuplot-nox" in run.stderr, run.stderr
    assert {row["data"] for row in read(out, "reduction-k")} == {"shop", "kosarak"}
    shop = [row for row in read(out, "datasets") if row["data"] == "shop"][0]
    assert shop["records"] == "4000" and shop["items"] == "300" and shop["largest"] == "2000", shop
    # The authors' times are those on the paper's kosarak, and this is not it.
    assert {row["authors' program"] + row["times less"] for row in read(out, "speed")} == {""}
    assert "not drawn" in (out / "report.html").read_text(encoding="utf-8")


def check_authors_times(program, folder):
    """The authors' times, and how many times less ours are, beside a set of the paper's name and size."""
    data = folder / "paper"
    data.mkdir()
    (data / "kosarak.csv").write_text("item,count\n" + "".join(f"{i},{600000 // i}\n" for i in range(1, 41271)), encoding="utf-8")
    out = folder / "authors"
    run = call(program, "--out", str(out), "--data", str(data), "--without-embedded", "--figures", "speed")
    assert run.returncode == 0 and "as many items as in the paper" in run.stderr, run
    rows = read(out, "speed")
    assert [row["authors' program"] for row in rows] == ["1.6"] + 3 * ["1.5"] + 3 * ["0.2–0.35"], rows
    assert "this project ran their published program" in (out / "report.html").read_text(encoding="utf-8")
    assert len({row["what"] for row in rows}) == 7 and all(float(row["seconds"]) > 0 for row in rows), rows
    for row in rows:
        for authors, times in zip(row["authors' program"].split("–"), row["times less"].split("–")):
            ratio = float(authors) / float(row["seconds"])
            assert abs(float(times) - ratio) < (0.005 if ratio < 9 else 0.5) + 0.05 * ratio, row  # both have two digits, or little more


def check_names_differ(program, folder):
    """Data sets that tables or figures could not tell apart are refused before anything runs or is written."""
    table = "item,count\n" + "".join(f"{i},{5000 - 20 * i}\n" for i in range(240))
    for number, (names, options, wanted) in enumerate((
            (("kosarak.csv", "kosarak-counts.csv"), ("--without-embedded",), ("kosarak.csv", "kosarak-counts.csv", "rename")),
            (("my shop.csv", "My-Shop.csv"), ("--without-embedded",), ("My-Shop.csv", "my shop.csv", "rename")),
            (("zipf.csv",), (), ("zipf.csv", "100,000 / rank", "--without-embedded")),
            (("zipf.csv",), ("--without-embedded",), ()))):
        data = folder / f"names-{number}"
        data.mkdir()
        for name in names:
            (data / name).write_text(table, encoding="utf-8")
        out = folder / f"named-{number}"
        run = call(program, "--out", str(out), "--data", str(data), "--figures", "theta", *options)
        assert (run.returncode == 2 and not run.stdout and not out.exists()) if wanted else run.returncode == 0, run
        assert all(word in run.stderr for word in wanted), run.stderr


def check_refusals(program, folder):
    for arguments in (("--out", str(folder / "x"), "--figures", "no-such"), (), ("--out", str(folder / "x"), "--runs", "1"),
                      ("--out", str(folder / "x"), "--data", str(folder / "nowhere")),
                      ("--out", "/dev/null/x", "--figures", "theta")):
        refused = call(program, *arguments)
        assert refused.returncode == 2 and refused.stderr and not refused.stdout, (arguments, refused)


def main():
    if sys.argv[1] == "--summarise":
        lines = [f'{json.dumps(name, ensure_ascii=False)}: [{value:.6g}, {error:.6g}, {runs}]'
                 for name, (value, error, runs) in figures(pathlib.Path(sys.argv[2])).items() if ": T40I10D100K/" not in name]
        print("{\n" + ",\n".join(lines) + "\n}")
        return
    program = sys.argv[1]
    reference = json.loads((pathlib.Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = folder / "report"
        run = call(program, "--out", str(out), "--runs", "200", "--seed", "5", "--threads", "2")
        assert run.returncode == 0 and not run.stderr and run.stdout.strip() == str(out / "report.html"), run
        check_files(out)
        check_closed_forms(out)
        check_theta(out)
        check_exact(out)
        check_unknown(out)
        # What is rare, or has long tails, takes more runs.
        more = folder / "more"
        run = call(program, "--out", str(more), "--runs", "4000", "--seed", "5", "--threads", "2", "--figures", "exponential,crowds")
        assert run.returncode == 0, run
        check_exact(more)
        check_claims(program, read(more, "exponential"))
        check_beside(read(more, "beside-threshold"))
        found = figures(out)
        worst, number = check_figures(found, reference)
        check_rejections(found, reference)
        check_threads(program, folder)
        check_folder_and_no_gnuplot(program, folder)
        check_authors_times(program, folder)
        check_names_differ(program, folder)
        check_refusals(program, folder)
    print(f"{number} figures within {worst:.1f} standard errors of the reference")


if __name__ == "__main__":
    main()
