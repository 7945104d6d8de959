"""Kills `budget copy` at random moments. After each kill at most one of the two ledgers is open; the same call again finishes the
copy, with all that was in the original. kills_test.py does it with files, team_ledger_test.py with databases."""

import collections
import json
import os
import subprocess
import time


class Copies:
    """`call(*arguments)` runs the program to its end, as `command` does in `folder`."""

    def __init__(self, command, call, folder):
        self.command, self.call, self.folder = command, call, folder

    def state(self, ledger):
        """absent, closed or open; never half of each."""
        shown = self.call("budget", "show", "--ledger", ledger, "--format", "json")
        if shown.returncode == 2 and "there is no ledger" in shown.stderr:
            return "absent"
        assert shown.returncode == 0, shown
        states = {json.loads(line)["status"] for line in shown.stdout.splitlines()}
        assert len(states) == 1, shown
        return states.pop()

    def history(self, ledger):
        shown = self.call("budget", "history", "--ledger", ledger, "--format", "json")
        assert shown.returncode == 0, shown
        return shown.stdout

    def finish(self, original, copy, history):
        """What an interruption left. The same call again must finish the copy."""
        left = f"original {self.state(original)}, copy {self.state(copy)}"
        assert left != "original open, copy open", "the budget is there twice"
        again = self.call("budget", "copy", "--ledger", original, "--to", copy)
        done = again.returncode == 2 and "releases go on there" in again.stderr
        assert again.returncode == 0 or (done and left == "original closed, copy open"), (left, again)
        assert (self.state(original), self.state(copy)) == ("closed", "open"), left
        for ledger in (original, copy):
            assert "rows hold" in self.call("budget", "check", "--ledger", ledger).stdout, left
            assert self.history(ledger) == history, left
        return left

    def kill(self, original, copy, delay, when_there=None):
        """Kills a copy after `delay` seconds; with `when_there`, counted from the moment at which that file is there. Whether
        it was still at work, and how long it took."""
        began = time.monotonic()
        process = subprocess.Popen([*self.command, "budget", "copy", "--ledger", original, "--to", copy], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while when_there and process.poll() is None and not os.path.exists(when_there):
            pass
        until = time.monotonic() + delay
        while time.monotonic() < until and process.poll() is None:
            pass
        process.kill()
        return process.wait() != 0, time.monotonic() - began

    def kill_many(self, kills, fresh, rng, after=lambda: None, is_file=False):
        """`fresh()` makes an original, and returns its name and that of a copy to be. `after` waits until the server has noticed
        a kill. Where the copy is a file, every second kill comes soon after it has got its name."""
        found, killed, tries = collections.Counter(), 0, 0
        original, copy = fresh()
        history = self.history(original)
        longest = self.kill(original, copy, 60)[1]
        while killed < kills:
            tries += 1
            assert tries < 20 * kills + 100, "the copies are over before they are killed"
            original, copy = fresh()
            soon = is_file and tries % 2 == 0
            at_work, _ = self.kill(original, copy, rng.uniform(0, longest / 4 if soon else longest),
                                   os.path.join(self.folder, copy) if soon else None)
            after()
            found[self.finish(original, copy, history)] += at_work
            killed += at_work
        return f"{killed} kills of copies, none open twice, all finished by the next call: {dict(found)}"
