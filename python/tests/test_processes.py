"""Threads, forks, interrupts and kills."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy
import pytest

import freegap as fg

VALUES = numpy.arange(2000, dtype="int64")


def released():
    """Eight noisy numbers: two runs with different noise agree with probability below 1e-12."""
    return tuple(row["measured_ticks"] for row in fg.measure(VALUES, items=list(range(8)), epsilon="0.01", ledger=None).measurements)


def test_threads_have_noise_of_their_own():
    found = []

    def work():
        found.extend(released() for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(set(found)) == 160


def longest_pause(call):
    """The longest time for which another thread stood still while `call` ran, and how long that took."""
    beats, stop = [], threading.Event()

    def beat():
        while not stop.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.0005)

    other = threading.Thread(target=beat)
    other.start()
    try:
        while not beats:
            time.sleep(0.001)
        start = time.perf_counter()
        call()
        end = time.perf_counter()
    finally:
        stop.set()
        other.join()
    within = [start, *(moment for moment in beats if start < moment < end), end]
    return max(later - earlier for earlier, later in zip(within, within[1:])), end - start


def goes_on(call):
    """Whether another thread goes on while `call` runs. A busy machine may stop it for once."""
    return any(pause < took / 2 for pause, took in (longest_pause(call) for _ in range(5)))


MANY = numpy.zeros(1_000_000, dtype="int64")  #: with the options below, a call takes a tenth of a second or more
MEASURED = fg.simulate.top_k(numpy.arange(8000), k=4000, epsilon=1000, noise="laplace", seed=1)[0].to_json()
LONG_CALLS = {
    "quick": lambda: fg.top_k(MANY, k=100_000, epsilon=1, measure=0, ledger=None),
    "release": lambda: fg.exponential(MANY, sensitivity=1, epsilon=1, constant_work=True, ledger=None),
    "estimate": lambda: fg.estimate(fg.Release(MEASURED)),
    "plan of top k": lambda: fg.plan.top_k(k=10, epsilon=1, noise="laplace"),
    "plan of a sparse vector": lambda: fg.plan.sparse_vector(k=4000, epsilon=1, adaptive=True, branches=3, distance=100),
    "simulation": lambda: fg.simulate.exponential(MANY, sensitivity=1, epsilon=1, constant_work=True, seed=1),
}


@pytest.mark.parametrize("name", LONG_CALLS)
def test_other_threads_go_on_during_a_release(name):
    assert goes_on(LONG_CALLS[name])


def test_a_call_that_keeps_the_lock_is_noticed():
    numbers = numpy.random.default_rng(1).random(300_000).tolist()
    assert not goes_on(lambda: sorted(numbers))


def test_threads_share_a_ledger(folder):
    ledger = fg.Ledger.create(folder / "books.db", dataset="shop", epsilon=5, unit="customer")
    refused = []

    def work():
        for _ in range(3):
            try:
                fg.top_k(VALUES, k=1, epsilon=1, unit="customer", ledger=ledger)
            except fg.BudgetExceeded as exceeded:
                refused.append(exceeded)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.balance().spent == 5 and ledger.balance().remaining == 0
    assert len(refused) == 4


def in_child(work):
    """What `work` returns in a forked child, as JSON."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, json.dumps(work()).encode())
            os._exit(0)
        finally:  # an exception must not go on as a second run of the tests
            os._exit(1)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return json.loads(text)


def test_a_forked_child_draws_other_noise():
    released()  # the noise of this thread exists, with bits drawn ahead
    children = [tuple(in_child(released)) for _ in range(5)]
    assert len({released(), *children}) == 6


def test_a_sparse_vector_belongs_to_its_process(ledger):
    def refused(call):
        try:
            call()
        except RuntimeError as error:
            return str(error)
        return "done"

    vector = fg.SparseVector(threshold=50, k=2, epsilon=2, kind="counts", ledger=ledger)
    assert "fork" in in_child(lambda: refused(lambda: vector.ask(3)))
    assert "fork" in in_child(lambda: refused(vector.close))
    assert ledger.balance().reserved == 2
    assert vector.ask(3)["above"] in (True, False)
    assert vector.close().reserved == 2 and ledger.balance().reserved == 0


