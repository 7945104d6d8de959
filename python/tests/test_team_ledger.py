"""Ledgers in a database: names that are no file and no URL that serves, and passwords, which nothing repeats."""

import pathlib

import pytest

import freegap as fg

PASSWORD = "hunter2"
ADDRESSES = [(f"postgresql://ada:{PASSWORD}@/books", "has a password"), (f"postgresql://ada:{PASSWORD}@[", "cannot be read"),
             (f"Postgresql://ada:{PASSWORD}@/books", "neither a file nor a URL"), (f"POSTGRESQL://ada:{PASSWORD}@h/b", "neither a file nor a URL"),
             (f"postgresql+psycopg://ada:{PASSWORD}@h/b", "neither a file nor a URL"), (f"mysql://h/b?key={PASSWORD}", "neither a file nor a URL"),
             (f" postgresql://ada:{PASSWORD}@h/b", "neither a file nor a URL"), (f"host=db password={PASSWORD}", "neither a file nor a URL"),
             (f"host=db PassWord = {PASSWORD}", "neither a file nor a URL"), (f"postgres:ada:{PASSWORD}@h", "neither a file nor a URL"),
             (f"\tPostgreSQL:{PASSWORD}", "neither a file nor a URL"), (pathlib.Path(f"mysql://ada:{PASSWORD}@h/b"), "neither a file nor a URL")]


@pytest.mark.parametrize("name, problem", ADDRESSES)
def test_no_message_repeats_an_address(folder, ledger, name, problem):
    made = {"dataset": "shop", "epsilon": 1, "unit": "customer"}
    for refused in (lambda: fg.Ledger(name, dataset="shop"), lambda: fg.Ledger.create(name, **made), lambda: ledger.copy(name)):
        with pytest.raises(ValueError, match=problem) as caught:
            refused()
        assert PASSWORD not in str(caught.value)
    assert [path.name for path in folder.rglob("*")] == ["books.db"] and ledger.balance().remaining == 1000
