"""Every hygiene check finds what it is there to find: each is given a small tree with one violation, and the same tree
without it."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


class PlantedViolations(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.tree = pathlib.Path(scratch.name)

    def plant(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def tool(self, name, *arguments):
        return run(sys.executable, TOOLS / name, *(arguments or (self.tree,)))

    def passes(self, outcome):
        self.assertEqual(outcome[0], 0, outcome[1])

    def fails(self, outcome, why):
        self.assertNotEqual(outcome[0], 0, outcome[1])
        self.assertIn(why, outcome[1])

    def plant_layers(self):
        """A small tree that keeps to its layers."""
        for name, text in {
            "include/freegap/freegap.hpp": '#include "freegap/candidates.hpp"\n#include "freegap/estimate.hpp"\n'
                                           '#include "freegap/noise.hpp"\n#include "freegap/release.hpp"\n'
                                           '#include "freegap/release/top_k.hpp"\n#include "freegap/top_k.hpp"\n'
                                           '#include "freegap/version.hpp"\n',
            "include/freegap/candidates.hpp": "#include <gmpxx.h>\n",
            "include/freegap/detail/core/blocks.hpp": "#include <vector>\n",
            "include/freegap/detail/mechanisms/ranking.hpp": '#include "freegap/noise.hpp"\n',
            "include/freegap/estimate.hpp": '#include <vector>\n#include "freegap/release/top_k.hpp"\n',
            "include/freegap/noise.hpp": "",
            "include/freegap/release.hpp": "",
            "include/freegap/release/top_k.hpp": '#include "freegap/release.hpp"\n',
            "include/freegap/top_k.hpp": '#include "freegap/candidates.hpp"\n'
                                         '#include "freegap/detail/mechanisms/ranking.hpp"\n'
                                         '#include "freegap/release/top_k.hpp"\n',
            "include/freegap/verify/tape.hpp": '#include "freegap/noise.hpp"\n',
            "src/cli/job.hpp": "#include <vector>\n",
            "src/cli/top_k.cpp": '#include "cli/job.hpp"\n#include "freegap/freegap.hpp"\n',
            "src/core/candidates.cpp": '#include "freegap/detail/core/blocks.hpp"\n',
            "src/estimates/estimate.cpp": "",
            "src/mechanisms/top_k.cpp": '#include "freegap/top_k.hpp"\n',
            "src/noise/bits.cpp": "#include <gcrypt.h>\n",
            "src/release/top_k.cpp": '#include "freegap/release/top_k.hpp"\n',
            "examples/top_ten.cpp": "#include <freegap/freegap.hpp>\n",
        }.items():
            self.plant(name, text)

    def test_layers(self):
        self.plant_layers()
        self.passes(self.tool("check_layers.py"))
        for name, text, why in [
            # Who may include whom.
            ("src/core/rational.cpp", '#include "noise/lazy_uniform.hpp"\n', "core must not include noise"),
            ("src/estimates/estimate.cpp", '#include "freegap/noise.hpp"\n', "estimates must not include noise"),
            ("src/estimates/estimate.cpp", "#include <freegap/top_k.hpp>\n", "estimates must not include mechanisms"),
            ("src/release/top_k.cpp", '#include "freegap/noise.hpp"\n', "release must not include noise"),
            ("src/noise/bits.cpp", '#include "freegap/release.hpp"\n', "noise must not include release"),
            ("src/noise/bits.cpp", '#include "freegap/detail/mechanisms/ranking.hpp"\n', "noise must not include mechanisms"),
            ("src/mechanisms/top_k.cpp", '#include "freegap/verify/tape.hpp"\n', "mechanisms must not include verify"),
            ("src/mechanisms/top_k.cpp", "#include <openssl/rand.h>\n", "third-party"),
            ("src/estimates/estimate.cpp", "#  include <mpfr.h>\n", "third-party"),
            # A header's layer follows from its folder, or from its one source.
            ("include/freegap/unheard_of.hpp", "", "unheard_of.hpp: no layer"),
            ("include/freegap/detail/blocks.hpp", "", "detail/blocks.hpp: no layer"),
            ("include/freegap/detail/cli/blocks.hpp", "", "detail/cli/blocks.hpp: no layer"),
            ("include/freegap/ledger/row.hpp", "", "ledger/row.hpp: no layer"),
            ("src/estimates/top_k.cpp", "", "include/freegap/top_k.hpp: no layer"),
            ("src/mechanisms/top_k.cpp", '#include "freegap/unheard_of.hpp"\n', "the header has no layer"),
            ("src/unheard_of/file.cpp", "", "file.cpp: no layer"),
            # Own files are included with their folder.
            ("src/cli/top_k.cpp", '#include "job.hpp"\n', "included with its folder: cli/job.hpp"),
            # freegap.hpp includes all public headers and nothing else.
            ("include/freegap/release/measure.hpp", "", "does not include freegap/release/measure.hpp"),
            ("include/freegap/freegap.hpp", '#include "freegap/candidates.hpp"\n', "does not include freegap/top_k.hpp"),
            ("include/freegap/freegap.hpp", '#include "freegap/detail/core/blocks.hpp"\n',
             "includes freegap/detail/core/blocks.hpp, which is no public header"),
            ("include/freegap/freegap.hpp", '#include "freegap/verify/tape.hpp"\n',
             "includes freegap/verify/tape.hpp, which is no public header"),
            # Releases and estimates see neither answers nor internals, not even by another header.
            ("include/freegap/estimate.hpp", '#include "freegap/candidates.hpp"\n',
             "estimate.hpp: leads to freegap/candidates.hpp"),
            ("include/freegap/release.hpp", '#include "freegap/candidates.hpp"\n',
             "release/top_k.hpp: leads to freegap/candidates.hpp, by freegap/release.hpp"),
            ("include/freegap/release.hpp", '#include "freegap/detail/core/blocks.hpp"\n',
             "estimate.hpp: leads to freegap/detail/core/blocks.hpp"),
            # Internal headers stay in the library.
            ("src/cli/job.hpp", '#include "freegap/detail/core/blocks.hpp"\n', "internal to the library"),
            ("src/ledger/row.cpp", '#include "freegap/detail/core/blocks.hpp"\n', "internal to the library"),
            ("src/sources/text.cpp", '#include "freegap/detail/core/blocks.hpp"\n', "internal to the library"),
            ("examples/top_ten.cpp", "#include <freegap/detail/core/blocks.hpp>\n", "internal to the library"),
        ]:
            with self.subTest(name=name, text=text):
                planted = self.plant(name, text)
                self.fails(self.tool("check_layers.py"), why)
                planted.unlink()
                self.plant_layers()

    def test_words(self):
        self.plant("docs/page.md", "Build it, then issue the command. See #3 of the list.\n")
        self.plant("src/noise/bits.cpp", "auto operand(int);\nauto noise = operand(7);\n")
        self.passes(self.tool("check_words.py"))
        for name, text in [
            ("docs/page.md", "see /" + "work/notes"),
            ("tools/run", "cd /" + "tmp/x"),
            ("CHANGELOG.md", "Fixes issue " + "#12."),
            ("src/noise/bits.cpp", "int x = rand();"),
            ("src/noise/bits.cpp", "std::mt19937_64 generator;"),
            ("include/freegap/noise.hpp", "std::random_device entropy;"),
        ]:
            with self.subTest(name=name, text=text):
                planted = self.plant(name, text)
                self.fails(self.tool("check_words.py"), name)
                planted.unlink()

    def test_links(self):
        self.plant("docs/a.md", "# One thing\n[b](b.md#another-thing) [self](#one-thing) [web](https://example.org)\n")
        self.plant("docs/b.md", "## Another thing\n```\n[not](a-link)\n```\n")
        self.passes(self.tool("check_links.py"))
        self.plant("README.md", "[gone](docs/c.md)\n")
        self.fails(self.tool("check_links.py"), "no such file")
        self.plant("README.md", "[gone](docs/b.md#nothing)\n")
        self.fails(self.tool("check_links.py"), "no such heading")
        self.plant("README.md", "[there](docs/b.md)\n")
        self.plant("tests/core/one_test.cpp", "int one() { return 1; }\n")
        self.plant("src/core/one.hpp", "/// One (docs/a.md; tests/core/one_test.cpp).\n")
        self.passes(self.tool("check_links.py"))
        self.plant("src/core/one.hpp", "/// One (tests/core/none_test.cpp).\n")
        self.fails(self.tool("check_links.py"), "no such file")

    def test_format(self):
        self.plant("src/core/rational.cpp", "int one() { return 1; }\n")
        self.passes(self.tool("check_format.py"))
        self.plant("src/core/rational.cpp", "int  one( ) {return 1;}\n")
        self.fails(self.tool("check_format.py"), "make format")

    def test_no_floating_point(self):
        self.plant("src/noise/uniform.hpp", "struct Uniform {\n  auto draw() { return 0.5; }\n};\n")
        self.plant("src/mechanisms/top_k.cpp",
                   'inline int half(int x) { return x / 2; }  // not a double\nconst char* word = "double";\n')
        check = ("check_no_floating_point.py", "--root", self.tree)
        self.passes(self.tool(*check))
        for header, text, why in [
            ("top_k", "double scale = 1;\n", "floating point: double"),
            ("top_k", "inline int third(int x) { return int(x * .3); }\n", "floating-point type"),
            ("top_k", '#include "noise/uniform.hpp"\ninline bool coin() { auto u = Uniform().draw(); return u < 1; }\n',
             "floating-point type"),
            ("detail/mechanisms/ranking", "template <class Noise>\nbool coin(Noise noise) { return noise.draw() < 1; }\n"
             '#include "noise/uniform.hpp"\ntemplate bool coin(Uniform);\n', "floating-point type"),
        ]:
            with self.subTest(text=text):
                planted = self.plant(f"include/freegap/{header}.hpp", text)
                unit = self.plant("instances.cpp", f'#include "freegap/{header}.hpp"\n')
                self.fails(self.tool(*check, unit), why)
                planted.unlink()

    def test_tidy(self):
        """In a source, and in a header that it includes."""
        self.plant("include/freegap/planted.hpp", "#pragma once\ninline int Two() { return 2; }\n")
        for text, why in [
            ('#include "freegap/planted.hpp"\n', "planted.hpp:2:12: error: invalid case style for function 'Two'"),
            ("int one() { return 1; }\n", None),
            ("int One() { return 1; }\n", "readability-identifier-naming"),
            ("class Box {\n  int value = 1;\n\n public:\n  int read() const { return value; }\n};\n",
             "readability-identifier-naming"),
            ("int* nothing() { return 0; }\n", "modernize-use-nullptr"),
        ]:
            with self.subTest(text=text):
                unit = self.plant("unit.cpp", text)
                outcome = run("clang-tidy", "--quiet", f"--config-file={ROOT / '.clang-tidy'}", unit, "--", "-std=c++20",
                              f"-I{self.tree / 'include'}")
                if why:
                    self.fails(outcome, why)
                else:
                    self.passes(outcome)

    def test_doxygen(self):
        def doxygen():
            settings = (ROOT / "Doxyfile").read_text(encoding="utf-8")
            settings += f"\nINPUT = {self.tree / 'include'}\nOUTPUT_DIRECTORY = {self.tree / 'docs'}\n"
            return run("doxygen", self.plant("Doxyfile", settings))

        documented = "/// @file\n/// A page.\n\n/// One.\nint one();\n"
        self.plant("include/page.hpp", documented)
        self.passes(doxygen())
        self.plant("include/page.hpp", documented + "int two();\n")
        self.fails(doxygen(), "is not documented")

    def test_doc_examples(self):
        check = ("check_doc_examples.py", "--root", self.tree, "--compiler", os.environ.get("CXX", "c++"))
        self.plant("README.md", "```cpp\nint main() {}\n```\n")
        self.passes(self.tool(*check))
        self.plant("README.md", "```cpp\nint main() { return 3; }\n```\n")
        self.fails(self.tool(*check), "README.md:1")
        self.plant("README.md", "text\n\n```cpp\nint main() { undeclared(); }\n```\n")
        self.fails(self.tool(*check), "README.md:3")

    def test_wheel(self):
        description, libraries = "freegap-0.1.0.dist-info", "freegap.libs"
        package = {"freegap/__init__.py": "one = 1\n", "freegap/_core.pyi": "two: int\n", "freegap/py.typed": ""}
        for name, text in package.items():
            self.plant(f"python/{name}", text)
        licences = {name: "Copyright (C) them\n" for name in ("LICENSE", "nanobind.txt", "nlohmann-json.txt", "robin-map.txt", "libgmp.txt")}
        licences["libgpg-error.txt"] = "Copyright (C) them; see /usr/share/common-licenses/LGPL-2.1.\n"
        licences["LGPL-2.1"] = "GNU LESSER GENERAL PUBLIC LICENSE\n"

        def wheel(tag="cp311-cp311-manylinux_2_36_x86_64", module="_core.cpython-311-x86_64-linux-gnu.so", **changes):
            """What the check says of a wheel with these changes; None leaves a file out."""
            files = {**package, f"freegap/{module}": "", f"{description}/WHEEL": f"Wheel-Version: 1.0\nTag: {tag}\n",
                     f"{libraries}/libgmp-7376c9af.so.10.4.1": "", f"{libraries}/libgpg-error-f93b4f9a.so.0.33.1": "",
                     **{f"{description}/licenses/{name}": text for name, text in licences.items()}, **changes}
            path = self.tree / f"freegap-0.1.0-{tag}.whl"
            with zipfile.ZipFile(path, "w") as archive:
                for name, text in files.items():
                    if text is not None:
                        archive.writestr(name, text)
            return self.tool("check_wheel.py", path, self.tree)

        self.passes(wheel())
        self.passes(wheel("cp312-abi3-manylinux_2_36_aarch64", "_core.abi3.so"))
        self.passes(wheel(**{f"{libraries}/libmpfr-699a9c25.so.6.2.0": f"={self.tree}/root.c", f"{description}/licenses/libmpfr.txt": "Copyright"}))
        self.passes(wheel(**{f"{description}/METADATA": f"..{self.tree}/root"}))
        for tag in ("cp311-cp311-linux_x86_64", "cp312-cp312-manylinux_2_36_x86_64", "cp311-abi3-manylinux_2_36_x86_64", "cp311-cp311-manylinux_2_41_x86_64",
                    "cp311-cp311-manylinux_2_36_x86_64.linux_x86_64"):
            self.fails(wheel(tag), "is not promised")
        self.fails(wheel("cp312-abi3-manylinux_2_36_x86_64"), "there is no module of the tag")
        for changes, why in [
            ({f"{description}/WHEEL": "Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n"}, "does not state the tag"),
            ({"freegap/__init__.py": "one = 2\n"}, "freegap/__init__.py: is missing, or differs"),
            ({"freegap/_core.pyi": None}, "freegap/_core.pyi: is missing"),
            ({"freegap/py.typed": None}, "freegap/py.typed: is missing"),
            ({f"{libraries}/libmpfr-699a9c25.so.6.2.0": ""}, "licenses/libmpfr.txt: there is no licence"),
            ({f"{description}/licenses/libgmp.txt": ""}, "licenses/libgmp.txt: there is no licence"),
            ({f"{description}/licenses/nanobind.txt": None}, "licenses/nanobind.txt: there is no licence"),
            ({f"{description}/licenses/robin-map.txt": ""}, "licenses/robin-map.txt: there is no licence"),
            ({f"{description}/licenses/LICENSE": None}, "licenses/LICENSE: there is no licence"),
            ({f"{description}/licenses/LGPL-2.1": None}, "licenses/LGPL-2.1: is missing, and libgpg-error.txt refers to it"),
            ({f"{libraries}/libgmp-7376c9af.so.10.4.1": None, f"{libraries}/libgpg-error-f93b4f9a.so.0.33.1": None}, "there are no libraries"),
            ({"freegap/_core.cpython-311-x86_64-linux-gnu.so": f"\0{self.tree}/src/core/rational.cpp\0"}, f"contains {self.tree}, a path of this machine"),
            ({f"{description}/METADATA": f"file://{os.path.expanduser('~')}/freegap"}, "METADATA: contains"),
        ]:
            with self.subTest(why=why):
                self.fails(wheel(**changes), why)


if __name__ == "__main__":
    unittest.main()
