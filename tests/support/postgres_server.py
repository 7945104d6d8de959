"""A PostgreSQL server for tests: in a folder of its own, on a socket of its own, as a user without privileges. It needs the
Debian package `postgresql`, which `make check` installs."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

PORT = 5432  # names the socket; nothing listens on the network
UNPRIVILEGED = "nobody"  # the server refuses to run as root


class Server:
    """with Server() as server: … server.url("ada", "books") …"""

    def __init__(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
        if not found:
            raise FileNotFoundError("no PostgreSQL server: apt install postgresql (`make check` does)")
        self.programs = os.path.dirname(found[-1])
        self.folder = tempfile.mkdtemp(prefix="freegap-postgres-", dir="/tmp")  # which others can reach, with a short path
        self.data = os.path.join(self.folder, "data")
        self._as_user = []
        if os.getuid() == 0:
            user = pwd.getpwnam(UNPRIVILEGED)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        os.chmod(self.folder, 0o755)
        self._process = None

    def _command(self, program, *arguments):
        return [*self._as_user, os.path.join(self.programs, program), *arguments]

    def __enter__(self):
        try:
            subprocess.run(self._command("initdb", "-D", self.data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-locale",
                                         "--no-instructions", "--no-sync"), check=True, stdout=subprocess.DEVNULL, cwd="/")
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process is not None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *settings):
        """Starts the server, with settings such as "-c", "fsync=off", and waits until it answers."""
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self._process = subprocess.Popen(
                self._command("postgres", "-D", self.data, "-k", self.folder, "-p", str(PORT), "-c", "listen_addresses=",
                              "-c", "max_connections=200", *settings), stdout=log, stderr=log, cwd="/")
        until = time.monotonic() + 120
        while subprocess.run(self._command("pg_isready", "-q", "-h", self.folder), check=False, cwd="/").returncode != 0:
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the server did not start: " + open(os.path.join(self.folder, "log"), encoding="utf-8").read())
            time.sleep(0.05)

    def kill(self):
        """Ends the server as a crash does: no client is told, nothing is written any more."""
        with open(os.path.join(self.data, "postmaster.pid"), encoding="utf-8") as file:
            os.kill(int(file.readline()), signal.SIGQUIT)
        self._process.wait(timeout=120)
        self._process = None

    def url(self, user="owner", database="postgres", folder=None):
        """The URL of a database; `folder` is where the socket lies."""
        return f"postgresql://{user}@/{database}?host={folder or self.folder}"

    def run(self, *statements, user="owner", database="postgres"):
        """Runs SQL, each statement by itself, and returns the rows of the last one as lines."""
        out = ""
        for statement in statements:
            out = subprocess.run(self._command("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
                                               self.url(user, database), "-c", statement),
                                 check=True, capture_output=True, text=True, cwd="/").stdout
        return out.splitlines()
