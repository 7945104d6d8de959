"""What the tests share. FREEGAP_PROGRAM names the program; the tests that need it fail without it."""

import os
import pathlib
import subprocess
import sys

import pytest

import freegap as fg


class NotInstalled:
    """Packages of tests/check_requirements.txt are not there for the quick tests, even where an earlier `make check` installed them."""

    names = {"diffprivlib", "ipykernel", "nbclient", "nbformat", "opendp", "psycopg", "pyspark", "sklearn"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}: only tests marked `long` have it", name=name)


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes long, or needs tests/check_requirements.txt; `make check` runs it, `make test` does not")
    if config.getoption("markexpr") == "not long":
        sys.meta_path.insert(0, NotInstalled())


@pytest.fixture
def program():
    path = os.environ["FREEGAP_PROGRAM"]

    def run(*arguments, folder):
        result = subprocess.run([path, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return pathlib.Path(tmp_path)


@pytest.fixture
def ledger(folder):
    return fg.Ledger.create(folder / "books.db", dataset="shop", epsilon=1000, unit="customer")
