"""What the tests share. FREEGAP_PROGRAM names the program; the tests that need it fail without it."""

import os
import pathlib
import subprocess

import pytest

import freegap as fg


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes long; `make check` runs it, `make test` does not")


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
