"""How the tests call the program: as people do, in a folder of their own."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()

# A test that is started in the background or by nohup ignores these, and so would the program.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


class Folder:
    """A temporary folder in which the program is called."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self._folder.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def write(self, name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (self.path / name).write_bytes(data)
        return name

    def call(self, *arguments, stdin=None):
        """Runs the program; its result has returncode, stdout and stderr."""
        return subprocess.run(
            [PROGRAM, *map(str, arguments)], cwd=self.path, input=stdin, capture_output=True, text=True, check=False
        )

    def good(self, *arguments, stdin=None):
        """Standard output of a call that must go well and say nothing on standard error."""
        result = self.call(*arguments, stdin=stdin)
        assert result.returncode == 0 and not result.stderr, (arguments, result)
        return result.stdout

    def json(self, *arguments, stdin=None):
        return json.loads(self.good(*arguments, "--format", "json", stdin=stdin))

    def refused(self, *arguments, stdin=None, status=2):
        """The message of a call that must be refused, with nothing on standard output."""
        result = self.call(*arguments, stdin=stdin)
        assert result.returncode == status and not result.stdout and result.stderr, (arguments, result)
        return result.stderr

    def shell(self, script):
        """Runs lines as a user would paste them, `freegap` being the program."""
        bin_folder = self.path / ".bin"
        bin_folder.mkdir(exist_ok=True)
        link = bin_folder / "freegap"
        if not link.exists():
            link.symlink_to(PROGRAM)
        environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
        return subprocess.run(
            ["bash", "-eu", "-c", script], cwd=self.path, env=environment, capture_output=True, text=True, check=False
        )
