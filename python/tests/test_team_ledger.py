"""Ledgers in a database: names that are no file and no URL that serves, and passwords, which nothing repeats."""

import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import freegap as fg
import servers
from counting import optional

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


@pytest.fixture
def server():
    """A server that keeps what it commits, and the databases `books` and `moved`; ada has a password, and owns nothing yet."""
    psycopg = optional("psycopg")
    with servers.running() as started:
        started.stop()
        started._run("pg_ctl", "-D", started.folder / "data", "-l", started.folder / "log", "-w", "-t", "120", "-o",
                     f"-k {started.folder} -c listen_addresses=''", "start")
        with psycopg.connect(**started.address(), autocommit=True) as owner:
            owner.execute(f"CREATE ROLE ada LOGIN PASSWORD '{PASSWORD}'")
            owner.execute("CREATE DATABASE books")
            owner.execute("CREATE DATABASE moved OWNER ada")
            yield started, owner


def _everything(server, folder):
    """All that ledgers keep: the rows of databases, and the bytes of files."""
    psycopg = optional("psycopg")
    kept = [path.read_bytes().decode(errors="replace") for path in folder.glob("*.db")]
    for database in ("books", "moved"):
        with psycopg.connect(**server.address(dbname=database)) as owner:
            for table in ("event", "head"):
                kept += [str(row) for row in owner.execute(f"SELECT * FROM freegap.{table}")]
    return kept


@pytest.mark.long
def test_a_ledger_by_url(server, folder, monkeypatch):
    """A team's ledger with a password, from its making to its copies. Neither messages nor rows have the password."""
    started, owner = server
    url = f"postgresql://ada@/books?host={started.folder}"
    made, asked = {"dataset": "shop", "epsilon": 3, "unit": "customer"}, {"k": 1, "epsilon": "1/2", "unit": "customer"}
    said = []

    def refused(error, problem, call):
        with pytest.raises(error, match=problem) as caught:
            call()
        said.append(str(caught.value))

    refused(fg.MachineFault, "no password supplied", lambda: fg.Ledger.create(url, **made))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    refused(ValueError, "permission denied for database", lambda: fg.Ledger.create(url, **made))
    owner.execute("GRANT CREATE ON DATABASE books TO ada")  # the right that it takes
    ledger = fg.Ledger.create(url, **made)
    assert ledger.path == url and ledger.balance() == (3, 0, 0, 3)
    release = fg.top_k([60, 50, 40], ledger=ledger, **asked)
    said += [repr(ledger), str(ledger.history()), release.to_json(), ledger.show(1).to_json()]
    assert ledger.show(1).rows == release.rows and ledger.check()[0] == 3

    monkeypatch.setenv("PGPASSWORD", f"{PASSWORD}-once")
    refused(fg.MachineFault, "password authentication failed", lambda: fg.Ledger(url, dataset="shop"))
    refused(fg.MachineFault, "password authentication failed", lambda: fg.top_k([60, 50, 40], ledger=ledger, **asked))
    refused(fg.MachineFault, "password authentication failed", lambda: ledger.copy(folder / "none.db"))
    monkeypatch.delenv("PGPASSWORD")
    for name, text in (("PGPASSFILE", f"*:*:books:ada:{PASSWORD}\n"),
                       ("PGSERVICEFILE", f"[books]\nhost={started.folder}\nuser=ada\ndbname=books\npassword={PASSWORD}\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o600)
        monkeypatch.setenv(name, str(folder / name))
        again = fg.Ledger(url if name == "PGPASSFILE" else "postgresql:///?service=books", dataset="shop")
        fg.top_k([60, 50, 40], ledger=again, **asked)
        said += [repr(again), str(again.history())]
        monkeypatch.delenv(name)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert ledger.balance().spent == 3 * release.spent and not (folder / "none.db").exists()

    head = ledger.head()
    copied = ledger.copy(folder / "file.db")
    refused(ValueError, "closed", lambda: fg.top_k([60, 50, 40], ledger=ledger, **asked))
    there = fg.Ledger(folder / "file.db", dataset="shop")
    assert there.check(head) == copied == there.head() and ledger.check(head) == ledger.head()
    fg.top_k([60, 50, 40], ledger=there, **asked)
    refused(ValueError, "already; nothing was copied", lambda: there.copy(url))
    moved = url.replace("/books", "/moved")
    moved_to = there.copy(moved)
    back = fg.Ledger(moved, dataset="shop")
    assert back.check(copied) == moved_to and back.show(1).rows == release.rows and len(back.history()) == 4
    said += [repr(back), str(back.history())]
    assert [text for text in said + _everything(started, folder) if PASSWORD in text] == []


@pytest.mark.long
def test_an_interrupt_ends_the_wait_for_a_lock(server):
    """Nothing is charged yet; the server waits no longer for the lock, and nothing is left of the call there."""
    started, owner = server
    url = f"postgresql://owner@/books?host={started.folder}"
    ledger = fg.Ledger.create(url, dataset="shop", epsilon=3, unit="customer")
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(f"""
        import signal, freegap as fg
        signal.signal(signal.SIGINT, signal.default_int_handler)
        ledger = fg.Ledger({url!r}, dataset="shop")
        asked = dict(k=1, epsilon=1, unit="customer", ledger=ledger)
        input()
        try:
            fg.top_k([60, 50, 40], **asked)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        input()
        fg.top_k([60, 50, 40], **asked)
        """)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    psycopg = optional("psycopg")
    sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'freegap' AND datname = 'books'"
    with psycopg.connect(**started.address(dbname="books")) as other:
        other.execute("SET idle_in_transaction_session_timeout = '30s'")  # so that this test ends in any case
        other.execute("SELECT count FROM freegap.head FOR UPDATE")
        child.stdin.write("ask\n")
        child.stdin.flush()
        until = time.monotonic() + 60
        while owner.execute(f"{sessions} AND wait_event_type = 'Lock'").fetchone() == (0,):
            assert time.monotonic() < until
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        while owner.execute(sessions).fetchone() != (0,):
            assert time.monotonic() < until
            time.sleep(0.05)
    assert ledger.history() == [] and ledger.balance() == (3, 0, 0, 3)
    child.communicate("again\n", timeout=60)
    assert child.returncode == 0 and ledger.balance() == (3, 1, 0, 2)
