#!/usr/bin/env python3
"""Programs that must not compile, because they would measure freed memory or spend another budget than the one written. Each
differs from one that compiles in the line at stake, and the compiler's message must say what to write instead."""

import argparse
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAM = """
#include <array>
#include <cstdint>
#include <span>
#include <vector>
#include "freegap/budget.hpp"
#include "freegap/candidates.hpp"
#include "freegap/groups.hpp"
#include "freegap/rational.hpp"
#include "freegap/release/top_k.hpp"

using namespace freegap;

struct Options {{
  Epsilon epsilon;
  Rational threshold;
}};

std::vector<std::int64_t> made() {{ return {{3, 2, 1}}; }}
const std::vector<std::int64_t> const_made() {{ return {{3, 2, 1}}; }}
std::vector<std::int32_t> small_made() {{ return {{3, 2, 1}}; }}
std::vector<double> reals_made() {{ return {{3, 2, 1}}; }}
TopKRelease selected() {{ return {{}}; }}
constexpr auto neighbours = Neighbours::add_remove;

int main() {{
  const std::vector<std::int64_t> list = made();
  std::vector<std::int32_t> small = small_made();
  const std::vector<double> reals = reals_made();
  const std::array<std::int64_t, 3> array{{3, 2, 1}};
  const std::int64_t plain[] = {{3, 2, 1}};
  const Groups groups(made());
{line}
}}
"""

COMPILE = [
    "Candidates::counting(list, neighbours);",
    "Candidates::counting(small, neighbours);",
    "Candidates::counting(array, neighbours);",
    "Candidates::counting(plain, neighbours);",
    "Candidates::counting(std::span(small), neighbours);",
    "Candidates::counting(std::span<const std::int64_t>(list).first(2), neighbours);",
    "Candidates::general(reals, neighbours, 1);",
    "Candidates::general(list, neighbours, 1);",
    "Candidates::growing(reals, neighbours, 1);",
    "Candidates::grouped(reals, list, {});",
    "Candidates::universe({0, 9}, list, list, neighbours);",
    "Candidates::universe({0, 9}, {}, {}, neighbours);",
    "groups.candidates(neighbours);",
    "const TopKRelease release = selected(); release.indices();",
    'Options{.epsilon = "0.7"_eps, .threshold = "0.5"_rational};',
    "Options{.epsilon = Epsilon(Rational(7, 10)), .threshold = 3};",
    "Options{.epsilon = Epsilon(1), .threshold = Rational::exactly(0.5)};",
    'Budget budget("1"_eps); budget.charge("0.5"_eps, [](const Epsilon&) { return selected(); });',
]

KEEP = "keep_the_list_in_a_variable"
# One program per line. The second is what the message must contain.
REFUSED = [
    ("Candidates::counting(made(), neighbours);", KEEP),
    ("Candidates::counting(const_made(), neighbours);", KEEP),
    ("Candidates::counting(small_made(), neighbours);", KEEP),
    ("Candidates::counting(std::array<std::int64_t, 3>{3, 2, 1}, neighbours);", KEEP),
    ("Candidates::counting(std::move(small), neighbours);", KEEP),
    ("Candidates::counting({3, 2, 1}, neighbours);", "counting"),
    ("Candidates::general(reals_made(), neighbours, 1);", KEEP),
    ("Candidates::general(made(), neighbours, 1);", KEEP),
    ("Candidates::general({3.0, 2.0, 1.0}, neighbours, 1);", KEEP),
    ("Candidates::growing(reals_made(), neighbours, 1);", KEEP),
    ("Candidates::grouped(reals_made(), list, {});", KEEP),
    ("Candidates::grouped(reals, made(), {});", KEEP),
    ("Candidates::grouped(reals, {1, 1, 1}, {});", KEEP),
    ("Candidates::universe({0, 9}, made(), list, neighbours);", KEEP),
    ("Candidates::universe({0, 9}, list, made(), neighbours);", KEEP),
    ("Candidates::universe({0, 9}, {3}, {5}, neighbours);", KEEP),
    ("Answers answers(made());", KEEP),
    ("Groups(list).candidates(neighbours);", "deleted"),
    ("Groups(list).candidates(Queries{});", "deleted"),
    ("selected().indices();", "deleted"),
    # The old order of arguments.
    ("Candidates::general(reals, 1, neighbours);", "Neighbours"),
    ("Candidates::growing(reals, 1, neighbours);", "Neighbours"),
    # Counts are whole numbers.
    ("Candidates::counting(reals, neighbours);", "counting"),
    # A copy would be a second budget.
    ('Budget budget("1"_eps); Budget copy = budget;', "deleted"),
    # What has no cost is no release.
    ('Budget budget("1"_eps); budget.charge("0.5"_eps, [](const Epsilon&) { return 7; });', "charge"),
]
# The compiler says each of these once in a program, so each is compiled by itself.
INEXACT = [
    ("Options{.epsilon = 0.7, .threshold = 3};", '"0.7"_eps'),
    ("Options{.epsilon = 0.7f, .threshold = 3};", '"0.7"_eps'),
    ('Options{.epsilon = "0.7", .threshold = 3};', '"0.7"_eps'),
    ('Budget budget("1"_eps); budget.charge(0.5, [](const Epsilon&) { return selected(); });', '"0.7"_eps'),
    ('Options{.epsilon = "1"_eps, .threshold = 0.5};', '"0.1"_rational'),
    ("Rational rational(0.5);", '"0.1"_rational'),
]


def compile_with(lines):
    """What the compiler says of the program: all of it, and by line the errors with what follows them. None if it compiles."""
    text = PROGRAM.format(line="\n".join(f"{{ {line} }}" for line in lines))
    all_errors = ["-ferror-limit=0"] if "clang" in ARGUMENTS.compiler[0] else []
    done = subprocess.run([*ARGUMENTS.compiler, "-std=c++20", "-fsyntax-only", *all_errors, "-x", "c++", "-I", ROOT / "include", "-"],
                          input=text, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"})
    if done.returncode == 0:
        return None
    first = text[:text.index(f"{{ {lines[0]} }}")].count("\n") + 1
    parts = re.split(r"^<stdin>:(\d+):\d+: error: ", done.stderr, flags=re.MULTILINE)
    by_line = {}
    for number, message in zip(parts[1::2], parts[2::2]):
        by_line[int(number) - first] = by_line.get(int(number) - first, "") + message
    return done.stderr, by_line


class RefusedPrograms(unittest.TestCase):
    def test_lists_that_live_on_and_exact_numbers_compile(self):
        self.assertIsNone(compile_with(COMPILE))

    def test_temporary_lists_do_not_compile(self):
        _, by_line = compile_with([line for line, _ in REFUSED])
        for number, (line, expected) in enumerate(REFUSED):
            with self.subTest(line):
                self.assertIn(expected, by_line.get(number, "nothing, it compiles"))

    def test_inexact_numbers_do_not_compile_and_the_message_says_what_to_write(self):
        for line, expected in INEXACT:
            with self.subTest(line):
                message, _ = compile_with([line]) or ("nothing, it compiles", {})
                self.assertIn(expected, message.replace("\\\"", "\""))  # clang escapes quotes


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", nargs="+", default=["c++"])
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=["refused_programs", *rest])
