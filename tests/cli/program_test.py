"""The program as people run it: help, version, bad options, and a small verification whose report a program can read."""

import json
import subprocess
import sys


def call(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=False)


def main():
    version = call("--version")
    assert version.returncode == 0 and version.stdout.startswith("freegap "), version
    help_text = call("verify", "--help")
    assert help_text.returncode == 0 and "Example" in help_text.stdout and not help_text.stderr, help_text
    refused = call("verify", "--no-such-option")
    assert refused.returncode == 2 and not refused.stdout and refused.stderr, refused

    run = call("verify", "--replays", "500", "--threads", "2", "--format", "json")
    report = json.loads(run.stdout)
    failed = [row for row in report["rows"] if not row["holds"]]
    assert not failed, failed
    assert report["passed"] and run.returncode == 0 and not run.stderr, run
    assert all(row["caught"] for row in report["bad_variants"])
    for figure in ("alignment", "exact", "black_box"):
        assert any(row[figure] is not None for row in report["rows"]), figure
    print(f"{len(report['rows'])} rows hold, {len(report['bad_variants'])} bad variants were caught")


if __name__ == "__main__":
    main()
