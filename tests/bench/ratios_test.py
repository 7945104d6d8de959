#!/usr/bin/env python3
"""`bench/ratios.py --quick`: what it writes has the form that docs/performance.md states. The times are not looked at."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

DRIVER = pathlib.Path(__file__).resolve().parents[2] / "bench/ratios.py"
PROGRAM = sys.argv.pop(1)


class RatiosTest(unittest.TestCase):
    def run_driver(self, *arguments):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        out = pathlib.Path(folder.name)
        done = subprocess.run([sys.executable, DRIVER, PROGRAM, "--quick", "--out", out, *arguments],
                              capture_output=True, text=True, check=True)
        return done.stdout, json.loads((out / "ratios.json").read_text()), out

    def test_writes_every_ratio_with_its_bar(self):
        table, ratios, out = self.run_driver()
        names = [row["name"] for row in ratios]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({"top_k", "naive", "sparse_vector", "threads", "constant_work", "samples", "universe", "groups"},
                             {name.split("/")[0] for name in names})
        for row in ratios:
            self.assertIn(row["name"], table)
            self.assertTrue(math.isfinite(row["ratio"]) and row["ratio"] > 0, row)
            self.assertIn(row["bound"], ("at most", "at least"))
            self.assertEqual(row["holds"], row["ratio"] <= row["bar"] if row["bound"] == "at most" else row["ratio"] >= row["bar"])
        for axis in ("n", "k", "epsilon"):
            self.assertIn("</svg>", (out / f"cost_by_{axis}.svg").read_text())

    def test_measures_only_what_is_asked_for(self):
        _, ratios, out = self.run_driver("--only", "universe")
        self.assertEqual([row["name"] for row in ratios], ["universe/2^63"])
        self.assertEqual(list(out.glob("*.svg")), [])

    def test_refuses_arguments_that_it_does_not_know(self):
        self.assertEqual(subprocess.run([PROGRAM, "--fast"], capture_output=True, check=False).returncode, 2)


if __name__ == "__main__":
    unittest.main()
