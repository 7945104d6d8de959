"""The files of the repository, as the checks see them."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def files(root, *suffixes):
    """Files under root that git tracks or would track, sorted; outside a git work tree, all files but those in build/."""
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
        capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        paths = [root / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [path for path in root.rglob("*") if path.relative_to(root).parts[0] not in ("build", ".git")]
    return sorted(path for path in paths if path.is_file() and (not suffixes or path.suffix in suffixes))


def report(violations, passed):
    """Prints the violations, or what passed if there are none; the exit status to leave with."""
    for violation in violations:
        print(violation)
    if not violations:
        print(passed)
    return 1 if violations else 0