#: A run in the background of a shell inherits SIGINT as ignored, and Python then raises no KeyboardInterrupt.
INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def run(code):
    return subprocess.Popen([sys.executable, "-c", INTERRUPTS + textwrap.dedent(code)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def test_a_simulation_can_be_interrupted():
    child = run("""
        import freegap as fg
        print("ready", flush=True)
        fg.simulate.top_k(list(range(1000)), k=5, epsilon=1, seed=1, runs=10**9)
        """)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in child.communicate(timeout=60)[1]


def test_an_interrupt_in_a_with_block_settles(ledger):
    child = run("""
        import sys, time, freegap as fg
        with fg.SparseVector(threshold=50, k=2, epsilon=100, kind="counts", ledger=fg.Ledger("books.db", dataset="shop")) as vector:
            vector.ask(5000)
            print("ready", flush=True)
            time.sleep(600)
        """)
    assert child.stdout.readline() == "ready\n"
    assert ledger.balance().reserved == 100
    child.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in child.communicate(timeout=60)[1]
    assert ledger.balance().reserved == 0 and 0 < ledger.balance().spent < 100
    assert ledger.show(1).to_dict()["stopped"] == "interrupted"
    assert [answer.above for answer in ledger.show(1).answers] == [True]


@contextlib.contextmanager
def locked(how):
    """Another process holds a lock of the ledger."""
    holder = subprocess.Popen([sys.executable, "-c", textwrap.dedent(f"""
        import sqlite3, sys
        books = sqlite3.connect("books.db", isolation_level=None)
        books.execute("{how}")
        print("locked", flush=True)
        sys.stdin.read()
        books.execute("ROLLBACK")
        books.close()
        """)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "locked\n"
        yield
    finally:
        holder.communicate(timeout=60)


WAITS = 30  #: seconds; half of the time after which a lock that nobody gives back is a fault
ASK = {"top_k": "fg.top_k([9, 5], k=1, epsilon=1, unit='customer', ledger=ledger)",
       "measure": "fg.measure([9, 5], items=[0], epsilon=1, unit='customer', ledger=ledger)",
       "online": "fg.SparseVector(threshold=5, k=1, epsilon=1, kind='counts', ledger=ledger)",
       "create": "fg.Ledger.create('books.db', dataset='other', epsilon=1, unit='customer')",
       "balance": "ledger.balance()"}


@pytest.mark.parametrize("how, asked", [*[("BEGIN IMMEDIATE", name) for name in ("top_k", "measure", "online", "create")],
                                        *[("BEGIN EXCLUSIVE", name) for name in ("top_k", "balance")]])
def test_an_interrupt_ends_the_wait_for_a_lock(ledger, how, asked):
    """Nothing is charged yet, and nothing drawn."""
    before = ledger.head()
    child = run(f"""
        import sys, freegap as fg
        ledger = fg.Ledger("books.db", dataset="shop")
        print("ready", flush=True)
        sys.stdin.readline()
        print("asks", flush=True)
        {ASK[asked]}
        print("answered", flush=True)
        """)
    assert child.stdout.readline() == "ready\n"
    with locked(how):
        child.stdin.write("go on\n")
        child.stdin.flush()
        assert child.stdout.readline() == "asks\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=WAITS)
        assert "KeyboardInterrupt" in said[1] and "answered" not in said[0]
    assert ledger.history() == [] and ledger.balance() == (1000, 0, 0, 1000) and ledger.head() == before
    fg.top_k([9, 5], k=1, epsilon=1, unit="customer", ledger=ledger)
    assert ledger.balance().spent == 1


def test_the_interpreter_ends_while_a_thread_waits_for_a_lock(ledger):
    """A daemon thread must not ask for the GIL by then."""
    child = run("""
        import threading, time, freegap as fg
        ledger = fg.Ledger("books.db", dataset="shop")
        threading.Thread(target=lambda: fg.top_k([9, 5], k=1, epsilon=1, unit="customer", ledger=ledger), daemon=True).start()
        time.sleep(0.5)
        print("ends", flush=True)
        """)
    with locked("BEGIN IMMEDIATE"):
        said = child.communicate(timeout=WAITS)
        assert (child.returncode, *said) == (0, "ends\n", "")
    assert ledger.history() == []


def test_other_signals_do_not_end_the_wait_for_a_lock(ledger):
    """Their handlers run meanwhile."""
    child = run("""
        import os, signal, sys, freegap as fg
        signal.signal(signal.SIGUSR1, lambda *_: print("handled", flush=True))
        ledger = fg.Ledger("books.db", dataset="shop")
        print("ready", flush=True)
        sys.stdin.readline()
        print("asks", flush=True)
        fg.top_k([9, 5], k=1, epsilon=1, unit="customer", ledger=ledger)
        print("answered", flush=True)
        """)
    assert child.stdout.readline() == "ready\n"
    with locked("BEGIN IMMEDIATE"):
        child.stdin.write("go on\n")
        child.stdin.flush()
        assert child.stdout.readline() == "asks\n"
        time.sleep(0.2)
        child.send_signal(signal.SIGUSR1)
        assert child.stdout.readline() == "handled\n" and ledger.history() == []
    assert child.communicate(timeout=60)[0] == "answered\n" and ledger.balance().spent == 1


def test_an_interrupt_after_the_charge_waits_for_the_settlement(ledger):
    """What was drawn is stored, also where another process holds the lock by then."""
    child = run("""
        import sys, freegap as fg
        from freegap import _core
        def draw():
            print("draws", flush=True)
            sys.stdin.readline()
            return "17"
        ledger = fg.Ledger("books.db", dataset="shop")
        _core.release_outside({"mechanism": "opendp", "epsilon": 1, "unit": "customer", "parameters": "{}", "ledger": ledger}, draw)
        print("answered", flush=True)
        """)
    assert child.stdout.readline() == "draws\n" and ledger.balance().reserved == 1
    with locked("BEGIN IMMEDIATE"):
        child.stdin.write("go on\n")
        child.stdin.flush()
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert child.poll() is None and ledger.balance().reserved == 1
    assert "KeyboardInterrupt" in child.communicate(timeout=60)[1]
    assert ledger.show(1).to_dict()["value"] == 17 and ledger.balance() == (1000, 1, 0, 999)


def test_a_killed_kernel_stays_charged(ledger):
    child = run("""
        import time, freegap as fg
        vector = fg.SparseVector(threshold=50, k=2, epsilon=100, kind="counts", ledger=fg.Ledger("books.db", dataset="shop"))
        vector.ask(5000)
        print("ready", flush=True)
        time.sleep(600)
        """)
    assert child.stdout.readline() == "ready\n"
    child.kill()
    child.communicate()
    assert ledger.balance().reserved == 100 and ledger.history()[0]["spent"] is None
    with pytest.raises(ValueError, match="unfinished"):
        ledger.show(1)


LOOP = """
    import freegap as fg
    ledger = fg.Ledger("books.db", dataset="shop")
    print("ready", flush=True)
    while True:
        print(fg.top_k([5, 3], k=1, epsilon="1/100", unit="customer", ledger=ledger).to_dict()["ledger"]["entry"], flush=True)
    """


def kills(folder, rounds):
    """Python and the program release from one ledger at once, and are killed; what was shown is in the books, and all is charged."""
    program = os.environ["FREEGAP_PROGRAM"]
    ledger = fg.Ledger.create(folder / "books.db", dataset="shop", epsilon=1000, unit="customer")
    (folder / "table.csv").write_text("item,count\na,5\nb,3\n")
    command = [program, "top", "table.csv", "-k", "1", "--epsilon", "1/100", "--items-are-public", "--unit", "customer", "--ledger",
               "books.db", "--dataset", "shop", "--format", "json"]
    shown = set()
    for i in range(rounds):
        child = run(LOOP)
        assert child.stdout.readline() == "ready\n"
        other = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        time.sleep(0.01 + 0.003 * (i % 17))
        child.kill()
        if i % 2:
            other.kill()
        text = other.communicate()[0]
        if text.endswith("}\n"):
            shown.add(json.loads(text)["ledger"]["entry"])
        lines = child.communicate()[0].splitlines(keepends=True)
        shown.update(int(line) for line in lines if line.endswith("\n"))
    ledger.check()
    history = ledger.history()
    finished = {entry["entry"] for entry in history if entry["spent"] is not None}
    assert shown <= finished and shown
    balance = ledger.balance()
    assert balance.spent + balance.reserved == sum(entry["reserved"] for entry in history)
    assert balance.spent == sum(entry["spent"] for entry in history if entry["spent"] is not None)


def test_kills(folder):
    kills(folder, 8)


@pytest.mark.long
def test_many_kills(folder):
    kills(folder, 200)
