"""A PostgreSQL server of its own for a test: an unprivileged user, a folder of its own, a socket there and no port."""

import contextlib
import glob
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile


def _programs():
    """The folder of initdb and pg_ctl; Debian has it beside PATH."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"), key=lambda path: float(path.split("/")[4]))
    program = found[-1] if found else shutil.which("pg_ctl")
    assert program, "PostgreSQL is not installed: `make check` installs it"
    return pathlib.Path(program).parent


class Server:
    """A server with the superuser `owner`. Others need a password."""

    def __init__(self, folder):
        self.folder = folder
        self._bin = _programs()
        self._unprivileged = []
        if os.getuid() == 0:  # which the server refuses to be
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            self._unprivileged = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
        self._run("initdb", "-D", folder / "data", "-A", "trust", "-U", "owner", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self._run("sh", "-c", 'printf "local all owner trust\\nlocal all all scram-sha-256\\n" > "$0"', folder / "data/pg_hba.conf", ours=False)

    def _run(self, program, *arguments, ours=True):
        command = [*self._unprivileged, str(self._bin / program) if ours else program, *map(str, arguments)]
        result = subprocess.run(command, cwd=self.folder, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.folder)},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert result.returncode == 0, result.stdout

    def start(self):
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off -c shared_buffers=32MB"
        self._run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "-t", "120", "-o", options, "start")

    def stop(self):
        """Ends it without a checkpoint, as a crash would."""
        self._run("pg_ctl", "-D", self.folder / "data", "-w", "-t", "120", "-m", "immediate", "stop")

    def address(self, **besides):
        return {"host": str(self.folder), "user": "owner", "dbname": "postgres", **besides}


@contextlib.contextmanager
def running():
    """A server that runs within the block."""
    # Not where TMPDIR says: the server's user must reach it, and a socket's path has 107 bytes at most.
    with tempfile.TemporaryDirectory(prefix="freegap-", dir="/tmp") as folder:
        server = Server(pathlib.Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()
